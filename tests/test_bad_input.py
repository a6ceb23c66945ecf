"""Bad input: the right answer, or one error that says what was wrong, what came and what to do."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from distinguo import (
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MemorySource,
    QuadraticDiscriminantAnalysis,
    pseudo_rows,
)
from distinguo.catalogue import CATALOGUE
from distinguo.exceptions import DistinguoError, InputError, InputTypeError
from tests.generative.cases import three_classes

LDA, QDA, NB = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB
FDA = FlexibleDiscriminantAnalysis
MODELS = [LDA(), QDA(), NB()]
every_model = pytest.mark.parametrize("model", MODELS, ids=["lda", "qda", "nb"])
X, Y = three_classes()
FRAME = pd.DataFrame(X, columns=["u", "v", "w"])


def with_cell(value: Any, kind: Any = float) -> Any:
    rows = X.astype(kind)
    rows[3, 1] = value
    return rows


# name: (X, y, sample_weight, message); the same must hold whichever model is fitted.
FITS: dict[str, tuple[Any, Any, Any, str]] = {
    "empty table": (X[:0], Y[:0], None, "table is empty"),
    "empty lists": ([], [], None, "Expected 2D array|table is empty"),
    "empty frame": (FRAME[:0], Y[:0], None, "table is empty"),
    "no columns": (X[:, :0], Y, None, "0 feature"),
    "one class": (X, ["only"] * 60, None, "one class only \\('only'\\).*partial_fit"),
    "one row": (X[:1], Y[:1], None, "one class only"),
    "one class that counts": (X, Y, (Y == "a") * 1.0, "one class only"),
    "no labels": (X, None, None, "y is None; give one label a row"),
    "too few labels": (X, Y[:5], None, "X has 60 rows and y 5 labels"),
    "too many labels": (X[:5], Y, None, "X has 5 rows and y 60 labels"),
    "missing label": (X, [None, *Y[1:]], None, "missing label.*Leave those rows out"),
    "missing label among numbers": (X, [np.nan] + [1.0] * 59, None, "missing label"),
    "measurements as labels": (X, np.linspace(0, 1, 60), None, "cut them into classes"),
    "truth and numbers as labels": (X, [True, 2] * 30, None, "True equals 1"),
    "labels in two columns": (X, np.column_stack([Y, Y]), None, "y must be one column of labels"),
    "infinity": (with_cell(np.inf), Y, None, r"infinity \(row 3, column 1\). Replace it"),
    "minus infinity in a frame": (pd.DataFrame(with_cell(-np.inf)), Y, None, r"infinity \(row 3, column 1\)"),
    "infinity in float32": (with_cell(np.inf, np.float32), Y, None, r"infinity \(row 3, column 1\)"),
    "text where numbers were": (with_cell("low", object), Y, None, "not a number"),
    "complex": (X + 1j, Y, None, "Complex data not supported"),
    "one dimension": (X[:, 0], Y, None, r"X.reshape\(-1, 1\)"),
    "three dimensions": (X[:, :, None], Y, None, "must have two dimensions"),
    "ragged": ([[1.0, 2.0], [3.0]], ["a", "b"], None, "rows differ in length"),
    "a sentence": ("rows.csv", Y, None, "X must be rows of numbers; it is str"),
    "negative weight": (X, Y, -np.ones(60), "negative in row 0"),
    "NaN weight": (X, Y, [np.nan] * 60, "sample_weight contains NaN"),
    "infinite weight": (X, Y, [np.inf] * 60, "sample_weight contains NaN or infinity"),
    "weights beyond any count": (X, Y, [1e300] * 60, "sample_weight is 1e[+]300 in row 0"),
    "weights all zero": (X, Y, np.zeros(60), "every sample_weight is zero"),
    "too few weights": (X, Y, np.ones(5), r"expected \(60,\)"),
    "text for weights": (X, Y, ["one"] * 60, "sample_weight must be numbers"),
    "a source with labels": (MemorySource(X, Y), Y, None, "brings its own labels"),
    "a source with weights": (MemorySource(X, Y), None, np.ones(60), "brings its own labels"),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@every_model
@pytest.mark.parametrize(("rows", "labels", "weight", "message"), list(FITS.values()), ids=list(FITS))
def test_fit(model: Any, rows: Any, labels: Any, weight: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message) as error:
        clone(model).fit(rows, labels, sample_weight=weight)
    assert 20 < len(str(error.value)) < 400
    if "one class" in message or "y has" in message:
        return
    learner = clone(model).fit(X, Y)
    with pytest.raises(DistinguoError):
        learner.partial_fit(rows, labels, sample_weight=weight)
    with pytest.raises(DistinguoError):
        learner.forget(rows, labels, sample_weight=weight)
    assert np.array_equal(learner.predict_proba(X), clone(model).fit(X, Y).predict_proba(X))


@pytest.mark.parametrize("model", [FDA(regression="linear")], ids=["fda"])
def test_holes_where_none_are_taken(model: Any) -> None:
    holed = with_cell(np.nan)
    fitted, named = clone(model).fit(X, Y), clone(model).fit(FRAME, Y)
    for use, rows, where in (
        (lambda rows: clone(model).fit(rows, Y), holed, "column 1"),
        (lambda rows: clone(model).fit(rows, Y), pd.DataFrame(holed, columns=["u", "v", "w"]), "column 'v'"),
        (lambda rows: clone(model).fit(MemorySource(rows, Y)), holed, "column 1"),
        (fitted.predict, holed, "column 1"),
        (fitted.score_samples, holed, "column 1"),
        (named.typicality, pl.DataFrame(holed, schema=["u", "v", "w"]), "column 'v'"),
    ):
        with pytest.raises(InputError, match=rf"X contains NaN \(row 3, {where}\).*such as .*GaussianNB") as error:
            use(rows)
        assert "Fill the holes, leave those rows out" in str(error.value)


@pytest.mark.parametrize("model", [LDA(), QDA()], ids=["lda", "qda"])
def test_holes_where_rows_come_a_part_at_a_time(model: Any) -> None:
    fitted, holed = clone(model).fit(X, Y), with_cell(np.nan)
    for use in (fitted.partial_fit, fitted.leave_one_out, fitted.forget):
        with pytest.raises(InputError, match=r"X contains NaN \(row 3, column 1\).*give all of them to fit"):
            use(holed, Y)


@pytest.mark.parametrize("model", [LDA(), QDA()], ids=["lda", "qda"])
def test_weights_too_small_for_the_unbiased_divisor(model: Any) -> None:
    shares = np.full(60, 1 / 60)
    with pytest.raises(InputError, match=r"total weight of .* too small for the unbiased divisor.*divisor='mle'"):
        clone(model).fit(X, Y, sample_weight=shares)
    maximum = clone(model).set_params(divisor="mle")
    np.testing.assert_allclose(
        maximum.fit(X, Y, sample_weight=shares).predict_proba(X), maximum.fit(X, Y).predict_proba(X), atol=1e-10
    )


METHODS = [
    "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "class_log_density",
    "typicality", "transform",
]  # fmt: skip
# name: (X, message) at predict, for a model that was fitted on three named columns.
ROWS: dict[str, tuple[Any, str]] = {
    "empty": (FRAME[:0], "table is empty"),
    "too few columns": (FRAME[["u", "v"]], "yet now missing:\n- w"),
    "too many columns": (FRAME.assign(x=1.0), "unseen at fit time:\n- x"),
    "another order": (FRAME[["w", "u", "v"]], "same order"),
    "another name": (FRAME.rename(columns={"w": "W"}), "unseen at fit time:\n- W\n.*missing:\n- w"),
    "polars in another order": (pl.DataFrame(X[:, ::-1], schema=["w", "v", "u"]), "same order"),
    "text": (FRAME.assign(v="low"), "not numbers: 'v'|not a number"),
    "infinity": (FRAME.assign(v=np.inf), r"infinity \(row 0, column 'v'\)"),
    "complex": (FRAME.assign(v=1j), "not numbers: 'v'"),
    "a series": (FRAME["u"], "got 1D array"),
    "nothing": (None, "X must be rows of numbers"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("rows", "message"), list(ROWS.values()), ids=list(ROWS))
def test_predict(method: str, rows: Any, message: str) -> None:
    for model in MODELS:
        fitted = clone(model).fit(FRAME, Y)
        if hasattr(fitted, method):
            with pytest.raises((InputError, InputTypeError), match=f"(?s){message}"):
                getattr(fitted, method)(rows)


@every_model
def test_predict_without_names(model: Any) -> None:
    fitted = clone(model).fit(X, Y)
    for rows, message in (
        (X[:, :2], f"X has 2 features, but {type(model).__name__} is expecting 3 features as input"),
        (X[0], r"X.reshape\(1, -1\)"),
        (X[None], "must have two dimensions"),
        (with_cell(np.inf), r"infinity \(row 3, column 1\)"),
        (with_cell("low", object), "not a number"),
        ([["a", "b", "c"]], "a feature is a number"),
    ):
        for method in METHODS:
            if hasattr(fitted, method):
                with pytest.raises(InputError, match=message):
                    getattr(fitted, method)(rows)
        with pytest.raises(InputError):
            fitted.leave_one_out(rows, Y[: len(rows)])
        with pytest.raises(InputError):
            fitted.partial_fit(rows, Y[: len(rows)])


@every_model
def test_one_row_is_enough_to_predict(model: Any) -> None:
    fitted = clone(model).fit(X, Y)
    whole = fitted.predict_proba(X)
    for i in (0, 59):
        np.testing.assert_allclose(fitted.predict_proba(X[i : i + 1])[0], whole[i], rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(fitted.predict_proba([X[i].tolist()])[0], whole[i], rtol=1e-12, atol=1e-300)
    assert fitted.predict(X[:1]).shape == (1,)


ATTRIBUTES = ["classes_", "priors_", "means_", "n_parameters_"]


def _has(entry: Any, method: str) -> bool:
    """Whether a method is there once the model is fitted; properties that are not there for hasattr say why."""
    return entry.probabilities or method not in {"predict_proba", "predict_log_proba"}


@pytest.mark.parametrize("entry", CATALOGUE, ids=[entry.name for entry in CATALOGUE])
def test_nothing_can_be_asked_before_fit(entry: Any) -> None:
    uses: dict[str, Callable[[Any], Any]] = {
        **{method: lambda model, method=method: getattr(model, method)(X) for method in METHODS if _has(entry, method)},
        "with_priors": lambda model: model.with_priors("uniform"),
        "sample": lambda model: model.sample(),
        "leave_one_out": lambda model: model.leave_one_out(X, Y),
        "forget": lambda model: model.forget(X, Y),
        **{name: lambda model, name=name: getattr(model, name) for name in ATTRIBUTES},
    }
    if entry.directions:
        names = ("coef_", "intercept_", "scalings_", "explained_variance_ratio_")
        uses.update({name: lambda model, name=name: getattr(model, name) for name in names})
        uses["get_feature_names_out"] = lambda model: model.get_feature_names_out()
    model = entry.make()
    for name, use in uses.items():
        # Properties that raise are not there for hasattr; methods that an option takes away are not there at all.
        if isinstance(getattr(type(model), name, None), property) or hasattr(model, name):
            with pytest.raises(NotFittedError, match="not fitted yet"):
                use(model)


@every_model
def test_learning_in_parts(model: Any) -> None:
    fitted = clone(model).fit(X, Y)
    for rows, labels, message in (
        (np.vstack([X, X[:1]]), np.append(Y, "a"), "cannot forget more rows of class 'a'"),
        (X[:1], ["z"], r"cannot forget more rows of class 'z' \(1\) than were learned \(0\)"),
        (X[:3] + 1e5, Y[:3], "not learned"),
        (X[:, :2], Y, "3 columns and of 2 columns|2 columns and of 3 columns"),
        (X, Y, "nothing would be left"),
    ):
        with pytest.raises(InputError, match=message):
            fitted.forget(rows, labels)
    with pytest.raises(InputError, match="missing label"):
        clone(model).partial_fit(X, Y, classes=["a", "b", None])
    with pytest.raises(InputError, match="one column of labels"):
        clone(model).partial_fit(X, Y, classes="abc")
    assert np.array_equal(fitted.predict_proba(X), clone(model).fit(X, Y).predict_proba(X))
    with pytest.raises(InputError, match="True equals 1"):
        clone(model).partial_fit(X, (Y == "a") * 1).partial_fit(X, Y == "a")


@every_model
@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None, True, np.nan])
def test_sample(model: Any, n: Any) -> None:
    with pytest.raises(InputError, match="n must be a whole number of at least 1; it is"):
        clone(model).fit(X, Y).sample(n)


@every_model
@pytest.mark.parametrize("seed", ["seed", -1, 1.5, [1.5]])
def test_sample_with_a_seed_that_is_none(model: Any, seed: Any) -> None:
    with pytest.raises((InputError, InputTypeError), match="random_state"):
        clone(model).fit(X, Y).sample(3, random_state=seed)


@pytest.mark.parametrize("value", [-1e-9, np.nan, np.inf, "much", None, True, [0.1]])
def test_smoothing(value: Any) -> None:
    with pytest.raises(InputError, match=r"var_smoothing=.*must be a number of at least 0"):
        NB(var_smoothing=value).fit(X, Y)


@pytest.mark.parametrize("value", ["yes", None, 2, [True]])
def test_shared_variance(value: Any) -> None:
    with pytest.raises(InputError, match=r"shared_variance=.*must be True or False"):
        NB(shared_variance=value).fit(X, Y)


@pytest.mark.parametrize("model", [LDA, QDA])
@pytest.mark.parametrize("divisor", ["n", None, 1, True, ["mle"]])
def test_divisor(model: Any, divisor: Any) -> None:
    with pytest.raises(InputError, match=r"divisor=.*is not known; use 'unbiased' or 'mle'"):
        model(divisor=divisor).fit(X, Y)


@every_model
def test_a_thousand_classes(model: Any) -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(4000) % 1000
    rows = labels[:, None] + rng.normal(size=(4000, 1)) / 100
    fitted = clone(model).fit(rows, labels)
    assert (fitted.predict(rows) == labels).mean() > 0.99
    assert fitted.leave_one_out(rows[:5], labels[:5]).shape == (5, 1000)
    np.testing.assert_allclose(fitted.predict_proba(rows[:50]).sum(axis=1), 1)


def test_mixed_labels_are_labels() -> None:
    labels = np.where(Y == "a", "a", Y).astype(object)
    labels[Y == "b"] = 7
    for model in MODELS:
        fitted = clone(model).fit(X, labels)
        assert fitted.classes_.tolist() == [7, "a", "c"]
        assert set(fitted.predict(X)) == {7, "a", "c"}
    truth = NB().fit(X, Y == "a")
    assert truth.predict(X).dtype == bool


@every_model
def test_nothing_warns_on_good_rows(model: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = clone(model).fit(X, Y).partial_fit(X, Y).forget(X, Y)
        for method in METHODS:
            if hasattr(fitted, method) and method != "predict":
                assert np.isfinite(getattr(fitted, method)(X)).all()
        assert np.isfinite(fitted.leave_one_out(X, Y)).all()
        assert set(fitted.predict(X)) == {"a", "b", "c"}


def test_prior_knowledge_of_other_columns() -> None:
    prior = pseudo_rows({"a": np.zeros(3)}, np.eye(3), 1.0, feature_names=["u", "v", "z"])
    for model in MODELS:
        with pytest.raises(InputError, match="lack the columns 'w'"):
            clone(model).set_params(prior=prior).fit(FRAME, Y)
