"""The columns of any container, each as numbers or as words; words as numbers that point to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import is_missing
from distinguo.rows.tables import as_table, text_names

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Column:
    """One column, before anybody has said what it is for.

    Attributes
    ----------
    values : (n,) float64, NaN where a cell is missing: numbers, or places in `words`.
    words : the different cells of a column that is not all numbers; None for one that is.
    truth : whether the container says that these are truth values.
    """

    values: Array
    words: list[Any] | None
    truth: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """All columns of a table, and their names where all are text."""

    n: int
    names: NDArray[Any] | None
    columns: list[Column]

    @property
    def holes(self) -> bool:
        """Whether a cell is missing."""
        return any(bool(np.isnan(column.values).any()) for column in self.columns)


def columns_of(X: Any) -> Columns:
    """The columns behind X, whatever library it came from.

    Raises
    ------
    InputError
        If X is not two-dimensional, or a cell is neither number nor word.

    Examples
    --------
    >>> table = columns_of([["red", 1.5], ["blue", None]])
    >>> [(column.values.tolist(), column.words) for column in table.columns]
    [([0.0, 1.0], ['red', 'blue']), ([1.5, nan], None)]
    """
    adapter = _ADAPTERS.get(type(X).__module__.partition(".")[0], _from_anything)
    return adapter(X)


def _from_anything(X: Any) -> Columns:
    """Arrays and lists; what is all numbers is read as such."""
    array = X
    if isinstance(X, list | tuple):
        try:
            array = np.array(X, dtype=object)
        except ValueError:
            array = None
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    if kind not in "OUST" or kind == "" or array.ndim != 2 or not array.size:
        return from_table(X)
    return Columns(len(array), None, [_from_words(array[:, j].tolist()) for j in range(array.shape[1])])


def from_table(X: Any) -> Columns:
    """Columns of numbers."""
    table = as_table(X)
    block = table.read(0, table.n)
    truth = getattr(getattr(X, "dtype", None), "kind", "") == "b"
    return Columns(table.n, table.names, [Column(block[:, j], None, truth) for j in range(table.p)])


def _from_words(cells: list[Any]) -> Column:
    """Cells of any scalar types; a column of numbers only is one of numbers."""
    seen: dict[Any, int] = {}
    try:
        codes = np.fromiter((seen.setdefault(cell, len(seen)) for cell in cells), np.intp, len(cells))
    except TypeError as error:
        raise InputTypeError(
            f"X has a cell that is neither a word nor a number ({error}): argument must be a string or a number."
        ) from None
    return coded(codes, list(seen))


def coded(codes: NDArray[np.intp], words: list[Any]) -> Column:
    """The column whose cells are `words[code]`; a code of -1 is a missing cell, as is a word that is missing."""
    kinds = {type(word) for word in words}
    if any(issubclass(kind, list | tuple | dict | set | complex | np.complexfloating) for kind in kinds):
        shown = next(kind.__name__ for kind in kinds if not issubclass(kind, str))
        raise InputTypeError(f"X has cells of type {shown}: argument must be a string or a number.")
    there = np.array([not is_missing(word) for word in words], dtype=bool)
    known = [word.item() if isinstance(word, np.generic) else word for word in words if not is_missing(word)]
    if all(isinstance(word, int | float) for word in known):
        values = np.full(len(words) + 1, np.nan)
        values[:-1][there] = known
        truth = bool(known) and all(isinstance(word, bool) for word in known)
        return Column(values[codes], None, truth)
    place = np.full(len(words) + 1, np.nan)
    place[:-1][there] = np.arange(len(known))
    return Column(place[codes], known)


def _from_pandas(X: Any) -> Columns:
    import pandas as pd

    if X.ndim != 2:
        return from_table(X)
    columns = []
    for j in range(X.shape[1]):
        series = X.iloc[:, j]
        kind = getattr(series.dtype, "kind", "O")
        if kind in "biuf":
            columns.append(Column(series.to_numpy(dtype=np.float64, na_value=np.nan), None, kind == "b"))
            continue
        _refuse_dates(kind in "mM", X.columns[j], series.dtype)
        codes, words = pd.factorize(series, use_na_sentinel=True)
        columns.append(coded(codes, list(words)))
    return Columns(len(X), text_names(list(X.columns)), columns)


def _from_polars(X: Any) -> Columns:
    import polars as pl

    if not isinstance(X, pl.DataFrame):
        return from_table(X)
    columns = []
    for series in X:
        if series.dtype.is_numeric() or series.dtype in {pl.Boolean, pl.Null}:
            values = series.cast(pl.Float64).to_numpy()
            columns.append(Column(values, None, series.dtype == pl.Boolean))
            continue
        _refuse_dates(series.dtype.is_temporal() or series.dtype.is_nested(), series.name, series.dtype)
        words = series.cast(pl.String)
        found = words.drop_nulls().unique(maintain_order=True)
        places = words.replace_strict(found, range(len(found)), default=-1, return_dtype=pl.Int64)
        columns.append(coded(places.fill_null(-1).to_numpy(), found.to_list()))
    return Columns(X.height, text_names(X.columns), columns)


def _from_pyarrow(X: Any) -> Columns:
    import polars as pl

    return _from_polars(pl.from_arrow(X))


def _refuse_dates(wrong: bool, name: Any, dtype: Any) -> None:
    if wrong:
        raise InputError(
            f"column {str(name)!r} has type {dtype}, neither numbers nor words; leave it out or encode it."
        )


_ADAPTERS: dict[str, Callable[[Any], Columns]] = {
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_pyarrow,
    "dask": from_table,  # which refuses it
    "pyspark": from_table,
}
