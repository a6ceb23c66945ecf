"""Rows that are handed on in their own container, and what is to be known of them: labels and weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Source
from distinguo.rows.elsewhere import located
from distinguo.rows.gathered import gather
from distinguo.rows.labels import encode_labels
from distinguo.rows.memory import rows_of_fit
from distinguo.rows.selection import count_rows
from distinguo.rows.validation import check_lengths, check_weight

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Uncut:
    """Labelled rows whose cells were not looked at.

    Attributes
    ----------
    X : n rows of any container, as they came.
    codes : (n,) integers into `classes`; of no meaning where a row does not count.
    classes : (K,) sorted labels of the rows that count.
    weight : (n,) float64, or None where every row counts once.
    """

    X: Any
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    weight: Array | None

    def weights(self) -> Array:
        """(n,) whether they came or not."""
        return np.ones(len(self.codes)) if self.weight is None else self.weight

    def totals(self) -> Array:
        """(K,) the weight of each class."""
        return np.bincount(self.codes, self.weight, len(self.classes)).astype(np.float64)

    def counting(self) -> NDArray[np.bool_]:
        """(n,) the rows of a weight above zero."""
        return self.weights() > 0


def uncut_rows(X: Any, y: Any, sample_weight: Any, who: str) -> Uncut:
    """The rows behind the arguments of fit, for a model that hands them on.

    Parameters
    ----------
    X : n rows of any container, or a `Source` with its own labels, which is gathered.
    y : (n,) or (n, 1) labels.
    sample_weight : (n,) frequencies, or None.
    who : the model's name, for messages.

    Raises
    ------
    InputError
        If labels or weights cannot be used, or columns of a frame have one name.
    InputTypeError
        If X is no collection of rows.

    Examples
    --------
    >>> rows = uncut_rows(["first text", "second text"], ["b", "a"], [1.0, 0.0], "Model")
    >>> rows.X, rows.classes.tolist(), rows.counting().tolist()
    (['first text', 'second text'], ['b'], [True, False])
    """
    X, y, sample_weight = located(X, y, sample_weight)
    if isinstance(X, Source):
        return _gathered(rows_of_fit(X, y, sample_weight, who))
    if y is None:
        raise InputError(f"{who} requires y to be passed, but the target y is None; give one label a row.")
    n = count_rows(X)
    if getattr(getattr(X, "dtype", None), "kind", None) == "c":
        raise InputError(f"Complex data not supported: X has type {X.dtype}. Take real and imaginary parts as columns.")
    _refuse_twins(X)
    codes, classes = encode_labels(y)
    check_lengths(n, len(codes))
    weight = check_weight(sample_weight, n)
    if weight is None or weight.all():
        return Uncut(X, codes, classes, weight)
    present, own = np.unique(codes[weight > 0], return_inverse=True)
    among = np.zeros(n, np.intp)
    among[weight > 0] = own
    return Uncut(X, among, classes[present], weight)


def _refuse_twins(X: Any) -> None:
    """Raise where two columns of a frame have one name: neither scikit-learn nor a model could tell them apart."""
    names = getattr(X, "column_names", None)  # PyArrow's; its `columns` are cells
    twice = [
        name for name, count in Counter(getattr(X, "columns", ()) if names is None else names).items() if count > 1
    ]
    if twice:
        raise InputError(f"X has more than one column {twice[0]!r}; columns are told apart by their names.")


def _gathered(source: Source) -> Uncut:
    rows = gather(source).of_classes_present()
    weight = None if (rows.weight == 1).all() else rows.weight
    if rows.names is None:
        return Uncut(rows.X, rows.codes, rows.classes, weight)
    import polars as pl

    return Uncut(pl.DataFrame(rows.X, schema=rows.names.tolist()), rows.codes, rows.classes, weight)
