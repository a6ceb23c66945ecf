"""Weight, mean and scatter of each class, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch
from distinguo.statistics import fourth
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
from distinguo.statistics.kernels import gather

Array = NDArray[np.float64]
NO_WEIGHT: Array = np.empty(0)


@dataclass(frozen=True, eq=False)
class ClassMoments(Statistic):
    r"""Weight, mean and scatter per class, :math:`S_k = \sum_i w_i (x_i - \bar x_k)(x_i - \bar x_k)^\top`.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    mean : (K, p) in the units of the columns; zero for a class without rows.
    scatter : (K, p, p), or (p, p) where the classes are pooled.
    cubes, quarts : (K, p, p) sums of z_i² z_j and z_i² z_j², or None where they were not asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo.rows.memory import MemorySource
    >>> a = MemorySource(np.array([[1.0], [3.0]]), ["x", "x"]).aggregate(Moments("full"))
    >>> b = MemorySource(np.array([[5.0], [9.0]]), ["x", "y"]).aggregate(Moments("full"))
    >>> (a + b).mean.ravel().tolist(), (a + b).scatter.ravel().tolist()
    ([3.0, 9.0], [8.0, 0.0])
    """

    mean: Array
    scatter: Array
    cubes: Array | None = None
    quarts: Array | None = None

    @property
    def n_features(self) -> int:
        """Number of columns, p."""
        return int(self.mean.shape[1])

    @property
    def is_pooled(self) -> bool:
        """Whether the scatter is summed over the classes."""
        return self.scatter.ndim == 2

    @property
    def within(self) -> Array:
        """(p, p) scatter around the class means, summed over the classes."""
        return self.scatter if self.is_pooled else self.scatter.sum(axis=0)

    @property
    def class_squares(self) -> Array:
        """(K, p) diagonal of the scatter by class, or (1, p) where it is pooled."""
        return np.atleast_2d(np.diagonal(self.scatter, axis1=-2, axis2=-1))

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        arrays = {"weight": self.weight, "mean": self.mean, "cubes": self.cubes, "quarts": self.quarts}
        if not self.is_pooled:
            arrays["scatter"] = self.scatter
        return {name: array for name, array in arrays.items() if array is not None}

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """Some of the columns, in the order given."""
        square = {
            name: array[..., order[:, None], order]
            for name, array in {"scatter": self.scatter, "cubes": self.cubes, "quarts": self.quarts}.items()
            if array is not None
        }
        return replace(self, feature_names=names, mean=self.mean[:, order], **square)

    def merged(self, other: Self, sign: int) -> Self:
        """Chan, Golub and LeVeque's update, forwards or backwards."""
        if self.is_pooled != other.is_pooled or (self.quarts is None) != (other.quarts is None):
            raise InputError(
                "moments of two kinds do not go together: both must be pooled or full, with or without fourth moments."
            )
        total = signed_weights(self.weight, other.weight, sign)
        mean = merged_means(self.mean, other.mean, other.weight[:, None], total[:, None], sign)
        factor = merge_factor(self.weight, other.weight, total, sign)
        scatter = _combined(self.scatter, other.scatter, sign)
        add_outer(scatter, factor, other.mean - self.mean)
        if sign < 0:
            self._clear_remainders(total, mean, scatter)
        result = replace(
            self,
            feature_names=self.feature_names if self.feature_names is not None else other.feature_names,
            weight=total,
            mean=mean,
            scatter=scatter,
        )
        if self.quarts is None:
            return result
        cubes, quarts = fourth.merged(self, other, mean, sign)
        return replace(result, cubes=cubes, quarts=quarts)

    def _clear_remainders(self, weight: Array, mean: Array, scatter: Array) -> None:
        """Make constant, in place, what varies by no more than rounding once rows were taken away from these."""
        clear_remainders(scatter, self.scatter)
        _, before = total_squares(self.weight[:, None], self.mean, self.class_squares)
        squares = np.atleast_2d(np.diagonal(scatter, axis1=-2, axis2=-1))
        centre, left = total_squares(weight[:, None], mean, squares)
        gone = left <= REMAINDER * before
        mean[:, gone] = np.where(weight[:, None] > 0, centre, 0.0)[:, gone]
        scatter[..., gone, :] = scatter[..., gone] = 0.0

    def pooled(self) -> ClassMoments:
        """The same rows with one scatter for all classes."""
        return replace(self, scatter=self.within, cubes=None, quarts=None)


def _combined(a: Array, b: Array, sign: int) -> Array:
    return a + b if sign > 0 else a - b


def add_outer(scatter: Array, factor: Array, difference: Array) -> None:
    """Add factor_k d_k d_k' to each class's scatter, or their sum to the pooled one, in place."""
    if scatter.ndim == 2:
        scatter += (difference * factor[:, None]).T @ difference
        return
    for k in np.flatnonzero(factor):
        scatter[k] += factor[k] * np.outer(difference[k], difference[k])


