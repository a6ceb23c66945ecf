"""Coefficients of a fitted linear model against a base class, with intervals where it has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.linear.inference import INTERCEPT
from distinguo.plots.subject import Subject
from distinguo.rows.labels import label_list, label_text

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimates:
    """Coefficients of m = K - 1 classes against a base.

    Attributes
    ----------
    terms : (t,) columns, and perhaps "(intercept)" before them.
    others : (m,) which classes, by number.
    base : number of the class they are held against.
    estimate : (m, t) infinite where maximum likelihood has no finite answer.
    low, high : (m, t) ends of intervals; NaN where there is none.
    intervals : what the intervals are, or "" without.
    """

    terms: list[str]
    others: list[int]
    base: int
    estimate: Array
    low: Array
    high: Array
    intervals: str

    def of(self, columns: list[int]) -> Estimates:
        """Those of some terms."""
        estimate, low, high = (part[:, columns] for part in (self.estimate, self.low, self.high))
        return replace(self, terms=[self.terms[t] for t in columns], estimate=estimate, low=low, high=high)

    def times(self, scale: Array) -> Estimates:
        """Those per so many units (t,) of each column."""
        return replace(self, estimate=self.estimate * scale, low=self.low * scale, high=self.high * scale)


def estimates(subject: Subject, kind: Any, level: float, base: Any) -> Estimates:
    """The intercept and the coefficients of all columns, by a way of having intervals."""
    if not (kind is None or isinstance(kind, str)) or kind not in _WAYS:
        raise InputError(f"kind={kind!r} is not known; use one of {', '.join(map(repr, _WAYS))}.")
    return _WAYS[kind](subject, level, 0 if base is None else _place(subject, base))


def _place(subject: Subject, label: Any) -> int:
    """The number of a class."""
    labels = label_list(subject.classes)
    if label not in labels:
        raise InputError(f"base={label!r} is no class; they are {', '.join(map(label_text, labels[:12]))}.")
    return labels.index(label)


def _without(subject: Subject, _: float, base: int) -> Estimates:
    """Coefficients of any linear model, without intervals."""
    coefficients = np.atleast_2d(subject.attribute("coef_", "only linear models have coefficients."))
    intercepts = np.atleast_1d(subject.attribute("intercept_", "only linear models have coefficients."))
    scores = np.column_stack([intercepts, coefficients])
    if len(scores) == 1:  # of two classes, the second's less the first's
        scores = np.vstack([np.zeros_like(scores), scores])
    others = [k for k in range(len(scores)) if k != base]
    values = scores[others] - scores[base]
    missing = np.full_like(values, np.nan)
    return Estimates([INTERCEPT, *subject.names], others, base, values, missing, missing, "")


def _inferred(kind: str) -> Callable[[Subject, float, int], Estimates]:
    """Coefficients and intervals of maximum likelihood."""

    def way(subject: Subject, level: float, base: int) -> Estimates:
        intervals = subject.attribute("confidence_intervals", "it has no intervals; use kind=None.")
        table = intervals(kind=kind, level=level, base=subject.classes[base] if base else None)
        others = [k for k in range(len(subject.classes)) if k != base]
        estimate, low, high = (part.reshape(len(others), -1) for part in (table.estimate, table.low, table.high))
        terms = [str(term) for term in table.term[: len(table.term) // len(others)]]
        return Estimates(terms, others, base, estimate, low, high, f"{100 * level:g}% {_SHOWN[kind]}")

    return way


def _where_known(subject: Subject, level: float, base: int) -> Estimates:
    """Wald's intervals where nothing was penalised; else none."""
    is_likelihood = hasattr(subject.model, "confidence_intervals") and np.isinf(getattr(subject.model, "C_", 0.0))
    return _WAYS["wald" if is_likelihood else None](subject, level, base)


_SHOWN = {"wald": "intervals (Wald)", "profile": "intervals (profile likelihood)"}
_WAYS: dict[str | None, Callable[[Subject, float, int], Estimates]] = {
    "auto": _where_known,
    "wald": _inferred("wald"),
    "profile": _inferred("profile"),
    None: _without,
}
