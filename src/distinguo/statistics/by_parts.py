"""Models whose statistic is all they keep: it adds up over rows, files and machines, and rows can be taken away."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, Source
from distinguo.rows.elsewhere import located
from distinguo.rows.fitted import ReadsRows
from distinguo.rows.labels import encode_labels, label_text, merge_classes
from distinguo.rows.memory import MemorySource
from distinguo.rows.tables import named
from distinguo.statistics.base import S, Spec, Statistic


class LearnsByParts(ReadsRows, Generic[S]):
    """What a model can do that is made anew from its statistic whenever that changes."""

    statistic_: S

    @abstractmethod
    def _spec(self) -> Spec[S]:
        """What to count."""

    @abstractmethod
    def _count(self, X: Any, y: Any, sample_weight: Any) -> S:
        """The statistic of some of the rows."""

    @abstractmethod
    def _keep(self, statistic: S) -> None:
        """Take a statistic as one's own."""

    @abstractmethod
    def _refuse_parts(self, what: str) -> None:
        """Raise where the statistic hangs on all rows at once, so that `what` does not go."""

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a statistic."""

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None, feature_names: Any = None
    ) -> Self:
        """Learn more rows; a class not seen before is added.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`.
        classes : labels to expect, whether or not they are among these rows.
        feature_names : (p,) names of the columns of X, which may then come in any order. Models of counts take new
            ones as well: words that no earlier row had.

        Returns
        -------
        self
        """
        self._refuse_parts("partial_fit")
        X, y, sample_weight = located(X, y, sample_weight)
        if feature_names is not None:
            if isinstance(X, Source):
                raise InputError("a Source brings its own names; give no feature_names.")
            if self._coding is not None:
                raise InputError(
                    "feature_names is for models of numbers; give this one a data frame, whose columns have names."
                )
            X = named(X, feature_names)
        elif self.__sklearn_is_fitted__() and not isinstance(X, Source):
            self._table(X)
        statistic = self._count(X, y, sample_weight)
        if classes is not None:
            _, declared = encode_labels(classes)
            statistic = self._spec().empty(declared, statistic.n_features, statistic.feature_names) + statistic
        if self.__sklearn_is_fitted__():
            statistic = self.statistic_ + statistic
        self._keep(statistic)
        return self

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
        check_is_fitted(self)
        self._refuse_parts("forget")
        statistic = self.statistic_ - self._count(X, y, sample_weight)
        if not len(statistic.classes):
            raise InputError("nothing would be left: these are all the rows that were learned.")
        self._keep(statistic)
        return self

    def __add__(self, other: Self) -> Self:
        """The model of the rows of both, as if fitted on them together."""
        if type(other) is not type(self):
            return NotImplemented
        if not (self.__sklearn_is_fitted__() and other.__sklearn_is_fitted__()):
            raise InputError("only fitted models can be merged; call fit or partial_fit on both.")
        self._refuse_parts("+")
        other._refuse_parts("+")
        options, others = (model.get_params() for model in (self, other))  # type: ignore[attr-defined]
        different = [name for name, value in options.items() if not _same(value, others[name])]
        if different:
            raise InputError(f"models to be merged must have equal parameters; they differ in {', '.join(different)}.")
        model: Self = clone(self)
        model._keep(self.statistic_ + other.statistic_)
        return model

    def __radd__(self, other: object) -> Self:
        """So that `sum` of models works: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented


def _same(a: Any, b: Any) -> bool:
    """Equality that arrays also answer."""
    try:
        return a is b or bool(a == b)
    except ValueError:  # arrays have no one truth
        return np.array_equal(a, b)


def rows_learned(X: Any, y: Any, sample_weight: Any, classes: NDArray[Any], statistic: Statistic) -> MemorySource:
    """Rows that are among those of a statistic, their codes pointing into all classes (K,) of its model.

    Raises
    ------
    InputError
        If a row that counts is of a class without rows in the statistic.
    """
    source = MemorySource(X, y, sample_weight)
    merged, own, known = merge_classes(source.classes, classes)
    place = np.full(len(merged), -1)
    place[known] = np.arange(len(classes))
    codes = place[own[source.codes]]
    learned = np.zeros(len(classes) + 1, dtype=bool)  # the last for classes that are not there
    learned[merge_classes(classes, statistic.classes)[2]] = statistic.weight > 0
    unknown = np.flatnonzero(~learned[codes] & (True if source.weight is None else source.weight > 0))
    if len(unknown):
        new = label_text(source.classes[source.codes[unknown[0]]])
        raise InputError(f"y has the class {new}, which was not fitted; give rows that were.")
    # A row that does not count was not fitted, whatever its class: nothing is taken out for it.
    source.codes, source.classes = np.maximum(codes, 0), classes
    return source


def without_row(statistic: S, spec: Spec[S], batch: Batch, i: int, taken: float, classes: NDArray[Any]) -> S:
    """The statistic of the other rows, over the same classes: one that loses its only row stays, empty."""
    row = Batch(
        X=batch.X[i : i + 1],
        codes=batch.codes[i : i + 1],
        classes=batch.classes,
        weight=np.array([taken]),
        first_row=batch.first_row + i,
        feature_names=None,
        holes=batch.holes,
        coding=batch.coding,
    )
    rest = statistic - spec.of(row)
    return spec.empty(classes, rest.n_features, rest.feature_names) + rest
