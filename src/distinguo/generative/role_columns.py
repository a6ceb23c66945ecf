"""Columns of each role: from their summaries to a density, and what a row left out changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.categories import Categories
from distinguo.densities.counts import Bernoulli, Poisson
from distinguo.densities.diagonal import DiagonalGaussian
from distinguo.densities.independent import Part
from distinguo.generative.gaussian_columns import Smoothing
from distinguo.generative.smoothing import column_names, warn_of_zeros
from distinguo.rows.coding import BINARY, CATEGORY, COUNT, NUMERIC
from distinguo.statistics.summaries import ColumnSummaries

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class LeftOut:
    """Rows that are each to be taken out of their own class.

    Attributes
    ----------
    X : (n, q) their cells in the columns of a role.
    own : (n,) the place of each row's class among those with rows.
    taken : (n,) the weight taken out.
    """

    X: Array
    own: Rows
    taken: Array


class RoleColumns(ABC):
    """How the columns of one role are described."""

    @abstractmethod
    def density(self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing) -> Part:
        """The density of the columns at these places (q,), alpha (q,) being seen before."""

    @abstractmethod
    def scores_without(
        self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing, part: Part, rows: LeftOut
    ) -> tuple[Array, NDArray[np.bool_]]:
        """What the columns add to the scores (n, K) of rows left out, and the rows that must be recomputed."""


class NumericColumns(RoleColumns):
    """Gaussians."""

    def density(self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing) -> Part:
        """Means and smoothed variances."""
        return smoothing.density(statistic.numbers(places), beside_others=len(places) < statistic.n_features)

    def scores_without(
        self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing, part: Part, rows: LeftOut
    ) -> tuple[Array, NDArray[np.bool_]]:
        """As in Gaussian naive Bayes."""
        assert isinstance(part, DiagonalGaussian)
        return smoothing.scores_without(statistic.numbers(places), part.used, rows.X, rows.own, rows.taken)


class CellColumns(RoleColumns):
    """Columns whose estimate in a class hangs on the sum and the number of its cells there."""

    @abstractmethod
    def log_own(self, X: Array, sums: Array, seen: Array, alpha: Array) -> Array:
        """log p of cells (n, q) up to what all classes share, given sums and weights (n, q) of their class."""

    def scores_without(
        self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing, part: Part, rows: LeftOut
    ) -> tuple[Array, NDArray[np.bool_]]:
        """The scores, those of a row's own class from its sums without it."""
        moments = statistic.numbers(places)
        X = np.where(np.isnan(rows.X), 0.0, rows.X)
        gone = np.where(np.isnan(rows.X), 0.0, rows.taken[:, None])
        sums = (moments.mean * moments.seen)[rows.own]
        left = sums - gone * X
        left[left <= 1e-12 * sums] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            own = self.log_own(X, left, moments.seen[rows.own] - gone, alpha)
        scores = part.log_ratio(rows.X)
        scores[np.arange(len(X)), rows.own] = np.where(np.isnan(rows.X), 0.0, own).sum(axis=1)
        emptied = moments.seen[rows.own] - gone <= 1e-9 * moments.seen[rows.own]
        return scores, np.asarray(emptied.any(axis=1))


class BinaryColumns(CellColumns):
    """Shares of ones."""

    def density(self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing) -> Part:
        """Smoothed shares; even where a class has no cell and nothing is added."""
        moments = statistic.numbers(places)
        rows = moments.seen + 2 * alpha
        shares = np.divide(moments.mean * moments.seen + alpha, rows, out=np.full_like(rows, 0.5), where=rows > 0)
        warn_of_zeros(
            np.concatenate([shares == 0, shares == 1]), lambda: column_names(moments.feature_names, len(places))
        )
        return Bernoulli(np.clip(shares, 0.0, 1.0), 0.5)

    def log_own(self, X: Array, sums: Array, seen: Array, alpha: Array) -> Array:
        """log p of a cell."""
        share = (sums + alpha) / (seen + 2 * alpha)
        return np.asarray(np.log(np.where(X > 0.5, share, 1 - share)))


