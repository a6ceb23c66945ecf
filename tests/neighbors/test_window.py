"""The last rows of a stream, and no others."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import KNeighborsClassifier, SlidingWindowKNN
from distinguo.catalogue import trusted_types
from distinguo.exceptions import InputError


@parametrize_with_checks([SlidingWindowKNN(), SlidingWindowKNN(3, window=200, standardize=True, weights="tricube")])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def stream(seed: int, n: int = 60) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[np.append([0, 1, 2], rng.integers(0, 3, n - 3))]
    return rng.normal(size=(n, 3)), y, rng.integers(0, 3, n).astype(float)


@given(seed=st.integers(0, 10**6), window=st.integers(8, 80), cuts=st.lists(st.integers(1, 59), max_size=5))
@settings(max_examples=40)
@pytest.mark.parametrize("standardize", [False, True])
def test_however_a_stream_is_cut_the_model_is_that_of_its_last_rows(
    standardize: bool, seed: int, window: int, cuts: list[int]
) -> None:
    X, y, weight = stream(seed)
    weight[-20:] += 1
    model = SlidingWindowKNN(4, window=window, standardize=standardize)
    for rows in np.split(np.arange(60), sorted(set(cuts))):
        if weight[rows].any():
            model.partial_fit(X[rows], y[rows], classes=["a", "b", "c"], sample_weight=weight[rows])
    last = np.flatnonzero(weight)[-window:]
    expected = KNeighborsClassifier(4, standardize=standardize).fit(X[last], y[last], sample_weight=weight[last])
    assert model.cost_.rows == len(last)
    assert model.classes_.tolist() == ["a", "b", "c"]
    there = np.isin(["a", "b", "c"], y[last])
    np.testing.assert_allclose(model.predict_proba(X)[:, there], expected.predict_proba(X), atol=1e-12)


def test_memory_stays_constant() -> None:
    X, y, _ = stream(0)
    model = SlidingWindowKNN(3, window=20).fit(X, y)
    size, state = model.cost_.bytes, len(pickle.dumps(model))
    for _ in range(20):
        model.partial_fit(X, y)
        assert (model.cost_.bytes, model.cost_.rows) == (size, 20)
    assert len(pickle.dumps(model)) == state


def test_what_drifts_is_followed() -> None:
    # The two classes change places half-way: rows of the first half mislead whoever keeps them.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    swapped = np.where(np.arange(2000) < 1000, y, 1 - y)
    X = rng.normal(size=(2000, 2)) + 4 * swapped[:, None]
    last = slice(1500, None)
    window = SlidingWindowKNN(5, window=300).fit(X[:1500], y[:1500])
    everything = KNeighborsClassifier(5).fit(X[:1500], y[:1500])
    assert window.score(X[last], y[last]) > 0.97
    assert everything.score(X[last], y[last]) < 0.6


def test_rows_one_by_one_vote_from_the_first() -> None:
    model = SlidingWindowKNN(5, window=10)
    assert model.partial_fit([[0.0]], ["a"]).predict([[1.0]]).tolist() == ["a"]
    assert model.partial_fit([[1.0]], ["b"]).predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]
    assert model.k_ == 2


def test_classes_stay_when_their_rows_are_gone() -> None:
    model = SlidingWindowKNN(2, window=2).fit([[0.0], [1.0]], ["b", "c"])
    model.partial_fit([[2.0], [3.0]], ["a", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba([[0.0]]).tolist() == [[1.0, 0.0, 0.0]]


def test_a_window_survives_a_file() -> None:
    X, y, _ = stream(1)
    model = SlidingWindowKNN(3, window=20).fit(X, y)
    trusted = [*trusted_types(), "distinguo.neighbors.window.SlidingWindowKNN"]
    for loaded in (pickle.loads(pickle.dumps(model)), skops.io.loads(skops.io.dumps(model), trusted=trusted)):
        assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
        loaded.partial_fit(X[:5], y[:5])
        assert loaded.cost_.rows == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window=0 must be a whole number of at least 1"),
        ({"window": 2.5}, "window=2.5 must be a whole number"),
        ({"k": "cv"}, "k='cv' must be a whole number"),
        ({"doubt": -0.1}, "doubt=-0.1 must be a number from 0 to 1"),
        ({"metric": "angular"}, "metric='angular' is not known"),
    ],
)
def test_bad_options(options: Any, message: str) -> None:
    X, y, _ = stream(0)
    for learn in ("fit", "partial_fit"):
        with pytest.raises(InputError, match=message):
            getattr(SlidingWindowKNN(**options), learn)(X, y)


def test_bad_rows_leave_the_window_as_it_was() -> None:
    X, y, _ = stream(0)
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    model = SlidingWindowKNN(3, window=20).fit(frame, y)
    before = model.predict_proba(frame)
    for rows, labels, message in (
        (frame[["v", "u", "w"]], y, "same order"),
        (frame * np.nan, y, "metric='nan_euclidean'"),
        (frame, y[:5], "X has 60 rows and y 5 labels"),
    ):
        with pytest.raises(InputError, match=message):
            model.partial_fit(rows, labels)
        assert np.array_equal(model.predict_proba(frame), before)
    with pytest.raises(InputError, match=r"one class only.*partial_fit"):
        SlidingWindowKNN().fit(X, ["a"] * 60)
