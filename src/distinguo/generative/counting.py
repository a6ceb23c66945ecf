"""What naive Bayes models of counts share: sums by class, smoothed; linear in the counts, and told word by word."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.generative.capabilities import LeavesOneOut, Mergeable
from distinguo.generative.description import D, Description
from distinguo.generative.evidence import counts_seen
from distinguo.generative.explanation import ExplainsColumns
from distinguo.generative.smoothing import column_names, pseudo_counts
from distinguo.hyperplane import as_coefficients
from distinguo.rows.base import Batch
from distinguo.rows.counted import refuse_negative
from distinguo.rows.labels import label_list, label_text
from distinguo.rows.tables import named
from distinguo.statistics.counts import ClassCounts, Counts
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


class CountBayes(Mergeable[ClassCounts, D], ExplainsColumns[ClassCounts]):
    """Naive Bayes whose scores are linear in the counts of the columns; what is seen beforehand is `alpha`."""

    alpha: Any
    prior: ClassMoments | None = None
    _takes_sparse = True
    _cells_refused: Any = staticmethod(refuse_negative)
    _seen: Any = staticmethod(counts_seen)

    def _spec(self) -> Counts:
        return Counts()

    def _pseudo_rows(self, prior: ClassMoments) -> ClassCounts:
        """None: what is known beforehand is `alpha`, which depends on the columns there are."""
        return self._spec().empty(prior.classes, prior.n_features, prior.feature_names)

    @abstractmethod
    def _weights(self, density: D) -> tuple[Array, Array]:
        """What each count adds to the score of each class, (K, p), and what a row without any has, (K,)."""

    def _alpha(self, statistic: ClassCounts) -> Array:
        return pseudo_counts(self.alpha, statistic.n_features)

    @property
    def coef_(self) -> Array:
        """(K, p) what each count adds to the score of each class; for two classes (1, p), the second's lead."""
        description = self._describe()
        with np.errstate(invalid="ignore"):
            return as_coefficients(description.spread_classes(self._weights(description.density)[0]))

    @property
    def intercept_(self) -> Array:
        """(K,) scores of a row without counts, priors included; for two classes (1,), the second's lead."""
        description = self._describe()
        with np.errstate(invalid="ignore", divide="ignore"):
            base = description.spread_classes(self._weights(description.density)[1]) + np.log(description.priors)
            return as_coefficients(base)

    def with_feature_names(self, names: Any) -> Self:
        """The same model, its columns called otherwise; the model asked stays as it is.

        Parameters
        ----------
        names : (p,) strings, each once, such as the words of a vocabulary, or None for no names.

        Returns
        -------
        a copy

        Raises
        ------
        InputError
            If there are not as many names as columns, or one comes twice.

        Examples
        --------
        >>> from distinguo import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 0], [0, 1]], ["spam", "ham"])
        >>> model.with_feature_names(["prize", "lunch"]).telling_features("spam", 1)[0][0]
        'prize'
        """
        self._check_fitted()
        called = None if names is None else named(sparse.csr_array((0, self.n_features_in_)), names).names
        model = copy(self)
        model._learn(replace(self.statistic_, feature_names=called))
        return model

    def telling_features(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        r"""The columns that tell a class from the others most.

        :math:`\log p(w | k) - \frac{1}{K - 1} \sum_{j \ne k} \log p(w | j)`, of each column w.

        Parameters
        ----------
        label : one of `classes_`.
        n : how many.

        Returns
        -------
        (n,) names with that number, the largest first; equal ones in the order of the columns.

        Raises
        ------
        InputError
            If there is no such class, or no other with rows.

        Examples
        --------
        >>> from distinguo import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 0], [0, 1]], ["spam", "ham"])
        >>> [name for name, _ in model.telling_features("spam", 1)]
        ['x0']
        """
        description = self._describe()
        logs = description.spread_classes(self._logs(description.density))
        names = column_names(getattr(self, "feature_names_in_", None), self.n_features_in_)
        return telling(logs, names, label_list(self.classes_), label, n)

    def _logs(self, density: D) -> Array:
        """(K, p) what `telling_features` compares."""
        return self._weights(density)[0]


def telling(logs: Array, names: list[str], classes: list[Any], label: Any, n: int) -> list[tuple[str, float]]:
    """The n names of the largest lead in a class's row of logs (K, m) over the mean of the others'."""
    if label not in classes:
        raise InputError(f"there is no class {label_text(label)}; the classes are {classes[:12]}.")
    k = classes.index(label)
    others = np.delete(logs, k, axis=0)
    others = others[~np.isnan(others).any(axis=1)]
    if not len(others) or np.isnan(logs[k]).any():
        raise InputError("telling_features compares classes that have rows, and needs two of them.")
    with np.errstate(invalid="ignore"):
        lead = logs[k] - others.mean(axis=0)
    lead = np.where(np.isnan(lead), 0.0, lead)  # impossible here and there
    order = np.argsort(-lead, kind="stable")[:n]
    return [(names[j], float(lead[j])) for j in order]


class CountsLeftOut(LeavesOneOut[ClassCounts, D]):
    """Models of counts that take a row out of its class by taking its counts out of the sums."""

    @abstractmethod
    def _own_scores(
        self, statistic: ClassCounts, values: sparse.csr_array, own: NDArray[np.intp], taken: Array
    ) -> Array:
        """log p(x | own class) of rows (n, p), up to the constants of `log_ratio`, by the class without them."""

    def _scores_without(
        self, description: Description[ClassCounts, D], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Scores with those of every row's own class made anew; where cells are missing, rows are recomputed."""
        statistic = description.statistic
        n = len(batch.codes)
        own = (np.cumsum(description.active) - 1)[batch.codes]
        left = statistic.weight[own] - taken
        if batch.holes or statistic.missing is not None:
            return np.zeros((n, len(description.active))), np.ones(n, dtype=bool)
        scores = description.density.log_ratio(batch.X)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores[np.arange(n), own] = self._own_scores(statistic, sparse.csr_array(batch.X), own, taken)
            scores = description.spread(scores, -np.inf) + np.log(description.priors)
        return scores, left <= 1e-9 * statistic.weight[own]


def entries_of(values: sparse.csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Row, column and number of the cells that are not zero, (m,) each."""
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    there = values.data != 0
    return rows[there], values.indices[there].astype(np.intp), values.data[there]


def row_sums(rows: NDArray[np.intp], terms: Array, n: int) -> Array:
    """(n,) sums of terms by row."""
    return np.asarray(np.bincount(rows, terms, n), np.float64)


def without(sums: Array, gone: Array) -> Array:
    """What is left of sums, with what is rounding only set to zero."""
    left = sums - gone
    return np.where(left <= 1e-12 * sums, 0.0, left)
