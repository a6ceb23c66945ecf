"""What some generative models can do and others cannot: merge, describe, and leave rows out."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from distinguo.exceptions import InputError, LeftOutWarning, MissingCellsError
from distinguo.generative.base import GenerativeClassifier
from distinguo.generative.description import D, Description, S
from distinguo.generative.kernels import settle, to_posteriors
from distinguo.options import generator_of
from distinguo.rows.base import Batch, Source, refuse_holes
from distinguo.rows.labels import encode_labels, label_text, merge_classes
from distinguo.rows.memory import MemorySource

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


class Mergeable(GenerativeClassifier[S, D]):
    """Models whose statistic is all they keep: it adds up over rows, files and machines.

    With an option left to "cv", or covariance="t", a model has only `fit`, for they need all rows at once.
    """

    @_where_settled
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; a class not seen before is added.

        The other classes' own parameters stay as they were; a pooled covariance and default priors move.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`.
        classes : labels to expect, whether or not they are among these rows.

        Returns
        -------
        self
        """
        spec = self._spec()
        self._refuse_completed("partial_fit")
        if self.__sklearn_is_fitted__() and not isinstance(X, Source):
            self._table(X)
        statistic = self._count(self._rows(X, y, sample_weight))
        if classes is not None:
            _, declared = encode_labels(classes)
            statistic = spec.empty(declared, statistic.n_features, statistic.feature_names) + statistic
        if self.__sklearn_is_fitted__():
            statistic = self.statistic_ + statistic
        self._learn(statistic)
        return self

    @_where_settled
    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows away that were learned before; a class left without rows is gone.

        Exact to rounding relative to all rows learned.

        Parameters
        ----------
        X, y, sample_weight : the rows, as they were given to `fit` or `partial_fit`.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If there are more rows of a class than were learned.
        """
        self._check_fitted()
        self._refuse_completed("forget")
        statistic = self.statistic_ - self._count(self._rows(X, y, sample_weight))
        if not len(statistic.classes):
            raise InputError("nothing would be left: these are all the rows that were learned.")
        self._learn(statistic)
        return self

    @_where_settled
    def __add__(self, other: Self) -> Self:
        """The model of the rows of both, as if fitted on them together."""
        if type(other) is not type(self):
            return NotImplemented
        if not (self.__sklearn_is_fitted__() and other.__sklearn_is_fitted__()):
            raise InputError("only fitted models can be merged; call fit or partial_fit on both.")
        self._refuse_completed("+")
        other._refuse_completed("+")
        different = [name for name, value in self.get_params().items() if not _same(value, other.get_params()[name])]
        if different:
            raise InputError(f"models to be merged must have equal parameters; they differ in {', '.join(different)}.")
        model: Self = clone(self)
        model._learn(self.statistic_ + other.statistic_)
        return model

    def __radd__(self, other: object) -> Self:
        """So that `sum` of models works: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _count(self, source: Source) -> S:
        """The statistic of some of the rows."""
        if source.unlabeled is not None:
            raise InputError(f"y has missing labels, and {NOT_IN_PARTS}")
        try:
            return source.aggregate(self._spec())
        except MissingCellsError as error:
            raise MissingCellsError(error.where, self._holes_refused() or NOT_IN_PARTS) from None


def _same(a: Any, b: Any) -> bool:
    """Equality that arrays also answer."""
    try:
        return a is b or bool(a == b)
    except ValueError:  # arrays have no one truth
        return np.array_equal(a, b)


