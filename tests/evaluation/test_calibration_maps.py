"""Each map against an independent program, or arithmetic, that does the same."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.isotonic import IsotonicRegression, isotonic_regression
from sklearn.linear_model import LogisticRegression

from distinguo.evaluation.calibration.kernels import of_map, of_temperature, with_one_inserted
from distinguo.evaluation.calibration.logistic_maps import fit_beta, fit_platt
from distinguo.evaluation.calibration.maps import fit_calibration
from distinguo.evaluation.calibration.scores import leads, log_odds
from distinguo.evaluation.calibration.step_maps import fit_isotonic, fit_venn_abers
from distinguo.evaluation.calibration.temperature import HeldOut, Temperature, fit_temperature
from tests.evaluation.calibration_cases import Array, drawn


def binary_rows(n: int, distort: Any, seed: int = 0) -> tuple[Array, NDArray[np.bool_], Array]:
    """Log odds, and outcomes whose log odds are a distortion of them."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(scale=2.0, size=n)
    return odds, rng.random(n) < expit(distort(odds)), np.ones(n)


def held_out(scores: Array, codes: NDArray[np.intp], evidence: Array | None = None) -> HeldOut:
    return HeldOut(scores, codes, np.ones(len(codes)), evidence)


@pytest.mark.parametrize("true", [0.25, 1.0, 8.0])
def test_temperature_is_that_of_maximum_likelihood(true: float) -> None:
    """SciPy finds the same from the likelihood alone: of 4 000 rows the priors move it by next to nothing."""
    rng = np.random.default_rng(1)
    scores = rng.normal(scale=3.0, size=(4000, 4)) * true
    codes = drawn(softmax(scores / true, axis=1), rng)

    def loss(power: Array) -> float:
        return float(-log_softmax(scores * np.exp(-power[0]), axis=1)[np.arange(4000), codes].mean())

    theirs = np.exp(minimize(loss, [np.log(true)], method="Nelder-Mead", tol=1e-10).x[0])
    found = fit_temperature(held_out(scores, codes))
    assert found.a == pytest.approx(theirs, rel=2e-3)
    assert found.a == pytest.approx(true, rel=0.1)
    assert found.b == 0


def test_temperature_grows_as_the_rows_say() -> None:
    rng = np.random.default_rng(2)
    evidence = rng.integers(1, 400, 6000).astype(float)
    honest = rng.normal(scale=2.0, size=(6000, 3))
    codes = drawn(softmax(honest, axis=1), rng)
    true = 0.5 * (1 + evidence) ** 0.7
    found = fit_temperature(held_out(honest * true[:, None], codes, evidence))
    assert found.b == pytest.approx(0.7, abs=0.05)
    np.testing.assert_allclose(found.of(evidence)[:, 0], true, rtol=0.1)


def test_evidence_that_is_the_same_for_all_leaves_one_temperature() -> None:
    rng = np.random.default_rng(3)
    scores, codes = rng.normal(size=(100, 3)), rng.integers(0, 3, 100)
    plain = fit_temperature(held_out(scores, codes))
    assert fit_temperature(held_out(scores, codes, np.full(100, 7.0))) == plain


def test_rows_that_are_all_right_leave_a_temperature_above_zero() -> None:
    scores = np.array([[0.0, -5.0], [-5.0, 0.0]] * 20)
    temperature = fit_temperature(held_out(scores, np.arange(40) % 2)).a
    # Far surer than the scores are it may not be: 40 rows without an error.
    assert 0.4 < temperature < 2
    assert softmax(scores / temperature, axis=1).max() < 1 - 1e-6


def test_a_row_that_is_wrong_by_thousands_does_not_heat_all_others() -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(scale=3.0, size=(500, 3))
    codes = drawn(softmax(scores, axis=1), rng)
    scores[0] = [0.0, -1e6, -1e6]
    codes[0] = 1
    assert fit_temperature(held_out(scores, codes)).a == pytest.approx(1, abs=0.15)


def test_scores_that_are_all_the_same_have_nothing_to_scale() -> None:
    found = fit_temperature(held_out(np.zeros((10, 3)), np.arange(10) % 3))
    assert (found.a, found.b) == (1.0, 0.0)
    assert found.scaled(np.ones((1, 3)), None).tolist() == [[0.0, 0.0, 0.0]]


