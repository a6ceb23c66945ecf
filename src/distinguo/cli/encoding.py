"""From columns with roles to the numbers that models take, the same way for every later table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.cli.cells import Cells, Grid
from distinguo.cli.facts import ROWS, WORD
from distinguo.cli.facts import Words as DifferentWords
from distinguo.cli.roles import CATEGORICAL, OTHER, RARE_ROWS, RARE_SHARE, Role
from distinguo.exceptions import InputError

# A number with the decimal mark that was not expected.
_DECIMAL = re.compile(r"[+-]?\d+([.,])\d+")


@dataclass(frozen=True)
class Numeric:
    """A column of numbers, taken as it is."""

    name: str

    @property
    def features(self) -> list[str]:
        """The name of its one feature."""
        return [self.name]

    def encode(self, cells: Cells, rows: NDArray[np.intp]) -> list[pl.Series]:
        """(n,) numbers, NaN where a cell is missing."""
        if cells.numbers.null_count() > cells.raw.null_count():
            wrong = (cells.numbers.is_null() & cells.raw.is_not_null()).arg_true()
            word = cells.raw[wrong[0]]
            mark = _DECIMAL.fullmatch(word)
            remedy = f"--decimal {mark[1]} reads it" if mark else f"Mend it, or read it as missing with --null {word!r}"
            raise InputError(f"column {self.name!r}, row {rows[wrong[0]]}: {word!r} is not a number. {remedy}.")
        infinite = cells.numbers.is_infinite()
        if infinite.any():
            row = int(infinite.arg_true()[0])
            raise InputError(
                f"column {self.name!r}, row {rows[row]}: {cells.raw[row]} is not a finite number. Read it as missing "
                f"with --null {cells.raw[row]}, or leave the column out with --drop {self.name!r}."
            )
        return [cells.numbers.fill_null(np.nan)]


@dataclass(frozen=True)
class Categorical:
    """A column of categories: one indicator each, but for the reference, the commonest.

    Attributes
    ----------
    name : of the column.
    reference : the category without an indicator.
    levels : (k - 1,) the categories with one.
    pooled : whether rare categories share one more indicator, which later takes those never seen too.
    """

    name: str
    reference: str
    levels: NDArray[Any]
    pooled: bool

    @classmethod
    def learn(cls, name: str, words: DifferentWords, n: int) -> Categorical:
        """The categories of n training rows."""
        counts = words.table.sort(ROWS, WORD, descending=[True, False])
        few = max(2, min(RARE_ROWS, RARE_SHARE * n))
        common = counts.filter((pl.col(ROWS) >= few) | (pl.int_range(pl.len()) == 0))[WORD].to_list()
        return cls(name, common[0], np.array(common[1:], dtype=np.str_), pooled=len(common) < counts.height)

    @property
    def features(self) -> list[str]:
        """The names of the indicators."""
        return [f"{self.name}={level}" for level in [*self.levels.tolist(), *([OTHER] if self.pooled else [])]]

    def encode(self, cells: Cells, rows: NDArray[np.intp]) -> list[pl.Series]:
        """(n,) indicators of 0 and 1; NaN where a cell is missing, or never seen and nothing is pooled."""
        width = len(self.levels) + self.pooled
        known = [self.reference, *self.levels.tolist()]
        unseen = len(known) if self.pooled else -1
        words = cells.words()
        codes = words.replace_strict(known, range(len(known)), default=unseen, return_dtype=pl.Int64)
        code = codes.set(words.is_null(), -1).to_numpy()
        indicators = (np.arange(1, width + 1)[:, None] == code).astype(np.float64)
        indicators[:, code < 0] = np.nan
        return [pl.Series(indicator) for indicator in indicators]


@dataclass(frozen=True)
class Words:
    """A column of categories for models that take them as words."""

    name: str

    @classmethod
    def learn(cls, name: str, words: DifferentWords, n: int) -> Words:
        """Nothing is learned of the training rows: what categories there are, the model finds out."""
        return cls(name)

    @property
    def features(self) -> list[str]:
        """The name of its one feature."""
        return [self.name]

    def encode(self, cells: Cells, rows: NDArray[np.intp]) -> list[pl.Series]:
        """(n,) words."""
        return [cells.words()]


# How columns of categories are shown to models, by the name of it in the catalogue.
CATEGORIES: dict[str, Callable[[str, DifferentWords, int], Categorical | Words]] = {
    "indicators": Categorical.learn,
    "words": Words.learn,
}


@dataclass(frozen=True)
class Encoder:
    """All columns that models see, in the order of the training table, and the names of those they do not."""

    columns: tuple[Numeric | Categorical | Words, ...]
    left_out: NDArray[Any]

    @classmethod
    def learn(cls, grid: Grid, roles: Sequence[Role], encoding: str = "indicators") -> Encoder:
        """What the roles and the training rows say; `encoding` is one of `CATEGORIES`.

        Raises
        ------
        InputError
            If no column is left.
        """
        words = {r.column: DifferentWords.of(grid.columns[r.column]) for r in roles if r.role == CATEGORICAL}
        return cls.of(words, len(grid), roles, encoding)

    @classmethod
    def of(cls, words: Mapping[str, DifferentWords], n: int, roles: Sequence[Role], encoding: str) -> Encoder:
        """What the roles say, and the words of columns of categories in n training rows."""
        columns = tuple(
            CATEGORIES[encoding](role.column, words[role.column], n)
            if role.role == CATEGORICAL
            else Numeric(role.column)
            for role in roles
            if role.used
        )
        left_out = [role for role in roles if not role.used]
        if not columns:
            reasons = ", ".join(f"{role.column!r} ({role.role})" for role in left_out) or "the table has no other"
            raise InputError(
                f"no column is left to learn from: {reasons}. Settle roles with --numeric, --categorical or --text."
            )
        return cls(columns, np.array([role.column for role in left_out], dtype=np.str_))

    @property
    def names(self) -> list[str]:
        """The columns a table must have."""
        return [column.name for column in self.columns]

    @property
    def features(self) -> list[str]:
        """(p,) the names of what models see, each once."""
        names: dict[str, None] = {}
        for column in self.columns:
            for feature in column.features:
                free = feature
                while free in names:  # a column may itself be called "sex=male"
                    free += "'"
                names[free] = None
        return list(names)

    @property
    def bases(self) -> list[str]:
        """The category of each column of indicators that has none, written as theirs are."""
        return [f"{column.name}={column.reference}" for column in self.columns if isinstance(column, Categorical)]

    def encode(self, grid: Grid) -> pl.DataFrame:
        """(n, p) float64, NaN where something is missing; words as words, null where one is.

        Raises
        ------
        InputError
            If a number is not one, or is infinite.
        """
        encoded = [
            series for column in self.columns for series in column.encode(grid.columns[column.name], grid.row_numbers)
        ]
        return pl.DataFrame(dict(zip(self.features, encoded, strict=True)))  # of a list, "" would be "column_0"

    def first_hole(self, grid: Grid, encoded: pl.DataFrame) -> str | None:
        """Which column has the first missing cell, and where; to follow "takes no missing cells, and"."""
        for column, place in self._places():
            feature = encoded.to_series(place)
            holes = (feature.is_nan() if feature.dtype.is_float() else feature.is_null()).to_numpy()
            if holes.any():
                at = int(np.flatnonzero(holes)[0])
                word, row = grid.columns[column.name].words()[at], grid.row_numbers[at]
                if word is None:
                    return f"column {column.name!r} has one in row {row}"
                return f"column {column.name!r} has {word!r} in row {row}, a category that no training row has"
        return None

    def _places(self) -> Iterator[tuple[Numeric | Categorical | Words, int]]:
        """Each column with its first feature's position; all its features have the same holes."""
        place = 0
        for column in self.columns:
            yield column, place
            place += len(column.features)
