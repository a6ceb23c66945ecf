"""A finite answer where maximum likelihood has none, and the warning that names why."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.shapes import column_names
from distinguo.exceptions import SeparationWarning
from distinguo.hyperplane import Affine
from distinguo.linear.likelihood import ElasticNet
from distinguo.linear.logistic_solvers import by_lbfgs, in_scores
from distinguo.linear.scaling import columns_of
from distinguo.linear.separation import Separation, separation
from distinguo.linear.task import Task
from distinguo.solvers.newton import newton
from distinguo.solvers.solution import Solution

# The penalty on standardised columns that makes an answer finite and leaves the finite parts as they are.
ALL_BUT_NOTHING = 1e-8
CURE = "use bias_reduction='firth' or a penalty, such as C=1."


def finite_answer(task: Task, found: Solution[Affine]) -> tuple[Solution[Affine], Separation | None]:
    """What a solver that ran off makes of the rows: the separation, if there is one, and finite scores.

    Coefficients are those of a ridge that is all but nothing: where classes are apart, the widest gap between them
    decides, whatever the order of the rows and the start; elsewhere, the ridge does nothing.
    """
    deviation = task.scaling.deviation
    faint = replace(task, penalty=ElasticNet(np.zeros_like(deviation), ALL_BUT_NOTHING * deviation**2), start=None)
    faint = replace(faint, scaling=replace(faint.scaling, basis=columns_of(deviation)))
    answer = _unhurried(faint)
    apart = _certified(task, answer.value) or _decided(task)
    if apart.kind == "none":
        return _unhurried(task), None
    warnings.warn(_names(apart, _alone(task)), SeparationWarning, stacklevel=4)
    return replace(answer, iterations=found.iterations, trace=found.trace), apart


def _certified(task: Task, scores: Affine) -> Separation | None:
    """The separation that scores bring about themselves, if all rows score highest in their own class."""
    if task.row_offsets is not None or not task.sums(scores, False).margin > 0:
        return None
    direction = scores.normals[1:] - scores.normals[0]
    intercept = scores.intercepts[1:] - scores.intercepts[0]
    size = float((np.abs(direction) * task.scaling.deviation).max())
    used = np.flatnonzero(direction.any(axis=0))
    n, names = len(task.matrix.codes), task.scaling.names
    return Separation("complete", direction / size, intercept / size, task.scaling.classes, used, names, n, n)


def _decided(task: Task) -> Separation:
    """The separation that linear programming finds."""
    rows = task.matrix
    apart = separation(rows.X, rows.classes[rows.codes], rows.weight, intercept=task.scaling.intercept)
    return replace(apart, feature_names=rows.names)


def _alone(task: Task) -> NDArray[np.intp]:
    """The columns that tell two classes apart by themselves."""
    rows = task.matrix
    if len(rows.classes) != 2 or not isinstance(rows.X, np.ndarray):
        return np.empty(0, np.intp)
    first, second = rows.X[rows.codes == 0], rows.X[rows.codes == 1]
    below, above = first.max(axis=0) < second.min(axis=0), first.min(axis=0) > second.max(axis=0)
    return np.flatnonzero(below | above)


def _unhurried(task: Task) -> Solution[Affine]:
    """The solution of a task that has one, however far away."""
    if task.given.stays_sparse:
        return by_lbfgs(task)
    frame = task.scaling.coordinates
    smooth, start, tol = task.likelihood(frame), task.beginning(frame), task.tol or 1e-9
    return in_scores(newton(smooth, start, weight=task.weight, tol=tol, max_iter=200, endless=False), frame)


def _names(apart: Separation, alone: NDArray[np.intp]) -> str:
    """Which columns tell which classes apart."""
    if len(alone):
        shown = column_names(apart.feature_names, alone)
        who = f"the column {shown} alone tells" if len(alone) == 1 else f"the columns {shown}, each alone, tell"
        return f"{who} the classes of all rows: maximum likelihood has no finite answer. For one, {CURE}"
    if apart.kind == "complete":
        what = "one column" if len(apart.columns) == 1 else f"{len(apart.columns)} columns together"
        shown = column_names(apart.feature_names, apart.columns)
        return (
            f"a linear rule tells the classes of all rows ({what}: {shown}): maximum likelihood has no finite answer. "
            f"For one, {CURE}"
        )
    if len(apart.classes) == 2 and len(apart.columns) == 1:
        name = column_names(apart.feature_names, apart.columns).strip("'")
        sign = "+" if apart.infinite[0, apart.columns[0]] > 0 else "-"
        return f"`{name}` predicts the outcome perfectly; its estimate is {sign}infinity; {CURE}"
    shown = column_names(apart.feature_names, apart.columns)
    return (
        f"the columns {shown} together tell some rows' classes ({apart.n_apart} of {apart.n_rows}) without an error; "
        f"their estimates are infinite; {CURE}"
    )
