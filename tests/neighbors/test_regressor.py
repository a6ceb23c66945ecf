"""Means of neighbours: what they owe beyond the votes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import KNeighborsClassifier, KNeighborsRegressor
from distinguo.exceptions import InputError, MissingCellsError
from tests.neighbors.test_laws import tied_rows, weightings

MODELS = [
    KNeighborsRegressor(),
    KNeighborsRegressor("cv", weights="distance", standardize=True),
    KNeighborsRegressor(3, metric="nan_euclidean", weights="tricube"),
]


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@given(seed=st.integers(0, 10**6), k=st.integers(1, 8), weights=weightings)
@settings(max_examples=40)
def test_means_of_indicators_are_shares_of_votes(seed: int, k: int, weights: str) -> None:
    rows, codes, weight = tied_rows(seed)
    indicators = (codes[:, None] == np.arange(3)).astype(float)
    means = KNeighborsRegressor(k, weights=weights).fit(rows, indicators, sample_weight=weight)
    votes = KNeighborsClassifier(k, weights=weights).fit(rows, codes, sample_weight=weight)
    np.testing.assert_allclose(means.predict(rows + 0.25), votes.predict_proba(rows + 0.25), atol=1e-12)
    left_out = means.leave_one_out(rows, indicators, weight)
    np.testing.assert_allclose(left_out, votes.leave_one_out(rows, codes, weight), atol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance", "biweight"])
def test_k_is_that_of_least_error_with_rows_left_out(weights: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (120, 1))
    y = np.sin(X[:, 0]) + rng.normal(0, 0.3, 120)
    model = KNeighborsRegressor("cv", weights=weights).fit(X, y)
    errors = [
        np.mean((KNeighborsRegressor(k, weights=weights).fit(X, y).leave_one_out(X, y) - y) ** 2) for k in range(1, 51)
    ]
    np.testing.assert_allclose(model.cv_results_["squared_error"], errors, rtol=1e-9)
    assert model.k_ == 1 + int(np.argmin(errors))
    assert 3 < model.k_ < 50


def test_rows_of_weight_zero_are_not_there() -> None:
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    weight = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    model = KNeighborsRegressor(1).fit(X, y, sample_weight=weight)
    assert model.predict([[2.1]]).tolist() == [3.0]
    assert model.cost_.rows == 5


def test_responses_keep_their_shape() -> None:
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    assert KNeighborsRegressor(1).fit(X, y).predict(X).shape == (6,)
    assert KNeighborsRegressor(1).fit(X, y[:, None]).predict(X).shape == (6, 1)


@pytest.mark.parametrize(
    ("options", "rows", "values", "message"),
    [
        ({"k": 7}, np.eye(6), np.ones(6), r"k=7 asks for that many neighbours, and there are n_samples = 6; lower k"),
        ({}, np.eye(6), list("abcdef"), "a response is a number"),
        ({}, np.eye(6), [1, 2, 3, 4, 5, np.nan], r"y contains NaN \(row 5\)"),
        ({}, np.eye(6), np.ones(5), "X has 6 rows and y 5"),
        ({"metric": "cosine"}, np.zeros((6, 2)), np.ones(6), "kept row 0 is zero in every column"),
    ],
)
def test_bad_input(options: Any, rows: Any, values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        KNeighborsRegressor(**options).fit(rows, values)


def test_a_hole_is_refused_with_the_metric_that_takes_it() -> None:
    with pytest.raises(MissingCellsError, match=r"row 1, column 0.*metric='nan_euclidean'"):
        KNeighborsRegressor(1).fit([[1.0], [np.nan]], [1.0, 2.0])


def test_only_a_row_that_was_fitted_can_be_left_out() -> None:
    model = KNeighborsRegressor(1).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="row 1 is not among the rows that were fitted"):
        model.leave_one_out([[1.0], [2.0]], [1.0, 2.5])
