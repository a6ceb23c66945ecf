"""Maps of two or three numbers: Platt's sigmoid and the beta family, by maximum a posteriori."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from distinguo.evaluation.calibration.kernels import of_map
from distinguo.evaluation.calibration.maps import BinaryMap
from distinguo.evaluation.calibration.temperature import strange_share
from distinguo.solvers.newton import Point, newton

Array = NDArray[np.float64]
# Slopes are above zero, so that a higher score never has the lower probability.
LEAST_SLOPE = 1e-6


@dataclass(frozen=True)
class Platt(BinaryMap):
    r"""log odds :math:`A s + B` of log odds s (Platt 1999).

    Examples
    --------
    >>> yes, no = Platt(1.0, 0.0).logs(np.array([0.0]))
    >>> np.exp(yes).tolist(), np.exp(no).tolist()
    ([0.5], [0.5])
    """

    slope: float
    offset: float

    def logs(self, odds: Array) -> tuple[Array, Array]:
        """log p and log(1 - p)."""
        found = self.slope * odds + self.offset
        return log_expit(found), log_expit(-found)


@dataclass(frozen=True)
class Beta(BinaryMap):
    r"""log odds :math:`a \log q - b \log(1 - q) + c` of a probability q (Kull, Silva Filho and Flach 2017, equation 3).

    Examples
    --------
    >>> yes, _ = Beta(1.0, 1.0, 0.0).logs(np.log(np.array([0.2 / 0.8])))
    >>> np.exp(yes).round(6).tolist()
    [0.2]
    """

    a: float
    b: float
    c: float

    def logs(self, odds: Array) -> tuple[Array, Array]:
        """log p and log(1 - p)."""
        found = self.a * log_expit(odds) - self.b * log_expit(-odds) + self.c
        return log_expit(found), log_expit(-found)


def fit_platt(odds: Array, is_own: NDArray[np.bool_], weight: Array) -> Platt:
    """Slope and offset, as probable as the rows and a normal prior of unit spread around the identity make them.

    As for the temperature, next to no rows are taken to be of any class.
    """
    slope, offset = _fit([odds], is_own, weight)
    return Platt(slope, offset)


def fit_beta(odds: Array, is_own: NDArray[np.bool_], weight: Array) -> Beta:
    """The three numbers, likewise."""
    a, b, c = _fit([log_expit(odds), -log_expit(-odds)], is_own, weight)
    return Beta(a, b, c)


def _fit(columns: Sequence[Array], is_own: NDArray[np.bool_], weight: Array) -> list[float]:
    """Slopes (q,), at least the least, and the offset."""
    design = np.vstack([*columns, np.ones(len(weight))])
    q = len(columns)
    free = _minimum(design, is_own, weight, [True] * q)
    if (free.at[:q] >= LEAST_SLOPE).all():
        return list(map(float, free.at))
    held = [_minimum(design, is_own, weight, which) for which in product([True, False], repeat=q) if not all(which)]
    best = min((point for point in held if (point.at[:q] >= LEAST_SLOPE).all()), key=lambda point: point.value)
    return list(map(float, best.at))


def _minimum(design: Array, is_own: NDArray[np.bool_], weight: Array, which: Sequence[bool]) -> Point:
    """The most probable coefficients where only some slopes are free, the others being the least."""
    prior, strange = np.append(np.ones(len(which)), 0.0), strange_share(weight)
    start = np.where([*which, True], prior, LEAST_SLOPE)
    free = np.flatnonzero([*which, True])

    def evaluate(some: Array, curvature: bool) -> Point:
        at = start.copy()
        at[free] = some
        off = at - prior
        slopes, curves = np.zeros(len(at)), np.zeros((len(at), len(at)))
        loss = of_map(design, is_own, weight, at, strange, slopes, curves)
        second = curves + np.eye(len(at))
        return Point(some, float(loss + off @ off / 2), (slopes + off)[free], second[np.ix_(free, free)])

    found = newton(evaluate, start[free], weight=float(weight.sum()), endless=False).value
    at = start.copy()
    at[free] = found.at
    return Point(at, found.value, at, None)
