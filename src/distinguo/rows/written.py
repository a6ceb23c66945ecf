"""What columns of text hold: numbers, truth values or words, as the first rows tell for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.numbers import TRUTH, numbers

# From a column's name to what its cells stand for; a column of words has none.
Kinds = Mapping[str, type[pl.DataType]]


def kinds_of(frame: pl.DataFrame, columns: Iterable[str], decimal: str) -> Kinds:
    """Which columns of text hold numbers, or nothing, in every row of a frame, and which truth values.

    Examples
    --------
    >>> rows = pl.DataFrame({"x": ["1.5", None], "is": ["true", "false"], "who": ["a", "b"]})
    >>> kinds_of(rows, rows.columns, ".")
    {'x': Float64, 'is': Boolean}
    """
    found: dict[str, type[pl.DataType]] = {}
    for name in columns:
        known = frame[name].drop_nulls()
        if len(known) and known.is_in(list(TRUTH)).all():
            found[name] = pl.Boolean
        elif _are_numbers(known, decimal):
            found[name] = pl.Float64
    return found


def _are_numbers(series: pl.Series, decimal: str) -> bool:
    try:
        numbers(series, decimal)
    except InputError:
        return False
    return True


def as_written(frame: pl.DataFrame, kinds: Kinds, decimal: str, first_row: int) -> pl.DataFrame:
    """The frame, its columns of those kinds as what they stand for, null where a cell is missing.

    Raises
    ------
    InputError
        If a later cell is of another kind than the first ones; rows count from `first_row`.
    """
    return frame.with_columns(
        _truths(frame[name], first_row)
        if kind == pl.Boolean
        else pl.Series(name, numbers(frame[name], decimal, first_row), nan_to_null=True)
        for name, kind in kinds.items()
        if name in frame.columns
    )


def _truths(series: pl.Series, first_row: int) -> pl.Series:
    """A column of truth values."""
    found = series.replace_strict(TRUTH, default=None, return_dtype=pl.Float64).cast(pl.Boolean)
    wrong = found.is_null() & series.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise InputError(
            f"column {series.name!r} has {series[row]!r} in row {first_row + row}, and the cells before it were truth "
            "values; rows count from 0. Mend it, or list it in nulls= where it means missing."
        )
    return found
