"""Decisions of naive Bayes, told column by column, and the columns that tell a class from the others."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from distinguo import CategoricalNB, ComplementNB, GaussianNB, MixedNB, MultinomialNB
from distinguo.exceptions import ImpossibleRowWarning, InputError, ZeroProbabilityWarning
from tests.generative.naive_cases import counts, every_counting, every_explained, rows_for, take

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)


@every_explained
@given(seed=seeds, holes=st.sampled_from([0.0, 0.3]))
@few
def test_the_parts_add_up_to_the_score(model: Any, seed: int, holes: float) -> None:
    X, y = rows_for(model, seed, holes=holes)
    fitted = clone(model).set_params(priors=[0.2, 0.3, 0.5]).fit(X, y)
    row = take(X, [seed % 60])
    scores, posterior = fitted.predict_log_proba(row)[0], fitted.predict_proba(row)[0]
    for a, first in enumerate("abc"):
        for b, second in enumerate("abc"):
            if a == b:
                continue
            why = fitted.explain(row, first, second)
            assert (why.label, why.against) == (first, second)
            assert why.log_odds == pytest.approx(scores[a] - scores[b], rel=1e-9, abs=1e-9)
            assert why.log_odds == pytest.approx(why.start + why.contributions.sum(), rel=1e-12, abs=1e-12)
            assert why.start == pytest.approx(np.log([0.2, 0.3, 0.5][a] / [0.2, 0.3, 0.5][b]))
            assert why.probability == posterior[a]


@every_counting
def test_sparse_rows_are_explained(model: Any) -> None:
    X, y = counts()
    fitted = clone(model).fit(X, y)
    sparse_row, row = fitted.explain(sparse.csr_array(X[:1])), fitted.explain(X[:1])
    np.testing.assert_array_equal(sparse_row.contributions, row.contributions)
    np.testing.assert_array_equal(sparse_row.values, X[0])


def test_a_word_that_is_not_there_adds_nothing_to_a_text() -> None:
    X, y = counts()
    why = MultinomialNB().fit(X, y).explain(X[:1])
    assert (why.contributions[X[0] == 0] == 0).all()
    assert (why.contributions[X[0] > 0] != 0).all()


def test_a_missing_cell_adds_nothing() -> None:
    for model in (GaussianNB(), MixedNB(), CategoricalNB()):
        X, y = rows_for(model)
        fitted = model.fit(X, y)
        holed = X.iloc[:1].copy() if isinstance(X, pd.DataFrame) else X[:1].copy()
        whole = fitted.explain(holed).contributions
        if isinstance(holed, pd.DataFrame):
            holed.iloc[0, 1] = None
        else:
            holed[0, 1] = np.nan
        label = fitted.explain(take(X, [0]))
        contributions = fitted.explain(holed, label.label, label.against).contributions
        assert contributions[1] == 0
        np.testing.assert_allclose(np.delete(contributions, 1), np.delete(whole, 1))


def test_an_explanation_can_be_read() -> None:
    X = pd.DataFrame({"colour": ["red", "red", "blue", "blue"], "length": [1.0, 2.0, 5.0, 6.0]})
    model = MixedNB(priors={"a": 0.4, "b": 0.6}).fit(X, list("aabb"))
    why = model.explain(X[:1])
    assert why.values.tolist() == ["red", 1.0]
    lines = str(why).splitlines()
    assert lines[0] == f"'a' rather than 'b': P = {why.probability:.3g}"
    assert [line.split(maxsplit=1)[1] for line in lines[1:]] == ["length = 1", "colour = red", "prior", "log-odds"]
    assert float(lines[2].split()[0]) == pytest.approx(np.log(3), abs=5e-4)  # 3/4 against 1/4
    assert float(lines[3].split()[0]) == pytest.approx(np.log(4 / 6), abs=5e-4)
    assert why.largest(1)[0][0] == "length"


def test_many_columns_are_summed_up() -> None:
    X, y = counts(p=30)
    why = MultinomialNB().fit(X, y).explain(X[:1])
    lines = str(why).splitlines()
    assert len(lines) == 14
    assert lines[11].endswith(f"  the other {np.count_nonzero(why.contributions) - 10} columns")
    assert sum(float(line.split()[0]) for line in lines[1:13]) == pytest.approx(why.log_odds, abs=0.01)


def test_words_that_a_text_does_not_have_are_none_of_the_others() -> None:
    X = np.eye(30)
    y = np.arange(30) % 2
    X[0, :4] = [1, 2, 3, 4]
    why = MultinomialNB().fit(X, y).explain(X[:1])
    assert [line.name for line in why.lines(2)][2:] == ["the other 2 columns", "prior", "log-odds"]


def test_what_is_impossible_is_infinite() -> None:
    with pytest.warns(ZeroProbabilityWarning):
        model = MultinomialNB(alpha=0).fit([[2, 0, 1], [0, 2, 1]], ["a", "b"])
    why = model.explain([[1, 0, 3]])
    assert why.contributions.tolist() == [np.inf, 0, 0]
    assert (why.label, why.log_odds, why.probability) == ("a", np.inf, 1.0)
    with pytest.warns(ZeroProbabilityWarning):
        shifted = model.with_priors([0.25, 0.75])
    with pytest.warns(ImpossibleRowWarning):
        why = shifted.explain([[1, 1, 0]])
    # Nothing but the priors is left to decide by.
    assert (why.label, why.contributions.tolist()) == ("b", [0, 0, 0])
    assert why.probability == pytest.approx(0.75)
    assert why.log_odds == why.start == pytest.approx(np.log(3))


def test_two_classes_that_cannot_be_are_not_compared() -> None:
    with pytest.warns(ZeroProbabilityWarning):
        model = MultinomialNB(alpha=0).fit([[2, 0, 0], [0, 2, 0], [1, 1, 1]], ["a", "b", "c"])
    with pytest.raises(InputError, match="both classes are impossible for this row"):
        model.explain([[1, 1, 1]], "a", "b")
    assert model.explain([[1, 1, 1]]).against in {"a", "b"}


def test_a_class_without_rows_cannot_be_explained() -> None:
    X, y = counts()
    model = MultinomialNB().partial_fit(X, y, classes=["a", "b", "c", "d"])
    with pytest.raises(InputError, match="one has no rows"):
        model.explain(X[:1], "a", "d")
    with pytest.raises(InputError, match="needs two classes"):
        MultinomialNB().partial_fit(X, ["a"] * 60).explain(X[:1])


def test_telling_features_are_those_of_the_formula() -> None:
    X, y = counts()
    frame = pd.DataFrame(X, columns=[f"w{j}" for j in range(8)])
    model = MultinomialNB().fit(frame, y)
    logs = model.feature_log_prob_
    lead = logs[1] - (logs[0] + logs[2]) / 2
    found = model.telling_features("b", 3)
    assert [name for name, _ in found] == [f"w{j}" for j in np.argsort(-lead)[:3]]
    np.testing.assert_allclose([value for _, value in found], np.sort(lead)[::-1][:3])
    assert len(model.telling_features("b", 100)) == 8
    with pytest.raises(InputError, match="no class 'z'"):
        model.telling_features("z")


@every_counting
def test_every_model_of_counts_tells_the_word_that_one_class_alone_has(model: Any) -> None:
    X, y = counts()
    X[:, 3] = np.where(y == "b", 5.0, 0.0)
    assert clone(model).fit(X, y).telling_features("b", 1)[0][0] == "x3"


def test_telling_categories() -> None:
    rows = [["red", 1.0], ["red", 2.0], ["blue", 3.0], ["grey", 4.0]]
    model = MixedNB().fit(rows, list("aabb"))
    (name, value), *_ = model.telling_features("a")
    assert (name, value) == ("x0=red", pytest.approx(np.log(3 / 5) - np.log(1 / 5)))
    with pytest.raises(InputError, match="no column has any"):
        MixedNB().fit([[1.0], [2.0], [4.0], [7.0]], list("aabb")).telling_features("a")
    assert ComplementNB().fit([[1, 0], [0, 1]], list("ab")).telling_features("a", 1)[0][0] == "x0"
