"""Input that cannot be calibrated, and what is said of it."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from distinguo import (
    Calibrated,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)
from distinguo.exceptions import InputError, InputTypeError, MissingCellsError, ZeroProbabilityWarning
from tests.evaluation.calibration_cases import METHODS, clouds

X, Y = clouds(60)


class Odd(ClassifierMixin, BaseEstimator):
    """A classifier that says of every row what it is told to say."""

    def __init__(self, says: Any = None, method: str = "decision_function") -> None:
        self.says = says
        self.method = method

    def fit(self, X: Any, y: Any) -> "Odd":
        self.classes_ = np.unique(y)
        return self

    def __getattr__(self, name: str) -> Any:
        if name == vars(self).get("method"):
            return lambda X: np.tile(np.asarray(self.says, float), (len(X), 1))
        raise AttributeError(name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "sigmoid"}, "method='sigmoid' is not known; use 'temperature' or 'platt'"),
        ({"cv": 1}, "cv=1 must be at least 2 folds"),
        ({"cv": "loo"}, "cv='loo' is not known; use 'leave-one-out' or 'prefit'"),
        ({"cv": GroupKFold(3)}, r"GroupKFold.* cannot split these 60 rows: .*groups"),
        ({"cv": StratifiedKFold(50)}, r"StratifiedKFold.* cannot split these 60 rows: n_splits=50"),
        ({"cv": 2.5}, "cv=2.5 must be a number of folds"),
        ({"cv": 61}, "60 rows cannot be split into 61 folds"),
        ({"cv": [([0, 1], [-1])]}, "row numbers, counted from 0"),
        ({"evidence": "words"}, "evidence='words' is not known; use 'auto'"),
        ({"evidence": lambda X: np.ones(3)}, r"one number a row, \(12,\)"),
        ({"evidence": lambda X: -np.ones(len(X))}, "at least 0 and finite; it is -1 in row 0"),
        ({"evidence": lambda X: np.full(len(X), np.nan)}, "it is nan in row 0"),
        ({"evidence": lambda X: ["many"] * len(X)}, "one number a row"),
        ({"random_state": "x"}, "random_state='x'"),
    ],
)
def test_options_that_cannot_be_used(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Calibrated(GaussianNB(), **options).fit(X, Y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GaussianNB, "GaussianNB is none"),
        (LinearRegression(), "LinearRegression is none"),
        ("lda", "str is none"),
        (Odd(method="none"), "Odd has none"),
    ],
)
def test_what_is_no_classifier(model: Any, message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        Calibrated(model).fit(X, Y % 2)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SVC(decision_function_shape="ovo"), None),  # three classes have three pairs; only four show it
        (Odd([1.0, 2.0]), "3 classes and scores of shape .*one score a class"),
        (Odd([1.0, np.nan, 0.0]), "gives row 0 a score that is NaN"),
    ],
)
def test_scores_that_are_none(model: Any, message: str | None) -> None:
    if message is None:
        four = np.arange(60) % 4
        with pytest.raises(InputError, match="decision_function_shape='ovr'"):
            Calibrated(model).fit(X, four)
        return
    with pytest.raises(InputError, match=message):
        Calibrated(model).fit(X, Y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("says", [[0.0, 0.0, 0.0], [np.inf, 0.0, 0.0], [-np.inf, 0.0, 0.0]])
def test_constant_scores_say_how_common_classes_are(method: str, says: list[float]) -> None:
    y = np.repeat([0, 1, 2], [10, 20, 30])
    found = Calibrated(Odd(says), method).fit(X, y).predict_proba(X[:2])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found[0] == found[1]).all()
    if method != "temperature":  # which cannot tell the classes apart
        np.testing.assert_allclose(found[0], [1 / 6, 1 / 3, 1 / 2], atol=0.11)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(60), "y has one class only"),
        (np.arange(60), "nothing to hold out"),
        ([None, *Y[1:].tolist()], "missing label"),
        (Y[:50], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_cannot_be_used(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Calibrated(GaussianNB(var_smoothing=0.1)).fit(X, y)


def test_weights_that_cannot_be_used() -> None:
    with pytest.raises(InputError, match="negative in row 0"):
        Calibrated(GaussianNB()).fit(X, Y, -np.ones(60))
    with pytest.raises(InputError, match="Pipeline takes no sample_weight"):
        Calibrated(make_pipeline(GaussianNB())).fit(X, Y, np.ones(60))


def test_leaving_rows_out_is_for_models_that_can() -> None:
    with pytest.raises(InputError, match="Perceptron has none as it is; use a number of folds"):
        Calibrated(Perceptron(), cv="leave-one-out").fit(X, Y)
    with pytest.raises(InputError, match="no class has two rows"):
        Calibrated(GaussianNB(var_smoothing=0.1), cv="leave-one-out").fit(X[:3], ["a", "b", "c"])


def test_a_model_that_is_not_fitted_is_not_ready() -> None:
    with pytest.raises(InputError, match="cv='prefit' takes a model that is fitted, and GaussianNB is not"):
        Calibrated(GaussianNB(), cv="prefit").fit(X, Y)
    fitted = Calibrated(GaussianNB().fit(X, Y), cv="prefit")
    with pytest.raises(InputError, match="FrozenEstimator"):
        clone(fitted).fit(X, Y)
    with pytest.raises(InputError, match="y has the class 7, which the model was not fitted on"):
        fitted.fit(X, np.where(Y == 2, 7, Y))


def test_the_model_s_own_refusals_come_through() -> None:
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(MissingCellsError, match="row 3"):
        Calibrated(Perceptron()).fit(holes, Y)
    with pytest.raises(InputError, match="Negative values in data"):
        Calibrated(MultinomialNB()).fit(X, Y)


def test_errors_of_a_fold_say_so() -> None:
    """Class c has as many rows as its covariance needs, and one fewer in a fold."""
    y = np.where(np.arange(60) < 6, "c", np.where(Y == 0, "a", "b"))
    QuadraticDiscriminantAnalysis().fit(X, y)
    with pytest.raises(InputError, match="class 'c' is singular") as error:
        Calibrated(QuadraticDiscriminantAnalysis(), cv=2).fit(X, y)
    assert "fold of cv" in error.value.__notes__[0]


def test_predict_wants_what_fit_had() -> None:
    with pytest.raises(NotFittedError):
        Calibrated(GaussianNB()).predict(X)
    model = Calibrated(GaussianNB()).fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features, but Calibrated is expecting 4"):
        model.predict_proba(X[:, :2])
    with pytest.raises(InputError, match="Expected 2D array"):
        model.predict_proba(X[0])


def test_warnings_of_the_fit_come_once_and_those_of_folds_not_at_all() -> None:
    counts = np.array([[3, 0, 1], [2, 0, 1], [0, 2, 1], [0, 3, 1]] * 5)
    for model in (MultinomialNB(alpha=0), make_pipeline(MultinomialNB(alpha=0))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            calibrated = Calibrated(model).fit(counts, [0, 0, 1, 1] * 5)
        assert [entry.category for entry in caught] == [ZeroProbabilityWarning]
        # What the model rules out, rows that were all right make unlikely.
        found = calibrated.predict_proba([[5, 0, 1]])
        assert 0.5 < found[0, 0] < 1


def test_lda_tuned_by_cross_validation_is_fitted_anew_in_each_fold() -> None:
    model = Calibrated(LinearDiscriminantAnalysis(shrinkage="cv"), cv=3).fit(X, Y)
    assert model.predict_proba(X).shape == (60, 3)
