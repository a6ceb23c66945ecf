"""From moments to the shapes of classes: what cannot vary is left out or named, never inverted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import Factor, compose, embed, factorise
from distinguo.covariance.scale import ColumnScale, moment_scale
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from distinguo.rows.labels import label_text
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]
# A column takes part in a null direction when its loading there is above rounding.
LOADING = 1e-6


def column_names(names: NDArray[np.object_] | None, columns: NDArray[np.intp]) -> str:
    """Columns by name, or by number where they have none."""
    shown = [str(j) if names is None else repr(str(names[j])) for j in columns[:8]]
    return ", ".join(shown) + (f" and {len(columns) - 8} more" if len(columns) > 8 else "")


def warn_left_out(text: str, names: NDArray[np.object_] | None, columns: NDArray[np.intp]) -> None:
    """Warn that something takes no part, naming the columns."""
    warnings.warn(f"left out {text}: {column_names(names, columns)}.", LeftOutWarning, stacklevel=3)


def varying_columns(scale: ColumnScale, names: NDArray[np.object_] | None) -> NDArray[np.intp]:
    """The columns that are not constant; a warning names the others.

    Raises
    ------
    InputError
        If all are constant, or one holds numbers too large to square.
    """
    if scale.overflowing.any():
        raise InputError(
            f"numbers too large to square (beyond 1e150 or so) in the columns "
            f"{column_names(names, np.flatnonzero(scale.overflowing))}; give these columns larger units."
        )
    constant = scale.constant
    if constant.all():
        if scale.vanishing.any():
            raise InputError(
                f"numbers too small to square (below 1e-148 or so) in the columns "
                f"{column_names(names, np.flatnonzero(scale.vanishing))}; give these columns smaller units."
            )
        raise InputError(
            "every column is constant, or varies by less than the 16 digits of a number tell; there is nothing to tell "
            "classes apart by."
        )
    if scale.vanishing.any():
        text = "numbers too small to square (below 1e-148 or so; give them smaller units), as if constant column(s)"
        warn_left_out(text, names, np.flatnonzero(scale.vanishing))
    same = np.flatnonzero(constant & ~scale.vanishing)
    if len(same):
        warn_left_out(f"{len(same)} constant column(s)", names, same)
    return np.flatnonzero(~constant)


@dataclass(frozen=True)
class VaryingColumns:
    """Moments over the columns that vary, and what is known of those columns.

    Attributes
    ----------
    moments : over the q columns that vary.
    columns : (q,) where they stand among all p.
    p : all columns.
    floor : (q,) least within-class variances.
    deciding : (q,) columns that vary between classes only.
    """

    moments: ClassMoments
    columns: NDArray[np.intp]
    p: int
    floor: Array
    deciding: NDArray[np.bool_]

    def floored(self, covariance: Array, columns: NDArray[np.bool_]) -> Array:
        """The covariance with those columns given the least variance there is."""
        covariance = covariance.copy()
        diagonal = np.diag_indices_from(covariance)
        least = np.where(columns, self.floor, 0.0)
        covariance[diagonal] = np.maximum(covariance[diagonal], least)
        return covariance


def varying(moments: ClassMoments) -> VaryingColumns:
    """The columns of the moments that vary; a warning names the others."""
    scale = moment_scale(moments)
    columns = varying_columns(scale, moments.feature_names)
    p = moments.n_features
    if len(columns) < p:
        names = None if moments.feature_names is None else moments.feature_names[columns]
        moments = moments.take_features(columns, names)
    return VaryingColumns(moments, columns, p, scale.floor[columns], scale.deciding[columns])


def _involved(null: Array) -> NDArray[np.intp]:
    """The columns that take part in null directions."""
    return np.flatnonzero((null**2).sum(axis=1) > LOADING)


def _common_factor(covariance: Array, names: NDArray[np.object_] | None) -> Factor:
    """A pooled covariance's factor; a warning names the columns of directions in which nothing varies."""
    factor = factorise(covariance)
    if factor.null.shape[1]:
        text = f"{factor.null.shape[1]} direction(s) in which no class varies, of linearly dependent columns"
        warn_left_out(text, names, _involved(factor.null))
    return factor


