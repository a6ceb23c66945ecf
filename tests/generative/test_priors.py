"""Priors and prior knowledge: as if the classes had been mixed so, as if those rows had been seen."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, pseudo_rows
from distinguo.exceptions import InputError
from tests.generative.cases import assert_same_model, every_variant, three_classes

every_kind = pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        GaussianNB(),
        GaussianNB(shared_variance=True),
        LinearDiscriminantAnalysis(shrinkage="oas", divisor="mle"),
        QuadraticDiscriminantAnalysis(shrinkage=0.2),
    ],
    ids=repr,
)


@every_variant
@pytest.mark.parametrize(
    "priors",
    [
        None,
        "uniform",
        {"a": 0.1, "b": 0.2, "c": 0.7},
        [0.1, 0.2, 0.7],
        np.array([0, 0.3, 0.7]),
        {"c": 1, "a": 0, "b": 0},
    ],
)
def test_other_priors_without_fitting_again(model: Any, priors: Any) -> None:
    X, y = three_classes()
    fitted = clone(model).fit(X, y)
    before = fitted.predict_proba(X)
    shifted = fitted.with_priors(priors)
    refitted = clone(model).set_params(priors=priors).fit(X, y)
    np.testing.assert_array_equal(shifted.predict_proba(X), refitted.predict_proba(X))
    assert np.array_equal(fitted.predict_proba(X), before)
    if getattr(model, "n_components", None) is None:
        odds = before * (shifted.priors_ / fitted.priors_)
        np.testing.assert_allclose(shifted.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), atol=1e-9)


def test_priors_do_not_touch_the_covariance() -> None:
    X, y = three_classes()
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        np.testing.assert_array_equal(
            kind().fit(X, y).covariance_, kind(priors=[0.9, 0.05, 0.05]).fit(X, y).covariance_
        )


@every_kind
def test_prior_knowledge_is_as_good_as_rows_that_have_its_moments(model: Any) -> None:
    X, y = three_classes()
    more, labels = three_classes(1, names=("a", "b", "c", "d"))
    parts = {label: more[labels == label] for label in "abcd"}
    prior = pseudo_rows(
        {label: rows.mean(axis=0) for label, rows in parts.items()},
        {label: np.cov(rows.T, bias=True) for label, rows in parts.items()},
        {label: len(rows) for label, rows in parts.items()},
    )
    informed = clone(model).set_params(prior=prior).fit(X, y)
    told = clone(model).fit(np.vstack([X, more]), np.append(y, labels))
    assert_same_model(informed, told, X)
    assert informed.classes_.tolist() == ["a", "b", "c", "d"]
    again = clone(model).set_params(prior=prior).fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    assert_same_model(again, told, X)
    assert_same_model(again.forget(X[20:], y[20:]).partial_fit(X[20:], y[20:]), told, X)


@every_kind
def test_prior_knowledge_that_does_not_fit_is_refused(model: Any) -> None:
    X, y = three_classes()
    prior = pseudo_rows({"a": np.zeros(2), "b": np.ones(2)}, np.eye(2), 1.0)
    with pytest.raises(InputError, match="2 columns"):
        clone(model).set_params(prior=prior).fit(X, y)
    for wrong in ({"a": np.zeros(3)}, 3, prior.pooled()):
        with pytest.raises(InputError, match="prior must be made by"):
            clone(model).set_params(prior=wrong).fit(X, y)
    mixed = pseudo_rows({True: np.zeros(3)}, np.eye(3), 1.0)
    with pytest.raises(InputError, match="True equals 1"):
        clone(model).set_params(prior=mixed).fit(X, np.searchsorted(["a", "b", "c"], y))


def test_ledoit_wolf_cannot_weigh_prior_knowledge() -> None:
    X, y = three_classes()
    prior = pseudo_rows({"a": np.zeros(3)}, np.eye(3), 1.0)
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        with pytest.raises(InputError, match="needs fourth moments, which prior= has not"):
            kind(shrinkage="ledoit-wolf", prior=prior).fit(X, y)


def test_one_row_a_class_and_prior_knowledge() -> None:
    """What no row tells, prior knowledge does."""
    prior = pseudo_rows({"a": [0.0], "b": [4.0]}, [1.0], 5.0)
    for model in (
        LinearDiscriminantAnalysis(prior=prior),
        QuadraticDiscriminantAnalysis(prior=prior),
        GaussianNB(prior=prior),
    ):
        assert model.fit([[0.5], [3.0]], ["a", "b"]).predict([[1.0], [3.5]]).tolist() == ["a", "b"]


REFUSED = {
    "negative": ([-0.1, 0.5, 0.6], "non-negative numbers; class 'a' has -0.1"),
    "do not sum to one": ([0.3, 0.3, 0.3], "sum to 1, and these sum to 0.9"),
    "zeros": ([0, 0, 0], "sum to 1, and these sum to 0"),
    "too few": ([0.5, 0.5], r"shape \(2,\) for 3 classes"),
    "too many": ([0.25] * 4, r"shape \(4,\) for 3 classes"),
    "a number": (0.5, r"shape \(\) for 3 classes"),
    "a matrix": (np.full((3, 1), 1 / 3), r"shape \(3, 1\)"),
    "NaN": ([np.nan, 0.5, 0.5], "class 'a' has nan"),
    "None among numbers": ([None, 0.5, 0.5], "class 'a' has nan"),
    "infinite": ([np.inf, 0, 0], "class 'a' has inf"),
    "unknown name": ("equal", "priors='equal' is not known"),
    "unknown class": ({"a": 0.5, "b": 0.2, "c": 0.2, "d": 0.1}, "names the class 'd'; the classes are 'a', 'b', 'c'"),
    "missing class": ({"a": 0.5, "b": 0.5}, "no number for the class 'c'"),
    "text": (["a", "b", "c"], "one number a class, or a dictionary"),
    "digits": (["0.2", "0.3", "0.5"], "one number a class, or a dictionary"),
    "text in a dictionary": ({"a": "x", "b": 0.5, "c": 0.5}, "one number a class, or a dictionary"),
    "complex": (np.array([0.5j, 0.5, 0.5]), "one number a class, or a dictionary"),
    "a set": ({0.2, 0.3, 0.5}, "one number a class, or a dictionary"),
}


@pytest.mark.parametrize(("priors", "message"), list(REFUSED.values()), ids=list(REFUSED))
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
def test_what_are_no_priors_are_refused(model: Any, priors: Any, message: str) -> None:
    X, y = three_classes()
    with pytest.raises((InputError, TypeError), match=message):
        clone(model).set_params(priors=priors).fit(X, y)
    with pytest.raises((InputError, TypeError), match=message):
        clone(model).fit(X, y).with_priors(priors)


def test_numbers_written_by_hand_need_five_decimals() -> None:
    X, y = three_classes()
    model = GaussianNB(priors=[0.333333, 0.333333, 0.333333]).fit(X, y)
    assert model.priors_.sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(InputError, match="divide them by their sum"):
        GaussianNB(priors=[0.333, 0.333, 0.333]).fit(X, y)


def test_keys_of_any_equal_type() -> None:
    X, y = three_classes(names=(1, 2, 3))
    for keys in ([1, 2, 3], np.array([1, 2, 3], np.int8), [1.0, 2.0, 3.0]):
        assert GaussianNB(priors=dict(zip(keys, [0.2, 0.3, 0.5], strict=True))).fit(X, y).priors_.tolist() == [
            0.2,
            0.3,
            0.5,
        ]
