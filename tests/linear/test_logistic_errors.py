"""Bad input to logistic regression: one error that says what was wrong, what came and what to do."""

import numpy as np
import pytest
from scipy import sparse

from distinguo import LogisticRegression, MemorySource
from distinguo.exceptions import DistinguoError, InputError
from tests.linear.test_logistic import rows

X, Y = rows(3, n=60)
TWO = np.where(Y == "a", "a", "b")
HOLE = X.copy()
HOLE[3, 1] = np.nan


def of_bad_sparse() -> sparse.csr_array:
    wide = sparse.csr_array(np.pad(X, ((0, 0), (0, 1200))))
    wide.data[0] = np.nan
    return wide


OPTIONS = {
    "C of zero": ({"C": 0}, r"C=0 must be a positive number"),
    "negative C": ({"C": -1.0}, r"C=-1.0 must be"),
    "C not a number": ({"C": np.nan}, r"C=nan must be"),
    "C in words": ({"C": "strong"}, r"C='strong' must be"),
    "C true": ({"C": True}, r"C=True must be"),
    "l1_ratio above one": ({"C": 1.0, "l1_ratio": 1.5}, r"l1_ratio=1.5 must be a number from 0 to 1"),
    "l1_ratio below zero": ({"C": 1.0, "l1_ratio": -0.1}, r"l1_ratio=-0.1 must be"),
    "l1_ratio without a penalty": ({"l1_ratio": 1.0}, "cannot act without a penalty; give C"),
    "standardize without a penalty": ({"standardize": True}, "cannot act without a penalty; give C"),
    "unknown correction": ({"bias_reduction": "jeffreys"}, "use None or 'firth'"),
    "correction with a penalty": ({"bias_reduction": "firth", "C": 1.0}, "leave C at np.inf"),
    "correction by another solver": (
        {"bias_reduction": "firth", "solver": "lbfgs"},
        "takes no bias_reduction; use solver='newton'",
    ),
    "lasso by Newton": ({"C": 1.0, "l1_ratio": 0.5, "solver": "newton"}, "takes no l1_ratio above 0"),
    "unknown solver": ({"solver": "saga"}, "solver='saga' is not known; use 'auto' or one of 'newton'"),
    "solver of another type": ({"solver": 3}, "solver=3 is not known"),
    "tol of zero": ({"tol": 0}, "tol=0 must be a positive number"),
    "no iterations": ({"max_iter": 0}, "max_iter=0 must be a whole number of at least 1"),
    "iterations in part": ({"max_iter": 1.5}, "max_iter=1.5 must be a whole number"),
    "a step for Newton": (
        {"eta0": 0.1},
        "solver='auto' is 'newton' here, which takes no eta0; use solver='gradient-descent' or 'stochastic', or leave",
    ),
    "a decay for Newton": ({"gamma": 0.1, "solver": "newton"}, "takes no gamma; use solver='gradient-descent' or 'sto"),
    "a step for the lasso": (
        {"C": 1.0, "l1_ratio": 1.0, "eta0": 0.1},
        "takes no eta0; use solver='gradient-descent', or",
    ),
    "a step for the correction": (
        {"bias_reduction": "firth", "eta0": 0.1},
        "takes no eta0; no solver suits all .*: leave eta0 at None",
    ),
    "no penalty by columns": (
        {"solver": "coordinate-descent"},
        "needs a penalty; use solver='newton' or .* give a finite C",
    ),
    "negative step": ({"eta0": -0.1, "solver": "stochastic"}, "eta0=-0.1 must be a positive number"),
    "negative decay": ({"gamma": -1, "solver": "stochastic"}, "gamma=-1 must be"),
    "class weights of no class": ({"class_weight": {"z": 2}}, "names 'z', which is no class of y; the classes are 'a'"),
    "negative class weight": ({"class_weight": {"a": -1}}, "class_weight of 'a' is -1; it must be a positive number"),
    "class weights in words": ({"class_weight": "heavy"}, "must be None, 'balanced' or {class: number}"),
}


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS)
def test_options_are_checked_at_fit(options, message):
    with pytest.raises(DistinguoError, match=message):
        LogisticRegression(**options).fit(X, Y)


ROWS = {
    "one class": (X, ["only"] * 60, {}, "one class only"),
    "a continuous target": (X, X[:, 0], {}, "Unknown label type: continuous.*cut them into classes"),
    "no labels": (X, None, {}, "y is None"),
    "holes": (HOLE, Y, {}, r"X contains NaN \(row 3, column 1\).*LinearDiscriminantAnalysis or GaussianNB"),
    "holes in sparse rows": (of_bad_sparse(), Y, {}, "X contains NaN"),
    "infinity": (np.where(np.isnan(HOLE), np.inf, X), Y, {}, "X contains infinity"),
    "nothing to tell by": (np.ones((60, 3)), Y, {}, "every column is constant"),
    "too large to square": (X * 1e300, Y, {}, "too large to square"),
    "offset too short": (X, TWO, {"offset": np.zeros(5)}, r"offset has shape \(5,\); it must be \(60,\)"),
    "offset of a class too few": (X, Y, {"offset": np.zeros(60)}, r"it must be \(60, 3\), a column a class"),
    "offset not finite": (X, TWO, {"offset": np.full(60, np.nan)}, "offset contains NaN"),
    "offset beyond all digits": (X, TWO, {"offset": np.full(60, 1e300)}, "offset goes beyond 1e"),
    "offset in words": (X, TWO, {"offset": ["a"] * 60}, "offset must be numbers"),
    "offset of a source": (MemorySource(X, TWO), None, {"offset": np.zeros(60)}, "a Source has none"),
}


@pytest.mark.parametrize(("X", "y", "more", "message"), ROWS.values(), ids=ROWS)
def test_rows_are_checked_at_fit(X, y, more, message):
    with pytest.raises(DistinguoError, match=message):
        LogisticRegression().fit(X, y, **more)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = LogisticRegression().fit(X, Y)
    before = model.coef_.copy()
    with pytest.raises(InputError):
        model.fit(HOLE, Y)
    assert (model.coef_ == before).all()


@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_columns_without_an_entry_get_nothing(solver):
    wide = sparse.csr_array(np.pad(X, ((0, 0), (0, 1200))))
    model = LogisticRegression(C=1.0, solver=solver).fit(wide, Y)
    assert not model.coef_[:, 4:].any()


def test_streams_are_checked():
    model = LogisticRegression(solver="stochastic").partial_fit(X, Y)
    with pytest.raises(InputError, match="X has 2 features, but LogisticRegression is expecting 4"):
        model.partial_fit(X[:, :2], Y)
    with pytest.raises(InputError, match=r"one class only.*Give classes="):
        LogisticRegression(solver="stochastic").partial_fit(X, ["only"] * 60)
    with pytest.raises(InputError, match="needs all rows at once"):
        LogisticRegression(solver="stochastic", class_weight="balanced").partial_fit(X, Y)
    with pytest.raises(AttributeError, match="partial_fit"):
        LogisticRegression().partial_fit(X, Y)
