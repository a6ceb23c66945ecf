"""Units, places and coordinates do not matter, far beyond what tables bring."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from tests.generative.cases import three_classes

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=10)
MODELS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda-one-direction": LinearDiscriminantAnalysis(n_components=1),
    "lda-oas": LinearDiscriminantAnalysis(shrinkage="oas"),
    "lda-ledoit-wolf": LinearDiscriminantAnalysis(shrinkage="ledoit-wolf"),
    "lda-diagonal": LinearDiscriminantAnalysis(shrinkage=0.4, target="diagonal"),
    "qda": QuadraticDiscriminantAnalysis(),
    "qda-oas": QuadraticDiscriminantAnalysis(shrinkage="oas"),
    "nb": GaussianNB(),
    "nb-shared": GaussianNB(shared_variance=True),
    "nb-unsmoothed": GaussianNB(var_smoothing=0.0),
}
every_model = pytest.mark.parametrize("model", list(MODELS.values()), ids=list(MODELS))


def hard_rows(seed: int, condition: float, n: int = 300, p: int = 4) -> tuple[Any, Any]:
    """Rows whose within-class correlation matrix has that condition number, to within its shape; labels."""
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(p, p)))
    root = rotation * np.sqrt(np.geomspace(1.0, condition, p)) @ rotation.T
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p)) * np.array([1.0, 1.5, 0.7])[y, None] + rng.normal(size=(3, p))[y]
    X = X @ root
    return X / X.std(axis=0), np.array(["a", "b", "c"])[y]


def spread_out(X: Any, seed: int, scale: int, places: float) -> Any:
    """The rows in units up to 10**±scale and up to `places` spreads away, and what is left of them there.

    Moving rows rounds them, so they are moved by powers of two, and moved back for the comparison.
    """
    rng = np.random.default_rng(seed)
    units = 2.0 ** np.round(rng.uniform(-scale, scale, X.shape[1]) * np.log2(10))
    shift = 2.0 ** np.round(np.log2(places)) * rng.choice([-1.0, 0.0, 1.0], X.shape[1])
    there = X + shift
    return there * units, there - shift


@every_model
@pytest.mark.parametrize("condition", [10.0, 1e7])
@given(seed=seeds)
@few
def test_units_and_places(model: Any, condition: float, seed: int) -> None:
    X, y = hard_rows(seed, condition)
    moved, rows = spread_out(X, seed, scale=8, places=1e6)
    expected = clone(model).fit(rows, y).predict_proba(rows)
    found = clone(model).fit(moved, y).predict_proba(moved)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "model",
    [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(n_components=1), QuadraticDiscriminantAnalysis()],
)
@given(seed=seeds)
@few
def test_any_coordinates(model: Any, seed: int) -> None:
    """An invertible matrix whose columns differ in size by sixteen powers of ten."""
    X, y = hard_rows(seed, 10.0)
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(4, 4)) + 2 * np.eye(4)
    A = A * 10.0 ** rng.uniform(-8, 8, 4)
    expected = clone(model).fit(X, y)
    found = clone(model).fit(X @ A, y)
    np.testing.assert_allclose(found.predict_proba(X @ A), expected.predict_proba(X), rtol=0, atol=1e-6)
    _, log_det = np.linalg.slogdet(A)
    np.testing.assert_allclose(found.class_log_density(X @ A) + log_det, expected.class_log_density(X), atol=1e-5)
    np.testing.assert_allclose(found.typicality(X @ A), expected.typicality(X), atol=1e-6)


@every_model
def test_densities_are_per_unit(model: Any) -> None:
    X, y = three_classes()
    units = np.array([1e8, 1e-8, 3.0])
    a, b = clone(model).fit(X, y), clone(model).fit(X * units, y)
    np.testing.assert_allclose(
        b.class_log_density(X * units) + np.log(units).sum(), a.class_log_density(X), rtol=1e-7, atol=1e-6
    )
    np.testing.assert_allclose(b.typicality(X * units), a.typicality(X), atol=1e-8)
    np.testing.assert_allclose(b.means_, a.means_ * units, rtol=1e-9)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
def test_very_large_and_very_small_units_side_by_side(model: Any) -> None:
    X, y = three_classes()
    expected = clone(model).fit(X, y).predict_proba(X)
    for units in ([1e-9, 1e9, 1.0], [1e-100, 1e100, 1.0], [1e-140, 1e140, 1.0]):
        moved = X * units
        np.testing.assert_allclose(clone(model).fit(moved, y).predict_proba(moved), expected, atol=1e-8)


def test_directions_and_coefficients_move_with_the_units() -> None:
    X, y = three_classes()
    units = np.array([1e6, 1e-6, 2.0])
    a, b = (LinearDiscriminantAnalysis().fit(rows, y) for rows in (X, X * units))
    np.testing.assert_allclose(b.scalings_ * units[:, None], a.scalings_, rtol=1e-8)
    np.testing.assert_allclose(b.coef_ * units, a.coef_, rtol=1e-8)
    np.testing.assert_allclose(b.intercept_, a.intercept_, rtol=1e-8)
    np.testing.assert_allclose(b.transform(X * units), a.transform(X), atol=1e-9)
    np.testing.assert_allclose(b.explained_variance_ratio_, a.explained_variance_ratio_, rtol=1e-9)
