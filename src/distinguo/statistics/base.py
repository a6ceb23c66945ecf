"""What every statistic can do: be made from rows, added, and taken away again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, Reducer
from distinguo.rows.labels import label_text, merge_classes, natural_order

# What subtraction leaves below this share of the larger set is rounding, not rows.
REMAINDER = 1e-12
# Below minus this share of the larger set it is no rounding either: other rows were learned.
NOT_LEARNED = 1e-8


@dataclass(frozen=True, eq=False)
class Statistic(ABC):
    """A summary of rows by class: frozen, raw, and as good as the rows for every model made from it.

    Statistics of disjoint rows add up to the statistic of all rows, whatever the partition and the order;
    classes and feature names are aligned by what they are, not by where they stand.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    """

    classes: NDArray[Any]
    feature_names: NDArray[Any] | None
    weight: NDArray[np.float64]

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of columns, p."""

    @abstractmethod
    def by_class(self) -> dict[str, NDArray[np.float64]]:
        """The arrays, by attribute, that hold one entry a class."""

    def expand(self, classes: NDArray[Any], index: NDArray[np.intp]) -> Self:
        """The same statistic over more classes; the class at i moves to index[i], the others are empty."""
        parts = {name: _spread(array, index, len(classes)) for name, array in self.by_class().items()}
        return replace(self, classes=classes, **parts)

    def take_classes(self, keep: NDArray[np.bool_]) -> Self:
        """The statistic of some of the classes; what is summed over classes stays as it is."""
        if keep.all():
            return self
        return replace(self, classes=self.classes[keep], **{k: v[keep] for k, v in self.by_class().items()})

    def in_order(self) -> Self:
        """The same with its classes sorted, and those without rows left out."""
        order = np.array(natural_order(self.classes.tolist()), dtype=np.intp)
        if np.array_equal(order, np.arange(len(order))):
            return self.take_classes(self.weight > 0)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return self.expand(self.classes[order], place).in_order()

    @abstractmethod
    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """The statistic of some of the columns, in the order given."""

    @abstractmethod
    def merged(self, other: Self, sign: int) -> Self:
        """Rows of `other`, of the same classes and columns, put in (+1) or taken out (-1)."""

    def __eq__(self, other: object) -> bool:
        """Whether both are of one kind and equal in every number and name."""
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self)]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def __add__(self, other: Self) -> Self:
        """The statistic of the rows of both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        a, b = aligned(self, other)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name at estimation
            return a.merged(b, 1)

    def __radd__(self, other: object) -> Self:
        """So that `sum` works: it begins with 0."""
        return self if other == 0 else NotImplemented

    def __sub__(self, other: Self) -> Self:
        """The statistic of the rows that are here and not in `other`; classes left without rows are gone.

        Exact to rounding relative to the larger set, so it serves to forget rows, not to leave folds out.
        """
        if not isinstance(other, type(self)):
            return NotImplemented
        a, b = aligned(self, other)
        excess = b.weight > a.weight * (1 + 1e-9)
        if excess.any():
            label = a.classes[np.flatnonzero(excess)[0]]
            raise InputError(
                f"cannot forget more rows of class {label_text(label)} ({b.weight[excess][0]:g}) than were learned "
                f"({a.weight[excess][0]:g})."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            left = a.merged(b, -1)
        return left.take_classes((left.weight > 0) | (a.weight == 0))


@dataclass(frozen=True, eq=False)
class WideningStatistic(Statistic):
    """A statistic in which a column that rows lack has no count in them, so that a sum has the columns of both."""

    @abstractmethod
    def widened(self, place: NDArray[np.intp], names: NDArray[Any]) -> Self:
        """The same over more columns; the one at j moves to place[j], the others are without counts."""


S = TypeVar("S", bound=Statistic)


def _spread(array: NDArray[np.float64], index: NDArray[np.intp], K: int) -> NDArray[np.float64]:
    """Entries moved to `index` among K, zero elsewhere."""
    result = np.zeros((K, *array.shape[1:]))
    result[index] = array
    return result


def aligned(a: S, b: S) -> tuple[S, S]:
    """Both over the union of their classes, and over the columns of `a`."""
    classes, of_a, of_b = merge_classes(a.classes, b.classes)
    if len(classes) > len(a.classes):
        a = a.expand(classes, of_a)
    if b.classes is not classes and not np.array_equal(of_b, np.arange(len(classes))):
        b = b.expand(classes, of_b)
    if isinstance(a, WideningStatistic) and isinstance(b, WideningStatistic):
        a, b = _widened(a, b)
    return a, _same_features(b, a)


def _widened(a: Any, b: Any) -> tuple[Any, Any]:
    """Both over the columns of either, where both have names and these differ."""
    if a.feature_names is None or b.feature_names is None or np.array_equal(a.feature_names, b.feature_names):
        return a, b
    place = {name: i for i, name in enumerate(a.feature_names.tolist())}
    of_b = np.array([place.setdefault(name, len(place)) for name in b.feature_names.tolist()], dtype=np.intp)
    if len(set(of_b.tolist())) < len(of_b):
        return a, b  # names that come twice are refused with those that do not match
    names = np.array(list(place), dtype=object)
    if len(place) > a.n_features:
        a = a.widened(np.arange(a.n_features), names)
    return a, b.widened(of_b, names)


def _same_features(b: S, a: S) -> S:
    """`b` with the columns of `a`, matched by name where both have names."""
    if a.n_features != b.n_features:
        raise InputError(f"rows of {a.n_features} columns and of {b.n_features} columns do not go together.")
    if a.feature_names is None or b.feature_names is None or np.array_equal(a.feature_names, b.feature_names):
        return b
    place = {name: i for i, name in enumerate(b.feature_names.tolist())}
    if len(place) < b.n_features:
        raise InputError("two columns have the same name, so rows to be merged cannot be matched by name; rename one.")
    missing = [name for name in a.feature_names.tolist() if name not in place]
    if missing:
        raise InputError(f"rows to be merged lack the columns {', '.join(map(repr, missing[:5]))}.")
    order = np.array([place[name] for name in a.feature_names.tolist()], dtype=np.intp)
    return b.take_features(order, a.feature_names)


class Spec(Reducer[S]):
    """A description of what to count; a source turns it into a pass over batches, a tree reduction or a query."""

    @abstractmethod
    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> S:
        """The statistic of no rows, over these classes and columns."""

    def of(self, batch: Batch) -> S:
        """The statistic of one batch."""
        return self.reduce([batch])


def check_learned(left: NDArray[np.float64], whole: NDArray[np.float64]) -> None:
    """Raise where taking rows away leaves less than nothing."""
    if (left < -NOT_LEARNED * whole).any():
        raise InputError(
            "cannot forget rows that were not learned: without them a sum of squares or a count of cells would be "
            "negative. Give the rows as they were learned."
        )


def total_squares(
    weight: NDArray[np.float64], mean: NDArray[np.float64], squares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean (p,) of all classes together, and sums of squares (p,) around it.

    The weights are (K, 1) or (K, p), the means (K, p), and the squares around them (K, p), or (1, p) where pooled.
    """
    total = weight.sum(axis=0)
    centre = np.divide((weight * mean).sum(axis=0), total, out=np.zeros(mean.shape[1]), where=total > 0)
    return centre, squares.sum(axis=0) + (weight * (mean - centre) ** 2).sum(axis=0)


def signed_weights(a: NDArray[np.float64], b: NDArray[np.float64], sign: int) -> NDArray[np.float64]:
    """Weights put together, or taken away, with what is only rounding set to zero."""
    total = a + sign * b
    total[total <= REMAINDER * a] = 0.0
    return total


def merged_means(
    mean_a: NDArray[np.float64],
    mean_b: NDArray[np.float64],
    weight_b: NDArray[np.float64],
    total: NDArray[np.float64],
    sign: int,
) -> NDArray[np.float64]:
    """Means after rows are put in or taken out; where none are left, zero.

    The weights are (K, 1) or (K, p), the means (K, p).
    """
    share = np.divide(sign * weight_b, total, out=np.zeros_like(total), where=total > 0)
    return np.where(total > 0, mean_a + share * (mean_b - mean_a), 0.0)


def merge_factor(
    a: NDArray[np.float64], b: NDArray[np.float64], total: NDArray[np.float64], sign: int
) -> NDArray[np.float64]:
    """Chan, Golub and LeVeque's weight of the squared difference of the means, for either sign."""
    return np.divide(sign * a * b, total, out=np.zeros_like(total), where=total > 0)
