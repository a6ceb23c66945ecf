"""Checks of the options of logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from distinguo.exceptions import InputError

SUITS = "or None for what suits the solver."


def positive_or_none(value: Any, name: str) -> float | None:
    """A positive number, or None."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < np.inf):
        raise InputError(f"{name}={value!r} must be a positive number, {SUITS}")
    return None if value is None else float(value)


def whole_or_none(value: Any, name: str) -> int | None:
    """A whole number of at least one, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1):
        raise InputError(f"{name}={value!r} must be a whole number of at least 1, {SUITS}")
    return None if value is None else int(value)


def decay_or_none(value: Any, name: str) -> float | None:
    """A number of at least zero, or None."""
    return 0.0 if value is not None and not isinstance(value, bool) and value == 0 else positive_or_none(value, name)
