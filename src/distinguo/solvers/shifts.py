"""Adding a number to the coefficients of all classes leaves a softmax as it is; the penalty says which number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Coefficients closer than this, beside the greatest of their column, are one where ties are counted.
TIED = 1e-7


def least_shift(coef: Array, l1: Array, l2: Array) -> Array:
    """(p,) what to take from all classes' coefficients of a column, so that the penalty is least.

    With a ridge the answer is the median of the coefficients and of K + 1 numbers around their mean; without, zero or
    the nearest median.

    Parameters
    ----------
    coef : (K, p)
    l1, l2 : (p,) strengths.

    References
    ----------
    Li and Osher (2009), Inverse Problems and Imaging 3, 487-503, proposition 1.

    Examples
    --------
    >>> coef = np.array([[0.0], [1.0], [5.0]])
    >>> [least_shift(coef, np.array([a]), np.array([b])).tolist() for a, b in [(0, 1), (1, 0), (1, 1)]]
    [[2.0], [1.0], [1.666...]]
    """
    K = len(coef)
    ordered = np.sort(coef, axis=0)
    nearest = np.clip(0.0, ordered[(K - 1) // 2], ordered[K // 2])
    ridged = l2 > 0
    ratio = np.divide(l1, l2, out=np.zeros_like(l1, dtype=np.float64), where=ridged)
    around = coef.mean(axis=0) + np.linspace(1, -1, K + 1)[:, None] * ratio
    return np.asarray(np.where(ridged, np.median(np.concatenate([ordered, around]), axis=0), nearest))


def settled(coef: Array, l2: Array) -> Array:
    """Coefficients (K, p) of equal penalty, of which there are many where classes are even and there is no ridge.

    Of the two ends of the medians the one is made zero at which more classes are; of equals, the one that leaves
    smaller squares, or else the lower.

    Examples
    --------
    >>> settled(np.array([[-1.0], [-1.0], [0.5], [2.0]]), np.zeros(1)).ravel().tolist()
    [0.0, 0.0, 1.5, 3.0]
    """
    K = len(coef)
    if K % 2 or K == 2:
        return coef
    ordered = np.sort(coef, axis=0)
    ends = ordered[K // 2 - 1 : K // 2 + 1]  # (2, p)
    near = TIED * np.abs(coef).max(axis=0)
    at_end = np.abs(coef - ends[:, None]) <= near  # (2, K, p)
    shifted = np.where(at_end, 0.0, coef - ends[:, None])
    zeros, squares = at_end.sum(axis=1), (shifted**2).sum(axis=1)
    upper = (zeros[1] > zeros[0]) | ((zeros[1] == zeros[0]) & (squares[1] < squares[0] * (1 - TIED)))
    return np.where(l2 > 0, coef, np.where(upper, shifted[1], shifted[0]))
