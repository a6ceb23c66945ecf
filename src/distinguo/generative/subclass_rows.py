"""Rows in which subclasses are to be found: without holes, or with missing cells as their class expects them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import Factor
from distinguo.generative.completion import ExpectationMaximisation
from distinguo.rows.gathered import Gathered
from distinguo.solvers.mixture_em import Components, Problem, fit_components
from distinguo.solvers.mixture_holes import HoledProblem, fit_holed_components
from distinguo.solvers.solution import Solution
from distinguo.statistics.diagonal import ColumnMoments
from distinguo.statistics.holes import ExpectedMoments, GaussianParameters, expected_rows
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


class SubclassRows(ABC):
    """Rows sorted by class, what is known of the classes, and EM for their subclasses.

    Attributes
    ----------
    moments : pooled, of the classes.
    X : (n, p) without holes.
    """

    moments: ClassMoments
    X: Array

    @abstractmethod
    def scatter(self, Z: Array, weight: Array, outer: Factor) -> Array:
        """(r, r) within classes, in the coordinates Z (n, r) of X that `outer` whitens to."""

    @abstractmethod
    def climb(
        self, problem: Problem, start: NDArray[np.intp], outer: Factor, tol: float, max_iter: int
    ) -> Solution[Components]:
        """EM from a first division of the rows; see `fit_components`."""


class CompleteRows(SubclassRows):
    """Rows without holes."""

    def __init__(self, rows: Gathered) -> None:
        self.moments = rows.aggregate(Moments("pooled"))
        self.X = rows.X

    def scatter(self, Z: Array, weight: Array, outer: Factor) -> Array:
        """That of the rows."""
        return np.asarray((Z * weight[:, None]).T @ Z)

    def climb(
        self, problem: Problem, start: NDArray[np.intp], outer: Factor, tol: float, max_iter: int
    ) -> Solution[Components]:
        """EM in the coordinates of the problem."""
        return fit_components(problem, start, tol, max_iter)


class HoledRows(SubclassRows):
    """Rows with holes, completed as by linear discriminant analysis.

    k-means cannot start from rows with holes. One Gaussian a class expects a missing cell where the cells that are
    there say, so it draws rows together less than a column's mean would; and it is the model with one subclass, from
    which EM for several goes on. Its rows serve to start: EM itself sees the holes.
    """

    def __init__(self, rows: Gathered) -> None:
        self.rows = rows
        found = ExpectationMaximisation("pooled", 1.0).run(rows, rows.aggregate(ColumnMoments()))
        self.moments, self.parameters = found.moments, found.parameters
        self.X = expected_rows(rows, found.parameters)

    def scatter(self, Z: Array, weight: Array, outer: Factor) -> Array:
        """That of the rows, with what their missing cells vary."""
        return np.asarray(outer.whiten.T @ self.moments.within @ outer.whiten)

    def climb(
        self, problem: Problem, start: NDArray[np.intp], outer: Factor, tol: float, max_iter: int
    ) -> Solution[Components]:
        """EM in the units of the columns."""
        first = np.searchsorted(problem.owner, np.arange(len(problem.begins) - 1))
        components = np.arange(len(problem.owner))
        begin = GaussianParameters(
            components, self.moments.mean[problem.owner], self.parameters.covariances, np.ones(len(components))
        )
        divided = Gathered(
            self.rows.X,
            first[self.rows.codes] + start,
            components,
            self.rows.weight,
            self.rows.names,
            self.rows.row_numbers,
        )
        # What EM for one Gaussian a class added to its covariance, so that every pattern of holes has an inverse.
        within = np.diagonal(self.moments.within) / self.rows.weight.sum()
        least = np.maximum(np.diagonal(self.parameters.covariances[0]) - within, 0.0)
        holed = HoledProblem(
            X=self.rows.X,
            centres=self.moments.mean,
            whiten=outer.whiten,
            colour=outer.colour,
            least=least,
            weight=self.rows.weight,
            owner=problem.owner,
            group=problem.group,
            begins=problem.begins,
            penalty=problem.penalty,
            floor=problem.floor,
        )
        return fit_holed_components(holed, divided.aggregate(ExpectedMoments(begin, "full")), tol, max_iter)


def subclass_rows(rows: Gathered) -> SubclassRows:
    """The rows as they are, or completed where cells are missing."""
    return HoledRows(rows) if np.isnan(rows.X).any() else CompleteRows(rows)
