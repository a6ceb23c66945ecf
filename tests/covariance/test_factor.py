"""Covariances are taken apart and put together again, whatever the units."""

import numpy as np
import pytest

from distinguo.covariance.factor import compose, correlation_of, embed, factorise
from distinguo.covariance.scale import CONSTANT, VARIANCE_FLOOR, column_scale


def covariance(p: int = 4, seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(p, p))
    return A @ A.T


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9, [1e-9, 1e9, 1.0, 1e3]])
def test_a_factor_is_the_covariance(scale: object) -> None:
    s = np.broadcast_to(np.asarray(scale), 4)
    matrix = covariance() * s * s[:, None]
    factor = factorise(matrix)
    np.testing.assert_allclose(factor.colour @ factor.colour.T / s / s[:, None], covariance(), atol=1e-12)
    np.testing.assert_allclose(factor.whiten.T @ factor.colour, np.eye(4), atol=1e-12)
    assert factor.log_det == pytest.approx(np.linalg.slogdet(covariance())[1] + 2 * np.log(s).sum())
    assert factor.null.shape == (4, 0)


def test_null_directions_are_found_on_the_correlation_scale() -> None:
    A = np.vstack([covariance(3)[:2], covariance(3)[:1] - covariance(3)[1:2]])
    s = np.array([1e-9, 1e9, 1.0])
    factor = factorise((A @ A.T) * s * s[:, None])
    assert factor.null.shape == (3, 1)
    assert factor.whiten.shape == factor.colour.shape == (3, 2)
    np.testing.assert_allclose(factor.colour @ factor.colour.T / s / s[:, None], A @ A.T, atol=1e-10)


@pytest.mark.parametrize(("least", "rank"), [(1e-2, 4), (1e-6, 4), (3e-9, 4), (3e-10, 4), (1e-11, 3), (0.0, 3)])
def test_rank_is_judged_at_one_place_whichever_way_it_is_found(least: float, rank: int) -> None:
    """Matrices beyond doubt go by Cholesky, the others by their eigenvalues; least over largest eigenvalue of 1e-10."""
    close = 1 - least  # two columns so correlated have the eigenvalues 1 ± close
    matrix = np.eye(4)
    matrix[0, 1] = matrix[1, 0] = close
    s = np.array([1e-6, 1.0, 1e6, 1.0])
    factor = factorise(matrix * s * s[:, None])
    assert factor.whiten.shape == factor.colour.shape == (4, rank)
    assert factor.null.shape == (4, 4 - rank)
    np.testing.assert_allclose(factor.whiten.T @ factor.colour, np.eye(rank), atol=1e-10)
    np.testing.assert_allclose(factor.colour @ factor.colour.T / s / s[:, None], matrix, atol=1e-10)
    if rank == 4:
        expected = np.log1p(close) + np.log(least) + 2 * np.log(s).sum()
        assert factor.log_det == pytest.approx(expected, abs=1e-5)


def test_columns_without_variance_take_no_part() -> None:
    matrix = np.zeros((3, 3))
    matrix[:2, :2] = covariance(2)
    correlation, deviation = correlation_of(matrix)
    assert np.diagonal(correlation).tolist() == [1, 1, 1]
    assert deviation[2] == 0
    factor = factorise(matrix)
    assert not factor.whiten[2].any()
    assert not factor.colour[2].any()


def test_factors_compose_and_embed() -> None:
    outer = factorise(covariance(3))
    matrix = covariance(3, seed=1)
    inner = factorise(outer.whiten.T @ matrix @ outer.whiten)
    whole = compose(outer, inner)
    np.testing.assert_allclose(whole.colour @ whole.colour.T, matrix)
    assert whole.log_det == pytest.approx(np.linalg.slogdet(matrix)[1])
    wide = embed(whole, np.array([0, 2, 3]), 5)
    np.testing.assert_allclose((wide.colour @ wide.colour.T)[np.ix_([0, 2, 3], [0, 2, 3])], matrix)
    assert not wide.whiten[[1, 4]].any()


def test_columns_are_judged_by_their_spread() -> None:
    weight = np.array([[10.0], [10.0]])
    mean = np.array([[5.0, 1.0, 0.0, 1e6], [5.0, 2.0, 0.0, 1e6]])
    squares = np.array([[0.0, 0.0, 3.0, 1e-20], [0.0, 0.0, 3.0, 1e-20]])
    scale = column_scale(weight, mean, squares)
    assert scale.constant.tolist() == [True, False, False, True]
    assert scale.deciding.tolist() == [False, True, False, False]
    assert not scale.overflowing.any()
    np.testing.assert_allclose(scale.floor[1], VARIANCE_FLOOR * 0.25)
    np.testing.assert_allclose(scale.floor[2], VARIANCE_FLOOR * 0.3)


def test_what_is_constant_and_what_varies_by_a_few_roundings() -> None:
    weight = np.array([[1.0], [1.0]])
    for roundings, constant in ((0.5, True), (2.0, False)):
        spread = roundings * CONSTANT * 7.0
        scale = column_scale(weight, np.array([[7.0 - spread], [7.0 + spread]]), np.zeros((2, 1)))
        assert scale.constant.tolist() == [constant]


@pytest.mark.parametrize(("value", "constant", "overflowing"), [(1e-170, True, False), (1e200, False, True)])
def test_squares_below_and_beyond_what_numbers_hold(value: float, constant: bool, overflowing: bool) -> None:
    with np.errstate(all="raise", under="ignore", over="ignore"):
        squares = np.array([[value * value]])
    scale = column_scale(np.array([[1.0], [1.0]]), np.array([[-value], [value]]), squares)
    assert (scale.constant.tolist(), scale.overflowing.tolist()) == ([constant], [overflowing])
    assert scale.vanishing.tolist() == [constant]  # it varies, by too little to square


@pytest.mark.parametrize("value", [0.0, 1e-300, 1e-10, 1.0, 1e10])
def test_a_constant_is_not_a_number_too_small_to_square(value: float) -> None:
    scale = column_scale(np.array([[3.0], [2.0]]), np.full((2, 1), value), np.zeros((1, 1)))
    assert (scale.constant.tolist(), scale.vanishing.tolist()) == ([True], [False])
