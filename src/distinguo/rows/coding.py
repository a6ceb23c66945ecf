"""Rows of numbers and words by the roles of their columns: words become the places of categories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, ColumnCoding, Reducer, Size, Source, T
from distinguo.rows.columns import Column, Columns, columns_of, from_table
from distinguo.rows.labels import natural_order
from distinguo.rows.tables import Table, as_table
from distinguo.rows.validation import has_holes

Array = NDArray[np.float64]
NUMERIC, CATEGORY, COUNT, BINARY = "numeric", "category", "count", "binary"
ROLES = (NUMERIC, CATEGORY, COUNT, BINARY)


@dataclass(frozen=True)
class Coded:
    """How a model reads rows of numbers and words: `roles_of(model)` says what its user has settled.

    That is None for roles by the types of columns (numbers, words, truth values), one role for all, one a column, or
    {column: role} by name or place, the others by type.
    """

    roles_of: Callable[[Any], Any]

    def as_learned(self, model: Any, X: Any) -> Any:
        """The rows of a fit, each category numbered by its place among those that are there."""
        asked = self.roles_of(model)
        if isinstance(X, Source):
            return CodedSource(X, asked)
        return coded_table(columns_of(X), asked)

    def as_known(self, model: Any, X: Any) -> Table:
        """Rows at predict, numbered as those of the fit; a category that is new has the next number after these."""
        coding: ColumnCoding = model.statistic_.coding
        came = columns_of(X)
        if len(came.columns) != len(coding.roles) or (coding.roles == "").any():
            return replace(_empty_like(came), n=came.n)
        empty = model.statistic_.without_cells  # whose roles are nobody's choice, so that words may come to numbers
        values = [
            np.full(came.n, np.nan)
            if empty[j] and column.words is not None
            else _known(column, str(role), categories, _name(came.names, j))
            for j, (column, role, categories) in enumerate(
                zip(came.columns, coding.roles, coding.categories, strict=True)
            )
        ]
        return _table(came, values, coding)

    def renumbered(self, X: Array, before: Any, after: Any) -> Array:
        """Rows (n, p) numbered as one statistic has categories, in the numbers of another, where some may be gone."""
        result = X.copy()
        for j, (old, new) in enumerate(zip(before.coding.categories, after.coding.categories, strict=True)):
            if old is not None and new is not None and len(old) != len(new):
                place = {value: i for i, value in enumerate(new.tolist())}
                to = np.array([*(place.get(value, len(new)) for value in old.tolist()), np.nan])
                result[:, j] = to[np.where(np.isnan(X[:, j]), len(old), X[:, j]).astype(np.intp)]
        return result

    def as_given(self, model: Any, X: Array) -> NDArray[Any]:
        """Rows (n, p) with categories in the places of their numbers; None where one is missing or was never met."""
        coding: ColumnCoding = model.statistic_.coding
        result = X.astype(object)
        for j, categories in enumerate(coding.categories):
            if categories is not None:
                words = np.array([*categories, None], dtype=object)
                places = np.where(np.isnan(X[:, j]), len(categories), X[:, j]).astype(np.intp)
                result[:, j] = words[np.minimum(places, len(categories))]
        return result


def coded_table(came: Columns, asked: Any) -> Table:
    """Rows by the roles of their columns, each category a place among those that are there."""
    roles = resolve_roles(came, asked)
    values: list[Array] = []
    categories: list[NDArray[Any] | None] = []
    for j, (column, role) in enumerate(zip(came.columns, roles, strict=True)):
        if role == CATEGORY:
            places, found = _categories(column, _name(came.names, j))
            values.append(places)
            categories.append(found)
        else:
            values.append(_numbers(column, role, _name(came.names, j)))
            categories.append(None)
    return _table(came, values, ColumnCoding(np.array(roles, dtype=np.str_), tuple(categories)))


def resolve_roles(came: Columns, asked: Any) -> list[str]:
    """The role (p,) of each column: the one asked for, or the one its type suggests.

    Raises
    ------
    InputError
        If a role is unknown, or is asked of a column that is not there.

    Examples
    --------
    >>> table = columns_of([["red", 1.5, True], ["blue", 2.0, False]])
    >>> resolve_roles(table, None), resolve_roles(table, {1: "count"})
    (['category', 'numeric', 'binary'], ['category', 'count', 'binary'])
    """
    p = len(came.columns)
    if isinstance(asked, str):
        asked = [asked] * p
    by_type = [_by_type(column) for column in came.columns]
    if asked is None:
        return by_type
    if not isinstance(asked, Mapping):
        if not isinstance(asked, Sequence | np.ndarray) or len(asked) != p:
            raise InputError(f"roles={asked!r} must be one role, one for each of the {p} columns, or {{column: role}}.")
        asked = dict(enumerate(asked))
    places = {} if came.names is None else {name: j for j, name in enumerate(came.names)}
    for column, role in asked.items():
        j = places.get(column, column)
        if not isinstance(j, int | np.integer) or isinstance(j, bool) or not 0 <= j < p:
            raise InputError(f"roles names the column {column!r}, which X does not have.")
        if role not in ROLES:
            raise InputError(f"roles gives column {column!r} the role {role!r}; use {', '.join(map(repr, ROLES))}.")
        by_type[j] = str(role)
    return by_type


def _by_type(column: Column) -> str:
    if column.words is not None:
        return CATEGORY
    return BINARY if column.truth else NUMERIC


def _name(names: NDArray[Any] | None, j: int) -> str:
    return f"column {j}" if names is None else f"column {str(names[j])!r}"


def _categories(column: Column, name: str) -> tuple[Array, NDArray[Any]]:
    """Places (n,) among the categories that are there, and these (L,) in order."""
    if column.words is None:
        found = _distinct(column.values[~np.isnan(column.values)])
        if np.isinf(found).any():
            raise InputError(
                f"X contains infinity ({name}). Replace it by the value it stands for, or by NaN for a hole."
            )
        return _places_of_numbers(column.values, found, len(found)), _as_objects(found.tolist())
    order = natural_order(column.words)
    rank = np.full(len(order) + 1, np.nan)
    rank[order] = np.arange(len(order))
    return rank[_codes(column, len(order))], _as_objects([column.words[i] for i in order])


# A range of whole numbers up to so many times their count is looked up in a table, which costs less than sorting.
TABLE_PER_VALUE = 4


def _distinct(values: Array) -> Array:
    """The different numbers among values, ascending."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    if high - low <= TABLE_PER_VALUE * len(values) and (values == np.rint(values)).all():
        there = np.zeros(int(high - low) + 1, dtype=bool)
        there[(values - low).astype(np.intp)] = len(values) > 0
        return np.asarray(np.flatnonzero(there) + low, np.float64)
    return np.unique(values)


