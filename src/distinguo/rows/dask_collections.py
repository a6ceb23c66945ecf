"""Dask arrays and data frames, labels and weights beside rows: what belongs to one partition brought together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from numbers import Real
from typing import Any

import dask
import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.columns import columns_of
from distinguo.rows.frames import check_known
from distinguo.rows.labels import label_array
from distinguo.rows.remote_parts import PartRows
from distinguo.rows.tables import as_table, text_names
from distinguo.rows.validation import check_lengths

ARRAY, FRAME = "array", "dataframe"
Lengths = tuple[int, ...]


@dataclass(frozen=True)
class Collections:
    """Rows, and beside them labels and weights, each a collection of the same partitions.

    Attributes
    ----------
    X : (n, p) dask array or data frame.
    y : (n,) dask array or Series.
    weight : (n,) dask array or Series, or one number, or None.
    """

    X: Any
    y: Any
    weight: Any

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any) -> Collections:
        """From the arguments of fit.

        Raises
        ------
        InputError
            If labels or weights cannot be told to be those of the rows of X.
        InputTypeError
            If X is neither array nor data frame.
        """
        if library_of(X) not in {ARRAY, FRAME}:
            raise InputTypeError(f"X is a dask {type(X).__name__}; it must be a dask array or a dask data frame.")
        if X.ndim != 2:
            raise InputError(
                f"Expected 2D array, got {X.ndim}D array instead: X is a dask {type(X).__name__}. X.to_frame() of a "
                "Series, or X[:, None] of an array, is a table of one column."
            )
        if y is None:
            raise InputError(
                "fit requires y to be passed, but the target y is None; give labels of the same partitions as X, or "
                "the name of a column of a data frame."
            )
        if library_of(X) == FRAME:
            X, y, weight = _without_roles(X, y, weight)
        else:
            X = _of_whole_rows(X)
        is_one = weight is None or isinstance(weight, Real)
        return cls(X, _beside(X, y, "y"), weight if is_one else _beside(X, weight, "sample_weight"))

    @property
    def names(self) -> NDArray[Any] | None:
        """(p,) names of the columns, where all are text."""
        return text_names(list(self.X.columns)) if library_of(self.X) == FRAME else None

    @property
    def lengths(self) -> Lengths | None:
        """How many rows each partition has, where that is known."""
        return _lengths(self.X)

    def check(self, words: bool) -> None:
        """Raise where columns are of types that are no numbers, nor `words` where these may be; before any is read."""
        X = self.X
        (columns_of if words else as_table)(X._meta if library_of(X) == FRAME else np.zeros((1, X.shape[1]), X.dtype))

    def each(self, work: Callable[[PartRows], Any]) -> list[Any]:
        """Of each partition the result of a function of its rows, delayed.

        Partitions are read and worked on in one task, where dask can tell, so that no rows wait between the two, to be
        sent elsewhere; and what X and y are both made of is made once.
        """
        given, count = (self.X, self.y, self.weight), partial(_counted, work)
        found = {library_of(value) for value in given if _is_cut(value)}
        if found == {FRAME}:
            return _of_frames(count, *given)
        if found == {ARRAY}:
            return _of_arrays(count, *given)
        beside = (np.ravel(value.to_delayed()) if _is_cut(value) else repeat(value) for value in given)
        return [dask.delayed(count)(*parts) for parts in zip(*beside, strict=False)]


def library_of(value: Any) -> str:
    """The part of dask that a collection comes from, such as "array"; empty text for anything else."""
    library, _, rest = type(value).__module__.partition(".")
    return rest.partition(".")[0] if library == "dask" else ""


def _without_roles(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Features, labels and weights, where the last two may be names of columns."""
    names = list(X.columns)
    roles = {role: name for role, name in (("the target", y), ("the weight", weight)) if isinstance(name, str)}
    for role, name in roles.items():
        check_known(name, names, role)
    if len(set(roles.values())) < len(roles):
        raise InputError(f"{y!r} cannot be both target and weight.")
    features = X[[name for name in names if name not in roles.values()]] if roles else X
    return features, *(X[value] if isinstance(value, str) else value for value in (y, weight))


