"""What one pass over the rows says before any likelihood is looked at: classes, centres, spreads, dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.covariance.factor import factorise
from distinguo.covariance.scale import column_scale
from distinguo.covariance.shapes import shared_factor, varying_columns
from distinguo.linear.coordinates import Basis, Columns, Coordinates, Directions, contrasts
from distinguo.rows.base import Source
from distinguo.rows.labels import refuse_one_class
from distinguo.rows.matrix import LabelledMatrix
from distinguo.statistics.diagonal import ColumnMoments, DiagonalMoments
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]
# Dependencies between more columns than this are not looked for: their matrix would not fit.
MOST_DEPENDENT = 3000


@dataclass(frozen=True, eq=False)
class Scaling:
    """Classes and columns, as the solvers start from them.

    Attributes
    ----------
    classes : (K,) sorted labels, all with rows.
    names : (p,) or None.
    weight : (K,) rows of each class.
    centre : (p,) about which scores are taken: the mean of all rows, or zero.
    deviation : (p,) of all rows about their mean; zero for a column without spread.
    basis : of the normals, in which the rows have variance one, uncorrelated where that was asked for.
    intercept : whether there is one.
    """

    classes: NDArray[Any]
    names: NDArray[Any] | None
    weight: Array
    centre: Array
    deviation: Array
    basis: Basis
    intercept: bool

    @property
    def coordinates(self) -> Coordinates:
        """Where likelihoods are climbed."""
        return Coordinates(self.centre, self.basis, contrasts(len(self.classes)), self.intercept)


def scaling_of(source: Source, *, uncorrelated: bool, intercept: bool) -> Scaling:
    """The scaling of a source's rows, in one pass.

    Parameters
    ----------
    source : the rows.
    uncorrelated : whether dependent columns are to be found, with a warning, and taken together in directions; else
        every column stands for itself.
    intercept : whether scores are taken about the mean.

    Raises
    ------
    InputError
        If there is one class only, every column is constant, or numbers are too large to square.
    """
    if uncorrelated:
        moments = source.aggregate(Moments("pooled")).in_order()
        refuse_one_class(moments.classes)
        basis = _directions(moments) if intercept else _raw_directions(moments)
        return _scaling(moments, moments.class_squares, basis, intercept)
    columns = source.aggregate(ColumnMoments()).in_order()
    refuse_one_class(columns.classes)
    return _scaling(columns, columns.squares, None, intercept)


def _scaling(moments: ClassMoments | DiagonalMoments, squares: Array, basis: Basis | None, intercept: bool) -> Scaling:
    """Centres and spreads; without a basis, that of the columns themselves."""
    weight, mean = moments.weight, moments.mean
    scale = column_scale(weight[:, None], mean, squares)
    if basis is None and intercept:
        varying_columns(scale, moments.feature_names)  # warns of the others, as directions do
    centre, total = _total(weight, mean, squares)
    deviation = np.where(scale.constant, 0.0, np.sqrt(total / weight.sum()))
    return Scaling(
        moments.classes,
        moments.feature_names,
        weight,
        centre if intercept else np.zeros_like(centre),
        deviation,
        columns_of(deviation if intercept else np.sqrt(deviation**2 + centre**2)) if basis is None else basis,
        intercept,
    )


def columns_of(size: Array) -> Columns:
    """Every column on its own, divided by its size (p,); those of size zero take no part."""
    return Columns(np.divide(1.0, size, out=np.zeros_like(size), where=size > 0))


def _total(weight: Array, mean: Array, squares: Array) -> tuple[Array, Array]:
    """The mean (p,) of all rows, and the sums of squares (p,) about it."""
    centre = weight @ mean / weight.sum()
    return np.asarray(centre), np.asarray(squares.sum(axis=0) + weight @ (mean - centre) ** 2)


def _directions(moments: ClassMoments) -> Directions:
    """Uncorrelated directions of all rows about their mean; a warning names columns that are left out."""

    def total(kept: ClassMoments) -> Array:
        weight, mean = kept.weight, kept.mean
        offset = mean - weight @ mean / weight.sum()
        return np.asarray((kept.within + (weight[:, None] * offset).T @ offset) / weight.sum())

    factor = shared_factor(moments, total)
    return Directions(factor.whiten, factor.colour)


def _raw_directions(moments: ClassMoments) -> Directions:
    """Uncorrelated directions of all rows about the origin."""
    weight, mean = moments.weight, moments.mean
    factor = factorise((moments.within + (weight[:, None] * mean).T @ mean) / weight.sum())
    return Directions(factor.whiten, factor.colour)


def scaling_of_sparse(rows: LabelledMatrix, *, intercept: bool) -> Scaling:
    """The scaling of sparse rows; they are not centred, for that would make them dense."""
    refuse_one_class(rows.classes)
    total = rows.weight.sum()
    mean = np.asarray(rows.weight @ rows.X) / total
    squares = np.asarray(rows.weight @ sparse.csr_array(rows.X).power(2)) / total
    deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
    size = np.sqrt(squares)
    deviation[deviation <= 1e-7 * size] = 0.0
    weight = np.bincount(rows.codes, rows.weight, len(rows.classes)).astype(np.float64)
    return Scaling(rows.classes, rows.names, weight, np.zeros_like(mean), deviation, columns_of(size), intercept)
