"""Intervals of shares, and of numbers from their values in resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from distinguo.exceptions import InputError
from distinguo.options import share_of

Array = NDArray[np.float64]
# Of resamples, the largest part in which a number may be undefined and have an interval yet.
MOST_UNDEFINED = 0.05


def confidence_of(value: Any) -> float:
    """A level strictly between 0 and 1."""
    level = share_of(value, "confidence", "0.95 by default")
    if level in {0.0, 1.0}:
        raise InputError(f"confidence={value!r} must lie between 0 and 1, such as 0.95.")
    return level


def wilson(share: Any, n: Any, confidence: float = 0.95) -> tuple[Array, Array]:
    r"""Wilson's interval of a share: all shares that the score test does not reject.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    Parameters
    ----------
    share : (m,) shares seen.
    n : (m,) of how many rows; above zero.
    confidence : of the interval.

    Returns
    -------
    (m,) low and (m,) high ends.

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22, 209-212.

    Examples
    --------
    >>> low, high = wilson(1.0, 10)
    >>> round(float(low), 4), float(high)
    (0.7225, 1.0)
    """
    p, count = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z2 = float(ndtri(0.5 + confidence / 2)) ** 2
    middle = p + z2 / (2 * count)
    reach = np.sqrt(z2 * (p * (1 - p) / count + z2 / (4 * count**2)))
    # At 0 and 1 one end is the share itself, and rounding must not move it.
    low = np.where(p == 0, 0.0, (middle - reach) / (1 + z2 / count))
    high = np.where(p == 1, 1.0, (middle + reach) / (1 + z2 / count))
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


@dataclass(frozen=True)
class Interval:
    """Two ends, or None and in words why there are none."""

    low: float | None
    high: float | None
    note: str | None


def percentiles(values: Array, confidence: float) -> Interval:
    """The middle part of a number's values (B,) in resamples, where they differ.

    Examples
    --------
    >>> percentiles(np.arange(101.0), 0.5)
    Interval(low=25.0, high=75.0, note=None)
    >>> percentiles(np.ones(10), 0.9).note
    'the same in every resample'
    """
    defined = values[~np.isnan(values)]
    undefined = 1 - len(defined) / len(values)
    if undefined > MOST_UNDEFINED:
        return Interval(None, None, f"undefined in {100 * undefined:.0f} % of the resamples")
    if np.ptp(defined) <= 1e-12 * np.abs(defined).max():
        return Interval(None, None, "the same in every resample")
    low, high = np.quantile(defined, [0.5 - confidence / 2, 0.5 + confidence / 2]).tolist()
    return Interval(low, high, None)
