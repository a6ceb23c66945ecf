"""Counts of each class and column, such as words in texts: sums that words not met before make wider."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch
from distinguo.rows.counted import cells_of, part_holes, refuse_negative, with_cells
from distinguo.rows.matrix import Matrix
from distinguo.statistics.base import Spec, WideningStatistic, check_learned, signed_weights
from distinguo.statistics.count_kernels import add_entries, add_rows
from distinguo.statistics.moments import NO_WEIGHT, runs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassCounts(WideningStatistic):
    """What naive Bayes needs of counts: each class and column's sum.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    sums : (K, p) counts of each column.
    missing : (K, p) weight of the cells that were missing, or None where none was.

    Examples
    --------
    >>> a = ClassCounts(np.array(["x"]), np.array(["red"]), np.ones(1), np.array([[2.0]]), None)
    >>> b = ClassCounts(np.array(["x"]), np.array(["blue"]), np.ones(1), np.array([[3.0]]), None)
    >>> both = a + b
    >>> both.feature_names.tolist(), both.sums.tolist()
    (['red', 'blue'], [[2.0, 3.0]])
    """

    sums: Array
    missing: Array | None

    @property
    def n_features(self) -> int:
        """Number of columns, p."""
        return int(self.sums.shape[1])

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        arrays = {"weight": self.weight, "sums": self.sums}
        return arrays if self.missing is None else {**arrays, "missing": self.missing}

    @property
    def seen(self) -> Array:
        """(K, 1) or (K, p) weight of the cells that were there."""
        weight = self.weight[:, None]
        return weight if self.missing is None else np.maximum(weight - self.missing, 0.0)

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """Some of the columns, in the order given."""
        missing = None if self.missing is None else self.missing[:, order]
        return replace(self, feature_names=names, sums=self.sums[:, order], missing=missing)

    def widened(self, place: NDArray[np.intp], names: NDArray[Any]) -> Self:
        """The same over more columns, of which these rows have none."""
        missing = None if self.missing is None else _placed(self.missing, place, len(names))
        return replace(self, feature_names=names, sums=_placed(self.sums, place, len(names)), missing=missing)

    def merged(self, other: Self, sign: int) -> Self:
        """Sums put together, or taken away."""
        if sign < 0:
            check_learned(self.sums - other.sums, self.sums + other.sums)
        return replace(
            self,
            feature_names=self.feature_names if self.feature_names is not None else other.feature_names,
            weight=signed_weights(self.weight, other.weight, sign),
            sums=signed_weights(self.sums, other.sums, sign),
            missing=_merged_missing(self, other, sign),
        )


def _placed(values: Array, place: NDArray[np.intp], p: int) -> Array:
    """Columns moved to `place` among p, zero elsewhere."""
    result = np.zeros((len(values), p))
    result[:, place] = values
    return result


def _merged_missing(a: ClassCounts, b: ClassCounts, sign: int) -> Array | None:
    """Weights of missing cells put together or taken away; None where none is left."""
    if a.missing is None and b.missing is None:
        return None
    of_a, of_b = (np.zeros_like(a.sums) if part.missing is None else part.missing for part in (a, b))
    if sign < 0:
        check_learned(of_a - of_b, of_a + of_b)
    left = signed_weights(of_a, of_b, sign)
    return left if left.any() else None


@dataclass(frozen=True)
class Counts(Spec[ClassCounts]):
    """Add up every class and column over the cells that are there; sparse rows are counted as they are.

    Attributes
    ----------
    threshold : None to add the cells themselves, which must not be below zero; a number to count the cells above it.

    Examples
    --------
    >>> from distinguo import MemorySource
    >>> MemorySource([[2.0, 0.0], [1.0, 3.0]], ["a", "a"]).aggregate(Counts()).sums.tolist()
    [[3.0, 3.0]]
    """

    threshold: float | None = None
    takes_holes = True
    takes_sparse = True

    def reduce(self, batches: Iterable[Batch]) -> ClassCounts:
        """One pass over the batches."""
        parts = []
        for run in runs(batches):
            first = next(run)
            total = _Sums(len(first.classes), first.X.shape[1])
            self._add(total, first)
            for batch in run:
                self._add(total, batch)
            parts.append(total.result(first))
        return sum(parts[1:], start=parts[0])

    def by_queries(self, table: Any) -> ClassCounts:
        """The same from a table in a database."""
        from distinguo.statistics.query_counts import class_counts

        return class_counts(table, self.threshold)

    def _add(self, total: _Sums, batch: Batch) -> None:
        if self.threshold is None:
            refuse_negative(batch.X, batch.first_row, batch.feature_names)
            total.add(batch, batch.X)
        else:
            total.add(batch, above(batch.X, self.threshold))

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> ClassCounts:
        """No rows."""
        return ClassCounts(classes, feature_names, np.zeros(len(classes)), np.zeros((len(classes), p)), None)


def above(X: Matrix, threshold: float) -> Any:
    """Ones where cells are above the threshold, zeros where not, NaN where they are missing.

    Raises
    ------
    InputError
        If the rows are sparse and the threshold is below zero.

    Examples
    --------
    >>> above(np.array([[0.0, 3.0]]), 0.0).tolist()
    [[0.0, 1.0]]
    """
    if threshold < 0 and not isinstance(X, np.ndarray):
        raise InputError(
            f"binarize={threshold:g} is below zero, so that every cell that sparse rows leave out is above it. Give a "
            "threshold of at least 0, or dense rows with X.toarray()."
        )
    cells = cells_of(X)
    return with_cells(X, np.where(np.isnan(cells), cells, (cells > threshold).astype(np.float64)))


class _Sums:
    """Sums that grow in place."""

    def __init__(self, K: int, p: int) -> None:
        self.weight = np.zeros(K)
        self.sums = np.zeros((K, p))
        self.missing: Array | None = None

    def add(self, batch: Batch, X: Any) -> None:
        values, holes = part_holes(X) if batch.holes else (X, None)
        self._add(batch, values, self.weight, self.sums)
        if holes is not None:
            self.missing = np.zeros_like(self.sums) if self.missing is None else self.missing
            self._add(batch, holes, np.zeros_like(self.weight), self.missing)

    def _add(self, batch: Batch, X: Any, totals: Array, sums: Array) -> None:
        weight = NO_WEIGHT if batch.weight is None else batch.weight
        if isinstance(X, np.ndarray):
            add_rows(X, batch.codes, weight, totals, sums)
        else:
            add_entries(X.data, X.indices, X.indptr, batch.codes, weight, totals, sums)

    def result(self, first: Batch) -> ClassCounts:
        """Classes in order, those without rows left out."""
        return ClassCounts(first.classes, first.feature_names, self.weight, self.sums, self.missing).in_order()
