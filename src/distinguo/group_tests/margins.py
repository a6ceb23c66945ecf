"""How far is each column of a class from a Gaussian? Effects, where p-values only tell that rows were many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.group_tests.shape import CENTRES

Array = NDArray[np.float64]

# A skewness from which a column is called highly skewed (Bulmer, 1979, Principles of Statistics, section 5); half of
# an exponential distribution's.
LEAST_SKEWNESS = 1.0
# A third of a Gaussian's fourth moment, more or less: between a logistic (1.2) and a Gaussian, or a uniform (-1.2).
LEAST_EXCESS = 1.0


@dataclass(frozen=True)
class Margin:
    """The column of a class that is furthest from a Gaussian in one respect.

    Attributes
    ----------
    along : the column.
    value : its skewness, or its kurtosis less 3.
    """

    along: str
    value: float


def skewness_of(counts: Array) -> Array:
    """(D,) skewness of standardised columns from their bins (D, B); rows beyond 8 standard deviations count as there.

    Examples
    --------
    >>> counts = np.zeros((1, len(CENTRES)))
    >>> counts[0, [150, 200]] = 80, 20
    >>> round(float(skewness_of(counts)[0]), 6)
    1.5
    """
    return np.asarray(counts @ CENTRES**3 / counts.sum(axis=1))


def excess_of(counts: Array) -> Array:
    """(D,) kurtosis less 3 of standardised columns from their bins (D, B), with rows beyond 8 as in `skewness_of`.

    Examples
    --------
    >>> counts = np.zeros((1, len(CENTRES)))
    >>> counts[0, [140, 180]] = 50
    >>> round(float(excess_of(counts)[0]), 6)
    -2.0
    """
    return np.asarray(counts @ CENTRES**4 / counts.sum(axis=1) - 3.0)
