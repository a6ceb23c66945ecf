"""Costs as people write them, by name or in order, into a matrix over the classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.truth import named, places_among
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import label_array, label_list, label_text
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Labels = NDArray[Any]

NUMBERS = "costs must be numbers, a row a true class, a column a decision."


def read_costs(costs: Any, classes: Labels | None) -> tuple[Array, Labels]:
    """The matrix (K, K) and the classes (K,) that its rows and columns are of.

    Parameters
    ----------
    costs : None, (K, K) numbers, {true class: {decision: cost}}, or a frame.
    classes : (K,), or None for those that the costs name.

    Raises
    ------
    InputError
        If classes are named that there are not, or are missing.
    InputTypeError
        If it is nothing of the kind.
    """
    if isinstance(costs, Mapping):
        return _from_mapping(costs, classes)
    is_frame = len(getattr(costs, "shape", ())) == 2
    read = _READERS.get(type(costs).__module__.partition(".")[0], _from_numbers) if is_frame else _from_numbers
    return read(costs, classes)


def places_of(names: Labels, classes: Labels) -> Codes:
    """(K,) where each name stands among the classes, by itself or by its text; every class must be named once.

    Examples
    --------
    >>> places_of(np.array(["2", "1"]), np.array([1, 2])).tolist()
    [1, 0]
    """
    texts = {str(label): k for k, label in enumerate(label_list(classes))}
    by_itself = places_among(classes, names).tolist()
    place = [k if k >= 0 else texts.get(str(name), -1) for k, name in zip(by_itself, label_list(names), strict=True)]
    if -1 in place:
        unknown = label_text(names[place.index(-1)])
        raise InputError(f"costs names {unknown}, which is no class; the classes are {named(classes)}.")
    missing = [k for k in range(len(classes)) if k not in place]
    if missing:
        raise InputError(f"costs does not name the class {label_text(classes[missing[0]])}; name every class.")
    return np.array(place, dtype=np.intp)


def _from_numbers(costs: Any, classes: Labels | None) -> tuple[Array, Labels]:
    """Numbers in the order of the classes; without any, every error costs one."""
    if costs is None:
        if classes is None:
            raise InputError("costs=None means that every error costs one; say of which classes.")
        return 1 - np.eye(len(classes)), classes
    matrix = real_numbers(costs, NUMBERS)
    if matrix.ndim != 2:
        raise InputError(f"costs has shape {matrix.shape}; give a row for each true class, a column for each decision.")
    return matrix, np.arange(len(matrix)) if classes is None else classes


def _from_mapping(costs: Mapping[Any, Any], classes: Labels | None) -> tuple[Array, Labels]:
    flat = [truth for truth, row in costs.items() if not isinstance(row, Mapping)]
    if flat:
        raise InputTypeError(f"costs[{flat[0]!r}] must be {{decision: cost}}, with the cost of every wrong decision.")
    decisions = list(dict.fromkeys(decision for row in costs.values() for decision in row))
    cells = [[row.get(decision, np.nan) for decision in decisions] for row in costs.values()]
    return _by_name(list(costs), decisions, cells, classes)


def _from_pandas(costs: Any, classes: Labels | None) -> tuple[Array, Labels]:
    if costs.shape[1] == costs.shape[0] + 1:
        return _first_column(list(costs.columns), costs.to_numpy(dtype=object).tolist(), classes)
    return _by_name(list(costs.index), list(costs.columns), costs.to_numpy(dtype=object).tolist(), classes)


def _from_polars(costs: Any, classes: Labels | None) -> tuple[Array, Labels]:
    return _first_column(list(costs.columns), [list(row) for row in costs.iter_rows()], classes)


def _from_pyarrow(costs: Any, classes: Labels | None) -> tuple[Array, Labels]:
    import polars as pl

    return _from_polars(pl.from_arrow(costs), classes)


def _first_column(columns: list[Any], rows: list[list[Any]], classes: Labels | None) -> tuple[Array, Labels]:
    """A table whose first column holds the true classes."""
    return _by_name([row[0] for row in rows], columns[1:], [row[1:] for row in rows], classes)


def _by_name(
    truths: list[Any], decisions: list[Any], cells: Iterable[Iterable[Any]], classes: Labels | None
) -> tuple[Array, Labels]:
    """Cells with their names, in the order of the classes; a right decision without a cost costs nothing."""
    for name in truths + decisions:
        if truths.count(name) > 1 or decisions.count(name) > 1:
            raise InputError(f"costs has {name!r} twice; give each class one row and one column.")
    known = label_array(truths) if classes is None else classes
    numbers = real_numbers([[np.nan if cell is None else cell for cell in row] for row in cells], NUMBERS)
    matrix = np.full((len(known), len(known)), np.nan)
    of_truths = places_of(label_array(truths), known)
    matrix[:, places_of(label_array(decisions), known)] = numbers[np.argsort(of_truths)]
    unsaid = np.isnan(matrix)
    wrong = unsaid & ~np.eye(len(known), dtype=bool)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InputError(
            f"costs gives no number for deciding {label_text(known[j])} where {label_text(known[i])} is true."
        )
    return np.where(unsaid, 0.0, matrix), known


_READERS: dict[str, Callable[[Any, Labels | None], tuple[Array, Labels]]] = {
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_pyarrow,
}
