"""Nearest neighbours beside R and scikit-learn, where no distances and no votes are tied.

R 4.2.2: `knn`, `knn.cv` (class 7.3-21), `knn.reg` (FNN 1.1.3.1). `class::knn` breaks ties of votes at random, and takes
distances within 1e-4 of each other for tied: counts and shares below are of rows where neither happens.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier as TheirClassifier
from sklearn.neighbors import KNeighborsRegressor as TheirRegressor

from distinguo import KNeighborsClassifier, KNeighborsRegressor
from tests.neighbors import oracles

Rows = tuple[np.ndarray, np.ndarray]


def read(file: Path) -> Rows:
    table = pd.read_csv(file)
    return table.drop(columns="y").to_numpy(), table["y"].to_numpy()


@pytest.fixture
def vowel(shared_data: Callable[[str], Path]) -> tuple[Rows, Rows]:
    return read(shared_data("vowel.train.csv")), read(shared_data("vowel.test.csv"))


def test_one_neighbour_errs_on_the_vowels_as_the_book_says(vowel: tuple[Rows, Rows]) -> None:
    (X, y), (X_test, y_test) = vowel
    model = KNeighborsClassifier(1).fit(X, y)
    errors = int((model.predict(X_test) != y_test).sum())
    assert errors == 202  # class::knn
    assert round(errors / len(y_test), 2) == 0.44  # The Elements of Statistical Learning, Table 12.3
    left_out = model.classes_[model.leave_one_out(X, y).argmax(axis=1)]
    assert int((left_out != y).sum()) == 4  # class::knn.cv


def test_rows_in_doubt_are_those_of_r(vowel: tuple[Rows, Rows]) -> None:
    (X, y), (X_test, _) = vowel
    for votes, doubtful in ((4, 192), (5, 333)):  # class::knn(k = 5, l = votes)
        model = KNeighborsClassifier(5, doubt=votes / 5).fit(X, y)
        assert int(model.doubtful(X_test).sum()) == doubtful
        assert sum(label is None for label in model.predict(X_test)) == doubtful


def test_winning_shares_are_those_of_r(vowel: tuple[Rows, Rows]) -> None:
    (X, y), (X_test, _) = vowel
    shares = KNeighborsClassifier(7).fit(X, y).predict_proba(X_test).max(axis=1)
    # table(attr(class::knn(k = 7, prob = TRUE), "prob"))
    assert np.bincount((shares * 7).round().astype(int)).tolist() == [0, 0, 3, 50, 146, 120, 99, 44]
    left_out = KNeighborsClassifier(5).fit(X, y).leave_one_out(X, y).max(axis=1)
    # table(attr(class::knn.cv(k = 5, prob = TRUE), "prob"))
    assert np.bincount((left_out * 5).round().astype(int)).tolist() == [0, 0, 4, 61, 110, 353]


def numbers() -> tuple[Any, Any]:
    """Rows that R has from the same formula: i <- 0:59; cbind((37 * i) %% 61, i^2 %% 59 + i / 7)."""
    i = np.arange(60)
    return np.column_stack([37 * i % 61, i**2 % 59 + i / 7]), (11 * i % 23 + 0.5 * (13 * i % 7)).astype(float)


def test_regression_is_that_of_r() -> None:
    X, y = numbers()
    asked = [[3.0, 15.2], [40.1, 50.3], [70.7, -4.9]]
    model = KNeighborsRegressor(3).fit(X, y)
    np.testing.assert_allclose(model.predict(asked), [17.5, 10.0, 17.1666666667], atol=1e-9)
    press = float(((model.leave_one_out(X, y) - y) ** 2).sum())
    assert press == pytest.approx(3580.7222222222, abs=1e-6)
    scaled = KNeighborsRegressor(4, standardize=True).fit(X, y)
    assert float(((scaled.leave_one_out(X, y) - y) ** 2).sum()) == pytest.approx(3578.09375, abs=1e-6)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_votes_and_means_are_those_of_scikit_learn(metric: str, weights: str) -> None:
    rng = np.random.default_rng(0)
    X, y, asked = rng.normal(size=(300, 4)), rng.integers(0, 3, 300), rng.normal(size=(100, 4))
    for k in (1, 4, 15):
        ours = KNeighborsClassifier(k, metric=metric, weights=weights).fit(X, y)
        theirs = TheirClassifier(k, metric=metric, weights=weights).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(asked), theirs.predict_proba(asked), atol=1e-9)
        values = np.column_stack([X @ [1.0, 2.0, 3.0, 4.0], X[:, 0] ** 2])
        means = KNeighborsRegressor(k, metric=metric, weights=weights).fit(X, values)
        expected = TheirRegressor(k, metric=metric, weights=weights).fit(X, values).predict(asked)
        np.testing.assert_allclose(means.predict(asked), expected, atol=1e-9)


@pytest.mark.parametrize("kernel", list(oracles.KERNELS))
def test_kernels_are_functions_of_the_distance_over_the_next_neighbours(kernel: str) -> None:
    rng = np.random.default_rng(1)
    X, y, asked = rng.normal(size=(200, 3)), rng.integers(0, 3, 200), rng.normal(size=(50, 3))
    k, shape = 8, np.vectorize(oracles.KERNELS[kernel])

    def first_k(distance: Any) -> Any:
        return np.hstack([shape(distance[:, :-1] / distance[:, -1:]), np.zeros((len(distance), 1))])

    theirs = TheirClassifier(k + 1, weights=first_k).fit(X, y)
    ours = KNeighborsClassifier(k, weights=kernel).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(asked), theirs.predict_proba(asked), atol=1e-9)


def test_where_distances_tie_scikit_learn_takes_whom_it_meets_and_we_take_all() -> None:
    X, y = np.array([[0.0], [2.0], [2.0], [2.0]]), np.array(["a", "a", "b", "b"])
    theirs = []
    for order in ([0, 1, 2, 3], [0, 2, 3, 1]):
        theirs.append(TheirClassifier(2).fit(X[order], y[order]).predict_proba([[0.0]]))
        ours = KNeighborsClassifier(2).fit(X[order], y[order])
        np.testing.assert_allclose(ours.predict_proba([[0.0]]), [[(1 + 1 / 3) / 2, (2 / 3) / 2]])
    assert not np.array_equal(*theirs)


def test_iris_is_classified_as_r_does() -> None:
    X, y = load_iris(return_X_y=True)
    for k, errors in ((1, 3), (3, 2), (5, 1), (7, 1)):  # class::knn, rows 1, 3, ... for the others
        assert int((KNeighborsClassifier(k).fit(X[::2], y[::2]).predict(X[1::2]) != y[1::2]).sum()) == errors
