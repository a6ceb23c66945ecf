"""Probabilities that are given, checked once: of all classes, or of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.priors import SUM_TOLERANCE
from distinguo.rows.labels import label_text
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]


def probabilities_of_classes(values: Any, classes: NDArray[Any]) -> Array:
    """Probabilities (n, K), a column a class, that sum to one.

    Raises
    ------
    InputError
        If they have another shape, lie outside [0, 1], or do not sum to one in every row.

    Examples
    --------
    >>> probabilities_of_classes([[0.25, 0.75]], np.array(["a", "b"])).tolist()
    [[0.25, 0.75]]
    """
    numbers = real_numbers(values, "probabilities must be numbers, a row of one a class for each row.")
    if numbers.ndim != 2 or numbers.shape[1] != len(classes):
        raise InputError(
            f"probabilities has shape {numbers.shape}, expected (n, {len(classes)}): a column for each class."
        )
    _refuse_outside(numbers, classes)
    sums = numbers.sum(axis=1)
    far = np.abs(sums - 1) > SUM_TOLERANCE
    if far.any():
        row = int(np.flatnonzero(far)[0])
        raise InputError(f"probabilities must sum to 1 in every row; those of row {row} sum to {sums[row]:.6g}.")
    return numbers


def probabilities_of_one(values: Any, n: int, column: int) -> Array:
    """Probabilities (n,) of one class; of two columns, (n, 2), the one asked for.

    Raises
    ------
    InputError
        If they have another shape, or lie outside [0, 1].

    Examples
    --------
    >>> probabilities_of_one([[0.25, 0.75]], 1, 1).tolist(), probabilities_of_one([0.75], 1, 1).tolist()
    ([0.75], [0.75])
    """
    numbers = real_numbers(values, "p must be numbers, a probability for each row.")
    if numbers.ndim == 2 and numbers.shape[1] == 2:
        numbers = numbers[:, column]
    if numbers.shape != (n,):
        raise InputError(f"p has shape {numbers.shape}, expected {(n,)}: the positive class's probability of each row.")
    _refuse_outside(numbers[:, None], None)
    return numbers


def _refuse_outside(numbers: Array, classes: NDArray[Any] | None) -> None:
    wrong = ~((numbers >= 0) & (numbers <= 1 + SUM_TOLERANCE))  # NaN is wrong too
    if wrong.any():
        row, k = np.argwhere(wrong)[0]
        whose = "" if classes is None else f" for {label_text(classes[k])}"
        raise InputError(f"probabilities must lie between 0 and 1; row {row} has {numbers[row, k]:.6g}{whose}.")