def _of_whole_rows(X: Any) -> Any:
    """An array whose chunks are rows of all columns."""
    if math.isnan(X.shape[1]):
        raise InputError("X is a dask array that does not know how many columns it has; call X.compute_chunk_sizes().")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _beside(X: Any, value: Any, what: str) -> Any:
    """Labels or weights as a collection of the same partitions as X."""
    library, lengths = library_of(value), _lengths(X)
    if library not in {ARRAY, FRAME}:
        return _dealt(value, lengths, what)
    if value.ndim == 2 and value.shape[1] == 1:
        value = value[:, 0] if library == ARRAY else value[value.columns[0]]
    if value.ndim != 1:
        raise InputError(f"{what} must be one column, of shape (n,); it is a dask {type(value).__name__} of more.")
    own = _lengths(value)
    if lengths is not None and own is not None:
        check_lengths(sum(lengths), sum(own))
        return value.rechunk((lengths,))
    if _count(value) != _count(X) or _divided_otherwise(value, X):
        raise InputError(
            f"X has {_count(X)} partitions and {what} {_count(value)}, and they cannot be told to hold the same rows. "
            "Take both from one collection, or divide them alike: compute_chunk_sizes() of arrays, "
            f"{what}.repartition(divisions=X.divisions) of data frames."
        )
    return value


def _dealt(value: Any, lengths: Lengths | None, what: str) -> Any:
    """What is in memory, cut as the rows are."""
    import dask.array as da

    if isinstance(value, str):
        raise InputError(f"{what}={value!r} names a column, and a dask array has none; give an array of the same rows.")
    if lengths is None:
        raise InputError(
            f"{what} is a {type(value).__name__} in memory, and X does not know how many rows its partitions have. "
            f"Give {what} as a dask array or Series of the same partitions, or as the name of a column of a data "
            "frame; or call X.compute_chunk_sizes() of an array."
        )
    values = label_array(value)
    check_lengths(sum(lengths), len(values))
    return da.from_array(values, chunks=(lengths,))


def _lengths(value: Any) -> Lengths | None:
    """How many rows the chunks of an array have, where that is known."""
    if library_of(value) != ARRAY or any(math.isnan(rows) for rows in value.chunks[0]):
        return None
    return tuple(value.chunks[0])


def _count(value: Any) -> int:
    """How many partitions there are, of rows."""
    return int(value.numblocks[0] if library_of(value) == ARRAY else value.npartitions)


def _divided_otherwise(value: Any, X: Any) -> bool:
    """Whether two frames are known to have other rows in their partitions."""
    if library_of(value) != FRAME or library_of(X) != FRAME:
        return False
    return bool(value.known_divisions and X.known_divisions and value.divisions != X.divisions)


def _is_cut(value: Any) -> bool:
    """Whether a value is in partitions, rather than one for all of them."""
    return library_of(value) != ""


def _counted(work: Callable[[PartRows], Any], X: Any, y: Any, weight: Any) -> Any:
    """A task: what a function makes of the rows of a partition."""
    return work(PartRows(X, y, weight))


def _of_frames(task: Callable[..., Any], X: Any, y: Any, weight: Any) -> list[Any]:
    from dask.dataframe import map_partitions

    nothing = (None, "object")
    parts = map_partitions(task, X, y, weight, align_dataframes=False, enforce_metadata=False, meta=nothing)
    return list(parts.to_delayed())


def _of_arrays(task: Callable[..., Any], X: Any, y: Any, weight: Any) -> list[Any]:
    from dask.array import blockwise

    beside = [part for value in (y, weight) for part in (value, "i" if _is_cut(value) else None)]
    nothing = np.empty((0, 0), dtype=object)
    parts = blockwise(task, "ij", X, "ij", *beside, dtype=object, meta=nothing, align_arrays=False)
    return list(np.ravel(parts.to_delayed()))
