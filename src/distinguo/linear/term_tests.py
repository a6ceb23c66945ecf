"""Likelihood-ratio tests: of columns, each left out in turn, and of two nested fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.covariance.factor import RANK_TOLERANCE
from distinguo.exceptions import InputError
from distinguo.linear.coefficient_table import upper_tail
from distinguo.linear.record import FitRecord
from distinguo.linear.restricted import Restricted
from distinguo.linear.task import Task
from distinguo.rows.matrix import LabelledMatrix
from distinguo.solvers.newton import Point

Array = NDArray[np.float64]
# The share of a column's variance that other columns may leave unexplained, and yet contain it.
UNEXPLAINED = 1e-10


def numbered(groups: Any, names: Sequence[str]) -> list[NDArray[np.intp]]:
    """The numbers of the columns (p names) of every group; None is every column by itself.

    Examples
    --------
    >>> [group.tolist() for group in numbered(["age", ["dose", 0]], ["age", "dose"])]
    [[0], [1, 0]]
    """
    if groups is None:
        return [np.array([j], np.intp) for j in range(len(names))]
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InputError(f"groups={groups!r} must be a list of columns, or of lists of them, such as [{names[0]!r}].")
    return [_numbers(group, names) for group in groups]


def _numbers(group: Any, names: Sequence[str]) -> NDArray[np.intp]:
    """The numbers of one or several columns, by name or number, each once."""
    columns = [group] if isinstance(group, str) or not isinstance(group, Iterable) else list(group)
    if not columns:
        raise InputError("a group of no columns leaves nothing out to test; name a column in it.")
    return np.array(list(dict.fromkeys(_number(column, names) for column in columns)), np.intp)


def _number(column: Any, names: Sequence[str]) -> int:
    """The number of a column."""
    number = names.index(column) if column in names else column
    is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not is_whole or not 0 <= number < len(names):
        raise InputError(f"there is no column {column!r}; name columns of the fit, or count them from 0.")
    return int(number)


def without_columns(
    task: Task, most: float, best: Point | None, groups: list[NDArray[np.intp]]
) -> tuple[Array, NDArray[np.intp], Array]:
    """Statistics, degrees of freedom and p-values (m,) of leaving groups of columns out.

    Parameters
    ----------
    task : a fit without a penalty.
    most : the log-likelihood of the fit, with the correction for bias where the fit has it; the full model's
        information corrects the smaller fits too (Heinze and Schemper 2002).
    best : where it is reached, with second derivatives, near which the smaller fits begin; None if it is nowhere.
    groups : m arrays of column numbers.
    """
    found = [_lost(task, most, best, columns) for columns in groups]
    statistic, df = np.array([s for s, _ in found]), np.array([d for _, d in found], np.intp)
    return statistic, df, upper_tail(statistic, df)


def _lost(task: Task, most: float, best: Point | None, columns: NDArray[np.intp]) -> tuple[float, int]:
    """Twice the log-likelihood that columns bring, and how many coefficients they cost."""
    frame = task.scaling.coordinates
    q, first = frame.coding.shape[1], int(frame.intercept)
    kept = _span_of_others(task, columns)  # (m, r)
    each = np.zeros((len(kept) + first, frame.basis.size + first))
    each[:first, :first] = 1.0
    each[first:, first:] = kept
    df = q * (frame.basis.size - len(kept))
    if not df:
        return 0.0, 0
    span = np.asarray(np.kron(np.eye(q), each), np.float64)
    restricted = Restricted(task.likelihood(frame), np.zeros(frame.size), span)
    start, curvature = (np.zeros(len(span)), None) if best is None else (span @ best.at, best.curvature)
    return max(2 * (most + restricted.least(start, task.weight, curvature)[1]), 0.0), df


def _span_of_others(task: Task, columns: NDArray[np.intp]) -> Array:
    """(m, r) orthonormal weights of the scores that the other columns can make."""
    weights = np.delete(task.scaling.basis.weights(np.eye(len(task.scaling.centre))), columns, axis=0)
    size = np.linalg.norm(weights, axis=1)
    scaled = weights[size > 0] / size[size > 0, None]
    _, values, right = np.linalg.svd(scaled, full_matrices=False)
    return np.asarray(right[values > np.sqrt(RANK_TOLERANCE) * values.max(initial=0.0)])


def check_nested(small: FitRecord, large: FitRecord, small_task: Task, large_task: Task) -> None:
    """Raise unless two fits are of the same rows, and the columns of one are made of those of the other."""
    same = np.array_equal(small_task.scaling.classes, large_task.scaling.classes) and np.allclose(
        [small.weight, small.null_log_likelihood], [large.weight, large.null_log_likelihood], rtol=1e-9
    )
    intercepts = small_task.scaling.intercept == large_task.scaling.intercept
    if not intercepts:
        raise InputError("one model has an intercept and the other has none; fit both with the same fit_intercept.")
    a, b = small_task.matrix, large_task.matrix
    if not (same and np.array_equal(a.codes, b.codes) and np.array_equal(a.weight, b.weight)):
        raise InputError("the models were fitted on different rows, labels, weights or offsets; fit both on the same.")
    foreign = np.flatnonzero(~_contained(a, b, small_task.scaling.intercept))
    if len(foreign):
        shown = ", ".join(str(a.names[j]) if a.names is not None else str(j) for j in foreign[:8])
        raise InputError(
            f"the models are not nested: the column(s) {shown} of the smaller are no combination of the larger's. "
            "Compare them by AIC or BIC."
        )
    if small.n_parameters == large.n_parameters:
        raise InputError("the columns of both models make the same scores, so that there is nothing to test.")


def _contained(small: LabelledMatrix, large: LabelledMatrix, intercept: bool) -> NDArray[np.bool_]:
    """(p,) which columns of the smaller are linear combinations of those of the larger."""
    root = np.sqrt(large.weight)[:, None]

    def ready(rows: LabelledMatrix) -> Array:
        X: Any = rows.X.toarray() if sparse.issparse(rows.X) else rows.X
        X = X - np.average(X, axis=0, weights=large.weight) if intercept else X
        scale = np.abs(X).max(axis=0, initial=0.0)
        scaled = root * np.divide(X, scale, out=np.zeros_like(X), where=scale > 0)
        length = np.linalg.norm(scaled, axis=0)
        return np.asarray(scaled / np.where(length > 0, length, 1.0))

    left, values, _ = np.linalg.svd(ready(large), full_matrices=False)
    span = left[:, values > np.sqrt(RANK_TOLERANCE) * values.max(initial=0.0)]
    columns = ready(small)
    rest = columns - span @ (span.T @ columns)
    return np.asarray((rest**2).sum(axis=0) <= UNEXPLAINED)
