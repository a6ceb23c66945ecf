"""Texts in files or on a cluster as rows of counts, counted where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from distinguo.exceptions import InputError, InputTypeError
from distinguo.features.text import TextCounts
from distinguo.features.text_corpus import Corpus
from distinguo.rows.base import Batch, Reducer, Size, Source, T, total
from distinguo.rows.columns import Columns


@dataclass(frozen=True, eq=False)
class Corpora(Reducer[Corpus]):
    """The terms of texts, and in how many each is.

    Attributes
    ----------
    counts : what finds terms.
    """

    counts: TextCounts
    takes_holes = True
    takes_words = True

    def reduce(self, batches: Iterable[Batch]) -> Corpus:
        """One pass over the batches."""
        return total(self.counts.corpus(_counting(batch)) for batch in batches)


@dataclass(frozen=True, eq=False)
class CountedTexts(Reducer[T]):
    """What another spec describes, of texts as rows of counts.

    Attributes
    ----------
    spec : the other, which takes sparse rows.
    counts : fitted, so that every part has the same columns.
    names : (m,) the terms.
    """

    spec: Reducer[T]
    counts: TextCounts
    names: NDArray[Any]
    takes_holes = True
    takes_words = True

    def reduce(self, batches: Iterable[Batch]) -> T:
        """The result of the counted batches."""
        return self.spec.reduce(self._counted(batches))

    def _counted(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        for batch in batches:
            X: Any = self.counts.transform(texts_of(batch))
            yield replace(batch, X=X, feature_names=self.names, holes=False)


def texts_of(batch: Batch) -> list[Any]:
    """The texts of a batch with one column, None where one is missing.

    Raises
    ------
    InputError
        If there is another number of columns, or they hold no texts.
    """
    columns: Any = batch.X
    if not isinstance(columns, Columns):
        raise InputError("these rows are numbers; texts are counted in files and on clusters, with columns=[the text].")
    if len(columns.columns) != 1:
        raise InputError(
            f"there are {len(columns.columns)} columns, and texts stand in one: name it, as in "
            "scan(..., columns=['text'])."
        )
    column = columns.columns[0]
    if column.words is None:
        if np.isnan(column.values).all():
            return [None] * columns.n
        return [None if np.isnan(value) else f"{value:.17g}" for value in column.values.tolist()]
    words = [*column.words, None]
    places = np.where(np.isnan(column.values), len(column.words), column.values).astype(np.intp)
    return [words[place] for place in places.tolist()]


def _counting(batch: Batch) -> list[Any]:
    """The texts of the rows of a weight above zero."""
    texts = texts_of(batch)
    return texts if batch.weight is None else [text for text, w in zip(texts, batch.weight, strict=True) if w > 0]


class TextRows(Source):
    r"""Texts of a `Source` as rows of counts: for models of counts, on files larger than memory and on clusters.

    One pass finds the terms, if they are not given, and each pass of a fit counts them anew; only terms and statistics
    are held. The model's columns are the terms.

    Parameters
    ----------
    source : rows whose one column of features holds texts, as of ``scan(path, target, columns=["text"])``.
    counts : how texts are counted; one that is fitted keeps its terms. By default `TextCounts()`.

    Attributes
    ----------
    counts_ : `TextCounts`, fitted; it counts the texts to be classified.

    Raises
    ------
    InputError
        While texts are read: if one is missing and `counts` does not allow it, or no term is left.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from distinguo import MultinomialNB, TextCounts, scan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "messages.csv"
    ...     _ = file.write_text("label,text\nspam,win money\nham,lunch at noon\nspam,money money\n")
    ...     rows = TextRows(scan(file, target="label", columns=["text"]), TextCounts())
    ...     model = MultinomialNB().fit(rows)
    >>> model.predict(rows.counts_.transform(["lunch money", "noon"])).tolist()
    ['spam', 'ham']
    """

    def __init__(self, source: Source, counts: TextCounts | None = None) -> None:
        if not isinstance(source, Source) or not isinstance(counts, TextCounts | None):
            raise InputTypeError(
                "TextRows takes a source, such as scan(path, target, columns=['text']), and a TextCounts; "
                f"{type(source).__name__} and {type(counts).__name__} came."
            )
        self.source = source
        self.counts = TextCounts() if counts is None else counts
        self.is_remote = source.is_remote

    @cached_property
    def counts_(self) -> TextCounts:
        """What counts, with the terms of all texts."""
        if self.counts.__sklearn_is_fitted__():
            return self.counts
        fresh: TextCounts = clone(self.counts)
        return fresh.of_corpus(self.source.aggregate(Corpora(fresh)))

    @property
    def feature_names(self) -> NDArray[Any]:
        """(m,) the terms."""
        return self._names

    @cached_property
    def _names(self) -> NDArray[Any]:
        return self.counts_.get_feature_names_out()

    def size(self) -> Size | None:
        """How large the source of the texts is."""
        return self.source.size()

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, of the counts."""
        if not spec.takes_sparse:
            raise InputError(
                "counts of texts that are streamed are for models of counts: MultinomialNB, ComplementNB, BernoulliNB, "
                "PoissonNB. For others count them in memory, with TextCounts().fit_transform(scan_texts(...))."
            )
        return self.source.aggregate(CountedTexts(spec, copy(self.counts_), self._names))

    def batches(self) -> Iterator[Batch]:
        """Not at all: sparse rows of counts are summed up where they are."""
        raise InputError(
            "this model needs rows one by one, and streamed texts come as sums of counts only. Count them in memory, "
            "with TextCounts().fit_transform(scan_texts(...)), or use MultinomialNB."
        )
