"""Some of the rows of any container, in that same container, for models that hand rows on as they came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputTypeError

Numbers = NDArray[np.intp]


def count_rows(X: Any) -> int:
    """How many rows X has, whatever they hold.

    Raises
    ------
    InputTypeError
        If X is no collection of rows.

    Examples
    --------
    >>> count_rows(np.zeros((3, 2))), count_rows(["some text", "more text"])
    (3, 2)
    """
    if isinstance(X, list | tuple):
        return len(X)
    shape = getattr(X, "shape", None) or np.asarray(X).shape
    if not shape:
        raise InputTypeError(f"X must be rows: an array, a frame, a sparse array or a list; it is {type(X).__name__}.")
    return int(shape[0])


def take_rows(X: Any, rows: Numbers) -> Any:
    """The rows of X with these numbers, unconverted: a frame stays a frame, CSC stays CSC, a list a list.

    Parameters
    ----------
    X : n rows: an array, list, SciPy sparse array, pandas or Polars frame or series, or PyArrow table.
    rows : (m,) numbers counted from 0, in the order wanted.

    Examples
    --------
    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    take = _TAKES.get(type(X).__module__.partition(".")[0], _from_anything)
    return take(X, rows)


def _from_anything(X: Any, rows: Numbers) -> Any:
    return np.asarray(X)[rows]


_TAKES: dict[str, Callable[[Any, Numbers], Any]] = {
    "builtins": lambda X, rows: [X[i] for i in rows.tolist()],
    "numpy": lambda X, rows: X[rows],
    # Not every format of SciPy can be indexed.
    "scipy": lambda X, rows: X.tocsr()[rows].asformat(X.format),
    "pandas": lambda X, rows: X.iloc[rows],
    "polars": lambda X, rows: X[rows],
    "pyarrow": lambda X, rows: X.take(rows),
}
