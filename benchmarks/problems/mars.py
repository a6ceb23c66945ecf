"""MARS on the indicators of four classes, the regression inside flexible discriminant analysis."""

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Row, Scale, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, r

# What R 4.2.2's fda(method = earth) took on such rows where it was measured, for machines without R.
QUOTED = 1.36


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 10 000 rows of 20 features, degree 2."""
    n, p, K = scale.rows(10_000), 20, 4
    X, y = class_clouds(n, p, K)
    Y = (y[:, None] == np.arange(K)).astype(float)
    repeats = scale.repeats(5)
    work = f"fit, {n} x {p}, {K} responses, degree 2"
    seconds = take_turns(
        {"ours": lambda X, Y: distinguo.mars(degree=2).fit(X, Y)}, (X, Y), warm=(X[:500], Y[:500]), repeats=repeats
    )
    measured = r.earth(X, y, degree=2, repeats=repeats)
    if measured is None:
        yield faster(work, "R fda(method = earth), quoted", seconds["ours"], QUOTED, 1)
        return
    earth, discriminant, gcv = measured
    ours = distinguo.mars(degree=2).fit(X, Y).gcv_
    if ours > 1.01 * gcv:
        raise RuntimeError(f"our GCV is {ours:.6g} and earth's {gcv:.6g}; nothing to compare.")
    yield faster(work, "R earth", seconds["ours"], earth, 1)
    yield faster(work, "R fda(method = earth)", seconds["ours"], discriminant, 1)
