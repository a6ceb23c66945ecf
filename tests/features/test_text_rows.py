"""Streamed texts give the models that texts in memory give."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from distinguo import (
    BernoulliNB,
    ComplementNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MemorySource,
    MultinomialNB,
    PoissonNB,
    TextCounts,
    TextRows,
    scan,
)
from distinguo.exceptions import InputError
from distinguo.rows import columnar, records

WORDS = np.array([f"word{i}" for i in range(300)])


def messages(n: int = 900) -> pl.DataFrame:
    """Texts whose later ones have words, and a class, that earlier ones have not."""
    random = np.random.default_rng(5)
    labels, texts = [], []
    for i in range(n):
        label = "abc"[random.integers(0, 3 if i > 2 * n // 3 else 2)]
        known = 150 if i < n // 2 else 300
        words = WORDS[(random.integers(0, known, random.integers(1, 12)) + 20 * "abc".index(label)) % known]
        labels.append(label)
        texts.append(" ".join(words))
    return pl.DataFrame({"label": labels, "text": texts, "times": random.integers(0, 3, n)})


@pytest.fixture(params=["parquet", "csv", "parts"])
def path(request, tmp_path, monkeypatch):
    """The same texts in files that are read in small pieces."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 64)
    monkeypatch.setattr(columnar, "WHOLE_GROUP", 1)
    monkeypatch.setattr(records, "CHUNK_BYTES", 1 << 12)
    rows = messages()
    if request.param == "csv":
        rows.write_csv(tmp_path / "rows.csv")
        return tmp_path / "rows.csv"
    for i, part in enumerate(rows.iter_slices(300)):
        part.write_parquet(tmp_path / f"{i}.parquet", row_group_size=50)
    if request.param == "parquet":
        return f"{tmp_path}/*.parquet"
    return [tmp_path / "2.parquet", tmp_path / "0.parquet", tmp_path / "1.parquet"]


def streamed(path, counts, **options):
    return TextRows(scan(path, "label", columns=["text"], **options), counts)


@pytest.mark.parametrize("weight", [None, "times"])
@pytest.mark.parametrize("model", [MultinomialNB, ComplementNB, BernoulliNB, PoissonNB])
def test_streamed_texts_are_those_in_memory(path, model, weight):
    rows, options = messages(), {"min_df": 2, "max_df": 0.9, "ngram_range": (1, 2)}
    counted = rows if weight is None else rows.filter(pl.col("times") > 0)
    counts = TextCounts(**options).fit(counted["text"])
    names = counts.get_feature_names_out()
    weights = None if weight is None else counted["times"].to_numpy()
    expected = model().fit(MemorySource(counts.transform(counted["text"]), counted["label"], weights, names))
    source = streamed(path, TextCounts(**options), weight=weight)
    found = model().fit(source)
    assert source.counts_.get_feature_names_out().tolist() == names.tolist()
    assert found.classes_.tolist() == ["a", "b", "c"]
    X = counts.transform(rows["text"])
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-9, atol=1e-300)


def test_terms_are_counted_as_python_counts_them(path):
    source = streamed(path, None)
    statistic = MultinomialNB().fit(source).statistic_
    for k, label in enumerate("abc"):
        by_hand = Counter(" ".join(messages().filter(pl.col("label") == label)["text"]).split())
        sums = dict(zip(statistic.feature_names.tolist(), statistic.sums[k].tolist(), strict=True))
        assert {word: count for word, count in sums.items() if count} == by_hand


def test_terms_that_are_given_are_kept(path):
    known = TextCounts().fit(["word1 word2", "word1"])
    source = streamed(path, known)
    assert source.counts_ is known
    assert MultinomialNB().fit(source).feature_names_in_.tolist() == ["word1", "word2"]
    hashed = MultinomialNB().fit(streamed(path, TextCounts(hashing=64)))
    assert hashed.n_features_in_ == 64


def test_more_files_are_learned_with_new_words(tmp_path):
    rows = messages()
    first, second = rows[:450], rows[450:]
    for name, part in (("1", first), ("2", second), ("all", rows)):
        part.write_parquet(tmp_path / f"{name}.parquet")
    whole = MultinomialNB().fit(streamed(tmp_path / "all.parquet", None))
    parts = MultinomialNB().fit(streamed(tmp_path / "1.parquet", None))
    parts.partial_fit(streamed(tmp_path / "2.parquet", None))
    assert sorted(parts.feature_names_in_) == whole.feature_names_in_.tolist()
    place = np.argsort(parts.feature_names_in_)
    np.testing.assert_allclose(parts.feature_log_prob_[:, place], whole.feature_log_prob_, rtol=1e-12)


def test_what_streamed_texts_are_not_for(tmp_path):
    pl.DataFrame({"label": ["a", "b"], "text": ["one two", None], "other": ["x", "y"]}).write_parquet(
        tmp_path / "a.parquet"
    )
    source = streamed(tmp_path / "a.parquet", TextCounts(missing="empty"))
    assert MultinomialNB().fit(source).feature_names_in_.tolist() == ["one", "two"]
    for model in (LinearDiscriminantAnalysis(), LogisticRegression()):
        with pytest.raises(InputError, match=r"for models of counts: MultinomialNB.*TextCounts\(\)\.fit_transform"):
            model.fit(source)
    with pytest.raises(InputError, match="missing"):
        MultinomialNB().fit(streamed(tmp_path / "a.parquet", TextCounts()))
    with pytest.raises(InputError, match=r"there are 2 columns, and texts stand in one"):
        MultinomialNB().fit(TextRows(scan(tmp_path / "a.parquet", "label")))
    with pytest.raises(InputError, match="these rows are numbers"):
        MultinomialNB().fit(TextRows(MemorySource([[1.0]], ["a"])))
