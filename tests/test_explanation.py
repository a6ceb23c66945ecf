"""One decision, told column by column: whatever the model, the parts add up, and every view shows one probability."""

import math
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    ExplanationDisplay,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MemorySource,
    MixedNB,
    MultinomialNB,
    PoissonNB,
)
from distinguo.exceptions import ImpossibleRowWarning, InputError, MissingCellsError
from distinguo.explanation import probability_text
from tests.explained_cases import every_model, every_with_priors, rows_of, sparse_rows, take

mpl.use("Agg")
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::distinguo.exceptions.{name}")
    for name in ("SeparationWarning", "LeftOutWarning")  # rows are drawn at random, and few
]

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=4)


def near(why: Any) -> float:
    """What rounding may do to the sum."""
    finite = why.contributions[np.isfinite(why.contributions)]
    return 1e-10 * (1 + np.abs(finite).sum() + abs(why.start))


@every_model
@given(seed=seeds)
@few
def test_the_parts_add_up_to_the_score(model: Any, seed: int) -> None:
    X, y = rows_of(model, seed)
    fitted = clone(model).fit(X, y)
    row = take(X, [seed % len(y)])
    logs, scores = fitted.predict_log_proba(row)[0], fitted.decision_function(row)[0]
    for a, b in ((0, 1), (2, 0), (1, 2)):
        why = fitted.explain(row, "abc"[a], "abc"[b])
        assert (why.label, why.against, why.classes.tolist()) == ("abc"[a], "abc"[b], ["a", "b", "c"])
        assert why.log_odds == why.start + why.contributions.sum()
        assert why.log_odds == pytest.approx(logs[a] - logs[b], abs=near(why))
        assert why.log_odds == pytest.approx(scores[a] - scores[b], abs=near(why))
        assert why.contributions.shape == why.names.shape == why.values.shape == (fitted.n_features_in_,)


@every_model
@given(seed=seeds, classes=st.sampled_from([2, 3]))
@few
def test_every_view_of_a_row_shows_one_probability(model: Any, seed: int, classes: int) -> None:
    X, y = rows_of(model, seed, classes)
    fitted = clone(model).fit(X, y)
    row = take(X, [seed % len(y)])
    why = fitted.explain(row)
    place = fitted.classes_.tolist().index(why.label)
    assert why.probability == fitted.predict_proba(row)[0, place] == fitted.predict_proba(row).max()
    assert why.label == fitted.predict(row)[0]
    assert math.exp(fitted.predict_log_proba(row)[0, place]) == pytest.approx(why.probability, rel=1e-12)
    if classes == 2:
        assert 1 / (1 + math.exp(-why.log_odds)) == pytest.approx(why.probability, rel=max(1e-12, near(why)))
    # All that people read has it from there.
    assert str(why).splitlines()[0] == why.headline
    assert why.headline.endswith(f": P {probability_text(why.probability)}")
    title = ExplanationDisplay.from_explanation(why).ax_.get_title(loc="left")
    plt.close("all")
    assert f"P {probability_text(why.probability)}" in title


@every_model
def test_the_decision_is_explained_against_the_runner_up(model: Any) -> None:
    X, y = rows_of(model)
    fitted = clone(model).fit(X, y)
    for i in range(5):
        row = take(X, [i])
        why = fitted.explain(row)
        order = np.argsort(fitted.predict_proba(row)[0])
        assert [why.label, why.against] == fitted.classes_[order[[-1, -2]]].tolist()
        assert why.log_odds >= -near(why)
        back = fitted.explain(row, why.against, why.label)
        np.testing.assert_allclose(back.contributions, -why.contributions)
        assert (back.start, back.start_is) == (-why.start, why.start_is)


@every_with_priors
@given(seed=seeds)
@few
def test_other_priors_move_the_start_and_nothing_else(model: Any, seed: int) -> None:
    X, y = rows_of(model, seed)
    fitted = clone(model).set_params(priors=[0.2, 0.5, 0.3]).fit(X, y)
    row = take(X, [seed % len(y)])
    why = fitted.explain(row, "a", "b")
    assert (why.start, why.start_is) == (pytest.approx(math.log(0.2 / 0.5)), "prior")
    other = fitted.with_priors({"a": 0.7, "b": 0.3, "c": 0.0})
    moved = other.explain(row, "a", "b")
    assert moved.start == pytest.approx(math.log(0.7 / 0.3))
    np.testing.assert_allclose(moved.contributions, why.contributions, rtol=1e-9, atol=near(why))
    assert moved.probability == other.predict_proba(row)[0, 0]


