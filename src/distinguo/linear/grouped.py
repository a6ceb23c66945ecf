"""Counts of successes among trials, as rows that count so many times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from distinguo.exceptions import InputError
from distinguo.rows.tables import as_table
from distinguo.rows.validation import real_numbers


def grouped_counts(X: Any, successes: Any, trials: Any) -> tuple[Any, NDArray[np.int64], NDArray[np.float64]]:
    """Rows for `fit` of grouped counts: each twice, as class 1 with its successes and as class 0 with its failures.

    The estimates, standard errors and tests of nested models are those of a binomial regression on the counts; the
    deviance is that of single trials, which differs from it by a number that no coefficient changes.

    Parameters
    ----------
    X : (n, p) one row a group (NumPy, SciPy sparse, pandas, Polars, PyArrow).
    successes, trials : (n,) counts, 0 <= successes <= trials.

    Returns
    -------
    X, y, sample_weight : (m, p) of the same kind, (m,) of 0 and 1, and (m,); rows of no weight are left out.

    Raises
    ------
    InputError
        If there are not n of either, or a count is not finite, negative or more than its trials.

    Examples
    --------
    >>> grouped_counts(np.array([[1.0], [2.0]]), [3, 0], [10, 4])
    (array([[1.], [1.], [2.]]), array([0, 1, 0]), array([7., 3., 4.]))
    """
    n = as_table(X).n
    won, tried = (_counts(given, name, n) for given, name in ((successes, "successes"), (trials, "trials")))
    if (won > tried).any():
        row = int(np.flatnonzero(won > tried)[0])
        raise InputError(f"row {row} has {won[row]:g} successes in {tried[row]:g} trials; there cannot be more.")
    weight = np.column_stack([tried - won, won]).ravel()
    kept = np.flatnonzero(weight)
    if not len(kept):
        raise InputError("every trials is zero; at least one row must count.")
    return _safe_indexing(X, kept // 2), kept % 2, weight[kept]


def _counts(given: Any, name: str, n: int) -> NDArray[np.float64]:
    counts = real_numbers(given, f"{name} must be numbers, one a row.")
    if counts.shape != (n,):
        raise InputError(f"{name} has shape {counts.shape}; it must be ({n},), one count a row.")
    wrong = ~np.isfinite(counts) | (counts < 0)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(f"{name} is {counts[row]} in row {row}; counts are finite and not negative.")
    return counts
