r"""The compiled scan of documents: words of two or more ``\w`` characters, and their n-grams, and how often each is."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled, inlined
from distinguo.features.text_table import (
    COUNTS,
    SEEN,
    STOP,
    Bytes,
    Longs,
    Whole,
    has_room,
    pair_entry,
    word_entry,
)

CODE_POINTS = 0x110000


@cache
def word_characters() -> Bytes:
    r"""(code points,) whether Python's own ``\w`` takes each; no table of another library is quite the same."""
    every = np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    table = np.zeros(CODE_POINTS, np.uint8)
    for run in re.finditer(r"\w+", every):
        table[run.start() : run.end()] = 1
    return table


@compiled
def character(text: Bytes, place: Whole) -> tuple[Whole, int]:
    """The code point that begins at a place of UTF-8, and how many bytes it has."""
    lead = np.int64(text[place])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (text[place + 1] & 0x3F), 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (text[place + 1] & 0x3F) << 6 | (text[place + 2] & 0x3F), 3
    return (
        (lead & 0x07) << 18 | (text[place + 1] & 0x3F) << 12 | (text[place + 2] & 0x3F) << 6 | (text[place + 3] & 0x3F),
        4,
    )


@inlined
def next_word(text: Bytes, place: int, end: int, in_word: Bytes) -> tuple[int, int]:
    """Start and stop of the next run of two or more word characters; both are `end` where there is none."""
    while place < end:
        start, characters = place, 0
        while place < end:
            point, length = character(text, place)
            if not in_word[point]:
                break
            place += length
            characters += 1
        if characters > 1:
            return start, place
        if place < end:
            place += length
    return end, end


@compiled
def scan(
    text: Bytes,
    ends: Longs,  # (n,) where each document ends
    in_word: Bytes,
    slots: NDArray[np.int32],
    cells: Longs,
    pool: Bytes,
    used: Longs,
    grows: bool,  # whether words that are not in the table are added, or passed over
    shortest: int,  # n-grams of so many words
    runs: Longs,  # up to (longest,): the entries of 1, 2, ... words that end at the last word, or -1
    state: Longs,  # (4,) the document, the place in the text, how many counts there are, how long the next word is
    entries: NDArray[np.int32],  # (room,) out
    counts: NDArray[np.int32],  # (room,) out
    starts: Longs,  # (n + 1,) out: the counts of document d are those from starts[d] up to starts[d + 1]
) -> bool:
    """Count the words of some documents; false where the table needs room first, to go on from `state`."""
    document, place, size = state[0], state[1], state[2]
    longest, before = len(runs), used[COUNTS]
    while document < len(ends):
        start, stop = next_word(text, place, ends[document], in_word)
        if start == stop:
            document, place = document + 1, stop
            starts[document] = size
            runs[:] = -1
            continue
        if grows and not has_room(cells, pool, used, longest, stop - start):
            state[0], state[1], state[2], state[3] = document, place, size, stop - start
            return False
        place = stop
        word = word_entry(slots, cells, pool, used, text, start, stop, grows)
        if word >= 0 and cells[word, SEEN] == STOP:
            continue
        for n in range(longest - 1, 0, -1):  # the longest first, for each needs the shorter one of the word before
            first = runs[n - 1]
            runs[n] = -1 if word < 0 or first < 0 else pair_entry(slots, cells, used, first, word, grows)
        runs[0] = word
        for n in range(shortest - 1, longest):
            if runs[n] >= 0:
                size = tally(cells, runs[n], before, starts[document], size, entries, counts)
    used[COUNTS] = before + size
    return True


@inlined
def tally(
    cells: Longs, entry: int, before: int, first: int, size: int, entries: NDArray[np.int32], counts: NDArray[np.int32]
) -> Whole:
    """Count an entry in the document whose counts begin at `first`; returns how many counts there are then."""
    found = cells[entry, SEEN] - before
    # Without a branch, which would be mispredicted every third time and wait for memory each time.
    is_new = found < first
    place = size if is_new else found
    counts[place] = 1 if is_new else counts[place] + 1
    entries[place] = entry
    cells[entry, SEEN] = before + place
    return size + is_new


@compiled
def place_columns(
    entries: NDArray[np.int32],  # (m,) in: entries; out: columns, rising within a document
    counts: NDArray[np.int32],  # (m,)
    starts: Longs,  # (n + 1,)
    columns: NDArray[np.int32],  # (E,) the column of each entry, or -1
) -> None:
    """Put columns for entries, leave out what has none, sort each document's and add up its equal ones, in place."""
    size = 0
    for d in range(len(starts) - 1):
        begin, starts[d] = starts[d], size
        keys = np.empty(starts[d + 1] - begin, np.int64)  # the column above, the count below
        kept = 0
        for i in range(begin, starts[d + 1]):
            column = columns[entries[i]]
            if column >= 0:
                keys[kept] = np.int64(column) << 32 | counts[i]
                kept += 1
        for key in np.sort(keys[:kept]):
            if size > starts[d] and entries[size - 1] == key >> 32:
                counts[size - 1] += key & 0xFFFFFFFF
            else:
                entries[size], counts[size] = key >> 32, key & 0xFFFFFFFF
                size += 1
    starts[-1] = size
