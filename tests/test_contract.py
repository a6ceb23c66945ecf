"""What every model owes: scikit-learn's own checks, and a table of capabilities that tells the truth."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import skops.io
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.metadata_routing import get_routing_for_object

from distinguo import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from distinguo.catalogue import CATALOGUE, Entry, trusted_types
from distinguo.exceptions import LeftOutWarning, SingularCovarianceError
from tests.generative.cases import VARIANTS, every_variant

# Where the rows of a test are few, a linear rule may tell them apart; that is a warning, and the fit goes on.
pytestmark = pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning")

CAPABILITIES = {
    "forget": "merges",
    "__add__": "merges",
    "leave_one_out": "leave_one_out",
    "class_log_density": "density",
    "score_samples": "density",
    "typicality": "typicality",
    "sample": "sample",
    "predict_proba": "probabilities",
    "explain": "explains",
}
every_entry = pytest.mark.parametrize("entry", CATALOGUE, ids=[entry.name for entry in CATALOGUE])


@pytest.fixture
def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map(dict(enumerate(["setosa", "versicolor", "virginica"])))


def models_to_check() -> list[Any]:
    # One direction of two is meant to cost accuracy, which one of the checks asks for.
    variants = [clone(model) for name, model in VARIANTS.items() if name != "lda-one-direction"]
    return [*(entry.make() for entry in CATALOGUE), *variants]


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some checks bring 30 columns in 15 rows
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")  # and others three classes in a line
@parametrize_with_checks(models_to_check())
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    name = getattr(check, "func", check).__name__
    unshrunk = isinstance(estimator, QuadraticDiscriminantAnalysis) and estimator.shrinkage is None
    if unshrunk and name.startswith("check_sample_weight_equivalence"):
        # A class there has fewer rows than columns: it has no shape to describe, and the model says so.
        with pytest.raises(SingularCovarianceError, match="class 0 is singular") as error:
            check(estimator)
        assert "use RegularizedDiscriminantAnalysis" in str(error.value)
    else:
        check(estimator)


@every_entry
def test_the_table_of_capabilities_is_true(entry: Entry) -> None:
    model = entry.make()
    for method, capability in CAPABILITIES.items():
        assert hasattr(model, method) == getattr(entry, capability), method
    assert hasattr(model, "partial_fit") == (entry.merges or entry.learns_on)
    assert model.__sklearn_tags__().input_tags.allow_nan == entry.holes
    assert hasattr(model, "transform") == (entry.directions or entry.variates)


@every_entry
def test_a_fitted_model_survives_a_file(entry: Entry, iris: Any) -> None:
    X, y = iris
    model = entry.make().fit(X, y)
    for loaded in (pickle.loads(pickle.dumps(model)), skops.io.loads(skops.io.dumps(model), trusted=trusted_types())):
        for method in ("decision_function", "predict_proba"):
            if hasattr(model, method):
                assert np.array_equal(getattr(loaded, method)(X), getattr(model, method)(X))
        assert loaded.classes_.tolist() == model.classes_.tolist()
        assert loaded.feature_names_in_.tolist() == list(X.columns)
        assert loaded.get_params() == model.get_params()


@every_entry
def test_an_unfitted_model_survives_a_file(entry: Entry, iris: Any) -> None:
    model = pickle.loads(pickle.dumps(entry.make()))
    assert np.array_equal(model.fit(*iris).predict(iris[0]), entry.make().fit(*iris).predict(iris[0]))


@every_variant
def test_pipelines_and_searches(model: Any, iris: Any) -> None:
    X, y = iris
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), clone(model))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    posteriors = cross_val_predict(pipeline, X, y, cv=3, method="predict_proba")
    np.testing.assert_allclose(posteriors.sum(axis=1), 1)
    search = GridSearchCV(clone(model), {"priors": [None, "uniform"]}, cv=3, scoring="neg_log_loss").fit(X, y)
    assert search.best_score_ > -0.4
    assert search.best_estimator_.feature_names_in_.tolist() == list(X.columns)


@every_variant
def test_clones_are_unfitted_and_equal(model: Any, iris: Any) -> None:
    fitted = clone(model).fit(*iris)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not copy.__sklearn_is_fitted__()


@every_variant
def test_a_model_shows_itself(model: Any, iris: Any) -> None:
    assert type(model).__name__ in estimator_html_repr(clone(model))
    fitted = clone(model).fit(*iris)
    assert type(model).__name__ in estimator_html_repr(fitted)
    assert fitted._repr_mimebundle_()
    assert eval(repr(fitted), {type(model).__name__: type(model)}).get_params() == fitted.get_params()


@every_variant
def test_metadata_are_routed(model: Any, iris: Any) -> None:
    X, y = iris
    weight = np.linspace(0.5, 2.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(model).set_fit_request(sample_weight=True).set_partial_fit_request(classes=True)
        requests = get_routing_for_object(asking)
        assert requests.consumes("fit", {"sample_weight"}) == {"sample_weight"}
        assert requests.consumes("partial_fit", {"classes", "sample_weight"}) == {"classes"}
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        routed = pipeline.fit(X, y, sample_weight=weight)
    plain = clone(model).fit(StandardScaler().fit_transform(X), y, sample_weight=weight)
    scaled = StandardScaler().fit_transform(X)
    assert np.array_equal(routed[-1].predict_proba(scaled), plain.predict_proba(scaled))


@pytest.mark.parametrize(("container", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_discriminants_come_in_the_container_asked_for(container: str, frame: type, iris: Any) -> None:
    X, y = iris
    model = LinearDiscriminantAnalysis().set_output(transform=container)
    for transformed in (model.fit_transform(X, y), model.transform(X)):
        assert isinstance(transformed, frame)
        assert list(transformed.columns) == ["LD1", "LD2"]
    assert model.get_feature_names_out().tolist() == ["LD1", "LD2"]


def test_discriminants_keep_the_index(iris: Any) -> None:
    X, y = iris
    X = X.set_index(X.index + 1000)
    assert LinearDiscriminantAnalysis().set_output(transform="pandas").fit(X, y).transform(X).index.equals(X.index)


def test_names_of_discriminants_follow_n_components(iris: Any) -> None:
    model = LinearDiscriminantAnalysis(n_components=1).fit(*iris)
    assert model.get_feature_names_out().tolist() == ["LD1"]
    assert model.transform(iris[0]).shape == (150, 1)


@every_variant
def test_column_names_are_checked_as_scikit_learn_does(model: Any, iris: Any) -> None:
    X, y = iris
    fitted = clone(model).fit(X, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(X.to_numpy())
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time"):
        fitted.predict(X.rename(columns={X.columns[0]: "other"}))
    with pytest.raises(ValueError, match="same order"):
        fitted.partial_fit(X[X.columns[::-1]], y)


def test_a_model_fitted_without_names_warns_at_names(iris: Any) -> None:
    X, y = iris
    model = LinearDiscriminantAnalysis().fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        model.predict(X)


def test_thirty_columns_in_fifteen_rows_leave_directions_out() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(15, 30)), np.arange(15) % 3
    with pytest.warns(LeftOutWarning, match="linearly dependent columns"):
        model = LinearDiscriminantAnalysis().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(model.predict_proba(X)).all()
