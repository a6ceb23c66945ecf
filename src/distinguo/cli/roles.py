"""What each column is taken for, by rules that can be read and overridden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from distinguo.cli.cells import CODE, Grid
from distinguo.cli.facts import Facts, Numbers, Words
from distinguo.cli.folders import TEXT as TEXT_OF_FILES
from distinguo.cli.kinds import is_folder_of_texts
from distinguo.exceptions import InputError
from distinguo.rows.frames import check_known
from distinguo.rows.identifiers import is_named_like_an_identifier

NUMERIC, CATEGORICAL, IDENTIFIER, DATES, CONSTANT, TEXT, DROPPED, UNREADABLE = (
    "numeric",
    "categorical",
    "identifier-like",
    "dates",
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
        DATES,
        f"more than {MANY} different days or moments such as 2024-05-31 in every cell that is not missing, which new "
        "rows seldom share; left out, unless --categorical names it",
    ),
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

# A day, or a moment of it, as ISO 8601 and databases write it.
_DATE = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?)?$"
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
        if not is_folder_of_texts(table) or TEXT_OF_FILES in self.settled() or self.text:
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


def fixed(roles: Sequence[Role]) -> Overrides:
    """These roles, for other rows of the same table."""
    columns = {role: tuple(own.column for own in roles if own.role == role) for role in (NUMERIC, CATEGORICAL)}
    left_out = tuple(role.column for role in roles if not role.used)
    read = tuple(role.column for role in roles if role.read)
    return Overrides(columns[NUMERIC], columns[CATEGORICAL], read, left_out)


def assign(grid: Grid, overrides: Overrides) -> list[Role]:
    """The role of each column, by the rules, in the order of the table."""
    counted = words_asked(overrides)
    facts = {name: Facts.of(name, cells, name in counted) for name, cells in grid.columns.items()}
    return assign_by(facts, overrides)


def words_asked(overrides: Overrides) -> set[str]:
    """The columns whose words are needed, be they numbers."""
    return {*overrides.categorical, *overrides.text}


def assign_by(facts: Mapping[str, Facts], overrides: Overrides) -> list[Role]:
    """The role of each column of which this is known, by the rules, in the order of the table.

    Texts are read alone: where one is asked for, other columns are left out, and where other columns are used, texts.
    """
    settled = overrides.settled()
    roles = [_role(name, of_column, settled.get(name)) for name, of_column in facts.items()]
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


def _role(name: str, facts: Facts, asked: str | None) -> Role:
    """What the user asked for where the column allows it, else the first rule that holds."""
    if asked == DROPPED:
        return Role(name, DROPPED, "as asked")
    if facts.unreadable:
        return Role(name, UNREADABLE, f"holds {facts.unreadable}, neither words nor numbers")
    if not facts.known:
        return Role(name, CONSTANT, "every cell is missing")
    if asked is not None and facts.varies:
        return Role(name, asked, _length(facts.words.length) if asked == TEXT and facts.words is not None else "")
    if facts.numbers is not None:
        return _numbers(name, facts.numbers, facts.rows)
    assert facts.words is not None  # they are counted where there are some
    return _words(name, facts, facts.words)


def _numbers(name: str, numbers: Numbers, n: int) -> Role:
    """A column of n cells of numbers: constant, identifier-like or numeric."""
    if numbers.low == numbers.high:
        return Role(name, CONSTANT, f"every value is {numbers.first:.10g}")
    if numbers.known == n and numbers.whole:
        if numbers.different and is_named_like_an_identifier(name):
            return Role(name, IDENTIFIER, "whole numbers, each different, named like an identifier")
        # By little: part of a table's row numbers counts up so too.
        if n > 2 and numbers.rises and numbers.step < 2.5:
            return Role(name, IDENTIFIER, "whole numbers counting up")
    return Role(name, NUMERIC)


def _words(name: str, facts: Facts, found: Words) -> Role:
    """A column that is not all numbers: constant, identifier-like, text or categorical."""
    distinct = found.different
    if distinct == 1:
        return Role(name, CONSTANT, f"every value is {facts.first!r}")
    if distinct > MANY and found.are_all_like(_DATE):
        hint = f"column {name!r} holds dates, and is left out; --categorical {name!r} takes each as a category"
        return Role(name, DATES, f"{_many(found)} different dates", hint)
    hint = _hint(name, facts.known, found)
    words = found.length
    come_again = not found.is_full and 2 * distinct <= facts.known
    if distinct <= MANY or come_again:
        if words >= TEXT_WORDS and (distinct > MANY or not come_again):
            hint = hint or f"column {name!r} holds texts, taken for categories; --text {name!r} reads their words"
        return Role(name, CATEGORICAL, hint=hint)
    if words >= TEXT_WORDS:
        return Role(name, TEXT, _length(words), hint)
    return Role(name, IDENTIFIER, f"{_many(found)} different values in {facts.known} rows", hint)


def _many(found: Words) -> str:
    """How many different cells there are, as far as is known."""
    return f"more than {found.different}" if found.is_full else f"{found.different}"


def _length(words: float) -> str:
    """What a column of texts is like."""
    return f"{words:.0f} words a row"


def _hint(name: str, known: int, found: Words) -> str:
    """What may be wrong where most cells look like numbers and some do not."""
    if found.rows_like(CODE)[0]:
        return ""
    grouped, cell = found.rows_like(_GROUPED)
    if 2 * grouped > known:
        return (
            f"column {name!r} holds cells such as {cell!r}, numbers in groups of thousands: write them as "
            f"{cell.replace(',', '')!r}"
        )
    percent, cell = found.rows_like(_PERCENT)
    if 2 * percent > known:
        return f"column {name!r} holds cells such as {cell!r}: without the sign they are numbers"
    swapped, cell = found.rows_like(r"^[+-]?\d+,\d+$")
    if 2 * swapped > known:
        return f"column {name!r} holds cells such as {cell!r}: --decimal , reads them as numbers"
    others, cell = found.not_numbers()
    if found.is_full or 2 * others >= known:
        return ""
    return (
        f"column {name!r} holds numbers but for {others} cell(s) such as {cell!r}: "
        f"--null {cell!r} reads them as missing"
    )
