"""Coordinate descent in the terms of a task: columns, bounds and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine
from distinguo.linear.likelihood import ElasticNet
from distinguo.linear.task import Task
from distinguo.rows.matrix import LabelledMatrix
from distinguo.solvers.columns import Bounds, DenseColumns, SparseColumns
from distinguo.solvers.coordinate_descent import Coefficients, Fit, Problem, coordinate_descent, fit_at
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]
TOLERANCE, EXACT, MOST_STEPS = 1e-8, 1e-12, 10_000


def by_coordinate_descent(task: Task) -> Solution[Affine]:
    """Descent in one coefficient at a time, within Newton steps on a working set of columns."""
    (found,) = descents(task, [task.penalty])
    return found


def descents(task: Task, penalties: Iterable[ElasticNet]) -> Iterator[Solution[Affine]]:
    """The solutions of a task at one penalty after the other, each begun at the last.

    Columns that the last solution says will not be wanted are left out until they are (the sequential strong rule of
    Tibshirani et al., 2012, JRSS B 74, 245-266); nothing depends on its being right.
    """
    layout = Layout(task)
    at, last = layout.start(), None
    for penalty in penalties:
        bounds = layout.bounds(penalty)
        screen = None if last is None else _strong_rule(bounds.l1, last.l1)
        tol, most = task.tol or TOLERANCE, task.max_iter or MOST_STEPS
        found = coordinate_descent(layout.problem, bounds, at, screen=screen, tol=tol, max_iter=most)
        at, last = found.value, bounds
        yield Solution(layout.scores(at.at), found.status, found.iterations, found.trace)


def _strong_rule(l1: Array, before: Array) -> Array:
    """(p,) what a derivative must reach for its column to be wanted; infinity where the rule cannot say."""
    least = 2 * l1 - before
    return np.where(least > 0, least, np.inf)


def without_columns(task: Task) -> Affine:
    """The best scores that are the same for all rows, but for their offsets."""
    layout = Layout(task, none=True)
    nothing = np.zeros(0)
    found = coordinate_descent(layout.problem, Bounds(nothing, nothing, nothing), layout.start(), tol=EXACT)
    return layout.scores(found.value.at)


@dataclass(frozen=True, eq=False)
class Layout:
    """A task's rows, laid out column by column.

    Attributes
    ----------
    task : the rows, their scales, and where to start.
    none : whether no column is to take part.
    """

    task: Task
    none: bool = False

    @cached_property
    def _sizes(self) -> Array:
        """(p,) deviations; of constant columns without an intercept, their size; zero for what takes no part."""
        scaling = self.task.scaling
        per_size = scaling.basis.along(np.ones((1, len(scaling.deviation))))[0]
        size = np.divide(1.0, per_size, out=np.zeros_like(per_size), where=per_size > 0)
        return np.where((scaling.deviation > 0) | scaling.intercept, scaling.deviation, size)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """(m,) the columns that take part."""
        return np.flatnonzero(self._sizes)[: 0 if self.none else None]

    @cached_property
    def problem(self) -> Problem:
        """The rows; dense ones about the centre, sparse ones as they are."""
        rows, scaling, offsets = self.task.matrix, self.task.scaling, self.task.matrix_offsets
        K = len(scaling.classes)
        return Problem(
            columns=self._columns(rows),
            codes=rows.codes,
            weight=rows.weight,
            K=K,
            fixed=np.zeros((len(rows.codes), K)) if offsets is None else offsets,
            constant=scaling.intercept,
        )

    def _columns(self, rows: LabelledMatrix) -> SparseColumns | DenseColumns:
        if rows.is_sparse:
            return SparseColumns(rows.columns).take(self._places)
        centred = np.ascontiguousarray(rows.X[:, self._places].T)
        centred -= self._centre[:, None]
        return DenseColumns(centred)

    @cached_property
    def _centre(self) -> Array:
        """(m,) about which scores are taken."""
        centre = self.task.scaling.centre[self._places]
        return np.zeros_like(centre) if self.task.matrix.is_sparse else centre

    def bounds(self, penalty: ElasticNet) -> Bounds:
        """The penalty on the columns that take part."""
        return Bounds(penalty.l1[self._places], penalty.l2[self._places], self._sizes[self._places])

    def start(self) -> Fit:
        """The scores to begin with; zero where there are none."""
        scores = self.task.start
        if scores is None:
            return fit_at(self.problem, self.problem.zero())
        free = slice(self.problem.K - self.problem.n_free, None)
        normals = scores.normals[:, self._places]
        offsets = scores.offsets + normals @ (self._centre - scores.centre[self._places])
        if self.problem.K == 2:
            normals, offsets = normals - normals[0], offsets - offsets[0]
        offsets = offsets if self.problem.constant else np.zeros_like(offsets)
        return fit_at(self.problem, Coefficients(normals[free].copy(), offsets[free].copy()))

    def scores(self, at: Coefficients) -> Affine:
        """The scores (K,) of coefficients."""
        K, p = self.problem.K, len(self.task.scaling.deviation)
        normals, offsets, centre = np.zeros((K, p)), np.zeros(K), np.zeros(p)
        normals[K - self.problem.n_free :, self._places] = at.slopes
        offsets[K - self.problem.n_free :] = at.constants
        centre[self._places] = self._centre
        if K > 2 and self.problem.constant:  # what all classes share says nothing: intercepts sum to zero
            offsets -= (offsets - normals @ centre).mean()
        return Affine(centre, normals, offsets)
