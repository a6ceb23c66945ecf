"""Classes of columns that count on their own: presence and absence, rates; and weighted sums of no class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from distinguo.densities.base import EVERY, ByColumn, Classes, Density
from distinguo.densities.products import forbid, forbidden, log_or_zero, ones_or_none, sums
from distinguo.densities.simulated import simulated_tail
from distinguo.rows.counted import part_holes
from distinguo.statistics.counts import above

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bernoulli(ByColumn, Density):
    r"""Whether each cell is above a threshold: :math:`p(x | k) = \prod_j p_{kj}^{b_j} (1 - p_{kj})^{1 - b_j}`.

    Attributes
    ----------
    shares : (K, p) of a class's cells above the threshold.
    threshold : what a cell must be above of.

    Examples
    --------
    >>> density = Bernoulli(np.array([[0.25, 0.5]]), 0.0)
    >>> np.exp(density.log_density(np.array([[3.0, 0.0], [0.0, np.nan]]))).round(3).tolist()
    [[0.125], [0.75]]
    """

    shares: Array
    threshold: float

    @cached_property
    def yes(self) -> Array:
        """(p, K) log probabilities of a cell above, zero where there is none."""
        return log_or_zero(self.shares.T)

    @cached_property
    def no(self) -> Array:
        """(p, K) log probabilities of a cell not above, zero where there is none."""
        return log_or_zero(1 - self.shares.T)

    @cached_property
    def never(self) -> Array | None:
        """(p, K) ones where a cell is never above."""
        return ones_or_none(self.shares.T == 0)

    @cached_property
    def always(self) -> Array | None:
        """(p, K) ones where a cell always is."""
        return ones_or_none(self.shares.T == 1)

    @cached_property
    def weights(self) -> Array:
        """(p, K) what a cell above adds to a score."""
        return np.asarray(self.yes - self.no)

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""
        return self.log_density(X)

    def log_density(self, X: Array) -> Array:
        """log p(x | class) of the cells that are there, (n, K)."""
        on, holes = part_holes(above(X, self.threshold))
        scores = np.asarray(on @ self.weights) + self.no.sum(axis=0)
        if holes is not None:
            scores -= holes @ self.no
        scores = forbid(scores, on, self.never)
        if self.always is not None:
            off = self.always.sum(axis=0) - on @ self.always - (0.0 if holes is None else holes @ self.always)
            scores[off > 0.5] = -np.inf
        return scores

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """log p of each cell, (n, K, p); zero where it is missing."""
        on, holes = part_holes(above(X, self.threshold))
        off = 1 - on if holes is None else 1 - on - holes
        terms = on[:, None, :] * self.yes.T[classes] + off[:, None, :] * self.no.T[classes]
        if self.never is not None:
            terms = forbidden(terms, on, self.never[:, classes])
        return terms if self.always is None else forbidden(terms, off, self.always[:, classes])

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of rows (n, p), which class k can have."""
        on = above(X, self.threshold) > 0
        return np.where(on, self.yes[:, k], self.no[:, k])

    def tail(self, X: Array) -> Array:
        """Among simulated members."""
        return simulated_tail(self, X, len(self.shares))

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k: the whole numbers next to the threshold, 0 and 1 for that of 0."""
        on = rng.random((n, self.shares.shape[1])) < self.shares[k]
        low = np.floor(self.threshold)
        return np.asarray(np.where(on, low + 1.0, low))


@dataclass(frozen=True)
class Poisson(ByColumn, Density):
    r"""Independent counts: :math:`p(x | k) = \prod_j e^{-\lambda_{kj}} \lambda_{kj}^{x_j} / x_j!`.

    Attributes
    ----------
    rates : (K, p) mean counts.

    Examples
    --------
    >>> np.exp(Poisson(np.array([[2.0]])).log_density(np.array([[1.0]]))).round(4).tolist()
    [[0.2707]]
    """

    rates: Array

    @cached_property
    def logs(self) -> Array:
        """(p, K) log rates, zero where a rate is."""
        return log_or_zero(self.rates.T)

    @cached_property
    def impossible(self) -> Array | None:
        """(p, K) ones where a rate is zero, None where none is."""
        return ones_or_none(self.rates.T == 0)

    def log_ratio(self, X: Array) -> Array:
        """The sum of x log λ - λ over the cells that are there, (n, K)."""
        values, holes = part_holes(X)
        scores = np.asarray(values @ self.logs) - self.rates.sum(axis=1)
        if holes is not None:
            scores += holes @ self.rates.T
        return forbid(scores, values, self.impossible)

    def log_density(self, X: Array) -> Array:
        """log p(x | class) of the cells that are there, (n, K)."""
        factorials = sums(part_holes(X)[0], lambda cells: gammaln(cells + 1))
        return np.asarray(self.log_ratio(X) - factorials[:, None])

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """x log λ - λ of each column, (n, K, p); zero where the cell is missing."""
        values, holes = part_holes(X)
        there = 1.0 if holes is None else (1 - holes)[:, None, :]
        terms = values[:, None, :] * self.logs.T[classes] - self.rates[classes] * there
        return terms if self.impossible is None else forbidden(terms, values, self.impossible[:, classes])

    def cell_logs(self, X: Array, k: int) -> Array:
        """log p of each cell of rows (n, p), which class k can have."""
        return np.asarray(X * self.logs[:, k] - self.rates[k] - gammaln(X + 1))

    def tail(self, X: Array) -> Array:
        """Among simulated members."""
        return simulated_tail(self, X, len(self.rates))

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""
        return rng.poisson(self.rates[k], (n, self.rates.shape[1])).astype(np.float64)


@dataclass(frozen=True)
class Weighted(ByColumn):
    """Scores that are sums of counts times weights, of no probability model.

    Attributes
    ----------
    weights : (K, p)
    """

    weights: Array

    @cached_property
    def columns(self) -> Array:
        """(p, K) the weights by column, zero where they are infinite."""
        return np.ascontiguousarray(np.where(np.isfinite(self.weights), self.weights, 0.0).T)

    @cached_property
    def impossible(self) -> Array | None:
        """(p, K) ones where a weight is minus infinity."""
        return ones_or_none(np.isneginf(self.weights.T))

    def log_ratio(self, X: Array) -> Array:
        """Scores of rows, (n, K)."""
        values, _ = part_holes(X)
        return forbid(np.asarray(values @ self.columns), values, self.impossible)

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """Each column's count times its weight, (n, K, p)."""
        values, _ = part_holes(X)
        terms = values[:, None, :] * self.columns.T[classes]
        return terms if self.impossible is None else forbidden(terms, values, self.impossible[:, classes])