def _places_of_numbers(values: Array, known: Array, new: int) -> Array:
    """(n,) places of numbers among known ones (L,), ascending; `new` for others, NaN for NaN."""
    if not len(known):
        return np.where(np.isnan(values), np.nan, float(new))
    if known[-1] - known[0] == len(known) - 1 and known[0] == np.rint(known[0]):  # one whole number after the other
        places = values - known[0]
        strange = ~((places >= 0) & (places < len(known)) & (places == np.rint(places)))
    else:
        places = np.minimum(np.searchsorted(known, values), len(known) - 1).astype(np.float64)
        strange = known[places.astype(np.intp)] != values
    if strange.any():
        places[strange] = np.where(np.isnan(values[strange]), np.nan, float(new))
    return np.asarray(places)


def _codes(column: Column, otherwise: int) -> NDArray[np.intp]:
    """(n,) places in the column's words, `otherwise` where a cell is missing."""
    return np.where(np.isnan(column.values), otherwise, column.values).astype(np.intp)


def _as_objects(values: list[Any]) -> NDArray[Any]:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def _known(column: Column, role: str, categories: NDArray[Any] | None, name: str) -> Array:
    """(n,) numbers, or places among known categories, the next number for one that is new."""
    if categories is None:
        return _numbers(column, role, name)
    new = len(categories)
    if column.words is None:
        numbers = [value for value in categories.tolist() if isinstance(value, int | float)]  # they come before words
        return _places_of_numbers(column.values, np.array(numbers, dtype=np.float64), new)
    place = {value: i for i, value in enumerate(categories.tolist())}
    to = np.array([*(place.get(word, new) for word in column.words), np.nan])
    return np.asarray(to[_codes(column, len(column.words))])


