"""Checks of options that several models have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from distinguo.exceptions import InputError


def is_left_to_cv(value: Any) -> bool:
    """Whether an option is to be chosen by cross-validation.

    Examples
    --------
    >>> is_left_to_cv("cv"), is_left_to_cv(0.5)
    (True, False)
    """
    return isinstance(value, str) and value == "cv"


def generator_of(random_state: Any) -> np.random.Generator:
    """Where random numbers come from: a seed, a generator as it is, or None for other numbers each time.

    Examples
    --------
    >>> int(generator_of(0).integers(100))
    85
    """
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"random_state={random_state!r} must be a whole number of at least 0, None, or a NumPy generator."
        ) from None


def share_of(value: Any, name: str, otherwise: str) -> float:
    """A number in [0, 1]; the message names the option and what else it may be.

    Examples
    --------
    >>> share_of(1, "shrinkage", "'cv'")
    1.0
    """
    if not _is_number(value) or not 0 <= value <= 1:
        raise InputError(f"{name}={value!r} must be a number from 0 to 1, or {otherwise}.")
    return float(value)


def positive(value: Any, name: str) -> float:
    """A finite number above zero.

    Examples
    --------
    >>> positive(0.5, "eta0")
    0.5
    """
    if not _is_number(value) or not 0 < value < float("inf"):
        raise InputError(f"{name}={value!r} must be a number above 0.")
    return float(value)


def counting(value: Any, name: str) -> int:
    """A whole number of at least one.

    Examples
    --------
    >>> counting(100, "max_iter")
    100
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name}={value!r} must be a whole number of at least 1.")
    return int(value)


def truth(value: Any, name: str) -> bool:
    """True or False.

    Examples
    --------
    >>> truth(True, "shuffle")
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}={value!r} must be True or False.")
    return bool(value)


def one_of(value: Any, name: str, known: Iterable[str]) -> str:
    """One of the names that an option may have.

    Examples
    --------
    >>> one_of("oas", "shrinkage", ["oas", "ledoit-wolf"])
    'oas'
    """
    names = list(known)
    if not isinstance(value, str) or value not in names:
        raise InputError(f"{name}={value!r} is not known; use {' or '.join(map(repr, names))}.")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
