"""Classes made equally common for the fit, and as common as they are for the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils.validation import has_fit_parameter

from distinguo.evaluation.conformal.folds import Counting
from distinguo.evaluation.decisions.over_probabilities import OverProbabilities, log_probabilities_of
from distinguo.exceptions import InputError
from distinguo.hyperplane import decide
from distinguo.linear.binary import first_of
from distinguo.linear.class_weights import class_weights
from distinguo.options import generator_of, one_of
from distinguo.priors import resolve_priors

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class Balanced(OverProbabilities):
    r"""A classifier that learns from classes made equally common, and answers for classes as common as they are.

    The model is fitted on balanced rows, in which class k has the share :math:`\pi'_k`, and its posteriors then become
    those of the true shares :math:`\pi_k`,

    .. math:: P(k | x) \propto P'(k | x)\, \pi_k / \pi'_k

    A generative model of this library is given the priors instead (`with_priors`), which is the same by Bayes' rule;
    for logistic regression it moves the intercepts by :math:`\log \pi_k / \pi'_k`. What balancing changes is where a
    model that cannot be right everywhere is wrong, and how many rows it learns from; not how common classes are. So a
    rare class is not called more often: say what missing it costs (`CostSensitive`), or move the threshold
    (`Thresholded`).

    Balancing takes place in `fit`, and so in cross-validation among the training rows of each fold alone.

    Parameters
    ----------
    model : a classifier with `predict_proba`. It is cloned.
    method : "weights" (rows of a class weigh :math:`n / (K n_k)`; needs a model that takes `sample_weight`), "under"
        (as many rows of each class as the rarest has, drawn without replacement) or "over" (as many as the commonest
        has: all of a class, and more of them drawn again).
    priors : how common the classes are where the model is used: None (as in the rows of the fit), "uniform", (K,)
        numbers in the order of the sorted classes, or {class: number}.
    random_state : of the draws.

    Attributes
    ----------
    classes_ : (K,)
    model_ : the fitted model.
    priors_ : (K,) how common each class is taken to be.
    balanced_priors_ : (K,) shares of the classes among the rows that the model learned from.
    n_features_in_ : p, where rows have columns.
    feature_names_in_ : (p,) where all columns have names.

    Notes
    -----
    Drawing counts rows, whatever they weigh; their weights come along.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import Balanced, LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> y = np.where(rng.random(2000) < 0.05, "ill", "well")
    >>> X = rng.normal(np.where(y == "ill", 2.0, 0.0)[:, None], size=(2000, 1))
    >>> model = Balanced(LinearDiscriminantAnalysis(), "under").fit(X, y)
    >>> model.balanced_priors_.tolist(), model.priors_.round(3).tolist()
    ([0.5, 0.5], [0.055, 0.945])
    >>> model.predict_proba(X).mean(axis=0).round(3).tolist()
    [0.054, 0.946]

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, theorem 2. King and Zeng (2001), Logistic
    regression in rare events data, Political Analysis 9, 137-163, section 4.1. Saerens, Latinne and Decaestecker
    (2002), Adjusting the outputs of a classifier to new a priori probabilities, Neural Computation 14, 21-41.
    """

    priors_: Array
    balanced_priors_: Array

    def __init__(self, model: Any, method: str = "weights", *, priors: Any = None, random_state: Any = 0) -> None:
        self.model = model
        self.method = method
        self.priors = priors
        self.random_state = random_state

    def takes_weights(self, weight: Array) -> bool:
        """Whether the model can be given weights, and asks for them where scikit-learn routes metadata."""
        return has_fit_parameter(self.model, "sample_weight") and self._hands_on(weight)

    def _learn(self, rows: Counting) -> None:
        balance = _METHODS[one_of(self.method, "method", _METHODS)]
        self.priors_ = resolve_priors(self.priors, rows.classes, _totals(rows))
        balanced = balance(rows, self)
        self.balanced_priors_ = _totals(balanced) / _totals(balanced).sum()
        restore = first_of(_RESTORING, self.model)
        self.model_, self._shift = restore(balanced.fit(self.model), self.priors_, self.balanced_priors_)

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), (n, K), for classes as common as `priors_` says.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = log_probabilities_of(self.model_, X, self.classes_) + self._shift
            logs -= logsumexp(logs, axis=1, keepdims=True)
            # A row that only classes of prior zero may have gets the priors.
            return np.where(np.isnan(logs).any(axis=1, keepdims=True), np.log(self.priors_), logs)

    def predict_proba(self, X: Any) -> Array:
        """P(class | x), (n, K), for classes as common as `priors_` says.

        Parameters
        ----------
        X : (n, p)
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) of the highest probability; of two in a tie the second, of more the first.

        Parameters
        ----------
        X : (n, p)
        """
        logs = self.predict_log_proba(X)
        return np.asarray(self.classes_[decide(logs)])


def _totals(rows: Counting) -> Array:
    """(K,) the weight of each class."""
    return np.bincount(rows.codes, rows.weights(), len(rows.classes)).astype(np.float64)


def _weigh(rows: Counting, model: Balanced) -> Counting:
    """All rows, those of each class weighing as much as those of any other."""
    by_class = class_weights("balanced", rows.classes, _totals(rows))
    assert by_class is not None
    weight = rows.weights() * by_class[rows.codes]
    if not model.takes_weights(weight):
        raise InputError(
            f"{type(model.model).__name__} is given no sample_weight, by which method='weights' balances classes; use "
            "method='under' or 'over', or a classifier that takes weights."
        )
    return replace(rows, weight=weight, weighs=True)


def _under(rows: Counting, model: Balanced) -> Counting:
    """As many rows of each class as the rarest has."""
    generator, least = generator_of(model.random_state), int(np.bincount(rows.codes).min())
    drawn = [generator.permutation(of_class)[:least] for of_class in _by_class(rows)]
    return rows.take(np.sort(np.concatenate(drawn)))


def _over(rows: Counting, model: Balanced) -> Counting:
    """All rows, and some again, until each class has as many as the commonest."""
    generator, most = generator_of(model.random_state), int(np.bincount(rows.codes).max())
    drawn = [np.append(of_class, generator.choice(of_class, most - len(of_class))) for of_class in _by_class(rows)]
    return rows.take(np.sort(np.concatenate(drawn)))


def _by_class(rows: Counting) -> list[Codes]:
    return [np.flatnonzero(rows.codes == k) for k in range(len(rows.classes))]


def _by_bayes(model: Any, priors: Array, balanced: Array) -> tuple[Any, Array]:
    """A model that knows of priors is given other ones."""
    return model.with_priors(priors), np.zeros(len(priors))


def _by_shift(model: Any, priors: Array, balanced: Array) -> tuple[Any, Array]:
    """The model as it is, and what its log posteriors are moved by."""
    with np.errstate(divide="ignore"):
        return model, np.log(priors) - np.log(balanced)


_METHODS: dict[str, Callable[[Counting, Balanced], Counting]] = {"weights": _weigh, "under": _under, "over": _over}
# By the first method that the model has.
_RESTORING: dict[str, Callable[[Any, Array, Array], tuple[Any, Array]]] = {
    "with_priors": _by_bayes,
    "predict_proba": _by_shift,
}
