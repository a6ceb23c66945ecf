"""Firth's likelihood: that of the rows times Jeffreys' prior, so that estimates are finite and less biased."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from distinguo.hyperplane import Affine
from distinguo.linear.coordinates import Coordinates
from distinguo.linear.likelihood import Sums
from distinguo.solvers.newton import Point
from distinguo.statistics.leverage import PullSums
from distinguo.statistics.logistic import LogisticSums

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FirthLikelihood:
    r"""Minus :math:`\ell + \tfrac12 \log |I|`, in coordinates; its curvature is that of the likelihood alone.

    Attributes
    ----------
    sums : the likelihood's, over the rows.
    pull : from scores and roots (q, p + 1, s) of the inverse information to the prior's derivatives.
    coordinates : of the free numbers.
    """

    sums: Sums
    pull: Callable[[Affine, Array], PullSums]
    coordinates: Coordinates

    def __call__(self, vector: Array, curvature: bool) -> Point:
        """The value, its gradient, and the information; infinite where that is singular."""
        scores = self.coordinates.scores(vector)
        sums = self.sums(scores, True)
        information = self._information(sums)
        try:
            root = cholesky(information, lower=True, check_finite=False)
        except LinAlgError:
            return Point(vector, np.inf, np.full(len(vector), np.nan), information)
        value = sums.loss - float(np.log(np.diagonal(root)).sum())
        by_class = sums.gradient - self.pull(scores, _roots(self.coordinates, root)).gradient
        return Point(vector, value, self.coordinates.gradient(by_class), information)

    def by_class(self, scores: Affine) -> Array:
        """(K, p + 1) derivatives of the value by the classes' scores at the centre and normals."""
        sums = self.sums(scores, True)
        try:
            root = cholesky(self._information(sums), lower=True, check_finite=False)
        except LinAlgError:
            return np.full_like(sums.gradient, np.inf)
        return sums.gradient - self.pull(scores, _roots(self.coordinates, root)).gradient

    def _information(self, sums: LogisticSums) -> Array:
        assert sums.curvature is not None
        return self.coordinates.curvature(sums.curvature)


def _roots(frame: Coordinates, root: Array) -> Array:
    """(q, p + 1, s) roots of the inverse information by classes but the first, in the columns' units."""
    inverse = solve_triangular(root, np.eye(len(root)), lower=True, check_finite=False).T  # (d, s)
    columns = [frame.scores(column) for column in inverse.T]
    relative = [
        np.column_stack([c.offsets[1:] - c.offsets[0], c.normals[1:] - c.normals[0]]) for c in columns
    ]  # each (q, p + 1)
    return np.stack(relative, axis=-1)
