"""Which rows take part: a condition on their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.frames import Frames, check_known, quoted
from distinguo.rows.places import first_line
from distinguo.rows.written import Kinds, as_written, kinds_of

# So many of the first rows are judged a second time, each alone.
JUDGED_ALONE = 16
_BY_ITSELF = (
    "must judge each row by itself, as 'x > 3' does; rows are read in parts, so what is worked out of several of them, "
    "such as their mean, is not known. Work it out before, and write the number."
)


@dataclass(frozen=True)
class Where:
    """A condition that rows must meet; one that is unknown, as of a missing cell, is not met.

    Attributes
    ----------
    condition : as Polars has it.
    columns : those it is about.
    written : of text files, what those of them hold that are no words.
    decimal : the decimal mark in those.
    """

    condition: pl.Expr
    columns: tuple[str, ...]
    written: Kinds
    decimal: str

    @classmethod
    def of(cls, asked: Any, frames: Frames) -> Where:
        """A condition as text, in the words of SQL, or as a Polars expression.

        Columns of text files are numbers, or truth values, where all their cells are, in the first rows.

        Raises
        ------
        InputError
            If it cannot be understood, or is about a column that is not there.
        InputTypeError
            If it is neither text nor expression.
        """
        condition = _expression(asked)
        columns = tuple(dict.fromkeys(condition.meta.root_names()))
        if not columns:
            raise InputError("where names no column; write it of columns by their names, such as 'x > 3'.")
        for name in columns:
            as_word = f"As a word it is written '{name}', in single quotes." if isinstance(asked, str) else ""
            check_known(name, frames.names, "a part of where", as_word)
        first = next(frames.frames(columns), None) if frames.is_text else None
        written = {} if first is None else kinds_of(first, columns, frames.decimal)
        where = cls(condition, columns, written, frames.decimal)
        where.keep(pl.DataFrame(schema={name: frames.schema()[name] for name in columns}), 0)
        return where

    def keep(self, frame: pl.DataFrame, first_row: int) -> pl.DataFrame:
        """The rows that meet it."""
        return frame.filter(self.met(frame, first_row))

    def met_by_first(self, frame: pl.DataFrame) -> bool:
        """Whether the first row of a frame meets it."""
        return bool(self.met(frame, 0)[0])

    def met(self, frame: pl.DataFrame, first_row: int) -> pl.Series:
        """(n,) which rows meet it; null where that is not known."""
        cells = as_written(frame.select(self.columns), self.written, self.decimal, first_row)
        met = self._judged(cells)
        if first_row == 0:  # some of the first rows tell whether each is judged by itself
            for row in range(0, frame.height, max(frame.height // JUDGED_ALONE, 1)):
                if self._judged(cells[row : row + 1])[0] != met[row]:
                    raise InputError(f"where {_BY_ITSELF}")
        return met

    def _judged(self, cells: pl.DataFrame) -> pl.Series:
        try:
            met = cells.select(self.condition.alias("met"))["met"]
        except pl.exceptions.PolarsError as error:
            raise InputError(f"where cannot be worked out: {first_line(error)}.{self._hint(cells)}") from None
        if met.dtype != pl.Boolean:
            raise InputError(f"where must be true or false of each row, such as 'x > 3'; it is of type {met.dtype}.")
        if len(met) != cells.height:
            raise InputError(f"where {_BY_ITSELF}")
        return met

    def _hint(self, cells: pl.DataFrame) -> str:
        """What may have been taken for something else."""
        if any(dtype.is_temporal() for dtype in cells.dtypes):
            return " Dates are written as in date '2024-12-31'."
        kinds = [
            f"{name!r} {'numbers' if kind == pl.Float64 else 'truth values'}" for name, kind in self.written.items()
        ]
        if kinds:
            return f" By its first rows the file has in {', '.join(kinds)}, and in others words."
        words = quoted(name for name in cells.columns if cells[name].dtype == pl.String)
        return f" Words are in {words}; they are compared with words in single quotes, such as '01'." if words else ""


def _expression(asked: Any) -> pl.Expr:
    if isinstance(asked, pl.Expr):
        return asked
    if not isinstance(asked, str):
        raise InputTypeError(f"where must be text such as 'x > 3', or a Polars expression; it is {asked!r}.")
    try:
        return pl.sql_expr(asked)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"where={asked!r} is not understood: {first_line(error)}.") from None
