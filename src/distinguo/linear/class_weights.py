"""How much the rows of each class count, validated in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import label_list, label_text

Array = NDArray[np.float64]


def class_weights(class_weight: Any, classes: NDArray[Any], totals: Array) -> Array | None:
    r"""What the weights of a class's rows are multiplied by, (K,); None where nothing is.

    Parameters
    ----------
    class_weight : None, "balanced" (:math:`W / (K W_k)`, so that all classes count alike), or {class: number}, in
        which a class that is not named has 1.
    classes : (K,) labels.
    totals : (K,) the weight W_k of each class.

    Raises
    ------
    InputError
        If the option is no such thing, names a class that there is not, or a number is not positive and finite.

    Examples
    --------
    >>> class_weights("balanced", np.array(["a", "b"]), np.array([3.0, 1.0])).round(2).tolist()
    [0.67, 2.0]
    >>> class_weights({"b": 5.0}, np.array(["a", "b"]), np.array([3.0, 1.0])).tolist()
    [1.0, 5.0]
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, Mapping):
        return _from_mapping(class_weight, classes)
    if not isinstance(class_weight, str):
        raise InputTypeError(
            f"class_weight is {type(class_weight).__name__}; it must be None, {_named()} or {{class: number}}."
        )
    if class_weight not in _BY_NAME:
        raise InputError(f"class_weight={class_weight!r} must be None, {_named()} or {{class: number}}.")
    return _BY_NAME[class_weight](totals)


def _balanced(totals: Array) -> Array:
    return np.asarray(totals.sum() / (len(totals) * totals))


_BY_NAME: dict[str, Callable[[Array], Array]] = {"balanced": _balanced}


def _named() -> str:
    return ", ".join(repr(name) for name in _BY_NAME)


def _from_mapping(class_weight: Mapping[Any, Any], classes: NDArray[Any]) -> Array:
    labels = label_list(classes)
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        shown = ", ".join(label_text(label) for label in labels[:12])
        raise InputError(
            f"class_weight names {label_text(unknown[0])}, which is no class of y; the classes are {shown}."
        )
    return np.array([_positive(label, class_weight.get(label, 1.0)) for label in labels], np.float64)


def _positive(label: Any, value: Any) -> float:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 < value < np.inf:
        raise InputError(
            f"class_weight of {label_text(label)} is {value!r}; it must be a positive number. To leave a class out, "
            "leave its rows out."
        )
    return float(value)
