"""Leaving a row out without refitting is leaving it out and refitting."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, pseudo_rows
from distinguo.exceptions import InputError, SingularCovarianceError
from tests.generative.cases import every_variant, refitted_without, three_classes

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=2)


def left_out(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return clone(model).fit(X, y, sample_weight=weight).leave_one_out(X, y, sample_weight=weight)


@every_variant
@given(seed=seeds)
@few
def test_rows(model: Any, seed: int) -> None:
    X, y = three_classes(seed, n=28)
    np.testing.assert_allclose(left_out(model, X, y), refitted_without(model, X, y), atol=1e-9)


@every_variant
@given(seed=seeds, whole=st.booleans())
@few
def test_weighted_rows(model: Any, seed: int, whole: bool) -> None:
    """Of a row of weight two one copy is left out, of one of a half that half, of one of zero nothing."""
    X, y = three_classes(seed, n=30)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, 30).astype(float) if whole else rng.choice([0.5, 1.0, 1.7, 2.5], 30)
    for label in "abc":
        weight[np.flatnonzero(y == label)[:5]] += 1
    np.testing.assert_allclose(left_out(model, X, y, weight), refitted_without(model, X, y, weight), atol=1e-9)


@every_variant
def test_units_and_places_do_not_matter(model: Any) -> None:
    if isinstance(getattr(model, "shrinkage", None), float) and model.target is None:
        pytest.skip("towards the mean variance, which has units")
    X, y = three_classes(n=40)
    moved = X * [1e-8, 1.0, 1e8] + [1e-3, 1e5, 0.0]
    np.testing.assert_allclose(left_out(model, moved, y), left_out(model, X, y), atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"shared_variance": True}, {"var_smoothing": 0.0}, {"var_smoothing": 0.5}])
@given(seed=seeds)
@few
def test_rows_with_holes(options: Any, seed: int) -> None:
    X, y = three_classes(seed, n=28)
    rng = np.random.default_rng(seed)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0] = np.nan
    weight = rng.uniform(0.5, 2.0, 28)
    model = GaussianNB(**options)
    np.testing.assert_allclose(left_out(model, X, y), refitted_without(model, X, y), atol=1e-9)
    np.testing.assert_allclose(left_out(model, X, y, weight), refitted_without(model, X, y, weight), atol=1e-9)


@every_variant
@pytest.mark.parametrize("priors", ["uniform", {"a": 0.7, "b": 0.3, "c": 0.0}])
def test_priors_stay(model: Any, priors: Any) -> None:
    X, y = three_classes(n=40)
    model = clone(model).set_params(priors=priors)
    if priors != "uniform" and model.get_params().get("n_components") is not None:
        pytest.skip("directions hang on the priors of all three classes")
    np.testing.assert_allclose(left_out(model, X, y), refitted_without(model, X, y), atol=1e-9)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(divisor="mle"),
        LinearDiscriminantAnalysis(shrinkage="oas"),
        GaussianNB(),
        GaussianNB(shared_variance=True),
    ],
)
def test_a_row_that_is_its_class(model: Any) -> None:
    X, y = three_classes(n=30)
    y = y.astype("U5")
    y[7] = "alone"
    posterior = left_out(model, X, y)
    np.testing.assert_allclose(posterior, refitted_without(model, X, y), atol=1e-9)
    assert posterior[7, 1] == 0
    assert posterior[7].sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
def test_a_row_without_which_a_column_is_constant_or_dependent() -> None:
    X, y = three_classes(n=30, p=3)
    X = np.column_stack([X, np.zeros(30), X[:, 0] + X[:, 1]])
    X[4, 3] = 1.0
    X[9, 4] += 1.0
    for model in (LinearDiscriminantAnalysis(), GaussianNB(), GaussianNB(shared_variance=True)):
        np.testing.assert_allclose(left_out(model, X, y), refitted_without(model, X, y), atol=1e-7)


def test_a_row_without_which_a_class_is_singular() -> None:
    X, y = three_classes(n=40)
    X[y == "b", 2] = X[y == "b", 0]
    row = int(np.flatnonzero(y == "b")[2])
    X[row, 2] += 1.0
    with pytest.raises(SingularCovarianceError, match=f"with row {row} left out, the covariance of class 'b'"):
        left_out(QuadraticDiscriminantAnalysis(), X, y)
    model = QuadraticDiscriminantAnalysis(shrinkage="oas")
    np.testing.assert_allclose(left_out(model, X, y), refitted_without(model, X, y), atol=1e-9)


def test_a_row_without_which_the_divisor_is_gone() -> None:
    X, y = np.array([[0.0], [1.0], [5.0], [6.0], [7.0]]), list("aabbb")
    with pytest.raises(InputError, match=r"with row 0 left out, class 'a' has a total weight of 1.*divisor='mle'"):
        left_out(QuadraticDiscriminantAnalysis(), X, y)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
def test_prior_knowledge_stays(model: Any) -> None:
    X, y = three_classes(n=40)
    prior = pseudo_rows({label: np.zeros(3) for label in "abcd"}, np.eye(3), 4.0)
    model = clone(model).set_params(prior=prior)
    posterior = left_out(model, X, y)
    full = clone(model).fit(X, y)
    for i in range(0, 40, 3):
        kept = np.arange(40) != i
        rest = clone(model).set_params(priors=full.priors_).fit(X[kept], y[kept])
        np.testing.assert_allclose(posterior[i], rest.predict_proba(X[i : i + 1])[0], atol=1e-9)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB(), GaussianNB(shared_variance=True)])
def test_a_column_that_decides_alone(model: Any) -> None:
    X, y = three_classes(n=40)
    X = np.column_stack([X, np.array([1.0, 2.0, 3.0])[np.searchsorted(["a", "b", "c"], y)]])
    np.testing.assert_allclose(left_out(model, X, y), refitted_without(model, X, y), atol=1e-7)


@every_variant
def test_it_is_the_same_in_blocks_and_in_any_order(model: Any) -> None:
    X, y = three_classes(n=40)
    fitted = clone(model).fit(X, y)
    whole = fitted.leave_one_out(X, y)
    order = np.random.default_rng(0).permutation(40)
    np.testing.assert_allclose(fitted.leave_one_out(X[order], y[order]), whole[order], atol=1e-12)
    np.testing.assert_allclose(fitted.leave_one_out(X[5:9], y[5:9]), whole[5:9], atol=1e-12)


@every_variant
def test_classes_of_the_rows_may_be_fewer_never_others(model: Any) -> None:
    X, y = three_classes(n=40)
    fitted = clone(model).partial_fit(X, y, classes=list("abcz"))
    only = y == "b"
    whole = fitted.leave_one_out(X, y)
    np.testing.assert_allclose(fitted.leave_one_out(X[only], y[only]), whole[only], atol=1e-12)
    assert (whole[:, 3] == 0).all()
    for label in ("other", "z"):
        with pytest.raises(InputError, match=f"class '{label}', which was not fitted"):
            fitted.leave_one_out(X[:1], [label])
        np.testing.assert_allclose(
            fitted.leave_one_out(X[:2], [label, y[1]], sample_weight=[0, 1])[0], fitted.predict_proba(X[:1])[0]
        )
    with pytest.raises(InputError, match="inconsistent numbers of samples"):
        fitted.leave_one_out(X, y[:3])


def test_labels_of_another_width_are_the_same_labels() -> None:
    X, y = three_classes(n=40, names=(1, 2, 3))
    fitted = GaussianNB().fit(X, y)
    assert np.array_equal(fitted.leave_one_out(X, y.astype(np.int8)), fitted.leave_one_out(X, y))
