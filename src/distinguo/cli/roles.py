"""What each column is taken for, by rules that can be read and overridden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from distinguo.cli.cells import Cells, Grid
from distinguo.cli.folders import TEXT as TEXT_OF_FILES
from distinguo.exceptions import InputError
from distinguo.rows.frames import check_known
from distinguo.rows.identifiers import is_named_like_an_identifier

NUMERIC, CATEGORICAL, IDENTIFIER, CONSTANT, TEXT, DROPPED, UNREADABLE = (
    "numeric",
    "categorical",
    "identifier-like",
    "constant",
    "text",
    "dropped",
    "unreadable",
)

# Categories that share one indicator.
OTHER = "(other)"
RARE_ROWS = 20
RARE_SHARE = 0.01

MANY = 20
# Words in a cell, on average, that make a text of it.
TEXT_WORDS = 3
RULES = (
    (CONSTANT, "one value, or none; left out"),
    (
        IDENTIFIER,
        "whole numbers, each different, counting up or named like identifiers (id, index, ...); or words or codes "
        f"(007), more than {MANY} different ones and in more than half of the rows; left out",
    ),
    (
        TEXT,
        "words as before, three or more in a cell on average; left out beside numeric and categorical columns, unless "
        "--text names it, and otherwise what models read, word by word",
    ),
    (NUMERIC, "numbers in every cell that is not missing"),
    (
        CATEGORICAL,
        f"everything else; a category of one row, or of fewer than {RARE_ROWS} and {RARE_SHARE:.0%} of all, goes to "
        f"{OTHER}",
    ),
)

# Commas that can only set thousands apart: two of them, or one before a decimal point.
_GROUPED = r"^[+-]?\d{1,3}(,\d{3})+(,\d{3}|\.\d+)$"
_PERCENT = r"^[+-]?\d+([.,]\d+)?\s?%$"


@dataclass(frozen=True, slots=True)
class Role:
    """What one column is taken for.

    Attributes
    ----------
    column, role : the name of the column, and its role.
    why : the reason, where the column is left out; of texts, how long they are.
    hint : what the user may have wanted instead, or "".
    read : whether it is a text whose words models see.
    """

    column: str
    role: str
    why: str = ""
    hint: str = ""
    read: bool = False

    @property
    def used(self) -> bool:
        """Whether models see this column."""
        return self.read or self.role in {NUMERIC, CATEGORICAL}


@dataclass(frozen=True, slots=True)
class Overrides:
    """Columns whose role the user has settled."""

    numeric: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def of_folder(self, table: str) -> Overrides:
        """The same; where the table is a folder its texts are read, be they few, unless something else was asked."""
        if not Path(table).is_dir() or TEXT_OF_FILES in self.settled() or self.text:
            return self
        return replace(self, text=(TEXT_OF_FILES,))

    def settled(self) -> dict[str, str]:
        """From column to role."""
        by_role = {NUMERIC: self.numeric, CATEGORICAL: self.categorical, TEXT: self.text, DROPPED: self.drop}
        settled: dict[str, str] = {}
        for role, columns in by_role.items():
            for column in columns:
                if settled.setdefault(column, role) != role:
                    raise InputError(f"column {column!r} is asked to be both {settled[column]} and {role}.")
        return settled

    def check(self, names: Sequence[str], target: str | None = None) -> None:
        """Raise where a settled column is the target, or not in the table."""
        for column, role in self.settled().items():
            if column == target:
                raise InputError(f"column {column!r} is the target, whose classes are learned; it cannot be {role}.")
            check_known(column, names, role)


def assign(grid: Grid, overrides: Overrides) -> list[Role]:
    """The role of each column, by the rules, in the order of the table.

    Texts are read alone: where one is asked for, other columns are left out, and where other columns are used, texts.
    """
    settled = overrides.settled()
    roles = [_role(name, cells, settled.get(name)) for name, cells in grid.columns.items()]
    if overrides.text:
        return [_beside_text(role, role.column in overrides.text) for role in roles]
    if any(role.used for role in roles):
        return [_text_beside(role) for role in roles]
    return [replace(role, read=role.role == TEXT) for role in roles]


def _beside_text(role: Role, asked: bool) -> Role:
    """The role of a column where texts are read."""
    if asked or not role.used:
        return replace(role, read=asked and role.role == TEXT)
    return Role(role.column, DROPPED, "beside a text")


def _text_beside(role: Role) -> Role:
    """The role of a column where others are used."""
    if role.role != TEXT:
        return role
    return replace(
        role, hint=role.hint or f"column {role.column!r} holds texts; --text {role.column!r} reads them alone"
    )


def _role(name: str, cells: Cells, asked: str | None) -> Role:
    """What the user asked for where the column allows it, else the first rule that holds."""
    if asked == DROPPED:
        return Role(name, DROPPED, "as asked")
    if cells.unreadable:
        return Role(name, UNREADABLE, f"holds {cells.unreadable}, neither words nor numbers")
    known = cells.raw.drop_nulls()
    if not len(known):
        return Role(name, CONSTANT, "every cell is missing")
    if asked is not None and known.n_unique() > 1:
        return Role(name, asked, _length(_words_of(known)) if asked == TEXT else "")
    if cells.numbers.null_count() == cells.raw.null_count() and not cells.coded():
        return _numbers(name, cells.numbers.drop_nulls(), len(cells.raw))
    return _words(name, cells, known)


def _numbers(name: str, numbers: pl.Series, n: int) -> Role:
    """A column of numbers: constant, identifier-like or numeric."""
    distinct = numbers.n_unique()
    if distinct == 1:
        return Role(name, CONSTANT, f"every value is {numbers[0]:.10g}")
    if distinct == n and bool((numbers == numbers.floor()).all()):
        if is_named_like_an_identifier(name):
            return Role(name, IDENTIFIER, "whole numbers, each different, named like an identifier")
        if n > 2 and _counts_up(numbers):
            return Role(name, IDENTIFIER, "whole numbers counting up")
    return Role(name, NUMERIC)


def _counts_up(numbers: pl.Series) -> bool:
    """Whether each number is larger than the last, by little: part of a table's row numbers does so too."""
    steps = np.diff(numbers.to_numpy())
    return bool((steps > 0).all()) and float(steps.mean()) < 2.5


