"""Pictures of linear models: what cannot be drawn is refused in words that say what to do."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from distinguo import (
    CoefficientIntervalsDisplay,
    LeastSquaresClassifier,
    LogisticRegression,
    PathDisplay,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    TraceDisplay,
    logistic_path,
)
from distinguo.exceptions import InputError, InputTypeError

forest = CoefficientIntervalsDisplay.from_estimator
trace = TraceDisplay.from_estimator
path = PathDisplay.from_path

WIDE = LogisticRegression(C=1.0).fit(np.random.default_rng(0).normal(size=(20, 101)), np.tile([0, 1], 10))
STEEP = LogisticRegression().fit(np.array([[1.0], [2.0], [3.0], [4.0]] * 5) * 1e-4, [0, 1, 0, 1] * 5)
RIDGE = LogisticRegression(C=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
SQUARES = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
ONLINE = LogisticRegression(solver="stochastic").partial_fit([[0.0], [1.0]], [0, 1])
PERCEPTRON = Perceptron().fit([[0.0], [1.0]], [0, 1])
PATH = logistic_path([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], Cs=3)
OTHER = LogisticRegression(C="cv", Cs=3, cv=2).fit([[0.0], [1.0], [2.0], [3.0]] * 5, ["a", "b", "a", "b"] * 5)
AT_REST = LogisticRegression().fit([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1])
QDA = QuadraticDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
REFUSED = {
    "a kind not known": (lambda: forest(RIDGE, kind="bootstrap"), "kind='bootstrap' is not known; use one of 'auto'"),
    "a list of kinds": (lambda: forest(RIDGE, kind=["wald"]), "kind=['wald'] is not known"),
    "intervals of a ridge": (lambda: forest(RIDGE, kind="wald"), "the coefficients were penalised"),
    "intervals of least squares": (
        lambda: forest(SQUARES, kind="wald"),
        "no confidence_intervals: it has no intervals",
    ),
    "no coefficients": (lambda: forest(QDA), "has no coef_: only linear models"),
    "level in per cent": (lambda: forest(STEEP, level=95), "level=95 must be a number between 0 and 1"),
    "a base not fitted": (lambda: forest(RIDGE, base="yes"), "base='yes' is no class; they are 0, 1."),
    "a scale not known": (lambda: forest(RIDGE, scale="odds"), "scale='odds' is one of ['log odds', 'odds ratio']"),
    "odds of scores": (lambda: forest(SQUARES, scale="odds ratio"), "has no probabilities, and its scores"),
    "odds too large": (lambda: forest(STEEP, scale="odds ratio"), "give X for standard deviations, or log odds"),
    "too many columns": (lambda: forest(WIDE), "101 columns are to be drawn; name 1 to 100 of them with features="),
    "no columns": (lambda: forest(RIDGE, features=[]), "0 columns are to be drawn"),
    "a column not known": (lambda: forest(RIDGE, features=[1]), "there is no column 1"),
    "rows of other columns": (lambda: forest(RIDGE, [[1.0, 2.0]]), "X has 2 features"),
    "a trace on another axis": (lambda: trace(RIDGE, scale="logarithmic"), "scale='logarithmic' is one of ['linear', "),
    "a trace of parts": (lambda: trace(ONLINE), "has no trace_: a model learned by partial_fit has none; use fit"),
    "traces of two kinds": (lambda: trace({"a": RIDGE, "b": PERCEPTRON}), "models of one kind; 2 kinds came"),
    "traces of nothing": (lambda: trace({}), "models of one kind; 0 kinds came"),
    "names that look alike": (lambda: trace({"a": RIDGE, "a ": RIDGE}), "two names of models look the same"),
    "a trace at rest": (lambda: trace(AT_REST, scale="log"), "objective is at its best from the start"),
    "rows of another path": (lambda: path(PATH, [[1.0, 2.0]]), "X has 2 features, but logistic_path is expecting 1"),
    "infinite rows of a path": (lambda: path(PATH, [[np.inf]]), "contains infinity"),
    "names of eleven columns": (lambda: path(PATH, named=11), "named=11 must be a whole number from 0 to 10"),
    "names of true columns": (lambda: path(PATH, named=True), "named=True must be a whole number"),
    "a path not tuned": (
        lambda: path(PATH, tuned=RIDGE),
        "no cv_results_; give a LogisticRegression fitted with C='cv'",
    ),
    "a path of other classes": (lambda: path(PATH, tuned=OTHER), "tuned is of other classes or columns than the path"),
}
WRONG_TYPES = {
    "one column's name": (lambda: forest(RIDGE, features="x0"), "must be a list of columns"),
    "a number of columns": (lambda: forest(RIDGE, features=1), "must be a list of columns"),
    "axes of text": (lambda: forest(RIDGE, ax="left"), "ax must be matplotlib axes"),
    "a trace of QDA": (lambda: trace(QDA), "QuadraticDiscriminantAnalysis came"),
    "traces in a list": (lambda: trace([RIDGE]), "or of a dictionary of these; list came"),
    "a path of a model": (lambda: path(RIDGE), "of what logistic_path gives; LogisticRegression came"),
}
UNFITTED = {
    "forest": lambda: forest(LogisticRegression()),
    "trace": lambda: trace(Perceptron()),
    "path": lambda: path(PATH, tuned=LogisticRegression(C="cv")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_values_that_cannot_be_used(case):
    call, message = REFUSED[case]
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("case", WRONG_TYPES)
def test_types_that_are_not_understood(case):
    call, message = WRONG_TYPES[case]
    with pytest.raises(InputTypeError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("case", UNFITTED)
def test_models_that_are_not_fitted(case):
    with pytest.raises(NotFittedError):
        UNFITTED[case]()
