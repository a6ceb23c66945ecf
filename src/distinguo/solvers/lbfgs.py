"""Limited-memory quasi-Newton steps (SciPy's L-BFGS-B), for more numbers than second derivatives fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from distinguo.solvers.newton import Point
from distinguo.solvers.solution import Solution, Status

Array = NDArray[np.float64]


class _FinalPointError(Exception):
    """The function says that nothing is to be gained any more."""


def lbfgs(
    evaluate: Callable[[Array, bool], Point], start: Array, *, weight: float, tol: float = 1e-8, max_iter: int = 10_000
) -> Solution[Point]:
    """The least value of a smooth convex function, from values and gradients.

    Parameters
    ----------
    evaluate : from a point (d,), and False, to the function there.
    start : (d,) in coordinates where second derivatives are of the order of `weight`.
    weight : how many rows the function sums over.
    tol : the greatest derivative, a row, at which the point is taken.
    max_iter : the most iterations.
    """
    points: dict[bytes, Point] = {}
    trace: list[float] = []

    def value_and_gradient(at: Any) -> tuple[float, Any]:
        point = evaluate(at.copy(), False)
        points.clear()
        points[at.tobytes()] = point
        if point.final:
            raise _FinalPointError
        return point.value / weight, point.gradient / weight

    def note(at: Any) -> None:
        trace.append(points[at.tobytes()].value if at.tobytes() in points else np.nan)

    first = evaluate(start, False)
    options: dict[str, Any] = {"maxiter": max_iter, "maxfun": 2 * max_iter, "gtol": tol, "ftol": 0.0, "maxcor": 10}
    try:
        found = minimize(
            value_and_gradient,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=note,
            options=options,  # type: ignore[call-overload]
        )
    except _FinalPointError:
        (last,) = points.values()
        return Solution(last, "diverging", len(trace), np.array([first.value, *trace]))
    last = evaluate(np.asarray(found.x), False)
    # SciPy's status 1 is running out of iterations; else it met the tolerance, or rounding left nothing to go down.
    status: Status = "max_iter" if found.status == 1 else "converged"
    return Solution(last, status, int(found.nit), np.array([first.value, *trace]))
