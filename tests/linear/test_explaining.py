"""What the columns say under logistic regression: held against the average row of the fit, or against zero."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from distinguo import LeastSquaresClassifier, LogisticRegression, Perceptron
from tests.explained_cases import every_logistic, sparse_rows
from tests.generative.cases import three_classes

pytestmark = pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning")
seeds = st.integers(0, 2**32 - 1)


@every_logistic
def test_the_formula(model: Any) -> None:
    X, y = three_classes(2, 90)
    weight = np.arange(90) % 3 + 1.0
    fitted = clone(model).fit(X, y, sample_weight=weight)
    mean = np.average(X, axis=0, weights=weight) if model.fit_intercept else np.zeros(3)
    why = fitted.explain(X[[5]], "c", "a")
    np.testing.assert_allclose(why.contributions, (fitted.coef_[2] - fitted.coef_[0]) * (X[5] - mean), atol=1e-9)
    there = fitted.decision_function(mean[None])[0]
    assert why.start == pytest.approx(there[2] - there[0], abs=1e-9)
    assert why.start_is == ("average row" if model.fit_intercept else "row of zeros")
    assert np.abs(fitted.explain(mean[None], "c", "a").contributions).max() < 1e-9


def test_two_classes_have_one_row_of_coefficients() -> None:
    X, y = three_classes(2, 90, names=("no", "yes"))
    model = LogisticRegression().fit(X, y)
    why = model.explain(X[[5]], "yes", "no")
    np.testing.assert_allclose(why.contributions, model.coef_[0] * (X[5] - X.mean(axis=0)), atol=1e-9)
    assert why.log_odds == pytest.approx(model.decision_function(X[[5]])[0], abs=1e-9)


@given(seed=seeds)
@settings(max_examples=5)
def test_units_and_origins_do_not_matter(seed: int) -> None:
    X, y = three_classes(seed, 90)
    y = np.random.default_rng(seed).permutation(y)  # no rule separates them
    rng = np.random.default_rng(seed)
    there = (X + rng.normal(size=3) * 1e3) * 10.0 ** rng.uniform(-8, 8, 3)
    here, moved = (LogisticRegression().fit(rows, y).explain(rows[[1]], "a", "b") for rows in (X, there))
    np.testing.assert_allclose(moved.contributions, here.contributions, rtol=1e-4, atol=1e-6)
    assert moved.start == pytest.approx(here.start, abs=1e-6)


def words(n: int = 60, p: int = 40, seed: int = 0) -> tuple[sparse.csr_array, Any]:
    X = sparse_rows(n, p, n * p // 10, seed)
    noise = np.random.default_rng(seed).normal(size=n) * 0.3
    return X, np.where(np.asarray(X[:, :20].sum(axis=1)) + noise > 0.8, "ham", "spam")


@pytest.mark.parametrize("p", [40, 1500], ids=["few words", "many"])
@pytest.mark.parametrize(
    "model",
    [LogisticRegression(C=1.0), LogisticRegression(C=10.0, l1_ratio=1.0), LogisticRegression(C=1.0, solver="lbfgs")],
    ids=["ridge", "lasso", "lbfgs"],
)
def test_words_that_are_not_there_add_nothing(model: Any, p: int) -> None:
    X, y = words(p=p)
    fitted = clone(model).fit(X, y)
    why = fitted.explain(X[[3]])
    assert why.probability == fitted.predict_proba(X[[3]]).max()
    absent = np.setdiff1d(np.arange(p), X[[3]].nonzero()[1])
    assert (why.contributions[absent] == 0).all()
    sign = 1 if why.label == "spam" else -1
    assert (why.start_is, why.start) == ("row of zeros", pytest.approx(sign * fitted.intercept_[0]))
    dense = fitted.explain(X[[3]].toarray(), why.label, why.against)
    np.testing.assert_array_equal(dense.contributions, why.contributions)
    np.testing.assert_array_equal(dense.values, why.values)
    assert dense.probability == fitted.predict_proba(X[[3]].toarray()).max()
    assert dense.probability == pytest.approx(why.probability, rel=1e-12)


def test_inference_is_the_same_however_scores_are_kept() -> None:
    X, y = words(p=5, n=200)
    at_zero, at_mean = LogisticRegression().fit(X, y), LogisticRegression().fit(X.toarray(), y)
    np.testing.assert_allclose(at_zero.coef_, at_mean.coef_, rtol=1e-8)
    np.testing.assert_allclose(at_zero.summary().standard_error, at_mean.summary().standard_error, rtol=1e-7)
    assert at_zero.detach_rows().aic_ == pytest.approx(at_mean.aic_)


def test_a_hundred_thousand_words() -> None:
    X = sparse_rows(50, 100_000, 5000)
    model = LogisticRegression(C=1.0).fit(X, np.arange(50) % 2)
    why = model.explain(X[[7]])
    assert why.log_odds == pytest.approx(abs(model.decision_function(X[[7]])[0]), rel=1e-9)
    assert (why.contributions != 0).sum() <= X[[7]].nnz


def test_rows_one_after_the_other_have_no_average() -> None:
    X, y = three_classes(2, 90)
    model = LogisticRegression(C=1.0, solver="stochastic")
    model.partial_fit(X, y)
    why = model.explain(X[[0]], "a", "b")
    assert why.start_is == "row of zeros"
    np.testing.assert_allclose(why.contributions, (model.coef_[0] - model.coef_[1]) * X[0])
    assert why.start == pytest.approx(model.intercept_[0] - model.intercept_[1])


def test_scores_that_are_no_log_odds_are_not_explained() -> None:
    assert not hasattr(LeastSquaresClassifier(), "explain")
    assert not hasattr(Perceptron(), "explain")
