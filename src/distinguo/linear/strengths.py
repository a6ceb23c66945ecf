"""Grids of strengths, and the solutions of a task along one, each begun at the last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine
from distinguo.linear.column_descent import by_coordinate_descent, descents, without_columns
from distinguo.linear.likelihood import ElasticNet
from distinguo.linear.logistic_solvers import solver_for
from distinguo.linear.task import Task
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]

# A ridge sets no coefficient to zero: its grid begins where this share of absolute values would.
LEAST_SHARE = 1e-3
# The last strength beside the least that leaves out all columns; of fewer rows than columns.
RANGE, RANGE_WIDE = 1e-4, 1e-2
MOST_STRENGTHS = 10_000


def strengths(Cs: Any, task: Task, l1_ratio: float, unit: Array) -> Array:
    """Ascending values of C, (m,), from a number of them or from the values themselves.

    The least of a number of them is the greatest C at which all coefficients are zero; the others follow in equal
    ratios, to 10 000 times as much, or 100 times where there are fewer rows than columns. A ridge begins where a share
    of .001 of absolute values would, and ends where a lasso does.

    Parameters
    ----------
    Cs : how many, or their values in ascending order.
    task : the rows.
    l1_ratio : the share of absolute values in the penalty.
    unit : (p,) in which columns are penalised.

    Raises
    ------
    InputError
        If `Cs` is neither, or values are not positive, finite and ascending.
    """
    if isinstance(Cs, int | np.integer) and not isinstance(Cs, bool) and 2 <= Cs <= MOST_STRENGTHS:
        last = RANGE_WIDE if task.scaling.weight.sum() < len(unit) else RANGE
        if l1_ratio == 0:
            last *= LEAST_SHARE
        return np.asarray(weakest_without_columns(task, l1_ratio, unit) * last ** -(np.arange(Cs) / (Cs - 1)))
    try:
        values = np.asarray(Cs, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    usable = values.ndim == 1 and len(values) >= 2 and np.isfinite(values).all() and (values > 0).all()
    if not usable or (np.diff(values) <= 0).any():
        raise InputError(
            f"Cs={Cs!r} must be a whole number from 2 to {MOST_STRENGTHS}, or at least two positive numbers, ascending."
        )
    return values


def weakest_without_columns(task: Task, l1_ratio: float, unit: Array) -> float:
    """The greatest C at which all coefficients are zero; of a ridge, that of a small share of absolute values.

    Parameters
    ----------
    task, l1_ratio, unit : as in `strengths`.
    """
    slopes = np.abs(task.sums(without_columns(task), False).gradient[:, 1:]).max(axis=0)  # (p,)
    varies = (task.scaling.deviation > 0) & (unit > 0)
    greatest = float((slopes[varies] / unit[varies]).max(initial=0.0))
    if greatest <= 0:
        raise InputError("no column tells the classes apart in the least; give Cs as numbers.")
    return max(l1_ratio, LEAST_SHARE) / greatest


def solutions(task: Task, solver: str, penalties: list[ElasticNet]) -> Iterator[Solution[Affine]]:
    """The solutions of a task at one penalty after the other, each begun at the last.

    Parameters
    ----------
    task : the rows; its own penalty plays no part.
    solver : by name, or "auto" for what suits the first penalty.
    penalties : from the strongest to the weakest, which is the quickest order.
    """
    solve = solver_for(replace(task, penalty=penalties[0]), solver)
    return _ALONG.get(solve, _one_by_one(solve))(task, penalties)


def _one_by_one(solve: Callable[[Task], Solution[Affine]]) -> Along:
    def along(task: Task, penalties: Iterable[ElasticNet]) -> Iterator[Solution[Affine]]:
        start = task.start
        for penalty in penalties:
            found = solve(replace(task, penalty=penalty, start=start))
            start = found.value
            yield found

    return along


Along = Callable[[Task, Iterable[ElasticNet]], Iterator[Solution[Affine]]]
# Solvers that prepare the rows once for all penalties.
_ALONG: dict[Callable[[Task], Solution[Affine]], Along] = {by_coordinate_descent: descents}
