"""Gaussian classes in a space that a regression maps rows to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from distinguo.densities.base import Density
from distinguo.densities.kernels import distances_to_points

Array = NDArray[np.float64]
LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class VariateGaussian(Density):
    r"""Classes around points of a space of L variates, with variance one in every direction.

    Densities are those of the variates :math:`v(x)`, not of the columns: :math:`p(v(x) | k) = N(v; m_k, I)`.

    Attributes
    ----------
    regression : has `predict`, from rows (n, p) to responses (n, q).
    rotate : (q, L) from responses to variates.
    points : (K, L) where the classes are.
    """

    regression: Any
    rotate: Array
    points: Array

    def variates(self, X: Array) -> Array:
        """The variates (n, L) of rows (n, p)."""
        responses = np.asarray(self.regression.predict(X), dtype=np.float64)
        return np.asarray(responses.reshape(len(X), len(self.rotate)) @ self.rotate)

    def distances(self, X: Array) -> Array:
        """Squared distances (n, K) to the classes' points."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(distances_to_points(self.variates(X), self.points))

    def log_density(self, X: Array) -> Array:
        """log p(v(x) | class), (n, K)."""
        return np.asarray(-0.5 * (self.distances(X) + self.points.shape[1] * LOG_2PI))

    def log_ratio(self, X: Array) -> Array:
        """log p(v(x) | class) up to a constant of the row, (n, K)."""
        return np.asarray(-0.5 * self.distances(X))

    def tail(self, X: Array) -> Array:
        """The chi-squared tail of the distance."""
        return np.asarray(chdtrc(self.points.shape[1], self.distances(X)))

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Variates (n, L) of class k."""
        return np.asarray(self.points[k] + rng.standard_normal((n, self.points.shape[1])))
