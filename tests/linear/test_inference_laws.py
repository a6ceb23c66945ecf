"""Inference: closed forms, invariance, and what holds at the ends of intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from distinguo import LogisticRegression, grouped_counts

CHI2_95 = 3.841458820694124
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15)


def rows(seed, n=80, p=2, K=2):
    """Rows of overlapping classes, every class with some."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X @ rng.normal(size=(p, K)) + 2 * rng.gumbel(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return X, y


# Closed forms


@pytest.mark.parametrize("counts", [(12, 30, 25, 9), (3, 4, 5, 6), (1, 100, 50, 2)])
def test_a_two_by_two_table(counts):
    """The log odds ratio is log ad / bc, with standard error sqrt(1/a + 1/b + 1/c + 1/d)."""
    a, b, c, d = counts  # failures and successes at x = 0, then at x = 1
    model = LogisticRegression().fit(*grouped_counts([[0.0], [1.0]], [b, d], [a + b, c + d]))
    table = model.summary()
    assert_allclose(table.estimate, [np.log(b / a), np.log(a * d / (b * c))], rtol=1e-8)
    assert_allclose(table.standard_error, [np.sqrt(1 / a + 1 / b), np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)], rtol=1e-9)
    ratio = model.odds_ratios()
    margin = 1.959963984540054 * np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    assert_allclose(
        [ratio.estimate[1], ratio.low[1], ratio.high[1]],
        a * d / (b * c) * np.exp([0, -margin, margin]),
        rtol=1e-8,
    )
    # The likelihood-ratio test is the G test of independence.
    seen = np.array([[a, b], [c, d]])
    independent = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    assert_allclose(model.term_tests().statistic, [2 * (seen * np.log(seen / independent)).sum()], rtol=1e-8)


def test_a_two_by_two_table_with_less_bias():
    """Firth's correction adds one half to every cell of the estimate; the covariance is the likelihood's there."""
    a, b, c, d = 7, 3, 5, 0
    model = LogisticRegression(bias_reduction="firth").fit(*grouped_counts([[0.0], [1.0]], [b, d], [a + b, c + d]))
    P0, P1 = (b + 0.5) / (a + b + 1), (d + 0.5) / (c + d + 1)
    variance = 1 / ((a + b) * P0 * (1 - P0)) + 1 / ((c + d) * P1 * (1 - P1))
    assert_allclose(model.summary().standard_error[1], np.sqrt(variance), rtol=1e-7)


def test_robust_covariances_of_a_two_by_two_table():
    """The saturated model's residuals are binomial, so that HC0 is the model's covariance."""
    X, y, weight = grouped_counts([[0.0], [1.0]], [12, 30], [40, 50])
    model = LogisticRegression().fit(X, y, sample_weight=weight)
    assert_allclose(model.covariance("HC0"), model.covariance(), rtol=1e-9)
    assert_allclose(model.covariance("HC1"), model.covariance() * 90 / 88, rtol=1e-9)
    each = np.repeat(np.arange(4), weight.astype(int))
    single = LogisticRegression().fit(np.array(X)[each], y[each])
    assert_allclose(single.covariance("cluster", clusters=np.arange(90)), model.covariance() * 90 / 89, rtol=1e-9)


@few
@given(seeds)
def test_covariances_of_softmax_against_dense_algebra(seed):
    X, y = rows(seed, 90, 2, 3)
    model = LogisticRegression().fit(X, y)
    Z = np.column_stack([np.ones(len(X)), X])
    P = model.predict_proba(X)
    information = np.zeros((6, 6))
    scores = np.zeros((len(X), 6))
    for i, (z, p, label) in enumerate(zip(Z, P, y, strict=True)):
        information += np.kron(np.diag(p[1:]) - np.outer(p[1:], p[1:]), np.outer(z, z))
        scores[i] = np.kron((np.arange(3) == label)[1:] - p[1:], z)
    bread = np.linalg.inv(information)
    assert_allclose(model.covariance(), bread, rtol=1e-6, atol=1e-9)
    assert_allclose(model.covariance("HC0"), bread @ scores.T @ scores @ bread, rtol=1e-6, atol=1e-9)
    clusters = np.arange(len(X)) % 7
    sums = np.array([scores[clusters == g].sum(axis=0) for g in range(7)])
    found = model.covariance("cluster", clusters=clusters)
    assert_allclose(found, bread @ sums.T @ sums @ bread * 7 / 6, rtol=1e-5, atol=1e-8)


def test_robust_covariance_under_class_weights():
    """The sandwich of the weighted scores."""
    X, y = rows(5)
    model = LogisticRegression(class_weight={1: 3.0}).fit(X, y)
    Z, P = np.column_stack([np.ones(len(X)), X]), model.predict_proba(X)[:, 1]
    c = np.where(y == 1, 3.0, 1.0)
    bread = np.linalg.inv((Z * (c * P * (1 - P))[:, None]).T @ Z)
    scores = Z * (c * (y - P))[:, None]
    assert_allclose(model.covariance("HC0"), bread @ scores.T @ scores @ bread, rtol=1e-7)


