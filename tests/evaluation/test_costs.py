"""Decisions that cost least, whatever way costs are written, and nothing decided where that is cheaper."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from distinguo import Costs, CostSensitive, LinearDiscriminantAnalysis, decide
from distinguo.exceptions import InputError, InputTypeError

CLASSES = ["well", "flu", "plague"]
# To decide (columns) where it is (rows): an overlooked plague is the dearest.
MATRIX = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 4.0], [100.0, 80.0, 0.0]])
BY_NAME = {
    "plague": {"well": 100, "flu": 80},
    "well": {"plague": 5, "flu": 1},
    "flu": {"plague": 4, "well": 2, "flu": 0},
}


@st.composite
def probabilities(draw: st.DrawFn, rows: int = 4) -> np.ndarray:
    classes = draw(st.integers(2, 6))
    cells = st.lists(st.floats(1e-6, 1), min_size=classes, max_size=classes)
    p = np.array(draw(st.lists(cells, min_size=1, max_size=rows)))
    return p / p.sum(axis=1, keepdims=True)


@given(probabilities())
def test_costs_of_zero_and_one_decide_for_the_most_probable_class(p: np.ndarray) -> None:
    K = p.shape[1]
    decided = decide(p, 1 - np.eye(K))
    assert (p[np.arange(len(p)), decided] == p.max(axis=1)).all()
    ties = (p == p.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert (decided == p.argmax(axis=1))[~ties].all()


def test_ties_are_decided_as_everywhere_in_the_library() -> None:
    assert decide([[0.5, 0.5]], 1 - np.eye(2)).tolist() == [1]
    assert decide([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]], 1 - np.eye(3)).tolist() == [0, 1]


@given(probabilities(), st.data())
def test_no_other_decision_costs_less(p: np.ndarray, data: st.DataObject) -> None:
    K = p.shape[1]
    cells = data.draw(st.lists(st.floats(0, 50), min_size=K * K, max_size=K * K))
    matrix = np.array(cells).reshape(K, K)
    matrix[0, 0], matrix[0, 1] = 0.0, 1.0  # some decision matters
    decided = decide(p, matrix)
    risk = np.array([[sum(row[i] * matrix[i, j] for i in range(K)) for j in range(K)] for row in p])
    assert (risk[np.arange(len(p)), decided] <= risk.min(axis=1) + 1e-9).all()
    np.testing.assert_allclose(Costs(matrix, np.arange(K)).risk(p), risk, atol=1e-9)


@given(probabilities(), st.floats(0, 1))
def test_rejection_is_chows_rule(p: np.ndarray, cost: float) -> None:
    # Chow (1970): with costs of 0 and 1 a row is rejected where the greatest probability is below one less the cost.
    K = p.shape[1]
    near = np.abs(p.max(axis=1) - (1 - cost)) < 1e-9
    rejected = np.array([label is None for label in decide(p, 1 - np.eye(K), reject=cost)])
    assert (rejected == (p.max(axis=1) < 1 - cost))[~near].all()


def test_dearer_rejection_rejects_less() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(3), 300)
    costs = Costs(MATRIX, CLASSES)
    rejected = [set(np.flatnonzero(costs.codes(p, reject) < 0)) for reject in (0.0, 0.5, 1.0, 2.0, 100.0)]
    assert all(more >= fewer for more, fewer in pairwise(rejected))
    assert len(rejected[0]) == 300
    assert not rejected[-1]


def frame(kind: str) -> object:
    order = ["plague", "well", "flu"]
    cells = {name: MATRIX[np.ix_([2, 0, 1], [CLASSES.index(name)])].ravel() for name in ("flu", "plague", "well")}
    if kind == "pandas, by index":
        return pd.DataFrame(cells, index=order)
    table = {"true class": order, **cells}
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": lambda t: pl.DataFrame(t).to_arrow()}[kind](
        table
    )


@pytest.mark.parametrize("kind", ["pandas, by index", "pandas", "polars", "pyarrow"])
def test_tables_have_their_classes_in_any_order(kind: str) -> None:
    costs = Costs.of(frame(kind), CLASSES)
    assert costs.matrix.tolist() == MATRIX.tolist()
    assert costs.classes.tolist() == CLASSES


def test_dictionaries_have_their_classes_in_any_order() -> None:
    assert Costs.of(BY_NAME, CLASSES).matrix.tolist() == MATRIX.tolist()
    own = Costs.of(BY_NAME)
    assert own.classes.tolist() == ["plague", "well", "flu"]
    assert own.among(CLASSES).matrix.tolist() == MATRIX.tolist()
    assert Costs.of(own, CLASSES).matrix.tolist() == MATRIX.tolist()


@given(st.permutations(range(3)))
def test_the_order_of_classes_does_not_matter(order: list[int]) -> None:
    p = np.random.default_rng(1).dirichlet(np.ones(3), 50)
    mixed = Costs(MATRIX[np.ix_(order, order)], [CLASSES[k] for k in order])
    assert decide(p, mixed, classes=CLASSES).tolist() == decide(p, Costs(MATRIX, CLASSES)).tolist()
    assert decide(p[:, order], mixed).tolist() == decide(p, Costs(MATRIX, CLASSES)).tolist()


def test_classes_of_other_types_are_known_by_their_text() -> None:
    assert Costs.of({"2": {"1": 7}, "1": {"2": 3}}, np.array([1, 2])).matrix.tolist() == [[0, 3], [7, 0]]
    table = pl.DataFrame({"": [2, 1], "1": [7, 0], "2": [0, 3]})
    assert Costs.of(table, np.array([1, 2])).matrix.tolist() == [[0, 3], [7, 0]]


def test_a_threshold_for_two_classes() -> None:
    # Elkan (2001), equation 2: p* = (c10 - c00) / (c10 - c00 + c01 - c11), with c(decision, truth).
    costs = Costs([[1, 4], [21, 3]], ["well", "ill"])
    assert costs.threshold == (4 - 1) / (4 - 1 + 21 - 3)
    p = np.linspace(0, 1, 101)
    decided = costs.decide(np.column_stack([1 - p, p]))
    assert (decided == np.where(p >= costs.threshold, "ill", "well")).all()
    with pytest.raises(InputError, match="a threshold is for two classes; these costs have 3"):
        Costs(MATRIX, CLASSES).threshold  # noqa: B018
    with pytest.raises(InputError, match="a right decision costs more than a wrong one"):
        Costs([[5, 1], [1, 0]], ["a", "b"]).threshold  # noqa: B018


def test_costs_print_as_a_table() -> None:
    lines = str(Costs(MATRIX, CLASSES)).splitlines()
    assert lines[0].split("  ") == ["true class", "decide 'well'", "decide 'flu'", "decide 'plague'"]
    assert lines[3].split() == ["'plague'", "100", "80", "0"]
    assert len({len(line) for line in lines}) == 1


SQUARE = Costs(MATRIX, CLASSES)
BAD = [
    (lambda: Costs([[0, 1]], ["a", "b"]), r"shape \(1, 2\), expected \(2, 2\).*in the order 'a', 'b'"),
    (lambda: Costs(np.zeros((2, 3)), ["a", "b"]), r"shape \(2, 3\), expected \(2, 2\)"),
    (lambda: Costs([0, 1], ["a", "b"]), r"shape \(2,\)"),
    (lambda: Costs([[0, -1], [1, 0]], ["a", "b"]), "to decide 'b' where 'a' is true costs -1"),
    (lambda: Costs([[0, 1], [np.nan, 0]], ["a", "b"]), "to decide 'a' where 'b' is true costs nan"),
    (lambda: Costs([[0, np.inf], [1, 0]], ["a", "b"]), "costs inf"),
    (lambda: Costs([["x", 1], [1, 0]], ["a", "b"]), "costs must be numbers"),
    (lambda: Costs([[1, 1], [2, 2]], ["a", "b"]), "the same for every decision"),
    (lambda: Costs([[0, 1], [1, 0]], ["a", "a"]), "a label twice: 'a', 'a'"),
    (lambda: Costs.of({"a": {"b": 1}, "c": {"a": 1}}, ["a", "b"]), "names 'c', which is no class"),
    (lambda: Costs.of({"a": {"c": 1}, "b": {"a": 1}}, ["a", "b"]), "names 'c', which is no class"),
    (lambda: Costs.of({"a": {"b": 1}}, ["a", "b"]), "does not name the class 'b'"),
    (lambda: Costs.of({"a": {"b": 1, "c": 1}, "b": {"a": 1}, "c": {"a": 1}}, list("abc")), "no number.*'c' where 'b'"),
    (lambda: Costs.of({"a": 1, "b": {"a": 1}}, ["a", "b"]), r"costs\['a'\] must be"),
    (lambda: Costs.of(pl.DataFrame({"": ["a", "a"], "a": [0, 1], "b": [1, 0]}), ["a", "b"]), "has 'a' twice"),
    (lambda: Costs.of(pl.DataFrame({"": ["a", "b"], "a": [0, None], "b": [1, 0]}), ["a", "b"]), "no number.*'a' where"),
    (lambda: Costs.of([1, 2], ["a", "b"]), r"shape \(2,\)"),
    (lambda: Costs.of(pl.Series([1, 2]), ["a", "b"]), r"shape \(2,\)"),
    (lambda: Costs.of(pd.Series([1, 2]), ["a", "b"]), r"shape \(2,\)"),
    (lambda: Costs.of(None), "say of which classes"),
    (lambda: SQUARE.among(["well", "flu"]), "names 'plague', which is no class"),
    (lambda: SQUARE.among([*CLASSES, "cold"]), "does not name the class 'cold'"),
    (lambda: decide([[0.5, 0.5]], SQUARE), r"shape \(1, 2\), expected \(n, 3\)"),
    (lambda: decide([[0.5, 0.6, 0.1]], SQUARE), "row 0 sum to 1.2"),
    (lambda: decide([[1.5, -0.5, 0.0]], SQUARE), "row 0 has 1.5 for 'well'"),
    (lambda: decide([[np.nan, 0.5, 0.5]], SQUARE), "row 0 has nan"),
    (lambda: decide([["a", "b", "c"]], SQUARE), "probabilities must be numbers"),
    (lambda: decide([[0.2, 0.3, 0.5]], SQUARE, reject=-1), "reject=-1 must be"),
    (lambda: decide([[0.2, 0.3, 0.5]], SQUARE, reject=math.nan), "reject=nan must be"),
    (lambda: decide([[0.2, 0.3, 0.5]], SQUARE, reject=True), "reject=True must be"),
    (lambda: decide([[0.2, 0.3, 0.5]], SQUARE, classes=["well", "flu", "cold"]), "names 'plague', which is no class"),
]


@pytest.mark.parametrize(("work", "message"), BAD)
def test_bad_costs_are_refused(work, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        work()


def test_two_hundred_classes() -> None:
    names = [f"class {k}" for k in range(200)]
    p = np.random.default_rng(0).dirichlet(np.full(200, 0.1), 100)
    assert (decide(p, 1 - np.eye(200), classes=names) == np.array(names)[p.argmax(axis=1)]).all()


IRIS = load_iris(return_X_y=True)
NAMED = np.array(["setosa", "versicolor", "virginica"])[IRIS[1]]


def test_a_cost_sensitive_classifier_decides_by_its_models_probabilities() -> None:
    costs = {"setosa": {"versicolor": 1, "virginica": 1}, "versicolor": {"setosa": 1, "virginica": 1}}
    costs["virginica"] = {"setosa": 1, "versicolor": 30}
    X = IRIS[0]
    plain = LinearDiscriminantAnalysis().fit(X, NAMED)
    model = CostSensitive(LinearDiscriminantAnalysis(), costs).fit(X, NAMED)
    p = plain.predict_proba(X)
    assert np.array_equal(model.predict_proba(X), p)
    assert np.array_equal(model.predict_log_proba(X), plain.predict_log_proba(X))
    assert (model.predict(X) == decide(p, costs, classes=plain.classes_)).all()
    assert (model.predict(X) == "virginica").sum() > (plain.predict(X) == "virginica").sum()
    assert CostSensitive(LinearDiscriminantAnalysis()).fit(X, NAMED).score(X, NAMED) == plain.score(X, NAMED)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_rejected_rows_get_no_class_and_count_as_wrong(model) -> None:
    X = IRIS[0]
    deciding = CostSensitive(model, reject=0.05).fit(X, NAMED)
    said, rejected = deciding.predict(X), deciding.rejected(X)
    assert 0 < rejected.sum() < 100
    assert [label is None for label in said] == rejected.tolist()
    assert (rejected == (deciding.predict_proba(X).max(axis=1) < 0.95)).all()
    assert deciding.score(X, NAMED) == np.mean(said == NAMED)
    never = CostSensitive(model, reject=1.0).fit(X, NAMED)
    assert not never.rejected(X).any()
    assert (never.predict(X) == clone(model).fit(X, NAMED).predict(X)).all()


def test_costs_of_a_classifier_follow_the_sorted_classes_where_they_are_plain_numbers() -> None:
    model = CostSensitive(LinearDiscriminantAnalysis(), [[0, 1, 1], [1, 0, 1], [1, 30, 0]]).fit(IRIS[0], NAMED)
    assert model.costs_.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.risk(IRIS[0][:1]).shape == (1, 3)


def test_searches_may_choose_the_price_of_rejection() -> None:
    search = GridSearchCV(CostSensitive(LinearDiscriminantAnalysis()), {"reject": [0.01, None]}, cv=3).fit(*IRIS)
    assert search.best_params_ == {"reject": None}


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (CostSensitive(LinearSVC()), InputTypeError, "LinearSVC has no probabilities.*Calibrated"),
        (CostSensitive(LinearDiscriminantAnalysis), InputTypeError, "is a class"),
        (
            CostSensitive(LinearDiscriminantAnalysis(), [[0, 1], [1, 0]]),
            InputError,
            r"shape \(2, 2\), expected \(3, 3\)",
        ),
        (CostSensitive(LinearDiscriminantAnalysis(), reject=-2), InputError, "reject=-2"),
        (CostSensitive(LinearDiscriminantAnalysis(), {"a": {}}), InputError, "names 'a', which is no class"),
    ],
)
def test_bad_options_of_a_cost_sensitive_classifier(model, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        model.fit(*IRIS)
