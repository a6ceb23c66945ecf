"""The spread of columns: which are constant, which decide alone, and the least variance each is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]

# A column varies within classes at least this share of its total variance, or it is taken to.
VARIANCE_FLOOR = 1e-12
# A column whose spread is within a few roundings of its size is constant.
CONSTANT = 8 * np.finfo(np.float64).eps
# And so is one whose variance has too few digits left to divide by.
LEAST_VARIANCE = np.finfo(np.float64).tiny / VARIANCE_FLOOR


@dataclass(frozen=True)
class ColumnScale:
    """What the spread of each column says before any matrix is factorised.

    Attributes
    ----------
    constant : (p,) the same in every row; takes no part.
    floor : (p,) the least within-class variance a column is given, in squared units.
    deciding : (p,) at the floor in every class but different between them.
    overflowing : (p,) of numbers too large to square.
    vanishing : (p,) that vary, by too little to square.
    """

    constant: NDArray[np.bool_]
    floor: Array
    deciding: NDArray[np.bool_]
    overflowing: NDArray[np.bool_]
    vanishing: NDArray[np.bool_]


def column_scale(weight: Array, mean: Array, squares: Array) -> ColumnScale:
    """Judge columns by their within-class and total variance.

    Parameters
    ----------
    weight : (K, 1) or (K, p) rows behind each mean.
    mean : (K, p)
    squares : (K, p) sums of squares by class, or (1, p) where they are pooled.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _judge(weight, mean, squares)


def _judge(weight: Array, mean: Array, squares: Array) -> ColumnScale:
    total = weight.sum(axis=0)
    centre = (weight * mean).sum(axis=0) / np.maximum(total, np.finfo(np.float64).tiny)
    between = (weight * (mean - centre) ** 2).sum(axis=0)
    variance = (squares.sum(axis=0) + between) / np.maximum(total, np.finfo(np.float64).tiny)
    size = np.where(weight > 0, np.abs(mean), 0.0).max(axis=0)
    overflowing = ~np.isfinite(variance)
    constant = (variance <= np.maximum((CONSTANT * size) ** 2, LEAST_VARIANCE)) & ~overflowing
    low, high = (np.where(weight > 0, mean, fill) for fill in (np.inf, -np.inf))
    spread = np.maximum(high.max(axis=0) - low.min(axis=0), np.sqrt(variance))
    vanishing = (variance <= LEAST_VARIANCE) & (spread > CONSTANT * size)
    floor = VARIANCE_FLOOR * variance
    at_floor = squares.sum(axis=0) <= floor * total
    return ColumnScale(constant, floor, at_floor & ~constant, overflowing, vanishing)


def moment_scale(moments: ClassMoments) -> ColumnScale:
    """The scale of the columns behind full or pooled moments."""
    return column_scale(moments.weight[:, None], moments.mean, moments.class_squares)
