"""The terms of texts as a value: bytes and offsets, so that a hundred thousand are copied and saved in milliseconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from distinguo.compiled import compiled
from distinguo.features.text_table import ENTRIES, SPACE, Bytes, Longs, Table, empty_table, enter, with_room

# Strings may hold halves of surrogate pairs, which UTF-8 proper has no bytes for.
ENCODING = ("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Different terms, in the order of their columns.

    Attributes
    ----------
    terms : (B,) uint8, the UTF-8 of all terms, one after the other.
    offsets : (m + 1,) int64, where each begins, and where the last ends.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(["one", "two", "one two"])
    >>> vocabulary.take(np.array([2, 0])).names()
    ['one two', 'one']
    """

    terms: Bytes
    offsets: Longs

    @classmethod
    def of(cls, names: Iterable[str]) -> Vocabulary:
        """A vocabulary of given terms."""
        encoded = [name.encode(*ENCODING) for name in names]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(bytearray().join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def names(self) -> list[str]:
        """The terms (m,) as text."""
        return [term.decode(*ENCODING) for term in self.encoded()]

    def encoded(self) -> list[bytes]:
        """The terms (m,) as UTF-8."""
        raw, offsets = self.terms.tobytes(), self.offsets.tolist()
        return [raw[start:stop] for start, stop in pairwise(offsets)]

    def take(self, columns: Longs) -> Vocabulary:
        """The terms of some columns."""
        return Vocabulary(*gathered(self.terms, self.offsets, columns))

    def joined(self, other: Vocabulary) -> tuple[Vocabulary, Longs]:
        """The vocabulary with the other's new terms after its own, and the column (m,) of each of the other's."""
        table, own = entered(empty_table(), self)
        table, others = entered(table, other)
        columns = np.full(table.used[ENTRIES], -1, np.int64)
        columns[own] = np.arange(len(self))
        new = np.flatnonzero(columns[others] < 0)
        columns[others[new]] = len(self) + np.arange(len(new))
        added = other.take(new)
        terms = np.concatenate([self.terms, added.terms])
        offsets = np.concatenate([self.offsets, added.offsets[1:] + self.offsets[-1]])
        return Vocabulary(terms, offsets), columns[others]


def entered(table: Table, vocabulary: Vocabulary) -> tuple[Table, Longs]:
    """The table with all terms, their words and prefixes, and the entries (m,) of the terms."""
    words = len(vocabulary) + int(np.count_nonzero(vocabulary.terms == SPACE))
    table = with_room(table, 2 * words, len(vocabulary.terms))
    entries = np.empty(len(vocabulary), np.int64)
    enter(*table, vocabulary.terms, vocabulary.offsets, entries)
    return table, entries


@compiled
def gathered(terms: Bytes, offsets: Longs, columns: Longs) -> tuple[Bytes, Longs]:
    """Some of the terms, and where they begin."""
    begins = np.zeros(len(columns) + 1, np.int64)
    for j in range(len(columns)):
        begins[j + 1] = begins[j] + offsets[columns[j] + 1] - offsets[columns[j]]
    result = np.empty(begins[-1], np.uint8)
    for j in range(len(columns)):
        start = offsets[columns[j]]
        for i in range(begins[j + 1] - begins[j]):
            result[begins[j] + i] = terms[start + i]
    return result, begins
