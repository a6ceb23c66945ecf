"""What cannot be drawn is refused in words that say what to do."""

import builtins
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

import distinguo
from distinguo import (
    ClassEllipsesDisplay,
    CoefficientsDisplay,
    DecisionRegionsDisplay,
    DiscriminantHistogramDisplay,
    GaussianNB,
    LinearDiscriminantAnalysis,
    Mars,
    MarsDisplay,
    QuadraticDiscriminantAnalysis,
    TerritorialMapDisplay,
)
from distinguo.exceptions import InputError, InputTypeError

rng = np.random.default_rng(0)
Y = np.repeat(["a", "b", "c"], 20)
X = rng.normal(size=(60, 4)) + 3 * np.repeat(rng.normal(size=(3, 4)), 20, axis=0)
NAMED = pd.DataFrame(X, columns=["width", "height", "depth", "mass"])
LDA = LinearDiscriminantAnalysis().fit(X, Y)
NAMED_LDA = LinearDiscriminantAnalysis().fit(NAMED, Y)
QDA = QuadraticDiscriminantAnalysis().fit(X, Y)
TWO = LinearDiscriminantAnalysis().fit(X[:40], Y[:40])
ONE_COLUMN = GaussianNB().fit(X[:, :1], Y)
KNN = KNeighborsClassifier().fit(X, Y)
STEP = np.maximum(X[:, 0], 0)
MARS = Mars().fit(X, STEP)
HOLES = X.copy()
HOLES[:, 1] = np.nan

regions = DecisionRegionsDisplay.from_estimator
ellipses = ClassEllipsesDisplay.from_estimator
histogram = DiscriminantHistogramDisplay.from_estimator
territory = TerritorialMapDisplay.from_estimator
coefficients = CoefficientsDisplay.from_estimator
curves = MarsDisplay.from_estimator