# Intervals by profile


def least_deviance(X, y, fixed, value):
    """Minus twice the greatest log-likelihood with one coefficient held, by BFGS."""
    Z = np.column_stack([np.ones(len(X)), X])
    rest = np.delete(Z, fixed, axis=1)

    def half(b):
        s = Z[:, fixed] * value + rest @ b
        return np.logaddexp(0, s).sum() - s[y == 1].sum(), rest.T @ (expit(s) - y)

    return 2 * minimize(half, np.zeros(rest.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-10}).fun


@few
@given(seeds, st.sampled_from([1.0, 1e-8, 1e8]), st.sampled_from([0.5, 0.95]))
def test_ends_of_profile_intervals_satisfy_the_likelihood_equation(seed, unit, level):
    X, y = rows(seed, 60)
    model = LogisticRegression().fit(X * unit, y)
    found = model.confidence_intervals("profile", level=level)
    fall = {0.5: 0.454936423119572, 0.95: CHI2_95}[level]
    scale = np.array([1.0, unit, unit])
    for j in range(3):
        for end in (found.low[j], found.high[j]):
            assert_allclose(least_deviance(X, y, j, end * scale[j]) - model.deviance_, fall, atol=1e-8)
    assert (found.low < found.estimate).all()
    assert (found.estimate < found.high).all()


def test_profile_intervals_of_softmax_against_any_base():
    X, y = rows(3, 70, 1, 3)
    model = LogisticRegression().fit(X, y)
    a, b = (model.confidence_intervals("profile", base=base) for base in (0, 1))
    first = (a.outcome == 1) & (a.term == "x0")
    back = (b.outcome == 0) & (b.term == "x0")
    assert_allclose([a.low[first], a.high[first]], [-b.high[back], -b.low[back]], rtol=1e-8)
    Z = np.column_stack([np.ones(len(X)), X])

    def half(free, held):
        B = np.array([[0, 0], [free[0], held], [free[1], free[2]]])
        return -log_softmax(Z @ B.T, axis=1)[np.arange(len(X)), y].sum()

    for end in (a.low[first][0], a.high[first][0]):
        fit = minimize(half, np.zeros(3), args=(end,), method="BFGS", options={"gtol": 1e-7})
        assert_allclose(2 * fit.fun - model.deviance_, CHI2_95, atol=1e-6)


@pytest.mark.parametrize("seed", [0, 2])
def test_under_firths_correction_intervals_end_even_where_classes_are_apart(seed):
    """The penalised likelihood falls on both sides of its greatest value; its profile by Nelder and Mead's method."""
    X, _ = rows(seed, 40)
    y = (X[:, 0] + 0.1 * X[:, 1] > 0).astype(int)
    model = LogisticRegression(bias_reduction="firth").fit(X, y)
    found = model.confidence_intervals("profile")
    Z = np.column_stack([np.ones(len(X)), X])

    def penalised(b):
        s = Z @ b
        information = (Z * (expit(s) * expit(-s))[:, None]).T @ Z
        return np.logaddexp(0, np.where(y == 1, -s, s)).sum() - 0.5 * np.linalg.slogdet(information)[1]

    best = penalised(found.estimate)
    options = {"xatol": 1e-7, "fatol": 1e-10, "maxiter": 2000}
    for end in (found.low[1], found.high[1]):
        start = found.estimate[[0, 2]] * end / found.estimate[1]
        fit = minimize(
            lambda b, end=end: penalised(np.array([b[0], end, b[1]])), start, method="Nelder-Mead", options=options
        )
        assert_allclose(2 * (fit.fun - best), CHI2_95, atol=1e-6)


@pytest.mark.parametrize("kind", ["wald", "profile"])
def test_intervals_end_at_every_level_below_one(kind):
    X, y = rows(1, 60)
    model = LogisticRegression().fit(X, y)
    wide, widest = (model.confidence_intervals(kind, level=level) for level in (1 - 1e-9, np.nextafter(1.0, 0.0)))
    assert (widest.low < wide.low).all()
    assert (wide.high < widest.high).all()
    assert np.isfinite(widest.high - widest.low).all()


def test_the_widest_interval():
    """R 4.2.2: -qnorm(2^-54)."""
    X, y = rows(1, 60)
    model = LogisticRegression().fit(X, y)
    widest = model.confidence_intervals(level=np.nextafter(1.0, 0.0))
    assert_allclose((widest.high - widest.estimate) / model.summary().standard_error, 8.2923610758136, rtol=1e-12)


# Likelihood-ratio tests


@few
@given(seeds, st.sampled_from([2, 3]))
def test_a_term_test_is_the_difference_of_two_fits(seed, K):
    X, y = rows(seed, 90, 3, K)
    model = LogisticRegression().fit(X, y)
    tests = model.term_tests([0, 1, 2, [0, 2]])
    for statistic, df, columns in zip(tests.statistic, tests.df, [[0], [1], [2], [0, 2]], strict=True):
        smaller = LogisticRegression().fit(np.delete(X, columns, axis=1), y)
        assert_allclose(statistic, smaller.deviance_ - model.deviance_, atol=1e-8)
        found = model.likelihood_ratio_test(smaller)
        assert_allclose([found.statistic, found.df], [statistic, df], atol=1e-8)
        assert df == (K - 1) * len(columns)


