r"""The EM algorithm for Gaussian mixtures in classes, of rows with missing cells.

Maximises what `mixture_em` does, with the density of the cells that are there in the place of that of the row. Rows
stay in the units of their columns, for a hole has no place in coordinates that mix them; what bounds a covariance is in
the coordinates where the pooled classes are spheres, as for rows without holes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.solvers.mixture_em import TINY, Components, climb, floored, parts_of
from distinguo.solvers.solution import Solution
from distinguo.statistics.holes import CompletedMoments
from distinguo.statistics.shares import SharedSums

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HoledProblem:
    """Rows with missing cells, and which components may describe them.

    Attributes
    ----------
    X : (n, p) rows, sorted by class, with NaN.
    centres : (K, p) the classes' means, where their coordinates have their origin.
    whiten, colour : (p, r) from columns to coordinates, and back.
    least : (p,) variance added to each column's, so that every covariance inverts.
    weight, owner, group, begins, penalty, floor : as in `mixture_em.Problem`.
    """

    X: Array
    centres: Array
    whiten: Array
    colour: Array
    least: Array
    weight: Array
    owner: NDArray[np.intp]
    group: NDArray[np.intp]
    begins: NDArray[np.intp]
    penalty: Array
    floor: float


def fit_holed_components(
    problem: HoledProblem, start: CompletedMoments, tol: float, max_iter: int
) -> Solution[Components]:
    """The maximum that EM climbs to, in the coordinates of the problem.

    Parameters
    ----------
    problem : rows and components.
    start : moments of the R components to begin with, a scatter each.
    tol, max_iter : as in `mixture_em.fit_components`.

    References
    ----------
    Ghahramani and Jordan (1994), Supervised learning from incomplete data via an EM approach, NIPS 6, 120-127.
    """
    return climb(_State(problem, start), float(problem.weight.sum()), tol, max_iter)


class _State:
    """Parameters and expected moments, each made from the other in turn."""

    def __init__(self, problem: HoledProblem, start: CompletedMoments) -> None:
        R, r = len(problem.group), problem.whiten.shape[1]
        self.problem = problem
        self.parts = parts_of(problem.owner, problem.group, problem.begins)
        scatter = np.zeros((len(problem.penalty), *start.scatter.shape[1:]))
        np.add.at(scatter, problem.group, start.scatter)
        self.moments = start.weight, start.mean, scatter
        self.share = np.zeros(R)
        self.mean = np.zeros((R, r))
        self.total = np.zeros(R)
        self.covariance = np.repeat(np.eye(r)[None], len(problem.penalty), axis=0)
        self.log_likelihood = 0.0

    def maximise(self) -> None:
        """Shares, means and covariances from expected moments."""
        problem, (total, mean, scatter) = self.problem, self.moments
        classes = np.bincount(problem.owner, total)
        self.total, self.share = total, total / np.maximum(classes, TINY)[problem.owner]
        moved = (mean - problem.centres[problem.owner]) @ problem.whiten
        # A component that has lost every row stays where it was.
        self.mean = np.where(total[:, None] > 0, moved, self.mean)
        weight = np.bincount(problem.group, total, len(scatter))
        for group in np.flatnonzero(weight).tolist():
            within = problem.whiten.T @ scatter[group] @ problem.whiten + problem.penalty[group]
            self.covariance[group] = floored(within / weight[group], problem.floor)

    def expect(self) -> float:
        """Expected moments from parameters; returns the objective."""
        problem = self.problem
        covariances = problem.colour @ self.covariance @ problem.colour.T + np.diag(problem.least)
        means = problem.centres[problem.owner] + self.mean @ problem.colour.T
        log_share = np.log(np.maximum(self.share, TINY))
        sums = SharedSums(log_share, means, covariances, problem.group, problem.group)
        for part in self.parts:
            sums.add(problem.X[part.rows], problem.weight[part.rows], part.members)
        self.moments = sums.weight, sums.expected_means, sums.scatter
        self.log_likelihood = sums.log_likelihood
        precisions = np.linalg.inv(self.covariance)
        return self.log_likelihood - 0.5 * float((problem.penalty * precisions).sum())
