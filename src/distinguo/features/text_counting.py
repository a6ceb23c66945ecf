"""One pass over documents: chunks of texts in, counts of terms out; here by any function of a document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.features.text_analysis import checked_terms
from distinguo.features.text_scan import place_columns
from distinguo.features.text_table import Longs
from distinguo.features.text_vocabulary import Vocabulary

THREADS = 2
Ints = NDArray[np.int32]
Chunk = list[str]


@dataclass(frozen=True)
class Part:
    """Counts of the documents of one chunk.

    Attributes
    ----------
    entries, counts : (m,) int32, how often a document has what.
    starts : (n + 1,) int64, where the counts of each document begin.
    numbering : which numbering of entries this is; see `Terms`.
    """

    entries: Ints
    counts: Ints
    starts: Longs
    numbering: int


@dataclass(frozen=True)
class Terms:
    """What was counted.

    Attributes
    ----------
    vocabulary : the m terms, sorted where they were not given; None where columns have no names.
    documents : (m,) how many documents have each.
    columns : for each numbering of entries, the column of each entry, or -1.
    """

    vocabulary: Vocabulary | None
    documents: Longs
    columns: list[Ints]


class Counting(ABC):
    """A pass over documents, which counts all terms or those of a vocabulary."""

    @abstractmethod
    def parts(self, chunks: Iterable[Chunk]) -> Iterator[Part]:
        """Counts, chunk by chunk, in order."""

    @abstractmethod
    def terms(self) -> Terms:
        """What all the chunks had, once the parts are made."""


class InPython(Counting):
    """Terms as `analyze` finds them in a document."""

    def __init__(self, analyze: Callable[[str], Iterable[str]], known: Vocabulary | None) -> None:
        self._analyze = analyze
        self._known = known
        self._index = {} if known is None else {name: column for column, name in enumerate(known.names())}
        self._documents: list[Longs] = []

    def parts(self, chunks: Iterable[Chunk]) -> Iterator[Part]:
        """One thread's work: the interpreter has one lock."""
        for chunk in chunks:
            entries: list[int] = []
            counts: list[int] = []
            starts = [0]
            for document in chunk:
                tallied = Counter(self._analyze(document))
                if self._known is None:
                    entries += [self._index.setdefault(term, len(self._index)) for term in tallied]
                    counts += tallied.values()
                else:
                    hits = [(self._index[term], count) for term, count in tallied.items() if term in self._index]
                    entries += [entry for entry, _ in hits]
                    counts += [count for _, count in hits]
                starts.append(len(entries))
            part = Part(np.array(entries, np.int32), np.array(counts, np.int32), np.array(starts, np.int64), 0)
            self._documents.append(np.bincount(part.entries))
            yield part

    def terms(self) -> Terms:
        """Sorted, where they were not given."""
        documents = np.zeros(len(self._index), np.int64)
        for counted in self._documents:
            documents[: len(counted)] += counted
        if self._known is not None:
            return Terms(self._known, documents, [np.arange(len(documents), dtype=np.int32)])
        names = list(self._index)
        checked_terms(names)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
        return Terms(Vocabulary.of(names[j] for j in order), documents[order], [inverse(order, len(names))])


def inverse(order: Longs, size: int) -> Ints:
    """The column (size,) of each entry, given the entries (m,) of the columns; -1 for an entry without."""
    columns = np.full(size, -1, np.int32)
    columns[order] = np.arange(len(order), dtype=np.int32)
    return columns


def count_matrix(parts: list[Part], columns: list[Ints], width: int) -> sparse.csr_array:
    """Counts (n, width) as float64, given the column of each entry of each numbering; the parts are used up."""

    def place(part: Part) -> None:
        place_columns(part.entries, part.counts, part.starts, columns[part.numbering])

    if len(parts) == 1:
        place(parts[0])
    else:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(place, parts))
    ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
    kind = np.int32 if ends[-1] <= np.iinfo(np.int32).max else np.int64
    rows = [part.starts[1:] + end for part, end in zip(parts, ends, strict=False)]
    indptr = np.concatenate([[0], *rows]).astype(kind)
    indices, data = np.empty(ends[-1], kind), np.empty(ends[-1], np.float64)
    for start, stop in reversed(list(pairwise(ends))):
        part = parts.pop()  # as it is copied, that not all counts are held twice
        indices[start:stop], data[start:stop] = part.entries[: stop - start], part.counts[: stop - start]
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, width))