def test_impossible_classes_are_less_likely_than_those_that_are_not() -> None:
    scores = np.array([[0.0, -np.inf, -3.0], [0.0, -100.0, -np.inf]])
    scaled = Temperature(1.0, 0.0, -20.0).scaled(scores, None)
    assert scaled.tolist() == [[0.0, -20.0, -3.0], [0.0, -100.0, -200.0]]


def test_infinite_scores_and_all_impossible_rows_lead_to_numbers() -> None:
    assert leads(np.array([[0.0, np.inf], [np.inf, np.inf]])).tolist() == [[-np.inf, 0.0], [0.0, 0.0]]


def test_log_odds_are_exact_near_zero_and_one() -> None:
    scores = np.array([[0.0, -1.0, -800.0], [0.0, -800.0, -900.0], [0.0, 0.0, 0.0]])
    odds = log_odds(scores)
    p = softmax(scores, axis=1)
    np.testing.assert_allclose(expit(odds), p, rtol=1e-12)
    assert odds[1].tolist() == [800.0, -800.0, -900.0]
    assert odds[0, 2] == pytest.approx(-800 - np.log(1 + np.exp(-1)), rel=1e-15)


def test_platt_is_logistic_regression_of_the_log_odds() -> None:
    odds, is_own, weight = binary_rows(20_000, lambda s: 0.5 * s - 1)
    theirs = LogisticRegression(C=1e12, tol=1e-10).fit(odds[:, None], is_own)
    ours = fit_platt(odds, is_own, weight)
    assert ours.slope == pytest.approx(theirs.coef_[0, 0], abs=2e-3)
    assert ours.offset == pytest.approx(theirs.intercept_[0], abs=2e-3)


def test_beta_is_logistic_regression_of_log_p_and_log_one_less_p() -> None:
    """Kull, Silva Filho and Flach's section 4 fits it so; slopes far from one, of rows enough to outweigh the prior."""
    odds, is_own, weight = binary_rows(40_000, lambda s: 0.6 * log_expit(s) - 1.7 * log_expit(-s) + 0.5)
    columns = np.column_stack([log_expit(odds), -log_expit(-odds)])
    theirs = LogisticRegression(C=1e12, tol=1e-10).fit(columns, is_own)
    ours = fit_beta(odds, is_own, weight)
    np.testing.assert_allclose([ours.a, ours.b], theirs.coef_[0], atol=5e-3)
    assert ours.c == pytest.approx(theirs.intercept_[0], abs=5e-3)
    np.testing.assert_allclose([ours.a, ours.b, ours.c], [0.6, 1.7, 0.5], atol=0.15)


@pytest.mark.parametrize("fit", [fit_platt, fit_beta])
def test_maps_never_turn_the_order_round(fit: Any) -> None:
    odds, is_own, weight = binary_rows(200, lambda s: -2 * s)
    found = fit(odds, is_own, weight)
    yes, no = found.logs(np.sort(odds))
    assert (np.diff(yes) > 0).all()
    # All they say is how common the class is.
    np.testing.assert_allclose(np.exp(yes), is_own.mean(), atol=0.02)
    np.testing.assert_allclose(np.exp(yes) + np.exp(no), 1)


def test_one_slope_of_beta_may_be_nothing_without_the_other() -> None:
    """Below one half the probability says nothing, above it all."""
    odds, is_own, weight = binary_rows(5000, lambda s: -0.3 * log_expit(s) - 2 * log_expit(-s) - 1)
    found = fit_beta(odds, is_own, weight)
    assert found.a == 1e-6
    assert found.b > 1


def test_rows_apart_leave_slopes_that_are_finite() -> None:
    odds, is_own, weight = np.array([-3.0, -2.0, 2.0, 3.0]), np.array([False, False, True, True]), np.ones(4)
    assert 1 < fit_platt(odds, is_own, weight).slope < 3


def test_isotonic_is_that_of_scikit_learn_away_from_the_ends() -> None:
    odds, is_own, weight = binary_rows(3000, np.tanh)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(odds, is_own)
    inner = np.quantile(odds, np.linspace(0.1, 0.9, 50))
    yes, _ = fit_isotonic(odds, is_own, weight).logs(inner)
    np.testing.assert_allclose(np.exp(yes), theirs.predict(inner), atol=1e-8)


