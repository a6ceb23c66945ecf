"""How common each class is, before the row is seen: the one place where priors are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.labels import label_list, label_text
from distinguo.rows.validation import real_numbers

# As in R's MASS: five decimals, so that (.33, .33, .34) written by hand passes and a forgotten class does not.
SUM_TOLERANCE = 1e-5


def resolve_priors(
    priors: Any, classes: NDArray[Any], weight: NDArray[np.float64], name: str = "priors"
) -> NDArray[np.float64]:
    """Priors (K,) that sum to one.

    Parameters
    ----------
    priors : None for the classes' shares of the rows, "uniform", (K,) numbers in the order of `classes`, or a
        dictionary from class to number.
    classes : (K,)
    weight : (K,) rows of each class.
    name : of the option, for messages.

    Raises
    ------
    InputError
        If a prior is negative, not finite, of an unknown class, missing, or the sum is not one.

    Examples
    --------
    >>> resolve_priors({"b": 0.25, "a": 0.75}, np.array(["a", "b"]), np.array([1.0, 1.0])).tolist()
    [0.75, 0.25]
    """
    if priors is None:
        return np.asarray(weight / weight.sum())
    if isinstance(priors, str):
        return _named(priors, len(classes), name)
    values = _by_class(priors, classes, name) if isinstance(priors, Mapping) else _numbers(priors, name)
    if values.shape != classes.shape:
        raise InputError(f"{name} has shape {values.shape} for {len(classes)} classes; give one number a class.")
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise InputError(f"{name} must be non-negative numbers; class {label_text(classes[k])} has {values[k]}.")
    total = values.sum()
    if abs(total - 1) > SUM_TOLERANCE:
        raise InputError(f"{name} must sum to 1, and these sum to {total:.6g}; divide them by their sum.")
    return np.asarray(values / total)


def _named(value: str, K: int, name: str) -> NDArray[np.float64]:
    if value != "uniform":
        raise InputError(f"{name}={value!r} is not known; use None, 'uniform', one number a class, or a dictionary.")
    return np.full(K, 1 / K)


def _numbers(priors: Any, name: str) -> NDArray[np.float64]:
    return real_numbers(
        priors, f"{name} must be None, 'uniform', one number a class, or a dictionary; it is {priors!r}."
    )


def _by_class(priors: Mapping[Any, float], classes: NDArray[Any], name: str) -> NDArray[np.float64]:
    known = label_list(classes)
    unknown = [label for label in priors if label not in known]
    if unknown:
        shown = ", ".join(map(label_text, known[:10])) + (", ..." if len(known) > 10 else "")
        raise InputError(f"{name} names the class {label_text(unknown[0])}; the classes are {shown}.")
    missing = [label for label in known if label not in priors]
    if missing:
        raise InputError(
            f"{name} has no number for the class {label_text(missing[0])}; name every class, with 0 where you mean it."
        )
    return _numbers([priors[label] for label in known], name)
