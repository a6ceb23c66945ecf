"""Naive Bayes: columns that go their own way within a class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.scale import VARIANCE_FLOOR, ColumnScale, column_scale
from distinguo.covariance.shapes import varying_columns, warn_left_out
from distinguo.densities.diagonal import DiagonalGaussian
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive, LeavesOneOut, Mergeable
from distinguo.generative.description import Description
from distinguo.rows.base import Batch
from distinguo.statistics.diagonal import ColumnMoments, DiagonalMoments, diagonal_of
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


class GaussianNB(
    Mergeable[DiagonalMoments, DiagonalGaussian],
    Descriptive[DiagonalMoments, DiagonalGaussian],
    LeavesOneOut[DiagonalMoments, DiagonalGaussian],
):
    r"""Naive Bayes with Gaussian columns: :math:`p(x | k) = \prod_j N(x_j; \mu_{kj}, \sigma^2_{kj})`.

    Missing cells are skipped, at fit and at predict: a row is judged by the columns it has. Variances have the
    maximum-likelihood divisor. Probabilities are too sure of themselves where columns are correlated.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    shared_variance : whether a column has one variance for all classes; the posterior is then logistic in an
        affine function of the row.
    var_smoothing : added to each variance, as a share of that column's total variance.
    prior : pseudo-rows from `distinguo.pseudo_rows`, added before estimation.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_ : (K, p)
    variances_ : (K, p), smoothed.
    n_parameters_ : 2Kp, or Kp + p with a shared variance.

    Examples
    --------
    >>> model = GaussianNB().fit([[0.0, 1.0], [1.0, float("nan")], [5.0, 6.0], [6.0, 5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[float("nan"), 5.5]]).tolist()
    ['b']

    References
    ----------
    Ng and Jordan (2001), On discriminative vs. generative classifiers, for the shared variance.
    """

    def __init__(
        self,
        priors: Any = None,
        *,
        shared_variance: bool = False,
        var_smoothing: float = 1e-9,
        prior: ClassMoments | None = None,
    ) -> None:
        self.priors = priors
        self.shared_variance = shared_variance
        self.var_smoothing = var_smoothing
        self.prior = prior

    def _spec(self) -> ColumnMoments:
        return ColumnMoments()

    def _pseudo_rows(self, prior: ClassMoments) -> DiagonalMoments:
        if not isinstance(prior, ClassMoments) or prior.is_pooled:
            raise InputError(f"prior must be made by distinguo.pseudo_rows; it is {type(prior).__name__}.")
        return diagonal_of(prior)

    def _density(self, statistic: DiagonalMoments, priors: Array) -> DiagonalGaussian:
        scale = _scale(statistic)
        names = statistic.feature_names
        unseen = (statistic.seen == 0).any(axis=0)
        if unseen.any():
            warn_left_out(f"{int(unseen.sum())} column(s) of which a class has no value", names, np.flatnonzero(unseen))
        used = np.zeros(statistic.n_features, dtype=bool)
        used[varying_columns(replace(scale, constant=scale.constant & ~unseen), names)] = True
        used &= ~unseen
        if not used.any():
            raise InputError("no column is left: each is constant, or has no value in some class.")
        return DiagonalGaussian(statistic.mean, self._variances(statistic, scale), used)

    def _variances(self, statistic: DiagonalMoments, scale: ColumnScale) -> Array:
        """(K, p) smoothed variances."""
        if not isinstance(self.shared_variance, bool | np.bool_):
            raise InputError(f"shared_variance={self.shared_variance!r} must be True or False.")
        if not self.shared_variance:
            variances = _ratio(statistic.squares, statistic.seen)
        else:
            shared = _ratio(statistic.squares.sum(axis=0), statistic.seen.sum(axis=0))
            variances = np.tile(shared, (len(statistic.classes), 1))
        return np.maximum(variances + self._smoothing() * scale.floor / VARIANCE_FLOOR, scale.floor)

    def _smoothing(self) -> float:
        share = self.var_smoothing
        is_number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
        if not is_number or not 0 <= share < np.inf:
            raise InputError(f"var_smoothing={share!r} must be a number of at least 0.")
        return float(share)

    @property
    def means_(self) -> Array:
        """(K, p) means of the cells that were there, in the units of the columns."""
        return self._describe().spread_classes(self._describe().density.means)

    @property
    def variances_(self) -> Array:
        """(K, p) smoothed variances, in squared units of the columns."""
        return self._describe().spread_classes(self._describe().density.variances)

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means and K variances a column, or one variance."""
        K, p = self._describe().statistic.mean.shape
        return int(K * p + (p if self.shared_variance else K * p))

    def _scores_without(
        self, description: Description[DiagonalMoments, DiagonalGaussian], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Means, variances and smoothing of every row's own class, with the row's cells taken out."""
        statistic, used = description.statistic, description.density.used
        n, K = len(batch.X), len(statistic.classes)
        own = (np.cumsum(description.active) - 1)[batch.codes]
        without = _Without(statistic, batch.X, own, taken)
        smoothing = self._smoothing() * without.total_variance
        floor = VARIANCE_FLOOR * without.total_variance
        scores = np.empty((n, K))
        with np.errstate(divide="ignore", invalid="ignore"):
            for k in range(K):
                variance = without.shared if self.shared_variance else without.variance(k)
                variance = np.maximum(variance + smoothing, floor)
                terms = (batch.X - without.mean(k)) ** 2 / variance + np.log(2 * np.pi * variance)
                scores[:, k] = -0.5 * np.where(used & ~np.isnan(batch.X), terms, 0.0).sum(axis=1)
            scores = description.spread(scores, -np.inf) + np.log(description.priors)
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