def test_isotonic_has_half_a_row_of_doubt_at_either_end() -> None:
    odds, is_own = np.arange(8.0), np.repeat([False, True], [5, 3])
    yes, _ = fit_isotonic(odds, is_own, np.ones(8)).logs(np.array([-9.0, 0.0, 4.0, 5.0, 99.0]))
    np.testing.assert_allclose(np.exp(yes), [0.5 / 5.5, 0.5 / 5.5, 0.5 / 5.5, 3 / 3.5, 3 / 3.5], atol=1e-8)


def test_venn_abers_is_isotonic_regression_done_twice() -> None:
    """scikit-learn's, with the row in the class and not in it, at scores seen, between and beyond."""
    rng = np.random.default_rng(5)
    odds = np.round(rng.normal(size=60), 1)
    is_own, weight = rng.random(60) < expit(2 * odds), rng.integers(1, 4, 60).astype(float)
    found = fit_venn_abers(odds, is_own, weight)
    for asked in [*np.unique(odds), -9.0, 0.05, 0.117, 9.0]:
        pair = []
        for label in (0.0, 1.0):
            x, t, w = np.append(odds, asked), np.append(is_own, label), np.append(weight, 1.0)
            pair.append(IsotonicRegression().fit(x, t, sample_weight=w).predict([asked])[0])
        np.testing.assert_allclose([float(part) for part in found.pair(np.asarray(asked))], pair, atol=1e-12)
        yes, no = found.logs(np.asarray(asked))
        assert float(np.exp(yes)) == pytest.approx(pair[1] / (1 - pair[0] + pair[1]), abs=1e-8)
        assert float(np.exp(yes) + np.exp(no)) == pytest.approx(1, abs=1e-12)


def test_one_inserted_everywhere_costs_no_digits() -> None:
    rng = np.random.default_rng(6)
    for trial in range(300):
        q = int(rng.integers(1, 25))
        rows = rng.random(q) * 3 + 0.01 if trial % 2 else rng.integers(1, 4, q).astype(float)
        share = (rng.random(q), (rng.random(q) < np.linspace(0, 1, q)).astype(float), np.ones(q))[trial % 3]
        expected = [
            isotonic_regression(np.insert(share, i, 1.0), sample_weight=np.insert(rows, i, 1.0))[i] for i in range(q)
        ]
        np.testing.assert_allclose(with_one_inserted(rows, rows * share), expected, atol=1e-12)


def test_derivatives_are_those_of_the_values() -> None:
    rng = np.random.default_rng(7)
    n, K = 50, 3
    leads_, codes = -rng.exponential(2.0, (n, K)), rng.integers(0, K, n)
    leads_[:, 0] = 0
    design, weight, at = np.column_stack([np.ones(n), rng.normal(size=n)]), rng.random(n), np.array([0.3, -0.2])

    def sums(theta: Array) -> tuple[float, Array, Array]:
        slopes, curves = np.zeros((3, 2)), np.zeros((2, 2, 2))
        return of_temperature(leads_, codes, weight, design, theta, 0.02, slopes, curves)[0], slopes, curves

    def map_sums(theta: Array) -> tuple[float, Array]:
        slopes, curves = np.zeros(2), np.zeros((2, 2))
        return of_map(design.T.copy(), codes > 0, weight, theta, 0.02, slopes, curves), slopes

    for a in range(2):
        step = np.eye(2)[a] * 1e-5
        above, below = sums(at + step), sums(at - step)
        assert (above[0] - below[0]) / 2e-5 == pytest.approx(sums(at)[1][0, a], rel=1e-6)
        np.testing.assert_allclose((above[1][0] - below[1][0]) / 2e-5, sums(at)[2][0, a], rtol=1e-5)
        upper, lower = map_sums(at + step), map_sums(at - step)
        assert (upper[0] - lower[0]) / 2e-5 == pytest.approx(map_sums(at)[1][a], rel=1e-6)


def test_a_class_without_rows_held_out_shares_the_map_of_all() -> None:
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(300, 3)) * 2
    codes = drawn(softmax(scores[:, :2], axis=1), rng)
    calibration = fit_calibration(held_out(scores, codes), fit_platt)
    odds = log_odds(calibration.temperature.scaled(scores, None))
    pooled = fit_platt(odds.reshape(-1), (codes[:, None] == np.arange(3)).reshape(-1), np.ones(900))
    assert calibration.maps[2] == pooled
    assert calibration.maps[0] != pooled
