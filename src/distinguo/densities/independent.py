"""Classes whose columns are of several kinds, and independent of each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.base import EVERY, ByColumn, Classes, Density
from distinguo.densities.simulated import simulated_tail

Array = NDArray[np.float64]


class Part(Protocol):
    """A density that is a sum over its columns."""

    def log_density(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""

    def log_ratio(self, X: Array) -> Array:
        """The same up to a constant of the row."""

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """What each column adds, (n, K, p)."""

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of rows (n, p), which class k can have."""

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows of class k."""


@dataclass(frozen=True)
class Independent(ByColumn, Density):
    r"""A product of densities over groups of columns: :math:`p(x | k) = \prod_g p_g(x_g | k)`.

    Attributes
    ----------
    K, p : classes and columns.
    groups : pairs of the places of some columns and the density of these.

    Examples
    --------
    >>> from distinguo.densities.counts import Bernoulli, Poisson
    >>> groups = ((np.array([1]), Bernoulli(np.array([[0.5]]), 0.5)), (np.array([0]), Poisson(np.array([[1.0]]))))
    >>> Independent(1, 2, groups).log_density(np.array([[0.0, 1.0]])).round(3).tolist()
    [[-1.693]]
    """

    K: int
    p: int
    groups: tuple[tuple[NDArray[np.intp], Part], ...]

    def log_density(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""
        total = np.zeros((len(X), self.K))
        for places, part in self.groups:
            total += part.log_density(np.ascontiguousarray(X[:, places]))
        return total

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class) up to a constant of the row, (n, K)."""
        total = np.zeros((len(X), self.K))
        for places, part in self.groups:
            total += part.log_ratio(np.ascontiguousarray(X[:, places]))
        return total

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """What each column adds, (n, K, p)."""
        terms = np.empty((len(X), len(np.arange(self.K)[classes]), self.p))
        for places, part in self.groups:
            terms[:, :, places] = part.terms(X[:, places], classes)
        return terms

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of rows (n, p), which class k can have."""
        logs = np.empty((len(X), self.p))
        for places, part in self.groups:
            logs[:, places] = part.cell_logs(X[:, places], k)
        return logs

    def tail(self, X: Array) -> Array:
        """Among simulated members."""
        return simulated_tail(self, X, self.K)

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""
        rows = np.empty((n, self.p))
        for places, part in self.groups:
            rows[:, places] = part.sample(k, n, rng)
        return rows
