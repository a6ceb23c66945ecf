"""Linear discriminant analysis of many rows."""

from collections.abc import Iterator

from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, not_over, take_turns
from benchmarks.peers import bare, distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 500 000 rows of 50 features in 10 classes."""
    n, p, K = scale.rows(500_000), 50, 10
    X, y = class_clouds(n, p, K)
    small = X[:2000], y[:2000]
    ours, theirs = distinguo.lda().fit(*small), scikit_learn.lda().fit(*small)
    check_agreement(ours.predict(X[:5000]), theirs.predict(X[:5000]), share=0.99)
    seconds = take_turns(
        {
            "distinguo": lambda X, y: distinguo.lda().fit(X, y),
            "product": bare.product,
            "svd": lambda X, y: scikit_learn.lda().fit(X, y),
            "lsqr": lambda X, y: scikit_learn.lda(solver="lsqr").fit(X, y),
        },
        (X, y),
        warm=small,
        repeats=scale.repeats(5),
    )
    work = f"fit, {n} x {p}, {K} classes"
    yield faster(work, f"{scikit_learn.NAME}, svd", seconds["distinguo"], seconds["svd"], 20)
    yield faster(work, f"{scikit_learn.NAME}, lsqr", seconds["distinguo"], seconds["lsqr"], 4)
    yield not_over(work, f"{bare.NAME}, X.T @ X", seconds["distinguo"], seconds["product"], 2)
