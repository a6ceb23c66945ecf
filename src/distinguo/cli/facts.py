"""What is to be known of a column to say what it is, put together from parts of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.cli.cells import Cells
from distinguo.rows.identifiers import is_named_like_an_identifier

# Of more different words than this no more are counted.
MOST_WORDS = 1 << 20
# So many whole numbers are kept to see whether one comes again in a later part.
MOST_NUMBERS = 1 << 22

WORD, NUMBER, ROWS = "word", "number", "rows"
_SCHEMA = {WORD: pl.String, NUMBER: pl.Float64, ROWS: pl.UInt32}


@dataclass(frozen=True)
class Numbers:
    """Numbers in the order of their rows.

    Attributes
    ----------
    known : how many.
    first, last, low, high : some of them; NaN where there is none.
    whole : whether none has a fraction.
    rises : whether each is larger than the one before.
    different : whether no two are equal, of whole numbers in a column that is named like an identifier; else False.
    kept : some of them, sorted, by which equal ones are found in other parts; None where that is settled.
    """

    known: int
    first: float
    last: float
    low: float
    high: float
    whole: bool
    rises: bool
    different: bool
    kept: NDArray[np.float64] | None

    @classmethod
    def of(cls, name: str, series: pl.Series) -> Numbers:
        """Those of the column of that name that are known."""
        n = len(series)
        if not n:
            return NO_NUMBERS
        low, high = (float(value) for value in (series.min(), series.max()))  # type: ignore[arg-type]
        whole = bool(low == np.floor(low)) and (low == high or bool((series == series.floor()).all()))
        rises = whole and bool((series.diff().slice(1) > 0).all())
        kept, different = None, rises
        if whole and is_named_like_an_identifier(name):
            different = different or series.n_unique() == n
            kept = np.sort(series.to_numpy()) if different else None
        return cls(n, series[0], series[-1], low, high, whole, rises, different, kept)

    @property
    def step(self) -> float:
        """How much larger one is than the one before, on average."""
        return (self.last - self.first) / (self.known - 1)

    def __add__(self, later: Numbers) -> Numbers:
        """Those of the rows of both parts."""
        if not self.known or not later.known:
            return self if self.known else later
        rises = (self.rises or self.known == 1) and (later.rises or later.known == 1) and self.last < later.first
        kept = _together(self.kept, later.kept)
        return Numbers(
            known=self.known + later.known,
            first=self.first,
            last=later.last,
            low=min(self.low, later.low),
            high=max(self.high, later.high),
            whole=self.whole and later.whole,
            rises=rises and self.whole and later.whole,
            different=rises or kept is not None,
            kept=kept,
        )


def _together(a: NDArray[np.float64] | None, b: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Numbers of two parts, sorted, as many as are kept; None where one is in both."""
    if a is None or b is None or len(np.intersect1d(a, b, assume_unique=True)):
        return None
    return a if len(a) >= MOST_NUMBERS else np.sort(np.concatenate([a, b]))


NO_NUMBERS = Numbers(0, np.nan, np.nan, np.nan, np.nan, whole=True, rises=True, different=True, kept=np.empty(0))


