"""Newton's method for a convex function: damped, and sparing of second derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from distinguo.solvers.solution import Solution, Status

Array = NDArray[np.float64]

# A step that is not below this share of the one before calls for fresh second derivatives.
POOR = 0.5
# A step that is still this long where next to nothing is gained leads to infinity.
LONG_STEP, NO_GAIN = 1e-2, 1e-5
# A decrease that is this share of the value, or less, is rounding.
ROUNDING = 1e-14
# The share of the predicted decrease that a step must bring, and how often it is halved for that.
ENOUGH, HALVINGS = 1e-4, 40


@dataclass(frozen=True, eq=False)
class Point:
    """A function at a point.

    Attributes
    ----------
    at : (d,) the point.
    value : of the function.
    gradient : (d,)
    curvature : (d, d) second derivatives, or None where they were not asked for.
    final : whether nothing is to be gained from here on, for a reason that the function knows.
    """

    at: Array
    value: float
    gradient: Array
    curvature: Array | None
    final: bool = False


def newton(
    evaluate: Callable[[Array, bool], Point],
    start: Array,
    *,
    weight: float,
    tol: float = 1e-9,
    max_iter: int = 100,
    endless: bool = True,
    curvature: Array | None = None,
    dear: float = 1.0,
) -> Solution[Point]:
    """The least value of a convex function, in coordinates where its second derivatives are of the order of `weight`.

    Second derivatives serve for several steps, corrected by what the gradients between them say (as L-BFGS does), until
    fresh ones promise to cost less than the steps they save.

    Parameters
    ----------
    evaluate : from a point (d,), and whether to give second derivatives, to the function there.
    start : (d,)
    weight : how many rows the function sums over.
    tol : the length of the step, beside one and the point's own, at which the point is taken.
    max_iter : the most steps.
    endless : whether the function may fall without end; then the status is "diverging" where it seems to.
    curvature : (d, d) second derivatives from elsewhere to begin with, such as those of some of the rows.
    dear : how many gradients second derivatives cost.
    """
    now = evaluate(start, curvature is None)
    metric = _Metric(now.curvature if curvature is None else curvature)
    fresh, trace, long, idle = curvature is None, [now.value], 0, 0
    step = metric.step(now.gradient)
    for iteration in range(1, max_iter + 1):
        if now.final:
            return Solution(now, "diverging", iteration - 1, np.array(trace))
        gain, length, least = float(-now.gradient @ step), _length(step), tol * (1 + _length(now.at))
        if length <= least:
            return Solution(now, "converged", iteration - 1, np.array(trace))
        found = _descend(evaluate, now, step, gain)
        if found is None:  # below the rounding of the value there is nothing left to go down
            if fresh:
                return Solution(now, _at_rest(length, gain, weight), iteration - 1, np.array(trace))
            found = now
        metric.learn(found.at - now.at, found.gradient - now.gradient)
        now, fresh = found, False
        trace.append(now.value)
        step = metric.step(now.gradient)
        if _is_slow(_length(step), length, least, dear):
            now = now if now.curvature is not None else evaluate(now.at, True)
            metric, fresh = _Metric(now.curvature), True
            step = metric.step(now.gradient)
        gain = float(-now.gradient @ step)
        long = long + 1 if gain < NO_GAIN * weight and _length(step) > LONG_STEP else 0
        if endless and long >= 3:
            return Solution(now, "diverging", iteration, np.array(trace))
        # Steps that neither gain nor shrink are rounding divided by next to no curvature.
        idle = idle + 1 if gain < ROUNDING * (1 + abs(now.value)) and _length(step) > POOR * length else 0
        if fresh and idle >= 2:
            return Solution(now, _at_rest(_length(step), gain, weight), iteration, np.array(trace))
    return Solution(now, "max_iter", max_iter, np.array(trace))


def _length(vector: Array) -> float:
    return float(np.linalg.norm(vector))


def _is_slow(length: float, before: float, least: float, dear: float) -> bool:
    """Whether steps shrink so slowly that fresh second derivatives would be cheaper than going on."""
    if length <= least:
        return False
    if length > POOR * before:
        return True
    left = np.log(length / least) / np.log(before / length)
    return bool(left > 2 + dear)


def _at_rest(length: float, gain: float, weight: float) -> Status:
    """Whether a point that cannot be improved was reached by short steps."""
    return "converged" if length < LONG_STEP or gain > NO_GAIN * weight else "diverging"


def _descend(evaluate: Callable[[Array, bool], Point], now: Point, step: Array, gain: float) -> Point | None:
    """The next point along the step, which is halved until it brings enough; None where even the least does not."""
    share = 1.0
    for _ in range(HALVINGS):
        trial = evaluate(now.at + share * step, False)
        # The slope is asked too: near the least value, its differences are lost in rounding.
        slope = float(trial.gradient @ step)
        if trial.value <= now.value - ENOUGH * share * gain or (
            abs(slope) <= (1 - ENOUGH) * gain and trial.value <= now.value + 1e-13 * (abs(now.value) + 1)
        ):
            return trial
        share /= 2
    return None


class _Metric:
    """Second derivatives at a point, and what gradients since then say of them."""

    def __init__(self, curvature: Array | None) -> None:
        assert curvature is not None
        size = np.diagonal(curvature)
        self.scale = 1 / np.sqrt(np.where(size > 0, size, 1.0))
        self.factor = _lifted(curvature * self.scale * self.scale[:, None])
        self.moves: list[tuple[Array, Array, float]] = []  # steps, changes of the gradient, one over their product

    def learn(self, move: Array, change: Array) -> None:
        """Note how the gradient changed along a step."""
        product = float(move @ change)
        if product > 0:
            self.moves.append((move, change, 1 / product))

    def step(self, gradient: Array) -> Array:
        """The step to where the gradient would vanish."""
        left, shares = gradient.copy(), []
        for move, change, rho in reversed(self.moves):
            shares.append(rho * float(move @ left))
            left -= shares[-1] * change
        found = self.scale * cho_solve(self.factor, self.scale * left, check_finite=False)
        for (move, change, rho), share in zip(self.moves, reversed(shares), strict=True):
            found += (share - rho * float(change @ found)) * move
        return -found


def _lifted(matrix: Array) -> tuple[Array, bool]:
    """The Cholesky factor of a matrix; what is flat is lifted a little."""
    lift = 0.0
    while True:
        try:
            factor, lower = cho_factor(matrix + lift * np.eye(len(matrix)), lower=True, check_finite=False)
            return factor, bool(lower)
        except LinAlgError:
            lift = max(10 * lift, 1e-12)
