"""Pooling and shrinkage chosen by cross-validation, from the statistics of the folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.estimate import Divisor
from distinguo.covariance.regularise import Mixing, Regularisation, mixed_covariances
from distinguo.covariance.shapes import VaryingColumns, class_factors, varying
from distinguo.densities.gaussian import ClassGaussian
from distinguo.densities.marginal import Marginal
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from distinguo.generative.completion import ExpectationMaximisation
from distinguo.generative.folds import Fold, completed_folds, folds_of
from distinguo.generative.grid_kernel import judge
from distinguo.options import is_left_to_cv, share_of
from distinguo.priors import resolve_priors
from distinguo.resampling import least
from distinguo.rows.base import Source
from distinguo.rows.gathered import gather_batches
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]

# Below this ratio of extreme eigenvalues a covariance is taken apart on the correlation scale instead.
WELL_CONDITIONED = 1e-8
# Where the pooling is to be chosen, the missing cells of a fold are completed once, under covariances pooled by half.
HALF_POOLED = 0.5
# A grid of evenly spaced candidates is not finer than this.
MOST_CANDIDATES = 1000


@dataclass(frozen=True)
class Losses:
    """Mean losses over all held-out rows, (n poolings, n shrinkages); infinite where a class is singular."""

    error: Array
    log_loss: Array

    def of(self, criterion: Any) -> Array:
        """The losses to choose by."""
        if criterion not in ("error", "log_loss"):
            raise InputError(f"criterion={criterion!r} is not known; use 'error' or 'log_loss'.")
        return self.error if criterion == "error" else self.log_loss


def grid_losses(
    folds: list[Fold],
    poolings: Array,
    shrinkages: Array,
    mixing: Mixing,
    divisor: Divisor,
    priors_of: Callable[[ClassMoments], Array],
) -> Losses:
    """The losses of every (pooling, shrinkage); one eigendecomposition serves all shrinkages at a pooling.

    Parameters
    ----------
    folds : see `folds_of`.
    poolings, shrinkages : the grid, in [0, 1].
    mixing, divisor : as in `RegularizedDiscriminantAnalysis`.
    priors_of : from moments to priors (K,).
    """
    shape = (len(poolings), len(shrinkages))
    error, log_loss = np.zeros(shape), np.zeros(shape)
    total = sum(float(fold.weight.sum()) for fold in folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        for fold in folds:
            grid = _FoldGrid(fold, priors_of(fold.training), mixing, divisor)
            for i, pooling in enumerate(poolings):
                wrong, lost = grid.losses(float(pooling), shrinkages)
                error[i] += wrong
                log_loss[i] += lost
    return Losses(error / total, log_loss / total)


class _FoldGrid:
    """One fold's scores over the grid."""

    def __init__(self, fold: Fold, priors: Array, mixing: Mixing, divisor: Divisor) -> None:
        self.active = fold.training.weight > 0
        living = fold.training.take_classes(self.active)
        self.fold = fold
        self.kept: VaryingColumns = varying(living)
        self.mixing = mixing
        self.divisor = divisor
        with np.errstate(divide="ignore"):
            self.log_priors = np.log(priors)
        self.X = fold.X[:, self.kept.columns]
        self.holed = np.isnan(self.X).any(axis=1)

    def losses(self, pooling: float, shrinkages: Array) -> tuple[Array, Array]:
        """Weighted errors and log losses (G,) of the fold at every shrinkage."""
        scores = np.full((len(self.active), len(shrinkages), len(self.X)), -np.inf)
        try:
            covariances = mixed_covariances(self.kept.moments, pooling, self.mixing, self.divisor)
        except SingularCovarianceError:  # a class has too few rows of its own
            return np.full(len(shrinkages), np.inf), np.full(len(shrinkages), np.inf)
        values, vectors = np.linalg.eigh(covariances[:1] if pooling == 1 else covariances)  # (K, p), (K, p, p)
        poor = (values[:, 0] < WELL_CONDITIONED * values[:, -1]).any()
        plain = (shrinkages == 0) & poor
        weights, levels = _spectra(values, shrinkages)
        for k, place in enumerate(np.flatnonzero(self.active)):
            shape = k % len(values)  # 0 where one serves all
            squares = vectors[shape].T @ (self.X - self.kept.moments.mean[k]).T  # (p, m), for the next product's sake
            squares *= squares
            np.matmul(weights[shape], squares, out=scores[place])
            scores[place] += levels[shape]
        if self.holed.any():
            for g in np.flatnonzero(~plain):
                scores[np.ix_(self.active, [g], self.holed)] = self._holed_scores(covariances, shrinkages[g])[:, None]
        if plain.any():
            scores[:, plain] = self._plain_scores(covariances).T[:, None]
        error, log_loss = judge(scores, self.log_priors, self.fold.codes, self.fold.weight)
        return np.where(np.isnan(log_loss), np.inf, error), np.where(np.isnan(log_loss), np.inf, log_loss)

    def _holed_scores(self, covariances: Array, shrinkage: float) -> Array:
        """log p(cells that are there | class) of the rows with holes, for the classes that have rows."""
        level = np.trace(covariances, axis1=1, axis2=2) / covariances.shape[1]
        shrunk = (1 - shrinkage) * covariances + (shrinkage * level)[:, None, None] * np.eye(covariances.shape[1])
        used = np.ones(covariances.shape[1], dtype=bool)
        values = Marginal(self.kept.moments.mean, shrunk, used).terms(self.X[self.holed]).log_density.T
        return np.where(level[:, None] > 0, values, np.nan)

    def _plain_scores(self, covariances: Array) -> Array:
        """log p(x | class) (m, K) without shrinkage, as the fitted model has it; NaN where that is singular."""
        scores = np.full((len(self.X), len(self.active)), -np.inf)
        try:
            factors = class_factors(self.kept.moments, lambda _: covariances, shrunk=False)
        except SingularCovarianceError:
            return np.full_like(scores, np.nan)
        scores[:, self.active] = ClassGaussian(self.kept.moments.mean, factors).log_density(self.X)
        return scores


