"""Coefficients that the rows do not determine, or that are infinite: what is left of the tables."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from distinguo import LogisticRegression
from distinguo.exceptions import InputError, LeftOutWarning, SeparationWarning
from tests.linear.test_inference_laws import rows


def test_dependent_columns_have_no_standard_errors_but_the_others_do():
    X, y = rows(4, 80, 3)
    tangled = np.column_stack([X, X[:, 0] * 2 + 1, np.full(80, 3.0)])
    with pytest.warns(LeftOutWarning):
        model = LogisticRegression().fit(tangled, y)
    plain, found = LogisticRegression().fit(X, y), model.summary()
    assert np.isnan(found.standard_error).tolist() == [True, True, False, False, True, True]
    assert_allclose(found.standard_error[2:4], plain.summary().standard_error[2:], rtol=1e-8)
    assert_allclose([model.aic_, model.bic_], [plain.aic_, plain.bic_], rtol=1e-10)
    tests = model.term_tests([0, 1, [0, 3]])
    assert tests.df.tolist() == [0, 1, 1]
    assert_allclose(tests.statistic[1:], plain.term_tests([1, 0]).statistic, atol=1e-8)
    assert "not determined by the rows (dependent columns): (intercept), x0, x3, x4" in str(found)
    profile = model.confidence_intervals("profile")
    assert np.isnan(profile.low).tolist() == [True, True, False, False, True, True]


def test_indicators_of_all_levels_leave_the_intercept_open():
    X, y = rows(6, 60, 1)
    levels = np.eye(3)[np.arange(60) % 3]
    with pytest.warns(LeftOutWarning):
        found = LogisticRegression().fit(np.column_stack([X, levels]), y).summary()
    assert np.isnan(found.standard_error).tolist() == [True, False, True, True, True]
    alone = LogisticRegression(fit_intercept=False).fit(np.column_stack([X, levels]), y).summary()
    assert np.isfinite(alone.standard_error).all()
    assert_allclose(found.standard_error[1], alone.standard_error[0], rtol=1e-7)


def test_finite_parts_under_separation_are_those_of_the_rows_that_are_left():
    """Rows told apart have nothing more to say: the others, fitted without the column, give the finite parts."""
    X, y = rows(7, 80, 2)
    flag = ((y == 1) & (np.arange(80) % 3 == 0)).astype(float)
    with pytest.warns(SeparationWarning):
        apart = LogisticRegression().fit(np.column_stack([X, flag]), y)
    rest = LogisticRegression().fit(X[flag == 0], y[flag == 0])
    found, plain = apart.summary(), rest.summary()
    assert found.estimate[3] == np.inf
    assert_allclose(found.estimate[:3], plain.estimate, rtol=1e-6)
    assert_allclose(found.standard_error[:3], plain.standard_error, rtol=1e-6)
    assert_allclose(apart.covariance("HC0")[:3, :3], rest.covariance("HC0"), rtol=1e-5)
    assert_allclose(apart.deviance_, rest.deviance_, rtol=1e-7)
    assert_allclose(apart.term_tests([0, 1]).statistic, rest.term_tests().statistic, rtol=1e-6)
    assert_allclose(apart.odds_ratios().estimate[3], np.inf)


def test_what_dependent_columns_leave_open_is_not_called_infinite():
    """Of a column that separates and its copy, either may be finite, or of the other sign, if the other makes up."""
    X, y = rows(7, 80, 2)
    flag = ((y == 1) & (np.arange(80) % 3 == 0)).astype(float)
    with pytest.warns(SeparationWarning), pytest.warns(LeftOutWarning):
        model = LogisticRegression().fit(np.column_stack([X, flag, 1 - flag]), y)
    with pytest.warns(SeparationWarning):
        plain = LogisticRegression().fit(np.column_stack([X, flag]), y).summary()
    found = model.summary()
    assert np.isnan(found.estimate).tolist() == [True, False, False, True, True]
    assert np.isnan(found.standard_error).tolist() == [True, False, False, True, True]
    assert_allclose(found.estimate[1:3], plain.estimate[1:3], rtol=1e-6)
    assert_allclose(found.standard_error[1:3], plain.standard_error[1:3], rtol=1e-6)
    assert found.notes == ("not determined by the rows (dependent columns): (intercept), x2, x3",)
    with pytest.raises(InputError, match="some coefficients are infinite"):
        model.confidence_intervals("profile")


def test_infinite_softmax_coefficients_by_base():
    X, y = rows(8, 90, 1, 3)
    flag = ((y == 2) & (np.arange(90) % 3 == 0)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        model = LogisticRegression().fit(np.column_stack([X, flag]), y)
    from_third = model.summary(base=2)
    assert from_third.estimate[from_third.term == "x1"].tolist() == [-np.inf, -np.inf]
    from_first = model.summary()
    assert from_first.estimate[(from_first.term == "x1") & (from_first.outcome == 2)].tolist() == [np.inf]
    rest = LogisticRegression().fit(X[flag == 0], y[flag == 0]).summary(base=2)
    assert_allclose(from_third.standard_error[from_third.term != "x1"], rest.standard_error, rtol=1e-6)


def test_where_all_rows_are_told_apart_nothing_is_finite():
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    table = model.summary()
    assert table.estimate.tolist() == [-np.inf, np.inf]
    assert np.isnan(table.p_value).all()
    assert model.deviance_ == 0.0
    assert_allclose(model.term_tests().statistic, [model.null_deviance_], rtol=1e-9)


def test_clusters_and_offsets_stay_with_their_rows_under_separation():
    """Rows of weight zero, and those told apart, count for nothing, but keep their places."""
    X, y = rows(9, 80, 2)
    rng = np.random.default_rng(9)
    flag, weight = ((y == 1) & (np.arange(80) % 3 == 0)).astype(float), rng.integers(0, 3, 80)
    clusters, offset = np.arange(80) // 4, rng.normal(size=80)
    with pytest.warns(SeparationWarning):
        apart = LogisticRegression().fit(np.column_stack([X, flag]), y, weight, offset=offset)
    left = (flag == 0) & (weight > 0)
    rest = LogisticRegression().fit(X[left], y[left], weight[left], offset=offset[left])
    # The factor counts all clusters, those of rows told apart too.
    factor = [g / (g - 1) for g in (len(set(clusters[weight > 0])), len(set(clusters[left])))]
    found, plain = apart.covariance("cluster", clusters)[:3, :3], rest.covariance("cluster", clusters[left])
    assert_allclose(found / factor[0], plain / factor[1], rtol=1e-5)
    assert_allclose(apart.log_likelihood_, rest.log_likelihood_, rtol=1e-7)


def test_odds_ratios_beyond_the_greatest_float_are_infinite():
    X, y = rows(4, 80, 1)
    found = LogisticRegression().fit(X * 1e-20, y).odds_ratios()
    sign = np.sign(LogisticRegression().fit(X, y).coef_[0, 0])
    assert found.estimate[1] == (np.inf if sign > 0 else 0.0)
    assert found.high[1] == np.inf


def test_an_offset_that_tells_all_leaves_nothing_to_explain():
    X, y = rows(5, 40, 1)
    model = LogisticRegression().fit(X, y, offset=np.where(y == 1, 1000.0, -1000.0))
    assert [model.deviance_, model.null_deviance_] == [0.0, 0.0]
    assert np.isnan(model.mcfadden_)
    assert "log-likelihood 0 (null 0), deviance 0 (null 0)" in str(model.summary())
    assert "McFadden -\n" in str(model.summary())
