"""A model that is written down says what it says in Python."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    MultinomialNB,
    Perceptron,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from distinguo.catalogue import CATALOGUE, find
from distinguo.exceptions import ImpossibleRowWarning
from tests.export.engines import Engine, by_duckdb, by_onnx

pytestmark = [
    pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning"),
    pytest.mark.filterwarnings("ignore::distinguo.exceptions.ZeroProbabilityWarning"),
    pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning"),
    pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning"),
]
TOLERANCE = 1e-9
UNWRITTEN = {"fda", "mda", "knn"}
WRITTEN = [entry for entry in CATALOGUE if entry.name not in UNWRITTEN]
ON_COUNTS = {"multinomial-nb", "bernoulli-nb", "complement-nb", "poisson-nb", "categorical-nb"}


def assert_agrees(engine: Engine, model: Any, rows: pd.DataFrame) -> None:
    """Raise unless labels are the same, and numbers to 1e-9, absolutely or of the greatest."""
    labels, numbers = engine(model, rows)
    if hasattr(model, "predict_proba"):
        expected = model.predict_proba(rows)
    else:
        expected = model.decision_function(rows).reshape(len(rows), -1)
    np.testing.assert_allclose(numbers, expected, rtol=0, atol=TOLERANCE * max(1.0, np.abs(expected).max()))
    ordered = np.sort(expected, axis=1)
    # Of two that are as high but for rounding, rounding chooses; ties proper have a test of their own.
    sure = np.abs(ordered[:, -1] - ordered[:, -2] if ordered.shape[1] > 1 else ordered[:, 0]) > TOLERANCE
    predicted = model.predict(rows).tolist()
    assert [labels[i] for i in np.flatnonzero(sure)] == [predicted[i] for i in np.flatnonzero(sure)]


def measurements(K: int, seed: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Rows of correlated columns far from the origin and of unlike units, and their classes."""
    rng = np.random.default_rng(seed)
    codes = np.arange(40 * K) % K
    rows = rng.normal(size=(40 * K, 3)) @ rng.normal(size=(3, 3)) + 2 * rng.normal(size=(K, 3))[codes]
    names = ["width", 'the "length"', "weight, kg"]
    return pd.DataFrame(rows * [1.0, 1e-3, 1e3] + [0, 5, 1e5], columns=names), np.array(["it's", "b", "ö", "d"])[codes]


