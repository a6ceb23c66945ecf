"""The columns of any container, one by one, for questions that are asked of each on its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.labels import is_missing

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Attributes
    ----------
    name : as messages show it: "column 'ash'", or "column 3" where columns have no names.
    words : what it is called, or "".
    values : (n,) float64, NaN where a cell is missing, or objects: text, None where one is missing.
    """

    name: str
    words: str
    values: NDArray[Any]

    @property
    def is_numeric(self) -> bool:
        """Whether its cells are numbers."""
        return self.values.dtype.kind == "f"

    def known(self) -> NDArray[Any]:
        """The cells that are not missing."""
        return self.values[~self.missing()]

    def missing(self) -> NDArray[np.bool_]:
        """(n,) whether a cell is missing."""
        if self.is_numeric:
            return np.asarray(np.isnan(self.values))
        return np.array([value is None for value in self.values.tolist()], dtype=bool)

    def take(self, rows: Codes) -> Column:
        """Some of the rows."""
        return Column(self.name, self.words, self.values[rows])


def columns_of(X: Any) -> list[Column]:
    """The columns of rows (n, p) in any container; one of a list of texts, and none of sparse rows.

    Examples
    --------
    >>> [column.name for column in columns_of(np.zeros((3, 2)))], columns_of(["a text", "another"])[0].name
    (['column 0', 'column 1'], 'the text')
    """
    read = _READERS.get(type(X).__module__.partition(".")[0], _from_anything)
    return read(X)


def first_hole(X: Any) -> str | None:
    """Where the first missing cell of a table is, by column; to follow "takes no missing cells, and".

    Examples
    --------
    >>> first_hole(np.array([[1.0, 2.0], [3.0, np.nan]]))
    'column 1 has one in row 1'
    """
    for column in columns_of(X):
        holes = np.flatnonzero(column.missing())
        if len(holes):
            return f"{column.name} has one in row {holes[0]}"
    return None


def _column(place: int, name: Any, values: Any) -> Column:
    named = isinstance(name, str)
    return Column(f"column {name!r}" if named else f"column {place}", name if named else "", _cells(values))


def _cells(values: Any) -> NDArray[Any]:
    """Numbers as float64; anything else as text, None where it is missing."""
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    cells = [None if is_missing(value) else value for value in array.tolist()]
    if all(isinstance(cell, int | float | None) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], np.float64)
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [None if cell is None else str(cell) for cell in cells]
    return texts


def _from_anything(X: Any) -> list[Column]:
    """Arrays, lists of rows, and lists of texts."""
    array = np.asarray(X)
    if array.ndim == 1:
        return [Column("the text", "", _cells(array))]
    return [_column(j, None, array[:, j]) for j in range(array.shape[1])]


def _from_pandas(X: Any) -> list[Column]:
    if len(X.shape) == 1:
        return _from_anything(X.to_numpy())
    return [_column(j, name, X.iloc[:, j].to_numpy()) for j, name in enumerate(X.columns)]


def _from_polars(X: Any) -> list[Column]:
    if len(X.shape) == 1:
        return _from_anything(X.to_numpy())
    return [_column(j, name, X.to_series(j).to_numpy()) for j, name in enumerate(X.columns)]


def _from_pyarrow(X: Any) -> list[Column]:
    import polars as pl

    return _from_polars(pl.from_arrow(X))


_READERS: dict[str, Callable[[Any], list[Column]]] = {
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_pyarrow,
    "scipy": lambda X: [],
}
