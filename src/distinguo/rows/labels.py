"""Labels of any hashable scalar type, turned into codes and back; hashed, not sorted, where that is dearer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError, MissingLabelsError

# A table of this many entries a label costs less than sorting the labels.
TABLE_PER_LABEL = 4
# Whole numbers beyond this, stored as floats, do not fit an integer with room for a range.
MOST_WHOLE = float(1 << 62)
DATES = "mM"
NUMBERS = dict.fromkeys("iuf", "number")


INFINITE = "y contains inf; a label is a name or a whole number."


def encode_labels(y: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Codes (n,) and the sorted classes (K,) they point into.

    Raises
    ------
    InputError
        If labels are missing, or are measurements rather than names.
    InputTypeError
        If labels are not hashable scalars.

    Examples
    --------
    >>> codes, classes = encode_labels(["b", "a", "b"])
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    labels = label_array(y)
    encoder = _ENCODERS.get(labels.dtype.kind)
    if encoder is None:
        raise InputTypeError(f"y has labels of type {labels.dtype}; labels are strings, numbers, booleans or dates.")
    return encoder(labels)


def label_array(y: Any) -> NDArray[Any]:
    """Labels as an array (n,), of the type they came in."""
    labels: NDArray[Any]
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise MissingLabelsError(_missing(np.ma.getmaskarray(y).ravel()))
    if isinstance(y, list | tuple) and _is_mixed(y):
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
    else:
        try:
            labels = np.asarray(y)
        except ValueError as error:
            raise InputError(f"y must be one column of labels, and its entries are not alike ({error}).") from None
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.utils.validation import column_or_1d

        return np.asarray(column_or_1d(labels, warn=True))
    if labels.ndim != 1:
        raise InputError(f"y must be one column of labels, of shape (n,); it has shape {labels.shape}.")
    return labels


def _is_mixed(labels: Sequence[Any]) -> bool:
    """Whether NumPy would turn some of these labels into something they were not."""
    return len({_family(kind) for kind in set(map(type, labels))}) > 1


def _family(kind: type) -> str:
    """Types that one array can hold without changing a label."""
    families = {"text": str, "bytes": bytes, "truth": bool | np.bool_, "number": int | float | np.number}
    return next((family for family, kinds in families.items() if issubclass(kind, kinds)), "other")


def _encode_integers(labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """By a table over the range where that is small, else by sorting."""
    if labels.size == 0:
        return np.empty(0, np.intp), labels
    low, high = int(labels.min()), int(labels.max())
    if high - low > TABLE_PER_LABEL * labels.size + 1024 or high > np.iinfo(np.intp).max:
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.intp, copy=False), classes
    offset = labels.astype(np.intp, copy=False)
    if low:
        offset = offset - low
    present = np.zeros(high - low + 1, dtype=bool)
    present[offset] = True
    values = np.flatnonzero(present)
    if len(values) == len(present):
        return offset, (values + low).astype(labels.dtype)
    table = np.cumsum(present) - 1
    return table[offset].astype(np.intp, copy=False), (values + low).astype(labels.dtype)


def _encode_booleans(labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    codes, classes = _encode_integers(labels.view(np.int8))
    return codes, classes.astype(bool)


def _encode_floats(labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Whole numbers stored as floats; anything else is a measurement, not a class."""
    missing = np.isnan(labels)
    if missing.any():
        raise MissingLabelsError(_missing(missing))
    if not np.isfinite(labels).all():
        raise InputError(INFINITE)
    if (labels != np.round(labels)).any():
        raise InputError(_continuous(labels[labels != np.round(labels)][0]))
    if float(np.abs(labels).max(initial=0)) > MOST_WHOLE:
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.intp, copy=False), classes
    codes, classes = _encode_integers(labels.astype(np.int64))
    return codes, classes.astype(labels.dtype)


def _encode_dates(labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    missing = np.isnat(labels)
    if missing.any():
        raise MissingLabelsError(_missing(missing))
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.intp, copy=False), classes


