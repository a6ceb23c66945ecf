"""What the table holds: classes, columns with their roles and holes, and what values they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.report.material import Material, TableColumn
from distinguo.report.summary import Column, Count, Overview
from distinguo.report.texts import plain
from distinguo.rows.labels import encode_labels

MOST_COLUMNS, MOST_CLASSES, MOST_WORDS = 100, 40, 6
MOST_BINS = 16
# Numbers of so few different values have a bar for each.
FEW_VALUES = 12


def overview_of(material: Material, names: Sequence[str]) -> Overview:
    """The table behind a report.

    Parameters
    ----------
    material : with the table.
    names : (K,) of the classes, in the order of `encode_labels`.
    """
    counts = np.bincount(encode_labels(material.labels)[0], minlength=len(names))
    order = np.argsort(-counts, kind="stable")
    columns = [_column(column) for column in material.columns[:MOST_COLUMNS]]
    roles = Counter(column.role for column in material.columns)
    return Overview(
        target=plain(material.target),
        rows=len(material.labels),
        unlabelled=material.unlabelled,
        n_classes=len(names),
        classes=tuple(Count(names[k], int(counts[k])) for k in order[:MOST_CLASSES]),
        classes_cut=max(len(names) - MOST_CLASSES, 0),
        n_columns=len(material.columns),
        columns=tuple(columns),
        columns_cut=max(len(material.columns) - MOST_COLUMNS, 0),
        roles=tuple(Count(role, many) for role, many in roles.most_common()),
        missing=sum(int(_missing(column.values).sum()) for column in material.columns),
    )


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) whether a cell is."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    return np.fromiter((value is None for value in values), bool, len(values))


def _column(column: TableColumn) -> Column:
    """What is shown of one column."""
    missing = _missing(column.values)
    known = column.values[~missing]
    head = (plain(column.name), column.role, plain(column.note, 200) if column.note else "", int(missing.sum()))
    return _of_numbers(head, known) if known.dtype.kind == "f" else _of_words(head, known)


def _of_numbers(head: tuple[str, str, str, int], known: NDArray[np.float64]) -> Column:
    finite = known[np.isfinite(known)]
    distinct = np.unique(known)
    if not len(finite):
        return Column(*head, distinct=len(distinct))
    low, median, high = np.quantile(finite, (0, 0.5, 1)).tolist()
    counts, edges = np.histogram(finite, _edges(np.unique(finite)))
    return Column(*head, len(distinct), low, median, high, tuple(edges.tolist()), tuple(counts.tolist()))


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Edges of bins over different, ascending values: one a value where there are few, else of one width."""
    low, high = float(values[0]), float(values[-1])
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    steps = np.diff(values)
    if len(values) <= FEW_VALUES and np.allclose(steps, steps[0]):
        return np.concatenate([[low - steps[0] / 2], (values[:-1] + values[1:]) / 2, [high + steps[0] / 2]])
    edges = np.linspace(low, high, MOST_BINS + 1)
    return edges if (np.diff(edges) > 0).all() else np.array([low, np.nextafter(high, np.inf)])


def _of_words(head: tuple[str, str, str, int], known: NDArray[Any]) -> Column:
    counts = Counter(known.tolist())
    common = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))[:MOST_WORDS]
    return Column(*head, len(counts), common=tuple(Count(plain(word, 40), rows) for word, rows in common))
