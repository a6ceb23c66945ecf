"""Gaussian columns of naive Bayes: their variances, smoothed, and what a row left out changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.scale import VARIANCE_FLOOR, ColumnScale, column_scale
from distinguo.covariance.shapes import varying_columns, warn_left_out
from distinguo.densities.diagonal import DiagonalGaussian
from distinguo.exceptions import InputError
from distinguo.options import truth
from distinguo.statistics.diagonal import DiagonalMoments

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Smoothing:
    """How variances are estimated.

    Attributes
    ----------
    share : of each column's total variance, added to its variances.
    shared : whether a column has one variance for all classes.
    """

    share: float
    shared: bool

    @classmethod
    def of(cls, share: Any, shared: Any = False) -> Smoothing:
        """The options of a model, checked."""
        is_number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
        if not is_number or not 0 <= share < np.inf:
            raise InputError(f"var_smoothing={share!r} must be a number of at least 0.")
        return cls(float(share), truth(shared, "shared_variance"))

    def density(self, statistic: DiagonalMoments, beside_others: bool = False) -> DiagonalGaussian:
        """The classes; columns that tell nothing take no part, with a warning; beside others even all of them."""
        scale = _scale(statistic)
        names = statistic.feature_names
        unseen = (statistic.seen == 0).any(axis=0)
        if unseen.any():
            warn_left_out(f"{int(unseen.sum())} column(s) of which a class has no value", names, np.flatnonzero(unseen))
        used = np.zeros(statistic.n_features, dtype=bool)
        constant = scale.constant & ~unseen
        if beside_others and constant.all():
            warn_left_out(f"{len(constant)} constant column(s)", names, np.arange(len(constant)))
        else:
            used[varying_columns(replace(scale, constant=constant), names)] = True
        used &= ~unseen
        return DiagonalGaussian(statistic.mean, self._variances(statistic, scale), used)

    def _variances(self, statistic: DiagonalMoments, scale: ColumnScale) -> Array:
        """(K, p) smoothed variances."""
        if not self.shared:
            variances = _ratio(statistic.squares, statistic.seen)
        else:
            shared = _ratio(statistic.squares.sum(axis=0), statistic.seen.sum(axis=0))
            variances = np.tile(shared, (len(statistic.classes), 1))
        return np.maximum(variances + self.share * scale.floor / VARIANCE_FLOOR, scale.floor)

    def scores_without(
        self, statistic: DiagonalMoments, used: NDArray[np.bool_], X: Array, own: NDArray[np.intp], taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """log p(x | class), (n, K), of rows each left out of its own class, and the rows that must be recomputed.

        Means, variances and smoothing are those without the row's cells, weighing `taken`.
        """
        n, K = len(X), len(statistic.classes)
        without = _Without(statistic, X, own, taken)
        smoothing = self.share * without.total_variance
        floor = VARIANCE_FLOOR * without.total_variance
        scores = np.empty((n, K))
        with np.errstate(divide="ignore", invalid="ignore"):
            for k in range(K):
                variance = without.shared if self.shared else without.variance(k)
                variance = np.maximum(variance + smoothing, floor)
                terms = (X - without.mean(k)) ** 2 / variance + np.log(2 * np.pi * variance)
                scores[:, k] = -0.5 * np.where(used & ~np.isnan(X), terms, 0.0).sum(axis=1)
        return scores, without.degenerate(used)


def _ratio(a: Array, b: Array) -> Array:
    return np.asarray(np.divide(a, b, out=np.zeros_like(a), where=b > 0))


def _scale(statistic: DiagonalMoments) -> ColumnScale:
    return column_scale(statistic.seen, statistic.mean, statistic.squares)


class _Without:
    """Means and variances of classes, one row at a time taken out of its own class; (n, p) throughout."""

    def __init__(self, statistic: DiagonalMoments, X: Array, own: NDArray[np.intp], taken: Array) -> None:
        self.statistic = statistic
        self.own = own
        there = ~np.isnan(X)
        weight = np.where(there, taken[:, None], 0.0)
        before = statistic.seen[own]
        self.seen = before - weight
        deviation = np.where(there, X - statistic.mean[own], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            gone = np.where(weight > 0, weight / self.seen, 0.0)
            self.own_mean = statistic.mean[own] - gone * deviation
            self.own_squares = np.maximum(statistic.squares[own] - before * gone * deviation**2, 0.0)
            self._count_all(statistic, X, there, weight)

    def _count_all(self, statistic: DiagonalMoments, X: Array, there: NDArray[np.bool_], weight: Array) -> None:
        """Total and shared variance of the rows left."""
        seen = statistic.seen.sum(axis=0)
        centre = _ratio((statistic.seen * statistic.mean).sum(axis=0), seen)
        within = statistic.squares.sum(axis=0)
        whole = within + (statistic.seen * (statistic.mean - centre) ** 2).sum(axis=0)
        left = seen - weight
        gone = seen * weight / left * np.where(there, X - centre, 0.0) ** 2
        self.total_variance = np.maximum(whole - gone, 0.0) / left
        self.shared = np.maximum(within - statistic.squares[self.own] + self.own_squares, 0.0) / left
        self.whole = whole

    def mean(self, k: int) -> Array:
        """(n, p) means of class k."""
        return np.asarray(np.where((self.own == k)[:, None], self.own_mean, self.statistic.mean[k]))

    def variance(self, k: int) -> Array:
        """(n, p) variances of class k."""
        own = np.divide(self.own_squares, self.seen)
        others = _ratio(self.statistic.squares[k], self.statistic.seen[k])
        return np.where((self.own == k)[:, None], own, others)

    def degenerate(self, used: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(n,) rows without which a column or a class is gone, or all but gone; those are recomputed."""
        emptied = self.seen <= 1e-9 * self.statistic.seen[self.own]
        seen = self.statistic.seen.sum(axis=0)
        vanished = self.total_variance * seen <= 1e-9 * self.whole
        return np.asarray(((emptied | vanished) & used).any(axis=1))