def _encode_objects(labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """By a dictionary, in the order met; then the classes are put in order."""
    values = labels.tolist()
    _refuse_types(set(map(type, values)))
    seen: dict[Any, int] = {}
    try:
        codes = np.fromiter((seen.setdefault(label, len(seen)) for label in values), np.intp, len(values))
    except TypeError as error:
        raise InputTypeError(f"y has labels that are not hashable scalars: {error}.") from None
    found = list(seen)
    missing = np.array([is_missing(label) for label in found], dtype=bool)
    if missing.any():
        raise MissingLabelsError(_missing(missing[codes]))
    _refuse_fractions(found)
    order = natural_order(found)
    rank = np.empty(len(found), np.intp)
    rank[order] = np.arange(len(found))
    return rank[codes], class_array([found[i] for i in order], labels.dtype)


def _refuse_types(types: set[type]) -> None:
    """Containers are no labels, and truth values cannot be told from the numbers 0 and 1."""
    for kind in types:
        if issubclass(kind, list | tuple | dict | set | frozenset | complex):
            raise InputTypeError(f"y has labels of type {kind.__name__}; a label is one scalar.")
    if {"truth", "number"} <= {_family(kind) for kind in types}:
        raise InputError("y mixes booleans with numbers, and True equals 1; convert them all to text or to numbers.")


def _refuse_fractions(found: list[Any]) -> None:
    """A fraction is a measurement, not a class."""
    for label in found:
        if not isinstance(label, float | np.floating):
            continue
        if math.isinf(label):
            raise InputError(INFINITE)
        if label != math.floor(label):
            raise InputError(_continuous(label))


def _continuous(example: Any) -> str:
    return (
        f"Unknown label type: continuous. y holds numbers such as {example}, which look like measurements, not "
        "classes. Convert them to text if they are names, or cut them into classes."
    )


def class_array(labels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The labels as an array of that type, objects left as they are."""
    if dtype.kind != "O":
        return np.array(labels, dtype=dtype)
    classes = np.empty(len(labels), dtype=object)
    classes[:] = labels
    return classes


def natural_order(labels: list[Any]) -> list[int]:
    """The order of the labels; where types do not compare, by type first."""
    try:
        return sorted(range(len(labels)), key=lambda i: labels[i])
    except TypeError:
        return sorted(range(len(labels)), key=lambda i: (*_kind(labels[i]), str(labels[i])))


def _kind(label: Any) -> tuple[str, float]:
    """Numbers before text, and numbers by size."""
    if isinstance(label, int | float | np.number | np.bool_):
        return "", float(label)
    return type(label).__name__, 0.0


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or pandas' NA."""
    if label is None:
        return True
    try:
        return bool(label != label)  # noqa: PLR0124 (NaN and NaT are the values that differ from themselves)
    except TypeError:  # pandas' NA refuses to be true or false
        return True


def _missing(missing: NDArray[np.bool_]) -> str:
    first = int(np.flatnonzero(missing)[0])
    return (
        f"y has {int(missing.sum())} missing label(s), the first in row {first} (NaN, None or NA). "
        "Leave those rows out, or give them a class."
    )


def merge_classes(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """The sorted union of two sets of classes, and where each class of `a` and of `b` stands in it.

    Examples
    --------
    >>> merged, of_a, of_b = merge_classes(np.array(["b", "c"]), np.array(["a", "c"]))
    >>> merged.tolist(), of_a.tolist(), of_b.tolist()
    (['a', 'b', 'c'], [1, 2], [0, 2])
    """
    if a is b or (a.dtype == b.dtype and np.array_equal(a, b)):
        same = np.arange(len(a), dtype=np.intp)
        return a, same, same
    dtype = _common_type(a, b)
    if dtype.kind in DATES:
        a, b = a.astype(dtype), b.astype(dtype)
    labels_a, labels_b = label_list(a), label_list(b)
    found = list(dict.fromkeys([*labels_a, *labels_b]))
    _refuse_types(set(map(type, [*labels_a, *labels_b])))
    ordered = [found[i] for i in natural_order(found)]
    place = {label: i for i, label in enumerate(ordered)}
    of_a = np.array([place[label] for label in labels_a], dtype=np.intp)
    of_b = np.array([place[label] for label in labels_b], dtype=np.intp)
    return class_array(ordered, dtype), of_a, of_b


def label_list(classes: NDArray[Any]) -> list[Any]:
    """The labels as Python's scalars; dates stay NumPy's, whose Python values may lose the unit."""
    return list(classes) if classes.dtype.kind in DATES else classes.tolist()


def label_text(label: Any) -> str:
    """A label as a message shows it: 'a' and 3, not np.str_('a') and np.int64(3).

    Examples
    --------
    >>> label_text(np.str_("a")), label_text(np.int64(3))
    ("'a'", '3')
    """
    if isinstance(label, np.datetime64 | np.timedelta64):
        return str(label)
    return repr(label.item() if isinstance(label, np.generic) else label)


def codes_among(classes: NDArray[Any], other: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Codes into `other` as codes into `classes`; what is not among these gets code 0, and must weigh nothing."""
    if np.array_equal(classes, other):
        return codes
    merged, own, of_other = merge_classes(classes, other)
    place = np.zeros(len(merged), np.intp)
    place[own] = np.arange(len(own))
    return np.asarray(place[of_other][codes])


def _common_type(a: NDArray[Any], b: NDArray[Any]) -> np.dtype[Any]:
    """A type that holds both without changing a label."""
    if not len(a) or not len(b):
        return (a if len(a) else b).dtype
    if NUMBERS.get(a.dtype.kind, a.dtype.kind) != NUMBERS.get(b.dtype.kind, b.dtype.kind):
        return np.dtype(object)
    common = np.promote_types(a.dtype, b.dtype)
    # No integer type holds both signed and unsigned 64 bits, and a float would round them.
    rounds = common.kind == "f" and a.dtype.kind != "f" and b.dtype.kind != "f"
    return np.dtype(object) if rounds else common


_ENCODERS: dict[str, Callable[[NDArray[Any]], tuple[NDArray[np.intp], NDArray[Any]]]] = {
    "b": _encode_booleans,
    "i": _encode_integers,
    "u": _encode_integers,
    "f": _encode_floats,
    "M": _encode_dates,
    "m": _encode_dates,
    "U": _encode_objects,
    "S": _encode_objects,
    "T": _encode_objects,
    "O": _encode_objects,
}


def refuse_one_class(classes: NDArray[Any], otherwise: str = "") -> None:
    """Raise unless there are two classes at least; `otherwise` is what else may be done."""
    if len(classes) < 2:
        shown = label_text(classes[0]) if len(classes) else "none"
        raise InputError(f"y has one class only ({shown}); a classifier needs rows of two.{otherwise}")
