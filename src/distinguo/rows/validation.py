"""The checks at the door: numbers are finite, weights are weights, rows and labels are as many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError

# Squares of sums of more would not fit into float64.
MOST_WEIGHT = 1e100

NOTHING_COUNTS = "every sample_weight is zero; at least one row must count."


def has_holes(block: Any, first_row: int, names: NDArray[Any] | None) -> bool:
    """Whether a block, dense or CSR, has NaN; infinities are refused."""
    from distinguo.rows.kernels import all_finite  # reading small files needs no compiler

    cells: NDArray[np.float64] = block.reshape(-1) if isinstance(block, np.ndarray) else block.data
    if all_finite(cells):
        return False
    if np.isinf(cells).any():
        row, column = cell_at(block, int(np.flatnonzero(np.isinf(cells))[0]))
        where = f"column {column}" if names is None else f"column {str(names[column])!r}"
        raise InputError(infinite(f"row {first_row + row}, {where}"))
    return bool(np.isnan(cells).any())


def infinite(where: str) -> str:
    """What is said of an infinite cell."""
    return (
        f"X contains infinity ({where}). Replace it by the value it stands for, or by NaN for a model that takes holes."
    )


def cell_at(block: Any, place: int) -> tuple[int, int]:
    """Row and column of the cell at a place among all, of dense rows, or among those stored, of CSR."""
    if isinstance(block, np.ndarray):
        return place // block.shape[1], place % block.shape[1]
    return int(np.searchsorted(block.indptr, place, side="right")) - 1, int(block.indices[place])


def real_numbers(values: Any, otherwise: str) -> NDArray[np.float64]:
    """Numbers as float64; what NumPy would only turn into numbers, such as dates and complex ones, raises."""
    try:
        if np.asarray(values).dtype.kind in "biufO":
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputTypeError(otherwise)


def check_weight(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """Frequencies as (n,) float64; None where every row counts once.

    Raises
    ------
    InputError
        If there are not n of them, or one is negative or not finite, or all are zero.
    """
    weight = weights_of(sample_weight, n)
    if weight is not None and n and not weight.any():
        raise InputError(NOTHING_COUNTS)
    return weight


def weights_of(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """The same of some rows among others: all their weights may be zero."""
    if sample_weight is None:
        return None
    weight = real_numbers(sample_weight, "sample_weight must be numbers, one a row.")
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise InputError(f"sample_weight.shape == {weight.shape}, expected {(n,)}: one weight a row.")
    return check_weight_values(weight)


def check_weight_values(weight: NDArray[np.float64], first_row: int = 0) -> NDArray[np.float64]:
    """The weights as they came; raises where one is negative or not finite."""
    if not np.isfinite(weight).all():
        row = int(np.flatnonzero(~np.isfinite(weight))[0])
        raise InputError(
            f"sample_weight contains NaN or infinity (row {first_row + row}: {weight[row]}); give such rows weight 0."
        )
    if (weight > MOST_WEIGHT).any():
        row = int(np.flatnonzero(weight > MOST_WEIGHT)[0])
        raise InputError(
            f"sample_weight is {weight[row]:g} in row {first_row + row}; at most {MOST_WEIGHT:g} is taken, for a "
            "weight says how often a row counts."
        )
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise InputError(
            f"sample_weight is negative in row {first_row + row} ({weight[row]}); a weight says how often a row counts."
        )
    return weight


def check_lengths(n: int, labels: int) -> None:
    """Raise unless there is one label a row, and at least one row."""
    if n == 0:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required: the table is empty.")
    if n != labels:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows and y {labels} labels."
        )


def check_columns(p: int, names: NDArray[Any] | None, expected: int, known: NDArray[Any] | None, who: str) -> None:
    """Raise unless rows have the columns that a model was fitted on, in the same order.

    Parameters
    ----------
    p, names : the columns that came.
    expected, known : the columns of the fit.
    who : the model's name, for the message.
    """
    if names is not None and known is not None and not np.array_equal(names, known):
        raise InputError(_name_differences(set(names), set(known)))
    if p != expected:
        raise InputError(f"X has {p} features, but {who} is expecting {expected} features as input.")


def _name_differences(came: set[str], known: set[str]) -> str:
    """scikit-learn's words, so that its own checks and its users recognise them."""
    lines = ["The feature names should match those that were passed during fit."]
    for title, names in (
        ("Feature names unseen at fit time:", came - known),
        ("Feature names seen at fit time, yet now missing:", known - came),
    ):
        if names:
            lines += [title, *(f"- {name}" for name in sorted(names)[:5])]
            lines += ["- ..."] if len(names) > 5 else []
    if came == known:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"