def far(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows, and others up to a thousand times as far from the middle."""
    middle = rows.mean()
    return pd.concat([rows, *(middle + (rows - middle) * by for by in (-10.0, 1000.0))], ignore_index=True)


def counts(K: int, seed: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Rows of counts and their classes, numbers."""
    rng = np.random.default_rng(seed)
    codes = np.arange(30 * K) % K
    rows = rng.poisson(rng.gamma(1.0, 2.0, size=(K, 6))[codes])
    return pd.DataFrame(rows.astype(np.float64), columns=[f"word {j}" for j in range(6)]), codes * 10 - 10


def mixed(K: int, seed: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Rows of words, numbers, numbered categories and truth values, and their classes, truth values where two."""
    rng = np.random.default_rng(seed)
    n = 40 * K
    codes = np.arange(n) % K
    rows = pd.DataFrame(
        {
            "colour": np.array(["red", "it's", "blue;"], dtype=object)[(codes + rng.integers(0, 2, n)) % 3],
            "size": rng.normal(size=n) + codes,
            "grade": ((codes + rng.integers(0, 3, n)) % 4).astype(np.float64) * 2.5,
            "there": rng.random(n) < 0.2 + 0.2 * codes,
            "label": rng.poisson(1 + codes).astype(np.float64),
        }
    )
    return rows, codes == 1 if K == 2 else codes


def with_holes(rows: pd.DataFrame, seed: int = 1) -> pd.DataFrame:
    """The same with a third of the cells missing, in columns that can hold that, and all of one row."""
    rng = np.random.default_rng(seed)
    holed = rows.copy()
    for name in [name for name in rows.columns if rows[name].dtype.kind != "b"]:
        gone = rng.random(len(rows)) < 1 / 3
        gone[0] = True
        holed.loc[gone, name] = np.nan if rows[name].dtype.kind == "f" else None
    return holed


ROLES = {"grade": "category", "label": "count"}


@cache
def fitted(name: str, K: int) -> Any:
    """A model of the catalogue, fitted once for all engines."""
    return find(name).make().fit(*(counts(K) if name in ON_COUNTS else measurements(K)))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("entry", WRITTEN, ids=[entry.name for entry in WRITTEN])
def test_every_model_that_can_be_written_down_agrees(entry: Any, K: int, engine: Engine) -> None:
    rows, _ = counts(K) if entry.name in ON_COUNTS else measurements(K)
    model = fitted(entry.name, K)
    asked = pd.concat([rows, rows * 100.0], ignore_index=True) if entry.name in ON_COUNTS else far(rows)
    assert_agrees(engine, model, asked)


def test_the_others_are_told_apart() -> None:
    assert {entry.name for entry in CATALOGUE} >= UNWRITTEN


GAUSSIANS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda-one-direction": LinearDiscriminantAnalysis(n_components=1),
    "lda-predictive": LinearDiscriminantAnalysis(density="predictive"),
    "lda-debiased": LinearDiscriminantAnalysis(density="debiased"),
    "qda": QuadraticDiscriminantAnalysis(),
    "qda-predictive": QuadraticDiscriminantAnalysis(density="predictive"),
    "qda-debiased": QuadraticDiscriminantAnalysis(density="debiased"),
    "qda-t": QuadraticDiscriminantAnalysis(covariance="t"),
    "rda": RegularizedDiscriminantAnalysis(pooling=0.3, shrinkage=0.1),
    "rda-pooled": RegularizedDiscriminantAnalysis(pooling=1.0, shrinkage=0.1),
    "gaussian-nb": GaussianNB(shared_variance=True),
}


@pytest.mark.parametrize("name", GAUSSIANS)
def test_densities_of_every_kind_agree_at_other_priors(name: str, engine: Engine) -> None:
    rows, y = measurements(4)
    model = GAUSSIANS[name].fit(rows, y)
    assert_agrees(engine, model, far(rows))
    for priors in ({"it's": 0.9, "b": 0.05, "ö": 0.05, "d": 0.0}, [1e-12, 0.5, 0.25, 0.25]):
        assert_agrees(engine, model.with_priors(priors), far(rows))


def test_columns_that_take_no_part_are_left_out(engine: Engine) -> None:
    rows, y = measurements(3)
    rows = rows.assign(constant=1.0, twice=rows["width"] * 2)
    for model in (
        LinearDiscriminantAnalysis(),
        LogisticRegression(),
        RegularizedDiscriminantAnalysis(pooling=1.0, shrinkage=0.0),
    ):
        assert_agrees(engine, model.fit(rows, y), rows)


NAIVE = [MultinomialNB(), BernoulliNB(binarize=1.0), ComplementNB(), ComplementNB(norm=True), PoissonNB()]


@pytest.mark.parametrize("model", [*NAIVE, GaussianNB()], ids=lambda model: type(model).__name__)
def test_missing_counts_are_skipped(model: Any, engine: Engine) -> None:
    rows, y = counts(3)
    assert_agrees(engine, model.fit(rows, y), with_holes(rows))
    assert_agrees(engine, model.fit(with_holes(rows), y), with_holes(rows))


@pytest.mark.parametrize("model", [type(model)(alpha=0.0) for model in NAIVE if not getattr(model, "norm", False)])
def test_what_is_impossible_in_a_class_is_so_everywhere(model: Any, engine: Engine) -> None:
    rows = pd.DataFrame(
        np.array([[3.0, 0, 1, 0], [1, 0, 2, 1], [0, 2, 1, 1], [0, 1, 3, 0], [2, 1, 1, 1]]), columns=list("abcd")
    )
    model.fit(rows, ["x", "x", "y", "y", "z"])
    assert_agrees(engine, model, rows)
    assert_agrees(engine, model.with_priors({"x": 0.6, "y": 0.4, "z": 0.0}), rows[:4])


@pytest.mark.parametrize("model", [BernoulliNB(alpha=0.0), PoissonNB(alpha=0.0), CategoricalNB(alpha=0.0)])
@pytest.mark.parametrize("labels", ["xy", "xyz"])
def test_rows_that_no_class_can_have_get_the_priors(model: Any, labels: str, engine: Engine) -> None:
    rows = pd.DataFrame(np.eye(len(labels)), columns=list("abc")[: len(labels)])
    model.fit(rows, list(labels))
    strange = pd.DataFrame(np.ones((1, len(labels))), columns=rows.columns)
    for use in (model, model.with_priors([0.7, *[0.3 / (len(labels) - 1)] * (len(labels) - 1)])):
        with pytest.warns(ImpossibleRowWarning):
            assert_agrees(engine, use, strange)


@pytest.mark.parametrize("K", [2, 3])
def test_columns_of_several_kinds_agree(K: int, engine: Engine) -> None:
    rows, y = mixed(K)
    model = MixedNB(roles=ROLES).fit(rows, y)
    new = rows[:20].assign(colour="new", grade=7.0)
    asked = pd.concat([rows, new], ignore_index=True)
    assert_agrees(engine, model, asked)
    assert_agrees(engine, model, with_holes(asked))
    words = ["colour", "grade"]
    assert_agrees(engine, CategoricalNB(alpha=0.0).fit(rows[words], y), with_holes(rows[words]))
    assert_agrees(engine, CategoricalNB().fit(rows[["colour"]], y), with_holes(asked[["colour"]]))


def test_a_declared_class_without_rows_is_never_chosen(engine: Engine) -> None:
    rows, y = measurements(2)
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()):
        model.partial_fit(rows, y, classes=["a", "b", "it's"])
        assert_agrees(engine, model, far(rows))
        assert_agrees(engine, model.with_priors([0.5, 0.25, 0.25]), far(rows))


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
@pytest.mark.parametrize(("labels", "chosen"), [([1, 2], 2), ([1, 2, 3], 1)])
def test_ties_go_as_in_python(model: Any, labels: list[int], chosen: int, engine: Engine) -> None:
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    rows = pd.DataFrame(np.tile(square, (len(labels), 1)), columns=["a", "b"])
    model.fit(rows, np.repeat(labels, 4))
    predicted, posteriors = engine(model, rows[:4])
    assert predicted == [chosen] * 4 == model.predict(rows[:4]).tolist()
    np.testing.assert_allclose(posteriors, 1 / len(labels))


@pytest.mark.parametrize("labels", [[0.0, 2.0], [-7, 2**40], [False, True], ["", "'); DROP TABLE x; --"]])
def test_labels_come_back_as_they_were(labels: list[Any], engine: Engine) -> None:
    rows, y = measurements(2)
    model = LinearDiscriminantAnalysis().fit(rows, np.array(labels, dtype=type(labels[0]))[(y == "b").astype(int)])
    predicted, _ = engine(model, rows)
    assert predicted == model.predict(rows).tolist()
    assert {type(label) for label in predicted} == {type(labels[0])}


@pytest.mark.parametrize("model", [LeastSquaresClassifier(), Perceptron()], ids=["least-squares", "perceptron"])
def test_models_without_posteriors_give_their_scores(model: Any, engine: Engine) -> None:
    for K, width in ((2, 1), (3, 3)):
        rows, y = measurements(K)
        _, scores = engine(model.fit(rows, y), rows)
        assert scores.shape == (len(rows), width)
        np.testing.assert_allclose(
            scores, model.decision_function(rows).reshape(len(rows), width), rtol=1e-9, atol=1e-9 * np.abs(scores).max()
        )


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), K=st.integers(2, 5), p=st.integers(1, 6), spread=st.floats(1e-6, 1e6))
@pytest.mark.parametrize("run", [by_duckdb, by_onnx], ids=["duckdb", "onnx"])
def test_law_rows_of_any_size_and_unit_agree(run: Engine, seed: int, K: int, p: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(K * (p + 5)) % K
    values = spread * (rng.normal(size=(len(y), p)) @ rng.normal(size=(p, p)) + rng.normal(size=(K, p))[y])
    rows = pd.DataFrame(values, columns=[f"x{j}" for j in range(p)])
    priors = rng.dirichlet(np.ones(K))
    for model in (
        LinearDiscriminantAnalysis(priors),
        RegularizedDiscriminantAnalysis(priors, pooling=0.1, shrinkage=0.1),
        GaussianNB(priors),
    ):
        assert_agrees(run, model.fit(rows, y), far(rows))
