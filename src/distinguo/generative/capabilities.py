"""What some generative models can do and others cannot: merge, describe, and leave rows out."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from distinguo.exceptions import InputError, LeftOutWarning, MissingCellsError, ZeroProbabilityWarning
from distinguo.generative.base import GenerativeClassifier
from distinguo.generative.description import D, Description, P, S
from distinguo.generative.kernels import settle, to_log_posteriors, to_posteriors
from distinguo.options import generator_of
from distinguo.rows.base import Batch, refuse_holes
from distinguo.statistics.by_parts import LearnsByParts, rows_learned, without_row

Array = NDArray[np.float64]


def _takes_parts(model: Any) -> bool:
    """Whether one pass over the rows is enough; raises where it is not, so that the missing method's error says why."""
    iteration = model._iterating()
    if iteration is not None:
        raise InputError(iteration.parts)
    return True


def _is_settled(model: Any) -> bool:
    """The same, and no option is left to cross-validation, which needs all rows at once."""
    tuned = model._tuning is not None and model._tuning.is_needed(model.get_params(deep=False))
    return _takes_parts(model) and not tuned


NOT_IN_PARTS = (
    "missing cells and labels are completed from all rows at once: give all of them to fit. partial_fit, forget, + and "
    "leave_one_out take rows that lack neither."
)

F = TypeVar("F", bound=Callable[..., Any])
_where_in_parts = cast(Callable[[F], F], available_if(_takes_parts))
_where_settled = cast(Callable[[F], F], available_if(_is_settled))


class Mergeable(GenerativeClassifier[S, D], LearnsByParts[S]):
    """Models whose statistic is all they keep: it adds up over rows, files and machines.

    A class's own parameters stay as they were when others are learned; a pooled covariance and default priors move.
    With an option left to "cv", or covariance="t", a model has only `fit`, for they need all rows at once.
    """

    partial_fit = _where_settled(LearnsByParts.partial_fit)
    forget = _where_settled(LearnsByParts.forget)
    __add__ = _where_settled(LearnsByParts.__add__)

    def _count(self, X: Any, y: Any, sample_weight: Any) -> S:
        source = self._rows(X, y, sample_weight)
        if source.unlabeled is not None:
            raise InputError(f"y has missing labels, and {NOT_IN_PARTS}")
        try:
            return source.aggregate(self._spec())
        except MissingCellsError as error:
            raise MissingCellsError(error.where, self._holes_refused() or NOT_IN_PARTS) from None

    def _keep(self, statistic: S) -> None:
        self._learn(statistic)

    def _refuse_parts(self, what: str) -> None:
        self._refuse_completed(what)


class Telling(GenerativeClassifier[S, P]):
    """Models that know log p(x | class), and so tell the unfamiliar."""

    def class_log_density(self, X: Any) -> Array:
        """log p(x | class), (n, K), in nats; densities are per unit of each column."""
        description = self._describe()
        return self._evaluate(X, lambda block: _log_density(description, block))

    def score_samples(self, X: Any) -> Array:
        """log p(x), (n,): the density of the mixture of the classes at their priors."""
        description = self._describe()
        with np.errstate(divide="ignore"):
            log_priors = np.log(description.priors)

        def log_mixture(block: Array) -> Array:
            joint = _log_density(description, block) + log_priors
            highest = joint.max(axis=1)
            base = np.where(np.isfinite(highest), highest, 0.0)
            with np.errstate(divide="ignore"):
                return np.asarray(base + np.log(np.exp(joint - base[:, None]).sum(axis=1)))

        return self._evaluate(X, log_mixture)

    def typicality(self, X: Any) -> Array:
        """P(p(X' | k) <= p(x | k)) for X' a member of class k, (n, K).

        A row whose largest typicality is small is like no class; its novelty is one minus that.
        """
        description = self._describe()
        return self._evaluate(X, lambda block: description.spread(description.density.tail(block), 0.0))


