"""What a fitted classifier says of rows, in logarithms: scores of the classes, and how much it has seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.linear.binary import first_of
from distinguo.rows.labels import merge_classes

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


def scores_of(model: Any, X: Any) -> Array:
    """(n, k) scores of the model's classes, up to a constant of the row; minus infinity where one is impossible.

    They are log posteriors, and where a model has none, its decision function, whatever its scale.

    Raises
    ------
    InputTypeError
        If the model has neither.
    InputError
        If scores are NaN, or not one a class.
    """
    if not any(hasattr(model, name) for name in _SCORES):
        raise InputTypeError(
            f"model must have predict_log_proba, decision_function or predict_proba; {type(model).__name__} has none."
        )
    with np.errstate(divide="ignore"):
        found = first_of(_SCORES, model)(model, X)
    name, classes = type(model).__name__, len(model.classes_)
    if found.shape[1:] != (classes,):
        raise InputError(
            f"{name} has {classes} classes and scores of shape {found.shape}; there must be one score a class, as "
            "decision_function_shape='ovr' gives them."
        )
    if np.isnan(found).any():
        raise InputError(f"{name} gives row {int(np.isnan(found).any(axis=1).argmax())} a score that is NaN.")
    return found


def codes_of(model: Any, classes: NDArray[Any]) -> Codes:
    """(k,) where the model's classes stand among all classes (K,).

    Raises
    ------
    InputError
        If one of them is not there.
    """
    own = np.asarray(model.classes_)
    merged, of_own, of_all = merge_classes(own, classes)
    place = np.full(len(merged), -1)
    place[of_all] = np.arange(len(classes))
    if len(merged) > len(classes):
        raise InputError(f"{type(model).__name__} knows classes {own.tolist()} where {classes.tolist()} were expected.")
    return np.asarray(place[of_own])


def spread(scores: Array, codes: Codes, K: int) -> Array:
    """(n, K) scores of all classes, those that a model does not know being impossible."""
    if np.array_equal(codes, np.arange(K)):
        return scores
    result = np.full((len(scores), K), -np.inf)
    result[:, codes] = scores
    return result


def leads(scores: Array) -> Array:
    """(n, K) how far each score is above the highest of its row: zero or less.

    Examples
    --------
    >>> leads(np.array([[1.0, 3.0], [0.0, np.inf], [-np.inf, -800.0]])).tolist()
    [[-2.0, 0.0], [-inf, 0.0], [-inf, 0.0]]
    """
    highest = scores.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        found = scores - highest
    return np.where(np.isfinite(highest), found, np.where(scores == highest, 0.0, -np.inf))


def log_odds(logs: Array) -> Array:
    """(n, K) log odds of each class against all others, from leads (n, K); nothing is lost near zero and one.

    Examples
    --------
    >>> log_odds(np.array([[0.0, -1000.0]])).tolist()
    [[1000.0, -1000.0]]
    """
    rows, top = np.arange(len(logs)), logs.argmax(axis=1)
    others = logs.copy()
    others[rows, top] = -np.inf
    second = others.max(axis=1)
    parts = np.exp(others)
    found = logs - np.log1p(np.maximum(parts.sum(axis=1, keepdims=True) - parts, 0.0))
    found[rows, top] = -second - np.log(np.exp(others - second[:, None]).sum(axis=1))
    return np.asarray(found)


def evidence_of(model: Any, X: Any) -> Array | None:
    """(n,) how much a fitted model sees of each row, if it tells; pipelines and searches ask what they hold."""
    if not any(hasattr(model, name) for name in _EVIDENCE):
        return None
    return first_of(_EVIDENCE, model)(model, X)


def checked_evidence(found: Any, n: int) -> Array:
    """(n,) evidence that a function gave.

    Raises
    ------
    InputError
        If it is not one number of at least 0 a row.
    """
    evidence = np.asarray(found)
    if evidence.dtype.kind not in "iufb" or evidence.shape not in {(n,), (n, 1)}:
        raise InputError(
            f"evidence must give one number a row, ({n},); it gave {evidence.dtype} of shape {evidence.shape}."
        )
    evidence = evidence.astype(np.float64).reshape(n)
    if not np.isfinite(evidence).all() or (evidence < 0).any():
        row = int((~np.isfinite(evidence) | (evidence < 0)).argmax())
        raise InputError(f"evidence must be at least 0 and finite; it is {evidence[row]:g} in row {row}.")
    return evidence


def _log_posteriors(model: Any, X: Any) -> Array:
    return np.asarray(model.predict_log_proba(X), np.float64)


def _decisions(model: Any, X: Any) -> Array:
    found = np.asarray(model.decision_function(X), np.float64)
    return np.column_stack([np.zeros(len(found)), found]) if found.ndim == 1 else found


def _logs_of_posteriors(model: Any, X: Any) -> Array:
    return np.asarray(np.log(np.asarray(model.predict_proba(X), np.float64)))


def _own_evidence(model: Any, X: Any) -> Array | None:
    return np.asarray(model.evidence(X))


def _last_steps_evidence(model: Any, X: Any) -> Array | None:
    return evidence_of(model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X)


_SCORES: dict[str, Callable[[Any, Any], Array]] = {
    "predict_log_proba": _log_posteriors,
    "decision_function": _decisions,
    "predict_proba": _logs_of_posteriors,
}
_EVIDENCE: dict[str, Callable[[Any, Any], Array | None]] = {
    "evidence": _own_evidence,
    "steps": _last_steps_evidence,
    "best_estimator_": lambda model, X: evidence_of(model.best_estimator_, X),
}
