"""Rows judged by models that have not seen them: some held out once, all in folds, or each left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.conformal.folds import Counting, fold_models, one_in, splits_of
from distinguo.evaluation.conformal.looks import Look
from distinguo.exceptions import DistinguoWarning, InputError
from distinguo.options import counting, generator_of

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
FOLDS = 10
PARTS = 2


@dataclass(frozen=True, eq=False)
class Held:
    """A model, and how strange rows are to it that it has not seen.

    Attributes
    ----------
    model : a fitted classifier.
    places : (m,) where the rows stood in what came.
    codes : (m,) their classes.
    weight : (m,)
    strangeness : (m, K)
    """

    model: Any
    places: Codes
    codes: Codes
    weight: Array
    strangeness: Array

    @property
    def own(self) -> Array:
        """(m,) how strange each row is as a member of its own class."""
        return np.asarray(self.strangeness[np.arange(len(self.codes)), self.codes])


@dataclass(frozen=True)
class Plan:
    """Who is held out.

    Attributes
    ----------
    cv : parts or folds, a splitter, (train, test) pairs of row numbers, or None for what is usual.
    random_state : a seed, a generator, or None.
    stratified : whether a part must hold every class's share.
    """

    cv: Any = None
    random_state: Any = 0
    stratified: bool = True


def judged(model: Any, rows: Counting, look: Look) -> Held:
    """Rows that a model has not seen."""
    return Held(model, rows.places, rows.codes, rows.weights(), look.strangeness(model, rows.X, rows.classes))


def left_out(model: Any, rows: Counting, look: Look) -> Held:
    """Rows that a model was fitted on, each as if it had not been there."""
    strangeness = look.left_out(model, rows.X, rows.labels, rows.weight, rows.classes)
    return Held(model, rows.places, rows.codes, rows.weights(), strangeness)


def some_of(rows: Counting, most_rows: Any, random_state: Any) -> Counting:
    """The rows, or a draw of so many where there are more."""
    n, most = len(rows.codes), counting(most_rows, "most_rows")
    if n <= most:
        return rows
    return rows.take(np.sort(generator_of(random_state).choice(n, most, replace=False)))


@contextmanager
def in_a_part() -> Iterator[None]:
    """Errors say that rows are counted among some of them."""
    try:
        yield
    except Exception as error:
        error.add_note("This happened with a part of the rows, the others being held out; rows are numbered within it.")
        raise


# A model of all rows that it may see, and those that it, or others like it, had not seen.
Judges = tuple[Any, list[Held]]


def cross(estimator: Any, rows: Counting, look: Look, plan: Plan) -> list[Held]:
    """Every fold judged by a model of the others."""
    trains, tests = splits_of(rows, FOLDS if plan.cv is None else plan.cv, plan.random_state)
    with in_a_part(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DistinguoWarning)  # the fit on all rows has warned
        models = fold_models(estimator, rows, trains, tests)
        return [judged(model, rows.take(test), look) for model, test in zip(models, tests, strict=True)]


def _cross(estimator: Any, rows: Counting, look: Look, plan: Plan) -> Judges:
    model = rows.fit(estimator)  # first, so that what is wrong with a row is said of it by its number
    return model, cross(estimator, rows, look, plan)


def _split(estimator: Any, rows: Counting, look: Look, plan: Plan) -> Judges:
    """With shares of classes kept, or by a draw of rows whatever their class, which makes the coverage exact."""
    cv = PARTS if plan.cv is None else plan.cv
    if plan.stratified or isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < PARTS:
        trains, tests = splits_of(rows, cv, plan.random_state)
        train, test = trains[0], tests[0]
    else:
        train, test = one_in(rows, int(cv), plan.random_state)
    with in_a_part():
        held = judged(rows.take(train).fit(estimator), rows.take(test), look)
    return held.model, [held]


def _leave_one_out(estimator: Any, rows: Counting, look: Look, plan: Plan) -> Judges:
    if plan.cv is not None:
        raise InputError(f"cv={plan.cv!r} cannot act with method='leave-one-out'; give none.")
    held = left_out(rows.fit(estimator), rows, look)
    return held.model, [held]


WAYS: dict[str, Callable[[Any, Counting, Look, Plan], Judges]] = {
    "split": _split,
    "cross": _cross,
    "leave-one-out": _leave_one_out,
}
