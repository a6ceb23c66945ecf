"""What every model has to beat."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from distinguo.rows.labels import encode_labels
from distinguo.rows.selection import count_rows

Array = NDArray[np.float64]


class Majority(ClassifierMixin, BaseEstimator):
    """The commonest class for every row, whatever its cells, with the classes' shares as probabilities.

    scikit-learn's `DummyClassifier` does the same for labels of one type.

    Examples
    --------
    >>> model = Majority().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> model.predict([[1.0]]).tolist(), model.predict_proba([[1.0]]).round(3).tolist()
    (['b'], [[0.333, 0.667]])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the classes."""
        codes, self.classes_ = encode_labels(y)
        self.priors_ = np.bincount(codes, sample_weight) / (
            len(codes) if sample_weight is None else sample_weight.sum()
        )
        return self

    def predict_proba(self, X: Any) -> Array:
        """The shares (n, K) of the classes."""
        return np.tile(self.priors_, (count_rows(X), 1))

    def predict(self, X: Any) -> NDArray[Any]:
        """The commonest class, (n,)."""
        return np.full(count_rows(X), self.classes_[self.priors_.argmax()])
