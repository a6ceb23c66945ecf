"""What every linear classifier is: scores of the classes that are affine in the row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.hyperplane import Affine, LinearBoundaries, as_decision, decide
from distinguo.rows.base import HOLES_REFUSED
from distinguo.rows.matrix import as_sparse

Array = NDArray[np.float64]


class AffineClassifier(ClassifierMixin, LinearBoundaries, BaseEstimator):
    """Scores affine in the row, one a class; the highest takes the row. Where they come from is the model's affair."""

    def _holes_refused(self) -> str | None:
        return HOLES_REFUSED

    def _class_scores(self, X: Any) -> Array:
        """(n, K) scores of rows; sparse ones are never made dense."""
        affine = self._affine()
        if not sparse.issparse(X):
            return self._evaluate(X, affine)
        self._table(X)  # for the checks of shape and type
        matrix = as_sparse(X)
        return np.asarray(matrix @ affine.normals.T + affine.intercepts)

    def decision_function(self, X: Any) -> Array:
        """Scores of the classes.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, K), or (n,) for two classes: the second's score less the first's.
        """
        return as_decision(self._class_scores(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) of the highest score.

        Of two classes in a tie the second is taken, of more the first.
        """
        return np.asarray(self.classes_[decide(self._class_scores(X))])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(AffineClassifier):
    """Scores that `fit` works out and hands to `_learn`; the rest follows."""

    _classes: NDArray[Any]
    _scores: Affine

    def _learn(self, classes: NDArray[Any], scores: Affine, names: NDArray[Any] | None) -> None:
        """Take the scores (K,) of classes (K,) as one's own."""
        self._classes = classes
        self._scores = scores
        self._remember_columns(scores.normals.shape[1], names)

    def __sklearn_is_fitted__(self) -> bool:
        return "_scores" in vars(self)

    @property
    def classes_(self) -> NDArray[Any]:
        """(K,) the labels, in order, of the type they came in."""
        check_is_fitted(self)
        return self._classes

    def _affine(self) -> Affine:
        check_is_fitted(self)
        return self._scores


class ScoresOnly:
    """A mixin of classifiers whose scores are no log-odds, and that have no probabilities therefore.

    As properties that raise, the methods are not there for `hasattr`, and say why.
    """

    @property
    def predict_proba(self) -> Any:
        """Not there: scores are no probabilities."""
        raise AttributeError(_no_probabilities(self))

    @property
    def predict_log_proba(self) -> Any:
        """Not there: scores are no probabilities."""
        raise AttributeError(_no_probabilities(self))


def _no_probabilities(model: object) -> str:
    name = type(model).__name__
    return (
        f"{name} has no probabilities: its scores say on which side of a boundary a row lies, not how "
        f"sure that is. Use LogisticRegression, or Calibrated({name}()), which learns it from rows held out."
    )
