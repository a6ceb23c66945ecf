"""Log-likelihoods of counts as matrix products in which zero times the logarithm of zero is zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.counted import cells_of, with_cells
from distinguo.statistics.patterns import pattern_codes

Array = NDArray[np.float64]


def log_or_zero(values: Array) -> Array:
    """Logarithms, and zero for zero, so that no product with a count of zero is NaN; C-contiguous."""
    return np.log(values, out=np.zeros(values.shape), where=values > 0)


def ones_or_none(where: NDArray[np.bool_]) -> Array | None:
    """Ones where true, or None where nothing is."""
    return np.ascontiguousarray(where, np.float64) if where.any() else None


def forbid(scores: Array, values: Any, impossible: Array | None) -> Array:
    """Minus infinity for the classes (p, K) under which a row has a count that cannot be."""
    if impossible is not None:
        there = with_cells(values, (cells_of(values) > 0).astype(np.float64))
        scores[there @ impossible > 0.5] = -np.inf
    return scores


def forbidden(terms: Array, values: Array, impossible: Array) -> Array:
    """The same, cell by cell."""
    terms[(values > 0)[:, None, :] & (impossible.T > 0)] = -np.inf
    return terms


def totals(values: Any) -> Array:
    """(n,) sums of the rows."""
    return np.asarray(values.sum(axis=1), np.float64).reshape(-1)


def sums(values: Any, function: Callable[[Array], Array]) -> Array:
    """(n,) sums over the cells of a function that is zero at zero."""
    return totals(with_cells(values, function(cells_of(values))))


def hole_patterns(X: Any) -> tuple[NDArray[np.intp], list[NDArray[np.bool_]]]:
    """Which pattern of missing cells each row has, (n,), and the cells (p,) that lack in each pattern.

    Examples
    --------
    >>> codes, missing = hole_patterns(np.array([[1.0, np.nan], [1.0, 2.0]]))
    >>> [missing[code].tolist() for code in codes]
    [[False, True], [False, False]]
    """
    n, p = X.shape
    if not np.isnan(cells_of(X)).any():
        return np.zeros(n, np.intp), [np.zeros(p, dtype=bool)]
    missing = np.isnan(X if isinstance(X, np.ndarray) else X.toarray())
    codes = pattern_codes(missing)
    _, first = np.unique(codes, return_index=True)
    return codes, [missing[row] for row in first]
