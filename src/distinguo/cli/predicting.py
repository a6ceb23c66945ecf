"""Rows in, the same rows out with what a model says of each: a batch at a time, whole files only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import Entry, find, listed, near_match, suggest, takers_of_holes
from distinguo.cli.cells import Spelling
from distinguo.cli.encoders import first_hole
from distinguo.cli.output import replacing
from distinguo.cli.persistence import SavedModel
from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames

Write = Callable[[pl.DataFrame], None]


@dataclass(frozen=True, slots=True)
class Unsure:
    """Between which probabilities of a class a row is left to people: from `low` on, and below `high`.

    Attributes
    ----------
    low, high : probabilities.
    column : the place of the class.
    """

    low: float
    high: float
    column: int

    @classmethod
    def of(cls, cuts: tuple[float, float], positive: str | None, saved: SavedModel) -> Unsure:
        """The two cut-offs, for the class named; of two classes, by default the second.

        Raises
        ------
        InputError
            If the model has no probabilities or no such class, or has several and none is named.
        """
        low, high = cuts
        classes = [str(label) for label in saved.model.classes_]
        if not find(saved.name).probabilities:
            raise InputError(f"{saved.name} has no probabilities to be unsure of; fit another model.")
        if positive is None and len(classes) > 2:
            raise InputError(
                f"--unsure needs --positive CLASS where there are more than two; there are {listed(classes)}"
            )
        if positive is not None and positive not in classes:
            raise InputError(f"there is no class {positive!r}; {suggest(positive, classes)}")
        return cls(low, high, len(classes) - 1 if positive is None else classes.index(positive))

    def among(self, probabilities: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(n,) which rows of probabilities (n, K) are unsure."""
        own = probabilities[:, self.column]
        return np.asarray((own >= self.low) & (own < self.high))


