"""Cells as words and as numbers: what can be said of a cell before anything is learned from the column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

# Always missing; --null adds to them. "nan" is how other programs write a hole.
NULL_WORDS = ("", "NA", "NaN", "nan")

# What a number would lose its zeros by.
CODE = r"^[+-]?0\d"


@dataclass(frozen=True, slots=True)
class Cells:
    """One column.

    Attributes
    ----------
    raw : the cells: stripped text with holes as null, or numbers as they came.
    numbers : Float64, null where a cell is missing or is not a number.
    unreadable : the type of a column that holds neither words nor numbers, or "".
    written : text with the blanks around it, where not every cell is a number.
    """

    raw: pl.Series
    numbers: pl.Series
    unreadable: str = ""
    written: pl.Series | None = None

    @property
    def typed(self) -> bool:
        """Whether the table itself says that these are numbers."""
        return self.raw.dtype != pl.String

    def words(self) -> pl.Series:
        """The cells as text; whole numbers without a decimal point, whatever their type."""
        if not self.typed:
            return self.raw
        number = pl.col(self.numbers.name)
        whole = (number == number.floor()) & (number.abs() < 2**53)
        text = (
            pl.when(whole).then(number.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(number.cast(pl.String))
        )
        return self.numbers.to_frame().select(text).to_series()

    def texts(self) -> list[str]:
        """The cells as running text, as it was written; that of a missing cell is empty."""
        words = self.words()
        return (words if self.written is None else self.written.set(words.is_null(), None)).fill_null("").to_list()

    def coded(self) -> bool:
        """Whether some cell is a code such as 007, which a number would turn into 7."""
        return not self.typed and bool(self.raw.str.contains(CODE).any())

    def take(self, rows: NDArray[np.intp]) -> Cells:
        """Some of the rows."""
        if self.raw is self.numbers:
            raw = numbers = self.raw.gather(rows)
        else:
            raw, numbers = self.raw.gather(rows), self.numbers.gather(rows)
        return Cells(raw, numbers, self.unreadable, None if self.written is None else self.written.gather(rows))


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns of cells, and the number of each row in the table it came from, counted from 1."""

    columns: Mapping[str, Cells]
    row_numbers: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.row_numbers)

    def take(self, rows: NDArray[np.intp]) -> Grid:
        """Some of the rows."""
        return Grid({name: cells.take(rows) for name, cells in self.columns.items()}, self.row_numbers[rows])


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a table writes numbers and holes."""

    decimal: str = "."
    nulls: tuple[str, ...] = NULL_WORDS

    def read(self, frame: pl.DataFrame, names: Iterable[str], first_row: int = 1) -> Grid:
        """The named columns of a frame as cells."""
        rows = np.arange(first_row, first_row + frame.height, dtype=np.intp)
        return Grid({name: self.read_column(frame[name]) for name in names}, rows)

    def read_column(self, series: pl.Series) -> Cells:
        """One column as cells."""
        if series.dtype.is_numeric():
            numbers = series.cast(pl.Float64).fill_nan(None)
            return Cells(numbers, numbers)
        if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object, pl.Duration):
            empty = pl.Series(series.name, [None] * len(series), dtype=pl.String)
            return Cells(empty, empty.cast(pl.Float64), unreadable=str(series.dtype))
        text = self.text(series)
        numbers = self._numbers(text)
        wordy = series.dtype == pl.String and numbers.null_count() > text.null_count()
        return Cells(text, numbers, written=series if wordy else None)

    def text(self, series: pl.Series) -> pl.Series:
        """The words of a column that is no column of numbers, null where one is missing."""
        word = pl.col(series.name).cast(pl.String).str.strip_chars()
        return series.to_frame().select(pl.when(word.is_in(self.nulls).not_()).then(word)).to_series()

    def _numbers(self, text: pl.Series) -> pl.Series:
        """The numbers among words; with decimal commas, 1.234,5 is no number rather than 1.234."""
        word = pl.col(text.name)
        if self.decimal == ",":
            word = word.str.replace_many({",": ".", ".": ","})
        return text.to_frame().select(word.cast(pl.Float64, strict=False).fill_nan(None)).to_series()
