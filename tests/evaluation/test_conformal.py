"""Prediction sets: ranks worked out by hand, laws, model files, and scikit-learn's checks."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    CategoricalNB,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    MultinomialNB,
    PredictionSets,
    QuadraticDiscriminantAnalysis,
    calibrate_sets,
    set_quality,
)
from distinguo.catalogue import trusted_types
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


# Containers, pipelines, files


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame])
@every_method
def test_frames_are_handed_on(method: str, container: Any) -> None:
    X, y = rows()
    frame = container({name: X[:, j] for j, name in enumerate(["u", "v", "w"])})
    sets = PredictionSets(LinearDiscriminantAnalysis(), method=method).fit(frame, y)
    assert sets.feature_names_in_.tolist() == ["u", "v", "w"]
    plain = PredictionSets(LinearDiscriminantAnalysis(), method=method).fit(X, y)
    assert np.array_equal(sets.p_values(frame), plain.p_values(X))


def test_words_sparse_counts_and_missing_cells() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 40)
    words = np.array([["red", "blue", "green"][k] for k in (rng.integers(0, 2, 80) + (y == "b"))], dtype=object)
    frame = pl.DataFrame({"colour": words.tolist()})
    for method in METHODS:
        assert PredictionSets(CategoricalNB(), method=method).fit(frame, y).set_quality(frame, y, 0.2).coverage >= 0.8
    from scipy.sparse import csr_array

    counts = rng.poisson(np.where((y == "a")[:, None], [1, 3], [3, 1]))
    for method in METHODS:
        dense = PredictionSets(MultinomialNB(), method=method).fit(counts, y)
        sparse = PredictionSets(MultinomialNB(), method=method).fit(csr_array(counts), y)
        np.testing.assert_allclose(dense.p_values(counts), sparse.p_values(csr_array(counts)))
    X, labels = rows()
    X[::7, 0] = np.nan
    for method in ("split", "cross"):
        sets = PredictionSets(LinearDiscriminantAnalysis(), method=method).fit(X, labels)
        assert sets.set_quality(X, labels, 0.2).coverage > 0.75
    assert PredictionSets(GaussianNB(), method="leave-one-out").fit(X, labels).p_values(X).min() > 0


def test_pipelines_splitters_and_other_libraries() -> None:
    X, y = rows()
    inner = PredictionSets(make_pipeline(StandardScaler(), SklearnLogistic()), cv=StratifiedKFold(4)).fit(X, y)
    assert inner.set_quality(X, y, 0.2).coverage > 0.75
    outer = make_pipeline(StandardScaler(), PredictionSets(KNeighborsClassifier(9))).fit(X, y)
    assert outer[-1].predict_set(outer[:-1].transform(X), 0.2).shape == (90, 3)
    assert cross_val_score(PredictionSets(LinearDiscriminantAnalysis()), X, y, cv=3).mean() > 0.6


@pytest.mark.parametrize("method", ["split", "cross", "leave-one-out"])
def test_models_without_posteriors_go_by_their_scores(method: str) -> None:
    X, y = rows(n=200)
    for labels in (y, np.where(y == "a", "a", "b")):
        sets = PredictionSets(LeastSquaresClassifier(), method=method).fit(X[:150], labels[:150])
        assert not hasattr(sets, "predict_proba")
        quality = sets.set_quality(X[150:], labels[150:], 0.2)
        assert 0.7 < quality.coverage < 0.95


def test_neighbours_leave_rows_out_by_shares() -> None:
    X, y = rows()
    sets = PredictionSets(KNeighborsClassifier(7), method="leave-one-out").fit(X, y)
    own = 1 - sets.model_.leave_one_out(X, y)[np.arange(90), np.searchsorted(sets.classes_, y)]
    np.testing.assert_allclose(sets.p_values(X), ranked(own - 1e-12, 1 - sets.model_.predict_proba(X) - 2e-12))


@every_method
def test_it_survives_a_file(method: str) -> None:
    X, y = rows()
    sets = PredictionSets(LinearDiscriminantAnalysis(), method=method).fit(X, y)
    trusted = [*trusted_types(), "distinguo.evaluation.conformal.sets.PredictionSets"]
    for loaded in (pickle.loads(pickle.dumps(sets)), skops.io.loads(skops.io.dumps(sets), trusted=trusted)):
        assert np.array_equal(loaded.p_values(X), sets.p_values(X))
        assert loaded.get_params().keys() == sets.get_params().keys()


# Beside a model that is fitted


def test_a_fitted_model_is_calibrated_as_by_leaving_out() -> None:
    X, y = rows()
    for options in ({}, {"conformity": "density", "class_conditional": True}):
        sets = PredictionSets(LinearDiscriminantAnalysis(), method="leave-one-out", **options).fit(X, y)
        model = LinearDiscriminantAnalysis().fit(X, y)
        calibration = calibrate_sets(model, X, y, **options)
        np.testing.assert_allclose(calibration.p_values(model, X), sets.p_values(X))
        assert np.array_equal(calibration.predict_set(model, X, 0.2), sets.predict_set(X, 0.2))
        stored = skops.io.loads(skops.io.dumps((model, calibration)), trusted=trusted_types())
        assert np.array_equal(stored[1].predict_set(stored[0], X, 0.2), sets.predict_set(X, 0.2))


def test_a_fitted_model_that_leaves_no_row_out_is_calibrated_by_folds() -> None:
    X, y = rows(n=300)
    model = MixtureDiscriminantAnalysis(subclasses=2, n_init=1).fit(X[:200], y[:200])
    for options in ({}, {"conformity": "density"}, {"method": "cross", "cv": 4}):
        calibration = calibrate_sets(model, X[:200], y[:200], **options)
        assert calibration.totals.tolist() == [200] * 3
        quality = set_quality(calibration.predict_set(model, X[200:], 0.2), y[200:], model.classes_)
        assert 0.7 < quality.coverage < 0.95


def test_rows_that_a_model_has_not_seen() -> None:
    X, y = rows(n=200)
    model = LinearDiscriminantAnalysis().fit(X[:100], y[:100])
    calibration = calibrate_sets(model, X[100:], y[100:], method="held-out")
    split = PredictionSets(model, method="split", cv=[(np.arange(100), np.arange(100, 200))]).fit(X, y)
    assert np.array_equal(calibration.p_values(model, X), split.p_values(X))


def test_of_many_rows_some_are_left_out() -> None:
    X, y = rows(n=300)
    model = LinearDiscriminantAnalysis().fit(X, y)
    some = calibrate_sets(model, X, y, most_rows=100)
    assert some.totals.tolist() == [100] * 3
    again = calibrate_sets(model, X, y, most_rows=100)
    assert np.array_equal(some.p_values(model, X), again.p_values(model, X))
    difference = some.p_values(model, X) - calibrate_sets(model, X, y).p_values(model, X)
    assert np.abs(difference).max() < 3.5 * 0.5 / np.sqrt(100)


def test_missing_cells_are_calibrated_by_folds_where_they_were_completed() -> None:
    X, y = rows()
    X[3, 1] = np.nan
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert calibrate_sets(model, X, y).totals.tolist() == [90] * 3


# How good sets are


def test_quality_by_hand() -> None:
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
    quality = set_quality(sets, ["a", "b", "a", "c", "a"], ["a", "b", "c"])
    assert quality.coverage == 0.6
    np.testing.assert_allclose(quality.class_coverage, [1 / 3, 1, 1])
    assert quality.mean_size == 1.4
    assert quality.sizes.tolist() == [0.2, 0.4, 0.2, 0.2]
    assert (quality.empty_share, quality.single_share, quality.unseen) == (0.2, 0.4, 0)
    assert json.loads(json.dumps(quality.to_dict()))["class_coverage"]["'b'"] == 1
    assert str(quality).splitlines()[0] == "60.0 % of 5 sets hold the row's own class"


def test_quality_where_a_class_has_no_rows_and_where_labels_are_new() -> None:
    quality = set_quality([[True, False], [True, True]], ["a", "new"], ["a", "b"])
    assert (quality.coverage, quality.unseen) == (0.5, 1)
    assert np.isnan(quality.class_coverage[1])
    assert quality.to_dict()["class_coverage"] == {"'a'": 1.0, "'b'": None}
    assert str(quality).endswith("1 of the rows are of classes that were not fitted")
