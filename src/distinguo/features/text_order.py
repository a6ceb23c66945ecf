"""What a table of words and n-grams has found: its terms in their order, as bytes and offsets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled
from distinguo.features.text_table import (
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
    """Enter the entries of another table, and write where they are."""
    for entry in range(len(others)):
        left, right = others[entry, LEFT], others[entry, RIGHT]
        if left < 0:
            place = word_entry(slots, cells, pool, used, other_pool, right, right - 1 - left, True)
        else:
            place = pair_entry(slots, cells, used, places[left], places[right], True)
        places[entry] = place


def found(table: Table, documents: Longs) -> tuple[Longs, Bytes, Longs]:
    """The entries (m,) that some document has, as Python sorts their names, and those names with their offsets.

    `documents` (E,) is how many have each. A space comes before every character of a word, so that terms order as
    their words do, one after the other.
    """
    cells = table.cells[: table.used[ENTRIES]]
    present = np.flatnonzero(documents)
    words = np.flatnonzero(cells[:, LEFT] < 0)
    words = words[_sorted_words(cells[words], table.pool)]
    ranks = np.zeros(len(cells), np.int32)
    ranks[words] = 1 + np.arange(len(words))
    by_term = word_ranks(cells, ranks, present, most_words(cells, present))  # (m, longest), 0 after the last word
    order = _by_rank(by_term, len(words) + 1)
    return present[order], *spell(cells[words], table.pool, by_term[order])


def _by_rank(ranks: NDArray[np.int32], base: int) -> Longs:
    """The order (m,) of rows of numbers below a base, the first counting most."""
    keys, highest = [ranks[:, 0].astype(np.int64)], base
    for column in ranks.T[1:]:  # as many ranks in one number as it can hold, for one number sorts fastest
        if highest <= np.iinfo(np.int64).max // base:
            keys[-1] = keys[-1] * base + column
            highest *= base
        else:
            keys.append(column.astype(np.int64))
            highest = base
    return np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])


def _sorted_words(words: Longs, pool: Bytes) -> Longs:
    """The order (m,) of words (m, WIDTH): by their first eight bytes, and by all where those are the same."""
    keys = words[:, KEY].copy().view(np.uint64)
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
def most_words(cells: Longs, entries: Longs) -> int:
    """How many words the longest of some entries has; 1 where there are none."""
    most = 1
    for last in entries:
        entry, length = last, 1
        while cells[entry, LEFT] >= 0:
            entry = cells[entry, LEFT]
            length += 1
        most = max(most, length)
    return most


@compiled
def word_ranks(cells: Longs, ranks: NDArray[np.int32], entries: Longs, longest: int) -> NDArray[np.int32]:
    """(m, longest) the ranks of the first, second, ... word of each entry; 0 where it has no more."""
    result = np.zeros((len(entries), longest), np.int32)
    for j in range(len(entries)):
        entry, length = entries[j], 0
        while cells[entry, LEFT] >= 0:
            entry = cells[entry, LEFT]
            length += 1
        entry = entries[j]
        for n in range(length, 0, -1):
            result[j, n] = ranks[cells[entry, RIGHT]]
            entry = cells[entry, LEFT]
        result[j, 0] = ranks[entry]
    return result


@compiled
def spell(words: Longs, pool: Bytes, ranks: NDArray[np.int32]) -> tuple[Bytes, Longs]:
    """The names (m,) one after the other, and where each begins (m + 1,), of rows of ranks of words, 0 for none."""
    offsets = np.zeros(len(ranks) + 1, np.int64)
    for j in range(len(ranks)):
        size = -1  # of the space before the first word, which is none
        for rank in ranks[j]:
            size += -words[rank - 1, LEFT] if rank else 0  # one more than its bytes
        offsets[j + 1] = offsets[j] + size
    terms = np.full(offsets[-1], SPACE, np.uint8)
    for j in range(len(ranks)):
        place = offsets[j]
        for rank in ranks[j]:
            if rank:
                start, size = words[rank - 1, RIGHT], -1 - words[rank - 1, LEFT]
                for i in range(size):
                    terms[place + i] = pool[start + i]
                place += size + 1
    return terms, offsets
