"""A finite answer where maximum likelihood has none, and the warning that names why."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

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
    rows = task.matrix
    apart = separation(rows.X, rows.classes[rows.codes], rows.weight, intercept=task.scaling.intercept)
    apart = replace(apart, feature_names=rows.names)
    if apart.kind == "none":
        return _unhurried(task, found), None
    warnings.warn(_names(apart), SeparationWarning, stacklevel=4)
    deviation = task.scaling.deviation
    faint = replace(task, penalty=ElasticNet(np.zeros_like(deviation), ALL_BUT_NOTHING * deviation**2), start=None)
    faint = replace(faint, scaling=replace(faint.scaling, basis=columns_of(deviation)))
    answer = _unhurried(faint, found)
    return replace(answer, iterations=found.iterations, trace=found.trace), apart


def _unhurried(task: Task, found: Solution[Affine]) -> Solution[Affine]:
    """The solution of a task that has one, however far away."""
    if task.given.stays_sparse:
        return by_lbfgs(task)
    frame = task.scaling.coordinates
    start = np.zeros(frame.size) if task.start is None else frame.vector(task.start)
    return in_scores(
        newton(task.likelihood(frame), start, weight=task.weight, tol=task.tol or 1e-9, max_iter=200, endless=False),
        frame,
    )


def _names(apart: Separation) -> str:
    """Which columns tell which classes apart."""
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
