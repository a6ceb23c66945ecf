"""Laws over texts of all scripts: the counts are CountVectorizer's, splits add up, and order does not matter."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer

from distinguo import TextCounts
from distinguo.features.text_scan import word_characters
from tests.features.text_cases import assert_equal, by_name, chunks_of, corpora, documents, outcome, words

SIZES = [(1, 1), (1, 2), (2, 2), (1, 3), (2, 4), (3, 3), (2, 10**9)]
LIMITS = [{}, {"min_df": 2}, {"max_df": 0.5}, {"min_df": 0.3, "max_df": 3}]
ENGLISH = ["english", ["the", "cat", "of"], None]
PATTERNS = [r"(?u)\b\w+\b", r"\S+", r"(\w)\w*", "[a-z]+"]

common = {
    "lowercase": st.booleans(),
    "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
    "binary": st.booleans(),
    "ngram_range": st.sampled_from(SIZES),
}
scanned = {**common, "stop_words": st.sampled_from(ENGLISH)}
options = st.one_of(
    st.fixed_dictionaries(scanned),
    st.fixed_dictionaries({**scanned, "token_pattern": st.sampled_from(PATTERNS)}),
    st.fixed_dictionaries({**common, "analyzer": st.sampled_from(["char", "char_wb"])}),
)
sizes = st.sampled_from([5, 50, 1 << 21])
quiet = pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")  # scikit-learn's, of its own list


@quiet
@settings(max_examples=300)
@given(texts=corpora, options=options, limits=st.sampled_from(LIMITS), size=sizes)
@example(texts=["ab cd ab", "ΑΣ. ΑΣ"], options={"ngram_range": (1, 2)}, limits={}, size=5)
def test_counts_are_those_of_count_vectorizer(
    texts: list[str], options: dict[str, Any], limits: dict[str, Any], size: int
) -> None:
    with chunks_of(size):
        ours = outcome(lambda: TextCounts(**options, **limits), texts)
    theirs = outcome(lambda: CountVectorizer(**options, **limits), texts)
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        assert ours[0] == theirs[0]
        assert_equal(ours[1], theirs[1])


@quiet
@given(texts=corpora, others=corpora, options=options, size=sizes)
def test_transform_knows_the_terms_of_the_fit_only(
    texts: list[str], others: list[str], options: dict[str, Any], size: int
) -> None:
    theirs = CountVectorizer(**options)
    assume(outcome(lambda: theirs, texts))
    with chunks_of(size):
        ours = TextCounts(**options).fit(texts)
        assert_equal(ours.transform(others), theirs.transform(others))


@given(
    texts=corpora,
    vocabulary=st.lists(st.one_of(words, documents), min_size=1, unique=True),
    ngram_range=st.sampled_from(SIZES),
    stop_words=st.sampled_from([None, ["the", "of"]]),
)
@example(texts=["ab cd  ef"], vocabulary=["ab  cd", "ab cd", " ", "", "cd"], ngram_range=(1, 2), stop_words=None)
@example(texts=["ab the cd", "the"], vocabulary=["ab cd", "the"], ngram_range=(1, 2), stop_words=["the"])
def test_given_vocabulary(
    texts: list[str], vocabulary: list[str], ngram_range: tuple[int, int], stop_words: list[str] | None
) -> None:
    """Terms that no text can have, with spaces at ends or several together, are columns of zeros."""
    options = {"vocabulary": vocabulary, "ngram_range": ngram_range, "stop_words": stop_words, "lowercase": False}
    ours = TextCounts(**options)
    assert_equal(ours.fit_transform(texts), CountVectorizer(**options).fit_transform(texts))
    assert ours.get_feature_names_out().tolist() == vocabulary
    frequencies = (ours.transform(texts).toarray() > 0).sum(axis=0)
    np.testing.assert_array_equal(ours.document_frequencies_, frequencies)


@quiet
@given(texts=st.lists(documents, min_size=2, max_size=8), options=options, cuts=st.data(), size=sizes)
def test_any_split_into_partial_fits_is_the_whole_up_to_order(
    texts: list[str], options: dict[str, Any], cuts: Any, size: int
) -> None:
    whole = TextCounts(**options)
    assume(outcome(lambda: whole, texts))
    parts = TextCounts(**options)
    first, second = sorted(cuts.draw(st.tuples(st.integers(0, len(texts)), st.integers(0, len(texts)))))
    known: list[str] = []
    for part in (texts[:first], texts[first:second], texts[second:]):
        with chunks_of(size):
            parts.partial_fit(part)
        if len(parts._corpus.documents):
            names = parts.get_feature_names_out().tolist()
            assert names[: len(known)] == known
            assert names[len(known) :] == sorted(names[len(known) :])
            known = names
    assert parts.n_documents_ == len(texts)
    assert by_name(parts, texts) == by_name(whole, texts)
    frequencies = dict(zip(known, parts.document_frequencies_, strict=True))
    assert frequencies == dict(zip(whole.get_feature_names_out(), whole.document_frequencies_, strict=True))


@quiet
@given(texts=corpora, options=options, seed=st.integers(0, 99), size=sizes)
def test_permuted_documents_are_permuted_rows(texts: list[str], options: dict[str, Any], seed: int, size: int) -> None:
    result = outcome(lambda: TextCounts(**options), texts)
    assume(result)
    order = np.random.default_rng(seed).permutation(len(texts))
    with chunks_of(size):
        names, counts = outcome(lambda: TextCounts(**options), [texts[i] for i in order]) or ([], None)
    assert names == result[0]
    assert_equal(counts, result[1][order])


@quiet
@given(texts=corpora, others=corpora, options=options)
def test_tf_idf_is_that_of_tfidf_transformer(texts: list[str], others: list[str], options: dict[str, Any]) -> None:
    counts = CountVectorizer(**options)
    assume(outcome(lambda: counts, texts))
    theirs = TfidfTransformer().fit(counts.transform(texts))
    ours = TextCounts(**options, tfidf=True).fit(texts)
    np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=1e-14)
    expected = theirs.transform(counts.transform(others)).toarray()
    np.testing.assert_allclose(ours.transform(others).toarray(), expected, rtol=1e-12)


@given(
    texts=st.lists(st.text(st.characters(), max_size=60), min_size=1),
    ngram_range=st.sampled_from(SIZES),
    width=st.sampled_from([1, 7, 1 << 18]),
    binary=st.booleans(),
    size=sizes,
)
def test_hashed_columns_are_those_of_hashing_vectorizer(
    texts: list[str], ngram_range: tuple[int, int], width: int, binary: bool, size: int
) -> None:
    ours = TextCounts(hashing=width, ngram_range=ngram_range, binary=binary)
    theirs = HashingVectorizer(
        n_features=width, ngram_range=ngram_range, binary=binary, norm=None, alternate_sign=False
    )
    with chunks_of(size):
        counts = ours.fit_transform(texts)
        assert_equal(counts, theirs.transform(texts))
        assert_equal(clone(ours).partial_fit(texts[:1]).transform(texts), theirs.transform(texts))
    np.testing.assert_array_equal(ours.document_frequencies_, (counts > 0).sum(axis=0))


def test_word_characters_are_those_of_python() -> None:
    r"""Python's documentation: \w is what str.isalnum takes, and the underscore."""
    table = word_characters()
    assert all(bool(table[point]) == (chr(point).isalnum() or chr(point) == "_") for point in range(0x110000))
