"""Gaussians of the cells that are there, the missing ones integrated out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from scipy.special import chdtrc

from distinguo.covariance.factor import RANK_TOLERANCE
from distinguo.densities.marginal_kernels import marginal_distances, semidefinite_root
from distinguo.statistics.holes import LOG_2PI
from distinguo.statistics.patterns import pattern_codes

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Terms:
    """What a Gaussian's density at a row is made of.

    Attributes
    ----------
    distances : (n, K) squared Mahalanobis distances.
    log_dets : (n, K), or (K,) where no cell is missing.
    ranks : (n, K) degrees of freedom, or one number where no cell is missing.
    """

    distances: Array
    log_dets: Array
    ranks: Array | int

    @property
    def log_density(self) -> Array:
        """log p(cells that are there | class), (n, K); zero for a row without any."""
        return np.asarray(-0.5 * (self.distances + (self.ranks * LOG_2PI + self.log_dets)))

    @property
    def tail(self) -> Array:
        """The chi-squared tail of the distances, (n, K); a row without cells is typical of all."""
        tail = chdtrc(np.maximum(self.ranks, 1), self.distances)
        return np.asarray(tail if isinstance(self.ranks, int) else np.where(self.ranks > 0, tail, 1.0))


@dataclass(frozen=True)
class Marginal:
    r"""Gaussian classes over whatever cells o a row has, :math:`p(x_o | k) = N(x_o; \mu_{ko}, \Sigma_{k,oo})`.

    Rows of the same pattern share one factorisation a covariance. A cell that follows from the others adds nothing, as
    a null direction adds nothing to rows without holes.

    Attributes
    ----------
    means : (K, p)
    covariances : (K, p, p), or (1, p, p) for one shape.
    used : (p,) columns that take part.

    Examples
    --------
    >>> classes = Marginal(np.zeros((1, 2)), np.array([[[4.0, 1.0], [1.0, 1.0]]]), np.ones(2, dtype=bool))
    >>> classes.terms(np.array([[2.0, np.nan], [np.nan, np.nan]])).log_density.round(3).tolist()
    [[-2.112], [-0.0]]
    """

    means: Array
    covariances: Array
    used: NDArray[np.bool_]

    def terms(self, X: Array) -> Terms:
        """Distances, log-determinants and degrees of freedom of the cells that are there."""
        patterns = pattern_codes(np.isnan(X))
        order = np.argsort(patterns, kind="stable")
        distances, log_dets, ranks = marginal_distances(
            np.ascontiguousarray(X), order, patterns, self.used, self.means, self.covariances, RANK_TOLERANCE
        )
        return Terms(distances, log_dets, ranks)

    def normal(self, there: NDArray[np.bool_], move: Array) -> Array:
        r"""(p,) :math:`\Sigma_{oo}^{-1} m_o` over the cells o that are `there` (p,), for one shape; zero elsewhere.

        With m the difference of two means, what their log-likelihood ratio grows by with each of those cells.
        """
        cells = np.flatnonzero(there & self.used)
        root = np.zeros((len(cells), len(cells)))
        semidefinite_root(self.covariances[0], cells, len(cells), RANK_TOLERANCE, root)
        kept = np.diagonal(root) > 0
        result = np.zeros(len(move))
        result[cells[kept]] = cho_solve((root[np.ix_(kept, kept)], True), move[cells[kept]])
        return result


def holed_rows(X: Array, values: Array) -> NDArray[np.bool_] | None:
    """Which rows lack cells, or None where none does.

    `values` (n, K) are not finite where a cell is missing, so rows without holes cost one sum.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return None
    holed = np.asarray(np.isnan(X).any(axis=1))
    return holed if holed.any() else None


def terms_of(X: Array, distances: Array, log_dets: Array, rank: int, marginal: Callable[[], Marginal]) -> Terms:
    """The terms of rows, from what they are without holes; those of rows with holes are made anew."""
    holed = holed_rows(X, distances)
    if holed is None:
        return Terms(distances, log_dets, rank)
    found = marginal().terms(X[holed])
    all_dets = np.tile(log_dets, (len(X), 1))
    ranks = np.full(distances.shape, float(rank))
    distances[holed], all_dets[holed], ranks[holed] = found.distances, found.log_dets, found.ranks
    return Terms(distances, all_dets, ranks)
