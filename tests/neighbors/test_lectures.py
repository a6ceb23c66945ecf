"""What the course on classification says of nearest neighbours, and of codes of colours."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from distinguo import KNeighborsClassifier, KNeighborsRegressor

COLOURS = ["red", "orange", "green", "blue"]
RGB = np.array([[255, 0, 0], [255, 165, 0], [0, 255, 0], [0, 0, 255]], float)


@pytest.fixture
def sepals() -> tuple[Any, Any]:
    """Rows of the two sepal columns, in which the classes overlap, one of each that is there several times."""
    X, y = load_iris(return_X_y=True)
    _, first = np.unique(X[:, :2], axis=0, return_index=True)
    return X[first, :2], y[first]


def changes(model: KNeighborsClassifier, X: Any) -> int:
    """How often the class changes from one point of a fine grid to the next: how long the boundary is."""
    axes = [np.linspace(column.min(), column.max(), 80) for column in X.T]
    grid = model.predict(np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)).reshape(80, 80)
    return int((np.diff(grid, axis=0) != 0).sum() + (np.diff(grid, axis=1) != 0).sum())


def test_one_neighbour_follows_every_point_and_twenty_are_smooth(sepals: tuple[Any, Any]) -> None:
    X, y = sepals
    one, twenty = KNeighborsClassifier(1).fit(X, y), KNeighborsClassifier(20).fit(X, y)
    assert one.score(X, y) == 1
    assert twenty.score(X, y) < 0.9
    left_out = [(model.leave_one_out(X, y).argmax(axis=1) == y).mean() for model in (one, twenty)]
    assert left_out[1] > left_out[0]
    assert changes(twenty, X) < 0.8 * changes(one, X)


def test_one_neighbour_follows_a_slip_of_the_pen_and_twenty_outvote_it(sepals: tuple[Any, Any]) -> None:
    X, y = sepals
    for slip in np.flatnonzero(y == 0)[::5]:
        wrong = np.where(np.arange(len(y)) == slip, 2, y)
        asked = X[slip : slip + 1]
        assert KNeighborsClassifier(1).fit(X, wrong).predict(asked).tolist() == [2]
        assert KNeighborsClassifier(20).fit(X, wrong).predict(asked).tolist() == [0]


def test_regression_is_the_mean_of_the_neighbours() -> None:
    model = KNeighborsRegressor(3).fit([[0.0], [1.0], [2.0], [10.0]], [1.0, 2.0, 6.0, 100.0])
    assert model.predict([[1.0]]).tolist() == [3.0]


def test_nearer_neighbours_may_count_more() -> None:
    X, y = [[0.0], [3.0], [4.0]], ["near", "far", "far"]
    assert KNeighborsClassifier(3).fit(X, y).predict([[1.0]]).tolist() == ["far"]
    assert KNeighborsClassifier(3, weights="distance").fit(X, y).predict([[1.0]]).tolist() == ["near"]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_indicators_of_a_quality_are_equally_far_from_each_other(metric: str) -> None:
    model = KNeighborsClassifier(1, metric=metric).fit(np.eye(4)[1:], COLOURS[1:])
    np.testing.assert_allclose(model.predict_proba(np.eye(4)[:1]), [[1 / 3] * 3])


def test_numbers_of_a_quality_make_neighbours_of_what_was_numbered_in_turn() -> None:
    model = KNeighborsClassifier(1).fit(np.arange(1.0, 4)[:, None], COLOURS[1:])
    assert model.predict([[0.0]]).tolist() == ["orange"]
    turned = KNeighborsClassifier(1).fit([[1.0], [2.0], [3.0]], ["blue", "green", "orange"])
    assert turned.predict([[0.0]]).tolist() == ["blue"]
    # Where only "the same or not" counts, numbers are names again.
    names = KNeighborsClassifier(1, metric="hamming").fit(np.arange(1.0, 4)[:, None], COLOURS[1:])
    np.testing.assert_allclose(names.predict_proba([[0.0]]), [[1 / 3] * 3])


def test_amounts_of_light_put_orange_next_to_red() -> None:
    assert KNeighborsClassifier(1).fit(RGB[1:], COLOURS[1:]).predict(RGB[:1]).tolist() == ["orange"]
