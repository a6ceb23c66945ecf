"""Prediction sets of rows from any container, in pipelines and files, and beside models that are fitted."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import skops.io
from scipy.sparse import csr_array
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from distinguo import (
    CategoricalNB,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    MultinomialNB,
    PredictionSets,
    calibrate_sets,
    set_quality,
)
from distinguo.catalogue import trusted_types
from tests.generative.cases import three_classes

METHODS = ("split", "cross", "leave-one-out")
every_method = pytest.mark.parametrize("method", METHODS)


def rows(seed: int = 0, n: int = 90) -> tuple[Any, Any]:
    return three_classes(seed, n=n)


def ranked(own: Any, strangeness: Any) -> Any:
    """p-values (n, K) by counting, given the strangeness of rows held out and of new ones."""
    return (1 + (own[:, None, None] >= strangeness[None]).sum(axis=0)) / (1 + len(own))


# Containers, pipelines, files


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame])
@every_method
def test_frames_are_handed_on(method: str, container: Any) -> None:
    X, y = rows()
    frame = container({name: X[:, j] for j, name in enumerate(["u", "v", "w"])})
    sets = PredictionSets(LinearDiscriminantAnalysis(), method=method).fit(frame, y)
    if container is pd.DataFrame:  # scikit-learn 1.8 takes no names from Polars
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


def test_weights_are_routed() -> None:
    X, y = rows()
    weight = np.linspace(0.5, 2.0, 90)
    plain = PredictionSets(GaussianNB(), method="leave-one-out").fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = PredictionSets(GaussianNB().set_fit_request(sample_weight=True), method="leave-one-out")
        assert np.array_equal(asking.fit(X, y, sample_weight=weight).p_values(X), plain.p_values(X))
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            PredictionSets(GaussianNB()).fit(X, y, sample_weight=weight)


def test_it_shows_itself() -> None:
    sets = PredictionSets(GaussianNB(), conformity="density")
    assert (
        eval(repr(sets), {"PredictionSets": PredictionSets, "GaussianNB": GaussianNB}).get_params()["conformity"]
        == "density"
    )
    assert "PredictionSets" in estimator_html_repr(sets)
