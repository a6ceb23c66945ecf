"""Naive Bayes of cells that count on their own: present or absent, or how often."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.densities.counts import Bernoulli, Poisson
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive
from distinguo.generative.counting import CountBayes, CountsLeftOut, entries_of, row_sums, without
from distinguo.generative.smoothing import column_names, warn_of_zeros
from distinguo.statistics.counts import ClassCounts, Counts, above

Array = NDArray[np.float64]


class BernoulliNB(CountBayes[Bernoulli], CountsLeftOut[Bernoulli], Descriptive[ClassCounts, Bernoulli]):
    r"""Naive Bayes of cells b above a threshold or not: :math:`p(b | k) = \prod_j p_{kj}^{b_j} (1 - p_{kj})^{1 - b_j}`.

    :math:`p_{kj} = (N_{kj} + \alpha_j) / (N_k + 2 \alpha_j)`, with the :math:`N_{kj}` rows of class k whose cell is
    above. Absence counts as much as presence: in long texts it outweighs what is there. Sparse rows stay sparse.
    Missing cells are skipped.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    alpha : added to the rows above, and to those not: a number of at least 0, or one a column. With 0, what a class has
        always or never had decides, with a warning.
    binarize : the threshold; at least 0 for sparse rows.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    feature_log_prob_ : (K, p) log p.
    coef_, intercept_ : the scores as linear functions of what is above.
    n_parameters_ : K p.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["spam", "spam", "ham"])
    >>> model.predict([[1, 0]]).tolist()
    ['spam']

    References
    ----------
    McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.
    """

    def __init__(self, priors: Any = None, *, alpha: Any = 1.0, binarize: float = 0.0) -> None:
        self.priors = priors
        self.alpha = alpha
        self.binarize = binarize

    _cells_refused = None

    def _spec(self) -> Counts:
        return Counts(self._threshold())

    def _threshold(self) -> float:
        value = self.binarize
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not is_number or not np.isfinite(value):
            raise InputError(f"binarize={value!r} must be a number, the threshold that a cell is above or not.")
        return float(value)

    def _density(self, statistic: ClassCounts, priors: Array) -> Bernoulli:
        alpha = self._alpha(statistic)
        rows = statistic.seen + 2 * alpha
        # A column of which a class has no cell at all tells nothing of it; without smoothing it is even.
        shares = np.divide(statistic.sums + alpha, rows, out=np.full_like(statistic.sums, 0.5), where=rows > 0)
        warn_of_zeros(
            np.concatenate([shares == 0, shares == 1]),
            lambda: column_names(statistic.feature_names, statistic.n_features),
        )
        return Bernoulli(shares, self._threshold())

    def _weights(self, density: Bernoulli) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            no = np.log1p(-density.shares)
            return np.log(density.shares) - no, no.sum(axis=1)

    def _logs(self, density: Bernoulli) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(density.shares)

    def _own_scores(
        self, statistic: ClassCounts, values: sparse.csr_array, own: NDArray[np.intp], taken: Array
    ) -> Array:
        alpha, n = self._alpha(statistic), len(own)
        rows, columns, _ = entries_of(above(values, self._threshold()))
        scores = np.empty(n)
        kinds, kind = np.unique(np.column_stack([own, taken]), axis=0, return_inverse=True)
        order = np.argsort(kind.reshape(-1)[rows], kind="stable")
        bounds = np.searchsorted(kind.reshape(-1)[rows][order], np.arange(len(kinds) + 1))
        for place, (k, t) in enumerate(kinds):  # rows of one class and weight share what absence adds
            mine = kind.reshape(-1) == place
            entries = order[bounds[place] : bounds[place + 1]]
            on, at = columns[entries], rows[entries]
            sums, left = statistic.sums[int(k)], statistic.weight[int(k)] - t
            never = left - sums + alpha <= 1e-12 * statistic.weight[int(k)]
            off = np.log(np.where(never, 1.0, left - sums + alpha))
            yes = np.log(without(sums[on], np.full(len(on), t)) + alpha[on])
            impossible = never.sum() - row_sums(at, never[on].astype(float), n)[mine]
            base = off.sum() - np.log(left + 2 * alpha).sum()
            scores[mine] = base + row_sums(at, yes - off[on], n)[mine]
            scores[np.flatnonzero(mine)[impossible > 0.5]] = -np.inf
        return scores

    @property
    def feature_log_prob_(self) -> Array:
        """(K, p) log probability that a cell is above the threshold."""
        description = self._describe()
        return description.spread_classes(self._logs(description.density))

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: p a class."""
        return int(self._describe().statistic.sums.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # by design, of measurements cut in two at zero
        return tags


class PoissonNB(CountBayes[Poisson], CountsLeftOut[Poisson], Descriptive[ClassCounts, Poisson]):
    r"""Naive Bayes of independent counts: :math:`p(x | k) = \prod_j e^{-\lambda_{kj}} \lambda_{kj}^{x_j} / x_j!`.

    :math:`\lambda_{kj} = (N_{kj} + \alpha_j) / (n_k + \alpha_j)`, with the counts :math:`N_{kj}` and rows
    :math:`n_k`: alpha rows are taken to have come before, each with a count of one. Unlike in `MultinomialNB`, how
    much there is of everything tells as well. Sparse rows stay sparse. Missing cells are skipped. Counts may be
    fractions, such as means.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    alpha : rows taken to have come before: a number of at least 0, or one a column. With 0, a column that a class never
        counted makes it impossible where there is a count, with a warning.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    rates_ : (K, p) λ, in counts a row.
    coef_, intercept_ : the scores as linear functions of the counts.
    n_parameters_ : K p.

    Examples
    --------
    >>> model = PoissonNB(alpha=0.1).fit([[3], [5], [0], [1]], ["busy", "busy", "idle", "idle"])
    >>> model.rates_.round(2).tolist()
    [[3.86], [0.52]]

    References
    ----------
    Church and Gale (1995), Poisson mixtures, section 2, for counts of words.
    """

    def __init__(self, priors: Any = None, *, alpha: Any = 1.0) -> None:
        self.priors = priors
        self.alpha = alpha

    def _density(self, statistic: ClassCounts, priors: Array) -> Poisson:
        alpha = self._alpha(statistic)
        rows = statistic.seen + alpha
        rates = np.divide(statistic.sums + alpha, rows, out=np.zeros_like(statistic.sums), where=rows > 0)
        warn_of_zeros(rates == 0, lambda: column_names(statistic.feature_names, statistic.n_features))
        return Poisson(rates)

    def _weights(self, density: Poisson) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            return np.log(density.rates), -density.rates.sum(axis=1)

    def _own_scores(
        self, statistic: ClassCounts, values: sparse.csr_array, own: NDArray[np.intp], taken: Array
    ) -> Array:
        alpha, n = self._alpha(statistic), len(own)
        rows, columns, counts = entries_of(values)
        before = statistic.weight[own] - taken
        left = without(statistic.sums[own[rows], columns], taken[rows] * counts) + alpha[columns]
        scores = row_sums(rows, counts * np.log(left / (before[rows] + alpha[columns])), n)
        gone = row_sums(rows, taken[rows] * counts / (before[rows] + alpha[columns]), n)
        kinds, kind = np.unique(np.column_stack([own, before]), axis=0, return_inverse=True)
        expected = np.array([((statistic.sums[int(k)] + alpha) / (rest + alpha)).sum() for k, rest in kinds])
        return np.asarray(scores - expected[kind.reshape(-1)] + gone)

    @property
    def rates_(self) -> Array:
        """(K, p) mean counts of each column in each class, smoothed."""
        return self._describe().spread_classes(self._describe().density.rates)

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: p a class."""
        return int(self._describe().statistic.sums.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # by design, of measurements that are no counts
        return tags
