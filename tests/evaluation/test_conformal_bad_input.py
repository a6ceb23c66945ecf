"""What prediction sets refuse, and what they say where rows are too few to say anything."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.naive_bayes import GaussianNB as SklearnNB
from sklearn.neighbors import KNeighborsClassifier as SklearnKNN

from distinguo import (
    ComplementNB,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    Perceptron,
    PredictionSets,
    QuadraticDiscriminantAnalysis,
    calibrate_sets,
    set_quality,
)
from distinguo.exceptions import FewRowsWarning, InputError, InputTypeError, MissingCellsError, SingularCovarianceError
from tests.generative.cases import three_classes

X, y = three_classes(n=60)


@pytest.mark.parametrize("alpha", [0, 1, 0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), "0.1", None, True, [0.1], 1j])
def test_alpha_lies_between_0_and_1(alpha: Any) -> None:
    sets = PredictionSets(GaussianNB()).fit(X, y)
    with pytest.raises(InputError, match=r"alpha=.* must be a number between 0 and 1"):
        sets.predict_set(X, alpha)
    with pytest.raises(InputError, match=r"alpha=.* must be a number between 0 and 1"):
        calibrate_sets(GaussianNB().fit(X, y), X, y).predict_set(GaussianNB().fit(X, y), X, alpha)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "jackknife"}, "method='jackknife' is not known; use 'split' or 'cross' or 'leave-one-out'"),
        ({"method": None}, "method=None is not known"),
        ({"conformity": "margin"}, "conformity='margin' is not known; use 'posterior' or 'density'"),
        ({"class_conditional": 1}, "class_conditional=1 must be True or False"),
        ({"method": "split", "cv": 1}, "cv=1 must be at least 2 folds"),
        ({"method": "split", "cv": True}, "cv=True must be a number of folds"),
        ({"method": "split", "cv": 61}, "60 rows cannot be split into 61 parts"),
        ({"cv": 1}, "cv=1 must be at least 2 folds"),
        ({"cv": 61}, "60 rows cannot be split into 61 folds"),
        ({"cv": "five"}, "cv='five' must be a number of folds, a splitter"),
        ({"cv": [(np.arange(60), np.arange(0))]}, "a fold of cv has no rows to learn from, or none to hold out"),
        ({"method": "leave-one-out", "cv": 5}, "cv=5 cannot act with method='leave-one-out'"),
        ({"random_state": "seed"}, "random_state='seed' must be a whole number"),
    ],
)
def test_options(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PredictionSets(GaussianNB(), **options).fit(X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GaussianNB, "must be a classifier.*GaussianNB is a class"),
        (LinearRegression(), "LinearRegression is a regressor"),
        (None, "NoneType is nothing that fits and predicts"),
        ("lda", "str is nothing that fits and predicts"),
    ],
)
def test_what_is_no_classifier(model: Any, message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        PredictionSets(model).fit(X, y)


@pytest.mark.parametrize("model", [LogisticRegression(C=1.0), SklearnNB(), Perceptron(), ComplementNB()])
@pytest.mark.parametrize("method", ["split", "cross", "leave-one-out"])
def test_density_is_asked_of_models_that_have_one(model: Any, method: str) -> None:
    with pytest.raises(InputError, match=rf"density of classes needs .* {type(model).__name__} has none.*GaussianNB"):
        PredictionSets(model, method=method, conformity="density").fit(np.abs(X), y)


@pytest.mark.parametrize("model", [LogisticRegression(C=1.0), SklearnNB(), MixtureDiscriminantAnalysis(subclasses=1)])
@pytest.mark.parametrize("conformity", ["posterior", "density"])
def test_leaving_one_out_is_asked_of_models_that_can(model: Any, conformity: str) -> None:
    if conformity == "density" and not isinstance(model, MixtureDiscriminantAnalysis):
        pytest.skip("it has no density either")
    with pytest.raises(InputError, match=rf"'leave-one-out' needs .* {type(model).__name__} has none.*method='cross'"):
        PredictionSets(model, method="leave-one-out", conformity=conformity).fit(X, y)


def test_a_missing_method_is_explained_in_the_models_own_words() -> None:
    model = LinearDiscriminantAnalysis(covariance="t")
    with pytest.raises(InputError, match=r"has none: .*covariance='t'"):
        PredictionSets(model, method="leave-one-out").fit(X, y)


def test_missing_cells() -> None:
    holed = X.copy()
    holed[4, 1] = np.nan
    with pytest.raises(MissingCellsError, match="row 4"):
        PredictionSets(LogisticRegression(C=1.0)).fit(holed, y)
    with pytest.raises(InputError, match="missing cells or labels were completed at fit"):
        PredictionSets(LinearDiscriminantAnalysis(), method="leave-one-out").fit(holed, y)
    with pytest.raises(MissingCellsError) as error:
        PredictionSets(LogisticRegression(C=1.0), method="split").fit(holed, y)
    assert "with a part of the rows" in error.value.__notes__[0]
    sets = PredictionSets(LogisticRegression(C=1.0)).fit(X, y)
    with pytest.raises(InputError, match="NaN"):
        sets.predict_set(holed, 0.2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "requires y to be passed"),
        (y[:-1], "60 rows and y 59 labels"),
        (np.full(60, "a"), "one class only"),
        ([None, *y[1:].tolist()], "missing label"),
        (np.linspace(0, 1, 60), "measurements"),
        (np.tile(y[:, None], 2), "one column of labels"),
    ],
)
def test_labels(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PredictionSets(GaussianNB()).fit(X, given)


@pytest.mark.parametrize("weight", [np.ones(59), np.full(60, -1.0), np.zeros(60), np.full(60, np.nan)])
def test_weights(weight: Any) -> None:
    with pytest.raises(InputError, match="sample_weight"):
        PredictionSets(GaussianNB()).fit(X, y, sample_weight=weight)


def test_a_classifier_that_takes_no_weights() -> None:
    model = SklearnKNN(3)
    with pytest.raises(InputError, match="KNeighborsClassifier takes no sample_weight"):
        PredictionSets(model).fit(X, y, sample_weight=np.ones(60))
    with pytest.raises(InputError, match="KNeighborsClassifier takes no sample_weight"):
        calibrate_sets(model.fit(X, y), X, y, sample_weight=np.ones(60))


def test_other_columns() -> None:
    sets = PredictionSets(GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features"):
        sets.predict_set(X[:, :2], 0.2)
    with pytest.raises(InputError, match="Expected 2D array"):
        sets.p_values(X[0])


# Few rows


def test_one_row_to_judge_by_rules_nothing_out() -> None:
    sets = PredictionSets(GaussianNB(), method="split", cv=[(np.arange(59), [59])]).fit(X, y)
    assert set(np.unique(sets.p_values(X))) <= {0.5, 1.0}
    with pytest.warns(
        FewRowsWarning, match="at alpha=0.1 every set holds 'a', 'b', 'c': .* takes 9 rows .* there are 1"
    ):
        assert sets.predict_set(X, 0.1).all()
    assert not sets.predict_set(X, 0.6).all()


@pytest.mark.parametrize("method", ["cross", "leave-one-out"])
def test_a_class_of_one_row_is_never_ruled_out_by_its_own(method: str) -> None:
    model = GaussianNB(var_smoothing=0.1)
    more, labels = np.vstack([X, [[9.0, 9.0, 9.0]]]), np.append(y, "z")
    sets = PredictionSets(model, method=method, class_conditional=True).fit(more, labels)
    with pytest.warns(FewRowsWarning, match="every set holds 'z'"):
        held = sets.predict_set(more, 0.1)
    assert held[:, 3].all()
    assert not held[:, :3].all()
    # Among all rows it is one that no model expected, and counts as stranger than any other.
    together = PredictionSets(model, method=method).fit(more, labels)
    assert together.p_values(more[-1:])[0, 3] >= 2 / 62


@pytest.mark.parametrize("seed", range(6))
def test_a_class_of_one_row_on_either_side_of_a_split(seed: int) -> None:
    more, labels = np.vstack([X, [[9.0, 9.0, 9.0]]]), np.append(y, "z")
    model = GaussianNB(var_smoothing=0.1)
    sets = PredictionSets(model, method="split", random_state=seed).fit(more, labels)
    assert sets.classes_.tolist() == ["a", "b", "c", "z"]
    assert sets.predict_proba(more).shape == (61, 4)
    if len(sets.model_.classes_) == 3:
        assert (sets.predict_proba(more)[:, 3] == 0).all()
        np.testing.assert_allclose(sets.p_values(X)[:, 3], 2 / 31)  # with the one row held out that is as strange


def test_a_class_missing_from_the_rows_held_out() -> None:
    test = np.flatnonzero(y != "c")[:30]
    train = np.setdiff1d(np.arange(60), test)
    together = PredictionSets(GaussianNB(), method="split", cv=[(train, test)]).fit(X, y)
    assert (together.p_values(X)[:, 2] < 1).any()  # held against rows of a and b
    apart = PredictionSets(GaussianNB(), method="split", cv=[(train, test)], class_conditional=True).fit(X, y)
    assert (apart.p_values(X)[:, 2] == 1).all()
    with pytest.warns(FewRowsWarning, match="every set holds 'c'"):
        assert apart.predict_set(X, 0.1)[:, 2].all()


def test_a_class_missing_from_the_rows_to_learn_from() -> None:
    train = np.flatnonzero(y != "c")
    test = np.flatnonzero(y == "c")
    for conformity in ("posterior", "density"):
        cv = [(train, np.append(test, train[:10]))]
        sets = PredictionSets(GaussianNB(), method="split", cv=cv, conformity=conformity).fit(X, y)
        # As strange in c as rows of c were: such a class can be held, never told.
        expected = (1 + len(test)) / (1 + len(test) + 10)
        np.testing.assert_allclose(sets.p_values(X)[:, 2], expected)


def test_a_model_that_cannot_spare_a_row_says_which() -> None:
    few, labels = X[:12], np.array(["a", "b"] * 6)
    labels[:] = ["a"] * 4 + ["b"] * 8
    with pytest.raises(SingularCovarianceError, match="with row 0 left out"):
        PredictionSets(QuadraticDiscriminantAnalysis(), method="leave-one-out").fit(few, labels)


# Calibrating a model that is fitted


def test_labels_that_were_not_fitted() -> None:
    model = GaussianNB().fit(X, y)
    with pytest.raises(InputError, match="y has the class 'new', which was not fitted"):
        calibrate_sets(model, X, np.where(y == "a", "new", y))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "split"}, "method='split' is not known; use 'leave-one-out' or 'cross' or 'held-out'"),
        ({"method": "held-out", "cv": 3}, "cv=3 cannot act with method='held-out'"),
        ({"method": "leave-one-out", "cv": 3}, "cv=3 cannot act with method='leave-one-out'"),
        ({"most_rows": 0}, "most_rows=0 must be a whole number of at least 1"),
        ({"conformity": "density", "method": "cross", "cv": 1}, "cv=1 must be at least 2"),
    ],
)
def test_options_of_calibrating(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        calibrate_sets(GaussianNB().fit(X, y), X, y, **options)


def test_what_is_not_fitted() -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        calibrate_sets(GaussianNB(), X, y)
    with pytest.raises(NotFittedError):
        PredictionSets(GaussianNB()).predict_set(X, 0.1)
    with pytest.raises(InputError, match="needs a model with leave_one_out"):
        calibrate_sets(SklearnLogistic().fit(X, y), X, y, method="leave-one-out")


# How good sets are


@pytest.mark.parametrize(
    ("sets", "labels", "error", "message"),
    [
        ([[1, 0], [0, 1]], ["a", "b"], InputTypeError, "sets must be True or False"),
        ([[True], [False]], ["a", "b"], InputError, r"shape \(2, 1\); there must be a column for each of 2 classes"),
        ([True, False], ["a", "b"], InputError, r"sets have shape \(2,\)"),
        ([[True, False]], ["a", "b"], InputError, "1 rows and y 2 labels"),
        (np.empty((0, 2), dtype=bool), [], InputError, "the table is empty"),
        ([[True, False]], [None], InputError, "missing label"),
    ],
)
def test_sets_and_labels(sets: Any, labels: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        set_quality(sets, labels, ["a", "b"])
