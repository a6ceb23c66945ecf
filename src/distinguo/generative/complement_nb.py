"""Naive Bayes that describes each class by the words of all others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.counts import Weighted
from distinguo.densities.products import log_or_zero
from distinguo.generative.counting import CountBayes
from distinguo.generative.smoothing import column_names, warn_of_zeros
from distinguo.options import truth
from distinguo.statistics.counts import ClassCounts

Array = NDArray[np.float64]


class ComplementNB(CountBayes[Weighted]):
    r"""Naive Bayes of texts by what a class is not: scores :math:`\log \pi_k - \sum_j x_j \log \tilde\theta_{kj}`.

    :math:`\tilde\theta_{kj} = (\tilde N_{kj} + \alpha_j) / (\tilde N_k + \sum_j \alpha_j)` counts the words of all
    classes but k, which are more, and more even between classes, than its own. There is no p(x | class), so nothing
    that hangs on one is here; probabilities are scores on the scale of logarithms, made to sum to one. Sparse rows
    stay sparse. Missing cells are skipped. Unlike scikit-learn's, scores include the priors, as in the source.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    alpha : added to each count: a number of at least 0, or one a column. With 0, a word that only one class has had
        decides for it, with a warning.
    norm : whether the weights of a class are divided by their sum, against classes whose words hang together.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    coef_, intercept_ : the scores as linear functions of the counts.
    n_parameters_ : K (p - 1).

    Examples
    --------
    >>> model = ComplementNB().fit([[2, 1, 0], [0, 1, 3]], ["spam", "ham"])
    >>> model.predict([[1, 0, 0]]).tolist()
    ['spam']

    References
    ----------
    Rennie, Shih, Teevan and Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers, section 4.
    """

    def __init__(self, priors: Any = None, *, alpha: Any = 1.0, norm: bool = False) -> None:
        self.priors = priors
        self.alpha = alpha
        self.norm = norm

    def _density(self, statistic: ClassCounts, priors: Array) -> Weighted:
        alpha, norm = self._alpha(statistic), truth(self.norm, "norm")
        others = statistic.sums.sum(axis=0) - statistic.sums if len(statistic.classes) > 1 else statistic.sums
        others = np.where(others <= 1e-12 * statistic.sums.sum(axis=0), 0.0, others) + alpha
        total = others.sum(axis=1, keepdims=True)
        share = np.divide(others, total, out=np.zeros_like(others), where=total > 0)
        weights = -log_or_zero(share)
        if norm:
            length = np.abs(weights).sum(axis=1, keepdims=True)
            weights = np.divide(weights, length, out=weights, where=length > 0)
        # A word that no other class has had rules the others out.
        alone = (share == 0) & (statistic.sums > 0)
        warn_of_zeros(alone, lambda: column_names(statistic.feature_names, statistic.n_features))
        return Weighted(np.where(alone.any(axis=0) & ~alone, -np.inf, weights))

    def _weights(self, density: Weighted) -> tuple[Array, Array]:
        return density.weights, np.zeros(len(density.weights))

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: p - 1 a class."""
        K, p = self._describe().statistic.sums.shape
        return int(K * (p - 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # by design, of measurements that are no counts
        return tags
