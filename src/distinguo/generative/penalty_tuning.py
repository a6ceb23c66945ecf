"""The strength of a penalty, chosen by cross-validation from the statistics of the folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.penalties import penalty_matrix
from distinguo.covariance.roughness import EffectiveDegrees, Penalised, Strength, smaller_space
from distinguo.covariance.scale import column_scale
from distinguo.covariance.shapes import varying_columns
from distinguo.densities.marginal import Marginal
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from distinguo.generative.completion import ExpectationMaximisation
from distinguo.generative.folds import Fold, completed_folds, folds_of
from distinguo.generative.grid_kernel import judge
from distinguo.generative.tuning import MOST_CANDIDATES, Losses
from distinguo.options import is_left_to_cv
from distinguo.priors import resolve_priors
from distinguo.resampling import least
from distinguo.rows.base import Source
from distinguo.rows.gathered import Gathered, gather_batches
from distinguo.statistics.diagonal import ColumnMoments
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


def strength_losses(
    folds: list[Fold],
    omega: Array,
    gammas: Array,
    divisor_of: Callable[[ClassMoments], float],
    priors_of: Callable[[ClassMoments], Array],
) -> Losses:
    """The losses (1, G) of every strength; one decomposition a fold serves all.

    Parameters
    ----------
    folds : see `folds_of`.
    omega : (p, p)
    gammas : (G,)
    divisor_of, priors_of : from moments to the covariance's divisor, and to priors (K,).
    """
    error, log_loss = np.zeros(len(gammas)), np.zeros(len(gammas))
    total = sum(float(fold.weight.sum()) for fold in folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        for fold in folds:
            scores = _fold_scores(fold, omega, gammas, divisor_of)
            with np.errstate(divide="ignore"):
                log_priors = np.log(priors_of(fold.training))
            wrong, lost = judge(scores, log_priors, fold.codes, fold.weight)
            error += np.where(np.isnan(lost), np.inf, wrong)
            log_loss += np.where(np.isnan(lost), np.inf, lost)
    return Losses(error[None] / total, log_loss[None] / total)


def _fold_scores(fold: Fold, omega: Array, gammas: Array, divisor_of: Callable[[ClassMoments], float]) -> Array:
    """log p(x | class) (K, G, m) of rows held out, up to a constant of the row."""
    active = fold.training.weight > 0
    scores = np.full((len(active), len(gammas), len(fold.X)), -np.inf)
    living = fold.training.take_classes(active)
    try:
        pencil = Penalised(living, divisor_of(living), omega)
        outer, _, vectors = pencil.decomposition
    except SingularCovarianceError:  # as many classes as rows
        return np.full_like(scores, np.nan)
    centre = living.weight @ living.mean / living.weight.sum()
    whiten = outer.whiten @ vectors
    z, points = (fold.X - centre) @ whiten, (living.mean - centre) @ whiten
    holed = np.isnan(fold.X).any(axis=1)
    for g, gamma in enumerate(gammas):
        scaled = points / pencil.variances(gamma)
        scores[active, g] = scaled @ z.T - 0.5 * (scaled * points).sum(axis=1)[:, None]
        if holed.any():
            colour = pencil.at(gamma).colour
            classes = Marginal(living.mean, (colour @ colour.T)[None], ~pencil.constant)
            scores[np.ix_(active, np.array([g]), holed)] = classes.terms(fold.X[holed]).log_density.T[:, None]
    return scores


@dataclass(frozen=True)
class Evidence:
    """What a strength is judged by.

    Attributes
    ----------
    whole : moments of all rows.
    folds : rows held out, and the moments of the others.
    omega : (p, p) the penalty in the coordinates of the folds.
    """

    whole: ClassMoments
    folds: list[Fold]
    omega: Array


def _evidence(rows: Gathered, omega: Array, options: dict[str, Any]) -> Evidence:
    """The moments of the rows; cells that are missing are completed as in LDA, anew for every fold."""
    cv, random_state, prior = options["cv"], options["random_state"], options["prior"]
    if np.isnan(rows.X).any():
        steps = ExpectationMaximisation("pooled", 1.0, prior=prior)
        whole = steps.run(rows, rows.aggregate(ColumnMoments())).moments
        return Evidence(whole, completed_folds(rows, steps, cv, random_state), omega)
    if prior is None and len(rows.X) <= rows.X.shape[1]:
        rows, omega = _in_smaller_space(rows, omega)
    spec = Moments("pooled")
    return Evidence(rows.aggregate(spec), folds_of(rows, spec, cv, random_state), omega)


class PenaltyTuning:
    """Cross-validated choice of the strength of a penalty."""

    def is_needed(self, options: dict[str, Any]) -> bool:
        """Whether the strength is left to cross-validation: neither γ nor degrees of freedom are given."""
        return options["gamma"] is None and (options["df"] is None or is_left_to_cv(options["df"]))

    def choose(self, model: Any, source: Source) -> Any:
        """The `Strength` of least loss; of equals, the strongest; None where it is given.

        Sets `cv_results_` on the model, or takes away what an earlier fit left there.
        """
        vars(model).pop("cv_results_", None)
        options = model.get_params(deep=False)
        if not self.is_needed(options):
            return None
        rows = gather_batches(source.batches())
        _check_scale(rows)
        prior = None if options["prior"] is None else model._pseudo_rows(options["prior"])
        omega = penalty_matrix(options["penalty"], rows.X.shape[1], options["order"], options["shape"])
        evidence = _evidence(rows, omega, options)
        whole, folds, omega = evidence.whole, evidence.folds, evidence.omega
        if prior is not None:
            whole = whole + prior
            folds = [replace(fold, training=fold.training + prior) for fold in folds]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)  # the fit will warn
            degrees = EffectiveDegrees(whole, omega, model._divisor(whole))
            dfs = candidate_degrees(options["grid"], *degrees.limits)
            gammas = np.array([degrees.strength(df) for df in dfs])

        def priors_of(moments: ClassMoments) -> Array:
            return resolve_priors(options["priors"], moments.classes, moments.weight)

        losses = strength_losses(folds, omega, gammas, model._divisor, priors_of)
        model.cv_results_ = {"df": dfs, "gamma": gammas, "error": losses.error[0], "log_loss": losses.log_loss[0]}
        return _best(gammas, losses.of(options["criterion"])[0])


def _check_scale(rows: Gathered) -> None:
    """Raise where columns cannot be squared, or none varies; in their own units, before they are turned."""
    known = rows.aggregate(ColumnMoments())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the fit will warn
        varying_columns(column_scale(known.seen, known.mean, known.squares), rows.names)


def _in_smaller_space(rows: Gathered, omega: Array) -> tuple[Gathered, Array]:
    X, omega = smaller_space(rows.X - rows.X.mean(axis=0), omega)
    return replace(rows, X=X, names=None), omega


def candidate_degrees(grid: Any, low: float, high: float) -> Array:
    """Ascending degrees of freedom, from a number of them or from the values themselves.

    Parameters
    ----------
    grid : so many, evenly spaced on a logarithmic scale above what the penalty leaves free; or the values.
    low, high : the limits.

    Examples
    --------
    >>> candidate_degrees(3, 2, 102).round(1).tolist()
    [3.0, 11.9, 101.0]
    """
    if isinstance(grid, int | np.integer) and not isinstance(grid, bool) and 1 <= grid <= MOST_CANDIDATES:
        room = high - low
        if room <= 0:
            raise InputError("the penalty leaves every direction free in which these rows vary; no strength can act.")
        most = 0.99 * room
        return np.asarray(low + np.geomspace(min(1.0, most / 4), most, int(grid)))
    try:
        values = np.unique(np.asarray(grid, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if np.ndim(grid) != 1 or not len(values) or not np.isfinite(values).all():
        raise InputError(
            f"grid={grid!r} must be a whole number of at least 1 and at most {MOST_CANDIDATES}, or degrees of freedom."
        )
    return values


def _best(gammas: Array, loss: Array) -> Strength:
    """The strength of least loss, the strongest of equals; strengths descend."""
    if not np.isfinite(loss).any():
        raise SingularCovarianceError(
            "no strength can be judged: a class is missing from a fold, or there are as many classes as rows. Use "
            "fewer folds, or bring more rows of the smallest class."
        )
    return Strength(float(gammas[np.flatnonzero(least(loss))[0]]))
