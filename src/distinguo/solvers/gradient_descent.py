"""Plain gradient descent with a decaying step, for study: what it does can be followed step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from distinguo.solvers.newton import Point
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]
# A value this many times the first one will not come back.
LOST = 1e3


def gradient_descent(
    evaluate: Callable[[Array, bool], Point],
    start: Array,
    *,
    weight: float,
    step: float,
    decay: float,
    tol: float,
    max_iter: int,
    shrink: Callable[[Array, float], Array] = lambda at, step: at,
    rest: Callable[[Array], float] = lambda at: 0.0,
) -> Solution[Point]:
    r"""Steps :math:`\eta_t = \eta_0 / (1 + \gamma t)` down the mean gradient, t = 0, 1, ...

    Parameters
    ----------
    evaluate : from a point (d,), and False, to the smooth part of the function there, summed over rows.
    start : (d,)
    weight : how many rows it sums over.
    step, decay : η₀ and γ.
    tol : the length of a step, over its η, at which the point is taken.
    max_iter : the most steps.
    shrink : from a point and a step to the point that the rest of the function draws it to (a proximal map).
    rest : the rest of the function, a row.

    Returns
    -------
    The last point; its status is "unstable" where the function grew beyond all measure.
    """
    now = evaluate(start, False)
    trace = [now.value + weight * rest(start)]
    for t in range(max_iter):
        eta = step / (1 + decay * t)
        with np.errstate(over="ignore", invalid="ignore"):
            there = shrink(now.at - eta * now.gradient / weight, eta)
            moved = float(np.linalg.norm(there - now.at)) / eta
            following = evaluate(there, False)
        value = following.value + weight * rest(there)
        if not value <= LOST * (abs(trace[0]) + weight):
            return Solution(now, "unstable", t, np.array(trace))
        now = following
        trace.append(value)
        if moved <= tol:
            return Solution(now, "converged", t + 1, np.array(trace))
    return Solution(now, "diverging" if now.final else "max_iter", max_iter, np.array(trace))
