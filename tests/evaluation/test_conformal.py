"""Prediction sets: ranks worked out by hand, laws, model files, and scikit-learn's checks."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    PredictionSets,
    QuadraticDiscriminantAnalysis,
)
from tests.generative.cases import three_classes

METHODS = ("split", "cross", "leave-one-out")
every_method = pytest.mark.parametrize("method", METHODS)
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)


def rows(seed: int = 0, n: int = 90) -> tuple[Any, Any]:
    return three_classes(seed, n=n)


def ranked(own: Any, strangeness: Any) -> Any:
    """p-values (n, K) by counting, given the strangeness of rows held out and of new ones."""
    return (1 + (own[:, None, None] >= strangeness[None]).sum(axis=0)) / (1 + len(own))


def odds_against(p: Any) -> Any:
    """(n, K) odds against each class, from probabilities (n, K), without taking any from one."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.column_stack([np.delete(p, k, axis=1).sum(axis=1) / p[:, k] for k in range(p.shape[1])])


# scikit-learn's checks


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some checks bring 30 columns in 15 rows
@parametrize_with_checks(
    [
        PredictionSets(LinearDiscriminantAnalysis()),
        PredictionSets(GaussianNB(), conformity="density"),
        PredictionSets(SklearnLogistic(), cv=3),
    ]
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks(
    [
        PredictionSets(LinearDiscriminantAnalysis(), method="split"),
        PredictionSets(GaussianNB(), method="leave-one-out", class_conditional=True),
    ]
)
def test_scikit_learns_checks_of_other_methods(estimator: Any, check: Any) -> None:
    name = getattr(check, "func", check).__name__
    if name.startswith("check_sample_weight_equivalence"):
        # A row of weight two is on one side of a split, where two rows may be on both; leaving one out takes no cv,
        # which this check hands to all that have the parameter. What weights mean is a law below.
        pytest.skip("gives cv to whatever has such a parameter")
    check(estimator)


# By hand


def test_split_is_the_rank_among_rows_held_out() -> None:
    X, y = rows()
    train, test = np.arange(0, 45), np.arange(45, 90)
    model = LinearDiscriminantAnalysis(divisor="mle")  # as in scikit-learn
    sets = PredictionSets(model, method="split", cv=[(train, test)]).fit(X, y)
    oracle = SklearnLDA(solver="lsqr").fit(X[train], y[train])
    new = rows(1)[0]
    codes = np.searchsorted(oracle.classes_, y[test])
    own = odds_against(oracle.predict_proba(X[test]))[np.arange(45), codes]
    np.testing.assert_allclose(sets.p_values(new), ranked(own, odds_against(oracle.predict_proba(new))))
    assert np.array_equal(sets.predict(new), oracle.predict(new))
    np.testing.assert_allclose(sets.predict_proba(new), oracle.predict_proba(new), atol=1e-9)


def test_cross_judges_a_row_by_the_model_of_every_fold() -> None:
    X, y = rows()
    folds = [(np.flatnonzero(np.arange(90) % 3 != k), np.flatnonzero(np.arange(90) % 3 == k)) for k in range(3)]
    sets = PredictionSets(LinearDiscriminantAnalysis(divisor="mle"), cv=folds).fit(X, y)
    new, stranger = rows(1)[0], 0
    for train, test in folds:
        oracle = SklearnLDA(solver="lsqr").fit(X[train], y[train])
        own = odds_against(oracle.predict_proba(X[test]))[np.arange(30), np.searchsorted(oracle.classes_, y[test])]
        stranger = stranger + (own[:, None, None] >= odds_against(oracle.predict_proba(new))[None]).sum(axis=0)
    np.testing.assert_allclose(sets.p_values(new), (1 + stranger) / 91)
    whole = SklearnLDA(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(sets.predict_proba(new), whole.predict_proba(new), atol=1e-9)


@pytest.mark.parametrize("score", ["posterior", "density"])
def test_leave_one_out_is_fitting_without_each_row(score: str) -> None:
    X, y = rows(n=45)
    model = QuadraticDiscriminantAnalysis(priors="uniform")
    sets = PredictionSets(model, method="leave-one-out", conformity=score).fit(X, y)

    def strangeness(model: Any, X: Any) -> Any:
        return odds_against(model.predict_proba(X)) if score == "posterior" else -model.class_log_density(X)

    own = np.empty(45)
    for i in range(45):
        rest = clone(model).fit(np.delete(X, i, axis=0), np.delete(y, i))
        own[i] = strangeness(rest, X[[i]])[0, np.flatnonzero(rest.classes_ == y[i])[0]]
    new = rows(1)[0]
    np.testing.assert_allclose(sets.p_values(new), ranked(own, strangeness(sets.model_, new)))


def test_class_by_class_a_row_is_held_against_its_own() -> None:
    X, y = rows()
    train, test = np.arange(0, 45), np.arange(45, 90)
    sets = PredictionSets(
        GaussianNB(), method="split", conformity="density", class_conditional=True, cv=[(train, test)]
    ).fit(X, y)
    model = GaussianNB().fit(X[train], y[train])
    new = rows(1)[0]
    for k, label in enumerate("abc"):
        own = -model.class_log_density(X[test][y[test] == label])[:, k]
        expected = ranked(own, -model.class_log_density(new)[:, [k]])[:, 0]
        np.testing.assert_allclose(sets.p_values(new)[:, k], expected)


def test_a_posterior_too_near_one_for_a_probability_still_ranks() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-30, 1, 50), rng.normal(30, 1, 50)])[:, None]
    y = np.repeat([0, 1], 50)
    sets = PredictionSets(GaussianNB(), method="leave-one-out").fit(X, y)
    assert (sets.model_.predict_proba(X).max(axis=1) == 1).all()
    assert len(np.unique(sets.p_values(X)[:50, 0])) > 40


