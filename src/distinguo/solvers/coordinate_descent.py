"""Coordinate descent for a logistic or softmax likelihood with an elastic net, in Newton steps on chosen columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distinguo.solvers.columns import Bounds, Columns, Places
from distinguo.solvers.shifts import least_shift, settled
from distinguo.solvers.solution import Solution, Status
from distinguo.statistics.logistic_kernels import losses_and_residuals, relative_scores

Array = NDArray[np.float64]

# Columns brought in at a time: at least this many, and so many for each that is there.
LEAST_WORKING, GROWTH = 100, 3.0
# What is left of the greatest unmet derivative when a working set is left, and when a quadratic is.
LEAVE_SET, LEAVE_QUADRATIC = 0.3, 0.2
# Passes over the classes of one quadratic, and sweeps over the columns in each.
TURNS, SWEEPS = 50, 20
# Second derivatives of a row are at least this share of the mean: where a row is all but certain, they say nothing of
# a step that would make it less so.
LIFT = 1e-3
# The share of the predicted decrease that a step must bring, and how often it is halved for that.
ENOUGH, HALVINGS = 1e-4, 40


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, as coordinate descent takes them.

    Attributes
    ----------
    columns : p columns of n rows.
    codes, weight : (n,) classes and weights.
    K : how many classes; two have one free score, the second's, more have one each.
    fixed : (n, K) parts of the scores that do not move.
    constant : whether scores have a constant.
    """

    columns: Columns
    codes: NDArray[np.intp]
    weight: Array
    K: int
    fixed: Array
    constant: bool

    @property
    def n_free(self) -> int:
        """How many scores are free, C."""
        return 1 if self.K == 2 else self.K

    def take(self, places: Places) -> Problem:
        """The same rows with some of the columns."""
        return replace(self, columns=self.columns.take(places))

    def zero(self) -> Coefficients:
        """Coefficients that are nothing."""
        return Coefficients(np.zeros((self.n_free, self.columns.size)), np.zeros(self.n_free))


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Of the free scores.

    Attributes
    ----------
    slopes : (C, p)
    constants : (C,)
    """

    slopes: Array
    constants: Array


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients, and what the rows say of them.

    Attributes
    ----------
    at : the coefficients.
    scores : (n, K)
    loss : minus the log-likelihood.
    shares : (C, n) probabilities of the classes whose scores are free.
    residuals : (C, n) derivatives of the loss by the scores.
    """

    at: Coefficients
    scores: Array
    loss: float
    shares: Array
    residuals: Array


def fit_at(problem: Problem, at: Coefficients) -> Fit:
    """The rows at some coefficients."""
    scores = problem.fixed.copy()
    for k in range(problem.n_free):
        scores[:, k - problem.n_free] += problem.columns.times(at.slopes[k]) + at.constants[k]
    return _fit(problem, at, scores)


def _fit(problem: Problem, at: Coefficients, scores: Array) -> Fit:
    relative = scores.copy()
    relative_scores(relative, problem.codes, problem.weight)
    shares = np.exp(relative)
    residuals = np.empty_like(shares)
    loss = losses_and_residuals(shares, relative, problem.codes, problem.weight, residuals)
    free = slice(problem.K - problem.n_free, None)
    return Fit(at, scores, loss, np.ascontiguousarray(shares.T[free]), np.ascontiguousarray(residuals.T[free]))


def coordinate_descent(
    problem: Problem,
    bounds: Bounds,
    start: Fit,
    *,
    screen: Array | None = None,
    tol: float = 1e-9,
    max_iter: int = 1000,
) -> Solution[Fit]:
    r"""The least value of :math:`L + \sum l_1 |b| + \tfrac12 \sum l_2 b^2` over coefficients and free constants.

    A step is the minimum of the second-order expansion of L with the penalty as it is, found by descent in each
    coefficient in turn, class by class; it is halved until it brings enough. Steps are taken in a working set of
    columns, to which those are added whose derivatives the penalty does not account for, the greatest first.

    Parameters
    ----------
    problem : rows.
    bounds : the penalty (p,).
    start : where to begin.
    screen : (p,) columns whose derivative at the start is at least this are in the working set from the beginning.
    tol : the greatest derivative unmet, in units of `bounds.size` and a row, at which the point is taken.
    max_iter : the most steps.

    References
    ----------
    Friedman, Hastie and Tibshirani (2010), Journal of Statistical Software 33(1). Lee, Sun and Saunders (2014),
    Proximal Newton-type methods, SIAM J. Optim. 24, 1420-1443.
    """
    enough = tol * float(problem.weight.sum())
    now, trace, canonical = start, [start.loss + bounds.penalty(start.at.slopes)], False
    chosen = np.asarray(start.at.slopes.any(axis=0))  # (p,)
    while True:
        slopes = problem.columns.along(now.residuals)  # (C, p)
        unmet = bounds.unmet(slopes, now.at.slopes).max(axis=0)
        worst = max(float(unmet.max(initial=0.0)), _unmet_constant(problem, now))
        if worst <= enough and not canonical:
            settled_slopes = settled(now.at.slopes, bounds.l2)
            canonical = True
            if settled_slopes is not now.at.slopes:
                now = fit_at(problem, Coefficients(settled_slopes, now.at.constants))
                continue
        if worst <= enough or len(trace) > max_iter:
            status: Status = "converged" if worst <= enough else "max_iter"
            return Solution(now, status, len(trace) - 1, np.array(trace))
        if screen is not None:
            chosen |= (np.abs(slopes) >= screen).any(axis=0)
            screen = None
        more = _bring_in(chosen, unmet, enough)
        before = len(trace)
        goal = max(LEAVE_SET * worst, 0.5 * enough) if more else 0.5 * enough
        now = _on_working_set(problem, bounds, now, np.flatnonzero(chosen), goal, trace, max_iter)
        if len(trace) == before:
            return Solution(now, "max_iter", len(trace) - 1, np.array(trace))


