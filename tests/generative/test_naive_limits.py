"""Naive Bayes of counts and categories at the limits: no words, no smoothing, nothing seen, 300 000 columns."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from distinguo import BernoulliNB, CategoricalNB, ComplementNB, MixedNB, MultinomialNB, PoissonNB
from distinguo.exceptions import ImpossibleRowWarning, ZeroProbabilityWarning
from tests.generative.naive_cases import counts, every_counting, rows_for


@every_counting
def test_300_000_words(model: Any) -> None:
    """Rows of 300 000 words, of one, and of none: probabilities sum to one, and none is the priors."""
    p = 300_000
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 60, 1800), rng.integers(0, p, 1800)
    X = sparse.csr_array((rng.exponential(size=1800), cells), shape=(60, p))
    y = np.arange(60) % 3
    long = np.ones((1, p))
    some = sparse.vstack([X[:5], sparse.csr_array(([1.0], ([0], [7])), shape=(2, p)), sparse.csr_array(long)]).tocsr()
    fitted = clone(model).fit(X, y)
    posterior = fitted.predict_proba(some)
    np.testing.assert_allclose(posterior.sum(axis=1), 1, atol=1e-12)
    assert np.isfinite(fitted.predict_log_proba(some)).all()
    if isinstance(model, MultinomialNB | ComplementNB):
        np.testing.assert_allclose(posterior[6], fitted.priors_, atol=1e-12)


def test_a_row_without_a_cell_is_judged_by_the_priors() -> None:
    for model in (MultinomialNB(), BernoulliNB(), PoissonNB(), CategoricalNB(), MixedNB()):
        X, y = rows_for(model)
        fitted = model.fit(X, y)
        nothing = (
            X.iloc[:1].copy().mask(np.ones((1, X.shape[1]), bool)) if isinstance(X, pd.DataFrame) else X[:1] * np.nan
        )
        np.testing.assert_allclose(fitted.predict_proba(nothing)[0], fitted.priors_, atol=1e-12)
        np.testing.assert_allclose(fitted.typicality(nothing), 1.0)
        np.testing.assert_allclose(fitted.score_samples(nothing), 0.0, atol=1e-12)


# Without smoothing: the counts of each class, a row, and what must come of it.
CERTAIN = {
    "a word of one class": ([1, 0, 0], [1.0, 0.0]),
    "a word of the other": ([0, 3, 0], [0.0, 1.0]),
    "a word of both": ([0, 0, 2], [0.6, 0.4]),
    "no word": ([0, 0, 0], [0.6, 0.4]),
}


@pytest.mark.parametrize("model", [MultinomialNB(alpha=0), PoissonNB(alpha=0), ComplementNB(alpha=0)])
@pytest.mark.parametrize(("row", "posterior"), list(CERTAIN.values()), ids=list(CERTAIN))
def test_without_smoothing_what_was_never_seen_is_impossible(model: Any, row: Any, posterior: Any) -> None:
    X = np.array([[4.0, 0.0, 2.0], [4.0, 0.0, 2.0], [4.0, 0.0, 2.0], [0.0, 4.0, 2.0], [0.0, 4.0, 2.0]])
    with pytest.warns(ZeroProbabilityWarning, match="2 column.*'x0', 'x1'.*exactly 0 or 1"):
        fitted = clone(model).fit(X, list("aaabb"))
    for rows in (np.array([row], dtype=float), sparse.csr_array([row], dtype=float)):
        found = fitted.predict_proba(rows)[0]
        exact = [value for value in posterior if value in {0.0, 1.0}]
        assert [value for value in found if value in {0.0, 1.0}] == exact
        np.testing.assert_allclose(found, posterior, atol=1e-12)


@pytest.mark.parametrize("model", [MultinomialNB(alpha=0), PoissonNB(alpha=0), ComplementNB(alpha=0)])
def test_a_row_impossible_everywhere_gets_the_priors_and_a_warning(model: Any) -> None:
    with pytest.warns(ZeroProbabilityWarning):
        fitted = clone(model).fit([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], list("aab"))
    with pytest.warns(ImpossibleRowWarning, match=r"1 row\(s\) have probability zero under every class"):
        posterior = fitted.predict_proba([[1.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(posterior, [[2 / 3, 1 / 3], [1, 0]])


def test_bernoulli_without_smoothing_decides_by_what_always_or_never_was() -> None:
    X = [[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1]]
    with pytest.warns(ZeroProbabilityWarning, match="1 column|2 column"):
        model = BernoulliNB(alpha=0).fit(X, list("aabb"))
    for rows in (
        np.array([[1.0, 1, 1], [0, 1, 1], [np.nan, 1, 1]]),
        sparse.csr_array([[1.0, 1, 1], [0, 1, 1], [np.nan, 1, 1]]),
    ):
        assert model.predict_proba(rows).tolist() == [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    with pytest.warns(ImpossibleRowWarning):
        assert model.predict_proba([[1.0, 1, 0]]).tolist() == [[0.5, 0.5]]


def test_categories_without_smoothing() -> None:
    with pytest.warns(ZeroProbabilityWarning, match="'x0=blue', 'x0=red'"):
        model = CategoricalNB(alpha=0).fit([["red"], ["red"], ["blue"], ["blue"]], list("aabb"))
    assert model.predict_proba([["red"], ["blue"], [None]]).tolist() == [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    with pytest.warns(ImpossibleRowWarning):
        assert model.predict_proba([["green"]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("alpha", [0.0, 1e-300, 1e-10])
def test_hardly_any_smoothing_is_never_nan(alpha: float) -> None:
    X, y = counts()
    for kind in (MultinomialNB, PoissonNB, BernoulliNB, ComplementNB):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ZeroProbabilityWarning)
            warnings.simplefilter("ignore", ImpossibleRowWarning)
            model = kind(alpha=alpha).fit(X, y)
            for rows in (X, X * 50, sparse.csr_array(X)):
                assert not np.isnan(model.predict_proba(rows)).any()
                assert not np.isnan(model.decision_function(rows)).any()
            if hasattr(model, "leave_one_out"):
                assert not np.isnan(model.leave_one_out(X, y)).any()


def test_a_class_without_words_has_them_all_alike() -> None:
    X = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 1.0]])
    model = MultinomialNB().fit(X, ["none", "none", "some"])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[1 / 2, 1 / 2], [2 / 3, 1 / 3]])
    np.testing.assert_allclose(model.predict_proba([[0.0, 0.0]]), [[2 / 3, 1 / 3]])


def test_a_new_category_gets_the_share_of_one_without_rows() -> None:
    rows, y = [["red"], ["red"], ["blue"], ["red"]], list("aabb")
    for model in (CategoricalNB(), MixedNB()):
        fitted = model.fit(rows, y)
        # One of three in a class of two rows and two categories, and the same in the other: 1 / 4 each.
        np.testing.assert_allclose(np.exp(fitted.class_log_density([["violet"]])), [[0.25, 0.25]])
        grown = fitted.partial_fit([["violet"]], ["b"])
        assert grown.categories_[0].tolist() == ["blue", "red", "violet"]
        np.testing.assert_allclose(np.exp(grown.class_log_density([["violet"]])), [[1 / 5, 2 / 6]])
