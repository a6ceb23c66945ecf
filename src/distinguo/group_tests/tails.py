"""Upper tails of F and chi-squared, to full relative precision however far out, and what follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]


def f_tail(f: Any, numerator: Any, denominator: Any) -> Array:
    r"""P(F > f), through :math:`I_x(d_2/2, d_1/2)` at :math:`x = d_2 / (d_2 + d_1 f)`; NaN where d2 is not positive.

    Taken as one minus the distribution function it would be rounding below 1e-16; the incomplete beta function has
    the tail itself.

    Examples
    --------
    >>> float(f_tail(580.5321, 8, 286).round(174)) < 1e-170
    True
    """
    f, d1, d2 = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (f, numerator, denominator)))
    possible = (d1 > 0) & (d2 > 0) & ~np.isnan(f)
    tail = np.full(f.shape, np.nan)
    # An infinite F is certain; its argument of the beta function, d2 / inf, is zero.
    ratio = d2[possible] / (d2[possible] + d1[possible] * f[possible])
    tail[possible] = special.betainc(d2[possible] / 2, d1[possible] / 2, ratio)
    return tail


def chi_squared_tail(value: Any, degrees: Any) -> Array:
    """P(χ² > value), from the upper incomplete gamma function.

    Examples
    --------
    >>> float(chi_squared_tail(3.841459, 1).round(6))
    0.05
    """
    return np.asarray(special.gammaincc(np.asarray(degrees) / 2, np.asarray(value) / 2))


def holm(p: Array) -> Array:
    """p-values (m,) for m tests at once (Holm, 1979): the chance of one false alarm among them is at most the level.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
