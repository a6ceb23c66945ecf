"""Leave-one-out posteriors of linear and quadratic discriminant analysis."""

from collections.abc import Iterator

from benchmarks.harness import Row, Scale, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, r

# What R 4.2.2's MASS 7.3-58 took for lda and qda where it was measured, for machines without R.
QUOTED = (0.046, 0.030)


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 5 000 rows of 30 features and leave each out in turn."""
    n, p, K = scale.rows(5_000), 30, 5
    X, y = class_clouds(n, p, K)
    seconds = take_turns(
        {
            "LDA": lambda X, y: distinguo.lda().fit(X, y).leave_one_out(X, y),
            "QDA": lambda X, y: distinguo.qda().fit(X, y).leave_one_out(X, y),
        },
        (X, y),
        repeats=scale.repeats(9),
    )
    measured = r.leave_one_out(X, y, scale.repeats(9))
    peer = "R MASS, CV = TRUE" + ("" if measured else ", quoted")
    for name, theirs in zip(("LDA", "QDA"), measured or QUOTED, strict=True):
        yield faster(f"{name}: fit and leave one out, {n} x {p}, {K} classes", peer, seconds[name], theirs, 1)
