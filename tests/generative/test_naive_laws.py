"""Laws of naive Bayes of counts, categories and mixed columns: parts, weights, order, holes, and rows left out."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from distinguo import BernoulliNB, CategoricalNB, ComplementNB, MixedNB, MultinomialNB, PoissonNB
from distinguo.catalogue import trusted_types
from distinguo.exceptions import InputError
from tests.generative.naive_cases import (
    COLUMNS,
    DESCRIBING,
    assert_same_answers,
    counts,
    every_counting,
    every_describing,
    every_model,
    parametrized,
    rows_for,
    table,
    take,
)

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)
every_leaving = parametrized({**DESCRIBING, **COLUMNS})


@every_model
@given(seed=seeds, parts=st.integers(2, 5), holes=st.sampled_from([0.0, 0.2]))
@few
def test_any_partition_learned_in_turn_or_merged(model: Any, seed: int, parts: int, holes: float) -> None:
    X, y = rows_for(model, seed, holes=holes)
    whole = clone(model).fit(X, y)
    part = np.random.default_rng(seed).integers(0, parts, len(y))
    in_turn, models = clone(model), []
    for i in range(parts):
        rows = np.flatnonzero(part == i)
        if len(rows):
            in_turn.partial_fit(take(X, rows), y[rows])
            models.append(clone(model).partial_fit(take(X, rows), y[rows]))
    assert_same_answers(in_turn, whole, X)
    assert_same_answers(sum(models), whole, X)
    assert_same_answers(sum(models[::-1]), whole, X)


@every_model
@given(seed=seeds, holes=st.sampled_from([0.0, 0.2]))
@few
def test_what_is_learned_can_be_forgotten(model: Any, seed: int, holes: float) -> None:
    X, y = rows_for(model, seed, holes=holes)
    more, labels = rows_for(model, seed + 1, holes=holes)
    labels = np.where(labels == "a", "d", labels)
    both = clone(model).fit(X, y).partial_fit(more, labels)
    assert both.classes_.tolist() == ["a", "b", "c", "d"]
    assert_same_answers(both.forget(more, labels), clone(model).fit(X, y), X)


@every_model
@given(seed=seeds)
@few
def test_weights_repeat_rows_and_rows_have_no_order(model: Any, seed: int) -> None:
    X, y = rows_for(model, seed)
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, len(y))
    times[:3] = 1
    order = rng.permutation(len(y))
    repeated = clone(model).fit(take(X, np.repeat(np.arange(len(y)), times)), y.repeat(times))
    assert_same_answers(clone(model).fit(take(X, order), y[order], sample_weight=times[order]), repeated, X)


@every_model
@given(seed=seeds)
@few
def test_columns_have_no_order(model: Any, seed: int) -> None:
    X, y = rows_for(model, seed)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    plain = clone(model).fit(X, y).predict_proba(X)
    moved = X[X.columns[order]] if isinstance(X, pd.DataFrame) else X[:, order]
    np.testing.assert_allclose(clone(model).fit(moved, y).predict_proba(moved), plain, atol=1e-10)


@every_counting
@given(seed=seeds)
@few
def test_sparse_rows_are_the_rows(model: Any, seed: int) -> None:
    X, y = counts(seed)
    rows = sparse.coo_matrix(X)
    fitted, dense = clone(model).fit(rows, y), clone(model).fit(X, y)
    np.testing.assert_array_equal(fitted.statistic_.sums, dense.statistic_.sums)
    assert_same_answers(fitted, dense, rows)
    np.testing.assert_allclose(fitted.predict_proba(rows), dense.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(fitted.forget(rows.tocsr()[:20], y[:20]).priors_.sum(), 1)
    if hasattr(model, "leave_one_out"):
        np.testing.assert_allclose(dense.leave_one_out(rows, y), dense.leave_one_out(X, y), atol=1e-12)


@every_counting
def test_missing_entries_of_sparse_rows_are_holes(model: Any) -> None:
    X, y = counts()
    X[3, 1] = X[8, 0] = np.nan
    rows = sparse.csr_array(X)
    fitted, dense = clone(model).fit(rows, y), clone(model).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(rows), dense.predict_proba(X), atol=1e-12)
    if hasattr(model, "typicality"):
        np.testing.assert_allclose(fitted.typicality(rows), dense.typicality(X), atol=1e-12)


def refitted_without(model: Any, X: Any, y: Any, weight: Any) -> Any:
    """Posteriors (n, K), each row's by a model of the others, at the priors of the full fit."""
    full = clone(model).fit(X, y, sample_weight=weight)
    result = []
    for i in range(len(y)):
        less = np.ones(len(y)) if weight is None else weight.copy()
        less[i] -= min(less[i], 1.0)
        rest = clone(model).set_params(priors=full.priors_).fit(X, y, sample_weight=less)
        result.append(rest.predict_proba(take(X, [i]))[0])
    return np.array(result)


