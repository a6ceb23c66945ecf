"""A table as the command line reads it: which file or set, how it is written, and its rows with their labels."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.cli.cells import NULL_WORDS, Grid, Spelling
from distinguo.cli.condition import Condition
from distinguo.cli.datasets import EMBEDDED, Embedded
from distinguo.cli.folders import CLASS, FolderFrames
from distinguo.cli.kinds import is_folder_of_texts
from distinguo.cli.labels import LabelColumn
from distinguo.exceptions import InputError
from distinguo.rows.frames import STANDARD_INPUT, Frames, check_known
from distinguo.rows.opening import open_frames
from distinguo.rows.places import TEXT_SUFFIXES, Place, is_address


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table is written; `encoding` and `errors` are of folders of texts, for tables are UTF-8."""

    delimiter: str | None = None
    decimal: str = "."
    nulls: tuple[str, ...] = ()
    encoding: str = "utf-8"
    errors: str = "strict"

    def like(self, decimal: str, nulls: Sequence[str]) -> Reading:
        """The same, with the decimal mark and the words for missing of another table where this one has none."""
        return replace(self, decimal=self.decimal or decimal, nulls=(*nulls, *self.nulls))

    def of_texts(self, options: Mapping[str, Any]) -> Reading:
        """The same, with what options of TextCounts say of how files of texts are written."""
        asked = {"encoding": options.get("encoding"), "errors": options.get("decode_error")}
        return replace(self, **{name: value for name, value in asked.items() if value is not None})

    @property
    def spelling(self) -> Spelling:
        """How its cells are read."""
        return Spelling(self.decimal, (*NULL_WORDS, *self.nulls))


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows that have a label, and how many had none.

    Attributes
    ----------
    grid : the columns besides the target.
    labels : (n,) text as it was written, or numbers as they were typed.
    target : the name of the labels' column.
    unlabelled : how many rows were left out.
    """

    grid: Grid
    labels: NDArray[Any]
    target: str
    unlabelled: int


class EmbeddedFrames(Frames):
    """An embedded set, read as if it were a file."""

    is_text = False

    def __init__(self, entry: Embedded) -> None:
        self._frame = entry.load()
        self.names = self._frame.columns

    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return self._frame.schema

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The rows, all at once."""
        yield self._frame if columns is None else self._frame.select(columns)


def open_table(name: str, reading: Reading) -> Frames:
    """The frames of a file, of standard input ("-"), or of an embedded set.

    Words that mean missing are left as they are written, so that rows can be written back as they came.
    """
    if name in EMBEDDED and not Path(name).exists():
        return EmbeddedFrames(EMBEDDED[name])
    if is_folder_of_texts(name):
        return FolderFrames(Path(name), reading.encoding, reading.errors)
    address = is_address(name)
    if not (address or Path(name).exists() or Path(name).suffix or name == STANDARD_INPUT or glob.has_magic(name)):
        known = ", ".join(EMBEDDED)
        raise InputError(f"there is no file {name!r}, and no embedded set of that name (there are {known}).")
    frames = None
    is_copied = name == STANDARD_INPUT or (address and Place(name).suffix in TEXT_SUFFIXES - {""})
    if not is_copied and reading.delimiter is None and reading.decimal == ".":
        frames = open_frames(name)
    if frames is not None and not frames.is_text:
        return frames
    return open_frames(name, delimiter=reading.delimiter, decimal=reading.decimal, nulls=("",))


def read_whole(frames: Frames, name: str) -> pl.DataFrame:
    """All rows at once.

    Raises
    ------
    InputError
        If there are none.
    """
    parts = list(frames.frames())
    rows = pl.concat(parts) if parts else pl.DataFrame()
    if not rows.height:
        raise InputError(f"the table {name!r} has a header and no rows; there is nothing to learn from.")
    return rows


