"""Rows left out of Gaussian classes whose shapes are pooled in part and drawn towards a sphere: no new factors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from distinguo.covariance.factor import factorise
from distinguo.covariance.shapes import varying
from distinguo.exceptions import LeftOutWarning
from distinguo.statistics.holes import LOG_2PI
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]
# A row that holds all but this share of a column's sum of squares is the only one that varies in it.
SOLE = 1e-9
# Drawn by less, small eigenvalues hang on the rounding of large ones.
LEAST_SHRINKAGE = 1e-6


@dataclass(frozen=True)
class Drawing:
    r"""How scatters become covariances: :math:`\Sigma_k = (1 - \gamma) A_k / m_k + \gamma \tr(A_k) / (q m_k) I`.

    With :math:`A_k = (1 - \lambda) S_k + \lambda S` and divisors m mixed alike.

    Attributes
    ----------
    pooling, shrinkage : λ and γ.
    unbiased : whether divisors are rows less groups.
    """

    pooling: float
    shrinkage: float
    unbiased: bool

    @property
    def is_safe(self) -> bool:
        """Whether coordinates of the scatter hold enough digits."""
        return self.shrinkage == 0 or self.shrinkage >= LEAST_SHRINKAGE

    def degrees(self, weight: Array) -> Array:
        """(K,) divisors m."""
        groups = int(self.unbiased)
        of_all = weight.sum() - groups * len(weight)
        return np.asarray((1 - self.pooling) * (weight - groups) + self.pooling * of_all)

    def scatter(self, moments: ClassMoments, k: int) -> Array:
        """(q, q) A of class k."""
        if self.pooling == 1:
            return moments.within
        return np.asarray((1 - self.pooling) * moments.scatter[k] + self.pooling * moments.within)


@dataclass(frozen=True)
class _Frame:
    """Coordinates in which a scatter is diagonal.

    Attributes
    ----------
    turn : (q, q) into them.
    values : (q,) the diagonal.
    log_det : of the way back.
    trace : of the scatter.
    """

    turn: Array
    values: Array
    log_det: float
    trace: float


def _frame(scatter: Array, shrinkage: float) -> _Frame | None:
    """Its own axes, which a sphere has too; without a sphere those that whiten it, None where nothing does."""
    if shrinkage > 0:
        values, axes = eigh(scatter)
        return _Frame(axes, np.maximum(values, 0.0), 0.0, float(np.trace(scatter)))
    factor = factorise(scatter)
    if factor.null.shape[1]:
        return None
    return _Frame(factor.whiten, np.ones(len(scatter)), factor.log_det, 0.0)


def log_densities_without(
    moments: ClassMoments, drawing: Drawing, X: Array, own: NDArray[np.intp], taken: Array
) -> tuple[Array, NDArray[np.bool_]] | None:
    r"""log p(x | class), (n, K), of rows each left out of its own class, and the rows that must be recomputed.

    Without a row its deviation d from the mean goes out of a scatter, :math:`A' = A - g d d^\top`, and out of its
    trace, so that the covariance is one of the same axes less one of rank one.

    Parameters
    ----------
    moments : full, or pooled where all is pooled.
    drawing : from scatters to covariances.
    X : (n, p) rows.
    own : (n,) their classes.
    taken : (n,) the weight that is taken out.

    Returns
    -------
    logs, unsure : or None where a scatter has directions in which nothing varies, and nothing is drawn there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the fit has warned
        kept = varying(moments)
    columns = kept.columns
    frames = _frames(kept.moments, drawing)
    if frames is None or kept.deciding.any():
        return None
    n, K = len(X), len(moments.classes)
    rows, mean, weight = X[:, columns], kept.moments.mean, moments.weight
    logs, unsure = np.zeros((n, K)), sole_to_vary(kept.moments, rows, taken)
    degrees = drawing.degrees(weight)
    for c in np.unique(own):
        at = np.flatnonzero(own == c)
        left = np.maximum(weight[c] - taken[at], 0.0)
        deviation = rows[at] - mean[c]
        with np.errstate(divide="ignore", invalid="ignore"):
            gone, stretched = taken[at] * weight[c] / left, deviation * (weight[c] / left)[:, None]
            for k, frame in enumerate(frames):
                share = 1.0 if k == c else drawing.pooling
                beside = stretched if k == c else rows[at] - mean[k]
                found, safe = _without(
                    frame, drawing.shrinkage, share * gone, deviation, beside, degrees[k] - share * taken[at]
                )
                logs[at, k] = found
                unsure[at] |= ~safe | (left <= 0)
    return logs, unsure


def _frames(moments: ClassMoments, drawing: Drawing) -> list[_Frame] | None:
    """Coordinates for each class; one for all where the scatter is."""
    several = 1 if drawing.pooling == 1 else len(moments.classes)
    frames = [_frame(drawing.scatter(moments, k), drawing.shrinkage) for k in range(several)]
    known = [frame for frame in frames if frame is not None]
    if len(known) < several:
        return None
    return known * (len(moments.classes) // several)


def _without(
    frame: _Frame, shrinkage: float, gone: Array, deviation: Array, beside: Array, degrees: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """log p of rows of one class in another, (m,), and whether it can be trusted.

    Parameters
    ----------
    gone : (m,) how often the square of the deviation goes out.
    deviation, beside : (m, q) from the row's own class mean with it, and from the class's mean without it.
    degrees : (m,) divisors that are left.
    """
    q = len(frame.values)
    u, v = deviation @ frame.turn, beside @ frame.turn
    trace = frame.trace - gone * np.einsum("ij,ij->i", deviation, deviation)
    spread = (1 - shrinkage) * frame.values + (shrinkage / q * trace)[:, None]
    gone = (1 - shrinkage) * gone
    left = 1 - gone * (u**2 / spread).sum(axis=1)
    across = (u * v / spread).sum(axis=1)
    distance = degrees * ((v**2 / spread).sum(axis=1) + gone * across**2 / left)
    log_det = frame.log_det + np.log(spread).sum(axis=1) + np.log(left) - q * np.log(degrees)
    safe = (left > 1e-8) & (degrees > 0) & (spread > 0).all(axis=1)
    return -0.5 * (distance + log_det + q * LOG_2PI), safe


def sole_to_vary(moments: ClassMoments, X: Array, taken: Array) -> NDArray[np.bool_]:
    """Rows (n,) without which a column would be constant."""
    total = moments.weight.sum()
    centre = moments.weight @ moments.mean / total
    squares = np.diagonal(moments.within) + moments.weight @ (moments.mean - centre) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        gone = (taken * total / (total - taken))[:, None] * (X - centre) ** 2
    return np.asarray(~(gone < (1 - SOLE) * squares).all(axis=1))
