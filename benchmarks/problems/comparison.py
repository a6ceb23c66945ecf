"""Comparing models: what is spent beside the fits and predictions themselves."""

from collections.abc import Iterator

from benchmarks.harness import Row, Scale, class_clouds, not_over, take_turns
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """The peer cross-validates the same models on as many folds, for accuracy and log loss."""
    n, p, K = scale.rows(20_000), 20, 5
    X, y = class_clouds(n, p, K)
    models = {"naive": scikit_learn.gaussian_nb(), "lda": scikit_learn.lda(), "logistic": scikit_learn.logistic()}
    contestants = {
        "ours": lambda: distinguo.compared(models, X, y, folds=5, repeats=2, memory=False),
        "with memory": lambda: distinguo.compared(models, X, y, folds=5, repeats=2),
        "theirs": lambda: scikit_learn.cross_validated(models, X, y, folds=5, repeats=2),
    }
    seconds = take_turns(contestants, repeats=scale.repeats(3))
    work = f"three models of scikit-learn, 5 folds x 2, {n} x {p}, {K} classes"
    peer = f"{scikit_learn.NAME}, cross_validate"
    yield not_over(f"{work}, with differences and advice", peer, seconds["ours"], seconds["theirs"], 1.5)
    yield not_over(f"{work}, and peak memory", peer, seconds["with memory"], seconds["theirs"], 2)
