"""What estimators that act on a classifier's probabilities share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from distinguo.evaluation.conformal.base import OverClassifier
from distinguo.evaluation.conformal.folds import Counting
from distinguo.evaluation.truth import places_among
from distinguo.exceptions import InputTypeError
from distinguo.linear.binary import first_of

Array = NDArray[np.float64]


class OverProbabilities(ClassifierMixin, OverClassifier):
    """A classifier made of another one's probabilities."""

    model_: Any
    classes_: NDArray[Any]

    @abstractmethod
    def _learn(self, rows: Counting) -> None:
        """Take `model_` and whatever else is to be learned from rows; `classes_` are known."""

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) of each row."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model, a clone of it, and what is made of its probabilities.

        Parameters
        ----------
        X : (n, p) rows of any kind that the model takes; they are handed on in their own container.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies, handed on; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If labels, weights or options cannot be used, there are fewer than two classes, or weights are given and
            the model takes none.
        InputTypeError
            If the model is no classifier, or has no probabilities.
        """
        rows = self._rows(X, y, sample_weight)
        if not hasattr(self.model, "predict_proba"):
            raise InputTypeError(
                f"{type(self.model).__name__} has no probabilities to decide by; Calibrated(model) gives it some."
            )
        self.classes_ = rows.classes
        self._learn(rows)
        return self

    @abstractmethod
    def predict_proba(self, X: Any) -> Array:
        """P(class | x), (n, K), in the order of `classes_`."""


class HandsOn(OverProbabilities):
    """The same, where the probabilities are the model's own."""

    def predict_proba(self, X: Any) -> Array:
        """P(class | x), (n, K), in the order of `classes_`: the model's.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return probabilities_of(self.model_, X, self.classes_)

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), (n, K): the model's.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return log_probabilities_of(self.model_, X, self.classes_)


def probabilities_of(model: Any, X: Any, classes: NDArray[Any]) -> Array:
    """(n, K) probabilities of all classes, zero for those that a fitted model does not know."""
    return _among(np.asarray(model.predict_proba(X), np.float64), model, classes, 0.0)


def log_probabilities_of(model: Any, X: Any, classes: NDArray[Any]) -> Array:
    """(n, K) their logarithms, taken from the model where it has them, so that they do not end where floats do."""
    with np.errstate(divide="ignore"):
        return _among(first_of(_LOGS, model)(model, X), model, classes, -np.inf)


def _among(given: Array, model: Any, classes: NDArray[Any], otherwise: float) -> Array:
    """What a model says of its classes, in the columns that all classes have."""
    full = np.full((len(given), len(classes)), otherwise)
    full[:, places_among(classes, np.asarray(model.classes_))] = given
    return full


_LOGS: dict[str, Callable[[Any, Any], Array]] = {
    "predict_log_proba": lambda model, X: np.asarray(model.predict_log_proba(X), np.float64),
    "predict_proba": lambda model, X: np.log(np.asarray(model.predict_proba(X), np.float64)),
}
