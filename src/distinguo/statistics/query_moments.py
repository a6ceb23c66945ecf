"""Weights, means and scatters by queries: one for what to shift columns by, one for sums about the shifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, MissingCellsError
from distinguo.rows.base import HOLES_REFUSED
from distinguo.rows.query_table import Groups, QueryTable
from distinguo.rows.validation import infinite
from distinguo.statistics.diagonal import DiagonalMoments
from distinguo.statistics.moments import ClassMoments, add_outer

Array = NDArray[np.float64]
# Products of so many columns are asked for at the most, p (p + 1) / 2 sums a class.
MOST_COLUMNS = 60
# Columns in one query where each stands for itself.
BLOCK = 250
FOURTH_REFUSED = (
    "shrinkage='ledoit-wolf' needs fourth moments, for which there are no queries. Take shrinkage='oas' or a number, "
    "which need second moments only, or bring the rows: fit on scan() of an exported file."
)


@dataclass(frozen=True, eq=False)
class Shifts:
    """What is known of columns after one query.

    Attributes
    ----------
    groups : the classes.
    there : (K, q) rows in which a cell is not missing.
    seen : (K, q) their weight.
    shift : (K, q) a number within the range of a class and column, at about the mean; zero where nothing was seen.
    """

    groups: Groups
    there: Array
    seen: Array
    shift: Array

    @property
    def constants(self) -> dict[str, Array]:
        """The shifts by name."""
        return {f"s{i}": column for i, column in enumerate(self.shift.T)}


def shifts(table: QueryTable, places: Sequence[int]) -> Shifts:
    """Counts and shifts of some columns.

    A column that is constant in a class is shifted by that number itself, so that nothing of it is left.

    Raises
    ------
    InputError
        If labels or weights cannot be used, or a cell is infinite.
    """
    cells = [f"x{j}" for j in places]
    wanted = [
        "COUNT({})",
        "MIN({})",
        "MAX({})",
        f"COALESCE(SUM({table.weighted('{}')}), 0e0)",
        table.weight_seen("{}"),
    ]
    groups = table.groups(table.cells(places), [text.format(cell) for text in wanted for cell in cells])
    there, low, high, total, seen = np.split(groups.values, len(wanted), axis=1)
    refuse_infinite(table, places, low, high)
    mean = np.divide(total, seen, out=np.zeros_like(total), where=seen > 0)
    shift = np.where(there > 0, np.clip(np.where(np.isfinite(mean), mean, low), low, high), 0.0)
    return Shifts(groups, there, seen, shift)


def refuse_infinite(table: QueryTable, places: Sequence[int], low: Array, high: Array) -> None:
    """Raise where the least (K, q) or the greatest cell of a column is infinite."""
    beyond = (np.isinf(low) | np.isinf(high)).any(axis=0)
    if beyond.any():
        raise InputError(infinite(f"column {table.features[places[int(beyond.argmax())]].name!r}"))


def class_moments(table: QueryTable, pooled: bool) -> ClassMoments:
    """Moments of each class, by two queries.

    Raises
    ------
    MissingCellsError
        If a cell is missing.
    InputError
        If there are too many columns, or what is no number.
    """
    table.refuse_words()
    p = len(table.features)
    if p > MOST_COLUMNS:
        raise InputError(
            f"a query sums the products of at most {MOST_COLUMNS} columns, and there are {p}. Name fewer with "
            "columns=, or export the rows to Parquet and fit on scan() of the file."
        )
    places = range(p)
    found = shifts(table, places)
    refuse_missing(table, found)
    pairs = [(i, j) for i in places for j in range(i, p)]
    moved = {f"z{j}": f"x{j} - s{j}" for j in places}
    weighted = {f"u{j}": table.weighted(text) for j, text in enumerate(moved.values())}
    sums = table.by_class(
        found.groups,
        table.cells(places),
        found.constants,
        [{**moved, **weighted}],
        [*(_sum(f"u{j}") for j in places), *(_sum(f"u{i} * z{j}") for i, j in pairs)],
    )
    weight = found.groups.weight
    products = symmetric(sums[:, p:], p)
    offset = np.divide(sums[:, :p], weight[:, None], out=np.zeros_like(found.shift), where=weight[:, None] > 0)
    add_outer(products, -weight, offset)
    mean = np.where(weight[:, None] > 0, found.shift + offset, 0.0)
    scatter = products.sum(axis=0) if pooled else products
    return ClassMoments(found.groups.classes, table.feature_names, weight, mean, scatter).in_order()


def refuse_missing(table: QueryTable, found: Shifts) -> None:
    """Raise where a cell is missing."""
    holes = (found.groups.rows[:, None] - found.there).sum(axis=0)
    if holes.any():
        j = int(holes.argmax())
        raise MissingCellsError(f"{holes[j]:g} row(s) of column {table.features[j].name!r}", HOLES_REFUSED)


def symmetric(values: Array, p: int) -> Array:
    """(..., p, p) matrices from their upper triangles (..., p (p + 1) / 2), row by row.

    Examples
    --------
    >>> symmetric(np.array([1.0, 2.0, 3.0]), 2).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    rows, columns = np.triu_indices(p)
    result = np.empty((*values.shape[:-1], p, p))
    result[..., rows, columns] = values
    result[..., columns, rows] = values
    return result


def column_moments(table: QueryTable, places: Sequence[int]) -> DiagonalMoments:
    """Moments of some columns, each on its own, over the cells that are there, by two queries a block of columns."""
    blocks = [_block(table, places[start : start + BLOCK]) for start in range(0, len(places), BLOCK)]
    seen, mean, squares = (
        np.concatenate([getattr(block, name) for block in blocks], axis=1) for name in ("seen", "mean", "squares")
    )
    names = table.feature_names[list(places)]
    return DiagonalMoments(blocks[0].classes, names, blocks[0].weight, seen, mean, squares).in_order()


def _block(table: QueryTable, places: Sequence[int]) -> DiagonalMoments:
    """The same of columns that go into one query; classes without weight are in it."""
    found = shifts(table, places)
    moved = {f"z{i}": f"x{j} - s{i}" for i, j in enumerate(places)}
    weighted = {f"u{i}": table.weighted(text) for i, text in enumerate(moved.values())}
    own = range(len(places))
    wanted = [*(_sum(f"u{i}") for i in own), *(_sum(f"u{i} * z{i}") for i in own)]
    answer = table.by_class(found.groups, table.cells(places), found.constants, [{**moved, **weighted}], wanted)
    sums, squares = np.split(answer, 2, axis=1)
    offset = np.divide(sums, found.seen, out=np.zeros_like(sums), where=found.seen > 0)
    return DiagonalMoments(
        classes=found.groups.classes,
        feature_names=None,
        weight=found.groups.weight,
        seen=found.seen,
        mean=np.where(found.seen > 0, found.shift + offset, 0.0),
        squares=np.maximum(squares - sums * offset, 0.0),
    )


def _sum(expression: str) -> str:
    """An aggregate that is zero where nothing is added up."""
    return f"COALESCE(SUM({expression}), 0e0)"