class Descriptive(Telling[S, P]):
    """Models that know log p(x | class), and so tell the unfamiliar and make rows of their own."""

    def sample(self, n: int = 1, random_state: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Synthetic rows with labels: the class from the priors, then the row from the class.

        Parameters
        ----------
        n : how many.
        random_state : seed, `numpy.random.Generator`, or None.

        Returns
        -------
        X : (n, p)
        y : (n,) labels.
        """
        description = self._describe()
        drawn, rng = draw_classes(description, n, random_state)
        counts = np.bincount(drawn)
        parts = [description.density.sample(int(k), int(counts[k]), rng) for k in np.unique(drawn)]
        place = np.argsort(np.argsort(drawn, kind="stable"))  # from rows by class to rows as they were drawn
        rows = np.concatenate(parts)[place]
        labels = self.classes_[np.flatnonzero(description.active)[drawn]]
        return (rows if self._coding is None else self._coding.as_given(self, rows)), labels


def draw_classes(
    description: Description[Any, Any], n: Any, random_state: Any
) -> tuple[NDArray[np.intp], np.random.Generator]:
    """The class (n,) of each synthetic row, among those that have rows, from the priors; and what draws on."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError(f"n must be a whole number of at least 1; it is {n!r}.")
    try:
        rng = generator_of(random_state)
    except (TypeError, ValueError) as error:
        raise InputError(f"random_state={random_state!r} is no seed: {error}.") from None
    share = description.priors[description.active]
    return rng.choice(len(share), size=n, p=share / share.sum()), rng


def _log_density(description: Description[S, P], block: Array) -> Array:
    with np.errstate(over="ignore"):
        return description.spread(description.density.log_density(block), -np.inf)


class LeavesOneOut(GenerativeClassifier[S, D]):
    """Models that say what they would have said of a fitted row without it."""

    # Whether scores of rows left out lack nothing of log p(x | class) that all classes share.
    _scores_whole_densities: bool = False

    @_where_in_parts
    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Posteriors (n, K) of rows that were fitted, each as if it had been left out.

        Of a row with a weight above one, one copy is left out. Priors stay those of the full fit, as in R's
        MASS. A removal that would leave a covariance singular is recomputed, not downdated.

        Parameters
        ----------
        X, y, sample_weight : rows that the model was fitted on.

        Returns
        -------
        (n, K) posteriors, in the order of `classes_`.
        """
        return self._left_out(X, y, sample_weight, to_posteriors)

    @_where_in_parts
    def leave_one_out_log_proba(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Logarithms (n, K) of the posteriors of `leave_one_out`, those of numbers that are no more than zero too.

        Parameters
        ----------
        X, y, sample_weight : rows that the model was fitted on.
        """
        return self._left_out(X, y, sample_weight, to_log_posteriors)

    def _left_out(self, X: Any, y: Any, sample_weight: Any, finish: Callable[[Array], None]) -> Array:
        """(n, K) what `finish` makes of the scores of rows that are each left out."""
        self._refuse_completed("leave_one_out")
        with np.errstate(divide="ignore"):
            log_priors = np.log(self._describe().priors)
        parts = []
        for _, scores, _ in self._without_each(X, y, sample_weight):
            settle(scores, log_priors)
            finish(scores)
            parts.append(scores)
        return np.concatenate(parts)

    @_where_in_parts
    def leave_one_out_log_density(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """log p(x | class), (n, K), of rows that were fitted, each as if it had been left out.

        What `class_log_density` would have said without the row; see `leave_one_out`.

        Parameters
        ----------
        X, y, sample_weight : rows that the model was fitted on.

        Returns
        -------
        (n, K) in nats, in the order of `classes_`; minus infinity for a class of prior zero, or without any other row.

        Examples
        --------
        >>> from distinguo import GaussianNB
        >>> X, y = [[0.0], [1.0], [2.0], [5.0], [6.0], [8.0]], ["a", "a", "a", "b", "b", "b"]
        >>> model = GaussianNB().fit(X, y)
        >>> model.class_log_density([[8.0]]).round(1).tolist()
        [[-37.5, -2.0]]
        >>> model.leave_one_out_log_density([[8.0]], ["b"]).round(1).tolist()
        [[-37.5, -12.7]]
        """
        self._refuse_completed("leave_one_out_log_density")
        description = self._describe()
        with np.errstate(divide="ignore"):
            log_priors = np.log(description.priors)
        parts = []
        for batch, scores, recomputed in self._without_each(X, y, sample_weight):
            with np.errstate(invalid="ignore"):
                logs = scores - log_priors
            if not self._scores_whole_densities:
                logs += np.where(recomputed, 0.0, _shared_by_classes(description, batch))[:, None]
            parts.append(np.where(np.isnan(logs), -np.inf, logs))
        return np.concatenate(parts)

    def _without_each(self, X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Batch, Array, NDArray[np.bool_]]]:
        """Batches with the scores (n, K) of their rows, each left out, and the rows (n,) that were recomputed."""
        description = self._describe()
        table = self._table(X)
        for batch in self._labelled(table, y, sample_weight, self.classes_):
            taken = np.ones(len(batch.codes)) if batch.weight is None else np.minimum(batch.weight, 1.0)
            scores, unsure = self._scores_without(description, batch, taken)
            for i in np.flatnonzero(unsure):
                scores[i] = self._refitted_scores(description, batch, int(i), taken[i])
            yield batch, scores, unsure

    @abstractmethod
    def _scores_without(
        self, description: Description[S, D], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Scores (n, K) of rows each left out by the weight `taken`, and the rows that must be recomputed.

        They are log prior + log p(x | class), but for what `log_ratio` leaves aside unless they are said to be whole.
        The codes of the batch point into all of the model's classes.
        """

    def _labelled(self, X: Any, y: Any, sample_weight: Any, classes: NDArray[Any]) -> Iterator[Batch]:
        """Batches whose codes point into the classes of the model."""
        batches = rows_learned(X, y, sample_weight, classes, self.statistic_).batches(self._takes_sparse)
        return batches if self._spec().takes_holes else refuse_holes(batches, self._holes_refused() or NOT_IN_PARTS)

    def _refitted_scores(self, description: Description[S, D], batch: Batch, i: int, taken: float) -> Array:
        """log prior + log p(x | class), (K,), of one row by the model of the other rows."""
        row = batch.X[i : i + 1]
        if taken == 0:
            return _whole_scores(description, row)
        rest = without_row(self.statistic_, self._spec(), batch, i, taken, self.classes_)
        if self._coding is not None:
            row = self._coding.renumbered(row, self.statistic_, rest)
        try:
            with warnings.catch_warnings():
                for kind in (LeftOutWarning, ZeroProbabilityWarning):
                    warnings.simplefilter("ignore", kind)  # fit has warned; each row need not
                return _whole_scores(self._describe_statistic(rest, description.priors), row)
        except InputError as error:
            raise type(error)(f"with row {batch.first_row + i} left out, {error}") from None


def _whole_scores(description: Description[Any, Any], row: Array) -> Array:
    """log prior + log p(x | class), (K,), of one row (1, p)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_log_density(description, row)[0] + np.log(description.priors))


def _shared_by_classes(description: Description[Any, Any], batch: Batch) -> Array:
    """(n,) what `log_ratio` leaves aside of the log-densities of rows; zero where no class can have the row."""
    density = description.density
    with np.errstate(invalid="ignore"):
        aside = density.log_density(batch.X) - density.log_ratio(batch.X)
    most = np.where(np.isnan(aside), -np.inf, aside).max(axis=1)
    return np.where(np.isneginf(most), 0.0, most)
