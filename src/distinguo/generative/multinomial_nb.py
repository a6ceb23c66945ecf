"""Naive Bayes of texts and other counts given their total."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.densities.multinomial import Multinomial
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Telling, draw_classes
from distinguo.generative.counting import CountBayes, CountsLeftOut, entries_of, row_sums, without
from distinguo.generative.smoothing import column_names, warn_of_zeros
from distinguo.statistics.counts import ClassCounts

Array = NDArray[np.float64]


class MultinomialNB(CountBayes[Multinomial], CountsLeftOut[Multinomial], Telling[ClassCounts, Multinomial]):
    r"""Naive Bayes of counts given their total, such as words: :math:`p(x | k) \propto \prod_j \theta_{kj}^{x_j}`.

    :math:`\theta_{kj} = (N_{kj} + \alpha_j) / (N_k + \sum_j \alpha_j)`, with the counts :math:`N_{kj}` of word j in
    class k. Counts may be fractions, such as TF-IDF. Sparse rows stay sparse. Missing cells are skipped: at fit a
    class's count of a word is scaled up to all its rows, at predict probabilities are those among the words that were
    counted. A row without counts gets the priors. Probabilities are too sure of themselves, for words come together.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    alpha : added to each count: a number of at least 0, or one a column. With 0, a word that a class has never had
        makes it impossible, with a warning.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    feature_log_prob_ : (K, p) log θ.
    coef_, intercept_ : the scores as linear functions of the counts.
    n_parameters_ : K (p - 1).

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 3]], ["spam", "ham"])
    >>> model.predict_proba([[1, 0, 0]]).round(3).tolist()
    [[0.222, 0.778]]
    >>> model.predict_proba([[0, 0, 0]]).tolist()
    [[0.5, 0.5]]

    References
    ----------
    McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.
    """

    def __init__(self, priors: Any = None, *, alpha: Any = 1.0) -> None:
        self.priors = priors
        self.alpha = alpha

    def _density(self, statistic: ClassCounts, priors: Array) -> Multinomial:
        alpha = self._alpha(statistic)
        counts = statistic.sums
        if statistic.missing is not None:
            share = np.divide(statistic.seen, statistic.weight[:, None])
            counts = np.divide(counts, share, out=np.zeros_like(counts), where=share > 0)
        smoothed = counts + alpha
        total = smoothed.sum(axis=1, keepdims=True)
        theta = np.divide(smoothed, total, out=np.zeros_like(smoothed), where=total > 0)
        warn_of_zeros(theta == 0, lambda: column_names(statistic.feature_names, statistic.n_features))
        return Multinomial(theta, counts.sum(axis=1) / statistic.weight)

    def _weights(self, density: Multinomial) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            return np.log(density.theta), np.zeros(len(density.theta))

    def _own_scores(
        self, statistic: ClassCounts, values: sparse.csr_array, own: NDArray[np.intp], taken: Array
    ) -> Array:
        alpha, n = self._alpha(statistic), len(own)
        rows, columns, counts = entries_of(values)
        length = row_sums(rows, counts, n)
        left = without(statistic.sums[own[rows], columns], taken[rows] * counts) + alpha[columns]
        total = without(statistic.sums.sum(axis=1)[own], taken * length) + alpha.sum()
        scores = row_sums(rows, counts * np.log(left), n)
        return np.where(length > 0, np.where(total > 0, scores - length * np.log(total), -np.inf), 0.0)

    @property
    def feature_log_prob_(self) -> Array:
        """(K, p) log probability of each column in each class."""
        description = self._describe()
        return description.spread_classes(self._weights(description.density)[0])

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: p - 1 a class."""
        K, p = self._describe().statistic.sums.shape
        return int(K * (p - 1))

    def sample(self, n: int = 1, random_state: Any = None, lengths: Any = None) -> tuple[Array, NDArray[Any]]:
        """Synthetic rows with labels: the class from the priors, then the words from the class.

        Parameters
        ----------
        n : how many.
        random_state : seed, `numpy.random.Generator`, or None.
        lengths : the total of each row, a whole number or (n,) of them; by default the rounded mean of its class, for
            the model does not say how long texts are.

        Returns
        -------
        X : (n, p)
        y : (n,) labels.
        """
        description = self._describe()
        drawn, rng = draw_classes(description, n, random_state)
        totals = _lengths(lengths, n, np.rint(description.density.lengths)[drawn])
        rows = np.empty((n, self.n_features_in_))
        for k in np.unique(drawn):
            of_class = drawn == k
            rows[of_class] = description.density.of_lengths(int(k), totals[of_class], rng)
        return rows, self.classes_[np.flatnonzero(description.active)[drawn]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # by design, of measurements that are no counts
        return tags


def _lengths(lengths: Any, n: int, otherwise: Array) -> NDArray[np.intp]:
    """(n,) totals of synthetic rows."""
    if lengths is None:
        return otherwise.astype(np.intp)
    totals = np.asarray(lengths)
    if totals.dtype.kind not in "iu" or totals.shape not in {(), (n,)} or (totals < 0).any():
        raise InputError(f"lengths={lengths!r} must be a whole number of at least 0, or {n} of them.")
    return np.asarray(np.broadcast_to(totals, (n,)), np.intp)
