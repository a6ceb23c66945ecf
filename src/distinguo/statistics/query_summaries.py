"""Columns of all kinds by class, by queries: moments of those that are numbers, counts of the others' categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.coding import ALLOWED, BINARY, CATEGORY, COUNT, resolve_roles
from distinguo.rows.columns import Column, Columns
from distinguo.rows.labels import natural_order
from distinguo.rows.query_table import CHANGED, Groups, QueryTable
from distinguo.rows.sql_engines import OTHER, TRUTH, WORD
from distinguo.rows.validation import infinite
from distinguo.statistics.query_moments import column_moments
from distinguo.statistics.summaries import ColumnSummaries

Array = NDArray[np.float64]
# Which cells a role does not allow.
_WRONG = {COUNT: "{0} < 0e0", BINARY: "{0} <> 0e0 AND {0} <> 1e0"}


def column_summaries(table: QueryTable) -> ColumnSummaries:
    """The summaries of columns according to their roles; one query a column of categories.

    Raises
    ------
    InputError
        If labels or weights cannot be used, or a column has cells that its role does not allow.
    """
    groups = table.groups({}, [])
    roles = _roles(table)
    levels, counts = [], [np.zeros((len(groups.classes), 0))]
    for j, role in enumerate(roles):
        found = _categories(table, groups, j) if role == CATEGORY else ([], counts[0])
        levels.append(found[0])
        counts.append(found[1])
    nothing = counts[0]
    summaries = ColumnSummaries(
        classes=groups.classes,
        feature_names=table.feature_names,
        weight=groups.weight,
        roles=np.array(roles, dtype=np.str_),
        levels=_objects([level for column in levels for level in column]),
        starts=np.cumsum([0, *map(len, levels)]).astype(np.intp),
        counts=np.concatenate(counts, axis=1),
        seen=nothing,
        mean=nothing,
        squares=nothing,
    ).in_order()
    numbers = [j for j, role in enumerate(roles) if role != CATEGORY]
    if numbers:
        moments = column_moments(table, numbers)
        summaries = replace(summaries, seen=moments.seen, mean=moments.mean, squares=moments.squares)
    return summaries.with_rows_only()


def _roles(table: QueryTable) -> list[str]:
    """The roles (p,) of the features; raises where one has cells that its role does not allow."""
    for column in table.features:
        if column.kind == OTHER:
            raise InputError(
                f"column {column.name!r} has type {column.type}, neither numbers nor words; leave it out or encode it."
            )
    words = [j for j, column in enumerate(table.features) if column.kind == WORD]
    examples = dict(zip(words, _first(table, table.words(words), [f"MIN(x{j})" for j in words]), strict=True))
    roles = resolve_roles(_columns(table, examples), table.asked)
    for j, role in enumerate(roles):
        if role != CATEGORY and examples.get(j) is not None:
            raise InputError(
                f"X holds something that is not a number: column {table.features[j].name!r} has {examples[j]!r}, and "
                f"its role is {role!r}. Give it the role 'category', or mend it."
            )
    _check_cells(table, [j for j, role in enumerate(roles) if role in _WRONG], roles)
    return roles


def _columns(table: QueryTable, examples: Mapping[int, Any]) -> Columns:
    """The columns without rows; one of words, none of which is there, is one of missing numbers."""
    nothing = np.empty(0)
    columns = [
        Column(nothing, None if examples.get(j) is None else [examples[j]], feature.kind == TRUTH)
        for j, feature in enumerate(table.features)
    ]
    return Columns(0, table.feature_names, columns)


def _check_cells(table: QueryTable, places: Sequence[int], roles: Sequence[str]) -> None:
    """Raise where a count is below zero, or a truth value neither 0 nor 1."""
    wrong = [f"MIN(CASE WHEN {_WRONG[roles[j]].format(f'x{j}')} THEN x{j} END)" for j in places]
    for j, cell in zip(places, _first(table, table.cells(places), wrong), strict=True):
        if cell is not None:
            name, role = table.features[j].name, roles[j]
            raise InputError(f"column {name!r} has {cell:g}, and its role is {role!r}: {ALLOWED[role]}.")


def _first(table: QueryTable, cells: Mapping[str, str], aggregates: Sequence[str]) -> Sequence[Any]:
    """Aggregates over all rows."""
    if not aggregates:
        return ()
    return table.engine.run(f"SELECT {', '.join(aggregates)} FROM ({table.rows(cells)}) AS r")[0]


def _categories(table: QueryTable, groups: Groups, j: int) -> tuple[list[Any], Array]:
    """The categories (L,) of a column, in order, and rows (K, L) of each class and category."""
    cells = table.words([j]) if table.features[j].kind == WORD else table.cells([j])
    count = "COUNT(*)" if table.weight is None else "SUM(w)"
    answer = table.engine.run(
        f"SELECT label, x{j}, {count} FROM ({table.rows(cells)}) AS r WHERE x{j} IS NOT NULL GROUP BY label, x{j}"
    )
    found = list(dict.fromkeys(row[1] for row in answer))
    if any(isinstance(level, float) and np.isinf(level) for level in found):
        raise InputError(infinite(f"column {table.features[j].name!r}"))
    levels = [found[i] for i in natural_order(found)]
    place = {level: i for i, level in enumerate(levels)}
    class_of = {key: k for k, key in enumerate(groups.keys)}
    counts = np.zeros((len(groups.keys), len(levels)))
    for label, level, weight in answer:
        if label not in class_of:
            raise InputError(CHANGED)
        counts[class_of[label], place[level]] = weight
    return levels, counts


def _objects(values: list[Any]) -> NDArray[Any]:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result
