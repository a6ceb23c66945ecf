"""Documents into counts of their words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError
from distinguo.features.text_corpus import Corpus, weighted
from distinguo.features.text_counting import Ints, Part, count_matrix
from distinguo.features.text_options import DEFAULT_PATTERN, check_limit, given_vocabulary, reading_of
from distinguo.features.text_table import Longs
from distinguo.features.text_vocabulary import Vocabulary
from distinguo.options import truth


class TextCounts(TransformerMixin, BaseEstimator):
    r"""How often each document has each word: scikit-learn's CountVectorizer, several times as fast, and it learns on.

    .. math:: x_{dj} = \#\{\text{places of document } d \text{ with term } j\}

    Words of the default pattern are found by compiled code in two threads; other patterns, functions and runs of
    characters by Python. Either way the columns and counts are those of CountVectorizer with the same options. With
    ``tfidf=True`` each count is multiplied by :math:`\log\frac{1+n}{1+n_j} + 1`, where :math:`n_j` of n documents
    have the term, and each row has Euclidean length one, as TfidfTransformer does it.

    Documents come as a list, an array, a pandas, Polars or PyArrow column, a table of one column, or any iterable such
    as `scan_texts`, which is read once and not kept. Each is a `str`, `bytes`, or the `pathlib.Path` of a file.

    Parameters
    ----------
    encoding, decode_error : how bytes and files are decoded; "strict", "ignore" or "replace".
    missing : "error", or "empty" to take None and NaN as texts without words.
    remove : what to take away first, of "headers", "footers" and "quotes" of e-mail and news, by the rules of
        scikit-learn's fetch_20newsgroups.
    strip_accents : "unicode", "ascii", a function of a text, or None.
    lowercase : bool, default True
    preprocessor : a function of a text in place of `strip_accents` and `lowercase`, or None.
    tokenizer : a function from a text to its words in place of `token_pattern`, or None.
    stop_words : "english" for scikit-learn's list, a collection of words, or None.
    token_pattern : a regular expression, whose only group is the word if it has one.
    ngram_range : (shortest, longest) runs of words, or of characters.
    analyzer : "word", "char", "char_wb" (inside words), or a function from a text to its terms.
    max_df, min_df : a whole number of documents or a share (float) of them; terms in more, or in fewer, get no column.
        They act when a matrix is made: the frequencies of all terms are kept.
    vocabulary : the terms to count in the order of their columns, a mapping to columns, or None to find them.
    hashing : a number of columns, each term's being a hash of it, as HashingVectorizer has it (with
        ``alternate_sign=False, norm=None``); or None. Nothing of the texts is kept.
    binary : bool, default False
        Whether a term is counted once a document.
    tfidf : bool, default False

    Attributes
    ----------
    vocabulary_ : dict, from terms to columns.
    document_frequencies_ : (m,) in how many documents the term of each column is.
    n_documents_ : int
    idf_ : (m,) what `tfidf` multiplies each column by.

    Notes
    -----
    `fit` sorts the terms. `partial_fit` leaves the columns of those it knows where they are and puts new ones after
    them; where `min_df` or `max_df` then allow what they did not before, or the reverse, columns come and go. A model
    that learns on in step needs their names: `get_feature_names_out`.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, 2.2, 6.2 and 13.2. Weinberger et al.
    (2009), Feature hashing for large scale multitask learning, ICML.

    Examples
    --------
    >>> counts = TextCounts().fit(["win money now", "money, money!"])
    >>> counts.get_feature_names_out().tolist()
    ['money', 'now', 'win']
    >>> counts.transform(["Money now or never"]).toarray().tolist()
    [[1.0, 1.0, 0.0]]
    >>> counts.partial_fit(["a free lunch"]).get_feature_names_out().tolist()
    ['money', 'now', 'win', 'free', 'lunch']
    """

    _corpus: Corpus

    def __init__(
        self,
        *,
        encoding: str = "utf-8",
        decode_error: str = "strict",
        missing: str = "error",
        remove: tuple[str, ...] = (),
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str = DEFAULT_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        vocabulary: Any = None,
        hashing: int | None = None,
        binary: bool = False,
        tfidf: bool = False,
    ) -> None:
        self.encoding = encoding
        self.decode_error = decode_error
        self.missing = missing
        self.remove = remove
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.vocabulary = vocabulary
        self.hashing = hashing
        self.binary = binary
        self.tfidf = tfidf

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Find the terms.

        Parameters
        ----------
        X : n documents.
        y : not used.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If an option cannot be used, a document is missing or cannot be decoded, or no term is found or left.
        InputTypeError
            If X holds no documents, or a document is no text.
        """
        self._corpus, _, _ = self._counted(X, self._given(), keep=False)
        self._columns()
        return self

    def fit_transform(self, X: Iterable[Any], y: Any = None) -> sparse.csr_array:
        """Find the terms and count them: as `fit`, then `transform`, in one pass over X.

        Parameters
        ----------
        X : n documents.
        y : not used.

        Returns
        -------
        (n, m) float64, which models need not convert
        """
        self._corpus, parts, columns = self._counted(X, self._given(), keep=True)
        return self._matrix(parts, columns)

    def partial_fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Add the terms of more documents, new ones after those that are known; documents without words may come.

        Parameters
        ----------
        X : n documents.
        y : not used.

        Returns
        -------
        self
        """
        corpus = self.corpus(X)
        self._corpus = self._corpus + corpus if self._is_fitted() else corpus
        return self

    def corpus(self, X: Iterable[Any]) -> Corpus:
        """The terms of n documents, as a value that adds to those of others."""
        known = self._corpus.vocabulary if self.vocabulary is not None and self._is_fitted() else self._given()
        return self._counted(X, known, keep=False)[0]

    def of_corpus(self, corpus: Corpus) -> Self:
        """Take the terms of documents that were counted elsewhere, sorted as `fit` has them."""
        self._corpus = corpus if self.vocabulary is not None else corpus.in_order()
        self._columns()
        return self

    def transform(self, X: Iterable[Any]) -> sparse.csr_array:
        """Count the terms that are known.

        Parameters
        ----------
        X : n documents.

        Returns
        -------
        (n, m) float64, which models need not convert
        """
        check_is_fitted(self)
        _, parts, columns = self._counted(X, self._corpus.vocabulary, keep=True)
        return self._matrix(parts, columns)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """(m,) the terms in the order of the columns; `input_features` are not used."""
        check_is_fitted(self)
        columns, vocabulary = self._columns(), self._corpus.vocabulary
        if vocabulary is None:
            return np.array([f"hash{column}" for column in columns], dtype=object)
        return np.array(vocabulary.take(columns).names(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """From terms to columns."""
        return {name: column for column, name in enumerate(self.get_feature_names_out())}

    @property
    def document_frequencies_(self) -> Longs:
        """(m,) in how many documents the term of each column is."""
        check_is_fitted(self)
        return self._corpus.documents[self._columns()]

    @property
    def n_documents_(self) -> int:
        """How many documents there were."""
        check_is_fitted(self)
        return self._corpus.n

    @property
    def idf_(self) -> NDArray[np.float64]:
        """(m,) what `tfidf` multiplies each column by."""
        check_is_fitted(self)
        return self._corpus.idf(self._columns())

    def _given(self) -> Vocabulary | None:
        """The caller's vocabulary."""
        if self.vocabulary is None:
            return None
        if (self.min_df, self.max_df) != (1, 1.0):
            raise InputError("min_df and max_df have no effect where a vocabulary is given; leave them out.")
        return given_vocabulary(self.vocabulary, self.lowercase and self.preprocessor is None)

    def _counted(self, X: Iterable[Any], known: Vocabulary | None, keep: bool) -> tuple[Corpus, list[Part], list[Ints]]:
        """One pass over documents: what they hold and, if they are kept, their counts and the column of each entry."""
        reading = reading_of(self.get_params(deep=False))
        counting = reading.count(known)
        n, kept = 0, []
        for part in counting.parts(reading.door.chunks(X)):
            n += len(part.starts) - 1
            if keep:
                kept.append(part)
        terms = counting.terms()
        return Corpus(terms.vocabulary, terms.documents, n), kept, terms.columns

    def _columns(self) -> Longs:
        """The terms that have a column, of all that are known."""
        min_df, max_df = check_limit(self.min_df, "min_df"), check_limit(self.max_df, "max_df")
        if self.vocabulary is not None or self.hashing is not None:
            return np.arange(len(self._corpus.documents))
        return self._corpus.between(min_df, max_df)

    def _matrix(self, parts: list[Part], places: list[Ints]) -> sparse.csr_array:
        """Counts (n, m), given the place of each entry among all terms."""
        columns = self._columns()
        new = np.full(len(self._corpus.documents) + 1, -1, np.int32)  # -1 finds the last, for what has no place
        new[columns] = np.arange(len(columns), dtype=np.int32)
        counts = count_matrix(parts, [new[place] for place in places], len(columns))
        if truth(self.binary, "binary"):
            counts.data[:] = 1
        return weighted(counts, self._corpus.idf(columns)) if truth(self.tfidf, "tfidf") else counts

    def _is_fitted(self) -> bool:
        return "_corpus" in vars(self)

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
