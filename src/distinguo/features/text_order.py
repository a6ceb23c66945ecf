"""What a table of words and n-grams has found: its terms in their order, as bytes and offsets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled
from distinguo.features.text_table import (
    DOCUMENTS,
    ENTRIES,
    KEY,
    LEFT,
    POOL,
    RIGHT,
    SPACE,
    Bytes,
    Longs,
    Table,
    pair_entry,
    with_room,
    word_entry,
)


def united(table: Table, other: Table) -> tuple[Table, Longs]:
    """The first table with the entries of the second added, and where those (E,) are in it."""
    table = with_room(table, int(other.used[ENTRIES]), int(other.used[POOL]))
    places = np.empty(other.used[ENTRIES], np.int64)
    absorb(*table, other.cells[: len(places)], other.pool, places)
    return table, places


@compiled
def absorb(
    slots: NDArray[np.int32], cells: Longs, pool: Bytes, used: Longs, others: Longs, other_pool: Bytes, places: Longs
) -> None:
    """Enter the entries of another table, add what they were counted, and write where they are."""
    for entry in range(len(others)):
        left, right = others[entry, LEFT], others[entry, RIGHT]
        if left < 0:
            place = word_entry(slots, cells, pool, used, other_pool, right, right - 1 - left, True)
        else:
            place = pair_entry(slots, cells, used, places[left], places[right], True)
        cells[place, DOCUMENTS] += others[entry, DOCUMENTS] if others[entry, DOCUMENTS] > 0 else 0
        places[entry] = place


def found(table: Table, longest: int) -> Longs:
    """The entries (m,) that some document has, as Python sorts their names; none has more than `longest` words.

    A space comes before every character of a word, so that terms order as their words do, one after the other.
    """
    cells = table.cells[: table.used[ENTRIES]]
    present = np.flatnonzero(cells[:, DOCUMENTS] > 0)
    words = np.flatnonzero(cells[:, LEFT] < 0)
    ranks = np.zeros(len(cells), np.int64)
    ranks[words[_sorted_words(cells[words], table.pool)]] = 1 + np.arange(len(words))
    if longest == 1:
        return present[np.argsort(ranks[present])]
    columns = word_ranks(cells, ranks, present, longest)  # (longest, m), 0 after the last word
    keys, highest = [columns[0]], len(words) + 1
    for column in columns[1:]:  # as many ranks in one number as it can hold, for one number sorts fastest
        if highest <= np.iinfo(np.int64).max // (len(words) + 1):
            keys[-1] = keys[-1] * (len(words) + 1) + column
            highest *= len(words) + 1
        else:
            keys.append(column)
            highest = len(words) + 1
    return present[np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])]


def _sorted_words(words: Longs, pool: Bytes) -> Longs:
    """The order (m,) of words (m, WIDTH): by their first eight bytes, and by all where those are the same."""
    keys = words[:, KEY].view(np.uint64) if words.flags.c_contiguous else words[:, KEY].copy().view(np.uint64)
    order = np.argsort(keys)
    same = keys[order[1:]] == keys[order[:-1]]
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    raw = pool.tobytes()
    starts, lengths = words[order[tied], RIGHT], -1 - words[order[tied], LEFT]
    spelled = [raw[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
    # All ties in one order are also in order among those of one key, whose places come one after the other.
    order[tied] = order[tied][sorted(range(len(spelled)), key=spelled.__getitem__)]
    return order


@compiled
def word_ranks(cells: Longs, ranks: Longs, entries: Longs, longest: int) -> Longs:
    """(longest, m) the ranks of the first, second, ... word of each entry; 0 where it has no more."""
    result = np.zeros((longest, len(entries)), np.int64)
    for j in range(len(entries)):
        entry, length = entries[j], 0
        while cells[entry, LEFT] >= 0:
            entry = cells[entry, LEFT]
            length += 1
        entry = entries[j]
        for n in range(length, 0, -1):
            result[n, j] = ranks[cells[entry, RIGHT]]
            entry = cells[entry, LEFT]
        result[0, j] = ranks[entry]
    return result


@compiled
def spell(cells: Longs, pool: Bytes, entries: Longs) -> tuple[Bytes, Longs]:
    """The names of entries (m,) one after the other, and where each begins (m + 1,)."""
    offsets = np.zeros(len(entries) + 1, np.int64)
    for j in range(len(entries)):
        entry, size = entries[j], 0
        while cells[entry, LEFT] >= 0:
            size -= cells[cells[entry, RIGHT], LEFT]  # -1 - L: the word and the space before it
            entry = cells[entry, LEFT]
        offsets[j + 1] = offsets[j] + size - 1 - cells[entry, LEFT]
    terms = np.empty(offsets[-1], np.uint8)
    for j in range(len(entries)):
        entry, end = entries[j], offsets[j + 1]
        while True:  # from the last word to the first
            word = entry if cells[entry, LEFT] < 0 else cells[entry, RIGHT]
            start, size = cells[word, RIGHT], -1 - cells[word, LEFT]
            for i in range(size):
                terms[end - size + i] = pool[start + i]
            end -= size
            if word == entry:
                break
            end -= 1
            terms[end] = SPACE
            entry = cells[entry, LEFT]
    return terms, offsets