@every_leaving
@given(seed=seeds, weighted=st.booleans(), holes=st.sampled_from([0.0, 0.2]))
@settings(max_examples=4)
def test_leaving_out_is_refitting(model: Any, seed: int, weighted: bool, holes: float) -> None:
    X, y = rows_for(model, seed, n=30, holes=holes)
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 2.0, 3.5], 30) if weighted else None
    left_out = clone(model).fit(X, y, sample_weight=weight).leave_one_out(X, y, sample_weight=weight)
    np.testing.assert_allclose(left_out, refitted_without(model, X, y, weight), atol=1e-9)


@every_leaving
def test_a_row_that_is_its_class(model: Any) -> None:
    X, y = rows_for(model)
    y = y.astype("U5")
    y[7] = "alone"
    posterior = clone(model).fit(X, y).leave_one_out(X, y)
    assert posterior[7, 1] == 0
    np.testing.assert_allclose(posterior.sum(axis=1), 1)


@every_counting
@given(seed=seeds)
@few
def test_new_words_are_words_that_the_rows_before_had_none_of(model: Any, seed: int) -> None:
    X, y = counts(seed, p=6)
    words = np.array(["w0", "w1", "w2", "w3", "w4", "w5"])
    early, late = [0, 1, 2, 3], [5, 4, 1, 0]
    X[:30, [4, 5]] = 0.0
    X[30:, [2, 3]] = 0.0
    whole = clone(model).fit(pd.DataFrame(X, columns=words), y)
    grown = clone(model).partial_fit(sparse.csr_array(X[:30][:, early]), y[:30], feature_names=words[early])
    grown.partial_fit(X[30:][:, late], y[30:], feature_names=words[late])
    assert sorted(grown.feature_names_in_) == sorted(words)
    order = [words.tolist().index(word) for word in grown.feature_names_in_]
    np.testing.assert_allclose(
        grown.predict_proba(sparse.csr_array(X[:, order])), whole.predict_proba(sparse.csr_array(X)), atol=1e-9
    )
    a = clone(model).fit(pd.DataFrame(X[:30][:, early], columns=words[early]), y[:30])
    b = clone(model).fit(pd.DataFrame(X[30:][:, late], columns=words[late]), y[30:])
    merged = a + b
    assert merged.feature_names_in_.tolist() == grown.feature_names_in_.tolist()
    np.testing.assert_array_equal(merged.statistic_.sums, grown.statistic_.sums)


@every_counting
def test_a_wider_matrix_without_names_is_refused(model: Any) -> None:
    X, y = counts()
    fitted = clone(model).fit(X[:, :5], y)
    with pytest.raises(InputError, match=r"8 features.*expecting 5"):
        fitted.partial_fit(sparse.csr_array(X), y)
    assert fitted.n_features_in_ == 5


@every_describing
@given(seed=seeds)
@few
def test_a_hole_is_a_column_that_is_not_there(model: Any, seed: int) -> None:
    """Of a model fitted on whole rows, a row without a column is judged as by a model without that column."""
    X, y = counts(seed)
    holed = X.copy()
    holed[:, 2] = np.nan
    kept = np.arange(X.shape[1]) != 2
    full, less = clone(model).fit(X, y), clone(model).fit(X[:, kept], y)
    np.testing.assert_allclose(full.predict_proba(holed), less.predict_proba(X[:, kept]), atol=1e-9)
    np.testing.assert_allclose(full.class_log_density(holed), less.class_log_density(X[:, kept]), atol=1e-9)


def test_cells_missing_at_random_leave_shares_of_words_as_they_were() -> None:
    """A word counted in every other row of a class is as frequent as its rows say, not half as frequent."""
    X, y = np.tile([[2.0, 2.0], [2.0, 2.0], [1.0, 3.0], [1.0, 3.0]], (50, 1)), np.tile(["a", "a", "b", "b"], 50)
    X[::2, 1] = np.nan
    model = MultinomialNB(alpha=0.0).fit(X, y)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[0.5, 0.5], [0.25, 0.75]])


