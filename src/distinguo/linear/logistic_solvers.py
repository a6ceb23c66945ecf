"""The ways to the optimum of logistic regression, by name; all lead to the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine
from distinguo.linear.column_descent import by_coordinate_descent
from distinguo.linear.coordinates import Coordinates
from distinguo.linear.descent import by_gradient_descent, by_stochastic_descent
from distinguo.linear.likelihood import Likelihood
from distinguo.linear.task import Task
from distinguo.rows.gathered import gather
from distinguo.rows.thinned import Thinned
from distinguo.solvers.lbfgs import lbfgs
from distinguo.solvers.newton import Point, newton
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]
# More free numbers than this take too long to divide by their second derivatives.
MOST_NEWTON = 2000
# A share of the rows is enough to begin with: at least this many, and so many a free number. Where there are very many,
# a hundredth is read in no time, and its second derivatives serve to the end.
LEAST_THINNED, THINNED_PER_NUMBER, THINNED_SHARE = 2000, 50, 0.01
# The second derivative of a row's loss by a score, where two classes are equally likely.
ROW_CURVATURE = 0.25


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
        dear=_cost(frame),
    )
    return in_scores(found, frame)


def _cost(frame: Coordinates) -> float:
    """How many gradients the second derivatives cost, by operations a row."""
    K, d = len(frame.coding), frame.basis.size + 1
    return 0.5 * frame.size**2 / (4 * K * d + 30 * K)


def by_lbfgs(task: Task) -> Solution[Affine]:
    """Quasi-Newton steps, from gradients only."""
    plain = task.scaling.coordinates
    frame = replace(plain, basis=plain.basis.beside(task.penalty.l2 / (ROW_CURVATURE * task.weight)))
    start = task.beginning(frame)
    found = lbfgs(
        task.likelihood(frame), start, weight=task.weight, tol=task.tol or 1e-8, max_iter=task.max_iter or 10_000
    )
    return in_scores(found, frame)


def in_scores(found: Solution[Point], frame: Coordinates) -> Solution[Affine]:
    """A solution in coordinates as scores of the classes."""
    return Solution(frame.scores(found.value.at), found.status, found.iterations, found.trace)


def _beginning(task: Task, frame: Coordinates) -> tuple[Array, Array | None]:
    """Where to start, and second derivatives to start with, where some of the rows tell them."""
    start = task.beginning(frame)
    n = task.scaling.weight.sum()
    enough = max(LEAST_THINNED, THINNED_PER_NUMBER * frame.size, THINNED_SHARE * n)
    every = int(n // enough)
    if every < 8 or task.row_offsets is not None or task.firth or task.given.source.is_remote:
        return start, None
    rows = gather(Thinned(task.given.source, every))

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


@dataclass(frozen=True)
class Solver:
    """A way to the optimum.

    Attributes
    ----------
    solve : from a task to its solution.
    thresholds : whether absolute values may be penalised.
    unpenalised : whether there may be no penalty.
    firth : whether it takes the bias correction.
    steps : whether eta0 and gamma act.
    """

    solve: Callable[[Task], Solution[Affine]]
    thresholds: bool = False
    unpenalised: bool = True
    firth: bool = False
    steps: bool = False


SOLVERS: dict[str, Solver] = {
    "newton": Solver(by_newton, firth=True),
    "lbfgs": Solver(by_lbfgs),
    "coordinate-descent": Solver(by_coordinate_descent, thresholds=True, unpenalised=False),
    "gradient-descent": Solver(by_gradient_descent, thresholds=True, steps=True),
    "stochastic": Solver(by_stochastic_descent, steps=True),
}


def solver_for(task: Task, asked: str) -> Callable[[Task], Solution[Affine]]:
    """The solver of that name, or for "auto" the one that suits the task.

    Raises
    ------
    InputError
        If there is none, or an option cannot act with it.
    """
    chosen = isinstance(asked, str) and asked == "auto"
    name = _suitable(task) if chosen else asked
    if not isinstance(name, str) or name not in SOLVERS:
        raise InputError(f"solver={name!r} is not known; use 'auto' or one of {', '.join(map(repr, SOLVERS))}.")
    solver, demands = SOLVERS[name], _demands(task)
    for demand in demands:
        if not demand.met(solver):
            takers = [repr(other) for other, able in SOLVERS.items() if all(each.met(able) for each in demands)]
            use = f"use solver={' or '.join(takers)}, or" if takers else "no solver suits all that is asked:"
            which = f"solver='auto' is {name!r} here, which" if chosen else f"solver={name!r}"
            raise InputError(f"{which} {demand.lacking}; {use} {demand.remedy}.")
    return solver.solve


class Demand(NamedTuple):
    """What a task asks of a solver: whether one meets it, what is said of one that does not, and what to do then."""

    met: Callable[[Solver], bool]
    lacking: str
    remedy: str


def _demands(task: Task) -> list[Demand]:
    """All that the task asks of a solver."""
    dense = "takes bias_reduction with dense rows or few columns only"
    uncorrected = "leave bias_reduction at None"
    every = (
        (task.penalty.l1.any(), Demand(lambda s: s.thresholds, "takes no l1_ratio above 0", "leave l1_ratio at 0")),
        (task.penalty.is_none, Demand(lambda s: s.unpenalised, "needs a penalty", "give a finite C")),
        (task.firth, Demand(lambda s: s.firth, "takes no bias_reduction", uncorrected)),
        (task.firth and task.given.stays_sparse, Demand(lambda s: False, dense, uncorrected)),
        (task.options.get("eta0") is not None, Demand(lambda s: s.steps, "takes no eta0", "leave eta0 at None")),
        (task.options.get("gamma") is not None, Demand(lambda s: s.steps, "takes no gamma", "leave gamma at None")),
    )
    return [demand for asked, demand in every if asked]


def _suitable(task: Task) -> str:
    """The solver for a task that names none."""
    if task.penalty.l1.any():
        return "coordinate-descent"
    few = task.scaling.coordinates.size <= MOST_NEWTON
    return "newton" if task.firth or (few and not task.given.stays_sparse) else "lbfgs"
