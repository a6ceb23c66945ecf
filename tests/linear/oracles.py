"""Binary classifiers that find their answers written in the rows: what votes come to can then be worked out by hand.

A row of K classes begins with its class and goes on with the K × K probabilities that class j wins against class k, at
1 + jK + k; on the diagonal, that class j wins against the rest.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted


class Reading(ClassifierMixin, BaseEstimator):
    """Fitted, it knows the class for which it says 1, and the one for which it says 0, or the rest."""

    def fit(self, X, y):
        K = int(np.sqrt(np.shape(X)[1] - 1))
        own, others = np.unique(X[y == 1, 0]).astype(int), np.unique(X[y == 0, 0]).astype(int)
        (j,), k = own, others[0] if len(others) == 1 else own[0]
        self.classes_ = np.array([0, 1])
        self.column_ = 1 + j * K + k
        return self

    def _chance(self, X):
        check_is_fitted(self)
        return np.asarray(X)[:, self.column_]

    def predict(self, X):
        return (self._chance(X) >= 0.5).astype(int)


class WithProbabilities(Reading):
    def predict_proba(self, X):
        return np.column_stack([1 - self._chance(X), self._chance(X)])


class WithScores(Reading):
    def decision_function(self, X):
        return self._chance(X) - 0.5


def row(own, duels=None, rest=None, K=3):
    """A row of class `own`; duels {(j, k): probability that j wins}, and rest (K,) that j wins against the rest."""
    cells = np.full((K, K), 0.5)
    for (j, k), p in (duels or {}).items():
        cells[j, k], cells[k, j] = p, 1 - p
    np.fill_diagonal(cells, 0.5 if rest is None else rest)
    return np.concatenate([[own], cells.ravel()])


TRAINING = np.stack([row(k) for k in (0, 1, 2)])
