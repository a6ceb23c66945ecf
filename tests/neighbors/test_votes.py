"""Votes: ties, doubt, and labels of every type."""

import datetime
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import KNeighborsClassifier, LinearDiscriminantAnalysis
from distinguo.neighbors.votes import WEIGHTINGS, places, votes, winners

X, Y = load_iris(return_X_y=True)
MODELS = [
    KNeighborsClassifier(),
    KNeighborsClassifier(4, metric="nan_euclidean", weights="tricube"),
    KNeighborsClassifier("cv", metric="manhattan", weights="distance", algorithm="brute"),
    KNeighborsClassifier(3, metric="chebyshev"),
]


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("distance", "weight", "k", "expected"),
    [
        ([1, 2, 3], [1, 1, 1], 2, [1, 1, 0]),
        ([1, 2, 2, 2, 3], [1, 1, 1, 1, 1], 3, [1, 2 / 3, 2 / 3, 2 / 3, 0]),
        ([1, 2, 2], [1, 3, 1], 3, [1, 1.5, 0.5]),
        ([0, 0, 0], [1, 1, 2], 2, [0.5, 0.5, 1]),
        ([1, 1 + 1e-11, 1 + 1e-9], [1, 1, 1], 1, [0.5, 0.5, 0]),
        ([1, 2], [0.5, 4], 1, [0.5, 0.5]),
        ([1, 2], [0.25, 0.25], 1, [0.25, 0.25]),
    ],
)
def test_places(distance: Any, weight: Any, k: int, expected: Any) -> None:
    found = places(np.array([distance], float), np.array([weight], float), k)
    np.testing.assert_allclose(found, [expected], atol=1e-12)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_parts_sum_to_one_however_extreme_the_distances(name: str) -> None:
    distance = np.array(
        [[0, 0, 1, 2], [5e-324, 1, 2, 3], [1, 1, 1, 1], [1e-300, 1e300, 1e300, 1e300], [1, 2, 2, np.inf]]
    )
    parts = votes(distance, np.ones((5, 4)), 3, WEIGHTINGS[name])
    assert (parts >= 0).all()
    np.testing.assert_allclose(parts.sum(axis=1), 1)


def test_infinitely_far_rows_share_what_no_other_takes() -> None:
    for name in ("uniform", "distance", "tricube"):
        parts = votes(np.full((1, 4), np.inf), np.ones((1, 4)), 2, WEIGHTINGS[name])
        np.testing.assert_allclose(parts, [[0.25] * 4])


@pytest.mark.parametrize(
    ("shares", "winner"),
    [([0.5, 0.5], 1), ([0.25, 0.25, 0.5], 2), ([0.4, 0.4, 0.2], 0), ([0.2, 0.1 + 0.3, 0.4], 1), ([1.0], 0)],
)
def test_tied_votes_go_where_ties_go_in_this_library(shares: list[float], winner: int) -> None:
    assert winners(np.array([shares])).tolist() == [winner]


def test_doubt_leaves_rows_without_a_class() -> None:
    model = KNeighborsClassifier(5, doubt=0.8).fit(X, Y)
    shares, labels = model.predict_proba(X).max(axis=1), model.predict(X)
    doubtful = model.doubtful(X)
    assert 0 < doubtful.sum() < 20
    assert np.array_equal(doubtful, shares < 0.8 - 1e-9)
    assert np.array_equal(labels == None, doubtful)  # noqa: E711 (cell by cell)
    sure = KNeighborsClassifier(5).fit(X, Y)
    assert np.array_equal(labels[~doubtful], sure.predict(X)[~doubtful])
    assert model.score(X, Y) == pytest.approx(np.mean(labels == Y))
    assert model.score(X, Y) < sure.score(X, Y)
    weight = np.linspace(0, 1, len(Y))
    assert model.score(X, Y, weight) == pytest.approx(np.average(labels == Y, weights=weight))
    assert cross_val_score(clone(model), X, Y, cv=3).min() > 0.8


def test_rows_in_doubt_are_rows_without_a_label_elsewhere() -> None:
    labels = KNeighborsClassifier(9, doubt=0.9).fit(X, Y).predict(X)
    model = LinearDiscriminantAnalysis(unlabeled="missing").fit(X, labels)
    assert (model.predict(X) == Y).mean() > 0.95


@pytest.mark.parametrize(
    "names",
    [
        ["x", "y", "z"],
        [3, 1, 2],
        [datetime.date(2020, 1, day) for day in (1, 2, 3)],
        list(np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[s]")),
        ["x", 1, 2],
    ],
)
def test_labels_come_back_as_they_came(names: list[Any]) -> None:
    labels = [names[code] for code in Y]
    for doubt in (0.0, 0.1):
        predicted = KNeighborsClassifier(1, doubt=doubt).fit(X, labels).predict(X)
        assert all(a == b for a, b in zip(predicted, labels, strict=True))


def test_truth_values_are_labels() -> None:
    model = KNeighborsClassifier(3).fit(X, Y == 1)
    assert model.predict(X).dtype == bool
    assert model.classes_.tolist() == [False, True]


def test_the_logarithm_of_no_vote_is_minus_infinity() -> None:
    logs = KNeighborsClassifier(1).fit(X, Y).predict_log_proba(X)
    assert np.array_equal(np.exp(logs), KNeighborsClassifier(1).fit(X, Y).predict_proba(X))
    assert np.isneginf(logs).sum() == 300


def test_what_is_chosen_by_cross_validation_goes_when_it_is_not() -> None:
    model = KNeighborsClassifier("cv").fit(X, Y)
    assert set(model.cv_results_) == {"k", "error", "brier"}
    model.set_params(k=3).fit(X, Y)
    assert model.k_ == 3
    assert not hasattr(model, "cv_results_")


def test_the_cost_counts_rows_and_bytes() -> None:
    model = KNeighborsClassifier(3, algorithm="brute").fit(X, Y)
    assert (model.cost_.rows, model.cost_.columns, model.cost_.operations) == (150, 4, 600)
    # Rows and the copy of them that is searched, a class and a weight a row, eight bytes each.
    assert model.cost_.bytes == 8 * (600 + 600 + 150 + 150)
    assert KNeighborsClassifier(3, algorithm="kd_tree").fit(X, Y).cost_.bytes == model.cost_.bytes + 8 * 150
    assert str(model.cost_).startswith("keeps 150 x 4 cells, 12000 bytes")
