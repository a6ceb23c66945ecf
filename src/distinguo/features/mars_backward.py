"""The backward pass of MARS: terms are taken away one by one, and generalised cross-validation says when to stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr_delete, solve_triangular

from distinguo.features.mars_forward import Grown, gcv

Array = NDArray[np.float64]

# Two terms are equally dispensable, and two sizes equally good, where they differ by no more than this share.
TIE = 1e-9


@dataclass(frozen=True)
class Path:
    """The best subset found of every size.

    Attributes
    ----------
    subsets : (M, M) whether a term (column) is in the subset of one term, two terms, ... (row).
    rss, gcv : (M,) of each size.
    """

    subsets: NDArray[np.bool_]
    rss: Array
    gcv: Array

    @property
    def best(self) -> int:
        """The row of the size with the least GCV; of equals, the smallest."""
        low = self.gcv.min()
        if not np.isfinite(low):
            return 0
        reference = self.gcv[0] if np.isfinite(self.gcv[0]) else low
        return int(np.flatnonzero(self.gcv <= low + TIE * min(low, reference) + 1e-14 * reference)[0])


def prune(grown: Grown, n: float, penalty: float) -> Path:
    """Take away, again and again, the term whose loss raises the residual sum of squares least.

    Without term j it rises by ||b_j||² / C_jj, where b are the coefficients and C the inverse of the cross-product
    matrix; both come from the triangle, from which a column is deleted by rotations.
    """
    M = len(grown.terms)
    triangle, projections = grown.triangle, grown.projections
    kept = np.arange(M)
    subsets = np.zeros((M, M), dtype=bool)
    rss = np.empty(M)
    rss[M - 1] = grown.rss
    subsets[M - 1] = True
    for size in range(M - 1, 0, -1):
        inverse = solve_triangular(triangle, np.eye(size + 1))
        coefficients = inverse @ projections
        rise = (coefficients**2).sum(axis=1) / (inverse**2).sum(axis=1)
        rise[0] = np.inf  # the constant stays
        # Of equals the youngest goes.
        drop = int(np.flatnonzero(rise <= rise[1:].min() * (1 + TIE))[-1])
        rotation, shorter = qr_delete(np.eye(size + 1), triangle, drop, which="col")
        projections = rotation.T @ projections
        rss[size - 1] = rss[size] + float(np.sum(projections[size] ** 2))
        triangle, projections = np.asarray(shorter[:size], dtype=np.float64), projections[:size]
        kept = np.delete(kept, drop)
        subsets[size - 1, kept] = True
    return Path(subsets, rss, np.array([gcv(rss[m], m + 1, n, penalty) for m in range(M)]))


def coefficients(grown: Grown, chosen: NDArray[np.bool_]) -> Array:
    """Least-squares coefficients (chosen, q) of a subset of the terms, in the columns' units."""
    Q, R = np.linalg.qr(grown.triangle[:, chosen])
    return np.asarray(solve_triangular(R, Q.T @ grown.projections) / grown.scales[chosen, None])


def importance(path: Path, chosen: int, users: NDArray[np.bool_]) -> dict[str, Array]:
    """How much each column matters by three criteria, each (p,); `users` (M, p) says which terms use it.

    Over the subsets up to the chosen size: how many use the column, and the falls of RSS and GCV from one size to the
    next, summed where the larger uses it, as the root of the share of the largest, in percent.
    """
    sizes = np.arange(1, chosen + 1)
    used = (path.subsets[sizes].astype(int) @ users.astype(int)) > 0  # (sizes, p)
    scores = path.gcv[: chosen + 1]
    finite = np.isfinite(scores)
    scores = np.where(
        finite, scores, scores[finite].max(initial=0.0)
    )  # with as many parameters as rows, GCV tells nothing
    return {
        "nsubsets": used.sum(axis=0).astype(float),
        "gcv": _percent(-np.diff(scores) @ used),
        "rss": _percent(-np.diff(path.rss[: chosen + 1]) @ used),
    }


def _percent(falls: Array) -> Array:
    """Signed roots, the largest 100."""
    roots = np.sign(falls) * np.sqrt(np.abs(falls))
    largest = roots.max(initial=0.0)
    return np.asarray(100 * roots / largest if largest > 0 else np.zeros(len(roots)))
