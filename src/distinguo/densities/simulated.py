"""How typical rows are of classes whose tails have no closed form: by members drawn from each class."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.products import hole_patterns

Array = NDArray[np.float64]

# The standard error of a tail is at most .5 / sqrt(MEMBERS), .011; the same members are drawn every time.
MEMBERS = 2000
SEED = 20_24
# Wide members are drawn some at a time.
MOST_CELLS = 4_000_000
# Densities this close are equal but for rounding, and of a discrete class many are.
TIE = 1e-9


class Cellwise(Protocol):
    """A density whose logarithm is a sum over the cells."""

    def log_density(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of members of class k, (n, p)."""

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""


def simulated_tail(density: Cellwise, X: Array, K: int) -> Array:
    """P(p(X' | k) <= p(x | k)) for X' a member of class k, (n, K), by simulation.

    Rows that lack cells are held against members that lack the same: the same members, without those cells.

    Parameters
    ----------
    density : of K classes.
    X : (n, p)
    K : how many.
    """
    observed = density.log_density(X)
    patterns, lacking = hole_patterns(X)
    result = np.empty_like(observed)
    kept = ~np.array(lacking)  # (P, p)
    for k in range(K):
        drawn = _drawn(density, k, kept, np.random.default_rng([SEED, k]))
        for pattern in range(len(kept)):
            rows = np.flatnonzero(patterns == pattern)
            result[rows, k] = tail_among(drawn[:, pattern], observed[rows, k])
    return result


def tail_among(drawn: Array, observed: Array) -> Array:
    """(n,) the share of members (m,) that are no likelier than each row, the row counted as one; log densities."""
    drawn = np.sort(drawn)
    with np.errstate(invalid="ignore"):
        reach = observed + TIE * (1 + np.abs(np.where(np.isfinite(observed), observed, 0.0)))
    share = (1 + np.searchsorted(drawn, reach, side="right")) / (1 + len(drawn))
    return np.where(np.isneginf(observed), 0.0, share)


def _drawn(density: Cellwise, k: int, kept: NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """(MEMBERS, P) log densities of members of class k in the cells (P, p) that each pattern keeps."""
    P, p = kept.shape
    step = max(1, MOST_CELLS // p)
    parts = []
    for start in range(0, MEMBERS, step):
        members = density.sample(k, min(step, MEMBERS - start), rng)
        if P == 1 and kept.all():
            parts.append(density.log_density(members)[:, [k]])
        else:
            parts.append(density.cell_logs(members, k) @ kept.T.astype(np.float64))
    return np.concatenate(parts)
