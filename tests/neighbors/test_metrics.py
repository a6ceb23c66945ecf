"""Distances, beside SciPy's and scikit-learn's, and what they say of rows with holes and of directions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import nan_euclidean_distances

from distinguo import KNeighborsClassifier
from distinguo.neighbors.metrics import METRICS, on_unit_sphere

rng = np.random.default_rng(0)
A, B = rng.normal(size=(20, 5)), rng.integers(0, 3, (20, 5)).astype(float)


@pytest.mark.parametrize(
    ("metric", "theirs"),
    [("euclidean", "euclidean"), ("manhattan", "cityblock"), ("chebyshev", "chebyshev"), ("hamming", "hamming")],
)
@pytest.mark.parametrize("rows", [A, B])
def test_distances_are_those_of_scipy(metric: str, theirs: str, rows: Any) -> None:
    expected = np.diagonal(cdist(rows[:10], rows[10:], theirs))
    np.testing.assert_allclose(METRICS[metric].length(rows[:10] - rows[10:]), expected, rtol=1e-13)


def test_the_cosine_is_taken_from_the_chord() -> None:
    first, second = on_unit_sphere(A[:10], "row"), on_unit_sphere(A[10:], "row")
    expected = np.diagonal(cdist(A[:10], A[10:], "cosine"))
    np.testing.assert_allclose(METRICS["cosine"].length(first - second), expected, rtol=1e-12)


def test_directions_that_differ_by_1e_10_are_told_apart() -> None:
    # One less the cosine is 5e-21 there, of which 1 - u'v has no digit.
    angle = np.array([0.0, 1e-10, 3e-10])
    rows = np.column_stack([np.cos(angle), np.sin(angle)]) * [[1.0], [5.0], [2.0]]
    model = KNeighborsClassifier(1, metric="cosine").fit(rows[[0, 2]], ["a", "b"])
    assert model.predict(rows[1:2] * 7).tolist() == ["a"]
    assert model.predict([[1.0, 2.1e-10]]).tolist() == ["b"]


def test_lengths_do_not_matter_to_the_cosine() -> None:
    codes = np.arange(20) % 3
    scale = rng.uniform(0.1, 10, (20, 1))
    first = KNeighborsClassifier(4, metric="cosine", weights="distance").fit(A, codes)
    second = KNeighborsClassifier(4, metric="cosine", weights="distance", algorithm="brute").fit(A * scale, codes)
    np.testing.assert_allclose(first.predict_proba(B + 1), second.predict_proba((B + 1) * scale), atol=1e-9)


@given(seed=st.integers(0, 10**6), k=st.integers(1, 10))
def test_holes_are_passed_over_as_scikit_learn_does(seed: int, k: int) -> None:
    generator = np.random.default_rng(seed)
    rows = np.where(generator.random((40, 4)) < 0.2, np.nan, generator.normal(size=(40, 4)))
    rows[np.isnan(rows).all(axis=1)] = 0
    codes = np.arange(40) % 3
    asked, kept = rows[:10], rows[10:]
    model = KNeighborsClassifier(k, metric="nan_euclidean").fit(kept, codes[10:])
    distance = nan_euclidean_distances(asked, kept)
    distance[np.isnan(distance)] = np.inf
    order = np.argsort(distance, axis=1)
    known = np.isfinite(np.take_along_axis(distance, order, axis=1)[:, k])
    expected = (codes[10:][order[:, :k]][:, :, None] == np.arange(3)).mean(axis=1)
    np.testing.assert_allclose(model.predict_proba(asked)[known], expected[known], atol=1e-9)


def test_a_row_without_cells_gets_the_shares_of_the_classes() -> None:
    model = KNeighborsClassifier(2, metric="nan_euclidean", weights="distance").fit(A, np.arange(20) % 4)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 5), np.nan)), [[0.25] * 4])


def test_rows_with_holes_are_left_out_like_others() -> None:
    holed = np.where(np.arange(100).reshape(20, 5) % 7 == 0, np.nan, A)
    codes = np.arange(20) % 2
    model = KNeighborsClassifier(3, metric="nan_euclidean", standardize=True).fit(holed, codes)
    left_out = model.leave_one_out(holed, codes)
    scale = np.nanstd(holed, axis=0)
    for i in range(20):
        others = np.arange(20) != i
        rest = KNeighborsClassifier(3, metric="nan_euclidean").fit(holed[others] / scale, codes[others])
        np.testing.assert_allclose(left_out[i], rest.predict_proba(holed[i : i + 1] / scale)[0], atol=1e-12)


def test_complete_rows_have_the_distances_of_euclid() -> None:
    codes = np.arange(20) % 3
    for k in (1, 5):
        first = KNeighborsClassifier(k, metric="nan_euclidean").fit(A, codes)
        second = KNeighborsClassifier(k, metric="euclidean").fit(A, codes)
        np.testing.assert_allclose(first.predict_proba(B), second.predict_proba(B), atol=1e-12)
