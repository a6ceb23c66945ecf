"""One versus the rest: a binary classifier a class, or one fewer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.linear.binary import Split, chances, scores, verdicts
from distinguo.linear.multiclass import BinaryReduction, Votes, class_code
from distinguo.rows.labels import label_text
from distinguo.rows.uncut import Uncut

Array = NDArray[np.float64]


class OneVsRestClassifier(BinaryReduction):
    r"""Many classes by binary classifiers that tell one class from all others.

    .. math:: \hat y(x) = \arg\max_k s_k(x), \qquad P(k \mid x) = p_k(x) / \textstyle\sum_j p_j(x)

    with :math:`s_k` the score and :math:`p_k` the probability that classifier k gives to its class. A classifier's
    verdict for its class is a vote. Verdicts alone leave regions where several classifiers claim a row, and regions
    where none does: `ambiguous` marks them. The comparison of scores leaves none.

    With a `baseline` there are K - 1 classifiers, and the baseline has the vote where none of them claims the row:
    its score is :math:`-\max_k s_k`, its probability before scaling :math:`1 - \max_k p_k`. Two classes need one
    classifier in either case, and the answers are its own.

    Parameters
    ----------
    estimator : a binary classifier, with `predict_proba`, or only `decision_function`, or only `predict`. It is cloned
        for each class, and sees 1 for the class and 0 for the rest.
    baseline : None for a classifier a class, or the class that has none.
    class_weight : None, "balanced" (all classes count alike), or {class: number}; multiplies `sample_weight` in each
        binary fit.
    ties : which of several classes that claim a row has it, or of all classes if none claims it: "probability"
        (default) the one of the highest score, "order" the first in `order`, "random" any.
    order : the classes, the first to win ties; goes with ties="order" only.
    random_state : seed for ties="random".

    Attributes
    ----------
    classes_ : (K,)
    estimators_ : list of fitted binary classifiers.
    positive_classes_ : (m,) the class that each of them tells from the rest.
    n_features_in_ : p, where rows have columns.
    feature_names_in_ : (p,) where all columns have names.

    See Also
    --------
    OneVsOneClassifier : a classifier for every two classes.

    Notes
    -----
    The score is the binary classifier's `decision_function`, else its log-odds. Without either ties go to the first of
    `classes_`, and there is no `decision_function`; `predict_proba` there is where the binary classifier has it. Where
    every p_k is zero, all classes get 1 / K. With ties="random" a seed gives the same answers to the same rows in
    the same order.

    Examples
    --------
    >>> from distinguo import LinearDiscriminantAnalysis, OneVsRestClassifier
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 0.0], [8.0, 0.0], [9.0, 1.0], [5.0, 9.0], [4.0, 9.0], [5.0, 8.0]]
    >>> y = ["left"] * 3 + ["right"] * 3 + ["top"] * 3
    >>> model = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    >>> model.predict([[0.0, 2.0], [4.5, 3.0]]).tolist(), model.ambiguous([[0.0, 2.0], [4.5, 3.0]]).tolist()
    (['left', 'right'], [False, True])

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.2. Rifkin and Klautau (2004), In defense of
    one-vs-all classification, Journal of Machine Learning Research 5, 101-141.
    """

    positive_classes_: NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        baseline: Any = None,
        class_weight: Any = None,
        ties: str = "probability",
        order: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.baseline = baseline
        self.class_weight = class_weight
        self.ties = ties
        self.order = order
        self.random_state = random_state

    def _splits(self, rows: Uncut) -> Iterator[Split]:
        counting = rows.counting()
        for k in _positives(self.baseline, rows.classes):
            yield Split(f"{label_text(rows.classes[k])} and the rest", counting, rows.codes == k)

    def _learn(self) -> None:
        self._positives = _positives(self.baseline, self.classes_)
        self.positive_classes_ = self.classes_[self._positives]

    def _votes(self, X: Any) -> Votes:
        claims = np.column_stack([verdicts(model, X) for model in self.estimators_])  # (n, m)
        return self._with_baseline(claims, np.asarray(~claims.any(axis=1))).astype(np.intp)

    def _contradict(self, votes: Votes) -> NDArray[np.bool_]:
        return np.asarray(votes.sum(axis=1) != 1)

    def _confidence(self, X: Any) -> Array:
        found = np.column_stack([scores(model, X) for model in self.estimators_])
        return self._with_baseline(found, -found.max(axis=1))

    def _scores(self, X: Any) -> Array:
        return self._confidence(X)

    def _probabilities(self, X: Any) -> Array:
        found = np.stack([chances(model, X) for model in self.estimators_], axis=1)  # (n, m, 2)
        p = self._with_baseline(found[..., 1], found[..., 0].min(axis=1))
        p[~p.any(axis=1)] = 1.0
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def _with_baseline(self, of_classifiers: NDArray[Any], of_baseline: NDArray[Any]) -> NDArray[Any]:
        """(n, K) from what (n, m) the classifiers say, and what (n,) follows for a class without one."""
        K = len(self.classes_)
        full = np.empty((len(of_classifiers), K), of_classifiers.dtype)
        full[:, self._positives] = of_classifiers
        for k in np.setdiff1d(np.arange(K), self._positives):
            full[:, k] = of_baseline
        return full


def _positives(baseline: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """The codes of the classes that have a classifier; of two classes one is enough."""
    every = np.arange(len(classes))
    if baseline is None:
        return every if len(classes) > 2 else every[1:]
    return np.delete(every, class_code(baseline, classes, "baseline"))
