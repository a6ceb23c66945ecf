"""Classifiers without probabilities at home in scikit-learn: pipelines, searches, routing, pictures."""

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils import estimator_html_repr

from distinguo import LeastSquaresClassifier, Perceptron

X, Y = load_iris(return_X_y=True)
every_model = pytest.mark.parametrize(
    "model", [LeastSquaresClassifier(), Perceptron(average=True)], ids=["least-squares", "perceptron"]
)


@every_model
def test_pipelines_and_calibration(model: Any) -> None:
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), clone(model))
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.75  # least squares masks the middle species in part
    scores = cross_val_predict(pipeline, X, Y, cv=3, method="decision_function")
    assert (scores.argmax(axis=1) == Y).mean() > 0.75
    calibrated = CalibratedClassifierCV(pipeline, cv=3).fit(X, Y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    assert not hasattr(pipeline.fit(X, Y), "predict_proba")


def test_searches() -> None:
    grid = {"perceptron__average": [False, True], "perceptron__multiclass": ["discriminants", "one-vs-rest"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), Perceptron()), grid, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9
    assert search.best_params_["perceptron__multiclass"] == "discriminants"


def test_a_rule_that_no_line_can_draw_is_learned_in_products() -> None:
    """Exclusive or: no line separates it, and a line in x1, x2 and x1 x2 does."""
    corners, labels = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), ["no", "yes", "yes", "no"]
    assert Perceptron().fit(corners, labels).status_ == "max_iter"
    products = make_pipeline(PolynomialFeatures(interaction_only=True, include_bias=False), Perceptron(max_iter=1000))
    assert products.fit(corners, labels)[-1].status_ == "separated"
    assert products.predict(corners).tolist() == labels


@every_model
def test_clones_and_pictures(model: Any) -> None:
    fitted = clone(model).fit(X, Y)
    assert clone(fitted).get_params() == fitted.get_params()
    assert not clone(fitted).__sklearn_is_fitted__()
    assert type(model).__name__ in estimator_html_repr(fitted)
    assert eval(repr(fitted), {type(model).__name__: type(model)}).get_params() == fitted.get_params()


@every_model
def test_weights_are_routed(model: Any) -> None:
    weight = np.tile([1.0, 2.0, 3.0], 50)
    scaled = StandardScaler().fit_transform(X)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(model).set_fit_request(sample_weight=True).set_partial_fit_request(classes=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        routed = pipeline.fit(X, Y, sample_weight=weight)
    plain = clone(model).fit(scaled, Y, sample_weight=weight)
    assert np.array_equal(routed[-1].decision_function(scaled), plain.decision_function(scaled))
