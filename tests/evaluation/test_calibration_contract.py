"""What `Calibrated` owes scikit-learn: its own checks, clones, pipelines, searches, routing, and a life in files."""

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import skops.io
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB as TheirBayes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from distinguo import (
    Calibrated,
    ComplementNB,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    Perceptron,
)
from distinguo.catalogue import trusted_types
from distinguo.cli.app import app
from distinguo.cli.persistence import load, save, to_bytes
from distinguo.cli.running import run
from tests.evaluation.calibration_cases import METHODS

NAMES = np.array(["a", "b", "c"])[np.arange(120) % 3]
COUNTS = np.random.default_rng(1).poisson(np.array([[3.0, 1, 1], [1, 3, 1], [1, 1, 3]])[np.arange(120) % 3])


def models_to_check() -> list[Any]:
    models = [GaussianNB(), LeastSquaresClassifier(), Perceptron(), KNeighborsClassifier(3), TheirLogistic()]
    return [
        *(Calibrated(LinearDiscriminantAnalysis(), method) for method in METHODS),
        *(Calibrated(model) for model in models),
        Calibrated(MultinomialNB(), "beta"),
        Calibrated(ComplementNB(), "isotonic"),
        Calibrated(TheirBayes(), "venn-abers"),
    ]


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some checks bring 30 columns in 15 rows
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")  # and others three classes in a line
@parametrize_with_checks(models_to_check())
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_fitted_one_survives_a_file() -> None:
    for method in METHODS:
        for model in (MultinomialNB(), LinearDiscriminantAnalysis(), Perceptron()):
            rows = COUNTS
            fitted = Calibrated(model, method).fit(rows, NAMES)
            packed = skops.io.dumps(fitted)
            assert set(skops.io.get_untrusted_types(data=packed)) <= set(trusted_types())
            for loaded in (pickle.loads(pickle.dumps(fitted)), skops.io.loads(packed, trusted=trusted_types())):
                assert np.array_equal(loaded.predict_log_proba(rows), fitted.predict_log_proba(rows))
                assert loaded.classes_.tolist() == ["a", "b", "c"]
                assert repr(loaded) == repr(fitted)


def test_model_files_of_the_command_hold_one(tmp_path: Path) -> None:
    table, file = tmp_path / "table.csv", tmp_path / "model.dgo"
    frame = pl.DataFrame(COUNTS, schema=list("pqr"))
    frame.with_columns(kind=pl.Series(NAMES)).write_csv(table)
    assert run(app, ["fit", str(table), "-t", "kind", "--model", "lda", "-o", str(file), "-q"]) == 0
    saved = load(file)
    calibrated = Calibrated(saved.model, "isotonic", cv="prefit").fit(frame, NAMES)
    save(dataclasses.replace(saved, model=calibrated), file)
    loaded = load(file).model
    assert np.array_equal(loaded.predict_proba(frame), calibrated.predict_proba(frame))
    assert to_bytes(load(file)) == file.read_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_clones_pictures_and_searches(method: str) -> None:
    model = Calibrated(MultinomialNB(alpha=2.0), method, cv=3, random_state=4)
    fitted = clone(model).fit(COUNTS, NAMES)
    assert clone(fitted).get_params() | {"model": None} == model.get_params() | {"model": None}
    assert not hasattr(clone(fitted), "model_")
    assert not hasattr(fitted.model, "statistic_")  # what was given is not fitted
    assert "MultinomialNB" in estimator_html_repr(fitted)
    names = {"Calibrated": Calibrated, "MultinomialNB": MultinomialNB}
    assert repr(eval(repr(fitted), names)) == repr(fitted)
    grid = {"calibrated__model__alpha": [0.1, 1.0], "calibrated__evidence": ["auto", None]}
    pipeline = make_pipeline(FunctionTransformer(), fitted)
    search = GridSearchCV(pipeline, grid, cv=3, scoring="neg_log_loss").fit(COUNTS, NAMES)
    assert search.best_score_ > -np.log(3)
    found = cross_val_predict(pipeline, COUNTS, NAMES, cv=3, method="predict_proba")
    np.testing.assert_allclose(found.sum(axis=1), 1)


reads_polars = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"), reason="names of Polars columns need scikit-learn 1.9"
)


def test_names_of_columns_are_checked() -> None:
    frame = pd.DataFrame(COUNTS, columns=list("pqr"))
    model = Calibrated(MultinomialNB()).fit(frame, NAMES)
    assert model.feature_names_in_.tolist() == list("pqr")
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[list("qpr")])


@reads_polars
def test_names_of_polars_columns_are_those_of_pandas() -> None:
    frame, polars = pd.DataFrame(COUNTS, columns=list("pqr")), pl.DataFrame(COUNTS, schema=list("pqr"))
    model = Calibrated(MultinomialNB()).fit(frame, NAMES)
    np.testing.assert_allclose(model.predict_proba(polars), model.predict_proba(frame))


@pytest.mark.parametrize(
    "labels", [[True, False], [3, 7], ["b", "ä"], [b"x", b"y"], [np.datetime64("2020"), np.datetime64("1999")]]
)
def test_labels_of_any_type(labels: list[Any]) -> None:
    y = np.array([labels[0] if name == "a" else labels[1] for name in NAMES])
    model = Calibrated(MultinomialNB(), "platt").fit(COUNTS, y)
    assert model.classes_.tolist() == sorted(np.unique(y).tolist())
    assert set(model.predict(COUNTS).tolist()) <= set(y.tolist())
    assert np.mean(model.predict(COUNTS) == y) > 0.5
    mixed = np.array([1 if name == "a" else name for name in NAMES], dtype=object)
    assert Calibrated(MultinomialNB()).fit(COUNTS, mixed).classes_.tolist() == [1, "b", "c"]


def test_weights_are_routed() -> None:
    weight = np.tile([1.0, 2.0, 3.0], 40)
    plain = Calibrated(MultinomialNB(), "beta").fit(COUNTS, NAMES, weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = Calibrated(MultinomialNB().set_fit_request(sample_weight=True), "beta")
        asking.set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), asking).fit(COUNTS, NAMES, sample_weight=weight)
        # A model that does not ask for weights is fitted without; the map has them all the same.
        alone = Calibrated(MultinomialNB().set_fit_request(sample_weight=False), "beta").fit(COUNTS, NAMES, weight)
    assert np.array_equal(pipeline.predict_proba(COUNTS), plain.predict_proba(COUNTS))
    assert alone.model_.statistic_.weight.sum() == len(COUNTS)
    assert not np.allclose(
        alone.predict_proba(COUNTS), Calibrated(MultinomialNB(), "beta").fit(COUNTS, NAMES).predict_proba(COUNTS)
    )


def test_tags_are_those_of_the_model() -> None:
    for model in (GaussianNB(), MultinomialNB(), LeastSquaresClassifier()):
        ours, theirs = Calibrated(model).__sklearn_tags__(), model.__sklearn_tags__()
        assert ours.input_tags == theirs.input_tags
        assert ours.classifier_tags == theirs.classifier_tags
    rows = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [2.0]], 30, axis=0)
    rows[::5, 0] = np.nan
    assert Calibrated(GaussianNB()).fit(rows, np.repeat([0, 1], 30)).score(rows, np.repeat([0, 1], 30)) > 0.7
