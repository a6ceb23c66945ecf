"""Missing cells: EM, beside filling them column by column from regressions on the others."""

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Row, Scale, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Fit and predict_proba of 10 000 rows of 20 features in 5 classes, a tenth of the cells gone at random."""
    n, p, K = scale.rows(10_000), 20, 5
    X, y = class_clouds(n, p, K)
    X[:, 1:] += 0.7 * X[:, :-1]  # columns that tell of each other
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    seconds = take_turns(
        {
            "ours": lambda X, y: distinguo.lda().fit(X, y),
            "theirs": lambda X, y: scikit_learn.imputed_lda().fit(X, y),
        },
        (X, y),
        warm=(X[:500], y[:500]),
        repeats=scale.repeats(3),
    )
    size = f"{n} x {p}, {K} classes, a tenth missing"
    peer = f"{scikit_learn.NAME}, IterativeImputer + LDA"
    yield faster(f"lda fit, {size}", peer, seconds["ours"], seconds["theirs"], 2)

    model, theirs = distinguo.lda().fit(X, y), scikit_learn.imputed_lda().fit(X, y)
    seconds = take_turns({"ours": model.predict_proba, "theirs": theirs.predict_proba}, (X,), repeats=scale.repeats(5))
    yield faster(f"lda predict_proba, {size}", peer, seconds["ours"], seconds["theirs"], 1)
