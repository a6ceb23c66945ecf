"""Gaussians whose columns are independent within a class; missing cells are left out of the product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from distinguo.densities.base import EVERY, ByColumn, Classes, Density
from distinguo.densities.kernels import scaled_distances, scaled_distances_of_cells
from distinguo.rows.kernels import all_finite
from distinguo.statistics.holes import LOG_2PI

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DiagonalGaussian(ByColumn, Density):
    r"""Independent columns, :math:`p(x | k) = \prod_j N(x_j; \mu_{kj}, \sigma^2_{kj})`.

    Attributes
    ----------
    means, variances : (K, p) in the units of the columns and their squares.
    used : (p,) columns that take part.

    Examples
    --------
    >>> density = DiagonalGaussian(np.zeros((1, 2)), np.ones((1, 2)), np.array([True, True]))
    >>> density.log_density(np.array([[0.0, np.nan]])).round(3).tolist()
    [[-0.919]]
    """

    means: Array
    variances: Array
    used: NDArray[np.bool_]

    @cached_property
    def roots(self) -> Array:
        """(K, p) inverse standard deviations, zero where a column takes no part."""
        return np.divide(1.0, np.sqrt(self.variances), out=np.zeros_like(self.variances), where=self.used)

    @cached_property
    def constants(self) -> Array:
        """(K, p) log(2πσ²), zero where a column takes no part."""
        logs = np.log(self.variances, out=np.zeros_like(self.variances), where=self.used)
        return np.asarray(logs + LOG_2PI * self.used)

    def _terms(self, X: Array) -> tuple[Array, Array]:
        """Squared standardised distances and log-normalisers, (n, K) each (or (K,) where no cell is missing)."""
        if _complete(X):
            return scaled_distances(X, self.means, self.roots), self.constants.sum(axis=1)
        distances, norms = scaled_distances_of_cells(X, self.means, self.roots, self.constants)
        return distances, norms

    def log_density(self, X: Array) -> Array:
        """log p(x | class) of the cells that are there, (n, K)."""
        distances, norms = self._terms(X)
        distances += norms
        distances *= -0.5
        return distances

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""
        return self.log_density(X)

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """log p of each cell, (n, K, p); zero where it is missing, or the column takes no part."""
        with np.errstate(over="ignore"):
            z = (X[:, None, :] - self.means[classes]) * self.roots[classes]
            terms = -0.5 * (z**2 + self.constants[classes])
        return np.where(np.isnan(X)[:, None, :], 0.0, terms)

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of rows (n, p) in class k; zero where it is missing, or the column takes no part."""
        return np.asarray(self.terms(X)[:, k])

    def tail(self, X: Array) -> Array:
        """The chi-squared tail, with as many degrees of freedom as cells; an empty row is typical of all."""
        distances, _ = self._terms(X)
        cells = (~np.isnan(X[:, self.used])).sum(axis=1)[:, None]
        return np.where(cells > 0, chdtrc(np.maximum(cells, 1), distances), 1.0)

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k; columns that take no part keep their mean."""
        z = rng.standard_normal((n, self.means.shape[1]))
        return np.asarray(self.means[k] + z * np.sqrt(self.variances[k]) * self.used)


def _complete(X: Array) -> bool:
    """Whether no cell is missing, by one pass where that is enough."""
    return all_finite(X.reshape(-1)) or not np.isnan(X).any()
