"""Columns that repeat each other within classes, whose evidence naive Bayes counts as often as they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.advice import Advice

# Columns whose correlation within the classes is beyond this say nearly the same.
NEARLY_EQUAL = 0.95
# So many columns, and rows spread evenly, are compared.
MOST_COLUMNS, MOST_ROWS = 500, 5000
SHOWN = 3


def repeated_columns(X: NDArray[np.float64], codes: NDArray[np.intp], names: Sequence[str]) -> Advice | None:
    """N1: columns that are nearly equal within the classes.

    Parameters
    ----------
    X : (n, p); pairs of columns are compared on the rows where both are there.
    codes : (n,) class of each row, from 0.
    names : (p,) of the columns.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(60, 2))
    >>> print(repeated_columns(np.column_stack([x, 2 * x[:, 0]]), np.arange(60) % 2, ["a", "b", "twice"]).sentence)
    columns say nearly the same within the classes: 'a' and 'twice' (correlation 1.00).
    """
    every = max(1, -(-len(X) // MOST_ROWS))
    rows = X[::every, :MOST_COLUMNS]
    within = _within(rows, codes[::every])
    lengths = np.sqrt((within**2).sum(axis=0))
    # A column that is constant within the classes but for rounding has no correlation.
    moves = lengths > 1e-9 * np.sqrt(np.nansum(rows**2, axis=0))
    kept = np.flatnonzero(moves)
    correlation = np.triu((within[:, kept] / lengths[kept]).T @ (within[:, kept] / lengths[kept]), 1)
    found = np.argwhere(np.abs(correlation) > NEARLY_EQUAL)
    if not len(found):
        return None
    order = np.argsort(-np.abs(correlation[tuple(found.T)]), kind="stable")
    pairs = [(kept[i], kept[j], correlation[i, j]) for i, j in found[order]]
    shown = "; ".join(f"{names[a]!r} and {names[b]!r} (correlation {r:.2f})" for a, b, r in pairs[:SHOWN])
    more = f"; and {len(pairs) - SHOWN} pairs more" if len(pairs) > SHOWN else ""
    return Advice(
        "N1",
        f"columns say nearly the same within the classes: {shown}{more}.",
        "Naive Bayes counts their evidence twice, and its probabilities are too sure: leave all but one out, or use "
        "a model that knows of dependence, such as lda.",
    )


def _within(X: NDArray[np.float64], codes: NDArray[np.intp]) -> Any:
    """(n, p) the columns less the means of their classes; zero where a cell is missing."""
    there = ~np.isnan(X)
    filled = np.where(there, X, 0.0)
    K = int(codes.max(initial=-1)) + 1
    indicators = (codes[:, None] == np.arange(K)).astype(np.float64)
    means = (indicators.T @ filled) / np.maximum(indicators.T @ there, 1)
    return np.where(there, filled - means[codes], 0.0)
