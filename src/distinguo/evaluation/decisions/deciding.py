"""Decisions that cost least: of probabilities, and as a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.conformal.folds import Counting
from distinguo.evaluation.decisions.costs import REJECTED, Costs, cost_of_rejection
from distinguo.evaluation.decisions.over_probabilities import HandsOn
from distinguo.rows.labels import label_array

Array = NDArray[np.float64]


def decide(probabilities: Any, costs: Any, *, classes: Any = None, reject: float | None = None) -> NDArray[Any]:
    r"""The decisions that cost least on average, given how probable each class is.

    .. math:: \hat y(x) = \arg\min_j \sum_i P(i | x)\, C_{ij}

    Where every error costs one, that is the most probable class. Costs speak of probabilities: where these are too
    high or too low, calibrate them first.

    Parameters
    ----------
    probabilities : (n, K) that sum to one in each row.
    costs : `Costs`, or what `Costs.of` takes: (K, K) numbers with a row a true class and a column a decision, a
        dictionary {true class: {decision: cost}}, or a frame.
    classes : (K,) the classes of the columns of `probabilities`, such as a model's `classes_`; None for the order of
        the costs.
    reject : what it costs to decide nothing; None where that is not possible.

    Returns
    -------
    Labels (n,); with `reject` as objects, None where even the best decision costs more.

    Raises
    ------
    InputError
        If probabilities, costs or classes cannot be used, or do not go together.

    Examples
    --------
    >>> costs = {"well": {"ill": 1}, "ill": {"well": 20}}
    >>> decide([[0.99, 0.01], [0.9, 0.1]], costs).tolist()
    ['well', 'ill']
    >>> decide([[0.99, 0.01], [0.9, 0.1]], costs, reject=0.5).tolist()
    ['well', None]

    References
    ----------
    Duda, Hart and Stork (2001), Pattern Classification, section 2.2. Elkan (2001), The foundations of cost-sensitive
    learning, IJCAI. Chow (1970), IEEE Transactions on Information Theory 16, 41-46.
    """
    return Costs.of(costs, classes).decide(probabilities, reject)


class CostSensitive(HandsOn):
    r"""A classifier that decides for what costs least, :math:`\arg\min_j \sum_i P(i | x)\, C_{ij}`.

    Parameters
    ----------
    model : a classifier with `predict_proba`. It is cloned.
    costs : None, every error costs one; or what `Costs.of` takes, with a row a true class and a column a decision:
        numbers in the order of the sorted classes, a dictionary {true class: {decision: cost}}, a frame or `Costs`.
    reject : what it costs to decide nothing; None where that is not possible. `predict` then says None of rows for
        which every decision costs more.

    Attributes
    ----------
    classes_ : (K,)
    model_ : the fitted model, whose probabilities are handed on as they are.
    costs_ : `Costs` in the order of `classes_`.
    n_features_in_ : p, where rows have columns.
    feature_names_in_ : (p,) where all columns have names.

    See Also
    --------
    decide : the same of probabilities.
    Calibrated : probabilities that costs can be held against.

    Examples
    --------
    >>> from distinguo import CostSensitive, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [2.5], [3.5], [4.5]], ["well"] * 3 + ["ill"] * 3
    >>> model = CostSensitive(GaussianNB(), {"well": {"ill": 1}, "ill": {"well": 20}}, reject=0.9).fit(X, y)
    >>> model.model_.predict([[1.0], [1.6], [2.0]]).tolist(), model.predict([[1.0], [1.6], [2.0]]).tolist()
    (['well', 'well', 'well'], ['well', None, 'ill'])
    >>> model.risk([[1.6]]).round(2).tolist()
    [[0.92, 1.61]]
    """

    costs_: Costs

    def __init__(self, model: Any, costs: Any = None, reject: float | None = None) -> None:
        self.model = model
        self.costs = costs
        self.reject = reject

    def _learn(self, rows: Counting) -> None:
        if self.reject is not None:
            cost_of_rejection(self.reject)
        self.costs_ = Costs.of(self.costs, rows.classes)
        self.model_ = rows.fit(self.model)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) that costs least; with `reject`, objects, None for rows left undecided.

        Parameters
        ----------
        X : (n, p)
        """
        p = self.predict_proba(X)
        return self.costs_.decide(p, self.reject)

    def rejected(self, X: Any) -> NDArray[np.bool_]:
        """Whether a row is left undecided, (n,).

        Parameters
        ----------
        X : (n, p)
        """
        p = self.predict_proba(X)
        return np.asarray(self.costs_.codes(p, self.reject) == REJECTED)

    def risk(self, X: Any) -> Array:
        """Expected cost (n, K) of each decision.

        Parameters
        ----------
        X : (n, p)
        """
        p = self.predict_proba(X)
        return self.costs_.risk(p)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that get their class, (weighted) mean; a row left undecided gets none.

        Parameters
        ----------
        X, y, sample_weight : rows, their labels (n,) and frequencies (n,).
        """
        right = [said == true for said, true in zip(self.predict(X), label_array(y), strict=True)]
        return float(np.average(np.array(right, dtype=np.float64), weights=sample_weight))
