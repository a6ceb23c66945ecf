"""The ways to the optimum of logistic regression, by name; all lead to the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine
from distinguo.linear.coordinates import Coordinates
from distinguo.linear.likelihood import Likelihood
from distinguo.linear.task import Task
from distinguo.rows.thinned import Thinned
from distinguo.solvers.lbfgs import lbfgs
from distinguo.solvers.newton import Point, newton
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]
# More free numbers than this take too long to divide by their second derivatives.
MOST_NEWTON = 2000
# A share of the rows is enough to begin with: at least this many, and so many a free number.
LEAST_THINNED, THINNED_PER_NUMBER = 2000, 50


def by_newton(task: Task) -> Solution[Affine]:
    """Damped Newton steps, begun on a share of the rows where there are many."""
    frame = task.scaling.coordinates
    start, curvature = _beginning(task, frame)
    found = newton(
        task.likelihood(frame),
        start,
        weight=task.weight,
        tol=task.tol or 1e-9,
        max_iter=task.max_iter or 100,
        endless=task.penalty.is_none and not task.firth,
        curvature=curvature,
    )
    return in_scores(found, frame)


def by_lbfgs(task: Task) -> Solution[Affine]:
    """Quasi-Newton steps, from gradients only."""
    frame = task.scaling.coordinates
    start = np.zeros(frame.size) if task.start is None else frame.vector(task.start)
    found = lbfgs(
        task.likelihood(frame), start, weight=task.weight, tol=task.tol or 1e-9, max_iter=task.max_iter or 10_000
    )
    return in_scores(found, frame)


def in_scores(found: Solution[Point], frame: Coordinates) -> Solution[Affine]:
    """A solution in coordinates as scores of the classes."""
    return Solution(frame.scores(found.value.at), found.status, found.iterations, found.trace)


def _beginning(task: Task, frame: Coordinates) -> tuple[Array, Array | None]:
    """Where to start, and second derivatives to start with, where some of the rows tell them."""
    start = np.zeros(frame.size) if task.start is None else frame.vector(task.start)
    enough = max(LEAST_THINNED, THINNED_PER_NUMBER * frame.size)
    every = int(task.scaling.weight.sum() // enough)
    if every < 8 or task.row_offsets is not None or task.firth:
        return start, None
    rows = Thinned(task.given.source, every)

    def sums(scores: Affine, curvature: bool) -> object:
        return rows.aggregate(task.step(scores, curvature))

    share = rows.aggregate(task.step(frame.scores(start), False)).weight / task.weight
    likelihood = Likelihood(sums, frame, task.penalty.l2 * share)  # type: ignore[arg-type]
    found = newton(likelihood, start, weight=share * task.weight, tol=1e-4, max_iter=25)
    if found.status != "converged":
        return start, None
    there = likelihood(found.value.at, True)
    assert there.curvature is not None
    return there.at, there.curvature / share


SOLVERS: dict[str, Callable[[Task], Solution[Affine]]] = {"newton": by_newton, "lbfgs": by_lbfgs}


def suitable(task: Task) -> str:
    """The solver for a task that names none."""
    if task.penalty.l1.any():
        return "coordinate-descent"
    few = task.scaling.coordinates.size <= MOST_NEWTON
    return "newton" if few and not task.given.stays_sparse else "lbfgs"
