"""From columns with roles to the numbers that models take, the same way for every later table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.cli.cells import Cells, Grid
from distinguo.cli.roles import CATEGORICAL, OTHER, RARE_ROWS, RARE_SHARE, Role
from distinguo.exceptions import InputError

Array = NDArray[np.float64]

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

    def encode(self, cells: Cells, rows: NDArray[np.intp]) -> Array:
        """(n, 1) numbers, NaN where a cell is missing."""
        wrong = (cells.numbers.is_null() & cells.raw.is_not_null()).arg_true()
        if len(wrong):
            word = cells.raw[wrong[0]]
            mark = _DECIMAL.fullmatch(word)
            remedy = f"--decimal {mark[1]} reads it" if mark else f"Mend it, or read it as missing with --null {word!r}"
            raise InputError(f"column {self.name!r}, row {rows[wrong[0]]}: {word!r} is not a number. {remedy}.")
        values: Array = cells.numbers.to_numpy().astype(np.float64, copy=False)
        infinite = np.isinf(values)
        if infinite.any():
            row = int(np.flatnonzero(infinite)[0])
            raise InputError(
                f"column {self.name!r}, row {rows[row]}: {cells.raw[row]} is not a finite number. Read it as missing "
                f"with --null {cells.raw[row]}, or leave the column out with --drop {self.name!r}."
            )
        return values[:, None]


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
    def learn(cls, name: str, words: pl.Series) -> Categorical:
        """The categories of the training rows."""
        counts = words.drop_nulls().value_counts(name="rows").sort("rows", words.name, descending=[True, False])
        few = max(2, min(RARE_ROWS, RARE_SHARE * len(words)))
        common = counts.filter((pl.col("rows") >= few) | (pl.int_range(pl.len()) == 0))[words.name].to_list()
        return cls(name, common[0], np.array(common[1:], dtype=np.str_), pooled=len(common) < counts.height)

    @property
    def features(self) -> list[str]:
        """The names of the indicators."""
        return [f"{self.name}={level}" for level in [*self.levels.tolist(), *([OTHER] if self.pooled else [])]]

    def encode(self, cells: Cells, rows: NDArray[np.intp]) -> Array:
        """(n, number of indicators) of 0 and 1; NaN where a cell is missing, or never seen and nothing is pooled."""
        width = len(self.levels) + self.pooled
        known = [self.reference, *self.levels.tolist()]
        unseen = len(known) if self.pooled else -1
        words = cells.words()
        codes = words.replace_strict(known, range(len(known)), default=unseen, return_dtype=pl.Int64)
        code = codes.set(words.is_null(), -1).to_numpy()
        indicators: Array = (code[:, None] == np.arange(1, width + 1)).astype(np.float64)
        indicators[code < 0] = np.nan
        return indicators


@dataclass(frozen=True)
class Words:
    """A column of categories for models that take them as words."""

    name: str

    @classmethod
    def learn(cls, name: str, words: pl.Series) -> Words:
        """Nothing is learned of the training rows: what categories there are, the model finds out."""
        return cls(name)

    @property
    def features(self) -> list[str]:
        """The name of its one feature."""
        return [self.name]


# How columns of categories are shown to models, by the name of it in the catalogue.
CATEGORIES: dict[str, Callable[[str, pl.Series], Categorical | Words]] = {
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
        used = [role for role in roles if role.used]
        columns = tuple(_learn_column(role, grid.columns[role.column], encoding) for role in used)
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
        places = [(column, slice(at, at + len(column.features))) for column, at in self._places()]
        features = self.features
        words = {features[at.start]: grid.columns[c.name].words() for c, at in places if isinstance(c, Words)}
        numbers = [(c, at) for c, at in places if not isinstance(c, Words)]
        blocks = [c.encode(grid.columns[c.name], grid.row_numbers) for c, _ in numbers]
        schema = [name for _, at in numbers for name in features[at]]
        block = np.concatenate([np.empty((len(grid), 0)), *blocks], axis=1)
        frame = pl.DataFrame(block, schema=schema, orient="row")
        return frame.with_columns(**words).select(features) if words else frame

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


def _learn_column(role: Role, cells: Cells, encoding: str) -> Numeric | Categorical | Words:
    if role.role != CATEGORICAL:
        return Numeric(role.column)
    return CATEGORIES[encoding](role.column, cells.words())
