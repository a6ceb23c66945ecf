"""Steps of EM for Gaussian classes: how far they go, whether they have ended, and a leap to where they lead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.statistics.holes import GaussianParameters

Array = NDArray[np.float64]

# EM has converged once a step moves no mean by more standard deviations, no covariance by more of their product, no
# share by more, ...
MOVE_TOLERANCE = 1e-8
# ... and gains at most this share of the log-likelihood: a variance on its way to zero moves little and gains much.
GAIN_TOLERANCE = 1e-10
# Keeps the covariance of the E step from being singular: this share of each column's variance, in a row of its own a
# class's row; well below what is judged to vary.
LEAST_VARIANCE = 1e-11


def has_converged(before: GaussianParameters, now: GaussianParameters, gain: float) -> bool:
    """Whether a step has changed nothing that matters; the gain is a share of the log-likelihood."""
    still = max(float(np.abs(part).max()) for part in _moved(before, now, before)) <= MOVE_TOLERANCE
    return bool(still and gain <= GAIN_TOLERANCE)


def _moved(a: GaussianParameters, b: GaussianParameters, units: GaussianParameters) -> tuple[Array, Array, Array]:
    """From a to b: means (K, p) and covariances (C, p, p), in standard deviations of `units`, and shares (K,)."""
    deviation = np.sqrt(np.diagonal(units.covariances, axis1=1, axis2=2))  # (C, p)
    unit = deviation[:, :, None] * deviation[:, None, :]
    return (b.means - a.means) / deviation, (b.covariances - a.covariances) / unit, b.share - a.share


@dataclass(frozen=True, eq=False)
class Leap:
    """A step beyond the next one.

    Attributes
    ----------
    to, back : where it goes, and where to go on if that is no higher.
    rounding : what may be wrong in the log-likelihood there, for each cell.
    """

    to: GaussianParameters
    back: GaussianParameters
    rounding: float


def leap_beyond(a: GaussianParameters, b: GaussianParameters, c: GaussianParameters) -> Leap | None:
    """Where the steps from a to b and from b to c lead to, or None if that is no further.

    The squared extrapolation of Varadhan and Roland (2008), Scandinavian Journal of Statistics 35, section 3.
    """
    first, second = _moved(a, b, a), _moved(b, c, a)
    step = np.sqrt(sum(float((one**2).sum()) for one in first))
    turn = np.sqrt(sum(float(((two - one) ** 2).sum()) for one, two in zip(first, second, strict=True)))
    if not step > turn > 0:
        return None
    far = step / turn
    means, covariances, share = (
        x + 2 * far * (y - x) + far**2 * (z - 2 * y + x)
        for x, y, z in (
            (a.means, b.means, c.means),
            (a.covariances, b.covariances, c.covariances),
            (a.share, b.share, c.share),
        )
    )
    diagonal = np.diagonal(covariances, axis1=1, axis2=2)
    if not ((diagonal > 0).all() and (share >= 0).all()):
        return None
    unit = np.sqrt(diagonal[:, :, None]) * np.sqrt(diagonal[:, None, :])
    values, vectors = np.linalg.eigh(covariances / unit)
    if values.min() < LEAST_VARIANCE:
        values = np.maximum(values, LEAST_VARIANCE)
        covariances = (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1) * unit
    to = GaussianParameters(a.classes, means, covariances, share)
    return Leap(to, c, float(np.finfo(np.float64).eps / values.min()))
