"""Checks of options that several models have."""

from __future__ import annotations

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
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise InputError(f"{name}={value!r} must be a number from 0 to 1, or {otherwise}.")
    return float(value)
