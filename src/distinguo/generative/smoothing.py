"""How many rows, words or cells are taken to have been seen before any was."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError, ZeroProbabilityWarning
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]

# Sums of more over columns and rows would not fit into float64.
MOST_PSEUDO_COUNTS = 1e100


def pseudo_counts(alpha: Any, p: int) -> Array:
    """What is added to the count of each column, (p,).

    Parameters
    ----------
    alpha : a number of at least 0, or one a column.
    p : how many columns.

    Raises
    ------
    InputError
        If a number is negative or not finite, or there are not p.

    Examples
    --------
    >>> pseudo_counts(0.5, 2).tolist()
    [0.5, 0.5]
    """
    wrong = f"alpha={alpha!r} must be a number of at least 0, or one for each of the {p} columns."
    try:
        values = real_numbers(alpha, wrong)
    except InputTypeError as error:
        raise InputError(str(error)) from None
    if isinstance(alpha, bool) or values.shape not in {(), (p,)}:
        shape = f" It has shape {values.shape}." if values.ndim else ""
        raise InputError(f"{wrong}{shape}" if values.size <= 1 else f"alpha has shape {values.shape} for {p} columns.")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise InputError(wrong if values.ndim == 0 else f"alpha must be at least 0; it has {values.min()}.")
    if values.max(initial=0.0) > MOST_PSEUDO_COUNTS:
        raise InputError(f"alpha={values.max():g} leaves nothing of any count; give at most {MOST_PSEUDO_COUNTS:g}.")
    return np.asarray(np.broadcast_to(values, (p,)))


def warn_of_zeros(zero: NDArray[np.bool_], names: Callable[[], Sequence[str]]) -> None:
    """Warn where cells (K, m) have probability zero in some classes and not in all; names (m,) are made if need be."""
    if not zero.any():
        return
    what, decides = names(), zero.any(axis=0) & ~zero.all(axis=0)
    count = int(decides.sum())
    if not count:
        return
    first = np.flatnonzero(decides)[:5]
    shown = ", ".join(repr(str(what[j])) for j in first) + (", ..." if count > len(first) else "")
    warnings.warn(
        f"without smoothing, {count} column(s) or categories never met in some class ({shown}) make that class "
        "impossible wherever they occur: probabilities are exactly 0 or 1 there. An alpha above 0 leaves room for what "
        "was not seen.",
        ZeroProbabilityWarning,
        stacklevel=2,
    )


def column_names(names: NDArray[Any] | None, p: int) -> list[str]:
    """(p,) what columns are called: x0, x1, ... where they have no names, as in scikit-learn."""
    return [f"x{j}" for j in range(p)] if names is None else [str(name) for name in names]
