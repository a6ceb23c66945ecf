"""A linear discriminant analysis beside the chosen model, where that one knows no shapes of classes or no columns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import DistinguoError
from distinguo.generative.linear_discriminant import LinearDiscriminantAnalysis
from distinguo.rows.labels import encode_labels
from distinguo.rows.selection import take_rows

Codes = NDArray[np.intp]

TITLE = "linear discriminant analysis"
MOST_ROWS = 5000
# Rows with missing cells are completed from all at once, which takes longer.
MOST_WITH_HOLES = 1000


def helper_of(X: Any, whole: NDArray[np.bool_], labels: NDArray[Any]) -> Any:
    """The model, fitted on some rows of each class; None where these cannot be used.

    Parameters
    ----------
    X : (n, p) numbers.
    whole : (n,) the rows without missing cells.
    labels : (n,)
    """
    rows = _rows(encode_labels(labels)[0], whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return LinearDiscriminantAnalysis().fit(take_rows(X, rows), labels[rows])
        except (DistinguoError, ValueError, ArithmeticError):
            return None


def _rows(codes: Codes, whole: NDArray[np.bool_]) -> Codes:
    """Some rows of each class, spread evenly over the table; whole ones if each class has enough of them."""
    K = int(codes.max()) + 1
    enough = np.bincount(codes[whole], minlength=K) >= np.minimum(np.bincount(codes, minlength=K) / 2, 100)
    usable = whole if enough.all() else np.ones(len(codes), dtype=bool)
    most = max((MOST_ROWS if enough.all() else MOST_WITH_HOLES) // K, 10)
    parts = []
    for k in range(K):
        own = np.flatnonzero(usable & (codes == k))
        parts.append(own[np.linspace(0, len(own) - 1, min(len(own), most)).astype(np.intp)])
    return np.sort(np.concatenate(parts))
