"""How strange a row would be as a member of each class, in the eyes of a model: by its posterior, or its density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.calibration.scores import codes_of, leads, log_odds, scores_of, spread
from distinguo.exceptions import InputError
from distinguo.linear.binary import first_of

Array = NDArray[np.float64]


class Look(ABC):
    """A way to look at rows; all it gives has a column for each of K classes, those that a model lacks included."""

    @abstractmethod
    def strangeness(self, model: Any, X: Any, classes: NDArray[Any]) -> Array:
        """(n, K) the higher, the stranger; infinite for a class that cannot have the row."""

    @abstractmethod
    def left_out(self, model: Any, X: Any, y: Any, weight: Array | None, classes: NDArray[Any]) -> Array:
        """(n, K) the same of rows that the model was fitted on, each as if it had not been there."""


class Posteriors(Look):
    """The log odds against a class.

    They order classes and rows as one less the posterior does, and tell 1 - 1e-20 from 1. Of models without posteriors
    scores stand for their logarithms.
    """

    def strangeness(self, model: Any, X: Any, classes: NDArray[Any]) -> Array:
        """(n, K)"""
        return _against(scores_of(model, X), model, classes)

    def left_out(self, model: Any, X: Any, y: Any, weight: Array | None, classes: NDArray[Any]) -> Array:
        """(n, K)"""
        demand(model, "leave_one_out", "method='leave-one-out'", "Use method='cross'.")
        with np.errstate(divide="ignore"):
            return _against(first_of(_LEFT_OUT, model)(model, X, y, weight), model, classes)


class ClassDensities(Look):
    """Minus log p(x | class): no other class has a say, so a row may be strange to all."""

    def strangeness(self, model: Any, X: Any, classes: NDArray[Any]) -> Array:
        """(n, K)"""
        demand(model, "class_log_density", "the density of classes", WITH_DENSITY)
        return _unlikely(model.class_log_density(X), model, classes)

    def left_out(self, model: Any, X: Any, y: Any, weight: Array | None, classes: NDArray[Any]) -> Array:
        """(n, K)"""
        demand(model, "class_log_density", "the density of classes", WITH_DENSITY)
        demand(model, "leave_one_out_log_density", "method='leave-one-out'", "Use method='cross'.")
        return _unlikely(model.leave_one_out_log_density(X, y, sample_weight=weight), model, classes)


LOOKS: dict[str, Look] = {"posterior": Posteriors(), "density": ClassDensities()}
WITH_DENSITY = "Use a model that describes its classes, such as LinearDiscriminantAnalysis or GaussianNB."


def demand(model: Any, method: str, what: str, remedy: str) -> None:
    """Raise, in the model's own words where it has some, unless it has a method."""
    if callable(getattr(model, method, None)):
        return
    try:
        getattr(model, method)
    except AttributeError as error:
        why = f": {error.__cause__}" if error.__cause__ else ""
        raise InputError(
            f"{what} needs a model with {method}; {type(model).__name__} has none{why}. {remedy}"
        ) from None


def _against(scores: Array, model: Any, classes: NDArray[Any]) -> Array:
    """(n, K) log odds against each class from scores of those that the model knows."""
    logs = leads(spread(scores, codes_of(model, classes), len(classes)))
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = log_odds(logs)
    sure = np.where(logs == 0, -np.inf, np.inf)  # of rows that one class alone can have
    return np.where(np.isnan(odds), sure, -odds)


def _unlikely(logs: Array, model: Any, classes: NDArray[Any]) -> Array:
    """(n, K) minus log densities; infinite where they are no number, or the model does not know the class."""
    known = spread(logs, codes_of(model, classes), len(classes))
    return np.where(np.isnan(known), np.inf, -known)


def _in_logs(model: Any, X: Any, y: Any, weight: Array | None) -> Array:
    return np.asarray(model.leave_one_out_log_proba(X, y, sample_weight=weight))


def _of_shares(model: Any, X: Any, y: Any, weight: Array | None) -> Array:
    return np.asarray(np.log(model.leave_one_out(X, y, sample_weight=weight)))


def _of_scores(model: Any, X: Any, y: Any, weight: Array | None) -> Array:
    return np.asarray(model.leave_one_out(X, y, sample_weight=weight))


# Scores of rows left out, on the scale of those that `scores_of` gives, by a method that the model must have.
_LEFT_OUT: dict[str, Callable[[Any, Any, Any, Array | None], Array]] = {
    "leave_one_out_log_proba": _in_logs,
    "predict_proba": _of_shares,
    "leave_one_out": _of_scores,
}
