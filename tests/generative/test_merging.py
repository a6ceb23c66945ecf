"""A model of the rows is the model of any parts of them: learned in turn, merged, forgotten, weighted, reordered."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, pseudo_rows
from distinguo.exceptions import InputError
from tests.generative.cases import assert_same_model, every_variant, three_classes

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=6)


@every_variant
@given(seed=seeds, parts=st.integers(2, 5))
@few
def test_any_partition_learned_in_turn_or_merged(model: Any, seed: int, parts: int) -> None:
    X, y = three_classes(seed)
    whole = clone(model).fit(X, y)
    part = np.random.default_rng(seed).integers(0, parts, len(y))
    in_turn, models = clone(model), []
    for i in range(parts):
        rows = part == i
        if rows.any():
            in_turn.partial_fit(X[rows], y[rows])
            models.append(clone(model).partial_fit(X[rows], y[rows]))
    assert_same_model(in_turn, whole, X)
    assert_same_model(sum(models), whole, X)
    assert_same_model(sum(models[::-1]), whole, X)


@every_variant
@given(seed=seeds)
@few
def test_what_is_learned_can_be_forgotten(model: Any, seed: int) -> None:
    X, y = three_classes(seed)
    more, labels = three_classes(seed + 1, names=("a", "b", "c", "d"))
    both = clone(model).fit(X, y).partial_fit(more, labels)
    assert both.classes_.tolist() == ["a", "b", "c", "d"]
    assert_same_model(both.forget(more, labels), clone(model).fit(X, y), X, rtol=1e-8)


@every_variant
@given(seed=seeds)
@few
def test_weights_repeat_rows_and_rows_have_no_order(model: Any, seed: int) -> None:
    X, y = three_classes(seed)
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, len(y))
    order = rng.permutation(len(y))
    repeated = clone(model).fit(X.repeat(times, axis=0), y.repeat(times))
    assert_same_model(clone(model).fit(X[order], y[order], sample_weight=times[order]), repeated, X)
    without = np.append(times, [0, 0])
    ghosts = clone(model).fit(np.vstack([X, X[:2] + 100]), np.append(y, ["a", "ghost"]), sample_weight=without)
    assert_same_model(ghosts, repeated, X)


@every_variant
@given(seed=seeds)
@few
def test_columns_and_classes_have_no_order(model: Any, seed: int) -> None:
    X, y = three_classes(seed, p=4)
    rng = np.random.default_rng(seed)
    columns = rng.permutation(4)
    plain = clone(model).fit(X, y)
    other = clone(model).fit(X[:, columns], y)
    np.testing.assert_allclose(other.predict_proba(X[:, columns]), plain.predict_proba(X), atol=1e-9)
    renamed = np.array(["z", "x", "y"])[np.searchsorted(["a", "b", "c"], y)]
    np.testing.assert_allclose(
        clone(model).fit(X, renamed).predict_proba(X)[:, [2, 0, 1]], plain.predict_proba(X), atol=1e-9
    )


@every_variant
def test_sorted_rows_are_rows(model: Any) -> None:
    X, y = three_classes()
    order = np.argsort(y, kind="stable")
    assert_same_model(clone(model).fit(X[order], y[order]), clone(model).fit(X, y), X)


@every_variant
def test_a_new_class_leaves_the_others_as_they_were(model: Any) -> None:
    X, y = three_classes()
    two, three = y != "c", clone(model)
    three.partial_fit(X[two], y[two])
    before = three.means_
    three.partial_fit(X[~two], y[~two])
    np.testing.assert_array_equal(three.means_[:2], before)
    if isinstance(model, QuadraticDiscriminantAnalysis):
        np.testing.assert_array_equal(three.covariance_[:2], clone(model).fit(X[two], y[two]).covariance_)


@every_variant
def test_classes_may_be_declared_before_they_are_seen(model: Any) -> None:
    X, y = three_classes()
    two = y != "c"
    early = clone(model).partial_fit(X[two], y[two], classes=["c", "b", "a", "never"])
    assert early.classes_.tolist() == ["a", "b", "c", "never"]
    posterior = early.predict_proba(X)
    assert (posterior[:, 2:] == 0).all()
    assert np.isnan(early.means_[2:]).all()
    assert early.typicality(X)[:, 2:].max() == 0
    assert set(early.sample(200, random_state=0)[1]) == {"a", "b"}
    np.testing.assert_allclose(posterior[:, :2], clone(model).fit(X[two], y[two]).predict_proba(X), atol=1e-12)
    late = early.partial_fit(X[~two], y[~two])
    np.testing.assert_allclose(late.predict_proba(X)[:, :3], clone(model).fit(X, y).predict_proba(X), atol=1e-9)


@every_variant
def test_declared_classes_with_priors_of_their_own(model: Any) -> None:
    X, y = three_classes()
    X = X + 1e6  # a centre that is not the classes' mean would cost digits here
    two = y != "c"
    for priors in ("uniform", {"a": 0.2, "b": 0.3, "c": 0.5}):
        early = clone(model).set_params(priors=priors).partial_fit(X[two], y[two], classes=["a", "b", "c"])
        expected = {"a": 0.5, "b": 0.5} if priors == "uniform" else {"a": 0.4, "b": 0.6}
        plain = clone(model).set_params(priors=expected).fit(X[two], y[two])
        np.testing.assert_allclose(early.predict_proba(X)[:, :2], plain.predict_proba(X), atol=1e-9)
    none_left = clone(model).set_params(priors={"a": 0, "b": 0, "c": 1}).partial_fit(X[two], y[two], classes=["c"])
    with pytest.raises(InputError, match="leave nothing to the classes that have rows"):
        none_left.predict(X)


@every_variant
def test_one_class_at_a_time(model: Any) -> None:
    X, y = three_classes()
    learner = clone(model)
    for label in "cab":
        learner.partial_fit(X[y == label], y[y == label])
        if label == "c" and learner.get_params().get("n_components") is None:
            assert set(learner.predict(X)) == {"c"}
            assert (learner.predict_proba(X) == 1).all()
            assert learner.score_samples(X).shape == (60,)
    assert_same_model(learner, clone(model).fit(X, y), X)


@every_variant
def test_a_class_can_be_forgotten_whole(model: Any) -> None:
    X, y = three_classes()
    learner = clone(model).fit(X, y).forget(X[y == "b"], y[y == "b"])
    assert learner.classes_.tolist() == ["a", "c"]
    assert_same_model(learner, clone(model).fit(X[y != "b"], y[y != "b"]), X, rtol=1e-8)


def test_columns_of_partitions_are_matched_by_name() -> None:
    X, y = three_classes()
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()):
        a = clone(model).fit(frame[:30], y[:30])
        b = clone(model).fit(frame.iloc[30:][["w", "u", "v"]], y[30:])
        assert_same_model(a + b, clone(model).fit(frame, y), frame)
        assert (b + a).feature_names_in_.tolist() == ["w", "u", "v"]
        assert_same_model(
            a.partial_fit(frame[30:], y[30:]).forget(frame[["v", "w", "u"]][30:], y[30:]),
            clone(model).fit(frame[:30], y[:30]),
            frame,
            rtol=1e-8,
        )


def test_only_like_models_merge() -> None:
    X, y = three_classes()
    a = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(InputError, match="differ in divisor, priors"):
        a + LinearDiscriminantAnalysis(priors="uniform", divisor="mle").fit(X, y)
    with pytest.raises(InputError, match="only fitted models"):
        a + LinearDiscriminantAnalysis()
    with pytest.raises(TypeError):
        a + QuadraticDiscriminantAnalysis().fit(X, y)
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(InputError, match="3 columns and of 2 columns"):
        a + LinearDiscriminantAnalysis().fit(X[:, :2], y)


@pytest.mark.parametrize("priors", [np.array([0.2, 0.3, 0.5]), [0.2, 0.3, 0.5], {"a": 0.2, "b": 0.3, "c": 0.5}])
def test_models_with_equal_parameters_merge_whatever_these_are(priors: Any) -> None:
    X, y = three_classes()
    prior = pseudo_rows({label: np.zeros(3) for label in "abc"}, np.eye(3), 2.0)
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB):
        model = kind(priors=priors, prior=prior)
        a, b = clone(model).fit(X[:30], y[:30]), clone(model).fit(X[30:], y[30:])
        assert_same_model(a + b, clone(model).fit(X, y), X)
        other = kind(priors=priors, prior=pseudo_rows({label: np.ones(3) for label in "abc"}, np.eye(3), 2.0))
        with pytest.raises(InputError, match="differ in prior"):
            a + other.fit(X, y)


@every_variant
def test_a_fit_that_fails_leaves_the_model_as_it_was(model: Any) -> None:
    X, y = three_classes()
    fitted = clone(model).fit(X, y)
    before = fitted.predict_proba(X)
    for bad, labels in ((X[:0], y[:0]), (X, np.repeat("a", 60)), (X * np.inf, y), (np.ones_like(X), y)):
        with np.errstate(invalid="ignore"), pytest.raises(InputError):
            fitted.fit(bad, labels)
        assert np.array_equal(fitted.predict_proba(X), before)
    with pytest.raises(InputError):
        fitted.forget(X + 1e9, y)
    with pytest.raises(InputError, match="nothing would be left"):
        fitted.forget(X, y)
    assert np.array_equal(fitted.predict_proba(X), before)
    new = clone(model)
    with pytest.raises(InputError):
        new.fit(np.ones_like(X), y)
    assert not new.__sklearn_is_fitted__()
