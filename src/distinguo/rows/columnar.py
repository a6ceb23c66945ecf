"""Parquet and Arrow files, streamed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames, check_same_columns

# Cells read at a time, 32 MiB of float64, and the most rows, since cells of text can be long. Much smaller pieces of a
# large row group cost time, for each piece is looked for from the row group's beginning.
PIECE_CELLS = 1 << 22
PIECE_ROWS = 1 << 18


class ColumnarFrames(Frames):
    """Frames from files that carry the types of their columns.

    Parameters
    ----------
    files : at least one; the same columns, in any order, of types that have a common one.
    scan : what opens one of them, `polars.scan_parquet` or `polars.scan_ipc`.
    batch_rows : most rows in a frame.
    """

    is_text = False

    def __init__(self, files: list[Path], scan: Callable[..., pl.LazyFrame], batch_rows: int | None = None) -> None:
        self._files = files
        self._scan = scan
        schemas = [self._file_schema(file) for file in files]
        for file, schema in zip(files, schemas, strict=True):
            check_same_columns(file, schema.names(), files[0], schemas[0].names())
        self.names = schemas[0].names()
        if not self.names:
            raise InputError(f"{files[0]} has no columns: the table is empty.")
        self._schema = _common_schema(files, schemas)
        self._batch_rows = batch_rows

    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return self._schema

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """One pass over the rows, in their order."""
        wanted = pl.Schema({name: self._schema[name] for name in (self.names if columns is None else columns)})
        step = min(PIECE_ROWS, max(1024, PIECE_CELLS // len(wanted)))
        for file in self._files:
            for piece in self._pieces(file, wanted, step):
                yield from piece.iter_slices(self._batch_rows) if self._batch_rows else (piece,)

    def _pieces(self, file: Path, wanted: pl.Schema, step: int) -> Iterator[pl.DataFrame]:
        """Slices, one after the other.

        Polars' own `collect_batches` reads ahead by several row groups, which can be gigabytes; slices hold a few MB
        at a time and cost no more.
        """
        rows = self._scan(file, glob=False).select(wanted.names())
        for start in itertools.count(0, step):
            try:
                piece = rows.slice(start, step).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                raise InputError(_unreadable(file, error)) from None
            if piece.height:
                yield piece if piece.schema == wanted else piece.cast(wanted)
            if piece.height < step:
                return

    def _file_schema(self, file: Path) -> pl.Schema:
        try:
            return self._scan(file, glob=False).collect_schema()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(_unreadable(file, error)) from None


def _common_schema(files: list[Path], schemas: list[pl.Schema]) -> pl.Schema:
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


def _unreadable(file: Path, error: Exception) -> str:
    """One line of what Polars says."""
    said = str(error).strip().partition("\n")[0]
    return f"{file} cannot be read ({said}); its name must end as its format does, and it must be whole."