def shared_factor(moments: ClassMoments, covariance: Callable[[ClassMoments], Array]) -> Factor:
    """The factor (over all p columns) of one shape for all classes.

    Parameters
    ----------
    moments : full or pooled.
    covariance : from moments over the columns that vary to their covariance.
    """
    kept = varying(moments)
    everywhere = np.ones(len(kept.columns), dtype=bool)
    matrix = kept.floored(covariance(kept.moments), everywhere)
    return embed(_common_factor(matrix, kept.moments.feature_names), kept.columns, kept.p)


def class_factors(
    moments: ClassMoments, covariances: Callable[[ClassMoments], Iterable[Array]], *, shrunk: bool
) -> tuple[Factor, ...]:
    """The factors (over all p columns) of a shape for each class, all of the same rank.

    Parameters
    ----------
    moments : full.
    covariances : from moments over the columns that vary to their K covariances (q, q).
    shrunk : whether the covariances are drawn towards a target, and so vary in every direction.

    Raises
    ------
    SingularCovarianceError
        If one of the classes does not vary in a direction in which others do.
    """
    kept = varying(moments)
    common = None
    if not shrunk:
        pooled = kept.floored(kept.moments.within / kept.moments.weight.sum(), kept.deciding)
        common = _common_factor(pooled, kept.moments.feature_names)
    factors = [_class_factor(kept, k, matrix, common) for k, matrix in enumerate(covariances(kept.moments))]
    return tuple(embed(factor, kept.columns, kept.p) for factor in factors)


def _class_factor(kept: VaryingColumns, k: int, covariance: Array, common: Factor | None) -> Factor:
    """One class's factor, in the coordinates that whiten the pooled covariance, where units are gone."""
    matrix = kept.floored(covariance, kept.deciding)
    flat = np.diagonal(matrix) < kept.floor
    if flat.any():
        raise _singular(kept, k, np.flatnonzero(flat))
    if common is None:
        factor = factorise(matrix)
        if factor.null.shape[1]:
            raise _singular(kept, k, _involved(factor.null))
        return factor
    whitened = common.whiten.T @ matrix @ common.whiten
    inner = factorise(whitened)
    if inner.null.shape[1]:
        # The combinations of columns that are constant, in standard deviations of each column.
        deviation = np.sqrt(np.maximum(np.diagonal(whitened), 0.0))
        combined = common.whiten @ (inner.null / np.where(deviation > 0, deviation, 1.0)[:, None])
        directions = combined * np.sqrt(np.diagonal(matrix))[:, None]
        raise _singular(kept, k, _involved(directions / np.abs(directions).max(axis=0)))
    return compose(common, inner)


def _singular(kept: VaryingColumns, k: int, columns: NDArray[np.intp]) -> SingularCovarianceError:
    """Which class, which columns, and what to do."""
    moments = kept.moments
    few = f" It has {moments.weight[k]:g} rows for {moments.n_features} columns." if _too_few(moments, k) else ""
    # Shrinkage towards the diagonal is of no use to a column that does not vary, and none is to a class without spread.
    spread = moments.class_squares[k]
    rule = "shrinkage='oas' or a number" if spread.all() else "a number for shrinkage"
    none = "No column varies in this class, so shrinkage is of no help: leave"
    advice = f"Use {rule}, leave" if spread.any() else none
    return SingularCovarianceError(
        f"the covariance of class {label_text(moments.classes[k])} is singular in the columns "
        f"{column_names(moments.feature_names, columns)}.{few} {advice} those columns out, or use "
        "RegularizedDiscriminantAnalysis (rda) or LinearDiscriminantAnalysis (lda), which pool the classes."
    )


def _too_few(moments: ClassMoments, k: int) -> bool:
    return bool(moments.weight[k] <= moments.n_features)
