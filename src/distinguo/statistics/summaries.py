"""Columns of all kinds by class: moments of those that are numbers, counts of the categories of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, ColumnCoding
from distinguo.rows.labels import merge_classes
from distinguo.statistics.base import Spec, Statistic, check_learned, signed_weights
from distinguo.statistics.diagonal import ColumnMoments, DiagonalMoments
from distinguo.statistics.moments import NO_WEIGHT
from distinguo.statistics.summary_kernels import add_categories

Array = NDArray[np.float64]
CATEGORY = "category"


@dataclass(frozen=True, eq=False)
class ColumnSummaries(Statistic):
    """What naive Bayes needs of columns of any kind.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    roles : (p,) text, what each column is for; "" before any row has been seen.
    levels : (L,) all categories, one column's after the other's.
    starts : (p + 1,) where each column's categories begin.
    counts : (K, L) rows of each class and category.
    seen, mean, squares : (K, q) of the columns that are numbers, as in `DiagonalMoments`.
    """

    roles: NDArray[Any]
    levels: NDArray[Any]
    starts: NDArray[np.intp]
    counts: Array
    seen: Array
    mean: Array
    squares: Array

    @property
    def n_features(self) -> int:
        """Number of columns, p."""
        return len(self.roles)

    @property
    def coding(self) -> ColumnCoding:
        """What rows of these columns are made of."""
        columns = (self.levels[a:b] for a, b in pairwise(self.starts.tolist()))
        roles = self.roles.tolist()
        return ColumnCoding(
            self.roles, tuple(c if role == CATEGORY else None for c, role in zip(columns, roles, strict=True))
        )

    def of_column(self, j: int) -> NDArray[Any]:
        """The categories of a column."""
        return self.levels[self.starts[j] : self.starts[j + 1]]

    def with_role(self, *roles: str) -> NDArray[np.intp]:
        """The places of the columns of these roles."""
        return np.flatnonzero(np.isin(self.roles, roles))

    def numbers(self, places: NDArray[np.intp]) -> DiagonalMoments:
        """The moments of some of the columns that are numbers."""
        rank = np.cumsum(self.roles != CATEGORY) - 1
        at = rank[places]
        names = None if self.feature_names is None else self.feature_names[places]
        return DiagonalMoments(
            self.classes, names, self.weight, self.seen[:, at], self.mean[:, at], self.squares[:, at]
        )

    @property
    def without_cells(self) -> NDArray[np.bool_]:
        """(p,) the columns that were missing in every row: these cannot tell what they are for."""
        empty = np.diff(self.starts) == 0
        empty[self.roles != CATEGORY] = ~self.seen.any(axis=0)
        return np.asarray(empty)

    def with_roles(self, roles: NDArray[Any]) -> Self:
        """The same; the roles (p,) differ in columns without cells at the most."""
        if np.array_equal(roles, self.roles):
            return self
        was, now = self.roles != CATEGORY, roles != CATEGORY
        kept, rank = was & now, np.cumsum(now) - 1

        def moved(values: Array) -> Array:
            result = np.zeros((len(values), int(now.sum())))
            result[:, rank[kept]] = values[:, kept[was]]
            return result

        return replace(self, roles=roles, seen=moved(self.seen), mean=moved(self.mean), squares=moved(self.squares))

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        names = ("weight", "counts", "seen", "mean", "squares")
        return {name: getattr(self, name) for name in names}

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """Some of the columns, in the order given."""
        if not self.roles.any():
            return replace(self, feature_names=names, roles=self.roles[order], starts=self.starts[: len(order) + 1])
        numbers = self.numbers(order[self.roles[order] != CATEGORY])
        pieces = [np.arange(self.starts[j], self.starts[j + 1]) for j in order]
        levels = np.concatenate(pieces).astype(np.intp)
        return replace(
            self,
            feature_names=names,
            roles=self.roles[order],
            levels=self.levels[levels],
            starts=np.cumsum([0, *map(len, pieces)]),
            counts=self.counts[:, levels],
            seen=numbers.seen,
            mean=numbers.mean,
            squares=numbers.squares,
        )

    def merged(self, other: Self, sign: int) -> Self:
        """Counts and moments put together, or taken away; categories are those of both that have rows."""
        if not self.roles.any() or not other.roles.any():
            return self._merged_with_nothing(other, sign)
        a: Self = self.with_roles(np.where(self.without_cells, other.roles, self.roles))
        b: Self = other.with_roles(np.where(other.without_cells, a.roles, other.roles))
        _check_roles(a, b)
        a, b = _over_all_categories(a, b)
        if sign < 0:
            check_learned(a.counts - b.counts, a.counts + b.counts)
        places = np.flatnonzero(a.roles != CATEGORY)
        moments = a.numbers(places).merged(b.numbers(places), sign)
        total = replace(
            a,
            feature_names=a.feature_names if a.feature_names is not None else b.feature_names,
            weight=moments.weight,
            counts=signed_weights(a.counts, b.counts, sign),
            seen=moments.seen,
            mean=moments.mean,
            squares=moments.squares,
        )
        return total if sign > 0 else total.with_rows_only()

    def _merged_with_nothing(self, other: Self, sign: int) -> Self:
        """One of the two has classes and columns, and no rows that say what the columns are."""
        filled = self if self.roles.any() else other
        names = self.feature_names if self.feature_names is not None else other.feature_names
        return replace(filled, feature_names=names, weight=signed_weights(self.weight, other.weight, sign))

    def with_rows_only(self) -> Self:
        """The same without categories that no row has."""
        kept = self.counts.any(axis=0)
        if kept.all():
            return self
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        return replace(self, levels=self.levels[kept], starts=starts, counts=self.counts[:, kept])


def _check_roles(a: ColumnSummaries, b: ColumnSummaries) -> None:
    differ = np.flatnonzero(a.roles != b.roles)
    if len(differ):
        j = int(differ[0])
        name = f"column {j}" if a.feature_names is None else f"column {str(a.feature_names[j])!r}"
        raise InputError(
            f"{name} was {str(a.roles[j])!r} and now comes as {str(b.roles[j])!r}; settle what it is with roles=."
        )


def _over_all_categories(a: Any, b: Any) -> tuple[Any, Any]:
    """Both over the categories of either."""
    if np.array_equal(a.starts, b.starts) and np.array_equal(a.levels, b.levels):
        return a, b
    merged = [merge_classes(a.of_column(j), b.of_column(j)) for j in range(a.n_features)]
    starts = np.cumsum([0, *(len(levels) for levels, _, _ in merged)])
    levels = np.concatenate([levels for levels, _, _ in merged])
    return (
        _spread_levels(a, [of_a for _, of_a, _ in merged], levels, starts),
        _spread_levels(b, [of_b for _, _, of_b in merged], levels, starts),
    )


def _spread_levels(part: Any, to: list[NDArray[np.intp]], levels: NDArray[Any], starts: NDArray[np.intp]) -> Any:
    place = np.concatenate([start + at for start, at in zip(starts[:-1], to, strict=True)]).astype(np.intp)
    counts = np.zeros((len(part.counts), len(levels)))
    counts[:, place] = part.counts
    return replace(part, levels=levels, starts=starts, counts=counts)


@dataclass(frozen=True)
class Summaries(Spec[ColumnSummaries]):
    """Summarise each column by class according to its role, over the cells that are there; batches bring a coding."""

    takes_holes = True

    def reduce(self, batches: Iterable[Batch]) -> ColumnSummaries:
        """One pass over the batches."""
        parts = [_summary(batch) for batch in batches]
        if not parts:
            raise InputError("the table is empty: there is no row to learn from.")
        return sum(parts[1:], start=parts[0])

    def by_queries(self, table: Any) -> ColumnSummaries:
        """The same from a table in a database."""
        from distinguo.statistics.query_summaries import column_summaries

        return column_summaries(table)

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> ColumnSummaries:
        """No rows, and columns of which nothing is known."""
        K = len(classes)
        nothing = np.zeros((K, 0))
        roles, starts = np.full(p, "", dtype="<U8"), np.zeros(p + 1, np.intp)
        levels = np.empty(0, dtype=object)
        return ColumnSummaries(
            classes, feature_names, np.zeros(K), roles, levels, starts, nothing, nothing, nothing, nothing
        )


def _summary(batch: Batch) -> ColumnSummaries:
    """The statistic of one batch."""
    assert batch.coding is not None
    coding, K = batch.coding, len(batch.classes)
    found = [() if categories is None else categories for categories in coding.categories]
    starts = np.cumsum([0, *map(len, found)]).astype(np.intp)
    places = np.flatnonzero(coding.roles == CATEGORY)
    weight, counts = np.zeros(K), np.zeros((K, int(starts[-1])))
    weights = NO_WEIGHT if batch.weight is None else batch.weight
    add_categories(batch.X, places, starts[places], batch.codes, weights, weight, counts)
    nothing = np.zeros((K, 0))
    levels = np.array([value for column in found for value in column] or [None], dtype=object)[: int(starts[-1])]
    part = ColumnSummaries(
        batch.classes,
        batch.feature_names,
        weight,
        coding.roles,
        levels,
        starts,
        counts,
        nothing,
        nothing,
        nothing,
    ).in_order()
    numbers = np.flatnonzero(coding.roles != CATEGORY)
    if len(numbers):
        X = np.ascontiguousarray(batch.X[:, numbers])
        rows = replace(batch, X=X, feature_names=None, coding=None, holes=bool(batch.holes and np.isnan(X).any()))
        moments = ColumnMoments().of(rows)
        part = replace(part, seen=moments.seen, mean=moments.mean, squares=moments.squares)
    return part.with_rows_only()
