"""What the tests of texts share: documents of every script, and what must be the same as scikit-learn's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from distinguo import TextCounts
from distinguo.features import text_documents

# Letters of many scripts, marks that combine, digits, joiners, what lower() makes longer or looks around for, emoji,
# controls, and half of a surrogate pair.
TELLING = "aAbBzé\u0301\u0308ßẞİıΣσςДдאبहिक्一二ーの𝔘𝓍٣½²_-'’ \t\n\r\x00\x1c\xa0\u200d\u2028.😀👩\ufffd\U0010ffff\ud800"
characters = st.one_of(st.sampled_from(TELLING), st.characters(exclude_categories=()))
WORDS = ["the", "The", "cat", "CAT", "ΣΑΣ", "naïve", "re\u0301sume\u0301", "x", "of", "w" * 40, "longwords", "longword"]
words = st.sampled_from(WORDS)
pieces = st.one_of(words, st.text(characters, max_size=12))
documents = st.builds(" ".join, st.lists(pieces, max_size=12))
corpora = st.lists(documents, min_size=1, max_size=8)

NO_TERM = ("empty vocabulary", "no terms remain", "max_df corresponds")


@contextmanager
def chunks_of(size: int) -> Iterator[None]:
    """Chunks of so many characters, that a few texts are work for two threads."""
    with mock.patch.object(text_documents, "CHUNK_CHARACTERS", size):
        yield


def outcome(make: Any, texts: list[str]) -> tuple[list[str], Any] | None:
    """Names and counts of a fit, or None where no term is found or left."""
    model = make()
    try:
        counts = model.fit_transform(texts)
    except ValueError as error:
        if not any(reason in str(error) for reason in NO_TERM):
            raise
        return None
    return model.get_feature_names_out().tolist(), counts


def assert_equal(ours: Any, theirs: Any) -> None:
    """The same sparse matrix, ours in canonical form."""
    assert isinstance(ours, sparse.csr_array)
    assert ours.shape == theirs.shape
    assert ours.has_sorted_indices
    assert not len(ours.data) or ours.data.min() > 0
    theirs = sparse.csr_array(theirs)
    theirs.sort_indices()
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)


def by_name(model: TextCounts, texts: list[str]) -> dict[str, list[float]]:
    """The column of each term."""
    return dict(zip(model.get_feature_names_out().tolist(), model.transform(texts).toarray().T.tolist(), strict=True))
