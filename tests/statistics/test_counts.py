"""Counts by class and column: sparse rows stay sparse, words and categories are matched by what they are."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from distinguo import (
    ClassCounts,
    Counts,
    LinearDiscriminantAnalysis,
    MemorySource,
    MixedNB,
    MultinomialNB,
)
from distinguo.exceptions import InputError
from tests.generative.naive_cases import counts, every_counting, table

X, Y = counts()


def counted(X: Any, y: Any, names: Any = None, spec: Counts = Counts()) -> ClassCounts:  # noqa: B008
    return MemorySource(X, y, feature_names=names).aggregate(spec)


@every_counting
def test_sparse_rows_are_never_made_dense(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("made dense")

    rows = sparse.csr_array(X)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        for method in ("toarray", "todense"):
            monkeypatch.setattr(kind, method, refuse)
    fitted = clone(model).fit(rows, Y)
    fitted.partial_fit(rows[:10], Y[:10]).forget(rows[:10], Y[:10])
    fitted.predict_proba(rows)
    if hasattr(fitted, "leave_one_out"):
        fitted.leave_one_out(rows, Y)
        fitted.class_log_density(rows)


def test_counts_are_sums_by_class() -> None:
    statistic = counted(X, Y)
    expected = pd.DataFrame(X).groupby(Y).sum()
    np.testing.assert_array_equal(statistic.sums, expected.to_numpy())
    assert statistic.missing is None
    above = counted(X, Y, spec=Counts(threshold=1.0))
    np.testing.assert_array_equal(above.sums, (pd.DataFrame(X) > 1).groupby(Y).sum().to_numpy())


def test_duplicate_entries_of_a_sparse_matrix_are_one_cell() -> None:
    rows = sparse.coo_array(([1.0, 1.0, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert counted(rows, ["a", "b"], spec=Counts(threshold=1.5)).sums.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_missing_cells_are_counted_apart() -> None:
    holed = X.copy()
    holed[0, 1] = holed[5, 1] = np.nan
    statistic, other = counted(holed, Y), counted(X, Y)
    assert statistic.missing is not None
    assert statistic.missing.sum() == 2
    assert (statistic + other - other) == statistic
    assert ((statistic + other) - statistic).missing is None


def test_a_statistic_is_a_value() -> None:
    statistic = counted(X, Y)
    assert statistic == counted(X, Y) == pickle.loads(pickle.dumps(statistic))
    assert statistic != counted(X + 1, Y)


def test_words_are_put_together_by_name() -> None:
    a = counted(X[:, :3], Y, ["red", "green", "blue"])
    b = counted(X[:, :2], Y, ["blue", "black"])
    both = a + b
    assert both.feature_names is not None
    assert both.feature_names.tolist() == ["red", "green", "blue", "black"]
    np.testing.assert_array_equal(both.sums[:, 2], a.sums[:, 2] + b.sums[:, 0])
    np.testing.assert_array_equal(both.sums[:, 3], b.sums[:, 1])
    np.testing.assert_array_equal((b + a).take_features(np.array([2, 3, 0, 1]), both.feature_names).sums, both.sums)
    np.testing.assert_array_equal((both - b).sums, np.column_stack([a.sums, np.zeros(3)]))
    with pytest.raises(InputError, match="3 columns and of 2 columns"):
        counted(X[:, :3], Y) + counted(X[:, :2], Y)


def test_names_for_the_columns_of_any_model() -> None:
    rows = X[:, :3] + np.random.default_rng(0).normal(size=(60, 3))
    model = LinearDiscriminantAnalysis().partial_fit(rows[:40], Y[:40], feature_names=["u", "v", "w"])
    model.partial_fit(rows[40:][:, [2, 0, 1]], Y[40:], feature_names=["w", "u", "v"])
    plain = LinearDiscriminantAnalysis().fit(rows, Y)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
    with pytest.raises(InputError, match="3 columns and of 2 columns"):
        model.partial_fit(rows[:, :2], Y, feature_names=["u", "x"])


def test_names_do_not_go_with_columns_of_words() -> None:
    frame, y = table()
    with pytest.raises(InputError, match="feature_names is for models of numbers"):
        MixedNB().partial_fit(frame, y, feature_names=list(frame.columns))


def test_categories_are_put_together_by_what_they_are() -> None:
    a = MixedNB().fit(pd.DataFrame({"c": ["red", "blue"], "x": [1.0, 2.0]}), ["a", "b"])
    b = MixedNB().fit(pd.DataFrame({"x": [5.0, 6.0], "c": ["green", "red"]}), ["a", "b"])
    both = (a + b).statistic_
    assert both.levels.tolist() == ["blue", "green", "red"]
    assert both.counts.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert both.mean.tolist() == [[3.0], [4.0]]
    left = both - b.statistic_
    assert left.levels.tolist() == ["blue", "red"]
    assert left == a.statistic_
    assert (MixedNB().fit(pd.DataFrame({"c": ["red", 7]}), ["a", "b"])).categories_[0].tolist() == [7, "red"]


def test_rows_without_weight_bring_no_category() -> None:
    model = MixedNB().fit([["red"], ["blue"], ["violet"]], list("aba"), sample_weight=[1, 1, 0])
    assert model.categories_[0].tolist() == ["blue", "red"]


def test_a_model_of_a_growing_vocabulary_is_that_of_all_words_at_once() -> None:
    words = [f"w{j}" for j in range(8)]
    order = [3, 1, 7]
    grown = MultinomialNB(alpha=0.5).partial_fit(X[:, order], Y, feature_names=[words[j] for j in order])
    assert grown.n_features_in_ == 3
    grown.partial_fit(X, Y, feature_names=words)
    assert grown.feature_names_in_.tolist() == ["w3", "w1", "w7", "w0", "w2", "w4", "w5", "w6"]
    np.testing.assert_allclose(np.exp(grown.feature_log_prob_).sum(axis=1), 1)
    with pytest.raises(InputError, match="X has 3 features"):
        grown.predict(sparse.csr_array(X[:, order]))
