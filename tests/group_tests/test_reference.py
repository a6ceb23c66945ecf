"""The numbers of R, printed beside the call that gave them, and of definitions written out."""

from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.datasets import load_iris

from distinguo import (
    MemorySource,
    Moments,
    box_m,
    canonical_correlations,
    greedy_wilks,
    mahalanobis_distances,
    manova,
    mardia,
)
from distinguo.group_tests.mardia import kurtosis_score
from distinguo.group_tests.tails import f_tail

IRIS: tuple[NDArray[Any], NDArray[Any]] = load_iris(return_X_y=True)
ROWS = np.arange(1, 61)


def waves(p: int, K: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """R: i <- 1:60; X <- outer(i, 1:p, \\(i, j) sin(i * j^2)) + outer(i %% K, 1:p, \\(g, j) g * (j %% 2) / 4)."""
    j = np.arange(1, p + 1)
    return np.sin(ROWS[:, None] * j**2) + (ROWS % K)[:, None] * (j % 2) / 4, ROWS % K


# R: summary(manova(X ~ y), test = ...)$stats: statistic, F, num Df, den Df, p.
MANOVA = {
    "iris": [
        (0.023438631, 199.14534, 8, 288, 1.3650058e-112),
        (1.1918988, 53.466489, 8, 290, 9.7421627e-53),
        (32.47732, 580.5321, 8, 286, 6.4361762e-172),
        (32.191929, 1166.9574, 4, 145, 3.7872976e-109),
    ],
    (3, 2): [
        (0.933160313402294, 1.33704159071536, 3, 56, 0.271558218186253),
        (0.066839686597706, 1.33704159071536, 3, 56, 0.271558218186253),
        (0.071627228074037, 1.33704159071536, 3, 56, 0.271558218186253),
        (0.071627228074037, 1.33704159071536, 3, 56, 0.271558218186253),
    ],
    (2, 3): [
        (0.901233546821097, 1.49438580169438, 4, 112, 0.208677715968646),
        (0.0996099644816768, 1.49384280840722, 4, 114, 0.208704434020022),
        (0.108654346280752, 1.49399726136034, 4, 110, 0.208933696632618),
        (0.0992213797088426, 2.82780932170201, 2, 57, 0.0674641024968258),
    ],
    (4, 5): [
        (0.612982089010474, 1.73203096406054, 16, 159.500250250062, 0.0455617386343265),
        (0.393853251705005, 1.50173650406886, 16, 220, 0.10056071980795),
        (0.620273849689344, 1.95773933808199, 16, 202, 0.0174401434131804),
        (0.602091736903272, 8.27876138241999, 4, 55, 2.66388996338906e-05),
    ],
    (2, 6): [
        (0.313019740847694, 8.34610768898371, 10, 106, 7.02848458424044e-10),
        (0.693868852307887, 5.73738986178105, 10, 108, 7.20473996912098e-07),
        (2.17267979378858, 11.2979349277006, 10, 104, 7.14443284763716e-13),
        (2.16250320918141, 23.3550346591593, 5, 54, 2.06591290716565e-12),
    ],
}


@pytest.mark.parametrize("case", list(MANOVA))
def test_manova_as_r(case: Any) -> None:
    table = manova(*(IRIS if case == "iris" else waves(*case)))
    ours = np.column_stack([table.statistic, table.f, table.numerator, table.denominator, table.p_value])
    np.testing.assert_allclose(ours, MANOVA[case], rtol=3e-8 if case == "iris" else 1e-10)


def test_one_column_is_the_analysis_of_variance() -> None:
    # R: anova(lm(X ~ factor(i %% 4)))
    table = manova(*waves(1, 4))
    np.testing.assert_allclose(table.f, 3.54358812481069, rtol=1e-11)
    np.testing.assert_allclose(table.p_value, 0.0201724445891277, rtol=1e-11)


# R: cancor(X, model.matrix(~ factor(y))[, -1])$cor
@pytest.mark.parametrize(
    ("rows", "correlations"),
    [
        (IRIS, [0.984820894432, 0.471197019230]),
        (waves(4, 5), [0.613038349468118, 0.102230844577559, 0.0738856011921388, 0.0461194767950192]),
        (waves(2, 6), [0.826918851687307, 0.100369641984175]),
        (waves(3, 2), [0.258533724294735]),
    ],
)
def test_canonical_correlations_as_r(rows: Any, correlations: list[float]) -> None:
    np.testing.assert_allclose(canonical_correlations(*rows).correlation, correlations, rtol=1e-10)


def test_sequential_tests_of_canonical_correlations() -> None:
    """SAS/STAT's example of PROC CANDISC on iris: likelihood ratio .02343863 and .77797337, F 199.15 and 13.79."""
    table = canonical_correlations(*IRIS)
    np.testing.assert_allclose(table.wilks, [0.02343863, 0.77797337], atol=5e-9)
    np.testing.assert_allclose(table.f, [199.15, 13.79], atol=5e-3)
    np.testing.assert_array_equal(table.numerator, [8, 3])
    np.testing.assert_array_equal(table.denominator, [288, 145])
    # Bartlett's statistic by its definition, n - 1 - (p + K)/2 = 145.5.
    np.testing.assert_allclose(table.chi_squared, -145.5 * np.log(table.wilks), rtol=1e-12)
    np.testing.assert_allclose(table.chi_squared_p_value, stats.chi2.sf(table.chi_squared, [8, 3]), rtol=1e-9)


def test_box_m_as_r() -> None:
    """R, Box's formulae on the covariances of iris: M, chi-squared, df, p, F, df1, df2, p."""
    table = box_m(*IRIS)
    assert table.m == pytest.approx(146.66325, rel=5e-8)
    np.testing.assert_allclose(table.statistic, [140.94305, 7.0452617], rtol=5e-8)
    np.testing.assert_allclose(table.numerator, 20)
    np.testing.assert_allclose(table.denominator, [np.inf, 77566.751], rtol=5e-8)
    np.testing.assert_allclose(table.p_value, [3.3520342e-20, 3.578106e-20], rtol=3e-7)


# R: bartlett.test(X[, 1], factor(i %% K))$statistic, which is M over one plus Bartlett's correction.
@pytest.mark.parametrize(("K", "bartlett"), [(3, 0.182604778097181), (6, 12.4270574707108)])
def test_box_m_of_one_column_is_bartlett(K: int, bartlett: float) -> None:
    X, y = waves(1, K)
    rows = np.bincount(y)
    correction = ((1 / (rows - 1)).sum() - 1 / (60 - K)) / (3 * (K - 1))
    assert box_m(X, y).m == pytest.approx(bartlett * (1 + correction), rel=1e-10)


def test_greedy_wilks_as_klar() -> None:
    """klaR: greedy.wilks(iris[, 1:4], iris$Species), whose last p is 1 - pf(...) and so has no digits below 1e-16."""
    table = greedy_wilks(*IRIS)
    np.testing.assert_array_equal(table.column, [2, 1, 3, 0])
    np.testing.assert_allclose(table.wilks, [0.05862828, 0.03688411, 0.02497554, 0.02343863], rtol=2e-7)
    np.testing.assert_allclose(table.f, [1180.1612, 307.1047, 257.5032, 199.1453], rtol=3e-7)
    np.testing.assert_allclose(table.p_value, [2.856777e-91, 2.848870e-103, 5.036981e-113, 1.365006e-112], rtol=1e-6)
    np.testing.assert_allclose(table.partial_f, [1180.161182, 43.035453, 34.568686, 4.721152], rtol=2e-7)
    # R: pf(F, 2, c(147, 146, 145, 144), lower.tail = FALSE)
    np.testing.assert_allclose(
        table.partial_p_value, [2.85677661096e-91, 2.02977331e-15, 5.2963441e-13, 0.0103288373778], rtol=3e-6
    )


def test_distances_as_r() -> None:
    """R: mahalanobis(mean1, mean2, W / 147), and pf(F, 4, 144, lower.tail = FALSE)."""
    table = mahalanobis_distances(*IRIS)
    np.testing.assert_allclose(table.squared_distance, [89.8641855821, 179.384712514, 17.2010664284], rtol=1e-10)
    np.testing.assert_allclose(table.f, [550.188891319, 1098.27375009, 105.312651602], rtol=1e-10)
    np.testing.assert_allclose(table.p_value, [3.90175681279e-86, 9.19608826105e-107, 9.51472127713e-42], rtol=1e-8)
    np.testing.assert_allclose(table.holm_p_value, table.p_value * [2, 3, 1])
    np.testing.assert_allclose(table.matrix[0, 2], 179.384712514)


# R: psych::mardia(X)[c("b1p", "b2p")], which whitens by the unbiased covariance, n / (n - 1) times ours.
@pytest.mark.parametrize(
    ("X", "skewness", "kurtosis"),
    [
        (IRIS[0][:50], 2.89860908965, 25.4867649774),
        (IRIS[0][50:100], 2.84447176534, 21.9733521108),
        (waves(3, 2)[0], 0.137702316357205, 10.2308960392097),
    ],
)
def test_mardia_as_psych(X: NDArray[Any], skewness: float, kurtosis: float) -> None:
    table = mardia(X, ["a"] * len(X))
    ratio = (len(X) - 1) / len(X)
    assert table.skewness[0] * ratio**3 == pytest.approx(skewness, rel=1e-9)
    assert table.kurtosis[0] * ratio**2 == pytest.approx(kurtosis, rel=1e-9)


def test_kurtosis_of_one_column_is_anscombe_and_glynn() -> None:
    x = np.random.default_rng(0).standard_t(6, 80)
    table = mardia(x[:, None], ["a"] * 80)
    peer = stats.kurtosistest(x)
    assert kurtosis_score(table.kurtosis, table.weight, np.array([1]))[0] == pytest.approx(peer.statistic)
    assert table.kurtosis_p_value[0] == pytest.approx(peer.pvalue)


@pytest.mark.parametrize(
    ("f", "numerator", "denominator"),
    [(580.5321, 8, 286), (1e4, 3, 400), (2500.0, 10, 500.5), (0.3, 5, 7), (4.0, 1e4, 3.5), (1.001, 500, 1e6)],
)
def test_tail_of_f_keeps_its_digits(f: float, numerator: float, denominator: float) -> None:
    with mpmath.workdps(40):
        x = mpmath.mpf(denominator) / (denominator + mpmath.mpf(numerator) * f)
        exact = mpmath.betainc(mpmath.mpf(denominator) / 2, mpmath.mpf(numerator) / 2, 0, x, regularized=True)
    assert float(f_tail(f, numerator, denominator)) == pytest.approx(float(exact), rel=1e-9)


def test_moments_hold_all_that_is_needed() -> None:
    """The tests between classes from one pass over the rows, made elsewhere."""
    moments = MemorySource(*IRIS).aggregate(Moments("full"))
    assert manova(moments).p_value[2] == pytest.approx(6.4361762e-172, rel=3e-8)
    assert box_m(moments).m == pytest.approx(146.66325, rel=5e-8)