def _unmet_constant(problem: Problem, now: Fit) -> float:
    """The greatest derivative by a constant."""
    return float(np.abs(now.residuals.sum(axis=1)).max()) if problem.constant else 0.0


def _bring_in(chosen: NDArray[np.bool_], unmet: Array, enough: float) -> bool:
    """Choose the columns outside that miss the most; whether there are any."""
    outside = np.where(chosen, 0.0, unmet)
    wanted = np.flatnonzero(outside > enough)
    most = max(LEAST_WORKING, int(GROWTH * chosen.sum()))
    if len(wanted) > most:
        wanted = wanted[np.argpartition(-outside[wanted], most)[:most]]
    chosen[wanted] = True
    return len(wanted) > 0


def _on_working_set(
    problem: Problem, bounds: Bounds, now: Fit, places: Places, goal: float, trace: list[float], max_iter: int
) -> Fit:
    """Steps in some of the columns, until no derivative there misses more than the goal."""
    part, inner = problem.take(places), bounds.take(places)
    fit = replace(now, at=Coefficients(now.at.slopes[:, places], now.at.constants))
    while len(trace) <= max_iter:
        unmet = inner.unmet(part.columns.along(fit.residuals), fit.at.slopes)
        worst = max(float(unmet.max(initial=0.0)), _unmet_constant(part, fit))
        if worst <= goal:
            break
        fit = _shifted(fit, inner)
        found = _line_search(part, inner, fit, *_direction(part, inner, fit, LEAVE_QUADRATIC * worst))
        if found is None:
            break
        fit = found
        trace.append(fit.loss + inner.penalty(fit.at.slopes))
    slopes = np.zeros_like(now.at.slopes)
    slopes[:, places] = fit.at.slopes
    return replace(fit, at=Coefficients(slopes, fit.at.constants))


def _shifted(fit: Fit, bounds: Bounds) -> Fit:
    """The same scores, up to what all classes share, at the least penalty."""
    slopes = fit.at.slopes
    if len(slopes) == 1:
        return fit
    shift = least_shift(slopes, bounds.l1, bounds.l2)
    return replace(fit, at=replace(fit.at, slopes=slopes - shift))


def _direction(problem: Problem, bounds: Bounds, fit: Fit, goal: float) -> tuple[Coefficients, Array]:
    """Where the second-order expansion is least, and how the free scores (C, n) change on the way there."""
    C, n = fit.shares.shape
    quadratics = [problem.columns.quadratic(_weights(problem, p), problem.constant) for p in fit.shares]
    slopes, constants = fit.at.slopes.copy(), fit.at.constants.copy()
    move, common = np.zeros((C, n)), np.zeros(n)  # common: Σ_k p_k move_k
    for _ in range(TURNS):
        worst = 0.0
        for k, p in enumerate(fit.shares):
            u = fit.residuals[k] + problem.weight * p * (move[k] - common)
            before = slopes[k].copy()
            first, constant = quadratics[k].descend(u, slopes[k], bounds, goal, SWEEPS)
            change = problem.columns.times(slopes[k] - before) + constant
            constants[k] += constant
            move[k] += change
            common += p * change
            worst = max(worst, first)
        if worst <= goal or C == 1:
            break
    return Coefficients(slopes, constants), move


def _weights(problem: Problem, share: Array) -> Array:
    """(n,) second derivatives of the loss by a class's scores, lifted where they are next to nothing."""
    h = problem.weight * share * (1 - share)
    return np.asarray(np.maximum(h, LIFT * problem.weight * (h.sum() / problem.weight.sum())))


def _line_search(problem: Problem, bounds: Bounds, now: Fit, goal: Coefficients, move: Array) -> Fit | None:
    """The first of ever shorter steps towards the goal that brings enough; None where none does."""
    old, before = now.at, bounds.penalty(now.at.slopes)
    gain = before - bounds.penalty(goal.slopes) - float((now.residuals * move).sum())
    value = now.loss + before
    rounding = 1e-14 * (abs(value) + 1)
    free = slice(problem.K - problem.n_free, None)
    share = 1.0
    for _ in range(HALVINGS):
        slopes = goal.slopes if share == 1 else old.slopes + share * (goal.slopes - old.slopes)
        at = Coefficients(slopes, old.constants + share * (goal.constants - old.constants))
        scores = now.scores.copy()
        scores[:, free] += share * move.T
        trial = _fit(problem, at, scores)
        if trial.loss + bounds.penalty(slopes) <= value - ENOUGH * share * gain + rounding:
            return trial
        share /= 2
    return None