class CountColumns(CellColumns):
    """Mean counts."""

    def density(self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing) -> Part:
        """Smoothed rates."""
        moments = statistic.numbers(places)
        rows = moments.seen + alpha
        rates = np.divide(moments.mean * moments.seen + alpha, rows, out=np.zeros_like(rows), where=rows > 0)
        warn_of_zeros(rates == 0, lambda: column_names(moments.feature_names, len(places)))
        return Poisson(rates)

    def log_own(self, X: Array, sums: Array, seen: Array, alpha: Array) -> Array:
        """log p of a cell, its factorial apart."""
        rate = (sums + alpha) / (seen + alpha)
        return np.asarray(np.where(X > 0, X * np.log(rate), 0.0) - rate)


class CategoryColumns(RoleColumns):
    """Shares of categories."""

    def density(self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing) -> Part:
        """Smoothed shares, and that of a category never met: what is added to each."""
        tables, starts = [], [0]
        K = len(statistic.classes)
        zero, names = [], []
        called = column_names(statistic.feature_names, statistic.n_features)
        for j, added in zip(places.tolist(), alpha.tolist(), strict=True):
            levels = statistic.of_column(j).tolist()
            counts = statistic.counts[:, statistic.starts[j] : statistic.starts[j + 1]]
            shares = category_shares(np.column_stack([counts, np.zeros(K)]), counts.sum(axis=1), len(levels), added)
            tables.append(shares.T)
            starts.append(starts[-1] + len(levels) + 1)
            zero.append(shares[:, :-1] == 0)
            names += [f"{called[j]}={level}" for level in levels]
        warn_of_zeros(np.concatenate(zero, axis=1), lambda: names)
        return Categories(np.concatenate(tables), np.array(starts, dtype=np.intp))

    def scores_without(
        self, statistic: ColumnSummaries, places: Rows, alpha: Array, smoothing: Smoothing, part: Part, rows: LeftOut
    ) -> tuple[Array, NDArray[np.bool_]]:
        """The scores, those of a row's own class from its counts without it.

        A row without which a category is gone leaves other tables behind, so it is recomputed.
        """
        scores, n = part.log_ratio(rows.X), len(rows.X)
        own_scores, unsure = np.zeros(n), np.zeros(n, dtype=bool)
        for c, (j, added) in enumerate(zip(places.tolist(), alpha.tolist(), strict=True)):
            there = ~np.isnan(rows.X[:, c])
            cell, own, taken = rows.X[there, c].astype(np.intp), rows.own[there], rows.taken[there]
            counts = statistic.counts[:, statistic.starts[j] : statistic.starts[j + 1]]
            before, total = counts[own, cell], counts.sum(axis=1)[own]
            left = np.where(before - taken <= 1e-12 * before, 0.0, before - taken)
            share = category_shares(left[:, None], total - taken, counts.shape[1], added)[:, 0]
            with np.errstate(divide="ignore"):
                own_scores[there] += np.log(share)
            in_all = counts.sum(axis=0)[cell]
            unsure[there] |= (in_all - taken <= 1e-9 * in_all) | (total - taken <= 1e-9 * total)
        scores[np.arange(n), rows.own] = own_scores
        return scores, unsure


def category_shares(counts: Array, total: Array, levels: int, added: float) -> Array:
    """(m, c) shares of counts (m, c) among totals (m,), `added` to each of so many levels; even where nothing is known.

    Examples
    --------
    >>> category_shares(np.array([[3.0, 0.0]]), np.array([3.0]), 2, 1.0).tolist()
    [[0.8, 0.2]]
    """
    whole = (total + added * levels)[:, None]
    even = np.full(counts.shape, 1.0 / max(levels, 1))
    return np.asarray(np.divide(counts + added, whole, out=even, where=whole > 0))


ROLE_COLUMNS: dict[str, RoleColumns] = {
    NUMERIC: NumericColumns(),
    CATEGORY: CategoryColumns(),
    COUNT: CountColumns(),
    BINARY: BinaryColumns(),
}
