"""How far a combination of coefficients can move before the likelihood, made best in all else, has fallen so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from distinguo.linear.restricted import Function, Restricted
from distinguo.solvers.newton import Point

Array = NDArray[np.float64]
# The rise of the function is met to this, beside its own size's rounding.
MET, ROUNDING = 1e-10, 1e-14
# In standard errors: a side that has not risen enough by here has no end.
FARTHEST = 1e7
MOST_TRIALS = 100


class Profile:
    r"""The least value of a function over all vectors v with :math:`a^\top v` at a given distance from its best.

    Parameters
    ----------
    function : convex near its least value.
    best : where that is, with second derivatives.
    along : (d,) a.
    weight : rows that the function sums over.
    """

    def __init__(self, function: Function, best: Point, along: Array, weight: float) -> None:
        assert best.curvature is not None
        self.function, self.best, self.weight = function, best, weight
        toward = np.linalg.solve(best.curvature, along)
        variance = float(along @ toward)
        self.error = float(np.sqrt(variance))
        self._path = toward / variance  # (d,) along which all else stays best, to first order
        self._span = null_space(along[None]).T  # (d - 1, d)
        self._rest = np.zeros(len(self._span))

    def rise(self, distance: float) -> tuple[float, float]:
        """How much the function rises at that distance, and the derivative of that."""
        restricted = Restricted(self.function, self.best.at + distance * self._path, self._span)
        found, value = restricted.least(self._rest, self.weight, self.best.curvature)
        if not np.isfinite(value):
            return np.inf, np.nan
        self._rest = found  # where the next distance begins
        slope = float(self.function(restricted.origin + found @ self._span, False).gradient @ self._path)
        return value - self.best.value, slope

    def distance(self, side: int, rise: float) -> float:
        """Where on one side (1 or -1) the function has risen so much; infinite if it never does.

        The root of the rise is all but linear: Newton's method on it, kept between what is too near and too far.
        """
        self._rest = np.zeros(len(self._span))
        near, far = 0.0, np.inf
        target = float(np.sqrt(rise))
        at = float(np.sqrt(2.0)) * target * self.error
        for _ in range(MOST_TRIALS):
            risen, slope = self.rise(side * at)
            if abs(risen - rise) <= MET + ROUNDING * abs(self.best.value) or near >= far * (1 - ROUNDING):
                break
            near, far = (at, far) if risen < rise else (near, at)
            if near > FARTHEST * self.error:
                return side * np.inf
            root = float(np.sqrt(max(risen, 0.0)))
            step = (target - root) * 2 * root / (side * slope) if side * slope > 0 else np.nan
            at = self._next(at + step, near, far)
        return side * at

    @staticmethod
    def _next(proposed: float, near: float, far: float) -> float:
        """The proposal if it lies between, and not too far out; else the middle, or twice as far."""
        most = min(far, 3 * near) if near > 0 else far
        if near < proposed < most:
            return proposed
        return 0.5 * (near + far) if np.isfinite(far) else 2 * near