# Laws


@every_method
@given(seed=seeds, alphas=st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)))
@few
def test_sets_shrink_as_alpha_grows(method: str, seed: int, alphas: tuple[float, float]) -> None:
    X, y = rows(seed)
    sets = PredictionSets(GaussianNB(), method=method).fit(X, y)
    wide, narrow = (sets.predict_set(X, alpha) for alpha in sorted(alphas))
    assert (wide >= narrow).all()
    assert np.array_equal(wide, sets.p_values(X) > min(alphas))


@every_method
@given(seed=seeds)
@few
def test_names_of_classes_do_not_matter(method: str, seed: int) -> None:
    X, y = rows(seed)
    sets = PredictionSets(GaussianNB(), method=method, cv=None if method == "leave-one-out" else 3)
    names = {"a": "z", "b": "b", "c": "k"}
    renamed = clone(sets).fit(X, np.array([names[label] for label in y]))
    if method == "cross":  # folds deal out the classes in their order
        sets.set_params(
            cv=[
                (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for fold in [np.arange(90) % 3] for k in range(3)
            ]
        )
        renamed = clone(sets).fit(X, np.array([names[label] for label in y]))
    place = [renamed.classes_.tolist().index(names[label]) for label in "abc"]
    np.testing.assert_allclose(renamed.p_values(X)[:, place], clone(sets).fit(X, y).p_values(X))


@pytest.mark.parametrize("labels", [[2, 5, 9], [True, False, True], ["é", "ü", "ß"], [1, "one", 2.0]])
def test_labels_of_any_type(labels: list[Any]) -> None:
    X, y = rows()
    named = np.empty(len(y), dtype=object)
    named[:] = [labels["abc".index(label)] for label in y]
    given = named if len({type(label) for label in labels}) > 1 else np.array(named.tolist())
    sets = PredictionSets(LinearDiscriminantAnalysis(), method="leave-one-out").fit(X, given)
    assert sets.predict_set(X, 0.2).shape == (90, len(set(labels)))
    assert sets.set_quality(X, given, 0.2).coverage >= 0.8
    assert set(sets.predict(X).tolist()) <= set(labels)


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("score", ["posterior", "density"])
def test_a_weight_of_two_is_the_row_twice(score: str, conditional: bool) -> None:
    X, y = rows()
    weight = np.random.default_rng(0).integers(0, 4, 90)
    sets = PredictionSets(GaussianNB(), method="leave-one-out", conformity=score, class_conditional=conditional)
    weighted = clone(sets).fit(X, y, sample_weight=weight)
    repeated = clone(sets).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.p_values(X), repeated.p_values(X))


def test_folds_name_rows_as_they_came_those_of_weight_zero_included() -> None:
    X, y = rows()
    weight = np.where(np.arange(90) % 4 == 0, 0.0, 1.0)
    kept = np.flatnonzero(weight)
    fold = np.arange(90) % 3
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    among = [(np.flatnonzero(fold[kept] != k), np.flatnonzero(fold[kept] == k)) for k in range(3)]
    weighted = PredictionSets(GaussianNB(), cv=pairs).fit(X, y, sample_weight=weight)
    without = PredictionSets(GaussianNB(), cv=among).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.p_values(X), without.p_values(X))


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB(), QuadraticDiscriminantAnalysis()])
def test_fold_models_put_together_are_those_fitted(model: Any) -> None:
    X, y = rows()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 90)
    for options in ({}, {"sample_weight": weight}):
        together = PredictionSets(model, cv=4).fit(X, y, **options)
        splits = [(fold != k, fold == k) for fold in [fold_of(y, 4)] for k in range(4)]
        pairs = [(np.flatnonzero(train), np.flatnonzero(test)) for train, test in splits]
        apart = PredictionSets(Apart(model), cv=pairs).fit(X, y, **options)
        np.testing.assert_allclose(together.p_values(X), apart.p_values(X))


def fold_of(y: Any, cv: int) -> Any:
    from distinguo.resampling import stratified_folds

    return stratified_folds(np.searchsorted(np.unique(y), y), cv, np.random.default_rng(0))


class Apart(SklearnLDA):
    """Another model in the clothes of one that cannot be put together of parts."""

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.model_ = clone(self.model).fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict_log_proba(self, X: Any) -> Any:
        return self.model_.predict_log_proba(X)


@every_method
def test_none_of_these(method: str) -> None:
    """A row far from all is in the set of no class by density; by posterior it is in one as if it belonged there."""
    X, y = load_iris(return_X_y=True)
    far = [[30.0, -9.0, 2.0, 40.0]]
    by_density = PredictionSets(LinearDiscriminantAnalysis(), method=method, conformity="density").fit(X, y)
    by_posterior = PredictionSets(LinearDiscriminantAnalysis(), method=method).fit(X, y)
    assert not by_density.predict_set(far, 0.05).any()
    assert by_posterior.predict_set(far, 0.05).sum() == 1
