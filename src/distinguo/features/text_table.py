"""A hash table of words and n-grams for compiled code: words are bytes in a pool, an n-gram is a pair of entries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled, inlined

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Whole = Any  # numba's int64, which comes as a Python or a NumPy one

SPACE = 32
# The numbers of an entry, side by side because they are read together.
# KEY: of a word, its first eight bytes, which mostly are all; of an n-gram, both entries of its pair.
# LEFT: of a word of L bytes, -1 - L; of an n-gram, the entry of all its words but the last.
# RIGHT: of a word, where in the pool it begins; of an n-gram, the entry of its last word.
# SEEN: where among all counts that of the last document with this entry is, or -1; STOP for a stop word.
KEY, LEFT, RIGHT, SEEN, WIDTH = 0, 1, 2, 3, 4  # half a line of the processor's cache
STOP = -2
# What is used: entries, bytes of the pool, counts.
ENTRIES, POOL, COUNTS = 0, 1, 2


class Table(NamedTuple):
    """Entries in the order in which they came; a prefix or a word comes before the n-grams that hold it.

    Kernels take the four arrays, for numba counts references to what it takes out of a tuple each time.

    Attributes
    ----------
    slots : (a power of two,) int32, the entry in each slot, or -1.
    cells : (E, WIDTH) int64, the numbers of each entry.
    pool : (B,) uint8, the words' UTF-8.
    used : (3,) int64, how many ENTRIES, bytes of the POOL and COUNTS there are.
    """

    slots: NDArray[np.int32]
    cells: Longs
    pool: Bytes
    used: Longs


def empty_table() -> Table:
    """A table with room for a few thousand entries; `with_room` makes more."""
    size = 1 << 12
    return Table(
        np.full(2 * size, -1, np.int32),
        np.empty((size, WIDTH), np.int64),
        np.empty(8 * size, np.uint8),
        np.zeros(3, int),
    )


def lent(table: Table) -> Table:
    """The same entries, to be read by one more thread, with counters of its own."""
    cells = table.cells[: table.used[ENTRIES]].copy()
    cells[cells[:, SEEN] != STOP, SEEN] = -1
    return table._replace(cells=cells, used=table.used * np.array([1, 1, 0]))


def with_room(table: Table, entries: int, size: int) -> Table:
    """The table, made at least twice as large where it has no room for so many more entries, or bytes of words."""
    count, place = int(table.used[ENTRIES]), int(table.used[POOL])
    slots, cells, pool = table.slots, table.cells, table.pool
    if place + size > len(pool):
        pool = longer(pool, place, size)
    if count + entries > len(cells):
        cells = longer(cells, count, entries)
        slots = np.full(2 * len(cells), -1, np.int32)
        fill_slots(slots, cells[:count], pool)
    return Table(slots, cells, pool, table.used)


def longer(values: NDArray[Any], kept: int, room: int) -> NDArray[Any]:
    """The first values and room for more; the length is a power of two."""
    result = np.empty((1 << (kept + room - 1).bit_length(), *values.shape[1:]), values.dtype)
    result[:kept] = values[:kept]
    return result


@compiled
def has_room(cells: Longs, pool: Bytes, used: Longs, entries: Whole, size: Whole) -> Whole:
    """Whether so many more entries, and so many bytes of words, can be added."""
    return used[ENTRIES] + entries <= len(cells) and used[POOL] + size <= len(pool)


@compiled
def key_of_word(text: Bytes, start: Whole, stop: Whole) -> np.uint64:
    """The first eight bytes as a number; shorter words are filled up with zeros, so that numbers order as words do."""
    key = np.uint64(0)
    for i in range(start, min(stop, start + 8)):
        key = (key << np.uint64(8)) | np.uint64(text[i])
    return key << np.uint64(8 * max(0, 8 - (stop - start)))


@compiled
def hash_of_word(key: np.uint64, text: Bytes, start: Whole, stop: Whole) -> Whole:
    """A hash of the key, and of further bytes as Fowler, Noll and Vo do it (FNV-1a)."""
    for i in range(start + 8, stop):
        key = (key ^ np.uint64(text[i])) * np.uint64(1099511628211)
    return mixed(key)


@compiled
def mixed(key: np.uint64) -> Whole:
    """A hash of a number, at least zero: odd multipliers move up what differs, and high bits are taken."""
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((key ^ (key >> np.uint64(31))) >> np.uint64(16))


@compiled
def key_of_pair(first: Whole, last: Whole) -> np.uint64:
    """Two entries in one number, multiplied so that both reach its high bits."""
    return (np.uint64(first) << np.uint64(32) | np.uint64(last)) * np.uint64(0x9E3779B97F4A7C15)


@compiled
def fill_slots(slots: NDArray[np.int32], cells: Longs, pool: Bytes) -> None:
    """Put all entries into slots that are empty."""
    mask = len(slots) - 1
    for entry in range(len(cells)):
        key, left, right = np.uint64(cells[entry, KEY]), cells[entry, LEFT], cells[entry, RIGHT]
        slot = (hash_of_word(key, pool, right, right - 1 - left) if left < 0 else mixed(key)) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = entry


@inlined
def word_entry(
    slots: NDArray[np.int32],
    cells: Longs,
    pool: Bytes,
    used: Longs,
    text: Bytes,
    start: Whole,
    stop: Whole,
    grows: bool,
) -> Whole:
    """The entry of a word; -1, or a new one where the table grows, for which there must be room."""
    key = key_of_word(text, start, stop)
    mask = len(slots) - 1
    slot = hash_of_word(key, text, start, stop) & mask
    while slots[slot] >= 0:
        entry = np.int64(slots[slot])
        if cells[entry, KEY] == np.int64(key) and cells[entry, LEFT] == start - stop - 1:
            shift, i = cells[entry, RIGHT] - start, start + 8
            while i < stop and pool[i + shift] == text[i]:
                i += 1
            if i >= stop:
                return entry
        slot = (slot + 1) & mask
    if not grows:
        return -1
    place = used[POOL]
    used[POOL] = place + stop - start
    for i in range(start, stop):
        pool[place + i - start] = text[i]
    return add(slots, cells, used, slot, np.int64(key), start - stop - 1, place)


@inlined
def pair_entry(slots: NDArray[np.int32], cells: Longs, used: Longs, first: Whole, last: Whole, grows: bool) -> Whole:
    """The entry of an n-gram, given those of all its words but the last and of the last; otherwise as of a word."""
    key = key_of_pair(first, last)
    mask = len(slots) - 1
    slot = mixed(key) & mask
    while slots[slot] >= 0:
        entry = np.int64(slots[slot])
        if cells[entry, LEFT] == first and cells[entry, RIGHT] == last:
            return entry
        slot = (slot + 1) & mask
    return add(slots, cells, used, slot, np.int64(key), first, last) if grows else -1


@compiled
def add(
    slots: NDArray[np.int32], cells: Longs, used: Longs, slot: Whole, key: Whole, left: Whole, right: Whole
) -> Whole:
    """A new entry at an empty slot."""
    entry = used[ENTRIES]
    used[ENTRIES] = entry + 1
    slots[slot] = entry
    cells[entry, KEY], cells[entry, LEFT], cells[entry, RIGHT] = key, left, right
    cells[entry, SEEN] = -1
    return entry


@compiled
def enter(
    slots: NDArray[np.int32], cells: Longs, pool: Bytes, used: Longs, terms: Bytes, offsets: Longs, entries: Longs
) -> None:
    """Enter terms that are not there yet, words parted by spaces, and write the entries (m,) of all of them.

    Term j is `terms[offsets[j]:offsets[j + 1]]`. Two different terms have different entries, whatever their spaces.
    There must be room for all their words, and as many n-grams.
    """
    for j in range(len(offsets) - 1):
        gram, start, end = -1, offsets[j], offsets[j + 1]
        for i in range(start, end + 1):
            if i < end and terms[i] != SPACE:
                continue
            word = word_entry(slots, cells, pool, used, terms, start, i, True)
            gram = word if gram < 0 else pair_entry(slots, cells, used, gram, word, True)
            start = i + 1
        entries[j] = gram
