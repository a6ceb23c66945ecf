"""Optimal scoring: from a regression of the classes to discriminant variates (Hastie, Tibshirani and Buja, 1994)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.shapes import warn_left_out
from distinguo.exceptions import InputError
from distinguo.rows.base import Batch
from distinguo.rows.gathered import Gathered, gather_batches
from distinguo.statistics.base import Spec, Statistic
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]
# From rows (n, p), responses (n, q) and frequencies (n,) to something with `predict`.
Regression = Callable[[Array, Array, Array], Any]
# Scores of which the regression explains less than this share say nothing; and it leaves at least this share of each.
LEAST_SHARE = 1e-8


def class_contrasts(weight: Array) -> Array:
    """Scores (K, K - 1) of mean zero, variance one and uncorrelated over rows of these frequencies (K,).

    Examples
    --------
    >>> class_contrasts(np.array([1.0, 1.0])).round(6).tolist()
    [[1.0], [-1.0]]
    """
    root = np.sqrt(weight / weight.sum())
    K = len(weight)
    helmert = np.zeros((K, K - 1))
    for k in range(1, K):  # one class against those before it, orthogonal under the frequencies
        helmert[:k, k - 1] = root[:k] * root[k]
        helmert[k, k - 1] = -(root[:k] @ root[:k])
    return np.asarray(helmert / np.linalg.norm(helmert, axis=0) / root[:, None])


@dataclass(frozen=True, eq=False)
class Scored(Statistic):
    """A regression of class scores on the columns, and what it makes of the rows it was fitted on.

    Attributes
    ----------
    moments : pooled, of the columns.
    regression : has `predict`, from rows (n, p) to contrasts (n, K - 1).
    contrasts : (K, K - 1) the scores that were regressed.
    means : (K, K - 1) class means of the fitted contrasts.
    """

    moments: ClassMoments
    regression: Any
    contrasts: Array
    means: Array

    @property
    def n_features(self) -> int:
        """Number of columns, p."""
        return self.moments.n_features

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        return {"weight": self.weight, "contrasts": self.contrasts, "means": self.means}

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> NoReturn:
        """A regression does not do without its columns."""
        raise InputError("a regression cannot be put in another order of columns; fit it again.")

    def merged(self, other: Self, sign: int) -> NoReturn:
        """Regressions do not add up."""
        raise InputError("regressions do not add up over rows; fit all rows together.")


@dataclass(frozen=True)
class OptimalScoring(Spec[Scored]):
    """Gather all rows, and regress class scores on their columns.

    Attributes
    ----------
    regression : how.
    """

    regression: Regression
    adds_up = False

    def reduce(self, batches: Iterable[Batch]) -> Scored:
        """The regression of all rows."""
        rows = gather_batches(batches)
        moments = rows.aggregate(Moments("pooled"))
        # Classes none of whose rows count are not among those of the moments.
        place = np.cumsum(np.bincount(rows.codes, minlength=len(rows.classes)) > 0) - 1
        codes = place[rows.codes]
        K = len(moments.classes)
        contrasts = class_contrasts(moments.weight)
        if K < 2:  # the model will say that one class is too few
            return Scored(moments.classes, rows.names, moments.weight, moments, None, contrasts, contrasts)
        _check_variation(rows)
        model = self.regression(rows.X, contrasts[codes], rows.weight)
        fitted = np.asarray(model.predict(rows.X), dtype=np.float64).reshape(len(rows.X), K - 1)
        if not np.isfinite(fitted).all():
            raise InputError("the regression predicts numbers that are not finite.")
        sums = np.zeros((K, K - 1))
        np.add.at(sums, codes, rows.weight[:, None] * fitted)
        means = sums / moments.weight[:, None]
        return Scored(moments.classes, rows.names, moments.weight, moments, model, contrasts, means)

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> NoReturn:
        """There is no regression of no rows."""
        raise InputError("there is no regression of no rows.")


def _check_variation(rows: Gathered) -> None:
    """Raise where every column is constant; a warning names those that are."""
    constant = (rows.X[0] == rows.X).all(axis=0)
    if constant.all():
        raise InputError("every column is constant; there is nothing to tell classes apart by.")
    if constant.any():
        warn_left_out(f"{int(constant.sum())} constant column(s)", rows.names, np.flatnonzero(constant))


@dataclass(frozen=True)
class Variates:
    r"""Discriminant variates, from fitted contrasts.

    Of the scores θ the regression explains best, :math:`\eta_\ell(x) \sqrt{w_\ell}` with
    :math:`w_\ell = 1 / (r_\ell^2 (1 - r_\ell^2))`, where :math:`r_\ell^2` is the mean squared residual.

    Attributes
    ----------
    scores : (K, L) optimal scores of the classes, of mean zero and variance one over the rows.
    residuals : (L,) r², ascending.
    rotate : (K - 1, L) from fitted contrasts to variates.
    shares : (K - 1,) of the between-class variance, descending.
    """

    scores: Array
    residuals: Array
    rotate: Array
    shares: Array


def variates(scored: Scored, divisor: float) -> Variates:
    r"""Solve the eigenproblem :math:`Y^\top \hat Y \theta = \lambda Y^\top Y \theta` without its constant score.

    Parameters
    ----------
    scored : a regression of contrasts.
    divisor : of the within-class covariance; the variates have variance one by it where the regression is a projection.
    """
    total = float(scored.weight.sum())
    explained = scored.contrasts.T @ (scored.weight[:, None] / total * scored.means)
    values, vectors = np.linalg.eigh((explained + explained.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1].copy()
    perfect = 1 - values <= LEAST_SHARE
    if perfect.any():  # equally good scores have no order of their own: they are put into echelon form
        vectors[:, perfect] = np.linalg.qr(vectors[:, perfect].T)[1].T
    told = values > LEAST_SHARE
    between = np.where(told, values, 0.0) / np.maximum(1 - values, LEAST_SHARE)
    if not told.any():
        told[0] = True  # nothing tells the classes apart; one variate says so
    explained_share = np.maximum(values[told], LEAST_SHARE)
    residuals = np.maximum(1 - values[told], LEAST_SHARE)
    rotate = vectors[:, told] * np.sqrt(divisor / total / (residuals * explained_share))
    shares = between / between.sum() if between.any() else between
    return Variates(scored.contrasts @ vectors[:, told], residuals, rotate, shares)


def signed(found: Variates) -> Variates:
    """The same with the largest score of each variate positive, so that signs do not hang on rounding."""
    largest = np.abs(found.scores).argmax(axis=0)
    signs = np.where(found.scores[largest, np.arange(found.scores.shape[1])] < 0, -1.0, 1.0)
    return replace(found, scores=found.scores * signs, rotate=found.rotate * signs)