@dataclass
class Prediction:
    """A model at work on one table; afterwards it knows how many rows there were.

    Attributes
    ----------
    saved : the model.
    spelling : how the table writes numbers and holes.
    novel_below : a row whose typicality is smaller in every class is novel.
    unsure : between which probabilities of which class a row is unsure, or None.
    rows, novel, doubtful : how many so far; of these novel, and unsure.
    """

    saved: SavedModel
    spelling: Spelling
    novel_below: float
    unsure: Unsure | None = None
    rows: int = 0
    novel: int = 0
    doubtful: int = 0
    _names: list[str] = field(default_factory=list)

    @property
    def _entry(self) -> Entry:
        """What the model can do."""
        return find(self.saved.name)

    def start(self, names: Sequence[str], own: Sequence[str] = ()) -> list[str]:
        """Check the columns of the table; what the user should know of them, but for its `own`, made when it is read.

        Raises
        ------
        InputError
            If a column is missing.
        """
        needed = self.saved.encoder.names
        require_columns(self.saved, names)
        self._names, renamed = _free_names(self._own_names(), names)
        known = {*needed, *self.saved.encoder.left_out.tolist(), self.saved.target, *own}
        extra = [name for name in names if name not in known]
        notes = [f"the table already has a column {old!r}; ours is called {new!r}" for old, new in renamed.items()]
        if extra:
            shown = ", ".join(repr(name) for name in extra[:5]) + (", ..." if len(extra) > 5 else "")
            notes.append(f"columns the model does not know are passed through: {shown}")
        return notes

    def extend(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with label, probabilities, typicality and novelty appended."""
        grid = self.spelling.read(frame, self.saved.encoder.names, first_row=self.rows + 1)
        self.rows += frame.height
        X = self.saved.encoder.encode(grid)
        if not self._entry.holes:
            hole = first_hole(self.saved.encoder, grid, X)
            if hole is not None:
                raise InputError(
                    f"{self.saved.name} takes no missing cells, and {hole}. Fill it, leave the row out, or fit a model "
                    f"that takes them: {takers_of_holes()}."
                )
        columns = self._columns(X) if frame.height else self._no_rows()
        return frame.with_columns(column.alias(name) for name, column in zip(self._names, columns, strict=True))

    def _own_names(self) -> list[str]:
        """The columns to append, before the table's own names are known."""
        names = ["predicted"]
        if self._entry.probabilities:
            names += [f"p_{label}" for label in self.saved.model.classes_]
        if self.unsure is not None:
            names.append("unsure")
        return [*names, "typicality", "novel"] if self._entry.typicality else names

    def _columns(self, X: Any) -> list[pl.Series]:
        """What is appended to some rows."""
        model = self.saved.model
        if not self._entry.probabilities:
            return [pl.Series(model.predict(X))]
        probabilities = model.predict_proba(X)
        labels = model.classes_[probabilities.argmax(axis=1)]
        columns = [pl.Series(labels), *(pl.Series(column) for column in probabilities.T)]
        if self.unsure is not None:
            doubtful = self.unsure.among(probabilities)
            self.doubtful += int(doubtful.sum())
            columns.append(pl.Series(doubtful))
        if not self._entry.typicality:
            return columns
        typicality = model.typicality(X).max(axis=1)
        novel = typicality < self.novel_below
        self.novel += int(novel.sum())
        return [*columns, pl.Series(typicality), pl.Series(novel)]

    def _no_rows(self) -> list[pl.Series]:
        """The appended columns of a table without rows."""
        classes = self.saved.model.classes_
        floats = [pl.Series(np.empty(0)) for _ in classes] if self._entry.probabilities else []
        unsure = [] if self.unsure is None else [pl.Series(np.empty(0, bool))]
        tail = [pl.Series(np.empty(0)), pl.Series(np.empty(0, bool))] if self._entry.typicality else []
        return [pl.Series(classes[:0]), *floats, *unsure, *tail]


def predict(prediction: Prediction, frames: Frames, write: Write, unwritten: Sequence[str] = ()) -> None:
    """All rows of a table, in their order; a table without rows gives its header. Some columns may stay unwritten."""
    empty = True
    for frame in frames.frames():
        write(prediction.extend(frame).drop(unwritten))
        empty = False
    if empty:
        write(prediction.extend(pl.DataFrame(schema=frames.schema())))


@contextmanager
def writer(out: Path | None) -> Iterator[Write]:
    """What takes the rows: standard output, or a file that is there whole at the end or stays as it was.

    Raises
    ------
    InputError
        If the file cannot be written, or a column is of a type that CSV cannot hold.
    """
    if out is None:
        yield _csv_writer(sys.stdout.buffer.write)
        return
    suffix = out.suffix.lower()
    with replacing(out) as temporary:
        if suffix == ".parquet":
            with _parquet_writer(temporary) as write:
                yield write
            return
        with temporary.open("wb") as file:
            yield _csv_writer(file.write, separator="\t" if suffix == ".tsv" else ",")


def _csv_writer(write_bytes: Callable[[bytes], object], separator: str = ",") -> Write:
    """Frames as CSV, the header once."""
    header = True

    def write(frame: pl.DataFrame) -> None:
        nonlocal header
        nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
        if nested:
            raise InputError(f"column {nested[0]!r} holds {frame.schema[nested[0]]}, which CSV cannot; write .parquet.")
        write_bytes(frame.write_csv(include_header=header, separator=separator).encode())
        header = False

    return write


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Write]:
    """Frames as Parquet: a part a frame, joined at the end without holding them."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix=f"{path.name}-", dir=path.parent) as folder:
        parts: list[Path] = []

        def write(frame: pl.DataFrame) -> None:
            parts.append(Path(folder) / f"{len(parts)}.parquet")
            frame.write_parquet(parts[-1])

        yield write
        pl.scan_parquet(parts).sink_parquet(path)


def _free_names(wanted: Sequence[str], taken: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Names that are not taken, and which of them had to change."""
    used, names, renamed = set(taken), [], {}
    for name in wanted:
        free, count = name, 2
        while free in used:
            free, count = f"{name}_{count}", count + 1
        if free != name:
            renamed[name] = free
        used.add(free)
        names.append(free)
    return names, renamed


def require_columns(saved: SavedModel, names: Sequence[str]) -> None:
    """Raise where a table with columns of these names lacks one of the model."""
    missing = [name for name in saved.encoder.names if name not in names]
    if missing:
        raise InputError(_missing_columns(missing, names))


def _missing_columns(missing: Sequence[str], names: Sequence[str]) -> str:
    """All columns that are missing, with what may have been meant by the first, or else what there is."""
    shown = ", ".join(repr(name) for name in missing[:10]) + (", ..." if len(missing) > 10 else "")
    what = "a column" if len(missing) == 1 else f"{len(missing)} columns"
    near = near_match(missing[0], names)
    hint = f"the table has {listed(names)}" if near is None else f"for {missing[0]!r} did you mean {near!r}?"
    return f"the table lacks {what} of the model: {shown}; {hint}"
