"""Which rows take part: a condition on their columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.frames import Frames, check_known
from distinguo.rows.places import first_line
from distinguo.rows.written import Kinds, as_written, kinds_of


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
        for name in columns:
            check_known(name, frames.names, "a part of where")
        first = next(frames.frames(columns), None) if frames.is_text and columns else None
        written = {} if first is None else kinds_of(first, columns, frames.decimal)
        where = cls(condition, columns, written, frames.decimal)
        where.keep(pl.DataFrame(schema={name: frames.schema()[name] for name in columns}), 0)
        return where

    def keep(self, frame: pl.DataFrame, first_row: int) -> pl.DataFrame:
        """The rows that meet it."""
        return frame.filter(self.met(frame, first_row))

    def met(self, frame: pl.DataFrame, first_row: int) -> pl.Series:
        """(n,) which rows meet it; null where that is not known."""
        cells = as_written(frame.select(self.columns), self.written, self.decimal, first_row)
        try:
            met = cells.select(self.condition.alias("met"))["met"]
        except pl.exceptions.PolarsError as error:
            raise InputError(f"where cannot be worked out: {first_line(error)}.") from None
        if met.dtype != pl.Boolean:
            raise InputError(f"where must be true or false of each row, such as 'x > 3'; it is of type {met.dtype}.")
        return met if len(met) == frame.height else pl.repeat(met[0], frame.height, dtype=pl.Boolean, eager=True)

    def batches(self, frames: Iterable[pl.DataFrame]) -> Iterable[pl.DataFrame]:
        """The frames with the rows that meet it."""
        row = 0
        for frame in frames:
            yield self.keep(frame, row)
            row += frame.height


def _expression(asked: Any) -> pl.Expr:
    if isinstance(asked, pl.Expr):
        return asked
    if not isinstance(asked, str):
        raise InputTypeError(f"where must be text such as 'x > 3', or a Polars expression; it is {asked!r}.")
    try:
        return pl.sql_expr(asked)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"where={asked!r} is not understood: {first_line(error)}.") from None
