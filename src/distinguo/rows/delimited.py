"""CSV and its kin: the header read by us, the records streamed as text."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import shutil
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import compress
from pathlib import Path
from typing import IO, Any

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames, check_same_columns
from distinguo.rows.partitions import Partitions
from distinguo.rows.places import Place
from distinguo.rows.records import Layout, decode, read_records
from distinguo.rows.unchanged import Unchanged

# Where two divide a header alike, the comma is the likelier to stand within names and numbers.
DELIMITERS = (";", "\t", "|", ",")

# What a first column without a name is called, when it holds row names as R and pandas write them.
ROW_NAMES = "row"

# Of a file's beginning so much says how long its lines are.
SAMPLE_BYTES = 1 << 18

# A header whose quotes are not balanced after this many lines has a stray one.
MAX_HEADER_LINES = 100

_COMPRESSIONS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


class DelimitedFrames(Frames):
    """Frames of text from comma-, semicolon-, tab- or bar-separated files, compressed or not.

    Parameters
    ----------
    places : at least one file; the same columns, in any order.
    delimiter : one character, or None to take it from each header.
    decimal : the decimal mark, "." or ","; the cells stay as they are.
    nulls : cells that mean missing, quoted or not.
    batch_rows : most rows in a frame.
    labels : what to call files in messages, if not by their names.
    """

    is_text = True

    def __init__(
        self,
        places: Sequence[Place],
        delimiter: str | None = None,
        decimal: str = ".",
        nulls: Sequence[str] = ("", "NA"),
        batch_rows: int | None = None,
        labels: Mapping[Path, str] | None = None,
    ) -> None:
        self._files = files = [Path(place.file) for place in places]
        self._whole: Frames | None = None
        self._nulls = list(nulls)
        self._batch_rows = batch_rows
        self.decimal = decimal
        self._unchanged = Unchanged.of(files)
        self._layouts = [read_layout(file, (labels or {}).get(file, str(file)), delimiter) for file in files]
        first = self._layouts[0]
        for file, layout in zip(files, self._layouts, strict=True):
            check_same_columns(file, layout.names, files[0], first.names)
        self._partitions = Partitions.of(places, first.names, is_text=True)
        self.names, self.row_names = [*first.names, *self._partitions.schema], first.row_names

    def schema(self) -> pl.Schema:
        """Names of the columns; all are text."""
        return pl.Schema(dict.fromkeys(self.names, pl.String))

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """One pass over the rows, in their order."""
        wanted = list(self.names if columns is None else columns)
        own = self._partitions.own(wanted) or self._partitions.own(self.names)[:1]
        for file, layout in zip(self._files, self._layouts, strict=True):
            self._unchanged.check(file)
            with opened(file, layout.file) as stream:
                stream.read(layout.offset)
                for read in read_records(stream, layout, self._nulls, own):
                    frame = self._partitions.extend(read, file, wanted)
                    yield from frame.iter_slices(self._batch_rows) if self._batch_rows else (frame,)

    def only(self, columns: Sequence[str], met: Callable[[pl.DataFrame], bool]) -> Frames:
        """The frames of the files that a condition on these columns does not leave out."""
        if not self._partitions.tell(columns):
            return self
        narrowed = copy(self)
        narrowed._whole = self  # with which files in temporary folders would go
        kept = [met(self._partitions.row(file)) for file in self._files]
        narrowed._files = list(compress(self._files, kept))
        narrowed._layouts = list(compress(self._layouts, kept))
        return narrowed

    def count(self) -> tuple[int, bool]:
        """How many rows there may be, by the sizes of the files and how long the first lines are."""
        return sum(_estimated(file, layout) for file, layout in zip(self._files, self._layouts, strict=True)), False


def _estimated(file: Path, layout: Layout) -> int:
    """About how many lines a file has."""
    with opened(file, layout.file) as stream:
        sample = stream.read(SAMPLE_BYTES)
    lines = max(sample.count(b"\n") - (layout.line - 1), 1)
    if len(sample) < SAMPLE_BYTES:
        return lines
    with file.open("rb") as raw:
        packed = raw.read(8).startswith(tuple(_COMPRESSIONS))
    taken = len(zlib.compress(sample)) if packed else len(sample)
    return max(lines, round(lines * file.stat().st_size / taken))


def spool_standard_input() -> Path:
    """Standard input as a temporary file, which its reader deletes; so it can be read more than once."""
    with tempfile.NamedTemporaryFile(prefix="distinguo-", delete=False) as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool)
    return Path(spool.name)


@contextmanager
def opened(file: Path, label: str) -> Iterator[IO[bytes]]:
    """A file's bytes, decompressed if its first bytes say that it is compressed."""
    try:
        with file.open("rb") as raw:
            head = raw.peek(8)
            if head.startswith(b"\x28\xb5\x2f\xfd"):
                raise InputError(
                    f"{label} is compressed with zstd, which is not read here; decompress it, or use gzip."
                )
            unpack = next((unpack for magic, unpack in _COMPRESSIONS.items() if head.startswith(magic)), None)
            if unpack is None:
                yield raw
            else:
                with unpack(raw) as stream:
                    yield stream
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        why = getattr(error, "strerror", None) or error  # without the name, which is said already
        raise InputError(f"{label} cannot be read: {why}.") from None