@pytest.mark.parametrize("words", [2, 20], ids=["two classes", "twenty"])
@pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB(), PoissonNB()], ids=lambda m: type(m).__name__)
def test_three_hundred_thousand_words(model: Any, words: int) -> None:
    p = 300_000
    X = sparse_rows(40, p, 2400)
    X.data = np.ceil(3 * X.data)
    names = np.array([f"word{j}" for j in range(p)], dtype=object)
    fitted = clone(model).fit(MemorySource(X, np.arange(40) % words, feature_names=names))
    why = fitted.explain(X[7:8])
    logs = fitted.predict_log_proba(X[7:8])[0]
    assert why.label == 7 % words
    assert why.log_odds == pytest.approx(logs[why.label] - logs[why.against], rel=1e-9)
    assert why.probability == fitted.predict_proba(X[7:8])[0, why.label]
    told = {name for name, _ in why.largest(5)}
    assert isinstance(model, BernoulliNB) or told <= {f"word{j}" for j in X[[7]].nonzero()[1]}


def test_labels_are_those_of_the_fit() -> None:
    X = [[0.0], [1.0], [3.0], [4.0]]
    for labels in (
        [True, True, False, False],
        [3, 3, -1, -1],
        np.array(["2024-01-01", "2025-01-01"], "M8[D]").repeat(2),
    ):
        why = LinearDiscriminantAnalysis().fit(X, labels).explain([[0.5]])
        assert why.label == labels[0]
        assert why.against == labels[-1]
        assert why.log_odds > 0


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_are_called_as_at_the_fit(container: Any) -> None:
    frame = container({"width": [0.0, 1.0, 3.0, 4.0], "height": [1.0, 0.0, 1.0, 2.0]})
    for model in (GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression(C=1.0), MixedNB()):
        why = model.fit(frame, list("aabb")).explain(frame[1:2])
        assert why.names.tolist() == ["width", "height"]
        assert why.values.tolist() == [1.0, 0.0]
    model = GaussianNB().fit(frame.to_numpy(), list("aabb"))
    assert model.explain(frame[1:2].to_numpy()).names.tolist() == ["x0", "x1"]
    assert model.explain(frame[1:2].to_numpy(), feature_names=["u", "v"]).largest(1)[0][0] == "u"
    with pytest.raises(InputError, match="feature_names has 1 names for 2 columns"):
        model.explain(frame[1:2].to_numpy(), feature_names=["u"])


# How it is read


def test_words_that_are_not_there_are_left_unsaid() -> None:
    X = sparse.csr_array(np.eye(30))
    why = MultinomialNB().fit(X, np.tile(["ham", "spam"], 15)).explain(X[[0, 3]].sum(axis=0).reshape(1, 30))
    assert [(line.kind, line.name, line.cell) for line in why.lines()] == [
        ("column", "x0", "1"),
        ("column", "x3", "1"),
        ("start", "prior", ""),
        ("sum", "log-odds", ""),
    ]
    assert len(why.lines(30)) == 32  # where there is room for all, all are told


def test_what_is_not_told_by_name_is_told_together() -> None:
    X, y = rows_of(LinearDiscriminantAnalysis())
    why = LinearDiscriminantAnalysis().fit(X, y).explain(X[:1])
    order = np.argsort(-np.abs(why.contributions))
    first, rest, start, total = why.lines(1)
    assert (first.name, first.adds) == (f"x{order[0]}", why.contributions[order[0]])
    assert (rest.kind, rest.name) == ("others", "the other 2 columns")
    assert rest.adds == pytest.approx(why.contributions[order[1:]].sum())
    assert total.adds == pytest.approx(first.adds + rest.adds + start.adds)
    assert why.lines(2)[2].name == "the other column"
    assert [line.name for line in why.lines(3)] == [*(f"x{j}" for j in order), "prior", "log-odds"]


