"""Scores of rows by models that have not seen them: by folds, each row on its own, or rows kept apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from distinguo.evaluation.calibration.scores import codes_of, scores_of, spread
from distinguo.evaluation.calibration.temperature import HeldOut
from distinguo.exceptions import DistinguoWarning, InputError
from distinguo.linear.binary import first_of
from distinguo.options import one_of
from distinguo.resampling import given_splits, numbered_folds, training_sums
from distinguo.rows.selection import take_rows
from distinguo.statistics.by_parts import LearnsByParts

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
# How much a fitted model sees of rows, (n,), or None.
Seen = Callable[[Any, Any], Array | None]


@dataclass(frozen=True)
class Lesson:
    """What there is to learn from; every row counts.

    Attributes
    ----------
    X : n rows of any container.
    codes : (n,) integers into `classes`.
    classes : (K,) sorted labels.
    weight : (n,) frequencies, all above zero.
    params : what goes to the model's fit beside rows and labels, one entry a row.
    row_numbers : (n,) where the rows stood in what came.
    """

    X: Any
    codes: Rows
    classes: NDArray[Any]
    weight: Array
    params: Mapping[str, Array]
    row_numbers: Rows

    @property
    def labels(self) -> NDArray[Any]:
        """(n,) of the rows."""
        return np.asarray(self.classes[self.codes])

    def take(self, rows: Rows) -> Lesson:
        """Some of the rows; X is not copied where they are all."""
        if np.array_equal(rows, np.arange(len(self.codes))):
            return self
        params = {name: values[rows] for name, values in self.params.items()}
        return Lesson(
            take_rows(self.X, rows), self.codes[rows], self.classes, self.weight[rows], params, self.row_numbers[rows]
        )

    def fit(self, model: Any, learn: str = "fit") -> Any:
        """A clone fitted on the rows."""
        return getattr(clone(model), learn)(self.X, self.labels, **self.params)

    def said(self, model: Any, seen: Seen) -> HeldOut:
        """What a fitted model says of the rows; those of a class it does not know are left out."""
        known = codes_of(model, self.classes)
        there = self.take(np.flatnonzero(np.isin(self.codes, known)))
        if not len(there.codes):
            return there.held_out(np.empty((0, len(self.classes))), None)
        scores = spread(scores_of(model, there.X), known, len(self.classes))
        return there.held_out(scores, seen(model, there.X))

    def held_out(self, scores: Array, evidence: Array | None) -> HeldOut:
        """The same with what the rows were."""
        return HeldOut(scores, self.codes, self.weight, evidence)


def hold_out(model: Any, lesson: Lesson, cv: Any, random_state: Any, seen: Seen) -> tuple[Any, HeldOut]:
    """A model fitted on all rows, and what is said of each by models that have not seen it.

    Parameters
    ----------
    model : any classifier.
    lesson : the rows.
    cv : number of folds, splitter, (train, test) pairs of row numbers, "leave-one-out" or "prefit".
    random_state : where the shuffle comes from, for a number of folds.
    seen : how much models see of rows.

    Raises
    ------
    InputError
        If nothing can be held out, or the model cannot be calibrated that way.
    """
    if isinstance(cv, str):
        return _NAMED[one_of(cv, "cv", _NAMED)](model, lesson, seen)
    fold = _folds(lesson, cv, random_state)
    fitted, parts = _by_sums_or_fits(model, lesson, fold, cv, seen)
    parts = [part for part in parts if len(part.codes)]
    if not parts:
        raise InputError("no row is held out of a model that knows its class; give more rows of each class.")
    evidence = [part.evidence for part in parts if part.evidence is not None]
    return fitted, HeldOut(
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.weight for part in parts]),
        np.concatenate(evidence) if evidence else None,
    )


def _folds(lesson: Lesson, cv: Any, random_state: Any) -> Rows | None:
    """(n,) the fold of each row, -1 for the only row of a class, which no fold holds out; None for given splits."""
    fold = numbered_folds(cv, lesson.codes, random_state)
    if fold is not None:
        counts = np.bincount(lesson.codes, minlength=len(lesson.classes))
        fold[counts[lesson.codes] == 1] = -1
    return fold


def _by_sums_or_fits(model: Any, lesson: Lesson, fold: Rows | None, cv: Any, seen: Seen) -> tuple[Any, list[HeldOut]]:
    """The fitted model and what the folds' models say: from sums of what the folds count, where the model can."""
    if fold is not None and isinstance(model, LearnsByParts) and hasattr(model, "partial_fit"):
        try:
            return _by_sums(model, lesson, fold, seen)
        except InputError:
            pass  # rows with holes, or whose columns differ in kind from fold to fold, are for fit, or refused by it
    fitted, parts = lesson.fit(model), []
    for train, test in _splits(lesson, fold, cv):
        with _of_fold():
            parts.append(lesson.take(test).said(lesson.take(train).fit(model), seen))
    return fitted, parts