def read_layout(file: Path, label: str, delimiter: str | None) -> Layout:
    """The header of a file, and where its records begin."""
    with opened(file, label) as stream:
        raw, lines = _header_bytes(stream, label)
        sample = stream.readline().decode("utf-8", "replace")
    text = decode(raw, label, lines).removeprefix("\ufeff").strip("\r\n")
    if "\r" in text:
        raise InputError(f"{label} ends its lines with carriage returns alone; save it with line feeds.")
    delimiter = delimiter or sniff(text, sample)
    header = next(csv.reader(text.splitlines(keepends=True), delimiter=delimiter))
    names, row_names = _checked_names(header, label, lines)
    return Layout(label, names, delimiter, len(raw), lines + 1, row_names)


def _header_bytes(stream: IO[bytes], label: str) -> tuple[bytes, int]:
    """The header, with blank lines before it, and how many lines these are; a quoted name may hold line ends."""
    raw, lines = b"", 0
    while line := stream.readline():
        raw, lines = raw + line, lines + 1
        if lines == 1 and line.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{label} is UTF-16 text; save it as UTF-8.")
        if raw.strip(b"\r\n") and raw.count(b'"') % 2 == 0:
            return raw, lines
        if lines == MAX_HEADER_LINES:
            break
    if not raw.strip():
        raise InputError(f"{label} is empty: the table is empty.")
    raise InputError(f"{label}: a quote in the header is not closed; close it, or remove it.")


def sniff(header: str, sample: str) -> str:
    """The delimiter that divides the header, and the first record into as many cells if one does; quotes respected.

    Examples
    --------
    >>> sniff("length, cm;width, cm;kind", "1,5;2,25;a")
    ';'
    >>> sniff('"a;b",c', "1,2")
    ','
    """
    in_header, in_sample = (Counter("".join(text.split('"')[::2])) for text in (header, sample))
    present = [delimiter for delimiter in DELIMITERS if in_header[delimiter]]
    return max(present, key=lambda d: (in_header[d] == in_sample[d], in_header[d]), default=",")


def _checked_names(header: list[str], label: str, line: int) -> tuple[list[str], str | None]:
    """The column names, each there and each once; and the one given to row names that have none."""
    names, row_names = list(header), None
    if names[0].strip() == "" and len(names) > 1 and ROW_NAMES not in names:
        names[0] = row_names = ROW_NAMES
    nameless = [str(place) for place, name in enumerate(names, 1) if not name.strip()]
    if nameless:
        raise InputError(f"{label}, line {line}: no name for column {', '.join(nameless[:5])}; give every column one.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        places = " and ".join(str(place) for place, name in enumerate(names, 1) if name == twice[0])
        raise InputError(
            f"{label}, line {line}: the name {twice[0]!r} stands for columns {places}; rename all but one."
        )
    return names, row_names
