"""The options of MARS, checked, with their defaults and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from distinguo.exceptions import InputError
from distinguo.features.mars_terms import Term

# Friedman (1991), section 3.8: the chance of a run of noise that looks like a bend.
ALPHA = 0.05
# How much further an interaction's knots keep from the ends, as a multiple of the distance that holds for others.
INTERACTION_END = 3


@dataclass(frozen=True)
class Growth:
    """How terms are added; see `Mars` for the meaning of each."""

    degree: int
    max_terms: int
    penalty: float
    threshold: float
    min_span: int | None
    end_span: int | None
    fast_k: int
    fast_beta: float

    def first_and_span(self, total: float, p: int, live: float, parent: Term) -> tuple[float, float, float]:
        """Rows above the first knot, between knots and below the last, under a parent with that many live rows."""
        span = self.min_span or max(1, int(-np.log2(-np.log1p(-ALPHA) / (p * max(live, 1.0))) / 2.5))
        end = self.end_span or int(3 - np.log2(ALPHA / p))
        if parent.hinges:
            end *= INTERACTION_END
        end = max(0, min(end, int(total / 2) - 1))
        # What a whole number of spans leaves over is shared between the two ends.
        over = max(total - 2 * end - 1, 0) % span
        return end + np.ceil(over / 2), span, end


def checked(
    p: int,
    *,
    degree: int,
    max_terms: int | None,
    penalty: float | None,
    threshold: float,
    min_span: int | None,
    end_span: int | None,
    fast_k: int,
    fast_beta: float,
) -> Growth:
    """The options for p columns; raises where one cannot be used."""
    _check_whole("degree", degree, 1)
    if max_terms is None:
        max_terms = min(200, max(20, 2 * p)) + 1
    if penalty is None:
        penalty = 3.0 if degree > 1 else 2.0
    _check_whole("max_terms", max_terms, 1)
    _check_number("penalty", penalty)
    _check_number("threshold", threshold)
    for name, value in (("min_span", min_span), ("end_span", end_span)):
        if value is not None:
            _check_whole(name, value, 1)
    _check_whole("fast_k", fast_k, 0)
    _check_number("fast_beta", fast_beta)
    return Growth(degree, max_terms, penalty, threshold, min_span, end_span, fast_k, fast_beta)


def _check_whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} must be a whole number, at least {least}; it is {value!r}.")


def _check_number(name: str, value: Any) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < np.inf:
        raise InputError(f"{name} must be a number, zero or more; it is {value!r}.")