def target_of(name: str, target: str | None, names: list[str]) -> str:
    """The column of labels: the one asked for, or the one a folder or an embedded set is known for."""
    column = target
    if is_folder_of_texts(name):
        if column not in {None, CLASS}:
            raise InputError(
                f"'{name}' is a folder not all of whose files are tables, so that it is taken for texts, a folder a "
                f"class; leave out --target. Tables in it are named by a pattern, such as '{name}/*.csv'."
            )
        column = CLASS
    if column is None:
        column = EMBEDDED[name].target
    check_known(column, names, "the target")
    return column


@dataclass(frozen=True)
class Labelling:
    """How rows with labels are read from a table, all at once or some at a time.

    Attributes
    ----------
    name : what the table is called.
    frames : its rows.
    target : the column of labels.
    spelling : how its cells are read.
    condition : which rows take part; None for all.
    """

    name: str
    frames: Frames
    target: str
    spelling: Spelling
    condition: Condition | None

    @classmethod
    def of(cls, name: str, target: str | None, reading: Reading, where: str | None = None) -> Labelling:
        """That of a file, of standard input, or of an embedded set.

        Raises
        ------
        InputError
            If it is not there, or has no such target, or the condition cannot be understood.
        """
        frames = open_table(name, reading)
        spelling = reading.spelling
        condition = None if where is None else Condition.of(where, frames, spelling)
        return cls(name, frames, target_of(name, target, frames.names), spelling, condition)

    @property
    def columns(self) -> list[str]:
        """The names of the columns besides the target."""
        made = {self.target, *self.frames.own_names} - set(self.frames.unwritten)
        return [name for name in self.frames.names if name not in made]

    def wanted(self, columns: Sequence[str]) -> list[str]:
        """Some columns, and those that say which rows take part and what their labels are."""
        return list(dict.fromkeys([*columns, self.target, *(() if self.condition is None else self.condition.columns)]))

    def read(self, frame: pl.DataFrame, first_row: int, labels: LabelColumn, columns: Sequence[str]) -> Labelled:
        """Those of some rows that take part and have a label; `labels` learns of them."""
        met = None if self.condition is None else self.condition.met(frame, first_row)
        known, found, missing = labels.read(frame[self.target], met)
        grid = self.spelling.read(frame, columns, first_row + 1)
        return Labelled(grid if len(known) == frame.height else grid.take(known), found, self.target, missing)

    def whole(self) -> Labelled:
        """All of them.

        Raises
        ------
        InputError
            If there are none, or the target's values are not classes.
        """
        labels = LabelColumn(self.target, self.spelling)
        rows = self.read(read_whole(self.frames, self.name), 0, labels, self.columns)
        labels.check(self.name)
        return rows


def read_labelled(name: str, target: str | None, reading: Reading, where: str | None = None) -> Labelled:
    """The rows of a table that have a label, and meet a condition.

    Raises
    ------
    InputError
        If there are none, or the target's values are not classes.
    """
    return Labelling.of(name, target, reading, where).whole()


def check_classes(labels: NDArray[Any], target: str, least: int = 1) -> dict[str, int]:
    """Rows per class; raises unless there are two classes, of at least `least` rows each."""
    return check_counts(*np.unique(labels, return_counts=True), target, least)


def check_counts(classes: NDArray[Any], counts: NDArray[Any], target: str, least: int = 1) -> dict[str, int]:
    """The same of classes (K,) that are counted."""
    if len(classes) < 2:
        raise InputError(
            f"the target {target!r} has one class only, {str(classes[0])!r}, in {int(counts.sum())} rows; there is "
            "nothing to tell apart."
        )
    small = [str(label) for label, count in zip(classes, counts, strict=True) if count < least]
    if small:
        shown = ", ".join(repr(label) for label in small[:5]) + (", ..." if len(small) > 5 else "")
        raise InputError(
            f"{len(small)} class(es) of {target!r} have one row, which cannot be both learned from and tested on: "
            f"{shown}. Give them more rows, merge them with others, or clear their target cells."
        )
    return {str(label): int(count) for label, count in zip(classes, counts, strict=True)}
