"""Which rows of a table take part: a condition on cells, read as the command line reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from distinguo.cli.cells import Spelling
from distinguo.rows.frames import Frames
from distinguo.rows.where import Where


@dataclass(frozen=True)
class Condition:
    """What rows must meet.

    Attributes
    ----------
    where : the condition.
    spelling : how the table writes numbers and holes.
    """

    where: Where
    spelling: Spelling

    @classmethod
    def of(cls, asked: str, frames: Frames, spelling: Spelling) -> Condition:
        """A condition in the words of SQL.

        Raises
        ------
        InputError
            If it cannot be understood, or is about a column that is not there.
        """
        return cls(Where.of(asked, _Read(frames, spelling)), spelling)

    @property
    def columns(self) -> Sequence[str]:
        """The columns it is about."""
        return self.where.columns

    def met(self, frame: pl.DataFrame, first_row: int) -> pl.Series:
        """(n,) which rows meet it; null where that is not known, as of a missing cell."""
        return self.where.met(_read(frame.select(self.columns), self.spelling), first_row)


class _Read(Frames):
    """The frames of a table, their missing cells null."""

    def __init__(self, frames: Frames, spelling: Spelling) -> None:
        self._frames, self._spelling = frames, spelling
        self.names, self.is_text, self.decimal = frames.names, frames.is_text, spelling.decimal

    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return self._frames.schema()

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """One pass over the rows."""
        for frame in self._frames.frames(columns):
            yield _read(frame, self._spelling)


def _read(frame: pl.DataFrame, spelling: Spelling) -> pl.DataFrame:
    """The frame with words that mean missing as null."""
    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.str.strip_chars().is_in(spelling.nulls).not_()).then(text).name.keep())
