"""Weights of a perceptron: where they start, and how classes that come later find their place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.shapes import column_names
from distinguo.exceptions import InputError
from distinguo.rows.labels import merge_classes
from distinguo.rows.matrix import LabelledMatrix, Matrix
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]

# Weights are sums of rows, and scores products of the two: beyond this they might overflow.
LARGEST = 1e140


def given_start(K: int, p: int, coef: Any, intercept: Any, eta0: float) -> Array:
    """(R, p + 1) weights, in steps, that `coef_` and `intercept_` stand for, or zeros; R is 1 if K = 2, else K."""
    R = 1 if K == 2 else K
    parts = []
    for value, name, shape in ((coef, "coef_init", (R, p)), (intercept, "intercept_init", (R,))):
        part = np.zeros(shape) if value is None else real_numbers(value, f"{name} must be numbers.")
        if R == 1 and part.shape == shape[1:]:
            part = part[None]
        if part.shape != shape or not np.isfinite(part).all():
            raise InputError(f"{name} must be finite numbers of shape {shape}; it has shape {part.shape}.")
        parts.append(part.reshape(R, -1))
    with np.errstate(over="ignore"):
        start = np.hstack(parts) / eta0
    if np.abs(start).max() > LARGEST:
        raise InputError(f"coef_init or intercept_init is more than {LARGEST:g} steps of eta0={eta0!r}; enlarge eta0.")
    return start


def a_class_each(weights: Array, K: int) -> Array:
    """(K, ...) weights for each class; of two classes each has half of what tells them apart."""
    return np.vstack([-weights / 2, weights / 2]) if K == 2 else weights


def over_classes(rows: LabelledMatrix, others: NDArray[Any]) -> tuple[LabelledMatrix, NDArray[np.intp]]:
    """Rows over their classes and others, and where the others stand among all."""
    merged, own, place = merge_classes(rows.classes, others)
    return replace(rows, classes=merged, codes=own[rows.codes]), place


def spread(weights: Array, place: NDArray[np.intp], K: int) -> Array:
    """Weights (k, ...) of some classes among those of K, zero for the others."""
    result = np.zeros((K, *weights.shape[1:]))
    result[place] = weights
    return result


def refuse_large(X: Matrix, names: NDArray[Any] | None) -> None:
    """Raise where products of numbers might overflow."""
    large = np.asarray(abs(X).max(axis=0) > LARGEST) if isinstance(X, np.ndarray) else _large_columns(X)
    if large.any():
        raise InputError(
            f"numbers too large to add products of (beyond {LARGEST:g}) in the columns "
            f"{column_names(names, np.flatnonzero(large))}; give these columns larger units."
        )


def _large_columns(X: Any) -> NDArray[np.bool_]:
    large = np.zeros(X.shape[1], dtype=bool)
    large[X.indices[np.abs(X.data) > LARGEST]] = True
    return large
