"""Coefficients of the classes against one of them, with their covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.linear.record import FitRecord
from distinguo.linear.separation import NEGLIGIBLE, Separation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Coefficients of m = K - 1 classes against a base, the intercept first where there is one.

    Attributes
    ----------
    others : (m,) which classes, by number.
    values : (m, t) infinite where maximum likelihood has no finite answer; NaN where the columns leave it open too
        whether it is.
    covariance : (m, t, m, t) NaN where a coefficient is infinite, or the rows do not determine it.
    """

    others: NDArray[np.intp]
    values: Array
    covariance: Array

    @property
    def errors(self) -> Array:
        """(m, t) standard errors."""
        m, t = self.values.shape
        variance = np.diagonal(self.covariance.reshape(m * t, m * t)).reshape(m, t)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def against(base: int, record: FitRecord, covariance: Array, apart: Separation | None) -> Estimates:
    """The estimates against a class.

    Parameters
    ----------
    base : number of the class.
    record : of the fit.
    covariance : (q, p + 1, q, p + 1) of scores at the centre and normals against the first class.
    apart : where coefficients are infinite.
    """
    scores = record.scores
    K, p = scores.normals.shape
    others = np.array([k for k in range(K) if k != base], np.intp)
    first = 0 if record.intercept else 1
    relative = np.column_stack([scores.intercepts, scores.normals])
    values = (relative[others] - relative[base])[:, first:]
    change = (np.eye(K)[others] - np.eye(K)[base])[:, 1:]  # (m, q) from scores against the first class
    to_origin = np.eye(p + 1)
    to_origin[0, 1:] = -record.scores.centre
    raw = np.einsum("ma,ti,aibj,nb,uj->mtnu", change, to_origin, covariance, change, to_origin, optimize=True)
    raw = raw[:, first:, :, first:].copy()
    assert record.estimable is not None
    assert record.identified is not None
    endless = _infinite(apart, others, base, p)[:, first:]
    # A direction that does not change any score would turn such an infinity into a number, or into its opposite.
    endless[(endless != 0) & ~record.identified[first:]] = np.nan
    values = np.where(endless != 0, endless, values)
    unknown = ~record.estimable[others, base][:, first:] | (endless != 0)
    raw[unknown] = np.nan
    raw[:, :, unknown] = np.nan
    return Estimates(others, values, raw)


def _infinite(apart: Separation | None, others: NDArray[np.intp], base: int, p: int) -> Array:
    """(m, p + 1) which coefficients against the base are infinite: inf, -inf, else 0."""
    if apart is None:
        return np.zeros((len(others), p + 1))
    against_first = np.vstack([np.zeros(p + 1), np.column_stack([apart.intercept, apart.direction])])
    away, back = against_first[others], against_first[base]
    lead = away - back
    lead[np.abs(lead) <= NEGLIGIBLE * np.maximum(np.abs(away), np.abs(back))] = 0.0
    return np.where(lead == 0, 0.0, np.copysign(np.inf, lead))
