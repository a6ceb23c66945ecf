"""How much better the best model is: intervals, McNemar's test, and the rows that they are made of."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel
from scipy.stats import t as student_t
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import compare
from distinguo.evaluation.comparison.differences import mcnemar
from distinguo.resampling import repeated_folds

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "rosé", "white"])[CODES]
SCALED = make_pipeline(StandardScaler(), LogisticRegression())


def paired(comparison, name: str):  # type: ignore[no-untyped-def]
    measured = {r.name: r.measured for r in comparison.results}
    return measured[comparison.best], measured[name]


def test_intervals_are_those_of_nadeau_and_bengio() -> None:
    comparison = compare(["lda", "gaussian-nb", "knn"], X, Y, folds=5, repeats=3, memory=False)
    table = comparison.differences
    for k, name in enumerate(table.model.tolist()):
        best, other = paired(comparison, name)
        d = np.subtract(other.accuracies, best.accuracies)
        share = np.mean([len(s.test) / len(s.train) for s in repeated_folds(CODES, repeats=3)])
        half = student_t.ppf(0.975, 14) * math.sqrt((1 / 15 + share) * d.var(ddof=1))
        assert table.accuracy[k] == pytest.approx(other.quality.accuracy - best.quality.accuracy)
        assert table.accuracy_high[k] - table.accuracy[k] == pytest.approx(half)
        assert table.accuracy[k] - table.accuracy_low[k] == pytest.approx(half)
        # It is wider than the t interval that takes the splits for independent.
        naive = ttest_rel(other.accuracies, best.accuracies).confidence_interval() if d.any() else None
        assert naive is None or table.accuracy_high[k] - table.accuracy_low[k] > naive.high - naive.low


def test_intervals_cover_the_difference_of_models_that_are_equally_good() -> None:
    """Two models that look at one noise column each: the difference is zero, and few intervals leave it out."""
    rng = np.random.default_rng(0)
    outside = 0
    for _ in range(40):
        y = np.arange(80) % 2
        rows = rng.normal(size=(80, 2)) + y[:, None] * 0.5
        first, second = (make_pipeline(Column(j), GaussianNB()) for j in (0, 1))
        table = compare({"a": first, "b": second}, rows, y, repeats=1, memory=False).differences
        k = [name in "ab" for name in table.model].index(True)
        outside += not table.accuracy_low[k] <= 0 <= table.accuracy_high[k]
    # The better of two by chance was chosen; 3.5 standard errors above .05 of 40.
    assert outside <= 40 * 0.05 + 3.5 * math.sqrt(40 * 0.05 * 0.95)


class Column(BaseEstimator):  # type: ignore[misc]
    """One column of all."""

    def __init__(self, j=0):  # type: ignore[no-untyped-def]
        self.j = j

    def fit(self, X, y=None):  # type: ignore[no-untyped-def]
        self.fitted_ = True
        return self

    def transform(self, X):  # type: ignore[no-untyped-def]
        return np.asarray(X)[:, [self.j]]


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(b: int, c: int) -> None:
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar(b, c)[2] == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_mcnemar_of_the_textbook() -> None:
    # Agresti (2013), Categorical Data Analysis, section 11.1: approval of the Prime Minister, 86 and 150 changed their
    # minds; z = 4.17 has p = 3e-5. R: binom.test(86, 236)$p.value.
    assert mcnemar(86, 150)[2] == pytest.approx(3.716e-5, rel=1e-3)


def test_discordant_rows_are_counted_once_each_as_first_held_out() -> None:
    for asked in ({"repeats": 2}, {"scheme": "monte-carlo", "repeats": 6, "test_fraction": 0.4}):
        comparison = compare(["lda", "gaussian-nb"], X, Y, memory=False, **asked)
        table = comparison.differences
        best, other = paired(comparison, table.model[0])
        first: dict[int, tuple[bool, bool]] = {}
        for row, one, two in zip(
            best.held_out.rows, best.held_out.right(CODES), other.held_out.right(CODES), strict=True
        ):
            first.setdefault(int(row), (bool(one), bool(two)))
        assert table.only_best[0] == sum(one and not two for one, two in first.values())
        assert table.only_it[0] == sum(two and not one for one, two in first.values())


def test_a_single_draw_has_no_intervals() -> None:
    comparison = compare(["lda", "qda"], X, Y, scheme="monte-carlo", repeats=1, memory=False)
    assert np.isnan(comparison.table.accuracy_se).all()
    assert np.isnan(comparison.differences.accuracy_low).all()
    assert not np.isnan(comparison.differences.p_value).any()
    assert comparison.folds == 1
