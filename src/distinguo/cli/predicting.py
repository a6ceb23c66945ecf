"""Rows in, the same rows out with what a model says of each: a batch at a time, whole files only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from distinguo.catalogue import find, listed, near_match, takers_of_holes
from distinguo.cli.cells import Grid, Spelling
from distinguo.cli.encoders import first_hole
from distinguo.cli.output import replacing
from distinguo.cli.passes import passed
from distinguo.cli.persistence import SavedModel
from distinguo.cli.remarks import Remark, Said
from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames
from distinguo.rows.progress import Show

Write = Callable[[pl.DataFrame], None]


@dataclass
class Prediction:
    """A model at work on one table; afterwards it knows what it has said.

    Attributes
    ----------
    saved : the model.
    spelling : how the table writes numbers and holes.
    remarks : what is said of the rows.
    rows : how many so far.
    """

    saved: SavedModel
    spelling: Spelling
    remarks: Sequence[Remark]
    rows: int = 0
    _names: list[str] = field(default_factory=list)

    def start(self, names: Sequence[str], own: Sequence[str] = ()) -> list[str]:
        """Check the columns of the table; what the user should know of them, but for its `own`, made when it is read.

        Raises
        ------
        InputError
            If a column is missing.
        """
        require_columns(self.saved, names)
        wanted = [name for remark in self.remarks for name in remark.names]
        self._names, renamed = _free_names(wanted, names)
        encoder = self.saved.encoder
        known = {*encoder.names, *encoder.left_out.tolist(), self.saved.target, *own}
        extra = [name for name in names if name not in known]
        notes = [f"the table already has a column {old!r}; ours is called {new!r}" for old, new in renamed.items()]
        if extra:
            shown = ", ".join(repr(name) for name in extra[:5]) + (", ..." if len(extra) > 5 else "")
            notes.append(f"columns the model does not know are passed through: {shown}")
        return notes

    def extend(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with what is said of them appended."""
        grid = self.spelling.read(frame, self.saved.encoder.names, first_row=self.rows + 1)
        self.rows += frame.height
        said = Said.of(self.saved, encoded(self.saved, grid)) if frame.height else None
        columns = [
            column
            for remark in self.remarks
            for column in (remark.columns(said) if said is not None else remark.no_rows())
        ]
        return frame.with_columns(column.alias(name) for name, column in zip(self._names, columns, strict=True))

    def notes(self) -> list[str]:
        """What the user should know of all that was said."""
        return [note for remark in self.remarks for note in remark.notes(self.rows)]


def encoded(saved: SavedModel, grid: Grid) -> Any:
    """Rows as a model takes them.

    Raises
    ------
    InputError
        If cells are missing, and it takes none.
    """
    X = saved.encoder.encode(grid)
    hole = None if find(saved.name).holes else first_hole(saved.encoder, grid, X)
    if hole is not None:
        raise InputError(
            f"{saved.name} takes no missing cells, and {hole}. Fill it, leave the row out, or fit a model that takes "
            f"them: {takers_of_holes()}."
        )
    return X


def predict(
    prediction: Prediction, frames: Frames, write: Write, unwritten: Sequence[str] = (), show: Show | None = None
) -> None:
    """All rows of a table, in their order; a table without rows gives its header.

    Parameters
    ----------
    prediction : what says something of rows.
    frames : the table.
    write : what takes the rows.
    unwritten : columns that are not written.
    show : what is told how far it has come, or None.
    """
    empty = True
    for _, frame in passed(frames, None, show):
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
    """Frames as Parquet: a part a frame, as Arrow, which costs least; joined at the end without holding them."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix=f"{path.name}-", dir=path.parent) as folder:
        parts: list[Path] = []

        def write(frame: pl.DataFrame) -> None:
            parts.append(Path(folder) / f"{len(parts)}.arrow")
            frame.write_ipc(parts[-1])

        yield write
        pl.scan_ipc(parts).sink_parquet(path)


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