def test_equal_columns_come_in_their_order() -> None:
    model = MultinomialNB().fit(np.repeat([[2.0], [1.0]], 50, axis=1), ["a", "b"])
    why = model.explain(np.ones((1, 50)))
    assert [name for name, _ in why.largest(3)] == ["x0", "x1", "x2"]
    assert len(why.largest(99)) == 50
    assert why.largest(0) == []


def test_cells_are_shown_as_they_came() -> None:
    rows = pd.DataFrame({"job": ["cook", "pilot", "cook", "pilot"], "age": [31.5, 20.0, 1e6, None], "n": [1, 2, 3, 4]})
    model = MixedNB().fit(rows, list("abab"))
    new = pd.DataFrame({"job": ["diver", None], "age": [31.5, None], "n": [1, 2]})
    assert [line.cell for line in sorted(model.explain(new[:1]).lines(), key=lambda line: line.name)] == [
        "31.5",
        "diver",  # never met, and yet no hole
        "",
        "1",
        "",
    ]
    assert str(model.explain(new[1:])).count(" = missing") == 2


# What cannot be explained

X3, Y3 = rows_of(LinearDiscriminantAnalysis())
FITTED = {
    "naive": GaussianNB().fit(X3, Y3),
    "lda": LinearDiscriminantAnalysis().fit(X3, Y3),
    "logistic": LogisticRegression(C=1.0).fit(X3, Y3),
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "two rows": ({"X": X3[:2]}, r"explain takes one row; X has more. Give X of shape \(1, 3\)"),
    "many rows": ({"X": np.zeros((100_000, 3))}, "explain takes one row"),
    "no row": ({"X": X3[:0]}, "0 sample"),
    "not a table": ({"X": X3[0]}, "Expected 2D array"),
    "other columns": ({"X": X3[:1, :2]}, "X has 2 features"),
    "infinity": ({"X": np.array([[np.inf, 0.0, 0.0]])}, "contains infinity"),
    "an unknown class": ({"label": "z"}, "no class 'z'; the classes are"),
    "an unknown other class": ({"against": "z"}, "no class 'z'"),
    "twice the same": ({"label": "a", "against": "a"}, "'a' came twice"),
    "too few names": ({"feature_names": ["u", "v"]}, "feature_names has 2 names for 3 columns"),
}


@pytest.mark.parametrize("kind", FITTED)
@pytest.mark.parametrize(("asked", "message"), list(WRONG.values()), ids=list(WRONG))
def test_what_cannot_be_explained(kind: str, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        FITTED[kind].explain(**{"X": X3[:1], **asked})


def test_sparse_rows_must_be_one_too() -> None:
    rows = sparse.csr_array(np.abs(X3))
    for model in (MultinomialNB(), LogisticRegression(C=1.0)):
        with pytest.raises(InputError, match="explain takes one row"):
            model.fit(rows, Y3).explain(rows[:2])


def test_a_hole_is_refused_where_the_model_takes_none() -> None:
    holed = np.array([[0.0, np.nan, 0.0]])
    with pytest.raises(MissingCellsError, match="column 1"):
        FITTED["logistic"].explain(holed)
    with pytest.raises(InputError, match="NaN"):
        FITTED["logistic"].explain(sparse.csr_array(holed))


def test_numbers_beyond_all_measure_are_no_reasons() -> None:
    X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 0.0], [3.0, 3.0], [4.0, 5.0], [5.0, 3.0]]) * 1e-3
    far = [[1.7e308, -1.7e308]]
    logistic = LogisticRegression(C=1e9).fit(X, list("aaabbb"))
    assert (logistic.coef_ > 10).all()
    with pytest.raises(InputError, match="too large to be told apart"):
        logistic.explain(far, "a", "b")
    for model in (LinearDiscriminantAnalysis(priors=[0.2, 0.8]), GaussianNB(priors=[0.2, 0.8])):
        with pytest.warns(ImpossibleRowWarning):
            why = model.fit(X, list("aaabbb")).explain(far)
        # No class is likely at all, and the priors decide.
        assert (why.label, why.contributions.tolist(), why.log_odds) == ("b", [0.0, 0.0], why.start)
        assert why.probability == pytest.approx(0.8)


def test_a_model_that_is_not_fitted_says_so() -> None:
    for model in (GaussianNB(), CategoricalNB(), LinearDiscriminantAnalysis(), LogisticRegression()):
        with pytest.raises(NotFittedError):
            model.explain([[1.0]])
