"""The probabilities of a single row: what a service pays for each request."""

from collections.abc import Iterator

from benchmarks.harness import Row, Scale, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn

MODELS = ("lda", "qda", "gaussian_nb")


def measure(scale: Scale) -> Iterator[Row]:
    """predict_proba of one NumPy row, models of 50 features and 10 classes."""
    X, y = class_clouds(5_000, 50, 10)
    for name in MODELS:
        ours = getattr(distinguo, name)().fit(X, y)
        theirs = getattr(scikit_learn, name)().fit(X, y)
        seconds = take_turns(
            {"ours": ours.predict_proba, "theirs": theirs.predict_proba},
            (X[:1],),
            repeats=scale.repeats(25),
            number=100,
        )
        work = f"{name}, predict_proba of 1 x 50, 10 classes"
        yield faster(work, scikit_learn.NAME, seconds["ours"], seconds["theirs"], 1)
