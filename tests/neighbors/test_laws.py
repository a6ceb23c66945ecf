"""What holds of nearest neighbours whatever the rows: ties shared, weights as repetition, rows left out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.preprocessing import StandardScaler

from distinguo import KNeighborsClassifier, MemorySource
from tests.neighbors import oracles

ALGORITHMS = ("brute", "kd_tree", "ball_tree")
WEIGHTS = ("uniform", "distance", *oracles.KERNELS)
X, Y = load_iris(return_X_y=True)

seeds = st.integers(0, 10**6)
algorithms = st.sampled_from(ALGORITHMS)
weightings = st.sampled_from(WEIGHTS)


def tied_rows(seed: int, n: int = 30, p: int = 2) -> tuple[Any, Any, Any]:
    """Rows on a small grid, so that many are equal and more are equally far, three classes, and whole weights."""
    rng = np.random.default_rng(seed)
    codes = np.append([0, 1, 2], rng.integers(0, 3, n - 3))
    return rng.integers(0, 5, (n, p)).astype(float), codes, rng.integers(1, 4, n).astype(float)


@given(seed=seeds, k=st.integers(1, 12), algorithm=algorithms, weights=weightings)
def test_shares_are_those_of_the_definition(seed: int, k: int, algorithm: str, weights: str) -> None:
    rows, codes, weight = tied_rows(seed)
    asked = np.random.default_rng(seed + 1).integers(0, 9, (5, 2)) / 2
    model = KNeighborsClassifier(k, weights=weights, algorithm=algorithm).fit(rows, codes, sample_weight=weight)
    expected = [oracles.shares(rows, codes, weight, q, k, weights) for q in asked]
    np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=0, atol=1e-9)


@given(seed=seeds, k=st.integers(1, 12), weights=weightings)
@settings(max_examples=40)
def test_neither_the_order_of_rows_nor_the_search_matters(seed: int, k: int, weights: str) -> None:
    rows, codes, weight = tied_rows(seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    asked = np.vstack([rows[:6], rows[:6] + 0.5])
    first = KNeighborsClassifier(k, weights=weights, algorithm="brute").fit(rows, codes, sample_weight=weight)
    for algorithm in ALGORITHMS:
        other = KNeighborsClassifier(k, weights=weights, algorithm=algorithm)
        other.fit(rows[order], codes[order], sample_weight=weight[order])
        np.testing.assert_allclose(other.predict_proba(asked), first.predict_proba(asked), rtol=0, atol=1e-12)
        assert np.array_equal(other.predict(asked), first.predict(asked))


@given(seed=seeds, k=st.integers(1, 12), weights=weightings)
def test_a_weight_is_a_repetition(seed: int, k: int, weights: str) -> None:
    rows, codes, weight = tied_rows(seed)
    weight[3] = 0
    times = weight.astype(int)
    weighted = KNeighborsClassifier(k, weights=weights, standardize=True).fit(rows, codes, sample_weight=weight)
    repeated = KNeighborsClassifier(k, weights=weights, standardize=True)
    repeated.fit(np.repeat(rows, times, axis=0), np.repeat(codes, times))
    np.testing.assert_allclose(weighted.predict_proba(rows), repeated.predict_proba(rows), rtol=0, atol=1e-9)


@given(seed=seeds, k=st.integers(1, 8), weights=weightings, algorithm=algorithms)
@settings(max_examples=25)
def test_a_row_left_out_is_a_fit_on_the_others(seed: int, k: int, weights: str, algorithm: str) -> None:
    rows, codes, weight = tied_rows(seed, n=15)
    weight[5] = 0.25
    model = KNeighborsClassifier(k, weights=weights, algorithm=algorithm).fit(rows, codes, sample_weight=weight)
    left_out = model.leave_one_out(rows, codes, weight)
    for i in range(len(rows)):
        less = weight.copy()
        less[i] -= min(less[i], 1.0)
        expected = oracles.shares(rows, codes, less, rows[i], k, weights)
        np.testing.assert_allclose(left_out[i], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_one_search_for_all_k_is_a_search_for_each(weights: str) -> None:
    rows, codes, weight = tied_rows(3, n=40)
    model = KNeighborsClassifier("cv", weights=weights).fit(rows, codes, sample_weight=weight)
    found = model.cv_results_
    assert found["k"].tolist() == list(range(1, 51))
    for k, error, brier in zip(found["k"][::7], found["error"][::7], found["brier"][::7], strict=True):
        single = KNeighborsClassifier(int(k), weights=weights).fit(rows, codes, sample_weight=weight)
        left_out = single.leave_one_out(rows, codes, weight)
        truth = codes[:, None] == np.arange(3)
        assert brier == pytest.approx(np.average(((left_out - truth) ** 2).sum(axis=1), weights=weight), abs=1e-9)
        winners = (left_out > left_out.max(axis=1, keepdims=True) - 1e-9).argmax(axis=1)
        assert error == pytest.approx(np.average(winners != codes, weights=weight), abs=1e-9)


def test_k_chosen_in_one_search_is_that_of_a_search_that_refits() -> None:
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(36, 2)), np.arange(36) % 3
    rows += codes[:, None]
    search = GridSearchCV(KNeighborsClassifier(), {"k": list(range(1, 13))}, cv=LeaveOneOut()).fit(rows, codes)
    model = KNeighborsClassifier("cv", candidates=range(1, 13)).fit(rows, codes)
    np.testing.assert_allclose(1 - model.cv_results_["error"], search.cv_results_["mean_test_score"], atol=1e-12)
    least = np.flatnonzero(model.cv_results_["error"] == model.cv_results_["error"].min())
    assert model.k_ == model.cv_results_["k"][least[model.cv_results_["brier"][least].argmin()]]


@given(seed=seeds)
def test_all_rows_as_neighbours_give_the_shares_of_the_classes(seed: int) -> None:
    rows, codes, weight = tied_rows(seed)
    model = KNeighborsClassifier(int(weight.sum())).fit(rows, codes, sample_weight=weight)
    expected = np.bincount(codes, weight) / weight.sum()
    np.testing.assert_allclose(model.predict_proba(rows + 0.3), np.tile(expected, (len(rows), 1)), atol=1e-12)


@settings(max_examples=40)
@given(seed=seeds, algorithm=algorithms, metric=st.sampled_from(["euclidean", "manhattan", "chebyshev"]))
def test_one_neighbour_gives_distinct_rows_their_own_class(seed: int, algorithm: str, metric: str) -> None:
    rows, codes = np.random.default_rng(seed).normal(size=(25, 3)), np.arange(25) % 4
    model = KNeighborsClassifier(1, algorithm=algorithm, metric=metric).fit(rows, codes)
    assert np.array_equal(model.predict(rows), codes)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_standardized_is_scaled_beforehand(metric: str) -> None:
    scaler = StandardScaler().fit(X)
    own = KNeighborsClassifier(7, weights="distance", metric=metric, standardize=True).fit(X * [1, 100, 1e-3, 1], Y)
    scaled = KNeighborsClassifier(7, weights="distance", metric=metric).fit(scaler.transform(X), Y)
    asked = X[::3] + 0.05
    expected = scaled.predict_proba(scaler.transform(asked))
    np.testing.assert_allclose(own.predict_proba(asked * [1, 100, 1e-3, 1]), expected, atol=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rows_far_from_zero_and_close_to_each_other_are_told_apart(algorithm: str) -> None:
    # Steps of 1e-6, 1e5 from the next eight, 1e6 from zero: |q|² - 2 q't + |t|² has no digit of such a distance left.
    rng = np.random.default_rng(0)
    rows = np.repeat(1e6 + 1e5 * rng.normal(size=(40, 3)), 8, axis=0)
    codes = np.tile(np.arange(8), 40)
    rows[:, 0] += codes * 2.0**-20
    asked = rows.copy()
    asked[:, 0] += 2.0**-22
    model = KNeighborsClassifier(1, algorithm=algorithm).fit(rows, codes)
    assert np.array_equal(model.predict(asked), codes)
    assert np.array_equal(model.predict(rows), codes)
    assert np.array_equal(model.predict(asked[5:6]), codes[5:6])


def test_a_row_far_out_hides_no_neighbour() -> None:
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(200, 12)), np.arange(200) % 3
    near = KNeighborsClassifier(5, algorithm="brute").fit(rows, codes)
    far = KNeighborsClassifier(5, algorithm="brute").fit(np.vstack([rows, np.full((1, 12), 1e9)]), np.append(codes, 0))
    assert np.array_equal(near.predict_proba(rows), far.predict_proba(rows))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("standardize", [False, True])
def test_sparse_rows_are_dense_rows(metric: str, standardize: bool) -> None:
    rng = np.random.default_rng(0)
    dense = rng.integers(1, 4, (80, 6)) * (rng.random((80, 6)) < 0.5)
    dense[:, 0] = rng.integers(1, 5, 80)
    rows, codes = sparse.csr_array(dense.astype(float)), np.arange(80) % 3
    options = {"k": 4, "metric": metric, "standardize": standardize, "weights": "tricube"}
    first = KNeighborsClassifier(**options).fit(dense, codes)
    second = KNeighborsClassifier(**options).fit(rows, codes)
    expected = first.predict_proba(dense + 0.5)
    np.testing.assert_allclose(second.predict_proba(sparse.csc_array(dense + 0.5)), expected, atol=1e-9)
    np.testing.assert_allclose(second.predict_proba(dense + 0.5), expected, atol=1e-9)
    np.testing.assert_allclose(first.predict_proba(sparse.csr_array(dense + 0.5)), expected, atol=1e-9)
    np.testing.assert_allclose(second.leave_one_out(rows, codes), first.leave_one_out(dense, codes), atol=1e-9)


def test_a_source_is_gathered() -> None:
    first = KNeighborsClassifier("cv").fit(MemorySource(X, Y))
    second = KNeighborsClassifier("cv").fit(X, Y)
    assert first.k_ == second.k_
    assert np.array_equal(first.predict_proba(X), second.predict_proba(X))


def test_blocks_of_rows_are_one_answer() -> None:
    rng = np.random.default_rng(0)
    asked = rng.normal(size=(70_000, 4)) + X.mean(axis=0)  # more than a block of rows at once
    model = KNeighborsClassifier(3).fit(X, Y)
    assert np.array_equal(model.predict_proba(asked)[-5:], model.predict_proba(asked[-5:]))