def _numbers(column: Column, role: str, name: str) -> Array:
    """(n,) numbers that the role allows."""
    if column.words is not None:
        word = next(word for word in column.words if not isinstance(word, int | float))
        raise InputError(
            f"X holds something that is not a number: {name} has {word!r}, and its role is {role!r}. Give it the role "
            "'category', or mend it."
        )
    wrong = _REFUSED[role](column.values)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        raise InputError(f"{name} has {column.values[i]:g} in row {i}, and its role is {role!r}: {ALLOWED[role]}.")
    return column.values


ALLOWED = {COUNT: "a count is not below zero", BINARY: "its cells are 0 and 1, or truth values"}
_REFUSED: dict[str, Callable[[Array], NDArray[np.bool_]]] = {
    NUMERIC: lambda values: np.zeros(len(values), dtype=bool),
    COUNT: lambda values: values < 0,
    BINARY: lambda values: ~(np.isnan(values) | (values == 0) | (values == 1)),
}


def _table(came: Columns, values: list[Array], coding: ColumnCoding) -> Table:
    block = np.empty((came.n, len(values)))
    for j, column in enumerate(values):
        block[:, j] = column
    return replace(as_table(block), names=came.names, coding=coding)


def _empty_like(came: Columns) -> Table:
    """A table of that width and those names, for the error that says they are not those of the fit."""
    width = len(came.columns)
    return replace(as_table(np.zeros((1, width))), names=came.names)


@dataclass(frozen=True)
class CodedSpec(Reducer[T]):
    """What another spec describes, of rows coded where they are, a batch at a time.

    Attributes
    ----------
    spec : the other.
    asked : roles, as in `Coded`.
    """

    spec: Reducer[T]
    asked: Any
    takes_words = True

    @property
    def takes_holes(self) -> bool:
        """Whether missing cells may take part."""
        return bool(self.spec.takes_holes)

    def reduce(self, batches: Iterable[Batch]) -> T:
        """The result of the coded batches, categories numbered anew in each."""
        return self.spec.reduce(coded_batches(batches, self.asked))

    def by_queries(self, table: Any) -> T:
        """The same from a table in a database."""
        return self.spec.by_queries(table.with_roles(self.asked))


def coded_batches(batches: Iterable[Batch], asked: Any) -> Iterator[Batch]:
    """Batches whose columns have roles, categories numbered anew in each."""
    for batch in batches:
        came = batch.X if isinstance(batch.X, Columns) else from_table(batch.X)
        table = coded_table(replace(came, names=batch.feature_names), asked)
        X = table.read(0, table.n)
        holes = has_holes(X, batch.first_row, batch.feature_names)
        yield replace(batch, X=X, coding=table.coding, holes=holes)


@dataclass(frozen=True)
class CodedSource(Source):
    """Another source's rows, coded a batch at a time, where they are.

    Attributes
    ----------
    source : the other.
    asked : roles, as in `Coded`.
    """

    source: Source
    asked: Any

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """(p,) names of the columns, or None."""
        return self.source.feature_names

    def size(self) -> Size | None:
        """How large the other is."""
        return self.source.size()

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, of the coded rows."""
        return self.source.aggregate(CodedSpec(spec, self.asked))

    def batches(self) -> Iterator[Batch]:
        """The batches of the other, coded; only those of numbers."""
        return coded_batches(self.source.batches(), self.asked)
