"""What a model says at every point of a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.plots.plane import Plane
from distinguo.plots.subject import Subject

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Surface:
    """A grid over a plane, the first axis of arrays along y.

    Attributes
    ----------
    x, y : (r,) the points of the grid.
    codes : (r, r) the class predicted.
    margins : (K, r, r) a class's score less the best of the others: zero on the boundary of the class.
    certainty : (r, r) the largest posterior, or None for a model without.
    typicality : (r, r) the largest typicality, or None for a model without.
    """

    x: Array
    y: Array
    codes: NDArray[np.intp]
    margins: Array
    certainty: Array | None
    typicality: Array | None

    @property
    def limits(self) -> Array:
        """(2, 2) least and greatest x and y."""
        return np.array([self.x[[0, -1]], self.y[[0, -1]]])

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top edge of an image whose pixels have the points at their middles."""
        dx, dy = (self.x[1] - self.x[0]) / 2, (self.y[1] - self.y[0]) / 2
        return (
            float(self.x[0] - dx),
            float(self.x[-1] + dx),
            float(self.y[0] - dy),
            float(self.y[-1] + dy),
        )


def survey(subject: Subject, plane: Plane, limits: Array, resolution: Any) -> Surface:
    """The model's answers on a grid of resolution × resolution points within limits (2, 2)."""
    if isinstance(resolution, bool) or not isinstance(resolution, int | np.integer) or resolution < 2:
        raise InputError(f"resolution={resolution!r} must be a whole number of at least 2.")
    x, y = (np.linspace(low, high, int(resolution)) for low, high in limits)
    points = np.stack(np.meshgrid(x, y), axis=-1)
    rows = plane.lift(points.reshape(-1, 2))
    shape, K = points.shape[:2], len(subject.classes)
    codes = subject.predicted(rows)
    log_posterior = _log_posterior(subject, rows)
    scores = _decision(subject, rows, codes, K) if log_posterior is None else log_posterior
    certainty = None if log_posterior is None else np.exp(log_posterior.max(axis=1)).reshape(shape)
    tail = getattr(subject.model, "typicality", None)
    typicality = None if tail is None else np.asarray(tail(subject.given(rows))).max(axis=1).reshape(shape)
    margins = _margins(scores).T.reshape(K, *shape)
    return Surface(x, y, codes.reshape(shape), margins, certainty, typicality)


def _log_posterior(subject: Subject, rows: Array) -> Array | None:
    """(m, K), or None for a model without."""
    method = getattr(subject.model, "predict_log_proba", None)
    if method is None:
        return None
    with np.errstate(divide="ignore"):  # some models take the logarithm of a posterior that is zero
        return np.asarray(method(subject.given(rows)), dtype=np.float64)


def _decision(subject: Subject, rows: Array, codes: NDArray[np.intp], K: int) -> Array:
    """(m, K) scores of a model without posteriors; where it has no score a class, 1 for the class it predicts."""
    method = getattr(subject.model, "decision_function", None)
    if method is not None:
        scores = np.asarray(method(subject.given(rows)), dtype=np.float64)
        if scores.ndim == 1:
            return np.stack([-scores / 2, scores / 2], axis=1)
        if scores.shape[1] == K:
            return scores
    return np.eye(K)[codes]


def _margins(scores: Array) -> Array:
    """(m, K) each class's score less the best of the others'; infinite ones are made large."""
    ordered = np.sort(scores, axis=1)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    is_best = np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]
    with np.errstate(invalid="ignore"):
        margins = scores - np.where(is_best, second, best)
    finite = np.abs(margins[np.isfinite(margins)])
    large = 10 * float(finite.max(initial=1.0))
    return np.nan_to_num(margins, nan=0.0, posinf=large, neginf=-large)
