"""How far apart two rows are, as a table of names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.rows.matrix import Matrix, squared_lengths

Array = NDArray[np.float64]

# Rounding leaves unit vectors of one direction this far apart, squared.
SAME_DIRECTION = 1e-30


@dataclass(frozen=True)
class Metric:
    """A distance that depends on the difference of two rows.

    Attributes
    ----------
    length : (n,) distances behind differences (n, p).
    searched_as : scikit-learn's name of the metric under which an index is searched; None where every row is looked at.
    algorithms : the searches there are.
    from_searched : from the searched metric's distance to this one.
    unit : whether rows are brought to length one first.
    holes : whether cells may be missing.
    sparse : whether it takes sparse rows.
    """

    length: Callable[[Any], Array]
    searched_as: str | None
    algorithms: tuple[str, ...]
    from_searched: Callable[[Array], Array] = lambda distance: distance
    unit: bool = False
    holes: bool = False
    sparse: bool = False


def _euclidean(difference: Matrix) -> Array:
    return np.asarray(np.sqrt(squared_lengths(difference)))


def _manhattan(difference: Any) -> Array:
    return np.asarray(abs(difference).sum(axis=1), np.float64).ravel()


def _chebyshev(difference: Array) -> Array:
    return np.asarray(np.abs(difference).max(axis=1))


def _cosine(chord: Matrix) -> Array:
    """One less the cosine, from the chord between points of the unit sphere: exact where 1 - u'v would cancel."""
    squared = squared_lengths(chord)
    return np.where(squared > SAME_DIRECTION, squared / 2, 0.0)


def _nan_euclidean(difference: Array) -> Array:
    """From the cells that both rows have, as if the others differed as much; infinite where there are none."""
    known = ~np.isnan(difference)
    squared = squared_lengths(np.where(known, difference, 0.0))
    both = known.sum(axis=1)
    return np.sqrt(np.where(both > 0, squared * (difference.shape[1] / np.maximum(both, 1)), np.inf))


def _hamming(difference: Array) -> Array:
    return np.asarray((difference != 0).mean(axis=1))


INDEXED = ("brute", "kd_tree", "ball_tree")
METRICS: dict[str, Metric] = {
    "euclidean": Metric(_euclidean, "euclidean", INDEXED, sparse=True),
    "manhattan": Metric(_manhattan, "manhattan", INDEXED, sparse=True),
    "chebyshev": Metric(_chebyshev, "chebyshev", INDEXED),
    "cosine": Metric(_cosine, "euclidean", INDEXED, lambda chord: chord**2 / 2, unit=True, sparse=True),
    "hamming": Metric(_hamming, None, ("brute",)),
    "nan_euclidean": Metric(_nan_euclidean, None, ("brute",), holes=True),
}


def on_unit_sphere(rows: Matrix, what: str) -> Matrix:
    """The rows over their lengths.

    Raises
    ------
    InputError
        If a row is zero: it has no direction. `what` says which rows these are.
    """
    lengths = np.sqrt(squared_lengths(rows))
    if not lengths.all():
        row = int(np.flatnonzero(lengths == 0)[0])
        raise InputError(
            f"{what} {row} is zero in every column, and metric='cosine' compares directions: a row of zeros has none. "
            "Leave such rows out, or use another metric."
        )
    return scaled_rows(rows, 1 / lengths)


def scaled_rows(rows: Matrix, by: Array) -> Matrix:
    """Rows times numbers (n,)."""
    if isinstance(rows, np.ndarray):
        return rows * by[:, None]
    return _with_data(rows, rows.data * np.repeat(by, np.diff(rows.indptr)))


def scaled_columns(rows: Matrix, by: Array | None) -> Matrix:
    """Columns times numbers (p,); None leaves them."""
    if by is None:
        return rows
    if isinstance(rows, np.ndarray):
        return rows * by
    return _with_data(rows, rows.data * by[rows.indices])


def _with_data(rows: sparse.csr_array, data: Array) -> sparse.csr_array:
    """Other numbers in the same cells, in order: a product would leave them in any, and searches need it."""
    return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
