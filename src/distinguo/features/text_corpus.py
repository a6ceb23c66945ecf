"""What is known of documents that were counted: their terms, and in how many documents each is."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.features.text_table import Longs
from distinguo.features.text_vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Corpus:
    """All terms, the rare ones too, so that fits add.

    Attributes
    ----------
    vocabulary : the m terms in the order of their columns; None where columns have no names.
    documents : (m,) int64, in how many documents each is.
    n : how many documents there were.
    """

    vocabulary: Vocabulary | None
    documents: Longs
    n: int

    def __add__(self, other: Corpus) -> Corpus:
        """Both; new terms come after those of the first."""
        if self.vocabulary is None or other.vocabulary is None or other.vocabulary is self.vocabulary:
            return Corpus(self.vocabulary, self.documents + other.documents, self.n + other.n)
        vocabulary, columns = self.vocabulary.joined(other.vocabulary)
        documents = np.zeros(len(vocabulary), np.int64)
        documents[: len(self.documents)] = self.documents
        documents[columns] += other.documents
        return Corpus(vocabulary, documents, self.n + other.n)

    def in_order(self) -> Corpus:
        """The same with its terms sorted."""
        if self.vocabulary is None:
            return self
        names = self.vocabulary.names()
        order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
        return Corpus(self.vocabulary.take(order), self.documents[order], self.n)

    def between(self, min_df: Any, max_df: Any) -> Longs:
        """The columns of terms that neither too few nor too many documents have.

        Raises
        ------
        InputError
            If the limits exclude each other, or there is no such term.
        """
        if not len(self.documents):
            raise InputError(
                "empty vocabulary; perhaps the documents only contain stop words, or no word of two letters or more: "
                f"{self.n} document(s) came. Bring documents with words, or change token_pattern or stop_words."
            )
        least, most = (_documents(limit, self.n) for limit in (min_df, max_df))
        if most < least:
            raise InputError(
                f"max_df corresponds to < documents than min_df: {most:g} and {least:g} of {self.n}. Raise max_df or "
                "lower min_df."
            )
        columns = np.flatnonzero((self.documents >= least) & (self.documents <= most))
        if not len(columns):
            raise InputError(
                f"After pruning, no terms remain. Try a lower min_df or a higher max_df: none of {len(self.documents)} "
                f"terms is in {least:g} to {most:g} of {self.n} documents."
            )
        return columns

    def idf(self, columns: Longs) -> NDArray[np.float64]:
        """(m,) log((1 + n) / (1 + document frequency)) + 1: as if one more document had every term."""
        weights: NDArray[np.float64] = np.log((1 + self.n) / (1 + self.documents[columns])) + 1
        return weights


def _documents(limit: Any, n: int) -> Any:
    """How many of n documents a limit means, which may be a share of them."""
    return limit if isinstance(limit, Integral) else limit * n


def weighted(counts: sparse.csr_array, idf: NDArray[np.float64]) -> sparse.csr_array:
    """Counts (n, m) times the weight of their terms, each row of Euclidean length one, or zero."""
    values = counts.data * idf[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(rows, values**2, minlength=counts.shape[0]))
    return sparse.csr_array((values / lengths[rows], counts.indices, counts.indptr), shape=counts.shape)
