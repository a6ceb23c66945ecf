"""Rows whose class is not known, kept beside those whose class is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, MissingLabelsError
from distinguo.rows.base import Source
from distinguo.rows.gathered import Gathered, gather
from distinguo.rows.labels import encode_labels, is_missing, label_array, label_list
from distinguo.rows.memory import MemorySource, rows_of_fit
from distinguo.rows.tables import as_table

MISSING = "missing"
HINT = "Or let them take part: unlabeled='missing' lets EM find out what their class may be."
Codes = NDArray[np.intp]


def partly_labelled(X: Any, y: Any, sample_weight: Any, marker: Any, who: str) -> Source:
    """The rows behind the arguments of fit; those without a label are its `unlabeled`.

    Parameters
    ----------
    X, y, sample_weight : as in `fit`.
    marker : what stands for a label that is not known: "missing" (None, NaN, NaT, NA), or a value such as -1. None
        where every row must have a label.
    who : the model's name, for messages.

    Raises
    ------
    InputError
        If the marker can be no label, or no row has one.

    Examples
    --------
    >>> rows = partly_labelled([[1.0], [2.0], [3.0]], ["a", None, "b"], None, "missing", "it")
    >>> rows.classes.tolist(), rows.X.ravel().tolist(), rows.unlabeled.X.ravel().tolist()
    (['a', 'b'], [1.0, 3.0], [2.0])
    """
    if marker is None:
        try:
            return rows_of_fit(X, y, sample_weight, who)
        except MissingLabelsError as error:
            raise MissingLabelsError(f"{error} {HINT}") from None
    is_marked = _test(marker)
    if isinstance(X, Source) or y is None:
        rows = gather(rows_of_fit(X, y, sample_weight, who))
        codes, classes = _encoded(rows.classes, is_marked)
        return _parted(rows, codes[rows.codes], classes)
    as_table(X)  # which is refused before its labels are
    codes, classes = _encoded(label_array(y), is_marked)
    if (codes >= 0).all():
        return MemorySource(X, y, sample_weight)
    rows = gather(MemorySource(X, codes, sample_weight))
    return _parted(rows, rows.classes[rows.codes], classes)


def _test(marker: Any) -> Callable[[Any], bool]:
    """Whether a label stands for none."""
    if np.ndim(marker) or isinstance(marker, dict | set | bool):
        raise InputError(f"unlabeled={marker!r} must be 'missing', one label such as -1, or None.")
    if is_missing(marker) or (isinstance(marker, str) and marker == MISSING):
        return is_missing
    return lambda label: not is_missing(label) and bool(label == marker)


def _encoded(labels: NDArray[Any], is_marked: Callable[[Any], bool]) -> tuple[Codes, NDArray[Any]]:
    """Codes (n,) of labels, -1 for those that stand for none, and the sorted classes (K,)."""
    known = np.array([not is_marked(label) for label in label_list(labels)], dtype=bool)
    codes = np.full(len(labels), -1, dtype=np.intp)
    found = labels[known]
    if found.dtype.kind == "O" and not known.all():  # numbers that stood among other things are numbers again
        alone = label_array(found.tolist())
        found = alone if alone.dtype.kind in "biuf" else found
    if not len(found):
        raise InputError("no row has a label: EM starts at the classes of those that have. Label some of every class.")
    codes[known], classes = encode_labels(found)
    return codes, classes


def _parted(rows: Gathered, codes: Codes, classes: NDArray[Any]) -> Gathered:
    """Rows with a label, and beside them those whose code is -1."""
    known = codes >= 0
    if not known.any():
        raise InputError("no row that has a label counts: their weights are zero.")
    labelled = replace(rows.subset(np.flatnonzero(known)), codes=codes[known], classes=classes).of_classes_present()
    if known.all():
        return labelled
    rest = rows.subset(np.flatnonzero(~known))
    nothing = np.zeros(len(rest.X), dtype=np.intp)
    return replace(labelled, unlabeled=replace(rest, codes=nothing, classes=np.zeros(1, dtype=np.intp)))
