"""Counts in a fixed number of columns, a term's column being a hash of it: no term is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from sklearn.utils import murmurhash3_32

from distinguo.features.text_counting import Chunk, Counting, Part, Terms
from distinguo.features.text_scan import place_columns
from distinguo.features.text_vocabulary import Vocabulary


class Hashed(Counting):
    """Terms in the columns that scikit-learn's HashingVectorizer has for them, without its signs.

    Parameters
    ----------
    count : makes what counts the terms of one chunk.
    width : how many columns there are.
    """

    def __init__(self, count: Callable[[], Counting], width: int) -> None:
        self._count, self._width = count, width
        self._documents = np.zeros(width, np.int64)

    def parts(self, chunks: Iterable[Chunk]) -> Iterator[Part]:
        """Each chunk's terms are forgotten before the next."""
        for chunk in chunks:
            counting = self._count()
            (part,) = counting.parts([chunk])
            terms = counting.terms()
            hashed = np.append(_columns(terms.vocabulary, self._width), -1)  # -1 finds the last, for what has no column
            place_columns(part.entries, part.counts, part.starts, hashed[terms.columns[part.numbering]])
            entries, counts = part.entries[: part.starts[-1]], part.counts[: part.starts[-1]]
            self._documents += np.bincount(entries, minlength=self._width)
            yield Part(entries, counts, part.starts, 0)

    def terms(self) -> Terms:
        """Columns without names."""
        return Terms(None, self._documents, [np.arange(self._width, dtype=np.int32)])


def _columns(vocabulary: Vocabulary | None, width: int) -> np.ndarray:
    """(m,) the column of each term, by the hash that FeatureHasher takes."""
    assert vocabulary is not None  # only hashes have no names
    return np.array([abs(murmurhash3_32(term)) % width for term in vocabulary.encoded()], dtype=np.int32)
