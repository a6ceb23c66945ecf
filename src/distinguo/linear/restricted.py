"""A function on a part of its domain: some combinations of the free numbers held fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.solvers.newton import Point, newton

Array = NDArray[np.float64]
NEAR = 1e-7
Function = Callable[[Array, bool], Point]


@dataclass(frozen=True, eq=False)
class Restricted:
    """A function of w, at origin + w @ span.

    Attributes
    ----------
    function : of vectors (d,).
    origin : (d,)
    span : (m, d) orthonormal rows, so that second derivatives keep their order.
    """

    function: Function
    origin: Array
    span: Array

    def __call__(self, at: Array, curvature: bool) -> Point:
        """The function there, its gradient and its second derivatives along the span."""
        point = self.function(self.origin + at @ self.span, curvature)
        second = None if point.curvature is None else self.span @ point.curvature @ self.span.T
        return Point(at, point.value, self.span @ point.gradient, second, point.final)

    def least(self, start: Array, weight: float, curvature: Array | None = None) -> tuple[Array, float]:
        """Where (m,) the function is least on this part, or next to it if it falls for ever, and its value there.

        Parameters
        ----------
        start : (m,)
        weight : rows that the function sums over.
        curvature : (d, d) the function's second derivatives somewhere near, or None.
        """
        if not len(start):
            return start, self(start, False).value
        known = None if curvature is None else self.span @ curvature @ self.span.T
        # A value next to the least is out by the square of the way that is left.
        found = newton(self, start, weight=weight, tol=NEAR, endless=False, curvature=known).value
        return found.at, 0.0 if found.final else found.value  # all rows apart: the loss falls to zero