def _by_sums(model: Any, lesson: Lesson, fold: Rows, seen: Seen) -> tuple[Any, list[HeldOut]]:
    """Each row is counted once: a fold's model is the sum of the other folds' and of the rows never held out."""
    kept, tests = np.flatnonzero(fold < 0), [lesson.take(test) for test in _tests(fold)]
    counted = [test.fit(model, "partial_fit") for test in tests]
    others = training_sums(counted)
    fitted = others[0] + counted[0]
    if len(kept):
        rest = lesson.take(kept).fit(model, "partial_fit")
        others, fitted = [other + rest for other in others], fitted + rest
    scores_of(fitted, take_rows(lesson.X, np.arange(1)))  # what it would refuse, or warn of, at its first row
    parts = []
    for other, test in zip(others, tests, strict=True):
        with _of_fold():
            parts.append(test.said(other, seen))
    return fitted, parts


def _tests(fold: Rows) -> list[Rows]:
    """The rows of each fold that has some, at least two folds."""
    tests = [np.flatnonzero(fold == k) for k in range(int(fold.max()) + 1)]
    tests = [test for test in tests if len(test)]
    if len(tests) < 2:
        raise InputError("no class has rows for two folds: there is nothing to hold out. Give more rows of each class.")
    return tests


def _splits(lesson: Lesson, fold: Rows | None, cv: Any) -> Iterator[tuple[Rows, Rows]]:
    if fold is None:
        yield from given_splits(cv, lesson.codes, lesson.row_numbers)
    else:
        yield from ((np.flatnonzero(fold != fold[test[0]]), test) for test in _tests(fold))


@contextmanager
def _of_fold() -> Iterator[None]:
    """Within a fold: our own warnings, which the fit on all rows gives, are left out, and errors say where they are."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DistinguoWarning)
            yield
    except Exception as error:
        error.add_note("This happened in a fold of cv, whose model learns from the other folds only.")
        raise


def _leave_one_out(model: Any, lesson: Lesson, seen: Seen) -> tuple[Any, HeldOut]:
    """Every row by a model without it, which the model knows how to be; the last row of a class stays."""
    if not hasattr(model, "leave_one_out"):
        raise InputError(
            f"cv='leave-one-out' is for models with leave_one_out, and {type(model).__name__} has none as it is; use a "
            "number of folds."
        )
    fitted = lesson.fit(model)
    with np.errstate(divide="ignore"):
        scores = first_of(_LEFT_OUT, fitted)(fitted, lesson)
    totals = np.bincount(lesson.codes, lesson.weight)
    rows = np.flatnonzero(totals[lesson.codes] > 1)
    if not len(rows):
        raise InputError("no class has two rows: there is nothing to leave out. Give more rows of each class.")
    evidence = seen(fitted, lesson.X)
    return fitted, lesson.take(rows).held_out(scores[rows], None if evidence is None else evidence[rows])


def _prefit(model: Any, lesson: Lesson, seen: Seen) -> tuple[Any, HeldOut]:
    """Rows that a fitted model is said not to have seen."""
    return model, lesson.said(model, seen)


def check_prefit(model: Any) -> None:
    """Raise unless a model is fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InputError(
            f"cv='prefit' takes a model that is fitted, and {type(model).__name__} is not; fit it first. Copies by "
            "clone, as cross-validation makes them, are never fitted: put a FrozenEstimator of scikit-learn around it."
        ) from None


_LEFT_OUT: dict[str, Callable[[Any, Lesson], Array]] = {
    "leave_one_out_log_proba": lambda model, of: model.leave_one_out_log_proba(of.X, of.labels, of.weight),
    "predict_log_proba": lambda model, of: np.asarray(np.log(model.leave_one_out(of.X, of.labels, of.weight))),
    "leave_one_out": lambda model, of: model.leave_one_out(of.X, of.labels, of.weight),
}
_NAMED: dict[str, Callable[[Any, Lesson, Seen], tuple[Any, HeldOut]]] = {
    "leave-one-out": _leave_one_out,
    "prefit": _prefit,
}
