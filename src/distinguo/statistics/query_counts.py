"""Sums of counts by class, by queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.counted import negative
from distinguo.rows.query_table import Groups, QueryTable
from distinguo.rows.sql_text import literal
from distinguo.statistics.counts import ClassCounts
from distinguo.statistics.query_moments import BLOCK, refuse_infinite

Array = NDArray[np.float64]


def class_counts(table: QueryTable, threshold: float | None) -> ClassCounts:
    """Sums of cells, or with a threshold of those above it, by one query a block of columns.

    Raises
    ------
    InputError
        If labels or weights cannot be used, or a cell is no number, or none that is counted.
    """
    table.refuse_words()
    p = len(table.features)
    blocks = [_block(table, range(p)[start : start + BLOCK], threshold) for start in range(0, p, BLOCK)]
    groups = blocks[0][0]
    sums, missing = (np.concatenate([block[i] for block in blocks], axis=1) for i in (1, 2))
    holes = missing if missing.any() else None
    return ClassCounts(groups.classes, table.feature_names, groups.weight, sums, holes).in_order()


def _block(table: QueryTable, places: Sequence[int], threshold: float | None) -> tuple[Groups, Array, Array]:
    """The classes, and sums and missing weights (K, q) of columns that go into one query."""
    cells = [f"x{j}" for j in places]
    counted = "{}" if threshold is None else f"CASE WHEN {{}} > {literal(float(threshold))} THEN 1e0 ELSE 0e0 END"
    wanted = [
        "COUNT({})",
        "MIN({})",
        "MAX({})",
        f"COALESCE(SUM({table.weighted(counted)}), 0e0)",
        table.weight_seen("{}"),
    ]
    groups = table.groups(table.cells(places), [text.format(cell) for text in wanted for cell in cells])
    there, low, high, sums, seen = np.split(groups.values, len(wanted), axis=1)
    refuse_infinite(table, places, low, high)
    if threshold is None:
        refuse_below_zero(table, places, low)
    # By their number first: a sum of weights may miss the whole by a rounding where no cell is missing.
    holed = there < groups.rows[:, None]
    return groups, sums, np.where(holed, np.maximum(groups.weight[:, None] - seen, 0.0), 0.0)


def refuse_below_zero(table: QueryTable, places: Sequence[int], low: Array) -> None:
    """Raise where the least cell (K, q) of a column is below zero."""
    least = np.fmin.reduce(low, axis=0)
    below = np.flatnonzero(least < 0)
    if len(below):
        j = int(below[0])
        raise InputError(negative(least[j], f"column {table.features[places[j]].name!r}"))
