"""One face for every container of numbers: its shape, its column names, and blocks of rows as float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import ColumnCoding

# A block of rows fits the processor's second-level cache, so that checking it and counting it read memory once.
BLOCK_BYTES = 1 << 21
MIN_BLOCK_ROWS = 1024
# Very wide rows come in smaller blocks, so that a block's copy stays small beside the statistic.
MAX_BLOCK_BYTES = 1 << 24

Block = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in rows and columns, converted only as they are read.

    Attributes
    ----------
    n, p : rows and columns.
    names : (p,) column names where all are text, else None.
    read : rows from `start` up to `stop` as a C-contiguous float64 array.
    entries : all rows as CSR of float64 where they came sparse, else None; made when called.
    coding : what the numbers of columns of categories stand for, or None where all are numbers.
    """

    n: int
    p: int
    names: NDArray[Any] | None
    read: Callable[[int, int], Block]
    entries: Callable[[], Any] | None = None
    coding: ColumnCoding | None = None

    def blocks(self, sparse: bool = False) -> Iterator[tuple[int, Block]]:
        """The rows in cache-sized blocks, each with the number of its first row.

        For who asks for them `sparse`, rows that came so are one block, CSR, whatever mypy is told.
        """
        if sparse and self.entries is not None:
            yield 0, self.entries()
            return
        step = block_rows(self.p)
        for start in range(0, self.n, step):
            yield start, self.read(start, min(start + step, self.n))


