"""Penalised discriminant analysis: Gaussian classes of one shape, with directions that are not rough."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distinguo.covariance.estimate import Divisor, divide
from distinguo.covariance.factor import Factor
from distinguo.covariance.penalties import penalty_matrix
from distinguo.covariance.roughness import EffectiveDegrees, Penalised
from distinguo.densities.gaussian import SharedGaussian
from distinguo.exceptions import InputError, LeftOutWarning
from distinguo.generative.completion import Completion
from distinguo.generative.description import Description
from distinguo.generative.discriminant import GaussianClasses
from distinguo.generative.drawn_shapes import sole_to_vary
from distinguo.generative.penalty_tuning import PenaltyTuning
from distinguo.generative.shared_shape import SharedShape, distances_without
from distinguo.rows.base import Batch
from distinguo.statistics.holes import LOG_2PI
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


class PenalizedDiscriminantAnalysis(SharedShape, GaussianClasses):
    r"""Linear discriminant analysis with a penalty on rough coefficients (Hastie, Buja and Tibshirani, 1995).

    .. math:: \delta_k(x) = x^\top M^{-1} \mu_k - \tfrac12 \mu_k^\top M^{-1} \mu_k + \log \pi_k,
              \qquad M = S_W + \gamma \Omega

    LDA with :math:`S_W + \gamma \Omega` in the place of the within-class covariance. For spectra, signals and images,
    whose columns are many, ordered and alike, and where columns outnumber rows.

    Tuned by cross-validation, which is the default, it needs all rows in memory; with γ or the degrees of freedom given
    it streams, merges and forgets like LDA.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    penalty : what Ω is. "ridge": the identity; "difference": D'D with D the differences of neighbouring columns;
        "laplacian": L'L with L the Laplacian of an image; or a matrix (p, p), symmetric and positive semi-definite. It
        acts on coefficients in the units of the columns, so with "ridge" columns should be alike, or scaled to be.
    order : of the differences, 2 unless told.
    shape : (rows, columns) of the image, for "laplacian"; the columns of X go through it row by row.
    gamma : γ ≥ 0; 0 is LDA.
    df : in its place, the effective degrees of freedom tr T (T + γνΩ)⁻¹, where T is the scatter around the common mean
        and ν the divisor: those of the regression of the classes on the columns, the constant not counted (as in R's
        `mda::gen.ridge`). Between what the penalty leaves free (0 for "ridge", the order for "difference", 1 for
        "laplacian") and the rank of T. None or "cv", where γ is not given either: chosen by cross-validation.
    grid : candidates for cross-validation: so many degrees of freedom, spaced logarithmically, or the values.
    cv : number of stratified folds, a scikit-learn splitter, or (train, test) pairs of row numbers.
    criterion : "log_loss" or "error", averaged over held-out rows; of equals, the strongest penalty is taken.
    random_state : seed of the folds.
    n_components : how many discriminant directions `transform` returns and `predict` uses; None for all.
    divisor : "unbiased" (n - K) or "mle" (n).
    prior : pseudo-rows from `distinguo.pseudo_rows`, added before estimation.
    unlabeled : None (every row must have a label), or what stands for a label that is not known: "missing" for None,
        NaN, NaT and NA, or a value such as -1, as in scikit-learn's semi-supervised models. EM counts such a row in
        each class with its posterior (O'Neill, 1978, JASA 73, 821-826); all rows are held in memory.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_ : (K, p)
    covariance_ : (p, p), the penalty included.
    gamma_, df_ : the strength in use, and its effective degrees of freedom.
    cv_results_ : {"df", "gamma", "error", "log_loss"}, arrays over the grid; absent where nothing is tuned.
    coef_, intercept_ : (K, p) and (K,), or (1, p) and (1,) for two classes; as in scikit-learn.
    scalings_ : (p, L) discriminant directions, of penalised within-class variance one.
    explained_variance_ratio_ : (L,) shares of the between-class variance.
    n_parameters_ : those of LDA.

    Raises
    ------
    InputError
        At fit, if the penalty, its options or its strength cannot be used, or an option cannot act.

    Notes
    -----
    A column that is constant takes no part; its coefficient, which no row speaks for, is what the penalty likes best.
    `leave_one_out` keeps the strength of the full fit, as it keeps the priors. Missing cells are
    completed at fit by EM under the covariance without the penalty, in every fold anew where the strength is tuned, and
    marginalised at predict.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> X = rng.normal(size=(60, 100)) + np.outer(y, np.linspace(-0.4, 0.4, 100))  # spectra: more channels than rows
    >>> model = PenalizedDiscriminantAnalysis(penalty="difference", df=4).fit(X[:40], y[:40])
    >>> model.score(X[40:], y[40:])
    0.95

    References
    ----------
    Hastie, Buja and Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23, 73-102.
    """

    _tuning = PenaltyTuning()
    _completion = Completion(pooling=1.0)
    _takes_unlabeled = True
    _tuned: Any = None

    def __init__(
        self,
        priors: Any = None,
        *,
        penalty: str | ArrayLike = "ridge",
        order: int | None = None,
        shape: Any = None,
        gamma: float | None = None,
        df: float | str | None = None,
        grid: int | ArrayLike = 20,
        cv: Any = 10,
        criterion: str = "log_loss",
        random_state: int = 0,
        n_components: int | None = None,
        divisor: Divisor = "unbiased",
        prior: ClassMoments | None = None,
        unlabeled: Any = None,
    ) -> None:
        self.priors = priors
        self.penalty = penalty
        self.order = order
        self.shape = shape
        self.gamma = gamma
        self.df = df
        self.grid = grid
        self.cv = cv
        self.criterion = criterion
        self.random_state = random_state
        self.n_components = n_components
        self.divisor = divisor
        self.prior = prior
        self.unlabeled = unlabeled

    def _spec(self) -> Moments:
        return Moments("pooled")

    def _divisor(self, moments: ClassMoments) -> float:
        """What the scatter is divided by."""
        one = np.ones((1, 1))
        return float(
            1 / divide(one, float(moments.weight.sum()), len(moments.classes), self.divisor, "the table")[0, 0]
        )

    def _omega(self, p: int) -> Array:
        return penalty_matrix(self.penalty, p, self.order, self.shape)

    def _degrees(self, moments: ClassMoments) -> EffectiveDegrees:
        """Degrees of freedom by strength."""
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", LeftOutWarning
            )  # what is left out is left out of the shape too, which warns
            return EffectiveDegrees(moments, self._omega(moments.n_features), self._divisor(moments))

    def _strength(self, moments: ClassMoments) -> float:
        """γ: that given, that of the degrees of freedom, or that chosen."""
        if self._tuning.is_needed(self.get_params(deep=False)):
            return float(self._tuned.gamma)
        if self.gamma is None:
            return self._degrees(moments).strength(self.df)
        if self.df is not None:
            raise InputError(f"df={self.df!r} cannot act with gamma={self.gamma!r}; give one of the two.")
        is_number = isinstance(self.gamma, int | float | np.integer | np.floating) and not isinstance(self.gamma, bool)
        if not is_number or not 0 <= self.gamma < np.inf:
            raise InputError(f"gamma={self.gamma!r} must be a number of at least 0, or None.")
        return float(self.gamma)

    def _penalised(self, moments: ClassMoments) -> Penalised:
        return Penalised(moments, self._divisor(moments), self._omega(moments.n_features))

    def _density(self, statistic: ClassMoments, priors: Array) -> SharedGaussian:
        return self._gaussian(statistic, priors)

    def _shared_factor(self, statistic: ClassMoments) -> Factor:
        return self._penalised(statistic).factor(self._strength(statistic))

    @property
    def gamma_(self) -> float:
        """The strength in use."""
        return self._strength(self._describe().statistic)

    @property
    def df_(self) -> float:
        """Effective degrees of freedom of the strength in use."""
        return self._degrees(self._describe().statistic).of(self.gamma_)

    @property
    def covariance_(self) -> Array:
        """(p, p) pooled within-class covariance plus the penalty, in the units of the columns."""
        statistic = self._describe().statistic
        return statistic.within / self._divisor(statistic) + self._strength(statistic) * self._omega(
            statistic.n_features
        )

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means and one covariance."""
        K, p = self._describe().statistic.mean.shape
        return int(K * p + p * (p + 1) // 2)

    def _scores_without(
        self, description: Description[ClassMoments, Any], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Rank-one downdates of the pooled scatter, at the strength of the full fit."""
        statistic = description.statistic
        fixed = copy(self)
        fixed.gamma, fixed.df = self._strength(statistic), None
        scores, unsure = fixed._downdated(description, batch, taken)
        for i in np.flatnonzero(unsure):
            scores[i] = fixed._refitted_scores(description, batch, int(i), taken[i])
        return scores, np.zeros(len(scores), dtype=bool)

    def _downdated(
        self, description: Description[ClassMoments, Any], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Scores (n, K) without each row, and the rows whose removal is no change of rank one."""
        statistic = description.statistic
        n, K = len(batch.X), len(description.active)
        degrees = self._divisor(statistic) - 1
        if self.n_components is not None or degrees <= 0:
            return np.zeros((n, K)), np.ones(n, dtype=bool)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)  # the fit has warned
            factor = Penalised(statistic, degrees, self._omega(statistic.n_features)).factor(self._strength(statistic))
        if factor.whiten.shape[1] < self.n_features_in_:
            return np.zeros((n, K)), np.ones(n, dtype=bool)
        own = (np.cumsum(description.active) - 1)[batch.codes]
        weight = statistic.weight[own]
        remaining = np.maximum(weight - taken, 0.0)
        centre = description.density.centre
        z, points = (batch.X - centre) @ factor.whiten, (statistic.mean - centre) @ factor.whiten
        with np.errstate(divide="ignore", invalid="ignore"):
            share = taken * weight / remaining / degrees
            distances, left = distances_without(z, points, own, share, weight / remaining)
            norm = self.n_features_in_ * LOG_2PI + factor.log_det + np.log(left)
            scores = description.spread(-0.5 * (distances + norm[:, None]), -np.inf) + np.log(description.priors)
        unsure = (remaining <= 0) | (taken != 1) | ~(left > 1e-8)
        return scores, unsure | sole_to_vary(statistic, batch.X, taken)
