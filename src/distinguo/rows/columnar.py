"""Parquet and Arrow files, streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames, check_same_columns
from distinguo.rows.parquet_footer import RowGroups, row_groups
from distinguo.rows.partitions import Partitions
from distinguo.rows.places import UNREADABLE, Located, Place, first_line
from distinguo.rows.shares import Piece, Shares
from distinguo.rows.unchanged import Unchanged

# Cells read at a time, 32 MiB of float64, and the most rows. Much smaller pieces of a
# large row group cost time, for each piece is looked for from the row group's beginning.
PIECE_CELLS = 1 << 22
PIECE_ROWS = 1 << 18
# A group of so many times the cells is still read in one piece, rather than unpacked from its beginning for several.
WHOLE_GROUP = 2
# A larger one is cut into this many pieces at the most, for its bytes are read for each, unless they had more cells
# than so many times the usual.
PARTS, LARGEST = 16, 2
# Bytes of a number.
NUMBER = 8
READERS: dict[str, Callable[..., pl.LazyFrame]] = {
    ".parquet": pl.scan_parquet,
    ".arrow": pl.scan_ipc,
    ".feather": pl.scan_ipc,
    ".ipc": pl.scan_ipc,
}


class ColumnarFrames(Frames):
    """Frames from files that carry the types of their columns.

    Parameters
    ----------
    places : at least one file; the same columns, in any order, of types that have a common one.
    batch_rows : most rows in a frame.
    storage : options of an object store, as Polars takes them.
    """

    is_text = False

    def __init__(
        self, places: Sequence[Place], batch_rows: int | None = None, storage: Mapping[str, Any] | None = None
    ) -> None:
        self._places = places
        self._storage = None if storage is None else dict(storage)
        schemas = [self._file_schema(place) for place in places]
        files = [place.file for place in places]
        self._unchanged = Unchanged.of(files)
        for file, schema in zip(files, schemas, strict=True):
            check_same_columns(file, schema.names(), files[0], schemas[0].names())
        own = _common_schema(files, schemas)
        if not own.names():
            raise InputError(f"{files[0]} has no columns: the table is empty.")
        self._partitions = Partitions.of(places, own.names(), is_text=False)
        self._schema = pl.Schema({**own, **self._partitions.schema})
        self.names = self._schema.names()
        self._batch_rows = batch_rows

    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return self._schema

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """One pass over the rows, in their order."""
        for piece in self._pieces(self.names if columns is None else columns):
            yield from piece.read()

    def shares(self, columns: Sequence[str], workers: int) -> Shares:
        """Pieces of files, each read by the worker that counts it."""
        return Shares.of_pieces(list(self._pieces(columns)), workers)

    def only(self, columns: Sequence[str], met: Callable[[pl.DataFrame], bool]) -> Frames:
        """The frames of the files that a condition on these columns does not leave out."""
        if not self._partitions.tell(columns):
            return self
        narrowed = copy(self)
        narrowed._places = [place for place in self._places if met(self._partitions.row(place.file))]
        return narrowed

    def count(self) -> tuple[int, bool]:
        """How many rows there are, as the files say."""
        return sum(self._rows[place.file] for place in self._places), True

    @cached_property
    def _rows(self) -> dict[Located, int]:
        """Rows of each file."""
        return {place.file: self._file_rows(place) for place in self._places}

    @cached_property
    def _groups(self) -> dict[Located, RowGroups]:
        """The row groups of each file; a file whose groups are not known is one, of short cells."""
        known = {place.file: _row_groups(place) for place in self._places}
        return {file: groups or RowGroups([self._rows[file]], 0) for file, groups in known.items()}

    def _pieces(self, columns: Sequence[str]) -> Iterator[Piece]:
        """Parts of the files, the sizes of row groups where these are known and small enough.

        Polars' own `collect_batches` reads ahead by several row groups, which can be gigabytes; pieces hold a few MB
        at a time and cost no more.
        """
        own = self._partitions.own(columns) or self._partitions.own(self.names)[:1]
        wanted = pl.Schema({name: self._schema[name] for name in own})
        first = 0
        for place in self._places:
            at, groups = 0, self._groups[place.file]
            for size in _cut(groups.rows, _step(wanted, self._schema, groups)):
                yield Piece(first + at, partial(self._read, place, at, size, wanted, columns))
                at += size
            first += at

    def _read(
        self, place: Place, start: int, size: int, wanted: pl.Schema, columns: Sequence[str]
    ) -> Iterator[pl.DataFrame]:
        """Rows of one file."""
        self._unchanged.check(place.file)
        try:
            rows = self._scan(place).select(wanted.names()).slice(start, size).collect()
        except UNREADABLE as error:
            raise InputError(_unreadable(place.file, error)) from None
        if rows.height != size:
            raise InputError(f"{place.file} ends at row {start + rows.height}, though it says that it has more.")
        rows = rows if rows.schema == wanted else rows.cast(wanted)
        rows = self._partitions.extend(rows, place.file, columns)
        yield from rows.iter_slices(self._batch_rows) if self._batch_rows else (rows,)

    def _scan(self, place: Place) -> pl.LazyFrame:
        return READERS[place.suffix](place.file, glob=False, storage_options=self._storage, hive_partitioning=False)

    def _file_schema(self, place: Place) -> pl.Schema:
        try:
            return self._scan(place).collect_schema()
        except UNREADABLE as error:
            raise InputError(_unreadable(place.file, error)) from None

    def _file_rows(self, place: Place) -> int:
        try:
            return int(self._scan(place).select(pl.len()).collect().item())
        except UNREADABLE as error:
            raise InputError(_unreadable(place.file, error)) from None


def _step(wanted: pl.Schema, schema: pl.Schema, groups: RowGroups) -> int:
    """How many rows are read at a time: cells of text count by what a file with such columns holds beside numbers."""
    texts = [name for name, dtype in schema.items() if dtype == pl.String]
    long = groups.size / max(sum(groups.rows), 1) / NUMBER - (len(schema) - len(texts))
    text = max(1.0, long / len(texts)) if texts else 1.0
    cells = sum(text if dtype == pl.String else 1.0 for dtype in wanted.values())
    return min(PIECE_ROWS, max(1024, int(PIECE_CELLS / cells)))


def _cut(groups: Sequence[int], step: int) -> Iterator[int]:
    """Sizes of pieces, whole groups where they are not too large; small ones are taken together.

    Examples
    --------
    >>> list(_cut([3, 3, 3, 20, 150], 6))
    [6, 3, 6, 6, 6, 2, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10]
    """
    together = 0
    for group in groups:
        if together and together + group > step:
            yield together
            together = 0
        if group > WHOLE_GROUP * step:
            part = min(LARGEST * step, max(step, -(-group // PARTS)))
            yield from (min(part, group - start) for start in range(0, group, part))
        else:
            together += group
    if together:
        yield together


def _row_groups(place: Place) -> RowGroups | None:
    return row_groups(place.file) if place.suffix == ".parquet" and isinstance(place.file, Path) else None


def _common_schema(files: Sequence[Located], schemas: list[pl.Schema]) -> pl.Schema:
    """Types wide enough for every file: integers in one and fractions in another make fractions."""
    common = pl.DataFrame(schema=schemas[0])
    for file, schema in zip(files[1:], schemas[1:], strict=True):
        unlike = [n for n, dtype in common.schema.items() if not _compatible(dtype, schema[n])]
        if unlike:
            types = ", ".join(f"{name!r} ({schema[name]}, not {common.schema[name]})" for name in unlike[:5])
            raise InputError(f"{file} has columns of other types than {files[0]}: {types}; give them one type.")
        common = pl.concat([common, pl.DataFrame(schema=schema).select(common.columns)], how="vertical_relaxed")
    return common.schema


def _compatible(a: pl.DataType, b: pl.DataType) -> bool:
    """Whether two types have a common one that keeps what the cells mean."""
    return a == b or pl.Null in {a, b} or (a.is_numeric() and b.is_numeric())


def _unreadable(file: Located, error: Exception) -> str:
    """What is wrong with a file."""
    return f"{file} cannot be read ({first_line(error)}); its name must end as its format does, and it must be whole."
