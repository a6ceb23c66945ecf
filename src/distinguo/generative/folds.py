"""The folds of a tuning: rows held out, and the moments of the others, without counting any row twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.generative.completion import ExpectationMaximisation
from distinguo.resampling import given_splits, numbered_folds, training_sums
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
    fold = numbered_folds(cv, rows.codes, random_state)
    if fold is None:
        return [
            _fold(rows, spec, rows.subset(train).aggregate(spec), test)
            for train, test in given_splits(cv, rows.classes[rows.codes], rows.row_numbers)
        ]
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
    fold = numbered_folds(cv, rows.codes, random_state)
    if fold is None:
        splits = given_splits(cv, rows.classes[rows.codes], rows.row_numbers)
    else:
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(cv))]
    folds = []
    for train, test in splits:
        part = rows.subset(train)
        training = steps.run(part, part.aggregate(ColumnMoments())).moments
        folds.append(_fold(rows, Moments(steps.kind), training, test))
    return folds


def _fold(rows: Gathered, spec: Moments, training: ClassMoments, test: NDArray[np.intp]) -> Fold:
    """A fold over all classes of the rows, those that training lacks included."""
    p = training.n_features
    complete = spec.empty(rows.classes, p, None) + training
    return Fold(complete, rows.X[test], rows.codes[test], rows.weight[test])
