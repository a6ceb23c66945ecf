"""Files as data frames, a batch at a time: what every format has in common."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.places import Located
from distinguo.rows.shares import Shares

STANDARD_INPUT = "-"


class Frames(ABC):
    """The rows of one or more files with the same columns, to be passed over as often as wanted.

    Attributes
    ----------
    names : names of the columns, in the order of the first file.
    is_text : whether every column is text, verbatim but for missing cells, which are null; otherwise columns are
        of the types that the file gives them.
    decimal : the decimal mark in cells of text.
    row_names : the column that stood first without a name, as R and pandas write row names, or None.
    own_names : columns that were not in the files, but made of where they are.
    unwritten : columns that are too bulky to be written beside what is said of the rows.
    """

    names: list[str]
    is_text: bool
    decimal: str = "."
    row_names: str | None = None
    own_names: Sequence[str] = ()
    unwritten: Sequence[str] = ()

    @abstractmethod
    def schema(self) -> pl.Schema:
        """Names and types of the columns."""

    @abstractmethod
    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """One pass over the rows, in their order; `columns` are the ones to read, all by default."""

    def shares(self, columns: Sequence[str], workers: int) -> Shares:
        """The rows of one pass, dealt to workers that read at the same time."""
        return Shares.of_frames(self.frames(columns), workers)

    def only(self, columns: Sequence[str], met: Callable[[pl.DataFrame], bool]) -> Frames:
        """The frames without files that a condition on these columns leaves out, where folders alone tell that.

        Parameters
        ----------
        columns : what the condition is about.
        met : whether a row of these columns meets it.
        """
        return self

    def count(self) -> tuple[int, bool]:
        """How many rows there are, and whether they were counted or only estimated; without reading them."""
        return sum(frame.height for frame in self.frames(self.names[:1])), True


def check_same_columns(file: Located, names: Sequence[str], first: Located, expected: Sequence[str]) -> None:
    """Raise unless two files have the same columns, in any order."""
    missing = [name for name in expected if name not in set(names)]
    extra = [name for name in names if name not in set(expected)]
    if missing or extra:
        differences = [f"lacks {quoted(missing)}"] * bool(missing) + [f"has {quoted(extra)} besides"] * bool(extra)
        raise InputError(
            f"{file} {' and '.join(differences)}, unlike {first}; files read together share their columns."
        )


def check_known(name: str, names: Sequence[str], role: str, otherwise: str = "") -> None:
    """Raise unless a column exists; the message lists those that do, and the nearest, or says what else was meant."""
    if name in names:
        return
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]!r}?" if near else f" {otherwise}".rstrip()
    raise InputError(f"there is no column {name!r} to be {role}.{hint} The columns are: {quoted(names, 20)}.")


def quoted(names: Iterable[str], most: int = 5) -> str:
    """The first few names for a message."""
    names = list(names)
    return ", ".join(repr(name) for name in names[:most]) + (
        f", ... ({len(names)} in all)" if len(names) > most else ""
    )
