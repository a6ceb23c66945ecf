"""Newton's method where rounding, not the function, has the last word."""

from collections.abc import Callable

import numpy as np

from distinguo.solvers.newton import Point, newton

CURVATURE = np.array([1.0, 1e-10])


def noisy(seed: int, noise: float, value: float) -> Callable[[np.ndarray, bool], Point]:
    """A quadratic with its least value at ones, whose gradient is known to `noise` only."""
    rng = np.random.default_rng(seed)

    def evaluate(at: np.ndarray, curvature: bool) -> Point:
        away = at - 1
        gradient = CURVATURE * away + rng.normal(scale=noise, size=2)
        return Point(at, value + 0.5 * float(CURVATURE @ away**2), gradient, np.diag(CURVATURE) if curvature else None)

    return evaluate


def test_steps_that_are_rounding_over_a_flat_direction_end_the_search() -> None:
    for seed in range(20):
        found = newton(noisy(seed, 1e-13, 1e4), np.zeros(2), weight=1.0, max_iter=200, endless=False)
        assert found.status == "converged"
        np.testing.assert_allclose(found.value.at, 1.0, atol=10 * 1e-13 / CURVATURE[1])


def test_steps_below_the_rounding_of_the_value_are_taken_while_they_shrink() -> None:
    # 1e6 + x² / 2 is 1e6 in floating point for every |x| < 1e-5, and the gradient knows better.
    found = newton(noisy(0, 0.0, 1e6), np.full(2, 1 + 1e-6), weight=1.0, tol=1e-12, endless=False)
    assert found.status == "converged"
    np.testing.assert_allclose(found.value.at, 1.0, atol=1e-11)