@dataclass(frozen=True)
class Words:
    """Different cells as words, in the order in which they are met.

    Attributes
    ----------
    table : each word, the number it is or null, and in how many rows it is.
    is_full : whether there were more, which are not counted.
    """

    table: pl.DataFrame
    is_full: bool = False

    @classmethod
    def of(cls, cells: Cells) -> Words:
        """Those of a column."""
        pairs = pl.DataFrame([cells.words().alias(WORD), cells.numbers.alias(NUMBER)]).drop_nulls(WORD)
        return cls(_counted(pairs.with_columns(pl.lit(1, pl.UInt32).alias(ROWS))))

    @property
    def different(self) -> int:
        """How many, as far as they are counted."""
        return self.table.height

    @property
    def length(self) -> float:
        """How many parts, between blanks, a cell has on average."""
        counts = self.table[WORD].str.count_matches(r"\S+").cast(pl.Int64)
        total = int((counts * self.table[ROWS].cast(pl.Int64)).sum())
        return total / max(int(self.table[ROWS].sum()), 1)

    def rows_like(self, pattern: str) -> tuple[int, Any]:
        """How many cells are like a pattern, and the first of them."""
        found = self.table.filter(pl.col(WORD).str.contains(pattern))
        return int(found[ROWS].sum()), found[WORD].first()

    def are_all_like(self, pattern: str) -> bool:
        """Whether every cell is like a pattern, as far as they are counted."""
        return bool(self.table[WORD].str.contains(pattern).all())

    def not_numbers(self) -> tuple[int, Any]:
        """How many cells are no numbers, and the first of them."""
        found = self.table.filter(pl.col(NUMBER).is_null())
        return int(found[ROWS].sum()), found[WORD].first()

    def __add__(self, later: Words) -> Words:
        """Those of both parts."""
        if self.is_full:
            return self
        table = _counted(pl.concat([self.table, later.table]))
        return Words(table.head(MOST_WORDS), is_full=later.is_full or table.height > MOST_WORDS)


def _counted(table: pl.DataFrame) -> pl.DataFrame:
    """Each word once."""
    grouped = table.group_by(WORD, maintain_order=True)
    return grouped.agg(pl.col(NUMBER).first(), pl.col(ROWS).sum().cast(pl.UInt32))


NO_WORDS = Words(pl.DataFrame(schema=_SCHEMA))


@dataclass(frozen=True)
class Facts:
    """A column.

    Attributes
    ----------
    rows, known : how many cells, and how many of them are not missing.
    first : of those that are not.
    varies : whether two of them are written differently.
    unreadable : the type of a column that holds neither words nor numbers, or "".
    numbers : where each of them is a number, and none a code; else None.
    words : where not, or where they are asked for; else None.
    """

    rows: int
    known: int
    first: Any
    varies: bool
    unreadable: str
    numbers: Numbers | None
    words: Words | None

    @classmethod
    def of(cls, name: str, cells: Cells, with_words: bool = False) -> Facts:
        """Those of the column of that name."""
        known = cells.raw.drop_nulls()
        n = len(known)
        if not n:
            return cls(len(cells.raw), 0, None, False, cells.unreadable, NO_NUMBERS, NO_WORDS)
        first = known[0]
        all_numbers = cells.numbers.null_count() == cells.raw.null_count() and not cells.coded()
        numbers = Numbers.of(name, known if cells.typed else cells.numbers.drop_nulls()) if all_numbers else None
        words = Words.of(cells) if with_words or not all_numbers else None
        varies = bool((known != first).any())
        return cls(len(cells.raw), n, first, varies, cells.unreadable, numbers, words)

    def __add__(self, later: Facts) -> Facts:
        """Those of the rows of both parts."""
        both = self.known and later.known
        return Facts(
            rows=self.rows + later.rows,
            known=self.known + later.known,
            first=self.first if self.known else later.first,
            varies=self.varies or later.varies or bool(both and self.first != later.first),
            unreadable=self.unreadable or later.unreadable,
            numbers=None if self.numbers is None or later.numbers is None else self.numbers + later.numbers,
            words=_sum_of_words(self.words, later.words),
        )

    @property
    def is_late(self) -> bool:
        """Whether words turned up after numbers, and were not counted from the beginning."""
        return self.numbers is None and self.words is None

    @property
    def is_settled(self) -> bool:
        """Whether later numbers would not change what numbers are taken for."""
        if self.numbers is None or not self.varies:
            return False
        return self.known < self.rows or not (self.numbers.whole and (self.numbers.rises or self.numbers.different))


def _sum_of_words(a: Words | None, b: Words | None) -> Words | None:
    """Words of two parts, where those of both are counted."""
    return None if a is None or b is None else a + b
