"""Moments of rows weighed by their distance: laws of a statistic, and the density behind them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_t

from distinguo.covariance.factor import factorise
from distinguo.rows.memory import MemorySource
from distinguo.statistics.heavy_tailed import StudentClasses, StudentStep, WeightedMoments
from tests.generative.cases import three_classes

KINDS = ("full", "pooled")
COVARIANCES = np.array([np.diag([1.0, 4.0, 0.25]), np.eye(3) + 0.5, [[2, 1, 0], [1, 2, 0], [0, 0, 1]]])


def classes_of(kind: str, df: float = 5.0) -> StudentClasses:
    """Three t classes of three columns."""
    factors = [factorise(covariance) for covariance in COVARIANCES[: 3 if kind == "full" else 1]]
    means = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    whiten = np.stack([factor.whiten for factor in factors])
    return StudentClasses(np.array(["a", "b", "c"]), means, whiten, np.array([f.log_det for f in factors]), df)


def assert_alike(a: WeightedMoments, b: WeightedMoments) -> None:
    """Equal to rounding."""
    assert a.classes.tolist() == b.classes.tolist()
    for name in ("weight", "pull", "mean", "scatter", "log_likelihood"):
        assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@given(cut=st.integers(1, 59), seed=st.integers(0, 20))
def test_merging_is_concatenating_and_taking_away_undoes_it(kind: Any, cut: int, seed: int) -> None:
    X, y = three_classes(seed)
    spec = StudentStep(classes_of(kind), kind)
    first, second = MemorySource(X[:cut], y[:cut]).aggregate(spec), MemorySource(X[cut:], y[cut:]).aggregate(spec)
    whole = MemorySource(X, y).aggregate(spec)
    assert_alike(first + second, whole)
    assert_alike(second + first, whole)
    if set(y[:cut]) == set(y):
        assert_alike(whole - second, first)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_repetition_and_rows_without_weight_are_not_there(kind: Any) -> None:
    X, y = three_classes()
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    spec = StudentStep(classes_of(kind), kind)
    repeated = MemorySource(X.repeat(weight, axis=0), y.repeat(weight)).aggregate(spec)
    strange = np.append(y, "z")  # of a class that is not among the parameters', and does not count
    weighted = MemorySource(np.vstack([X, X[:1]]), strange, np.append(weight, 0)).aggregate(spec)
    assert_alike(weighted, repeated)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("df", [2.5, 5.0, 40.0])
def test_the_likelihood_is_that_of_multivariate_t_classes(kind: Any, df: float) -> None:
    X, y = three_classes()
    parameters = classes_of(kind, df)
    found = MemorySource(X, y).aggregate(StudentStep(parameters, kind))
    expected = sum(
        multivariate_t(mean, COVARIANCES[k if kind == "full" else 0], df).logpdf(X[y == label]).sum()
        for k, (label, mean) in enumerate(zip("abc", parameters.means, strict=True))
    )
    assert_allclose(found.log_likelihood, expected, rtol=1e-12)


def test_no_rows_are_the_zero_of_the_sum() -> None:
    X, y = three_classes()
    for kind in KINDS:
        spec = StudentStep(classes_of(kind), kind)
        whole = MemorySource(X, y).aggregate(spec)
        assert_alike(spec.empty(whole.classes, 3, None) + whole, whole)


def test_coordinates_stay_where_columns_are_named_in_another_order() -> None:
    """The rows were put in the order of the parameters' columns before they were weighed."""
    X, y = three_classes()
    whole = MemorySource(X, y).aggregate(StudentStep(classes_of("full"), "full"))
    named = replace(whole, feature_names=np.array(["u", "v", "w"], dtype=object))
    other = replace(whole, feature_names=np.array(["w", "v", "u"], dtype=object))
    assert_alike(named + other, whole + whole)
