"""How the rows of a Parquet file are grouped: what its footer says, and Polars does not tell.

A slice that begins inside a group makes its reader unpack the group from its beginning, so pieces had better be groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"PAR1"
# A longer footer, of thousands of columns, takes longer to read in Python than it saves.
MOST_BYTES = 1 << 20

# Of Thrift's compact protocol: the types of values.
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)
# Of Parquet's FileMetaData the fields of all rows and of row groups, and of a row group those of its bytes and rows.
ALL_ROWS, ROW_GROUPS, NUM_BYTES, NUM_ROWS = 3, 4, 2, 3


@dataclass(frozen=True, slots=True)
class RowGroups:
    """The groups of a file.

    Attributes
    ----------
    rows : of each group.
    size : bytes of all of them, encoded and not compressed.
    """

    rows: list[int]
    size: int


def row_groups(file: Path) -> RowGroups | None:
    """The groups of a Parquet file; None where the footer is too long, or not as it should be.

    References
    ----------
    Apache Parquet, file format and parquet.thrift. Apache Thrift, compact protocol.
    """
    try:
        with file.open("rb") as stream:
            end = stream.seek(0, 2)
            stream.seek(max(end - 8, 0))
            tail = stream.read(8)
            length = int.from_bytes(tail[:4], "little")
            if tail[4:] != MAGIC or length > min(MOST_BYTES, end - 8):
                return None
            stream.seek(end - 8 - length)
            return _Footer(stream.read(length)).groups()
    except (OSError, IndexError, KeyError, RecursionError):
        return None


@dataclass
class _Footer:
    """Bytes of Thrift's compact protocol, read from `at` on."""

    data: bytes
    at: int = 0

    def groups(self) -> RowGroups | None:
        """The groups, where they have as many rows as the file."""
        rows: list[int] = []
        sizes: list[int] = []
        all_rows: list[int] = []
        of_group: dict[int, Callable[[int], None]] = {
            NUM_ROWS: lambda kind: rows.append(self.signed()),
            NUM_BYTES: lambda kind: sizes.append(self.signed()),
        }
        self.struct(
            {
                ALL_ROWS: lambda kind: all_rows.append(self.signed()),
                ROW_GROUPS: lambda kind: self.elements(lambda: self.struct(of_group)),
            }
        )
        return RowGroups(rows, sum(sizes)) if rows and min(rows) >= 0 and [sum(rows)] == all_rows else None

    def struct(self, wanted: dict[int, Callable[[int], None]]) -> None:
        """Read a struct, its wanted fields by the functions given and the others away."""
        field = 0
        while kind := self.byte():
            field = field + (kind >> 4) if kind >> 4 else self.signed()
            kind &= 15
            wanted.get(field, self.skip)(kind)

    def elements(self, read: Callable[[], None] | None = None) -> None:
        """Read a list by what reads one of it; away by default."""
        head = self.byte()
        size = head >> 4 if head >> 4 < 15 else self.varint()
        if size > len(self.data):
            raise IndexError
        for _ in range(size):
            if read is not None:
                read()
            elif head & 15 in {TRUE, FALSE}:  # in a list each is a byte
                self.at += 1
            else:
                self.skip(head & 15)

    def skip(self, kind: int) -> None:
        """Read a value of that type away."""
        readers: dict[int, Callable[[], object]] = {
            TRUE: lambda: None,
            FALSE: lambda: None,
            BYTE: lambda: self.forward(1),
            **dict.fromkeys(INTEGERS, self.varint),
            DOUBLE: lambda: self.forward(8),
            BINARY: lambda: self.forward(self.varint()),
            LIST: self.elements,
            SET: self.elements,
            STRUCT: lambda: self.struct({}),
        }
        readers[kind]()

    def forward(self, size: int) -> None:
        """Pass over some bytes."""
        self.at += size

    def byte(self) -> int:
        """The next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        """A number of seven bits a byte, the lowest first."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def signed(self) -> int:
        """A number whose lowest bit is its sign."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)