def _words(name: str, cells: Cells, known: pl.Series) -> Role:
    """A column that is not all numbers: constant, identifier-like, text or categorical."""
    distinct = known.n_unique()
    if distinct == 1:
        return Role(name, CONSTANT, f"every value is {known[0]!r}")
    hint = _hint(name, cells, known)
    words = _words_of(known)
    come_again = 2 * distinct <= len(known)
    if distinct <= MANY or come_again:
        if words >= TEXT_WORDS and (distinct > MANY or not come_again):
            hint = hint or f"column {name!r} holds texts, taken for categories; --text {name!r} reads their words"
        return Role(name, CATEGORICAL, hint=hint)
    if words >= TEXT_WORDS:
        return Role(name, TEXT, _length(words), hint)
    return Role(name, IDENTIFIER, f"{distinct} different values in {len(known)} rows", hint)


def _words_of(known: pl.Series) -> float:
    """How many words a cell has on average."""
    mean = known.str.count_matches(r"\S+").mean()
    return mean if isinstance(mean, float) else 0.0


def _length(words: float) -> str:
    """What a column of texts is like."""
    return f"{words:.0f} words a row"


def _hint(name: str, cells: Cells, known: pl.Series) -> str:
    """What may be wrong where most cells look like numbers and some do not."""
    if cells.coded():
        return ""
    grouped = known.filter(known.str.contains(_GROUPED))
    if 2 * len(grouped) > len(known):
        return (
            f"column {name!r} holds cells such as {grouped[0]!r}, numbers in groups of thousands: write them as "
            f"{grouped[0].replace(',', '')!r}"
        )
    percent = known.filter(known.str.contains(_PERCENT))
    if 2 * len(percent) > len(known):
        return f"column {name!r} holds cells such as {percent[0]!r}: without the sign they are numbers"
    swapped = known.filter(known.str.contains(r"^[+-]?\d+,\d+$"))
    if 2 * len(swapped) > len(known):
        return f"column {name!r} holds cells such as {swapped[0]!r}: --decimal , reads them as numbers"
    numbers = len(cells.numbers) - cells.numbers.null_count()
    if 2 * numbers <= len(known):
        return ""
    other = known.filter(cells.numbers.filter(cells.raw.is_not_null()).is_null())
    return (
        f"column {name!r} holds numbers but for {len(other)} cell(s) such as {other[0]!r}: "
        f"--null {other[0]!r} reads them as missing"
    )
