"""The folds of a tuning: rows held out, and the moments of the others, without counting any row twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.generative.completion import ExpectationMaximisation
from distinguo.options import generator_of
from distinguo.resampling import stratified_folds, training_sums
from distinguo.rows.gathered import Gathered
from distinguo.statistics.diagonal import ColumnMoments
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fold:
    """Rows held out, and the moments of the others.

    Attributes
    ----------
    training : moments of the other folds' rows, over all K classes.
    X : (m, p) rows held out.
    codes : (m,) their classes.
    weight : (m,) their frequencies.
    """

    training: ClassMoments
    X: Array
    codes: NDArray[np.intp]
    weight: Array


def folds_of(rows: Gathered, spec: Moments, cv: Any, random_state: Any) -> list[Fold]:
    """The folds of a cross-validation; those of a number of folds share their statistics.

    Parameters
    ----------
    rows : gathered rows.
    cv : number of stratified folds, or an iterable of (train, test) row numbers.
    random_state : where the shuffle comes from, for a number of folds.
    """
    fold = _numbered(cv, rows, random_state)
    if fold is None:
        return [_fold(rows, spec, rows.subset(train).aggregate(spec), test) for train, test in _splits(cv, rows)]
    tests = [np.flatnonzero(fold == k) for k in range(int(cv))]
    sums = training_sums([rows.subset(test).aggregate(spec) for test in tests])
    return [_fold(rows, spec, training, test) for training, test in zip(sums, tests, strict=True)]


def completed_folds(rows: Gathered, steps: ExpectationMaximisation, cv: Any, random_state: Any) -> list[Fold]:
    """The folds of a cross-validation of rows with missing cells, each completed by EM of its own.

    Parameters
    ----------
    rows, cv, random_state : as in `folds_of`.
    steps : how the cells are completed.
    """
    fold = _numbered(cv, rows, random_state)
    if fold is None:
        splits = _splits(cv, rows)
    else:
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(cv))]
    folds = []
    for train, test in splits:
        part = rows.subset(train)
        training = steps.run(part, part.aggregate(ColumnMoments())).moments
        folds.append(_fold(rows, Moments(steps.kind), training, test))
    return folds


def _numbered(cv: Any, rows: Gathered, random_state: Any) -> NDArray[np.intp] | None:
    """(n,) the fold of each row where `cv` is a number of folds, else None."""
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer):
        return None
    if cv < 2:
        raise InputError(f"cv={cv!r} must be at least 2 folds.")
    return np.asarray(stratified_folds(rows.codes, int(cv), generator_of(random_state)))


def _splits(cv: Any, rows: Gathered) -> list[tuple[Any, Any]]:
    """The splits of a list, or of a scikit-learn splitter."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        return list(cv.split(np.empty((len(rows.X), 1)), rows.classes[rows.codes]))
    pairs = list(cv) if isinstance(cv, Iterable) and not isinstance(cv, str | Mapping) else []
    if not pairs or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise InputError(f"cv={cv!r} must be a number of folds, a splitter, or (train, test) pairs of row numbers.")
    return [(rows.find(train), rows.find(test)) for train, test in pairs]


def _fold(rows: Gathered, spec: Moments, training: ClassMoments, test: NDArray[np.intp]) -> Fold:
    """A fold over all classes of the rows, those that training lacks included."""
    p = training.n_features
    complete = spec.empty(rows.classes, p, None) + training
    return Fold(complete, rows.X[test], rows.codes[test], rows.weight[test])
