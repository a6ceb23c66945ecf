"""The penalised likelihood of a logistic or softmax model, as a function of a vector of free numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine
from distinguo.linear.coordinates import Coordinates
from distinguo.solvers.newton import Point
from distinguo.statistics.logistic import LogisticSums

Array = NDArray[np.float64]
# From scores, and whether to give second derivatives, to the likelihood's sums over the rows.
Sums = Callable[[Affine, bool], LogisticSums]


@dataclass(frozen=True)
class ElasticNet:
    """A penalty on the normals, never on the scores at the centre: Σ l1 |b| + ½ Σ l2 b², over columns and classes.

    Attributes
    ----------
    l1, l2 : (p,) strengths by column, in its units.
    """

    l1: Array
    l2: Array

    @property
    def is_none(self) -> bool:
        """Whether there is no penalty."""
        return not (self.l1.any() or self.l2.any())

    def __call__(self, normals: Array) -> float:
        """The penalty on normals (K, p)."""
        return float((np.abs(normals) @ self.l1).sum() + 0.5 * (normals**2 @ self.l2).sum())

    def unmet(self, gradient: Array, normals: Array) -> Array:
        """(K, p) by how much each derivative misses what the penalty allows; zero at the optimum.

        Parameters
        ----------
        gradient : (K, p) of the loss by the normals.
        normals : (K, p)
        """
        slope = gradient + self.l2 * normals
        at_zero = np.maximum(np.abs(slope) - self.l1, 0.0)
        return np.where(normals == 0, at_zero, np.abs(slope + self.l1 * np.sign(normals)))


@dataclass(frozen=True)
class Likelihood:
    """Minus the log-likelihood, plus a ridge, in coordinates.

    Attributes
    ----------
    sums : over the rows.
    coordinates : of the free numbers.
    ridge : (p,) strength by column.
    """

    sums: Sums
    coordinates: Coordinates
    ridge: Array

    def __call__(self, vector: Array, curvature: bool) -> Point:
        """The value, its gradient and its second derivatives."""
        scores = self.coordinates.scores(vector)
        sums = self.sums(scores, curvature)
        pulled = self.ridge * scores.normals
        value = sums.loss + 0.5 * float((pulled * scores.normals).sum())
        by_class = sums.gradient.copy()
        by_class[:, 1:] += pulled
        second = None
        if sums.curvature is not None:
            second = self.coordinates.curvature(sums.curvature) + self._ridge_curvature()
        # Without a penalty, rows that all lie on their own side can be fitted ever better, and never best.
        final = sums.margin > 0 and not self.ridge.any()
        return Point(vector, value, self.coordinates.gradient(by_class), second, final)

    def _ridge_curvature(self) -> Array:
        """(d, d) second derivatives of the ridge."""
        frame, r = self.coordinates, self.coordinates.basis.size
        first = int(frame.intercept)
        block = np.zeros((r + first, r + first))
        if self.ridge.any():
            block[first:, first:] = frame.basis.square(np.diag(self.ridge))
        return np.asarray(np.kron(frame.coding.T @ frame.coding, block), np.float64)