def test_leaving_all_columns_out_is_the_null_model():
    X, y = rows(1, 60, 3, 3)
    model = LogisticRegression().fit(X, y)
    found = model.term_tests([[0, 1, 2]])
    assert_allclose(found.statistic, [model.null_deviance_ - model.deviance_], rtol=1e-9)


def test_columns_by_the_names_that_are_printed():
    X, y = rows(2, 60, 2)
    model = LogisticRegression().fit(X, y)
    by_number, by_name = model.term_tests([0, [1, 0]]), model.term_tests(["x0", ["x1", "x0"]])
    assert by_name.term.tolist() == ["x0", "x1 + x0"]
    assert by_name.to_dict() == by_number.to_dict()
    twice = model.term_tests([["x0", 0]])
    assert twice.term.tolist() == ["x0"]
    assert twice.statistic == by_name.statistic[0]


# Invariance


@few
@given(seeds, st.sampled_from([2, 3]), st.sampled_from([1e-8, 1e8]), st.sampled_from([0.0, 1e6]))
def test_units_and_origins_do_not_matter(seed, K, unit, shift):
    X, y = rows(seed, 90, 2, K)
    a = LogisticRegression().fit(X, y).summary()
    b = LogisticRegression().fit((X + shift) * unit, y).summary()
    slopes = a.term != "(intercept)"
    assert_allclose(a.z[slopes], b.z[slopes], rtol=1e-6, atol=1e-7)
    assert_allclose(a.p_value[slopes], b.p_value[slopes], rtol=1e-5, atol=1e-12)
    assert_allclose(a.standard_error[slopes], b.standard_error[slopes] * unit, rtol=1e-6)
    if not shift:
        assert_allclose(a.z, b.z, rtol=1e-6, atol=1e-7)


@few
@given(seeds, st.sampled_from([2, 3]))
def test_weights_are_repetition(seed, K):
    X, y = rows(seed, 60, 2, K)
    weight = np.random.default_rng(seed).integers(0, 4, 60)
    weight[:K] = 1
    clusters = np.arange(60) % 11
    each = np.repeat(np.arange(60), weight)
    a = LogisticRegression().fit(X, y, sample_weight=weight)
    b = LogisticRegression().fit(X[each], y[each])
    for kind in ("model", "HC0", "HC1"):
        assert_allclose(a.covariance(kind), b.covariance(kind), rtol=1e-6, atol=1e-9)
    assert_allclose(a.covariance("cluster", clusters), b.covariance("cluster", clusters[each]), rtol=1e-6, atol=1e-9)
    assert_allclose([a.aic_, a.bic_, a.mcfadden_], [b.aic_, b.bic_, b.mcfadden_], rtol=1e-9)
    assert_allclose(a.term_tests().statistic, b.term_tests().statistic, rtol=1e-6, atol=1e-8)
    if K == 2:
        assert_allclose(a.hosmer_lemeshow(5).statistic, b.hosmer_lemeshow(5).statistic, rtol=1e-6)


@few
@given(seeds)
def test_bases_agree(seed):
    """Class k against l is minus l against k, with one standard error; and differences of two others."""
    X, y = rows(seed, 90, 2, 3)
    model = LogisticRegression().fit(X, np.array(["a", "b", "c"])[y])
    tables = {base: model.summary(base=base) for base in "abc"}

    def of(base, outcome):
        chosen = tables[base].outcome == outcome
        return tables[base].estimate[chosen], tables[base].standard_error[chosen]

    for k, base in ("ab", "ac", "bc"):
        assert_allclose(of(k, base)[0], -of(base, k)[0], rtol=1e-9)
        assert_allclose(of(k, base)[1], of(base, k)[1], rtol=1e-7)
    assert_allclose(of("b", "c")[0], of("a", "c")[0] - of("a", "b")[0], rtol=1e-8, atol=1e-10)
    relative = softmax(
        np.column_stack([np.zeros(90), *(np.column_stack([np.ones(90), X]) @ of("a", k)[0] for k in "bc")]), 1
    )
    assert_allclose(relative, model.predict_proba(X), atol=1e-9)


def test_sparse_rows_and_frames_give_the_same():
    X, y = rows(2, 60, 3)
    X[np.abs(X) < 0.5] = 0.0
    dense, thin = (LogisticRegression().fit(made, y) for made in (X, sparse.csr_array(X)))
    for kind in ("model", "HC0"):
        assert_allclose(thin.covariance(kind), dense.covariance(kind), rtol=1e-8)
    assert_allclose(thin.term_tests().statistic, dense.term_tests().statistic, atol=1e-9)
    assert_allclose(thin.hosmer_lemeshow().statistic, dense.hosmer_lemeshow().statistic, rtol=1e-8)
