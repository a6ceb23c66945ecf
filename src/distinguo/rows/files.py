"""Labelled rows in files: CSV and its kin, Parquet and Arrow, streamed in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import Batch, Reducer, Size, Source, T, checked, total
from distinguo.rows.frames import Frames
from distinguo.rows.opening import DEFAULT_NULLS, check_whole, open_frames
from distinguo.rows.places import PathLike
from distinguo.rows.progress import Meter, Show, metered, on_stderr
from distinguo.rows.reading import EMPTY, RowReader, Seen, feature_columns, numbered, refuse_words
from distinguo.rows.room import announce
from distinguo.rows.shares import Hand, Numbered
from distinguo.rows.vocabulary import TEXT, spelling_of
from distinguo.rows.where import Where
from distinguo.rows.written import kinds_of

WORKERS = 2


class FileSource(Source):
    r"""Labelled rows in files, passed over in batches; `scan` makes one.

    Parameters
    ----------
    frames : the files.
    target : the column of labels.
    weight : the column of frequencies, or None.
    columns : the columns of features; by default all but `target`, `weight` and row names.
    labels : "auto" or "text", as in `scan`.
    batch_rows : most rows in a batch; by default as many as fit the processor's cache.
    where : a condition on rows, or None.
    workers : threads that read and count at the same time.
    progress : what is told how far a pass has come, or None.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.csv"
    ...     _ = file.write_text("x,y\n1.5,a\n2.5,b\n")
    ...     source = FileSource(open_frames(file), "y")
    ...     [(batch.X.tolist(), batch.codes.tolist(), batch.classes.tolist()) for batch in source.batches()]
    [([[1.5], [2.5]], [0, 1], ['a', 'b'])]
    """

    def __init__(
        self,
        frames: Frames,
        target: str,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        labels: Literal["auto", "text"] = "auto",
        batch_rows: int | None = None,
        where: Any = None,
        workers: int = WORKERS,
        progress: Show | None = None,
    ) -> None:
        if labels not in {"auto", "text"}:
            raise InputError(f"labels must be 'auto' or 'text', not {labels!r}.")
        check_whole(workers, "workers")
        if progress is not None and not callable(progress):
            raise InputTypeError(f"progress must be True, False or a function of a Progress; {progress!r} came.")
        self._frames, self._labels, self._workers, self._progress = frames, labels, workers, progress
        features = tuple(feature_columns(frames.names, target, weight, columns, frames.row_names))
        self._reader = RowReader(features, target, weight, frames.decimal, batch_rows=batch_rows)
        self._where = None if where is None else Where.of(where, frames)
        if self._where is not None:
            self._frames = frames.only(self._where.columns, self._where.met_by_first)
        self._passes = 0

    @property
    def feature_names(self) -> NDArray[Any]:
        """(p,) names of the columns."""
        return self._reader.names

    def size(self) -> Size:
        """How many rows and columns there are, those included that a condition leaves out."""
        rows, exact = self._frames.count()
        return Size(rows, len(self._reader.columns), exact and self._where is None)

    def batches(self, words: bool = False) -> Iterator[Batch]:
        """One pass over the rows, in their order; with `words` as columns of numbers and words.

        `classes` grows as labels are met, in that order, and is the same array until there is a new one.
        """
        reader = self._settled(words)
        seen = Seen()
        yield from seen.counted(reader.batches(self._numbered(), words))
        seen.check(reader.weight, self._nothing)

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, in one pass, by all workers at once."""
        if not spec.adds_up:
            announce(self)
        if not spec.adds_up or self._workers == 1:
            return spec.reduce(checked(self.batches(spec.takes_words), spec))
        try:
            return self._by_workers(spec)
        except InputError:
            if self._where is None:
                raise
        # Which row it is, is known only where all before it are counted.
        return spec.reduce(checked(self.batches(spec.takes_words), spec))

    def _by_workers(self, spec: Reducer[T]) -> T:
        reader = self._settled(spec.takes_words)
        shares, meter = self._frames.shares(self._wanted, self._workers), self._meter()

        def work(hand: Hand) -> tuple[Seen, tuple[T, ...]]:
            seen = Seen()
            return seen, seen.reduced(reader.batches(self._kept(metered(hand, meter)), spec.takes_words), spec)

        done = shares.each(work)
        seen = Seen(sum(seen.rows for seen, _ in done), any(seen.weighted for seen, _ in done))
        seen.check(reader.weight, self._nothing)
        if meter is not None:
            meter.finish()
        return total(part for _, parts in done for part in parts)

    @property
    def _nothing(self) -> str:
        """What is said where there are no rows."""
        return EMPTY if self._where is None else "no row meets the condition of where=; there is nothing to learn from."

    @property
    def _wanted(self) -> list[str]:
        """The columns to be read."""
        return list(dict.fromkeys([*self._reader.wanted, *(() if self._where is None else self._where.columns)]))

    def _settled(self, words: bool) -> RowReader:
        """How rows are read, once the first have told what text stands for; before more are read."""
        if not self._frames.is_text:
            if not words:
                refuse_words(self._reader.columns, self._frames.schema())
            return self._reader
        return self._as_written if words else replace(self._as_written, written=None)

    @cached_property
    def _as_written(self) -> RowReader:
        """How the cells of text files are read."""
        kept = self._kept(numbered(self._frames.frames(self._wanted)))
        none = pl.DataFrame(schema=dict.fromkeys(self._wanted, pl.String))
        first = next((frame for _, frame in kept if frame.height), none)
        spelling = TEXT if self._labels == "text" else spelling_of(first[self._reader.target])
        written = kinds_of(first, self._reader.columns, self._frames.decimal)
        return replace(self._reader, spelling=spelling, written=written)

    def _numbered(self) -> Iterator[Numbered]:
        """One pass over the frames of rows that take part, numbered among those."""
        meter = self._meter()
        kept = self._kept(metered(numbered(self._frames.frames(self._wanted)), meter))
        yield from numbered(frame for _, frame in kept)
        if meter is not None:
            meter.finish()

    def _kept(self, frames: Iterator[Numbered]) -> Iterator[Numbered]:
        """The frames without the rows that a condition leaves out."""
        return frames if self._where is None else ((row, self._where.keep(frame, row)) for row, frame in frames)

    def _meter(self) -> Meter | None:
        """What counts a pass, where somebody wants to know."""
        if self._progress is None:
            return None
        self._passes += 1
        return Meter(self._progress, self._passes, *self._frames.count())


