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

from distinguo.cli.cells import NULL_WORDS, Cells, Grid, Spelling
from distinguo.cli.datasets import EMBEDDED, Embedded
from distinguo.cli.folders import CLASS, FolderFrames
from distinguo.exceptions import InputError
from distinguo.rows.frames import STANDARD_INPUT, Frames, check_known
from distinguo.rows.opening import open_frames

# Numbers with fractions are classes only where there are no more different ones than this.
MOST_FRACTIONS = 10


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
    if Path(name).is_dir():
        return FolderFrames(Path(name), reading.encoding, reading.errors)
    if not (Path(name).exists() or Path(name).suffix or name == STANDARD_INPUT or glob.has_magic(name)):
        known = ", ".join(EMBEDDED)
        raise InputError(f"there is no file {name!r}, and no embedded set of that name (there are {known}).")
    frames = None
    if name != STANDARD_INPUT and reading.delimiter is None and reading.decimal == ".":
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
    if Path(name).is_dir():
        if column not in {None, CLASS}:
            raise InputError(
                f"'{name}' is a folder, which is taken for texts, a folder a class; leave out --target. Tables in it "
                f"are named by a pattern, such as '{name}/*.csv'."
            )
        column = CLASS
    if column is None:
        column = EMBEDDED[name].target
    check_known(column, names, "the target")
    return column


def read_labelled(name: str, target: str | None, reading: Reading) -> Labelled:
    """The rows of a table that have a label.

    Raises
    ------
    InputError
        If there are none, or the target's values are not classes.
    """
    frames = open_table(name, reading)
    column = target_of(name, target, frames.names)
    frame = read_whole(frames, name)
    spelling = reading.spelling
    cells = spelling.read_column(frame[column])
    if cells.unreadable:
        raise InputError(f"the target {column!r} holds {cells.unreadable}, neither words nor numbers.")
    known = np.flatnonzero(cells.raw.is_not_null().to_numpy())
    if not len(known):
        raise InputError(f"the target {column!r} is missing in every row of {name!r}.")
    made = {column, *frames.own_names} - set(frames.unwritten)
    grid = spelling.read(frame, [other for other in frame.columns if other not in made])
    labels = _labels(frame[column].gather(known), cells.take(known), column)
    return Labelled(grid.take(known), labels, column, frame.height - len(known))


def check_classes(labels: NDArray[Any], target: str, least: int = 1) -> dict[str, int]:
    """Rows per class; raises unless there are two classes, of at least `least` rows each."""
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise InputError(
            f"the target {target!r} has one class only, {str(classes[0])!r}, in {len(labels)} rows; there is "
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


def _labels(series: pl.Series, cells: Cells, target: str) -> NDArray[Any]:
    """The labels as they were written; typed whole numbers and truth values as they were typed."""
    numbers = cells.numbers.drop_nulls()
    if len(numbers) == len(cells.raw):
        fractions = bool((numbers != numbers.floor()).any())
        distinct = numbers.n_unique()
        if fractions and distinct > MOST_FRACTIONS:
            raise InputError(
                f"the target {target!r} holds {distinct} different numbers such as {numbers[0]:.6g}: measurements, "
                "not classes. Choose another --target, or cut the numbers into classes."
            )
        if series.dtype.is_integer():
            return series.to_numpy()  # as they are: past 2^53 different ones may be one Float64
    # A Float32 is written with as few digits as tell it from others of its type.
    words = series.cast(pl.String).str.strip_suffix(".0") if series.dtype == pl.Float32 else cells.words()
    distinct = words.n_unique()
    if 2 * distinct > len(words) > 20:
        raise InputError(
            f"the target {target!r} has {distinct} different values in {len(words)} rows, such as {words[0]!r}: names, "
            "not classes. Choose another --target."
        )
    if series.dtype == pl.Boolean:
        return (words == "true").to_numpy()
    return words.to_numpy().astype(np.str_)
