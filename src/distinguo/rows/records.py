"""Delimited text cut into whole records, every record with its proper number of cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
import polars as pl

from distinguo.exceptions import InputError

# Large enough for Polars' threads, small enough that the text, its masks and its cells stay far below 100 MB.
CHUNK_BYTES = 1 << 22

# A file this small is read by csv before numba is loaded; no cell in it can be longer than csv allows.
SMALL_BYTES = 1 << 17

# A record is longer than this where a quote is not closed, and then the rest of the file must not be gathered up.
RECORD_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Layout:
    """How the cells of one file are laid out.

    Attributes
    ----------
    file : the file's name, for messages.
    names : the columns.
    delimiter : one character.
    offset : bytes before the first record.
    line : number of the first record's line, counted from 1.
    row_names : the column that had no name, or None.
    """

    file: str
    names: list[str]
    delimiter: str
    offset: int
    line: int
    row_names: str | None

    def fault(self, line: int, what: str) -> InputError:
        """The error for something wrong in a line."""
        return InputError(f"{self.file}, line {line}: {what}")


def read_records(
    stream: IO[bytes], layout: Layout, nulls: list[str], columns: list[str] | None
) -> Iterator[pl.DataFrame]:
    """Frames of text from a stream that stands at the first record.

    Polars pads short lines, reads blank ones as rows and guesses at stray quotes. So it is given only chunks in which
    the quotes are where RFC 4180 has them and every record has its number of delimiters; any other chunk goes to
    Python's `csv`, which is slow, and which finds the line at fault.
    """
    line, rest, last = layout.line, b"", False
    while not last:
        size = max(CHUNK_BYTES, len(rest))
        data = stream.read(size)
        last = len(data) < size
        data = rest + data
        if last:
            data = data.rstrip(b"\r\n")
            data += b"\n" if data else b""
        small = last and len(data) <= SMALL_BYTES
        whole = None if small else whole_records(data, layout.delimiter, len(layout.names))
        if whole == (0, 0) and not last and len(data) < RECORD_BYTES:
            rest = data
            continue
        if whole and whole[0] < (len(data) if last else 1):
            whole = None  # a quote is open at the end
        frame = None if whole is None else _by_polars(data[: whole[0]], layout, nulls, columns)
        if whole is None or frame is None:
            frame, lines = _by_csv(data if last else data + stream.readline(), stream, line, layout, nulls)
            frame, rest = frame.select(columns or layout.names), b""
        else:
            lines, rest = whole[1], data[whole[0] :]
        line += lines
        if frame.height:
            yield frame


def whole_records(data: bytes, delimiter: str, width: int) -> tuple[int, int] | None:
    """Bytes and lines of the whole records that `data` begins with, or None where one of them is not regular."""
    from distinguo.rows import kernels  # numba, which only reading needs

    cut, lines = kernels.whole_records(np.frombuffer(data, np.uint8), ord(delimiter), width)
    return None if cut < 0 else (cut, lines)


def _by_polars(data: bytes, layout: Layout, nulls: list[str], columns: list[str] | None) -> pl.DataFrame | None:
    """The cells of regular records; None where Polars cannot read them, as when they are not UTF-8."""
    if not data:
        return pl.DataFrame(schema=dict.fromkeys(columns or layout.names, pl.String))
    rows = pl.scan_csv(
        data,
        has_header=False,
        schema=dict.fromkeys(layout.names, pl.String),
        separator=layout.delimiter,
        null_values=nulls,
        empty_string_is_null="" in nulls,
    )
    try:
        return rows.select(columns or layout.names).collect()
    except pl.exceptions.PolarsError:
        return None


def _by_csv(data: bytes, stream: IO[bytes], first: int, layout: Layout, nulls: list[str]) -> tuple[pl.DataFrame, int]:
    """The cells of `data`, and of the stream where a quoted cell runs on, and how many lines they took."""
    buffer, width, missing = io.BytesIO(data), len(layout.names), set(nulls)
    reader = csv.reader(_decoded(buffer, stream, first, layout), delimiter=layout.delimiter, strict=True)
    rows = []
    while buffer.tell() < len(data):
        start = first + reader.line_num
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise layout.fault(start, _csv_advice(str(error))) from None
        if row is None:
            break
        if row and len(row) != width:
            raise layout.fault(start, f"{_fields(len(row))}, but the header has {_fields(width)}. {_WIDTH_ADVICE}")
        if row:
            rows.append([None if cell in missing else cell for cell in row])
    frame = pl.DataFrame(rows, schema=dict.fromkeys(layout.names, pl.String), orient="row")
    return frame, reader.line_num


def _decoded(buffer: IO[bytes], stream: IO[bytes], first: int, layout: Layout) -> Iterator[str]:
    """Lines as text; from the stream once the buffer is used up."""
    number = first
    while line := buffer.readline() or stream.readline():
        yield decode(line, layout.file, number)
        number += 1


def decode(line: bytes, file: str, number: int) -> str:
    """One line as text, or the error that says how to make it UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file}, line {number}: byte {line[error.start]:#04x} is not UTF-8 text. Save the file as UTF-8, or "
            "convert it: iconv -f WINDOWS-1252 -t UTF-8."
        ) from None


_WIDTH_ADVICE = (
    "Mend the line, put quotes around a cell that holds the delimiter, or name the delimiter if it was guessed wrong."
)


def _fields(n: int) -> str:
    return f"{n} field" if n == 1 else f"{n} fields"


def _csv_advice(said: str) -> str:
    """What Python's csv found, in words that help."""
    if "expected after" in said:
        return 'a quoted cell goes on after its closing quote; a quote inside a quoted cell is written twice ("").'
    return f"a quote opens a cell and is not closed ({said}); close it, or write a quote inside a quoted cell twice."
