"""Numbers to be predicted: one response or several, from any library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.tables import as_table


@dataclass(frozen=True)
class Responses:
    """Checked responses.

    Attributes
    ----------
    values : (n, q) float64, finite.
    single : whether they came as (n,); predictions then are (n,) too.
    names : (q,) the columns' names where all are text, else None.
    """

    values: NDArray[np.float64]
    single: bool
    names: NDArray[Any] | None


def as_responses(y: Any) -> Responses:
    """The responses behind y, of shape (n,) or (n, q).

    Raises
    ------
    InputError
        If y is missing, has more than two dimensions or no columns, or holds text, NaN or infinity.

    Examples
    --------
    >>> as_responses([1, 2]).values.tolist()
    [[1.0], [2.0]]
    """
    if y is None:
        raise InputError("This model requires y to be passed, but the target y is None; give one number a row.")
    if isinstance(y, str | bytes | dict | set):
        raise InputTypeError(f"y must be numbers, one or several a row; it is {type(y).__name__}.")
    if not hasattr(y, "shape"):
        y = np.asarray(y)
    if len(y.shape) == 2:
        table = as_table(y)
        return Responses(_finite(table.read(0, table.n)), False, table.names)
    if len(y.shape) != 1:
        raise InputError(f"y must have shape (n,) or (n, q); it has shape {tuple(y.shape)}.")
    return Responses(_finite(_numbers(y))[:, None], True, None)


def _numbers(y: Any) -> NDArray[np.float64]:
    """(n,) as float64."""
    values = np.asarray(y)
    if values.dtype.kind not in "biufO":
        raise InputError(f"y has type {values.dtype}, and a response is a number. For labels, use a classifier.")
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"y holds something that is not a number ({error}). For labels, use a classifier.") from None


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        what = "NaN" if np.isnan(values).any() else "infinity or a value too large for dtype('float64')"
        raise InputError(f"Input y contains {what} (row {row}). Leave such rows out.")
    return values