REFUSED = {
    "one column": (lambda: regions(ONE_COLUMN, X[:, :1]), "needs two columns, and GaussianNB was fitted on one"),
    "one column, ellipses": (lambda: ellipses(ONE_COLUMN), "needs two columns"),
    "index out of range": (lambda: regions(LDA, X, features=(0, 4)), "no column 4; the fit had 4, and the first is 0"),
    "index below range": (lambda: ellipses(LDA, features=(-5, 0)), "no column -5"),
    "unknown name": (
        lambda: regions(NAMED_LDA, NAMED, features=("width", "age")),
        "no column 'age'; the fit had 'width'",
    ),
    "name without names": (lambda: regions(LDA, X, features=("width", 0)), "no column 'width'; the fit had 'x0', 'x1'"),
    "the same column twice": (lambda: regions(NAMED_LDA, NAMED, features=("width", 0)), "one and the same column"),
    "three columns": (lambda: regions(LDA, X, features=(0, 1, 2)), "must be two columns; 3 came"),
    "other columns": (
        lambda: regions(LDA, X[:, :3]),
        "X has 3 features, but LinearDiscriminantAnalysis is expecting 4",
    ),
    "other names": (
        lambda: regions(NAMED_LDA, NAMED.rename(columns={"mass": "age"})),
        "seen at fit time, yet now missing",
    ),
    "no rows": (lambda: regions(LDA, X[:0]), "0 sample"),
    "an infinite cell": (lambda: regions(LDA, np.where(X > 3, np.inf, X)), "contains infinity"),
    "a column of holes": (lambda: regions(LDA, HOLES), "column 'x1' of X has no value in any row"),
    "fewer labels": (lambda: regions(LDA, X, Y[:5]), "inconsistent numbers of samples"),
    "a label not fitted": (
        lambda: regions(LDA, X, np.where(Y == "a", "z", Y)),
        "y has the class 'z', which was not fitted",
    ),
    "holding a column drawn": (lambda: regions(LDA, X, others={0: 1.0}), "others holds the column 0, which is drawn"),
    "holding at nothing": (lambda: regions(LDA, X, others={2: np.nan}), "others holds 2 at nan; give a finite number"),
    "holding at text": (lambda: regions(LDA, X, others={2: "mean"}), "at 'mean'; give a finite number"),
    "holding in a discriminant plane": (
        lambda: regions(LDA, X, features="discriminants", others={0: 1}),
        "no column is in",
    ),
    "no transform": (
        lambda: regions(QDA, X, features="discriminants"),
        "QuadraticDiscriminantAnalysis has no transform",
    ),
    "no transform, ellipses": (lambda: ellipses(QDA, features="discriminants"), "give two columns"),
    "no transform, histogram": (lambda: histogram(QDA, X, Y), "has no transform"),
    "no transform, map": (lambda: territory(QDA), "has no transform"),
    "no scalings": (lambda: coefficients(QDA), "has no scalings_: only models with discriminants"),
    "no coefficients": (lambda: coefficients(QDA, of="classes"), "has no coef_: only linear models"),
    "one discriminant": (lambda: regions(TWO, X, features="discriminants"), "one discriminant, for two classes"),
    "one discriminant, map": (lambda: territory(TWO), "one discriminant"),
    "novelty above one": (lambda: regions(LDA, X, novelty=1.5), "novelty=1.5 must be a number between 0 and 1"),
    "novelty in words": (lambda: regions(LDA, X, novelty="some"), "novelty='some' must be"),
    "novelty without typicality": (lambda: regions(KNN, X, novelty=0.01), "KNeighborsClassifier has no typicality"),
    "resolution of one": (lambda: regions(LDA, X, resolution=1), "resolution=1 must be a whole number of at least 2"),
    "no classes": (lambda: regions(LinearRegression().fit(X, X[:, 0]), X), "has no classes_: it is no classifier"),
    "no shape": (lambda: ellipses(KNN), "has no means_"),
    "rows without labels": (lambda: ellipses(LDA, X), "give both X and y, or neither"),
    "coverage of all": (lambda: ellipses(LDA, coverage=[0.5, 1.0]), "coverage=[0.5, 1.0] must be"),
    "no coverage": (lambda: ellipses(LDA, coverage=[]), "coverage=[] must be"),
    "coverage in words": (lambda: ellipses(LDA, coverage="most"), "coverage='most' must be"),
    "component out of range": (
        lambda: histogram(LDA, X, Y, component=2),
        "component=2 must be a whole number from 0 to 1",
    ),
    "no bins": (lambda: histogram(LDA, X, Y, bins=0), "bins=0 must be a whole number of at least 1"),
    "components out of range": (
        lambda: coefficients(LDA, components=3),
        "components=3 must be a whole number from 1 to 2",
    ),
    "components of classes": (lambda: coefficients(LDA, of="classes", components=1), "classes are all drawn"),
    "coefficients of what": (lambda: coefficients(LDA, of="rows"), "of='rows' is one of ['classes', 'discriminants']"),
    "an axis too short": (lambda: coefficients(LDA, axis=[1, 2]), "axis must be 4 finite numbers"),
    "an axis of words": (lambda: coefficients(LDA, axis=["a", "b", "c", "d"]), "axis must be numbers"),
    "interactions": (lambda: curves(Mars(degree=2).fit(X, STEP * X[:, 1]), X), "fit Mars with degree=1"),
    "no term": (lambda: curves(Mars().fit(X, np.ones(60)), X), "no term but the constant"),
    "other responses": (lambda: curves(MARS, X, np.ones((60, 2))), "y has 2 responses, and the model was fitted on 1"),
    "fewer responses": (lambda: curves(MARS, X, np.ones(5)), "inconsistent numbers of samples"),
    "free-standing axes": (lambda: histogram(LDA, X, Y, ax=plt.figure().add_axes((0, 0, 1, 1))), "cannot be divided"),
}
WRONG_TYPES = {
    "features of one word": (lambda: regions(LDA, X, features="principal"), "or one of ['discriminants', 'principal"),
    "ellipses of one word": (lambda: ellipses(LDA, features="principal"), "must be two columns, or 'discriminants'"),
    "features of a number": (lambda: regions(LDA, X, features=3), "must be two columns"),
    "a column by fraction": (lambda: regions(LDA, X, features=(0, 1.5)), "given by name or by number; 1.5 came"),
    "others of a list": (lambda: regions(LDA, X, others=[1, 2]), "must be a dictionary"),
    "axes of text": (lambda: regions(LDA, X, ax="left"), "ax must be matplotlib axes; it is str"),
    "an array of axes": (lambda: regions(LDA, X, ax=plt.subplots(1, 2)[1]), "it is ndarray"),
    "MARS of another kind": (lambda: curves(LDA, X), "LinearDiscriminantAnalysis came"),
}
UNFITTED = {
    "regions": lambda: regions(LinearDiscriminantAnalysis(), X),
    "ellipses": lambda: ellipses(GaussianNB()),
    "histogram": lambda: histogram(LinearDiscriminantAnalysis(), X, Y),
    "map": lambda: territory(LinearDiscriminantAnalysis()),
    "coefficients": lambda: coefficients(LinearDiscriminantAnalysis()),
    "curves": lambda: curves(Mars(), X),
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


@pytest.mark.parametrize(
    ("model", "rows", "message"), [(NAMED_LDA, X, "does not have valid"), (LDA, NAMED, "has feature names, but")]
)
def test_names_on_one_side_only_are_warned_of_once(model, rows, message):
    with pytest.warns(UserWarning, match=message) as caught:
        regions(model, rows, Y, resolution=5)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name="matplotlib")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"^plots need matplotlib: pip install 'distinguo\[plots\]'$"):
        regions(LDA, X)


def test_the_library_imports_without_matplotlib():
    names = ", ".join(name for name in distinguo.__all__ if name.endswith("Display"))
    assert names.count(",") > 5
    code = f"import sys; from distinguo import {names}; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
