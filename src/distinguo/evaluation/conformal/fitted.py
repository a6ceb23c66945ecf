"""Calibration of a classifier that is fitted already, small enough to be kept beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.evaluation.conformal.base import refuse_weights
from distinguo.evaluation.conformal.calibration import SetCalibration
from distinguo.evaluation.conformal.folds import Counting
from distinguo.evaluation.conformal.looks import LOOKS, Look
from distinguo.evaluation.conformal.ways import Held, Plan, cross, judged, left_out, some_of
from distinguo.exceptions import InputError
from distinguo.options import one_of, truth
from distinguo.rows.labels import label_text, merge_classes
from distinguo.rows.uncut import uncut_rows

Array = NDArray[np.float64]
MOST_ROWS = 2000


def calibrate_sets(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    method: str | None = None,
    conformity: str = "posterior",
    class_conditional: bool = False,
    cv: Any = None,
    most_rows: int = MOST_ROWS,
    random_state: Any = 0,
) -> SetCalibration:
    """What makes prediction sets of a fitted model's answers: how strange rows are that it has not seen.

    `PredictionSets` fits and calibrates in one; this is for a model that is there already, and gives a few thousand
    numbers that can be kept beside it.

    Parameters
    ----------
    model : a fitted classifier.
    X, y, sample_weight : the rows that it was fitted on, or with "held-out" others.
    method : "leave-one-out"; "cross", by models of the folds, which are fitted anew and forgotten, while the model
        given judges new rows; "held-out", for rows that the model has not seen; None for "leave-one-out" where that can
        be, else "cross".
    conformity, class_conditional, cv, random_state : as in `PredictionSets`.
    most_rows : of more rows, so many are drawn to be left out.

    Returns
    -------
    SetCalibration

    Raises
    ------
    InputError
        If the model or the rows cannot be used so, or y has a class that was not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import LinearDiscriminantAnalysis, calibrate_sets
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> calibration = calibrate_sets(model, X, y)
    >>> calibration.predict_set(model, X[[0, 70]], alpha=0.01).tolist()
    [[True, False, False], [False, True, True]]
    """
    look = LOOKS[one_of(conformity, "conformity", LOOKS)]
    conditional = truth(class_conditional, "class_conditional")
    rows = rows_of(model, X, y, sample_weight, "calibrate_sets")
    held = held_by(method)(model, rows, look, Plan(cv, random_state), most_rows)
    return SetCalibration.of(conformity, rows.classes, held, conditional)


def rows_of(model: Any, X: Any, y: Any, sample_weight: Any, who: str) -> Counting:
    """The rows that count, over the classes of a fitted model.

    Raises
    ------
    InputError
        If y has a class that the model does not know.
    """
    check_is_fitted(model)
    uncut = uncut_rows(X, y, sample_weight, who)
    if uncut.weight is not None:
        refuse_weights(model)
    rows = Counting.of(uncut, uncut.weight is not None)
    classes = np.asarray(model.classes_)
    merged, of_model, of_rows = merge_classes(classes, rows.classes)
    place = np.full(len(merged), -1)
    place[of_model] = np.arange(len(classes))
    unknown = np.flatnonzero(place[of_rows] < 0)
    if len(unknown):
        raise InputError(
            f"y has the class {label_text(rows.classes[unknown[0]])}, which was not fitted; leave such rows out."
        )
    return replace(rows, codes=place[of_rows][rows.codes], classes=classes)


def held_by(method: str | None) -> Callable[[Any, Counting, Look, Plan, Any], list[Held]]:
    """How a fitted model comes to rows that it has not seen."""
    return _first_that_can if method is None else _METHODS[one_of(method, "method", _METHODS)]


def _leave_one_out(model: Any, rows: Counting, look: Look, plan: Plan, most_rows: Any) -> list[Held]:
    _refuse_cv(plan, "leave-one-out")
    return [left_out(model, some_of(rows, most_rows, plan.random_state), look)]


def _cross(model: Any, rows: Counting, look: Look, plan: Plan, most_rows: Any) -> list[Held]:
    return cross(model, rows, look, plan)


def _held_out(model: Any, rows: Counting, look: Look, plan: Plan, most_rows: Any) -> list[Held]:
    _refuse_cv(plan, "held-out")
    return [judged(model, rows, look)]


def _first_that_can(model: Any, rows: Counting, look: Look, plan: Plan, most_rows: Any) -> list[Held]:
    if plan.cv is not None:
        return cross(model, rows, look, plan)
    some = some_of(rows, most_rows, plan.random_state)
    try:
        return [left_out(model, some, look)]
    except InputError:  # by options or missing cells, all rows hang together; what else is wrong shows again
        return cross(model, rows, look, plan)


def _refuse_cv(plan: Plan, method: str) -> None:
    if plan.cv is not None:
        raise InputError(f"cv={plan.cv!r} cannot act with method={method!r}; give none.")


_METHODS: dict[str, Callable[[Any, Counting, Look, Plan, Any], list[Held]]] = {
    "leave-one-out": _leave_one_out,
    "cross": _cross,
    "held-out": _held_out,
}
