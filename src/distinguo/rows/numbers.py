"""Columns into numbers, exactly, or one error that names the cells that are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError

# How truth values are written by Python, R and SQL.
TRUTH = {"True": 1.0, "False": 0.0, "TRUE": 1.0, "FALSE": 0.0, "true": 1.0, "false": 0.0}

_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_MOST_NAMED = 5


def numbers(series: pl.Series, decimal: str = ".", first_row: int = 0) -> NDArray[np.float64]:
    """A column as float64, NaN where a cell is missing.

    Text becomes the nearest float64, as Python's ``float`` reads it; ``nan`` is a missing cell, and ``inf`` comes
    through, for the check at the door to refuse by row and column.

    Parameters
    ----------
    series : numbers, truth values, or text.
    decimal : the decimal mark in text, "." or ","; the other one is then no part of a number.
    first_row : number of the first row, for messages.

    Raises
    ------
    InputError
        If a cell is no number; the message names column, row and cell.

    Examples
    --------
    >>> numbers(pl.Series("x", ["1.5", None, "-2e3"])).tolist()
    [1.5, nan, -2000.0]
    >>> numbers(pl.Series("x", ["1,5"]), decimal=",").tolist()
    [1.5]
    """
    parsed, bad = _parse(series, decimal)
    if bad is not None:
        raise InputError(_not_numbers([(series.name, first_row + bad, series[bad])], decimal))
    return parsed.to_numpy()


def number_block(frame: pl.DataFrame, decimal: str = ".", first_row: int = 0) -> NDArray[np.float64]:
    """All columns as one C-contiguous float64 array (n, p), NaN where a cell is missing.

    Columns of truth values, written in any of the ways of `TRUTH`, become 0 and 1.

    Raises
    ------
    InputError
        If cells are no numbers; the message names every column that has one.

    Examples
    --------
    >>> number_block(pl.DataFrame({"x": ["1.5", None], "smokes": ["True", "False"]})).tolist()
    [[1.5, 1.0], [nan, 0.0]]
    """
    block = frame
    if any(dtype != pl.Float64 for dtype in frame.dtypes):
        try:
            block = _swapped(frame, decimal).cast(pl.Float64)
        except pl.exceptions.PolarsError:
            block = _column_by_column(frame, decimal, first_row)
    return np.ascontiguousarray(block.to_numpy(order="c"))


def is_numeric(dtype: pl.DataType) -> bool:
    """Whether a column of this type becomes numbers without being read as text."""
    return dtype.is_numeric() or dtype in {pl.Boolean, pl.Null}


def _column_by_column(frame: pl.DataFrame, decimal: str, first_row: int) -> pl.DataFrame:
    """The slow way, which finds the cells at fault."""
    columns, faults = [], []
    for series in frame:
        parsed, bad = _parse(series, decimal)
        if bad is not None and series.dtype == pl.String and series.drop_nulls().is_in(list(TRUTH)).all():
            parsed, bad = series.replace_strict(TRUTH, default=None, return_dtype=pl.Float64), None
        columns.append(parsed)
        if bad is not None:
            faults.append((series.name, first_row + bad, series[bad]))
    if faults:
        raise InputError(_not_numbers(faults, decimal))
    return pl.DataFrame(columns)


def _parse(series: pl.Series, decimal: str) -> tuple[pl.Series, int | None]:
    """The numbers, and the place of the first cell that is none."""
    if is_numeric(series.dtype):
        return series.cast(pl.Float64), None
    if series.dtype != pl.String:
        return series, 0 if series.null_count() < len(series) else None
    text = _swapped(series.to_frame(), decimal).to_series()
    parsed = text.cast(pl.Float64, strict=False)
    if parsed.null_count() > text.null_count():
        parsed = text.str.strip_chars().cast(pl.Float64, strict=False)
        bad = parsed.is_null() & text.is_not_null()
        if bad.any():
            return parsed, int(bad.arg_max() or 0)
    return parsed, None


def _swapped(frame: pl.DataFrame, decimal: str) -> pl.DataFrame:
    """Text with its decimal commas as points; points become commas, so that 1.234,5 is no number rather than 1.234."""
    if decimal == ".":
        return frame
    return frame.with_columns(pl.col(pl.String).str.replace_many({",": ".", ".": ","}))


def _not_numbers(faults: Sequence[tuple[str, int, object]], decimal: str) -> str:
    """One message for all columns at fault, each with its first cell."""
    cells = ", ".join(f"{name!r} ({cell!r} in row {row})" for name, row, cell in faults[:_MOST_NAMED])
    more = f" and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
    what = "column is" if len(faults) == 1 else "columns are"
    return f"{len(faults)} {what} not all numbers: {cells}{more}; rows count from 0. {_advice(faults, decimal)}"


def _advice(faults: Sequence[tuple[str, int, object]], decimal: str) -> str:
    if decimal == "." and any(_COMMA_NUMBER.fullmatch(str(cell)) for _, _, cell in faults):
        return "If the comma is the decimal mark, say so with decimal=','."
    return "Name the columns to use with columns=, encode these, or list the marks that mean missing in nulls=."