def block_rows(p: int) -> int:
    """How many rows of p numbers make a block."""
    row = 8 * max(p, 1)
    return max(1, min(max(BLOCK_BYTES // row, MIN_BLOCK_ROWS), max(MAX_BLOCK_BYTES // row, 64)))


def as_table(X: Any) -> Table:
    """The table behind X, whatever library it came from.

    Raises
    ------
    InputError
        If X is not two-dimensional, has no columns, or has columns that are not numbers.
    InputTypeError
        If X is of a type that holds no rows.
    """
    adapter = _ADAPTERS.get(type(X).__module__.partition(".")[0], _from_anything)
    table = adapter(X)
    if table.p == 0:
        raise InputError(f"0 feature(s) (shape=({table.n}, 0)) while a minimum of 1 is required.")
    return table


def named(X: Any, names: Any) -> Table:
    """The table behind X, its columns called by these names, (p,), whatever they were called before.

    Raises
    ------
    InputError
        If there are not as many names as columns, or one comes twice.
    """
    table = as_table(X)
    labels = np.array([str(name) for name in names], dtype=object)
    if len(labels) != table.p:
        raise InputError(f"feature_names has {len(labels)} names for {table.p} columns; give one a column.")
    if len(set(labels.tolist())) < len(labels):
        raise InputError("feature_names has the same name twice; columns are told apart by theirs.")
    return replace(table, names=labels)


def _from_array(X: NDArray[Any]) -> Table:
    if X.ndim != 2:
        raise InputError(not_two_dimensional(X))
    if X.dtype.kind == "c":
        raise InputError(f"Complex data not supported: X has type {X.dtype}. Take real and imaginary parts as columns.")
    if X.dtype.kind in "USTMmV":
        raise InputError(f"X has type {X.dtype}, and a feature is a number. Leave text and dates out, or encode them.")

    def read(start: int, stop: int) -> Block:
        try:
            with np.errstate(over="ignore"):  # what does not fit becomes infinity, and is refused by row and column
                return np.ascontiguousarray(X[start:stop], dtype=np.float64)
        except (ValueError, OverflowError) as error:
            raise InputError(f"X holds something that is not a number ({error}); encode it or leave it out.") from None
        except TypeError as error:
            raise InputTypeError(f"X holds something that is not a number: {error}.") from None

    n, p = X.shape
    return Table(n, p, None, read)


# What to do with texts, which are no rows yet.
_COUNTED = "Texts become rows of counts by TextCounts: make_pipeline(TextCounts(), model)."


def _single(library: str, X: Any) -> str:
    """What is wrong with a column in place of a table."""
    return (
        f"Expected 2D array, got 1D array instead: X is a {library}{type(X).__name__}. Reshape your data: X.to_frame() "
        f"is a table of one column. {_COUNTED}"
    )


def not_two_dimensional(X: Any) -> str:
    """What is wrong with rows of another number of dimensions."""
    if X.ndim == 1:
        words = f" {_COUNTED}" if X.dtype.kind in "OUST" else ""
        return (
            f"Expected 2D array, got 1D array instead: X has shape {X.shape}. Reshape your data with X.reshape(-1, 1) "
            f"if it is one feature, or X.reshape(1, -1) if it is one row.{words}"
        )
    return f"X must have two dimensions, rows and columns (Expected 2D array); it has shape {X.shape}."


def _from_anything(X: Any) -> Table:
    """Lists, memory maps, and whatever else NumPy can read."""
    if X is None or isinstance(X, str | bytes | dict | set):
        raise InputTypeError(f"X must be rows of numbers; it is {type(X).__name__}.")
    if isinstance(X, np.ma.MaskedArray):
        return _from_masked(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(f"X is not a table: its rows differ in length ({error}).") from None
    return _from_array(array)


def _from_masked(X: np.ma.MaskedArray[Any, Any]) -> Table:
    """An array whose masked cells are missing."""
    table, mask = _from_array(np.ma.getdata(X)), np.ma.getmaskarray(X)

    def read(start: int, stop: int) -> Block:
        return np.where(mask[start:stop], np.nan, table.read(start, stop))

    return Table(table.n, table.p, None, read)


def _from_scipy(X: Any) -> Table:
    """Sparse rows, made dense a block at a time."""
    if X.ndim != 2:
        raise InputError(f"Expected 2D array, got a sparse array of shape {X.shape}. Reshape your data.")
    if np.dtype(X.dtype).kind == "c":
        raise InputError(f"Complex data not supported: X has type {X.dtype}.")
    rows = X.tocsr()
    return Table(
        rows.shape[0],
        rows.shape[1],
        None,
        lambda start, stop: np.ascontiguousarray(rows[start:stop].toarray(), dtype=np.float64),
        lambda: _entries(rows),
    )


def _entries(rows: Any) -> sparse.csr_array:
    """CSR of float64, every cell once; numbers that are such already are not copied."""
    entries = sparse.csr_array(rows, dtype=np.float64)
    if not entries.has_canonical_format:
        entries = entries.copy()
        entries.sum_duplicates()
    return entries


def _from_pandas(X: Any) -> Table:
    if X.ndim != 2:
        raise InputError(_single("", X))
    names = text_names(list(X.columns))
    kinds = {getattr(t, "kind", "") for t in X.dtypes}
    _refuse_text([str(c) for c, t in zip(X.columns, X.dtypes, strict=True) if _pandas_text(t)])

    def read(start: int, stop: int) -> Block:
        block = X.iloc[start:stop]
        try:
            if "O" in kinds:  # pandas replaces its NA in columns of numbers, not among objects
                block = block.astype(object).where(block.notna(), np.nan)
            return np.ascontiguousarray(block.to_numpy(dtype=np.float64, na_value=np.nan))
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"X holds something that is not a number ({error}); encode it or leave it out.") from None

    return Table(len(X), X.shape[1], names, read)


def _pandas_text(dtype: Any) -> bool:
    """Columns of text, categories and dates; an object column may still hold numbers."""
    return getattr(dtype, "kind", "O") in "mMc" or str(dtype) in {"category", "string", "str"}


def _from_polars(X: Any) -> Table:
    import polars as pl

    if isinstance(X, pl.LazyFrame):
        raise InputTypeError("X is a polars LazyFrame; collect() it, or fit from a file with distinguo.scan().")
    if not isinstance(X, pl.DataFrame):
        raise InputError(_single("polars ", X))
    _refuse_text([c for c, t in X.schema.items() if not (t.is_numeric() or t in {pl.Boolean, pl.Null})])

    def read(start: int, stop: int) -> Block:
        block = X.slice(start, stop - start).cast(pl.Float64).to_numpy(order="c")
        return np.ascontiguousarray(block)

    return Table(X.height, X.width, text_names(X.columns), read)


def _from_pyarrow(X: Any) -> Table:
    """Tables and record batches, read through Polars, which shares their memory."""
    import polars as pl

    frame = pl.from_arrow(X)
    return _from_polars(frame)


def text_names(columns: list[Any]) -> NDArray[Any] | None:
    """The names of columns, (p,), where all are text, None where none is; a mixture is refused."""
    if not all(isinstance(column, str) for column in columns):
        if any(isinstance(column, str) for column in columns):
            kinds = sorted({type(column).__name__ for column in columns})
            raise InputTypeError(
                "Feature names are only supported if all input features have string names, but your input has "
                f"{kinds} as feature name / column name types. Convert them with X.columns = X.columns.astype(str)."
            )
        return None
    return np.array(columns, dtype=object)


def _from_dask(X: Any) -> Table:
    raise InputTypeError(
        f"X is a dask {type(X).__name__}, and this takes rows in memory. A fitted model works where partitions are: "
        "X.map_blocks(model.predict, drop_axis=1, dtype=object) of an array, X.map_partitions(model.predict, "
        "meta=np.empty(0, dtype=object)) of a data frame; or bring the rows by X.compute()."
    )


def _from_spark(X: Any) -> Table:
    raise InputTypeError(
        f"X is a pyspark {type(X).__name__}, and this takes rows in memory. predict_spark(model, X) appends what a "
        "fitted model says of each row, where the rows are; X.toArrow() brings them."
    )


def _refuse_text(columns: list[str]) -> None:
    if columns:
        shown = ", ".join(repr(c) for c in columns[:5]) + (" ..." if len(columns) > 5 else "")
        raise InputError(f"X has columns that are not numbers: {shown}. Leave them out, or encode them.")


_ADAPTERS: dict[str, Callable[[Any], Table]] = {
    "distinguo": lambda X: X if isinstance(X, Table) else _from_anything(X),
    "numpy": _from_anything,
    "scipy": _from_scipy,
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_pyarrow,
    "dask": _from_dask,
    "pyspark": _from_spark,
}