def clear_remainders(left: Array, whole: Array) -> None:
    """Set to zero the columns whose scatter is but rounding of what it was taken from, in place."""
    variances, before = np.diagonal(left, axis1=-2, axis2=-1), np.diagonal(whole, axis1=-2, axis2=-1)
    check_learned(variances, before)
    gone = variances <= REMAINDER * before
    left[gone[..., :, None] | gone[..., None, :]] = 0.0


@dataclass(frozen=True)
class Moments(Spec[ClassMoments]):
    """Count weights, means and scatters: of each class ("full") or summed over the classes ("pooled").

    Parameters
    ----------
    kind : "full" or "pooled".
    fourth : also the fourth-moment sums that Ledoit and Wolf's shrinkage needs; they go with "full".
    """

    kind: Literal["full", "pooled"]
    fourth: bool = False
    takes_holes = False

    def reduce(self, batches: Iterable[Batch]) -> ClassMoments:
        """One pass over the batches."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name at estimation
            parts = [_accumulate(run, self.kind, self.fourth) for run in runs(batches)]
        return sum(parts[1:], start=parts[0])

    def by_queries(self, table: Any) -> ClassMoments:
        """The same from a table in a database."""
        from distinguo.statistics.query_moments import FOURTH_REFUSED, class_moments

        if self.fourth:
            raise InputError(FOURTH_REFUSED)
        return class_moments(table, self.kind == "pooled")

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> ClassMoments:
        """No rows."""
        K = len(classes)
        scatter = np.zeros((p, p) if self.kind == "pooled" else (K, p, p))
        zeros = np.zeros((K, p, p)) if self.fourth else None
        return ClassMoments(classes, feature_names, np.zeros(K), np.zeros((K, p)), scatter, zeros, zeros)


def runs(batches: Iterable[Batch]) -> Iterator[Iterator[Batch]]:
    """Batches grouped while their classes are the same array, so that one accumulator serves a group."""
    iterator = iter(batches)
    head = next(iterator, None)
    if head is None:
        raise InputError("the table is empty: there is no row to learn from.")
    while head is not None:
        group = _Run(head, iterator)
        yield iter(group)
        head = group.next_head


class _Run:
    """Batches up to the first whose classes differ, which is kept as the head of the next run."""

    def __init__(self, head: Batch, rest: Iterator[Batch]) -> None:
        self.head = head
        self.rest = rest
        self.next_head: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        yield self.head
        for batch in self.rest:
            if batch.classes is not self.head.classes:
                self.next_head = batch
                return
            yield batch


def _accumulate(batches: Iterator[Batch], kind: str, with_fourth: bool) -> ClassMoments:
    """Moments of batches of the same classes, without a merge between them."""
    first = next(batches)
    state = _State(len(first.classes), first.X.shape[1], kind, with_fourth)
    for batch in chain([first], batches):
        state.add(batch)
    return state.result(first)


class _State:
    """Shifted sums that grow in place."""

    def __init__(self, K: int, p: int, kind: str, with_fourth: bool) -> None:
        self.shift = np.zeros((K, p))
        self.seen = np.zeros(K, dtype=bool)
        self.weight = np.zeros(K)
        self.sums = np.zeros((K, p))
        self.products = np.zeros((p, p) if kind == "pooled" else (K, p, p))
        self.fourth = fourth.ShiftedSums(K, p) if with_fourth else None
        self.rows = np.empty((0, p))
        self.row_weight = np.empty(0)

    def add(self, batch: Batch) -> None:
        m = len(batch.X)
        if len(self.rows) < m:
            self.rows = np.empty((m, batch.X.shape[1]))
            self.row_weight = np.empty(m)
        weight = NO_WEIGHT if batch.weight is None else batch.weight
        begins = gather(
            batch.X, batch.codes, weight, self.shift, self.seen, self.weight, self.sums, self.rows, self.row_weight
        )
        z = self.rows[:m]
        w = None if batch.weight is None else self.row_weight[:m]
        if self.products.ndim == 2:
            self.products += product(z, w)
            return
        for k in np.flatnonzero(np.diff(begins)).tolist():
            part = slice(begins[k], begins[k + 1])
            self.products[k] += product(z[part], None if w is None else w[part])
            if self.fourth is not None:
                self.fourth.add(k, z[part], None if w is None else w[part])

    def result(self, first: Batch) -> ClassMoments:
        """Centre the sums on the means, and put the classes in order."""
        total = self.weight[:, None]
        offset = np.divide(self.sums, total, out=np.zeros_like(self.sums), where=total > 0)
        add_outer(self.products, -self.weight, offset)
        moments = ClassMoments(
            classes=first.classes,
            feature_names=first.feature_names,
            weight=self.weight,
            mean=np.where(total > 0, self.shift + offset, 0.0),
            scatter=self.products,
        )
        if self.fourth is not None:
            cubes, quarts = self.fourth.centred(self.weight, offset, self.products)
            moments = replace(moments, cubes=cubes, quarts=quarts)
        return moments.in_order()


def product(z: Array, weight: Array | None) -> Array:
    """Σ w z z' of rows (m, p), by one BLAS call."""
    return z.T @ z if weight is None else (z * weight[:, None]).T @ z