def scan(
    path: PathLike,
    target: str,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    where: Any = None,
    delimiter: str | None = None,
    decimal: str = ".",
    nulls: Sequence[str] = DEFAULT_NULLS,
    labels: Literal["auto", "text"] = "auto",
    batch_rows: int | None = None,
    workers: int = WORKERS,
    progress: bool | Show = False,
    storage_options: Mapping[str, Any] | None = None,
) -> FileSource:
    r"""Rows in CSV, TSV, Parquet or Arrow files as a source to fit on, read in batches and never held whole.

    Only the header, or the schema, is read here; each pass of a fit reads the rows. Models whose statistics add up
    (`fit` says which) hold some megabytes of rows at a time; those that need all rows in memory say how large they are
    before they read them.

    Parameters
    ----------
    path : a file, a pattern such as ``rows/*.parquet``, a folder of tables, an address of an object store, a list of
        these, or "-" for standard input; see `distinguo.rows.opening.open_frames` for the formats. Folders below that
        are named as in ``year=2024`` give a column each.
    target : the column of labels. Typed labels stay of their type. In text files, the labels of the first rows decide
        for all: if each is a whole number without leading zeros they are int64, if each ends in .0 they are float64,
        if each is True or False (also in capitals or small letters) they are booleans, else they are text.
    weight : the column of frequencies, or None where every row counts once.
    columns : the columns of features, in this order; by default all but `target` and `weight`, and but the row names
        that stand in a first column without a name.
    where : which rows take part: a condition in the words of SQL, such as ``"age >= 18 and country = 'it'"``, or a
        Polars expression. Where it is unknown, as of a missing cell, a row is left out. Rows in messages are then
        numbered among those that take part.
    delimiter : one character; None takes the comma, semicolon, tab or bar that divides the header.
    decimal : the decimal mark in text files, "." or ",".
    nulls : cells of text files that mean missing; a missing feature is NaN.
    labels : "auto" as said above, or "text" to take the labels of text files as they are written.
    batch_rows : most rows in a batch; by default as many as fit the processor's cache.
    workers : threads that read and count at the same time. Each has the same rows every time, so that results are the
        same to the last bit.
    progress : True for a line on standard error with rows, rows a second and the time left; or a function that is
        given a `distinguo.rows.progress.Progress` a few times a second.
    storage_options : what an object store asks for, as in Polars' scan_parquet.

    Raises
    ------
    InputError
        If files or columns are not there. While rows are read: if the table is empty, a label is missing, a line has
        too few or too many fields, or a feature or weight is no number.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.csv"
    ...     _ = file.write_text("x,z,species\n1.5,NA,1\n2.5,0,2\n")
    ...     source = scan(file, target="species")
    ...     source.feature_names.tolist(), [batch.X.tolist() for batch in source.batches()]
    (['x', 'z'], [[[1.5, nan], [2.5, 0.0]]])
    """
    frames = open_frames(
        path,
        delimiter=delimiter,
        decimal=decimal,
        nulls=nulls,
        batch_rows=batch_rows,
        storage_options=storage_options,
    )
    show = on_stderr if progress is True else (progress or None)
    return FileSource(frames, target, weight, columns, labels, batch_rows, where, workers, show)
