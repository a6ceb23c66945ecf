"""The rows of a task as stochastic gradient descent walks over them: kept in memory, or streamed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distinguo.linear.task import WIDE, Task
from distinguo.linear.walk import Walk
from distinguo.rows.base import refuse_holes
from distinguo.rows.matrix import squared_lengths, weighted_products
from distinguo.statistics.row_sizes import RowSizes, SizeRows, class_weighted

Array = NDArray[np.float64]


class Road(ABC):
    """What is to be known of rows before a walk, and the walk over them."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows count."""

    @property
    @abstractmethod
    def longest(self) -> float:
        """The greatest squared length of a row."""

    @property
    @abstractmethod
    def heaviest(self) -> float:
        """How often the heaviest row counts, beside the mean row."""

    @abstractmethod
    def largest(self, intercept: bool) -> float:
        """At least the greatest eigenvalue of the mean of x x', of rows beside a one where there is an intercept."""

    @abstractmethod
    def pass_over(self, walk: Walk, generator: np.random.Generator, ridge: Array) -> Walk:
        """The walk after a step for each row; `ridge` (p,) is the penalty's strength a row."""


class InMemory(Road):
    """Rows in memory, in random order."""

    def __init__(self, task: Task) -> None:
        self._matrix = task.matrix
        self._often = task.matrix.weight / task.matrix.weight.mean()  # a row's part in the mean loss

    @property
    def rows(self) -> int:
        """How many rows count."""
        return len(self._matrix.codes)

    @property
    def longest(self) -> float:
        """The greatest squared length of a row."""
        return float(squared_lengths(self._matrix.X).max())

    @property
    def heaviest(self) -> float:
        """How often the heaviest row counts, beside the mean row."""
        return float(self._often.max())

    def largest(self, intercept: bool) -> float:
        """The greatest eigenvalue, but for very wide rows, where it is the trace."""
        X, share = self._matrix.X, self._often / len(self._often)
        if X.shape[1] > WIDE:
            return float(share @ squared_lengths(X)) + intercept
        mean = share @ X if intercept else np.zeros(X.shape[1])
        return _greatest(weighted_products(X, share), np.asarray(mean), intercept)

    def pass_over(self, walk: Walk, generator: np.random.Generator, ridge: Array) -> Walk:
        """The walk after a step for each row."""
        rows = self._matrix
        return walk.over(rows.X, rows.codes, self._often, generator.permutation(len(rows.codes)), ridge)


class Streamed(Road):
    """Rows of files, batch after batch as they lie there, the rows of a batch in random order."""

    def __init__(self, task: Task) -> None:
        self._task = task

    @cached_property
    def _sizes(self) -> RowSizes:
        task = self._task
        return task.given.source.aggregate(SizeRows(task.scaling.classes, task.class_weight))

    @property
    def rows(self) -> int:
        """How many rows count."""
        return self._sizes.rows

    @property
    def longest(self) -> float:
        """The greatest squared length of a row."""
        return self._sizes.longest

    @property
    def heaviest(self) -> float:
        """How often the heaviest row counts, beside the mean row."""
        return self._sizes.heaviest * self._sizes.rows / self._sizes.weight

    def largest(self, intercept: bool) -> float:
        """The greatest eigenvalue."""
        products = self._sizes.products / self._sizes.weight
        return _greatest(products[1:, 1:], products[0, 1:], intercept)

    def pass_over(self, walk: Walk, generator: np.random.Generator, ridge: Array) -> Walk:
        """The walk after a step for each row."""
        task, mean = self._task, self._sizes.weight / self._sizes.rows
        for batch in refuse_holes(task.given.source.batches()):
            codes, weight = class_weighted(batch, task.scaling.classes, task.class_weight)
            order = generator.permutation(np.flatnonzero(weight))
            walk = walk.over(batch.X, codes, weight / mean, order, ridge)
        return walk


def _greatest(products: Array, mean: Array, intercept: bool) -> float:
    """The greatest eigenvalue of the mean of x x', of rows beside a one where there is an intercept."""
    if not intercept:
        return float(np.linalg.eigvalsh(products)[-1])
    size = np.block([[np.ones((1, 1)), mean[None, :]], [mean[:, None], products]])
    return float(np.linalg.eigvalsh(size)[-1])


def road_of(task: Task) -> Road:
    """The rows of a task, where they are."""
    return Streamed(task) if task.given.is_streamed else InMemory(task)