@every_model
def test_classes_may_be_declared_before_they_are_seen(model: Any) -> None:
    X, y = rows_for(model)
    two = np.flatnonzero(y != "c")
    early = clone(model).partial_fit(take(X, two), y[two], classes=["c", "b", "a", "never"])
    assert early.classes_.tolist() == ["a", "b", "c", "never"]
    posterior = early.predict_proba(X)
    assert (posterior[:, 2:] == 0).all()
    np.testing.assert_allclose(posterior[:, :2], clone(model).fit(take(X, two), y[two]).predict_proba(X), atol=1e-12)
    rest = np.flatnonzero(y == "c")
    late = early.partial_fit(take(X, rest), y[rest])
    np.testing.assert_allclose(late.predict_proba(X)[:, :3], clone(model).fit(X, y).predict_proba(X), atol=1e-9)


@every_model
def test_a_model_that_has_answered_is_the_same_in_a_file(model: Any) -> None:
    X, y = rows_for(model)
    fitted = clone(model).fit(X, y)
    before = skops.io.dumps(fitted)
    posterior = fitted.predict_proba(X)
    loaded = skops.io.loads(skops.io.dumps(fitted), trusted=trusted_types())
    assert len(skops.io.dumps(fitted)) == len(before)
    np.testing.assert_array_equal(loaded.predict_proba(X), posterior)
    assert loaded.statistic_ == fitted.statistic_


@every_model
def test_priors_shift_without_refitting(model: Any) -> None:
    X, y = rows_for(model)
    priors = {"a": 0.7, "b": 0.2, "c": 0.1}
    shifted = clone(model).fit(X, y).with_priors(priors)
    assert_same_answers(shifted, clone(model).set_params(priors=priors).fit(X, y), X)
    lead = shifted.predict_log_proba(X) - clone(model).fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(lead - lead[:, :1], np.tile(np.log([1, 2 / 7, 1 / 7]), (60, 1)), atol=1e-9)


@every_counting
def test_scores_are_the_linear_functions_that_are_shown(model: Any) -> None:
    X, y = counts()
    fitted = clone(model).fit(X, y)
    seen = np.greater(X, model.binarize) * 1.0 if isinstance(model, BernoulliNB) else X
    scores = seen @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(fitted.decision_function(X), scores, atol=1e-9)
    two = clone(model).fit(X, y == "a")
    np.testing.assert_allclose(two.decision_function(X), (seen @ two.coef_.T + two.intercept_)[:, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("model", "parameters"),
    [(MultinomialNB(), 21), (BernoulliNB(), 24), (PoissonNB(), 24), (ComplementNB(), 21)],
)
def test_parameters_are_counted(model: Any, parameters: int) -> None:
    assert model.fit(*counts()).n_parameters_ == parameters


def test_parameters_of_mixed_columns_are_counted() -> None:
    frame, y = table()
    # Two measurements, four colours, three sizes, a count and a truth value, in three classes.
    assert MixedNB(roles={"number": "count"}).fit(frame, y).n_parameters_ == 3 * (2 * 2 + 3 + 2 + 1 + 1)
    assert CategoricalNB().fit(frame[["colour", "size"]], y).n_parameters_ == 3 * (3 + 2)


@pytest.mark.parametrize("first", range(6))
def test_parts_in_which_a_column_is_missing_throughout(first: int) -> None:
    """Such a part cannot tell what the column is for; another does."""
    frame = pd.DataFrame(
        {
            "number": [1.0, None, 3.0, None, 2.5, None],
            "word": [None, "a", None, "b", "a", None],
            "truth": pd.array([True, None, None, False, None, True], dtype="boolean"),
        }
    )
    y = ["u", "v", "u", "u", "v", "v"]
    order = [first, *(i for i in range(6) if i != first)]
    whole, parts = MixedNB(var_smoothing=0.1).fit(frame, y), MixedNB(var_smoothing=0.1)
    for i in order:
        parts.partial_fit(frame.iloc[[i]], [y[i]])
    assert parts.roles_.tolist() == whole.roles_.tolist() == ["numeric", "category", "binary"]
    np.testing.assert_allclose(parts.predict_log_proba(frame), whole.predict_log_proba(frame), atol=1e-12)
    np.testing.assert_allclose(
        parts.forget(frame.iloc[[5]], ["v"]).partial_fit(frame.iloc[[5]], ["v"]).class_log_density(frame),
        whole.class_log_density(frame),
        atol=1e-12,
    )
