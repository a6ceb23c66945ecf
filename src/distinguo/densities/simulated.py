"""How typical rows are of classes whose tails have no closed form: by members drawn from each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.base import Density
from distinguo.densities.products import hole_patterns

Array = NDArray[np.float64]

# The standard error of a tail is at most .5 / sqrt(MEMBERS), .011; the same members are drawn every time.
MEMBERS = 2000
SEED = 20_24
# Wide members are drawn some at a time.
MOST_CELLS = 4_000_000
# Densities this close are equal but for rounding, and of a discrete class many are.
TIE = 1e-9


def simulated_tail(density: Density, X: Array, K: int) -> Array:
    """P(p(X' | k) <= p(x | k)) for X' a member of class k, (n, K), by simulation.

    Rows that lack cells are held against members that lack the same.

    Parameters
    ----------
    density : of K classes.
    X : (n, p)
    K : how many.
    """
    observed = density.log_density(X)
    patterns, lacking = hole_patterns(X)
    result = np.empty_like(observed)
    for pattern, missing in enumerate(lacking):
        rows = np.flatnonzero(patterns == pattern)
        for k in range(K):
            drawn = _drawn(density, k, missing, np.random.default_rng([SEED, k]))
            result[rows, k] = tail_among(drawn, observed[rows, k])
    return result


def tail_among(drawn: Array, observed: Array) -> Array:
    """(n,) the share of members (m,) that are no likelier than each row, the row counted as one; log densities."""
    drawn = np.sort(drawn)
    with np.errstate(invalid="ignore"):
        reach = observed + TIE * (1 + np.abs(np.where(np.isfinite(observed), observed, 0.0)))
    share = (1 + np.searchsorted(drawn, reach, side="right")) / (1 + len(drawn))
    return np.where(np.isneginf(observed), 0.0, share)


def _drawn(density: Density, k: int, missing: NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """(MEMBERS,) log densities of members of class k, without the cells of a pattern."""
    step = max(1, MOST_CELLS // len(missing))
    parts = []
    for start in range(0, MEMBERS, step):
        members = density.sample(k, min(step, MEMBERS - start), rng)
        if missing.any():
            members[:, missing] = np.nan
        parts.append(density.log_density(members)[:, k])
    return np.concatenate(parts)
