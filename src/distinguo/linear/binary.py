"""What is asked of a binary classifier, whichever library it comes from; its classes are the codes 0 and 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from distinguo.exceptions import InputTypeError
from distinguo.rows.selection import count_rows, take_rows

Array = NDArray[np.float64]
Rows = NDArray[np.bool_]
F = TypeVar("F")


@dataclass(frozen=True)
class Split:
    """One binary problem.

    Attributes
    ----------
    name : what is told apart, for messages.
    members : (n,) the rows that take part.
    positive : (n,) those that are of code 1.
    """

    name: str
    members: Rows
    positive: Rows


def check_binary(estimator: Any) -> None:
    """Raise unless this can be cloned, fitted and asked for classes."""
    usable = hasattr(estimator, "fit") and hasattr(estimator, "predict") and not isinstance(estimator, type)
    if not usable or is_regressor(estimator):
        name = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        kind = (
            "a class" if isinstance(estimator, type) else "a regressor" if usable else "nothing that fits and predicts"
        )
        raise InputTypeError(
            f"estimator must be a binary classifier, such as LinearDiscriminantAnalysis(); {name} is {kind}."
        )


def fit_split(estimator: Any, X: Any, split: Split, params: Mapping[str, Any]) -> Any:
    """A fitted clone; where all rows take part, X is handed on as the object it is.

    Parameters
    ----------
    X : n rows of any container.
    params : for the classifier's `fit`; those that have an entry a row are cut like the rows.
    """
    rows = np.flatnonzero(split.members)
    if len(rows) < len(split.members):
        X = take_rows(X, rows)
        params = {name: _cut(value, rows, len(split.members)) for name, value in params.items()}
    try:
        return clone(estimator).fit(X, split.positive[rows].astype(np.intp), **params)
    except Exception as error:
        error.add_note(f"This happened while {split.name} were told apart.")
        raise


def _cut(value: Any, rows: NDArray[np.intp], n: int) -> Any:
    """The entries of some rows, of a parameter that has one a row; any other as it is."""
    if not isinstance(value, list | tuple) and not getattr(value, "shape", None):
        return value
    return take_rows(value, rows) if count_rows(value) == n else value


def verdicts(model: Any, X: Any) -> Rows:
    """(n,) whether the classifier says 1."""
    return np.asarray(np.asarray(model.predict(X)) == 1)


def chances(model: Any, X: Any) -> Array:
    """(n, 2) probabilities of 0 and of 1."""
    return np.asarray(model.predict_proba(X), np.float64)


def scores(model: Any, X: Any) -> Array:
    """(n,) how much speaks for 1: the decision function, else the log-odds, else nothing."""
    return first_of(_SCORES, model)(model, X)


def first_of(ways: Mapping[str, F], model: Any) -> F:
    """The first of some ways, by name of the method it needs, that the classifier can go."""
    return next(way for name, way in ways.items() if hasattr(model, name))


def _decision(model: Any, X: Any) -> Array:
    return np.asarray(model.decision_function(X), np.float64).reshape(-1)


def _log_odds(model: Any, X: Any) -> Array:
    # Scores are finite, which scikit-learn's metrics ask of them, where a probability is zero.
    logs = np.log(np.maximum(chances(model, X), np.finfo(np.float64).tiny))
    return np.asarray(logs[:, 1] - logs[:, 0])


def _nothing(model: Any, X: Any) -> Array:
    return np.zeros(len(verdicts(model, X)))


_SCORES: dict[str, Callable[[Any, Any], Array]] = {
    "decision_function": _decision,
    "predict_proba": _log_odds,
    "predict": _nothing,
}
