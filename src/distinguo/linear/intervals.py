"""Ends of intervals of coefficients, by the name of their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from distinguo.exceptions import InputError
from distinguo.linear.coordinates import Coordinates
from distinguo.linear.estimates import Estimates
from distinguo.linear.profile import Profile
from distinguo.linear.record import FitRecord, moves, recentred
from distinguo.linear.separated import CURE
from distinguo.linear.task import Task
from distinguo.solvers.newton import Point, newton

Array = NDArray[np.float64]
Ends = tuple[Array, Array]


def quantile(level: Any) -> float:
    """The Gaussian's, two-sided.

    Examples
    --------
    >>> round(quantile(0.95), 6)
    1.959964
    """
    is_number = isinstance(level, int | float | np.integer | np.floating) and not isinstance(level, bool)
    if not is_number or not 0 < level < 1:
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as .95.")
    return -float(ndtri(0.5 * (1 - float(level))))  # finite for every level below one, unlike the upper tail's


def wald(found: Estimates, base: int, record: FitRecord, rows: Callable[[], Task], level: Any) -> Ends:
    """(m, t) estimates less and plus a multiple of their standard errors; NaN where one is infinite."""
    margin = quantile(level) * found.errors
    return found.values - margin, found.values + margin


def profile(found: Estimates, base: int, record: FitRecord, rows: Callable[[], Task], level: Any) -> Ends:
    """(m, t) where the log-likelihood, made greatest in all other coefficients, has fallen by half a quantile of χ²."""
    fall = 0.5 * quantile(level) ** 2
    if not np.isfinite(found.values).all():  # what dependent columns leave open is open only under separation
        raise InputError(f"some coefficients are infinite, and so are ends of their profile intervals: {CURE}")
    task = rows()
    frame = task.scaling.coordinates
    best = optimum(task, record)
    low, high = (np.full(found.values.shape, np.nan) for _ in range(2))
    for i, t in np.argwhere(np.isfinite(found.errors)):
        along = _functional(frame, int(found.others[i]), base, int(t))
        side = Profile(task.likelihood(frame), best, along, task.weight)
        value = along @ best.at
        low[i, t], high[i, t] = value + side.distance(-1, fall), value + side.distance(1, fall)
    return low, high


INTERVALS: dict[str, Callable[[Estimates, int, FitRecord, Callable[[], Task], Any], Ends]] = {
    "wald": wald,
    "profile": profile,
}


def optimum(task: Task, record: FitRecord) -> Point:
    """The likelihood, corrected for bias where the fit was, at its best, with second derivatives."""
    frame = task.scaling.coordinates
    function = task.likelihood(frame)
    start = frame.vector(recentred(record.scores, frame.centre))
    at = newton(function, start, weight=task.weight, tol=1e-11, endless=False).value.at
    return function(at, True)


def _functional(frame: Coordinates, k: int, base: int, t: int) -> Array:
    """(d,) from free numbers to coefficient t of class k against the base, the intercept first where there is one."""
    back = moves(frame)  # (r + 1, p + 1)
    to_raw = back[:, 0] - back[:, 1:] @ frame.centre if frame.intercept and t == 0 else back[:, t + 1 - frame.intercept]
    return np.asarray(np.kron(frame.coding[k] - frame.coding[base], to_raw))
