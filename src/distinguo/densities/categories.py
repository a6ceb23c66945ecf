"""Columns of categories, each with a table of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.base import EVERY, ByColumn, Classes, Density
from distinguo.densities.category_kernels import add_shares
from distinguo.densities.simulated import simulated_tail

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Categories(ByColumn, Density):
    r"""Independent categories: :math:`p(x | k) = \prod_j \theta_{j x_j k}`; missing cells are left out.

    Attributes
    ----------
    shares : (S, K) probabilities; after those of a column's categories comes that of any never met.
    starts : (p + 1,) where each column's entries begin.

    Examples
    --------
    >>> density = Categories(np.array([[0.25], [0.75], [0.125]]), np.array([0, 3]))
    >>> np.exp(density.log_density(np.array([[1.0], [2.0], [np.nan]]))).ravel().round(3).tolist()
    [0.75, 0.125, 1.0]
    """

    shares: Array
    starts: NDArray[np.intp]

    @cached_property
    def logs(self) -> Array:
        """(S, K) log probabilities."""
        with np.errstate(divide="ignore"):
            return np.ascontiguousarray(np.log(self.shares))

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""
        return self.log_density(X)

    def log_density(self, X: Array) -> Array:
        """log p(x | class) of the cells that are there, (n, K)."""
        scores = np.zeros((len(X), self.shares.shape[1]))
        add_shares(X, self.logs, self.starts, scores)
        return scores

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """log p of each cell, (n, K, p); zero where it is missing."""
        places = np.where(np.isnan(X), 0, X).astype(np.intp) + self.starts[:-1]
        logs = self.logs[:, classes][np.minimum(places, self.starts[1:] - 1)]  # (n, p, K)
        return np.where(np.isnan(X)[:, :, None], 0.0, logs).transpose(0, 2, 1)

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of rows (n, p), which class k can have; zero where it is missing."""
        return np.asarray(self.terms(X)[:, k])

    def tail(self, X: Array) -> Array:
        """Among simulated members."""
        return simulated_tail(self, X, self.shares.shape[1])

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of places of categories that were met; NaN in a column that has none."""
        rows = np.full((n, len(self.starts) - 1), np.nan)
        for j in range(rows.shape[1]):
            share = self.shares[self.starts[j] : self.starts[j + 1] - 1, k]
            if share.sum() > 0:
                rows[:, j] = rng.choice(len(share), size=n, p=share / share.sum())
        return rows