def _spectra(values: Array, shrinkages: Array) -> tuple[Array, Array]:
    """What log p(x | class) is made of, up to a constant, at every shrinkage of the eigenvalues (K, p) of covariances.

    Returns
    -------
    weights : (K, G, p) of the squares along eigenvectors.
    levels : (K, G, 1) what does not depend on the row; NaN where there is no variance to shrink towards.
    """
    share = shrinkages[:, None]  # (G, 1)
    shrunk = (1 - share) * values[:, None] + share * values.mean(axis=1)[:, None, None]  # (K, G, p)
    highest = values[:, -1, None, None]
    shrunk = np.where(highest > 0, np.maximum(shrunk, np.finfo(np.float64).eps * highest), np.nan)
    return -0.5 / shrunk, -0.5 * np.log(shrunk).sum(axis=2, keepdims=True)


@dataclass(frozen=True)
class RegularisationTuning:
    """Cross-validated choice of pooling and shrinkage.

    Attributes
    ----------
    pooling : fixed for models that have no such option, else None.
    """

    pooling: float | None = None

    def is_needed(self, options: dict[str, Any]) -> bool:
        """Whether the pooling or the shrinkage is left to cross-validation."""
        return any(is_left_to_cv(options.get(name)) for name in ("pooling", "shrinkage"))

    def choose(self, model: Any, source: Source) -> Regularisation | None:
        """The pair of least loss; of equals, the most pooled and then the most shrunk.

        Sets `cv_results_` on the model, or takes away what an earlier fit left there.
        """
        vars(model).pop("cv_results_", None)
        options = model.get_params(deep=False)
        if not self.is_needed(options):
            return None
        poolings = self._candidates(options, "pooling", self.pooling)
        shrinkages = self._candidates(options, "shrinkage", None)
        rows = gather_batches(source.batches())
        if np.isnan(rows.X).any():
            pooling = self.pooling if self.pooling is not None else options["pooling"]
            pooling = HALF_POOLED if is_left_to_cv(pooling) else share_of(pooling, "pooling", "'cv'")
            steps = ExpectationMaximisation("full", pooling, options.get("mixing", "scatter"), options["prior"])
            folds = completed_folds(rows, steps, options["cv"], options["random_state"])
        else:
            folds = folds_of(rows, Moments("full"), options["cv"], options["random_state"])

        def priors_of(moments: ClassMoments) -> Array:
            return resolve_priors(options["priors"], moments.classes, moments.weight)

        prior = None if options["prior"] is None else model._pseudo_rows(options["prior"])
        if prior is not None:
            folds = [replace(fold, training=fold.training + prior) for fold in folds]
        mixing = options.get("mixing", "scatter")
        losses = grid_losses(folds, poolings, shrinkages, mixing, options["divisor"], priors_of)
        model.cv_results_ = _results(poolings, shrinkages, losses)
        return _best(poolings, shrinkages, losses.of(options.get("criterion", "error")))

    def _candidates(self, options: dict[str, Any], name: str, fixed: float | None) -> Array:
        """The values to try for an option."""
        if fixed is not None:
            return np.array([fixed])
        if not is_left_to_cv(options[name]):
            return np.array([share_of(options[name], name, "'cv'")])
        return candidate_values(options.get("grid", 11))


def candidate_values(grid: Any) -> Array:
    """Sorted values in [0, 1], from a number of evenly spaced ones or from the values themselves.

    Examples
    --------
    >>> candidate_values(3).tolist(), candidate_values([0.5]).tolist()
    ([0.0, 0.5, 1.0], [0.5])
    """
    if isinstance(grid, int | np.integer) and not isinstance(grid, bool) and 2 <= grid <= MOST_CANDIDATES:
        return np.linspace(0, 1, int(grid))
    try:
        values = np.unique(np.asarray(grid, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if np.ndim(grid) != 1 or not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise InputError(
            f"grid={grid!r} must be a whole number of at least 2 and at most {MOST_CANDIDATES}, or values from 0 to 1."
        )
    return values


def _results(poolings: Array, shrinkages: Array, losses: Losses) -> dict[str, Array]:
    """One entry a pair."""
    pooling, shrinkage = np.meshgrid(poolings, shrinkages, indexing="ij")
    columns = {"pooling": pooling, "shrinkage": shrinkage, "error": losses.error, "log_loss": losses.log_loss}
    return {name: values.ravel() for name, values in columns.items()}


def _best(poolings: Array, shrinkages: Array, loss: Array) -> Regularisation:
    """The pair of least loss, the last of equals."""
    if not np.isfinite(loss).any():
        raise SingularCovarianceError(
            "every candidate leaves a class singular, or a class out of a fold; try shrinkages above 0, fewer folds, "
            "or more rows of the smallest class."
        )
    i, j = np.argwhere(least(loss))[-1]
    return Regularisation(float(poolings[i]), float(shrinkages[j]))
