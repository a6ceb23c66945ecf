"""One versus one: a binary classifier for every two classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.linear.binary import Split, chances, first_of, scores, verdicts
from distinguo.linear.coupling import couple
from distinguo.linear.multiclass import BinaryReduction, Votes
from distinguo.rows.labels import label_text
from distinguo.rows.uncut import Uncut

Array = NDArray[np.float64]


class OneVsOneClassifier(BinaryReduction):
    r"""Many classes by binary classifiers that tell two of them apart, each fitted on the rows of its two.

    Each of the K(K-1)/2 classifiers votes for one of its classes; the class with the most votes is predicted.
    Probabilities couple the duels (Wu, Lin and Weng, 2004): with :math:`r_{ij} = P(i \mid x, i \text{ or } j)`,

    .. math:: P(\cdot | x) = \arg\min_p \sum_i \sum_{j \ne i} (r_{ji} p_i - r_{ij} p_j)^2, \; \textstyle\sum_i p_i = 1

    Votes may contradict each other, in a circle: `ambiguous` marks the rows for which no class wins all of its K - 1
    duels, whether one has the most votes or several have. Two classes need one classifier, and the answers are its own.

    Parameters
    ----------
    estimator : a binary classifier, with `predict_proba`, or only `decision_function`, or only `predict`. It is cloned
        for each pair, and sees 0 for the first and 1 for the second class.
    class_weight : None, "balanced" (all classes count alike), or {class: number}; multiplies `sample_weight` in each
        binary fit.
    ties : which of several classes with the most votes has the row: "probability" (default) the one whose probability
        in its K - 1 duels is highest on average, "order" the first in `order`, "random" any.
    order : the classes, the first to win ties; goes with ties="order" only.
    random_state : seed for ties="random".

    Attributes
    ----------
    classes_ : (K,)
    estimators_ : list of K(K-1)/2 fitted binary classifiers.
    pairs_ : (K(K-1)/2, 2) the two classes that each of them tells apart.
    n_features_in_ : p, where rows have columns.
    feature_names_in_ : (p,) where all columns have names.

    See Also
    --------
    OneVsRestClassifier : a classifier a class.

    Notes
    -----
    `decision_function` is the votes, and a confidence between -1/3 and 1/3 that decides among equals: from the mean
    probability; without probabilities from the sum of the decision functions, as in scikit-learn. Without either,
    ties go to the first of `classes_`, and there is no `decision_function`. `predict` goes by votes, so that it may
    name another class than the one of the highest coupled probability. With ties="random" a seed gives the same
    answers to the same rows in the same order.

    Examples
    --------
    >>> from distinguo import LinearDiscriminantAnalysis, OneVsOneClassifier
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 0.0], [8.0, 0.0], [9.0, 1.0], [5.0, 9.0], [4.0, 9.0], [5.0, 8.0]]
    >>> y = ["left"] * 3 + ["right"] * 3 + ["top"] * 3
    >>> model = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    >>> model.predict([[0.0, 2.0]]).tolist(), model.votes([[0.0, 2.0]]).tolist()
    (['left'], [[2, 0, 1]])

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.2. Wu, Lin and Weng (2004), Probability
    estimates for multi-class classification by pairwise coupling, Journal of Machine Learning Research 5, 975-1005,
    section 4.2.
    """

    pairs_: NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        class_weight: Any = None,
        ties: str = "probability",
        order: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.class_weight = class_weight
        self.ties = ties
        self.order = order
        self.random_state = random_state

    def _splits(self, rows: Uncut) -> Iterator[Split]:
        codes = np.where(rows.counting(), rows.codes, -1)
        for i, j in _all_pairs(len(rows.classes)):
            names = f"{label_text(rows.classes[i])} and {label_text(rows.classes[j])}"
            yield Split(names, (codes == i) | (codes == j), codes == j)

    def _learn(self) -> None:
        self._pairs = _all_pairs(len(self.classes_))
        self.pairs_ = self.classes_[self._pairs]

    def _votes(self, X: Any) -> Votes:
        second = np.column_stack([verdicts(model, X) for model in self.estimators_])  # (n, m)
        return self._by_class(~second, second, np.intp)

    def _contradict(self, votes: Votes) -> NDArray[np.bool_]:
        return np.asarray(votes.max(axis=1) < len(self.classes_) - 1)

    def _confidence(self, X: Any) -> Array:
        return first_of(_CONFIDENCES, self.estimators_[0])(self, X)

    def _scores(self, X: Any) -> Array:
        if len(self.classes_) == 2:
            found = scores(self.estimators_[0], X)
            return np.column_stack([-found, found])
        return np.asarray(self._votes(X) + self._confidence(X))

    def _probabilities(self, X: Any) -> Array:
        return couple(*self._duels(X), self._pairs)

    def _duels(self, X: Any) -> tuple[Array, Array]:
        """(n, m) probabilities of the first and of the second class of each pair."""
        found = np.stack([chances(model, X) for model in self.estimators_], axis=1)
        return found[..., 0], found[..., 1]

    def _by_class(self, first: NDArray[Any], second: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
        """(n, K) the sums over each class's duels of what (n, m) falls to the first and to the second of a pair."""
        total = np.zeros((len(first), len(self.classes_)), kind)
        for m, (i, j) in enumerate(self._pairs):
            total[:, i] += first[:, m]
            total[:, j] += second[:, m]
        return total


def _all_pairs(K: int) -> NDArray[np.intp]:
    """(K(K-1)/2, 2) every two of K codes."""
    return np.column_stack(np.triu_indices(K, 1))


# Confidences must not outweigh a vote: they lie in (-1/3, 1/3), as in scikit-learn.


def _mean_probability(model: OneVsOneClassifier, X: Any) -> Array:
    mean = model._by_class(*model._duels(X), np.float64) / (len(model.classes_) - 1)
    return np.asarray(2 / 3 * (mean - 0.5))


def _summed_scores(model: OneVsOneClassifier, X: Any) -> Array:
    found = np.column_stack([scores(binary, X) for binary in model.estimators_])
    total = model._by_class(-found, found, np.float64)
    return np.asarray(total / (3 * (np.abs(total) + 1)))


def _nothing(model: OneVsOneClassifier, X: Any) -> Array:
    return np.zeros((len(verdicts(model.estimators_[0], X)), len(model.classes_)))


_CONFIDENCES: dict[str, Callable[[OneVsOneClassifier, Any], Array]] = {
    "predict_proba": _mean_probability,
    "decision_function": _summed_scores,
    "predict": _nothing,
}
