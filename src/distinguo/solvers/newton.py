"""Newton's method for a convex function: damped, and sparing of second derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from distinguo.solvers.solution import Solution, Status

Array = NDArray[np.float64]

# Second derivatives serve until a step no longer brings the next one below this share of it.
CONTRACTION = 0.1
# A step that is still this long where next to nothing is gained leads to infinity.
LONG_STEP, NO_GAIN = 1e-2, 1e-5
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
) -> Solution[Point]:
    """The least value of a convex function, in coordinates where its second derivatives are of the order of `weight`.

    Parameters
    ----------
    evaluate : from a point (d,), and whether to give second derivatives, to the function there.
    start : (d,)
    weight : how many rows the function sums over.
    tol : the length of the step, beside one and the point's own, at which the point is taken.
    max_iter : the most steps.
    endless : whether the function may fall without end; then the status is "diverging" where it seems to.
    curvature : (d, d) second derivatives from elsewhere to begin with, such as those of some of the rows.
    """
    now = evaluate(start, curvature is None)
    solve = _solver(now.curvature if curvature is None else curvature)
    fresh, trace, long = curvature is None, [now.value], 0
    step = -solve(now.gradient)
    for iteration in range(1, max_iter + 1):
        if now.final:
            return Solution(now, "diverging", iteration - 1, np.array(trace))
        gain, length = float(-now.gradient @ step), float(np.linalg.norm(step))
        if length <= tol * (1 + float(np.linalg.norm(now.at))):
            return Solution(now, "converged", iteration - 1, np.array(trace))
        found = _descend(evaluate, now, step, gain)
        if found is None:  # below the rounding of the value there is nothing left to go down
            if fresh:
                return Solution(now, _at_rest(length, gain, weight), iteration - 1, np.array(trace))
            found = now
        now, before = found, length
        trace.append(now.value)
        step = -solve(now.gradient)
        fresh = False
        if float(np.linalg.norm(step)) > CONTRACTION * before:
            now = evaluate(now.at, True)
            solve, fresh = _solver(now.curvature), True
            step = -solve(now.gradient)
        gains = float(-now.gradient @ step)
        long = long + 1 if gains < NO_GAIN * weight and float(np.linalg.norm(step)) > LONG_STEP else 0
        if endless and long >= 3:
            return Solution(now, "diverging", iteration, np.array(trace))
    return Solution(now, "max_iter", max_iter, np.array(trace))


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


def _solver(curvature: Array | None) -> Callable[[Array], Array]:
    """Division by second derivatives; what is flat is lifted a little."""
    assert curvature is not None
    size = np.diagonal(curvature)
    scale = 1 / np.sqrt(np.where(size > 0, size, 1.0))
    matrix = curvature * scale * scale[:, None]
    lift = 0.0
    while True:
        try:
            factor = cho_factor(matrix + lift * np.eye(len(matrix)), lower=True, check_finite=False)
            return lambda gradient: np.asarray(scale * cho_solve(factor, scale * gradient, check_finite=False))
        except LinAlgError:
            lift = max(10 * lift, 1e-12)