class Descriptive(GenerativeClassifier[S, D]):
    """Models that know log p(x | class), and so tell the unfamiliar and make rows of their own."""

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

    def sample(self, n: int = 1, random_state: Any = None) -> tuple[Array, NDArray[Any]]:
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
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InputError(f"n must be a whole number of at least 1; it is {n!r}.")
        description = self._describe()
        try:
            rng = generator_of(random_state)
        except (TypeError, ValueError) as error:
            raise InputError(f"random_state={random_state!r} is no seed: {error}.") from None
        active = np.flatnonzero(description.active)
        share = description.priors[active]
        drawn = rng.choice(len(active), size=n, p=share / share.sum())
        counts = np.bincount(drawn)
        parts = [description.density.sample(int(k), int(counts[k]), rng) for k in np.unique(drawn)]
        place = np.argsort(np.argsort(drawn, kind="stable"))  # from rows by class to rows as they were drawn
        return np.concatenate(parts)[place], self.classes_[active[drawn]]


def _log_density(description: Description[S, D], block: Array) -> Array:
    with np.errstate(over="ignore"):
        return description.spread(description.density.log_density(block), -np.inf)


class LeavesOneOut(GenerativeClassifier[S, D]):
    """Models that say what they would have said of a fitted row without it."""

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
        description = self._describe()
        self._refuse_completed("leave_one_out")
        self._table(X)
        classes = self.classes_
        with np.errstate(divide="ignore"):
            log_priors = np.log(description.priors)
        parts = []
        for batch in self._labelled(X, y, sample_weight, classes):
            taken = np.ones(len(batch.X)) if batch.weight is None else np.minimum(batch.weight, 1.0)
            scores, unsure = self._scores_without(description, batch, taken)
            for i in np.flatnonzero(unsure):
                scores[i] = self._refitted_scores(description, batch, int(i), taken[i])
            settle(scores, log_priors)
            to_posteriors(scores)
            parts.append(scores)
        return np.concatenate(parts)

    @abstractmethod
    def _scores_without(
        self, description: Description[S, D], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Scores (n, K) of rows each left out by the weight `taken`, and the rows that must be recomputed.

        The codes of the batch point into all of the model's classes.
        """

    def _labelled(self, X: Any, y: Any, sample_weight: Any, classes: NDArray[Any]) -> Iterator[Batch]:
        """Batches whose codes point into the classes of the model."""
        source = MemorySource(X, y, sample_weight)
        merged, own, known = merge_classes(source.classes, classes)
        place = np.full(len(merged), -1)
        place[known] = np.arange(len(classes))
        codes = place[own[source.codes]]
        learned = np.zeros(len(classes) + 1, dtype=bool)  # the last for classes that are not there
        learned[merge_classes(classes, self.statistic_.classes)[2]] = self.statistic_.weight > 0
        unknown = np.flatnonzero(~learned[codes] & (True if source.weight is None else source.weight > 0))
        if len(unknown):
            new = label_text(source.classes[source.codes[unknown[0]]])
            raise InputError(f"y has the class {new}, which was not fitted; leave_one_out takes the fitted rows.")
        # A row that does not count was not fitted, whatever its class: nothing is taken out for it.
        source.codes, source.classes = np.maximum(codes, 0), classes
        batches = source.batches()
        return batches if self._spec().takes_holes else refuse_holes(batches, self._holes_refused() or NOT_IN_PARTS)

    def _refitted_scores(self, description: Description[S, D], batch: Batch, i: int, taken: float) -> Array:
        """Scores (K,) of one row by the model of the other rows."""
        row = Batch(
            X=batch.X[i : i + 1],
            codes=batch.codes[i : i + 1],
            classes=batch.classes,
            weight=np.array([taken]),
            first_row=batch.first_row + i,
            feature_names=None,
            holes=batch.holes,
        )
        if taken == 0:
            return np.asarray(description.scores(row.X)[0])
        spec = self._spec()
        rest = self.statistic_ - spec.of(row)
        # A class that loses its only row stays in its place, empty.
        rest = spec.empty(self.classes_, rest.n_features, rest.feature_names) + rest
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LeftOutWarning)  # fit has warned; each row need not
                return np.asarray(self._describe_statistic(rest, description.priors).scores(row.X)[0])
        except InputError as error:
            raise type(error)(f"with row {batch.first_row + i} left out, {error}") from None
