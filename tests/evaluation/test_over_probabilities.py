"""What the estimators that act on a model's probabilities owe as estimators."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
import skops.io
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.metadata_routing import get_routing_for_object

from distinguo import Balanced, Costs, CostSensitive, GaussianNB, LinearDiscriminantAnalysis, Thresholded
from distinguo.catalogue import trusted_types

# Where the rows of a test are few, a linear rule may tell them apart; that is a warning, and the fit goes on.
pytestmark = [
    pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning"),
    pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning"),
]

X, CODES = load_breast_cancer(return_X_y=True)
Y = np.array(["malignant", "benign"])[CODES]
MODELS = {
    "costs": CostSensitive(LinearDiscriminantAnalysis(), [[0, 1], [5, 0]]),
    "threshold": Thresholded(LinearDiscriminantAnalysis(), "youden", cv=3),
    "weights": Balanced(LinearDiscriminantAnalysis()),
    "under": Balanced(GaussianNB(), "under"),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)

# Drawing counts rows, so that a row of weight two is not drawn as two rows are; nothing else is different.
DRAWN = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}
# "predict is argmax of predict_proba", which is the one thing that a threshold is there to change.
MOVED = {"check_classifiers_train"}


def name_of(check: Any) -> str:
    return getattr(check, "func", check).__name__


@parametrize_with_checks(
    [
        CostSensitive(LinearDiscriminantAnalysis()),
        CostSensitive(LogisticRegression()),
        Thresholded(LinearDiscriminantAnalysis()),
        Balanced(LinearDiscriminantAnalysis()),
        Balanced(LogisticRegression()),
    ]
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks([Balanced(LinearDiscriminantAnalysis(), "under"), Balanced(LogisticRegression(), "over")])
def test_scikit_learns_checks_where_rows_are_drawn(estimator: Any, check: Any) -> None:
    if name_of(check) not in DRAWN:
        check(estimator)


@parametrize_with_checks([Thresholded(LinearDiscriminantAnalysis(), "f1", cv=2)])
def test_scikit_learns_checks_where_the_threshold_moves(estimator: Any, check: Any) -> None:
    if name_of(check) not in MOVED:
        check(estimator)
        return
    for moved in (estimator, FixedThresholdClassifier(LogisticRegression(), threshold=0.2)):
        with pytest.raises(AssertionError):  # scikit-learn's own does not pass it either
            check(clone(moved))


@every_model
def test_a_fitted_model_survives_a_file(model: Any) -> None:
    fitted = clone(model).fit(X, Y)
    trusted = [*trusted_types(), *(f"{c.__module__}.{c.__qualname__}" for c in (type(model), Costs))]
    trusted.append("distinguo.evaluation.decisions.thresholds.Threshold")
    for loaded in (pickle.loads(pickle.dumps(fitted)), skops.io.loads(skops.io.dumps(fitted), trusted=trusted)):
        assert np.array_equal(loaded.predict(X), fitted.predict(X))
        assert np.array_equal(loaded.predict_proba(X), fitted.predict_proba(X))


@every_model
def test_pipelines_searches_and_clones(model: Any) -> None:
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), clone(model))
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.85
    name = "priors" if isinstance(model.model, LinearDiscriminantAnalysis) else "var_smoothing"
    values = {"priors": [None, "uniform"], "var_smoothing": [1e-9, 1e-2]}[name]
    search = GridSearchCV(clone(model), {f"model__{name}": values}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.85
    assert clone(search.best_estimator_).get_params().keys() == model.get_params().keys()
    assert type(model).__name__ in repr(model)


@every_model
def test_columns_are_those_of_the_fit(model: Any) -> None:
    frame = load_breast_cancer(as_frame=True).data
    fitted = clone(model).fit(frame, Y)
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    assert fitted.n_features_in_ == 30
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(frame[frame.columns[::-1]])
    assert isinstance(frame, pd.DataFrame)


@every_model
def test_metadata_are_routed(model: Any) -> None:
    weight = np.linspace(0.5, 2.0, len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(model).set_params(model=clone(model.model).set_fit_request(sample_weight=True))
        asking.set_fit_request(sample_weight=True)
        assert "model" in get_routing_for_object(asking)._serialize()
        routed = asking.fit(X, Y, sample_weight=weight)
    plain = clone(model).fit(X, Y, sample_weight=weight)
    assert np.array_equal(routed.predict_proba(X), plain.predict_proba(X))
