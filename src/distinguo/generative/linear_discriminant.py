"""Linear discriminant analysis: Gaussian classes of one shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from distinguo.covariance.estimate import Divisor
from distinguo.covariance.factor import Factor
from distinguo.covariance.scale import moment_scale
from distinguo.covariance.shapes import shared_factor
from distinguo.densities.base import Density
from distinguo.densities.student import Uncertainty
from distinguo.exceptions import InputError
from distinguo.generative.completion import Completion
from distinguo.generative.description import Description
from distinguo.generative.discriminant import Discriminant, without_each
from distinguo.generative.heavy_tails import HeavyTails
from distinguo.generative.shared_shape import SharedShape, distances_without
from distinguo.generative.tuning import RegularisationTuning
from distinguo.rows.base import Batch
from distinguo.statistics.holes import LOG_2PI
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., Any])


def _is_affine(model: Any) -> bool:
    """Whether scores are affine in the row; raises where they are not, so that the missing method's error says why."""
    if isinstance(model.density, str) and model.density == "plug-in":
        return True
    raise InputError(f"density={model.density!r} has scores that are no sum over the columns; 'plug-in' has.")


_where_affine = cast(Callable[[F], F], available_if(_is_affine))


class LinearDiscriminantAnalysis(SharedShape, Discriminant):
    r"""Gaussian classes of one shape: the boundary between two is a hyperplane.

    .. math:: \delta_k(x) = x^\top \Sigma^{-1} \mu_k - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k + \log \pi_k

    Missing cells (NaN) are completed by EM for Gaussian classes at fit (Dempster, Laird and Rubin, 1977), which warns
    where it has not converged, and integrated out at predict.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    shrinkage : None, a number in [0, 1] towards (tr Σ / p) I, "oas" or "ledoit-wolf", which choose it on the
        correlation scale, or "cv", which takes the number of least cross-validated error; the pooled covariance is
        shrunk.
    target : "identity" (default) or "diagonal", for a shrinkage given as a number.
    n_components : how many of Fisher's directions `transform` returns and `predict` uses; None for all.
    divisor : "unbiased" (n - K) or "mle" (n).
    density : "plug-in" takes the estimates for the truth; "predictive" integrates them out (a Student t a class);
        "debiased" has unbiased log-densities. The last two are for few rows, and have no `coef_` and no `explain`.
    covariance : "gaussian", of the moments, or "t": those of multivariate t classes by maximum likelihood, which rows
        far out move less (Lange, Little and Taylor, 1989, JASA 84, 881-896), with ν/(ν-2) times the scale for the
        covariance, as in R's MASS; densities are Gaussian all the same. It is fitted on whole
        rows, all at once, and goes with none of shrinkage, divisor, density and prior.
    df : degrees of freedom above 2 for covariance="t"; None for 5. The fewer, the less a row far out counts.
    prior : pseudo-rows from `distinguo.pseudo_rows`, added before estimation.
    unlabeled : None (every row must have a label), or what stands for a label that is not known: "missing" for None,
        NaN, NaT and NA, or a value such as -1, as in scikit-learn's semi-supervised models. EM counts such a row in
        each class with its posterior (O'Neill, 1978, JASA 73, 821-826); all rows are held in memory.
    cv, random_state : folds and seed for shrinkage="cv", as in `RegularizedDiscriminantAnalysis`.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_ : (K, p)
    covariance_ : (p, p) pooled within-class covariance, shrunk if that was asked for.
    coef_, intercept_ : (K, p) and (K,), or (1, p) and (1,) for two classes; as in scikit-learn.
    scalings_ : (p, L) Fisher's directions, of within-class variance one.
    explained_variance_ratio_ : (L,) shares of the between-class variance.
    n_parameters_ : Kp + p(p+1)/2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> model.explained_variance_ratio_.round(4).tolist()
    [0.9912, 0.0088]
    >>> model.predict_proba(X[[70, 133]]).round(3).tolist()
    [[0.0, 0.253, 0.747], [0.0, 0.729, 0.271]]

    References
    ----------
    Fisher (1936), Annals of Eugenics 7, 179-188. Hastie, Tibshirani and Friedman (2009), The Elements of
    Statistical Learning, section 4.3.
    """

    _tuning = RegularisationTuning(pooling=1.0)
    _completion = Completion(pooling=1.0)
    _iteration = HeavyTails()
    _takes_unlabeled = True
    explain = _where_affine(SharedShape.explain)

    def __init__(
        self,
        priors: Any = None,
        *,
        shrinkage: float | str | None = None,
        target: str | None = None,
        n_components: int | None = None,
        divisor: Divisor = "unbiased",
        density: str = "plug-in",
        covariance: str = "gaussian",
        df: float | None = None,
        prior: ClassMoments | None = None,
        unlabeled: Any = None,
        cv: Any = 10,
        random_state: int = 0,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.target = target
        self.n_components = n_components
        self.divisor = divisor
        self.density = density
        self.covariance = covariance
        self.df = df
        self.prior = prior
        self.unlabeled = unlabeled
        self.cv = cv
        self.random_state = random_state

    def _spec(self) -> Moments:
        return self._moments("pooled")

    def _covariance(self, moments: ClassMoments) -> Array:
        """(p, p) pooled within-class covariance."""
        quarts = None if moments.quarts is None else moments.quarts.sum(axis=0)
        return self._shrunk(moments.within, float(moments.weight.sum()), len(moments.classes), quarts, "the table")

    def _shared_factor(self, statistic: ClassMoments) -> Factor:
        return shared_factor(statistic, self._covariance)

    def _density(self, statistic: ClassMoments, priors: Array) -> Density:
        degrees = np.full(len(priors), statistic.weight.sum() - len(priors))
        return self._around(self._gaussian(statistic, priors), Uncertainty(statistic.weight, degrees))

    @property
    def covariance_(self) -> Array:
        """(p, p) pooled within-class covariance, in the units of the columns."""
        return self._covariance(self._describe().statistic)

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means and one covariance."""
        K, p = self._describe().statistic.mean.shape
        return int(K * p + p * (p + 1) // 2)

    def _scores_without(
        self, description: Description[ClassMoments, Any], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Rank-one downdates of the pooled scatter, in whitened coordinates."""
        statistic, density = description.statistic, description.density
        if not self._downdates(description):
            drawing = self._drawing(1.0) if self.n_components is None else None
            return without_each(description, drawing, batch, taken)
        groups = len(statistic.classes) if self.divisor == "unbiased" else 0
        degrees = float(statistic.weight.sum()) - groups
        own = (np.cumsum(description.active) - 1)[batch.codes]
        weight = statistic.weight[own]
        remaining = np.maximum(weight - taken, 0.0)
        z = (batch.X - density.centre) @ density.factor.whiten
        with np.errstate(divide="ignore", invalid="ignore"):
            share = taken * weight / remaining / degrees
            distances, left = distances_without(z, density.points, own, share, weight / remaining)
            fewer = (degrees - taken) / degrees
            distances *= fewer[:, None]
            p = self.n_features_in_
            log_det = density.factor.log_det + np.log(left) - p * np.log(fewer)
            scores = description.spread(-0.5 * (distances + (p * LOG_2PI + log_det)[:, None]), -np.inf)
            scores += np.log(description.priors)
        unsure = (remaining <= 0) | (degrees - taken <= 0) | ~(left > 1e-8)
        return scores, unsure

    def _downdates(self, description: Description[ClassMoments, Any]) -> bool:
        """Whether leaving a row out is a rank-one change: nothing shrunk, floored, left out or projected."""
        if self.density != "plug-in" or self.shrinkage is not None or self.n_components is not None:
            return False
        full = description.density.factor.whiten.shape[1] == self.n_features_in_
        return full and not moment_scale(description.statistic).deciding.any()
