"""TextCounts as a transformer: containers, files, state, scikit-learn's company, and documents beyond the ordinary."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from distinguo import LinearDiscriminantAnalysis, MultinomialNB, TextCounts, scan_texts
from distinguo.catalogue import trusted_types
from tests.features.text_cases import assert_equal, by_name, chunks_of

TEXTS = ["win money now", "Money, money!", "", "lunch at noon", "noon or never: win"]


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_mixin_order,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learn(check: Any) -> None:
    """The checks that bring no numbers; of transformers of strings `check_estimator` has but one."""
    check("TextCounts", TextCounts())


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        iter,
        np.array,
        lambda texts: np.array(texts, dtype=object)[:, None],
        pd.Series,
        lambda texts: pd.DataFrame({"text": texts}),
        lambda texts: pl.Series("text", texts),
        lambda texts: pl.DataFrame({"text": texts}),
        pa.array,
        lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
        lambda texts: pa.table({"text": texts}),
        lambda texts: [text.encode() for text in texts],
        lambda texts: (text for text in texts),
    ],
    ids=[
        "tuple",
        "iterator",
        "array",
        "column of an array",
        "pandas series",
        "pandas frame",
        "Polars series",
        "Polars frame",
        "Arrow array",
        "Arrow chunks",
        "Arrow table",
        "bytes",
        "generator",
    ],
)
def test_containers(container: Any) -> None:
    expected = CountVectorizer().fit_transform(TEXTS)
    assert_equal(TextCounts().fit_transform(container(TEXTS)), expected)


def test_files_are_documents(tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text)
    counts = TextCounts().fit_transform(sorted(tmp_path.iterdir()))
    assert_equal(counts, CountVectorizer().fit_transform(TEXTS))


@pytest.mark.parametrize("write", [pl.DataFrame.write_csv, pl.DataFrame.write_parquet], ids=["csv", "parquet"])
def test_a_column_of_files_is_streamed(tmp_path: Path, write: Any) -> None:
    frame = pl.DataFrame({"label": ["a", "b", "a", "b", "b"], "text": [*TEXTS[:2], 'a "quoted"\nline', *TEXTS[3:]]})
    end = write.__name__.removeprefix("write_")
    write(frame[:3], tmp_path / f"1.{end}")
    write(frame[3:], tmp_path / f"2.{end}")
    texts = scan_texts(str(tmp_path / f"*.{end}"), "text")
    assert list(texts) == frame["text"].to_list()
    assert texts.labels("label").tolist() == frame["label"].to_list()
    with chunks_of(20):
        counts = TextCounts(ngram_range=(1, 2)).fit(texts)
        assert_equal(counts.transform(texts), CountVectorizer(ngram_range=(1, 2)).fit_transform(frame["text"]))


def test_missing_documents_may_be_empty() -> None:
    counts = TextCounts(missing="empty").fit_transform(["win win", None, float("nan"), pd.NA, pd.NaT])
    assert counts.toarray().tolist() == [[2], [0], [0], [0], [0]]
    column = pd.Series(["win", None], dtype="str")
    assert TextCounts(missing="empty").fit_transform(column).toarray().tolist() == [[1], [0]]


def test_bytes_of_another_encoding() -> None:
    raw = ["Straße naïve".encode("latin-1"), "naïve".encode("latin-1")]
    assert TextCounts(encoding="latin-1").fit(raw).get_feature_names_out().tolist() == ["naïve", "straße"]
    for decode_error in ("ignore", "replace"):
        theirs = CountVectorizer(decode_error=decode_error)
        ours = TextCounts(decode_error=decode_error)
        assert_equal(ours.fit_transform(raw), theirs.fit_transform(raw))
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_functions_in_place_of_options() -> None:
    def halves(text: str) -> list[str]:
        return [text[: len(text) // 2], text[len(text) // 2 :]]

    cases: list[dict[str, Any]] = [
        {"analyzer": halves},
        {"preprocessor": str.upper, "ngram_range": (1, 2)},
        {"strip_accents": lambda text: text.replace("m", "n")},
    ]
    for options in cases:
        ours, theirs = TextCounts(**options), CountVectorizer(**options)
        assert_equal(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
        assert ours.vocabulary_ == theirs.vocabulary_
    ours = TextCounts(tokenizer=str.split, stop_words=["money,"])
    assert_equal(
        ours.fit_transform(TEXTS),
        CountVectorizer(tokenizer=str.split, token_pattern=None, stop_words=["money,"]).fit_transform(TEXTS),
    )


def test_given_vocabularies() -> None:
    assert TextCounts(vocabulary={"win": 1, "noon": 0}).fit_transform(TEXTS).toarray().T.tolist() == [
        [0, 0, 0, 1, 1],
        [1, 0, 0, 0, 1],
    ]
    assert TextCounts(vocabulary={"win", "noon"}).fit(TEXTS).vocabulary_ == {"noon": 0, "win": 1}
    fixed = TextCounts(vocabulary=["win"]).fit(TEXTS).partial_fit(["new words, win"])
    assert fixed.vocabulary_ == {"win": 0}
    assert (fixed.document_frequencies_.tolist(), fixed.n_documents_) == ([3], 6)


def test_limits_act_when_the_matrix_is_made() -> None:
    """What was too rare is kept, and has its column once there is enough of it."""
    counts = TextCounts(min_df=2).fit(TEXTS)
    assert counts.get_feature_names_out().tolist() == ["money", "noon", "win"]
    counts.partial_fit(["lunch now"])
    assert counts.get_feature_names_out().tolist() == ["lunch", "money", "noon", "now", "win"]
    assert counts.set_params(max_df=2).get_feature_names_out().tolist() == ["lunch", "money", "noon", "now", "win"]
    assert counts.set_params(min_df=1, max_df=1).get_feature_names_out().tolist() == ["at", "never", "or"]


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3)])
def test_many_terms_and_long_words(ngram_range: tuple[int, int]) -> None:
    """More than the table first has room for, with the same first eight letters, and words longer than its pool."""
    rng = np.random.default_rng(0)
    vocabulary = [f"{'same' * rng.integers(0, 4)}{number}" for number in range(9000)] + ["w" * 40_000, "w" * 40_001]
    texts = [" ".join(vocabulary[j] for j in row) for row in rng.integers(0, 9002, (300, 60))] + [" ".join(vocabulary)]
    theirs = CountVectorizer(ngram_range=ngram_range)
    expected = theirs.fit_transform(texts)
    for size in (10_000, 1 << 30):
        with chunks_of(size):
            ours = TextCounts(ngram_range=ngram_range)
            assert_equal(ours.fit_transform(texts), expected)
            assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
            assert_equal(ours.transform(texts[:40]), theirs.transform(texts[:40]))


def test_long_runs_of_words_in_order() -> None:
    """Ranks of four words of a large vocabulary do not fit into one number."""
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{number}" for number in rng.integers(0, 70_000, 20_000)) for _ in range(3)]
    ours, theirs = TextCounts(ngram_range=(4, 4)), CountVectorizer(ngram_range=(4, 4))
    expected = theirs.fit_transform(texts)
    assert_equal(ours.fit_transform(texts), expected)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_one_enormous_document() -> None:
    text = "ab cd " * 400_000 + "x" * 1_000_000
    assert TextCounts().fit_transform([text]).toarray().tolist() == [[400_000, 400_000, 1]]


def test_documents_of_no_or_unknown_words() -> None:
    counts = TextCounts(tfidf=True).fit(TEXTS)
    assert counts.transform(["", "unknown words only", "?"]).nnz == 0
    assert counts.transform([]).shape == (0, len(counts.vocabulary_))
    assert counts.transform(np.array([], dtype=str)).dtype == np.float64


def test_state_is_pickled_and_saved_without_its_tables() -> None:
    texts = [f"word{number} and word{number + 1}" for number in range(2000)]
    counts = TextCounts(ngram_range=(1, 2), tfidf=True).fit(texts)
    expected = counts.transform(texts)
    trusted = [*trusted_types(), "distinguo.features.text.TextCounts"]
    for saved, load in (
        (pickle.dumps(counts), pickle.loads),
        (skops.io.dumps(counts), lambda data: skops.io.loads(data, trusted=trusted)),
    ):
        assert len(saved) < 500_000  # 6001 terms of some 13 bytes, with two numbers of 8 bytes each
        loaded = load(saved)
        assert_equal(loaded.transform(texts), expected)
        assert loaded.partial_fit(["more words"]).vocabulary_.keys() >= {"more words"}
    assert clone(counts).get_params() == counts.get_params()
    with pytest.raises(NotFittedError):
        clone(counts).transform(texts)


def test_stop_words_of_a_later_transform() -> None:
    """Stop words belong to the reading of a text, not to what was learnt."""
    counts = TextCounts().fit(TEXTS)
    assert counts.transform(["win money"]).sum() == 2
    assert counts.set_params(stop_words=["win"]).transform(["win money"]).sum() == 1
    assert counts.set_params(stop_words=None).transform(["win money"]).sum() == 2


@pytest.mark.parametrize("model", [LogisticRegression(), MultinomialNB(), LinearDiscriminantAnalysis()], ids=str)
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
def test_pipelines_and_searches(model: Any) -> None:
    texts = np.array(["win free money", "free money now", "lunch at noon", "noon meeting, lunch"] * 6, dtype=object)
    labels = np.array(["spam", "spam", "ham", "ham"] * 6)
    dense = isinstance(model, LinearDiscriminantAnalysis)
    pipeline = make_pipeline(TextCounts(), model)
    search = GridSearchCV(pipeline, {"textcounts__binary": [True, False]}, cv=2).fit(texts, labels)
    assert search.predict(["money money", "lunch"]).tolist() == ["spam", "ham"], dense
    assert search.best_estimator_[:1].get_feature_names_out().tolist()[:2] == ["at", "free"]


def test_beside_other_columns_of_a_table() -> None:
    frame = pd.DataFrame({"text": TEXTS, "size": [1.0, 2.0, 3.0, 4.0, 5.0]})
    both = make_column_transformer((TextCounts(), "text"), ("passthrough", ["size"])).fit(frame)
    assert sparse.csr_array(both.transform(frame)).toarray()[:, -1].tolist() == [1, 2, 3, 4, 5]
    assert both.get_feature_names_out()[0] == "textcounts__at"


def test_a_model_learns_new_words_on() -> None:
    """Counts and naive Bayes of two halves, the second with words the first had not, are those of all."""
    labels = ["spam", "spam", "ham", "ham", "ham"]
    counts, model = TextCounts(), MultinomialNB()
    for rows in (slice(0, 3), slice(3, 5)):
        X = counts.partial_fit(TEXTS[rows]).transform(TEXTS[rows])
        model.partial_fit(X, labels[rows], feature_names=counts.get_feature_names_out())
    whole = make_pipeline(TextCounts(), MultinomialNB()).fit(TEXTS, labels)
    new = ["money at noon", "never lunch"]
    np.testing.assert_allclose(model.predict_proba(counts.transform(new)), whole.predict_proba(new), rtol=1e-12)
    assert by_name(counts, new) == by_name(whole[0], new)
