"""Models of all rows but some: fitted again, or put together from parts where a model can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from distinguo.exceptions import InputError
from distinguo.options import generator_of
from distinguo.resampling import given_splits, numbered_folds, stratified_folds, training_sums
from distinguo.rows.selection import take_rows
from distinguo.rows.uncut import Uncut
from distinguo.statistics.by_parts import LearnsByParts

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
DRAWS = 100


@dataclass(frozen=True, eq=False)
class Counting:
    """Labelled rows that all count, and how a classifier is fitted on some of them.

    Attributes
    ----------
    X : n rows of any container.
    codes : (n,) integers into `classes`.
    classes : (K,)
    weight : (n,) float64, or None where every row counts once.
    weighs : whether weights are handed on.
    places : (n,) where the rows stood in what came.
    """

    X: Any
    codes: Codes
    classes: NDArray[Any]
    weight: Array | None
    weighs: bool
    places: Codes

    @classmethod
    def of(cls, rows: Uncut, weighs: bool) -> Counting:
        """Rows without those of weight zero."""
        kept = np.flatnonzero(rows.counting())
        if len(kept) == len(rows.codes):
            return cls(rows.X, rows.codes, rows.classes, rows.weight, weighs, kept)
        weight = None if rows.weight is None else rows.weight[kept]
        return cls(take_rows(rows.X, kept), rows.codes[kept], rows.classes, weight, weighs, kept)

    @property
    def labels(self) -> NDArray[Any]:
        """(n,) of the type they came in."""
        return np.asarray(self.classes[self.codes])

    def weights(self) -> Array:
        """(n,) whether they came or not."""
        return np.ones(len(self.codes)) if self.weight is None else self.weight

    def take(self, rows: Codes) -> Counting:
        """Some of the rows, over the same classes."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, X=take_rows(self.X, rows), codes=self.codes[rows], weight=weight, places=self.places[rows])

    def fit(self, estimator: Any) -> Any:
        """A clone fitted on the rows."""
        return clone(estimator).fit(self.X, self.labels, **self._params())

    def start(self, estimator: Any) -> Any:
        """A clone that may learn more rows, and is told of all classes."""
        return clone(estimator).partial_fit(self.X, self.labels, classes=self.classes, **self._params())

    def _params(self) -> dict[str, Any]:
        return {"sample_weight": self.weight} if self.weighs and self.weight is not None else {}


def splits_of(rows: Counting, cv: Any, random_state: Any) -> tuple[list[Codes], list[Codes]]:
    """The training and the test rows of each fold.

    Parameters
    ----------
    cv : a number of stratified folds, a splitter, or (train, test) pairs of row numbers.
    random_state : a seed, a generator, or None.
    """
    fold = numbered_folds(cv, rows.codes, random_state)
    if fold is not None:
        each = range(int(fold.max()) + 1)
        return [np.flatnonzero(fold != k) for k in each], [np.flatnonzero(fold == k) for k in each]
    pairs = given_splits(cv, rows.labels, rows.places)
    if any(not len(part) for pair in pairs for part in pair):
        raise InputError("a fold of cv has no rows to learn from, or none to hold out.")
    return [train for train, _ in pairs], [test for _, test in pairs]


def one_in(rows: Counting, parts: int, random_state: Any) -> tuple[Codes, Codes]:
    """Training rows, and one row in so many held out, whatever their classes.

    Drawn again where a class that has two rows would have none to learn from; that is rare, or the classes are tiny.
    """
    n = len(rows.codes)
    if n < parts:
        raise InputError(f"{n} rows cannot be split into {parts} parts.")
    generator = generator_of(random_state)
    several = np.flatnonzero(np.bincount(rows.codes) > 1)
    for _ in range(DRAWS):
        shuffled = generator.permutation(n)
        held, train = np.sort(shuffled[: n // parts]), np.sort(shuffled[n // parts :])
        if np.isin(several, rows.codes[train]).all():
            return train, held
    fold = stratified_folds(rows.codes, parts, generator)
    return np.flatnonzero(fold > 0), np.flatnonzero(fold == 0)


def fold_models(estimator: Any, rows: Counting, trains: Sequence[Codes], tests: Sequence[Codes]) -> Iterator[Any]:
    """A model of each fold's training rows, one after the other."""
    whole = _from_parts(estimator, rows, tests) if _is_partition(trains, tests, len(rows.codes)) else None
    if whole is not None:
        yield from whole
        return
    for train in trains:
        yield rows.take(train).fit(estimator)


def _is_partition(trains: Sequence[Codes], tests: Sequence[Codes], n: int) -> bool:
    """Whether every row is held out once, and learned from whenever it is not."""
    held = np.bincount(np.concatenate(tests), minlength=n)
    return bool((held == 1).all()) and all(
        len(train) + len(test) == n for train, test in zip(trains, tests, strict=True)
    )


def _from_parts(estimator: Any, rows: Counting, tests: Sequence[Codes]) -> list[Any] | None:
    """Models of all rows but those of each part, every row being counted once; None where that cannot be."""
    if not isinstance(estimator, LearnsByParts) or len(tests) < 2:
        return None
    try:
        return training_sums([rows.take(test).start(estimator) for test in tests])
    except (AttributeError, InputError):  # the options ask for all rows at once, or cells are missing
        return None
