"""One pass over documents by the compiled scan, in two threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from weakref import WeakKeyDictionary

import numpy as np

from distinguo.features.text_counting import THREADS, Chunk, Counting, Part, Terms, inverse
from distinguo.features.text_order import found, united
from distinguo.features.text_scan import scan, word_characters
from distinguo.features.text_table import ENTRIES, SEEN, STOP, Longs, Table, empty_table, lent, with_room
from distinguo.features.text_vocabulary import ENCODING, Vocabulary, entered

# The tables of vocabularies that are in use, so that one document is not made to wait for a hundred thousand words.
_ENTERED: WeakKeyDictionary[Vocabulary, tuple[frozenset[str], Table, Longs]] = WeakKeyDictionary()


class Compiled(Counting):
    """Words of two or more word characters, and n-grams of them, found by compiled code in two threads.

    Parameters
    ----------
    prepare : what is done to each document before it is scanned.
    sizes : n-grams of so many words, from and to.
    stop_words : words passed over before n-grams are made.
    known : the only terms to count, or None for all.
    """

    def __init__(
        self,
        prepare: Callable[[str], str],
        sizes: tuple[int, int],
        stop_words: frozenset[str],
        known: Vocabulary | None,
    ) -> None:
        self._prepare, self._sizes, self._known = prepare, sizes, known
        if known is None:
            tables = [_with_stop_words(empty_table(), stop_words) for _ in range(THREADS)]
        else:
            table, self._entries = _known_table(known, stop_words)
            tables = [lent(table) for _ in range(THREADS)]
        self._tables = tables
        self._documents = [np.zeros(0, np.int64) for _ in tables]  # of each table, how many documents have each entry

    def parts(self, chunks: Iterable[Chunk]) -> Iterator[Part]:
        """Chunks in turn to each thread, at most one waiting for each; a lone chunk needs no thread."""
        chunks = iter(chunks)
        first, second = next(chunks, None), next(chunks, None)
        if first is not None and second is None:
            yield self._part(0, first)
            return
        waiting: deque[Future[Part]] = deque()
        with ThreadPoolExecutor(THREADS) as pool:
            for turn, chunk in enumerate(_chain(first, second, chunks)):
                # The thread whose turn it is has given its part before it gets a chunk: none shares its table.
                if len(waiting) == THREADS:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(self._part, turn % THREADS, chunk))
            while waiting:
                yield waiting.popleft().result()

    def _part(self, numbering: int, chunk: Chunk) -> Part:
        """Counts of a chunk's documents, in the table of that number."""
        encoded = [self._prepare(document).encode(*ENCODING) for document in chunk]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        text = np.frombuffer(bytearray().join(encoded), np.uint8)
        del encoded
        shortest, longest = self._sizes
        # A word has two bytes at least, and one between it and the next.
        longest = min(longest, (int(np.diff(ends, prepend=0).max(initial=0)) + 1) // 3)
        room = (len(text) + len(chunk)) // 3 * max(longest - shortest + 1, 0) + 1
        entries, counts = np.empty(room, np.int32), np.empty(room, np.int32)
        starts = np.zeros(len(chunk) + 1, np.int64)
        runs, state = np.full(longest, -1, np.int64), np.zeros(4, np.int64)
        table, grows = self._tables[numbering], self._known is None
        in_word = word_characters()
        while not scan(text, ends, in_word, *table, grows, shortest, runs, state, entries, counts, starts):
            table = self._tables[numbering] = with_room(table, longest, int(state[3]))
        entries, counts = entries[: starts[-1]].copy(), counts[: starts[-1]].copy()
        self._documents[numbering] = _sum(self._documents[numbering], np.bincount(entries))
        return Part(entries, counts, starts, numbering)

    def terms(self) -> Terms:
        """Sorted, where they were not given."""
        table, documents = self._tables[0], self._documents[0]
        if self._known is not None:
            size = int(table.used[ENTRIES])
            every = _sum(np.zeros(size, np.int64), *self._documents)
            return Terms(self._known, every[self._entries], [inverse(self._entries, size)] * THREADS)
        numberings = [np.arange(table.used[ENTRIES])]
        for other, counted in zip(self._tables[1:], self._documents[1:], strict=True):
            table, places = united(table, other)
            every = _sum(np.zeros(table.used[ENTRIES], np.int64), documents)
            every[places[: len(counted)]] += counted
            documents = every
            numberings.append(places)
        entries, terms, offsets = found(table, documents)
        columns = inverse(entries, int(table.used[ENTRIES]))
        return Terms(Vocabulary(terms, offsets), documents[entries], [columns[places] for places in numberings])


def _sum(*counts: Longs) -> Longs:
    """The sum of arrays that go on with zeros."""
    total = np.zeros(max(map(len, counts)), np.int64)
    for each in counts:
        total[: len(each)] += each
    return total


def _chain(first: Chunk | None, second: Chunk | None, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """What was looked at already, and the rest."""
    yield from (chunk for chunk in (first, second) if chunk is not None)
    yield from chunks


def _with_stop_words(table: Table, stop_words: frozenset[str]) -> Table:
    """The table with stop words in it; one with a space in it is no word and stops nothing."""
    table, entries = entered(table, Vocabulary.of(sorted(word for word in stop_words if " " not in word)))
    table.cells[entries, SEEN] = STOP
    return table


def _known_table(known: Vocabulary, stop_words: frozenset[str]) -> tuple[Table, Longs]:
    """A table of a vocabulary and stop words, to be lent, and the entry of each term."""
    kept = _ENTERED.get(known)
    if kept is None or kept[0] != stop_words:
        table, entries = entered(empty_table(), known)
        kept = _ENTERED[known] = stop_words, _with_stop_words(table, stop_words), entries
    return kept[1:]
