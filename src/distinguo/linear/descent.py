"""Logistic regression by gradient descent, plain and stochastic, on the columns as they are: for study and streams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine
from distinguo.linear.coordinates import Columns, Coordinates, contrasts
from distinguo.linear.likelihood import Likelihood
from distinguo.linear.roads import Road, road_of
from distinguo.linear.task import Task
from distinguo.linear.walk import Walk, steepness, step_for
from distinguo.options import generator_of
from distinguo.solvers.gradient_descent import LOST, gradient_descent
from distinguo.solvers.solution import Solution, Status

Array = NDArray[np.float64]


def by_gradient_descent(task: Task) -> Solution[Affine]:
    """Steps down the mean gradient over all rows; absolute values are met by soft thresholds."""
    K, p = len(task.scaling.classes), len(task.scaling.deviation)
    # A vector of its own for every class, so that thresholds act on each; from zero, they sum to zero all the way.
    coding = contrasts(2) if K == 2 else np.eye(K)
    frame = Coordinates(np.zeros(p), Columns(np.ones(p)), coding, task.scaling.intercept)
    penalty, weight = task.penalty, task.weight

    def shrink(vector: Array, step: float) -> Array:
        offsets, normals = frame.split(vector)
        least = step * penalty.l1 / weight
        return frame.join(offsets, np.sign(normals) * np.maximum(np.abs(normals) - least, 0.0))

    def rest(vector: Array) -> float:
        return float((np.abs(frame.split(vector)[1]) @ penalty.l1).sum()) / weight

    found = gradient_descent(
        Likelihood(task.sums, frame, penalty.l2),
        task.beginning(frame),
        weight=weight,
        step=task.options["eta0"] or 1 / _greatest_curvature(task),
        decay=task.options["gamma"] or 0.0,
        tol=task.tol or 1e-6,
        max_iter=task.max_iter or 10_000,
        shrink=shrink,
        rest=rest,
    )
    return Solution(frame.scores(found.value.at), found.status, found.iterations, found.trace)


def _greatest_curvature(task: Task) -> float:
    """A bound of the second derivatives of the mean loss: the least there is, but for very wide rows."""
    largest = road_of(task).largest(task.scaling.intercept)
    return steepness(len(task.scaling.classes)) * largest + float(task.penalty.l2.max(initial=0.0)) / task.weight


def by_stochastic_descent(task: Task) -> Solution[Affine]:
    """Passes over the rows in random order, a step a row; the objective is noted after each pass."""
    if task.row_offsets is not None:
        raise InputError("solver='stochastic' takes no offset; use another solver.")
    road, weight, ridge = road_of(task), task.weight, task.penalty.l2 / task.weight
    walk = _begin(task, road)
    generator = generator_of(task.options["random_state"])
    trace: list[float] = [_objective(task, walk)]
    status: Status = "max_iter"
    passes = task.max_iter or 100
    for done in range(1, passes + 1):
        further = road.pass_over(walk, generator, ridge)
        value = _objective(task, further)
        if not value <= LOST * (trace[0] + weight):
            return Solution(walk.scores, "unstable", done, np.array(trace))
        walk = further
        trace.append(value)
        if done == passes and value > trace[0]:
            status = "unstable"
        elif abs(trace[-1] - trace[-2]) <= (task.tol or 1e-6) * weight:
            status = "converged"
            break
    return Solution(walk.scores, _finished(task, walk, status), len(trace) - 1, np.array(trace))


def _finished(task: Task, walk: Walk, status: Status) -> Status:
    """How the walk ended: where every row lies on its own side and nothing holds it, it would never end."""
    if task.penalty.is_none and task.sums(walk.scores, False).margin > 0:
        return "diverging"
    return status


def _begin(task: Task, road: Road) -> Walk:
    """The start of a walk over the rows of a task."""
    K = len(task.scaling.classes)
    normals, offsets = np.zeros((K, len(task.scaling.deviation))), np.zeros(K)
    if task.start is not None:
        own = task.start.normals, task.start.intercepts
        normals, offsets = (part - part[0] if K == 2 else part.copy() for part in own)
    ridge, intercept = task.penalty.l2 / task.weight, task.scaling.intercept
    step = task.options["eta0"] or step_for(road.longest, K, ridge, intercept) / road.heaviest
    gamma = task.options["gamma"]
    decay = 1 / road.rows if gamma is None else gamma
    return Walk(task.scaling.classes, normals, offsets, 0, step, decay, intercept)


def _objective(task: Task, walk: Walk) -> float:
    scores = walk.scores
    with np.errstate(over="ignore", invalid="ignore"):
        return task.sums(scores, False).loss + task.penalty(scores.normals)
