"""Weight, mean and sum of squares of each class and column on its own; missing cells are skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch
from distinguo.statistics.base import (
    REMAINDER,
    Spec,
    Statistic,
    check_learned,
    merge_factor,
    merged_means,
    signed_weights,
    total_squares,
)
from distinguo.statistics.kernels import accumulate_cells, accumulate_columns
from distinguo.statistics.moments import NO_WEIGHT, ClassMoments, runs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DiagonalMoments(Statistic):
    """What naive Bayes needs of Gaussian columns: each class and column's weight, mean and sum of squares.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    seen : (K, p) weight of the cells that were not missing.
    mean : (K, p) in the units of the columns; zero where nothing was seen.
    squares : (K, p) sums of squared deviations from the mean.
    """

    seen: Array
    mean: Array
    squares: Array

    @property
    def n_features(self) -> int:
        """Number of columns, p."""
        return int(self.mean.shape[1])

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        return {"weight": self.weight, "seen": self.seen, "mean": self.mean, "squares": self.squares}

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """Some of the columns, in the order given."""
        parts = {name: getattr(self, name)[:, order] for name in ("seen", "mean", "squares")}
        return replace(self, feature_names=names, **parts)

    def merged(self, other: Self, sign: int) -> Self:
        """Chan, Golub and LeVeque's update of every cell, forwards or backwards."""
        seen = signed_weights(self.seen, other.seen, sign)
        factor = merge_factor(self.seen, other.seen, seen, sign)
        mean = merged_means(self.mean, other.mean, other.seen, seen, sign)
        squares = self.squares + sign * other.squares + factor * (other.mean - self.mean) ** 2
        if sign < 0:
            check_learned(self.seen - other.seen, self.seen)
            check_learned(squares, self.squares)
            self._clear_remainders(seen, mean, squares)
        return replace(
            self,
            feature_names=self.feature_names if self.feature_names is not None else other.feature_names,
            weight=signed_weights(self.weight, other.weight, sign),
            seen=seen,
            mean=mean,
            squares=squares,
        )

    def _clear_remainders(self, seen: Array, mean: Array, squares: Array) -> None:
        """Make constant, in place, what varies by no more than rounding once rows were taken away from these."""
        squares[squares <= REMAINDER * self.squares] = 0.0
        _, before = total_squares(self.seen, self.mean, self.squares)
        centre, left = total_squares(seen, mean, squares)
        gone = left <= REMAINDER * before
        mean[:, gone] = np.where(seen > 0, centre, 0.0)[:, gone]
        squares[:, gone] = 0.0


def diagonal_of(moments: ClassMoments) -> DiagonalMoments:
    """The same rows, each column on its own.

    Examples
    --------
    >>> full = ClassMoments(np.array(["a"]), None, np.array([4.0]), np.ones((1, 2)), np.full((1, 2, 2), 8.0))
    >>> diagonal_of(full).squares.tolist()
    [[8.0, 8.0]]
    """
    seen = np.repeat(moments.weight[:, None], moments.n_features, axis=1)
    squares = np.array(moments.class_squares)
    return DiagonalMoments(moments.classes, moments.feature_names, moments.weight, seen, moments.mean, squares)


@dataclass(frozen=True)
class ColumnMoments(Spec[DiagonalMoments]):
    """Count every class and column on its own, over the cells that are there."""

    takes_holes = True

    def reduce(self, batches: Iterable[Batch]) -> DiagonalMoments:
        """One pass over the batches."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name at estimation
            parts = [_accumulate(run) for run in runs(batches)]
        return sum(parts[1:], start=parts[0])

    def by_queries(self, table: Any) -> DiagonalMoments:
        """The same from a table in a database."""
        from distinguo.statistics.query_moments import column_moments

        table.refuse_words()
        return column_moments(table, range(len(table.features)))

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> DiagonalMoments:
        """No rows."""
        K = len(classes)
        zeros = np.zeros((K, p))
        return DiagonalMoments(classes, feature_names, np.zeros(K), zeros, zeros, zeros)


def _accumulate(batches: Iterator[Batch]) -> DiagonalMoments:
    """Moments of batches of the same classes; complete and holed blocks keep sums of their own."""
    first = next(batches)
    complete = _State(len(first.classes), first.X.shape[1])
    holed = _State(len(first.classes), first.X.shape[1])
    for batch in chain([first], batches):
        if batch.holes:
            holed.add_cells(batch)
        else:
            complete.add_rows(batch)
    moments = complete.result(first)
    if holed.weight.any():
        moments = moments.merged(holed.result(first), 1)
    return moments.in_order()


class _State:
    """Shifted sums that grow in place."""

    def __init__(self, K: int, p: int) -> None:
        self.shift = np.zeros((K, p))
        self.begun = np.zeros(K, dtype=bool)
        self.weight = np.zeros(K)
        self.counts: Array | None = None
        self.sums = np.zeros((K, p))
        self.squares = np.zeros((K, p))

    def add_rows(self, batch: Batch) -> None:
        weight = NO_WEIGHT if batch.weight is None else batch.weight
        accumulate_columns(batch.X, batch.codes, weight, self.shift, self.begun, self.weight, self.sums, self.squares)

    def add_cells(self, batch: Batch) -> None:
        weight = NO_WEIGHT if batch.weight is None else batch.weight
        if self.counts is None:
            self.counts = np.zeros_like(self.sums)
        accumulate_cells(batch.X, batch.codes, weight, self.shift, self.counts, self.weight, self.sums, self.squares)

    def result(self, first: Batch) -> DiagonalMoments:
        """Centre the sums on the means."""
        seen = np.repeat(self.weight[:, None], self.sums.shape[1], axis=1) if self.counts is None else self.counts
        offset = np.divide(self.sums, seen, out=np.zeros_like(self.sums), where=seen > 0)
        return DiagonalMoments(
            classes=first.classes,
            feature_names=first.feature_names,
            weight=self.weight,
            seen=seen,
            mean=np.where(seen > 0, self.shift + offset, 0.0),
            squares=np.maximum(self.squares - self.sums * offset, 0.0),
        )
