"""What every model of neighbours does: keep rows, find the nearest, and average what they say."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from distinguo.covariance.shapes import warn_left_out
from distinguo.exceptions import InputError
from distinguo.neighbors.choice import best, numbers_to_try, refuse_too_few
from distinguo.neighbors.kept import Cost, Kept, refuse_large, refuse_unusable
from distinguo.neighbors.leave_out import left_out, losses_by_k
from distinguo.neighbors.metrics import METRICS
from distinguo.neighbors.search import ALGORITHMS, Search, same_kind
from distinguo.neighbors.votes import WEIGHTINGS, votes
from distinguo.options import is_left_to_cv, one_of, truth
from distinguo.rows.fitted import ReadsRows
from distinguo.rows.matrix import Matrix, as_sparse

Array = NDArray[np.float64]

HOLES_REFUSED = (
    "this metric takes no missing cells. Fill the holes, leave those rows out, use metric='nan_euclidean', or a model "
    "that takes them, such as LinearDiscriminantAnalysis or GaussianNB."
)


class Neighbors(ReadsRows, BaseEstimator):
    """Rows kept, and answers averaged over the nearest of them."""

    metric: str
    weights: str
    algorithm: str
    standardize: bool
    k_: int
    _kept: Kept
    _search: Search | None

    @abstractmethod
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep rows."""

    def _check_options(self) -> None:
        one_of(self.metric, "metric", METRICS)
        one_of(self.weights, "weights", WEIGHTINGS)
        one_of(self.algorithm, "algorithm", ALGORITHMS)
        truth(self.standardize, "standardize")

    def _keep(self, kept: Kept, search: Search | None, names: NDArray[Any] | None) -> None:
        """Take rows as one's own."""
        self._kept, self._search = kept, search
        self._remember_columns(kept.X.shape[1], names)

    def _ready(self) -> Search:
        """The search, made at the first call where it is not there."""
        check_is_fitted(self)
        if self._search is None:
            self._search = self._kept.search(self.metric, self.algorithm)
        return self._search

    def _answers(self, X: Any) -> Array:
        """(n, q) averages over the neighbours of rows, block by block."""
        search = self._ready()
        if not (sparse.issparse(X) and search.is_sparse):
            return self._evaluate(X, self._answers_of)
        self._table(X)  # for the checks of shape and type
        return self._answers_of(as_sparse(X))

    def _answers_of(self, rows: Matrix) -> Array:
        """(b, q) of checked rows."""
        refuse_large(rows)
        search, kept, weighting = self._ready(), self._kept, WEIGHTINGS[self.weights]
        result = np.empty((rows.shape[0], kept.answers.width))
        for found in search.nearest(same_kind(rows, search.is_sparse), self.k_ + weighting.further):
            parts = votes(found.distance, kept.weight[found.rows], self.k_, weighting)
            result[found.asked] = kept.answers.average(parts, found.rows)
        return result

    def _left_out(self, X: Any, said: NDArray[Any], weight: Array | None) -> Array:
        """(n, q) answers to rows that are kept, each by the others."""
        search, weighting = self._ready(), WEIGHTINGS[self.weights]
        refuse_too_few(self.k_, weighting.further, self._kept.total - 1)
        taken = np.ones(len(said)) if weight is None else np.minimum(weight, 1.0)
        rows = as_sparse(X) if sparse.issparse(X) else self._evaluate(X, lambda block: block)
        rows = same_kind(rows, search.is_sparse)
        return left_out(self._kept, search, weighting, self.k_, rows, said, taken)

    @property
    def cost_(self) -> Cost:
        """What it takes to keep the rows and to search them."""
        return Cost.of(self._kept, self._ready())

    def _holes_refused(self) -> str | None:
        return None if METRICS[self.metric].holes else HOLES_REFUSED

    def __sklearn_is_fitted__(self) -> bool:
        return "_kept" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_search" in state:
            state["_search"] = None  # made again from the rows, so that files hold them once
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        rule = METRICS.get(self.metric) if isinstance(self.metric, str) else None
        tags.input_tags.sparse = rule is not None and rule.sparse
        tags.input_tags.allow_nan = rule is not None and rule.holes
        return tags


class ChoosesK(Neighbors):
    """Neighbours whose number may be left to cross-validation."""

    k: int | str
    candidates: Any

    def _learn(self, kept: Kept, names: NDArray[Any] | None) -> None:
        """Take rows as one's own, once k is known."""
        refuse_unusable(kept.X, self.metric)
        kept, weighting = self._scaled(kept, names), WEIGHTINGS[self.weights]
        search = kept.search(self.metric, self.algorithm).build()
        results = None
        if is_left_to_cv(self.k):
            numbers = numbers_to_try(self.candidates, weighting.further, kept.total)
            losses = losses_by_k(kept, search, weighting, numbers)
            results = {"k": numbers, **dict(zip(kept.answers.criteria, losses.T, strict=True))}
            k = int(numbers[best(losses)])
        else:
            k = int(self.k)
            refuse_too_few(k, weighting.further, kept.total)
        self.k_ = k
        self.__dict__.pop("cv_results_", None)
        if results is not None:
            self.cv_results_ = results
        self._keep(kept, search, names)

    def _scaled(self, kept: Kept, names: NDArray[Any] | None) -> Kept:
        """Rows as they are to be compared; warns of columns that cannot be."""
        if not self.standardize:
            return kept
        scaled = kept.standardized()
        constant = np.flatnonzero(scaled.factors == 0)
        if len(constant) == kept.X.shape[1]:
            raise InputError(
                f"no column of X varies (n_samples = {kept.X.shape[0]}), and standardize=True divides by their spread; "
                "add rows or columns that differ."
            )
        if len(constant):
            warn_left_out("columns that do not vary", names, constant)
        return scaled
