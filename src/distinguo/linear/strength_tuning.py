"""The strength of a penalty on coefficients, chosen by cross-validation along a grid."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from distinguo.exceptions import InputError, LeftOutWarning
from distinguo.hyperplane import Affine, decide
from distinguo.linear.penalties import elastic_net
from distinguo.linear.strengths import solutions, strengths
from distinguo.linear.task import Given, Task
from distinguo.resampling import given_splits, least, numbered_folds
from distinguo.rows.matrix import LabelledMatrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FoldLosses:
    """Mean losses of the rows held out, by fold and strength.

    Attributes
    ----------
    error, log_loss : (F, m)
    weight : (F,) rows held out.
    """

    error: Array
    log_loss: Array
    weight: Array

    def results(self, Cs: Array) -> dict[str, Array]:
        """Means over all rows held out, and their standard errors from the spread of the folds, by strength."""
        table = {"C": Cs}
        for name, losses in (("log_loss", self.log_loss), ("error", self.error)):
            mean = np.average(losses, axis=0, weights=self.weight)
            spread = np.average((losses - mean) ** 2, axis=0, weights=self.weight)
            table[name] = mean
            table[f"{name}_standard_error"] = np.sqrt(spread / max(len(losses) - 1, 1))
        return table


def chosen_strength(model: Any, given: Given) -> tuple[float, dict[str, Array]]:
    """The C that cross-validation chooses for a model, and what it was chosen by.

    The scales of the columns, and all else, are those of the rows that a fold learns from.

    Parameters
    ----------
    model : a logistic regression, whose options say which grid, folds, criterion and rule.
    given : the arguments of fit.
    """
    criterion, rule = _option(model, "criterion", CRITERIA), _option(model, "rule", RULES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the fit will warn
        Cs, losses = _losses_of_grid(model, given)
    results = losses.results(Cs)
    place = RULES[rule](results[criterion], results[f"{criterion}_standard_error"])
    return float(Cs[place]), results


def _losses_of_grid(model: Any, given: Given) -> tuple[Array, FoldLosses]:
    """The strengths, and how they do in every fold."""
    task = model._task(given, 1.0)
    Cs = strengths(model.Cs, task, model.l1_ratio, model._unit(task.scaling))
    rows, offsets = given.matrix, given.row_offsets(len(task.scaling.classes))
    offsets = None if offsets is None else offsets[rows.row_numbers]
    fold = numbered_folds(model.cv, rows.codes, model.random_state)
    splits = (
        given_splits(model.cv, rows.classes[rows.codes], rows.row_numbers)
        if fold is None
        else [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(model.cv))]
    )
    return Cs, _losses(model, given, rows, offsets, Cs, splits)


def _losses(
    model: Any, given: Given, rows: LabelledMatrix, offsets: Array | None, Cs: Array, splits: list[tuple[Any, Any]]
) -> FoldLosses:
    error, log_loss = np.empty((len(splits), len(Cs))), np.empty((len(splits), len(Cs)))
    weight = np.empty(len(splits))
    for f, (train, test) in enumerate(splits):
        task = _fold_task(model, given, rows.subset(train), None if offsets is None else offsets[train])
        unit = model._unit(task.scaling)
        held_out = rows.subset(test)
        weight[f] = held_out.weight.sum()
        if not weight[f]:
            raise InputError("a fold of cv holds no row out that weighs anything; there is nothing to judge by.")
        penalties = [elastic_net(C, model.l1_ratio, unit) for C in Cs.tolist()]
        for i, found in enumerate(solutions(task, model.solver, penalties)):
            judged = _judged(found.value, held_out, 0.0 if offsets is None else offsets[test])
            error[f, i], log_loss[f, i] = judged[0] / weight[f], judged[1] / weight[f]
    return FoldLosses(error, log_loss, weight)


def _fold_task(model: Any, given: Given, rows: LabelledMatrix, offsets: Array | None) -> Task:
    """The task of the rows that a fold learns from."""
    present = np.unique(rows.codes)
    if len(present) < len(rows.classes):
        raise InputError(
            f"a fold leaves no row of {len(rows.classes) - len(present)} class(es) to learn from; use fewer folds, "
            "or bring more rows of the smallest class."
        )
    if offsets is not None and len(rows.classes) == 2:
        offsets = offsets[:, 1] - offsets[:, 0]
    task: Task = model._task(Given(rows.X, rows.classes[rows.codes], rows.weight, offsets, given.who), 1.0)
    return task


def _judged(scores: Affine, rows: LabelledMatrix, offsets: Array | float) -> tuple[float, float]:
    """Weighted sums of errors and of minus log probabilities."""
    raw = rows.X @ scores.normals.T + scores.intercepts if rows.is_sparse else scores(np.asarray(rows.X))
    values = np.asarray(raw) + offsets
    own = log_softmax(values, axis=1)[np.arange(len(values)), rows.codes]
    return float(rows.weight @ (decide(values) != rows.codes)), float(-rows.weight @ own)


def _option(model: Any, name: str, known: Any) -> str:
    value = getattr(model, name)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name}={value!r} is not known; use one of {', '.join(map(repr, known))}.")
    return value


def _best(mean: Array, _: Array) -> int:
    """The strongest penalty of the least loss."""
    return int(np.flatnonzero(least(mean))[0])


def _within_one_error(mean: Array, standard_error: Array) -> int:
    """The strongest penalty whose loss is within one standard error of the least."""
    best = _best(mean, standard_error)
    return int(np.flatnonzero(mean <= mean[best] + standard_error[best])[0])


CRITERIA = ("log_loss", "error")
RULES: dict[str, Callable[[Array, Array], int]] = {"best": _best, "one-standard-error": _within_one_error}
