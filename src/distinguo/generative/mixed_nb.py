"""Naive Bayes of columns of any kind: measurements, categories, counts, and yes or no."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.independent import Independent
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive, LeavesOneOut, Mergeable
from distinguo.generative.counting import telling
from distinguo.generative.description import Description
from distinguo.generative.explanation import ExplainsColumns
from distinguo.generative.gaussian_columns import Smoothing
from distinguo.generative.role_columns import ROLE_COLUMNS, LeftOut, category_shares
from distinguo.generative.smoothing import column_names, pseudo_counts
from distinguo.rows.base import Batch
from distinguo.rows.coding import BINARY, CATEGORY, COUNT, NUMERIC, Coded
from distinguo.rows.labels import label_list
from distinguo.statistics.moments import ClassMoments
from distinguo.statistics.summaries import ColumnSummaries, Summaries

Array = NDArray[np.float64]
Parts = Description[ColumnSummaries, Independent]


class RoleBayes(
    Mergeable[ColumnSummaries, Independent],
    Descriptive[ColumnSummaries, Independent],
    LeavesOneOut[ColumnSummaries, Independent],
    ExplainsColumns[ColumnSummaries],
):
    """Naive Bayes of columns that each have a role; what is seen beforehand is `alpha`."""

    alpha: Any
    prior: ClassMoments | None = None

    @abstractmethod
    def _smoothing(self) -> Smoothing:
        """How variances are estimated."""

    def _spec(self) -> Summaries:
        return Summaries()

    def _pseudo_rows(self, prior: ClassMoments) -> ColumnSummaries:
        """None: what is known beforehand is `alpha`, which depends on the categories there are."""
        return self._spec().empty(prior.classes, prior.n_features, prior.feature_names)

    def _density(self, statistic: ColumnSummaries, priors: Array) -> Independent:
        alpha, smoothing = pseudo_counts(self.alpha, statistic.n_features), self._smoothing()
        groups = []
        for role, columns in ROLE_COLUMNS.items():
            places = statistic.with_role(role)
            if len(places):
                groups.append((places, columns.density(statistic, places, alpha[places], smoothing)))
        return Independent(len(statistic.classes), statistic.n_features, tuple(groups))

    def _scores_without(self, description: Parts, batch: Batch, taken: Array) -> tuple[Array, NDArray[np.bool_]]:
        statistic, alpha = description.statistic, pseudo_counts(self.alpha, description.statistic.n_features)
        own = (np.cumsum(description.active) - 1)[batch.codes]
        total = np.zeros((len(own), len(statistic.classes)))
        left = statistic.weight[own] - taken
        unsure = left <= 1e-9 * statistic.weight[own]
        for places, part in description.density.groups:
            rows = LeftOut(np.ascontiguousarray(batch.X[:, places]), own, taken)
            columns = ROLE_COLUMNS[str(statistic.roles[places[0]])]
            scores, recompute = columns.scores_without(statistic, places, alpha[places], self._smoothing(), part, rows)
            total += scores
            unsure |= recompute
        with np.errstate(divide="ignore"):
            return description.spread(total, -np.inf) + np.log(description.priors), unsure

    @property
    def roles_(self) -> NDArray[Any]:
        """(p,) the role of each column."""
        self._check_fitted()
        return self.statistic_.roles

    @property
    def categories_(self) -> list[NDArray[Any] | None]:
        """Of each column the categories that were met, in order; None for a column of numbers."""
        self._check_fitted()
        return list(self.statistic_.coding.categories)

    @property
    def category_log_prob_(self) -> list[Array | None]:
        """Of each column (K, L) log probabilities of its categories; None for a column of numbers."""
        description = self._describe()
        statistic, alpha = description.statistic, pseudo_counts(self.alpha, self.n_features_in_)
        result: list[Array | None] = []
        for j, role in enumerate(statistic.roles):
            counts = statistic.counts[:, statistic.starts[j] : statistic.starts[j + 1]]
            with np.errstate(divide="ignore"):
                logs = np.log(category_shares(counts, counts.sum(axis=1), counts.shape[1], float(alpha[j])))
            result.append(description.spread_classes(logs) if role == CATEGORY else None)
        return result

    def telling_features(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        r"""The categories that tell a class from the others most.

        :math:`\log p(c | k) - \frac{1}{K - 1} \sum_{j \ne k} \log p(c | j)`, of each category c of each column.

        Parameters
        ----------
        label : one of `classes_`.
        n : how many.

        Returns
        -------
        (n,) "column=category" with that number, the largest first.

        Raises
        ------
        InputError
            If there is no such class, no other with rows, or no column of categories.
        """
        tables = self.category_log_prob_
        called = column_names(getattr(self, "feature_names_in_", None), self.n_features_in_)
        names = [
            f"{called[j]}={level}"
            for j, levels in enumerate(self.categories_)
            if levels is not None
            for level in levels
        ]
        if not names:
            raise InputError("telling_features compares categories, and no column has any.")
        logs = np.concatenate([table for table in tables if table is not None], axis=1)
        return telling(logs, names, label_list(self.classes_), label, n)

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: of each class two a measurement, one a count or binary, L - 1 a column of L categories."""
        statistic = self._describe().statistic
        numbers = 2 * len(statistic.with_role(NUMERIC)) + len(statistic.with_role(COUNT, BINARY))
        levels = np.diff(statistic.starts)[statistic.with_role(CATEGORY)]
        return int(len(statistic.classes) * (numbers + np.maximum(levels - 1, 0).sum()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


class CategoricalNB(RoleBayes):
    r"""Naive Bayes of categories: :math:`p(x | k) = \prod_j \theta_{j x_j k}`.

    :math:`\theta_{jck} = (N_{jck} + \alpha_j) / (N_{jk} + \alpha_j L_j)`, with the :math:`N_{jck}` rows of class k that
    have the category c of the :math:`L_j` that column j has in any class. Categories are words, numbers, or both; they
    need not be numbered. Missing cells are skipped; a category never met gets the probability of one that has no rows.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    alpha : added to the rows of each category: a number of at least 0, or one a column. With 0, a category that a class
        never had makes it impossible, with a warning.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    categories_ : of each column, those met.
    category_log_prob_ : of each column, (K, L) log θ.
    n_parameters_ : K times the sum of L - 1.

    Examples
    --------
    >>> model = CategoricalNB().fit([["red", "S"], ["red", None], ["blue", "L"]], ["warm", "warm", "cold"])
    >>> model.predict([["red", "XL"], ["blue", None]]).tolist()
    ['warm', 'cold']

    References
    ----------
    Kohavi, Becker and Sommerfield (1997), Improving simple Bayes, for missing cells and categories without rows.
    """

    _coding = Coded(lambda model: CATEGORY)

    def __init__(self, priors: Any = None, *, alpha: Any = 1.0) -> None:
        self.priors = priors
        self.alpha = alpha

    def _smoothing(self) -> Smoothing:
        return Smoothing(0.0, False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.classifier_tags.poor_score = True  # by design, of measurements taken for categories
        return tags


class MixedNB(RoleBayes):
    r"""Naive Bayes of columns of several kinds in one model: :math:`p(x | k) = \prod_j p_j(x_j | k)`.

    Measurements are Gaussian, counts Poisson, binary cells have a share of ones, categories a table of shares, each as
    in `GaussianNB`, `PoissonNB`, `BernoulliNB` and `CategoricalNB`. Missing cells are skipped, of whatever kind.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    roles : None to go by the types of columns: "numeric" for numbers, "category" for words, "binary" for truth values;
        {column: role} by name or place, the others by type; or one role a column. "count" is the fourth.
    alpha : rows added to each category, to ones and to zeros, or with a count of one: a number of at least 0, or one a
        column. It does not act on measurements.
    var_smoothing : added to each variance, as a share of that column's total variance.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    roles_ : (p,)
    means_ : (K, p) of the columns that are numbers, NaN for the others.
    variances_ : (K, p) of the measurements, smoothed, NaN for the others.
    categories_, category_log_prob_ : of each column, None where it is numbers.
    n_parameters_

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 1.5], ["blue", 5.0], ["blue", None]]
    >>> model = MixedNB().fit(rows, ["a", "a", "b", "a"])
    >>> model.roles_.tolist(), model.means_[0].tolist()
    (['category', 'numeric'], [nan, 1.25])

    References
    ----------
    Hand and Yu (2001), Idiot's Bayes: not so stupid after all?, section 2.
    """

    _coding = Coded(lambda model: model.roles)

    def __init__(self, priors: Any = None, *, roles: Any = None, alpha: Any = 1.0, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.roles = roles
        self.alpha = alpha
        self.var_smoothing = var_smoothing

    def _smoothing(self) -> Smoothing:
        return Smoothing.of(self.var_smoothing)

    @property
    def means_(self) -> Array:
        """(K, p) means of the cells that were there; NaN for columns of categories."""
        description = self._describe()
        places = description.statistic.with_role(NUMERIC, COUNT, BINARY)
        return self._by_column(places, description.statistic.numbers(places).mean)

    @property
    def variances_(self) -> Array:
        """(K, p) smoothed variances of the measurements; NaN for other columns."""
        for places, part in self._describe().density.groups:
            if self.statistic_.roles[places[0]] == NUMERIC:
                return self._by_column(places, part.variances)  # type: ignore[attr-defined]
        return self._by_column(np.empty(0, np.intp), np.empty((len(self._describe().statistic.classes), 0)))

    def _by_column(self, places: NDArray[np.intp], values: Array) -> Array:
        """Entries (K, q) of some of the columns among all, for all classes; NaN for the others."""
        result = np.full((len(values), self.n_features_in_), np.nan)
        result[:, places] = values
        return self._describe().spread_classes(result)
