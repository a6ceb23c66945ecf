"""Quadratic discriminant analysis: Gaussian classes of a shape each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.estimate import Divisor
from distinguo.covariance.scale import moment_scale
from distinguo.covariance.shapes import class_factors
from distinguo.densities.base import Density
from distinguo.densities.gaussian import ClassGaussian
from distinguo.densities.student import Uncertainty
from distinguo.generative.completion import Completion
from distinguo.generative.description import Description
from distinguo.generative.discriminant import Discriminant, without_each
from distinguo.generative.heavy_tails import HeavyTails
from distinguo.generative.tuning import RegularisationTuning
from distinguo.rows.base import Batch
from distinguo.rows.labels import label_text
from distinguo.statistics.holes import LOG_2PI
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


class QuadraticDiscriminantAnalysis(Discriminant):
    r"""Gaussian classes of a shape each: the boundary between two is a quadric.

    .. math::
        \delta_k(x) = -\tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k) - \tfrac12 \log |\Sigma_k| + \log \pi_k

    Missing cells (NaN) are completed by EM for Gaussian classes at fit (Dempster, Laird and Rubin, 1977), which warns
    where it has not converged, and integrated out at predict.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    shrinkage : None, a number in [0, 1] towards (tr Σ_k / p) I, "oas" or "ledoit-wolf", which choose it on the
        correlation scale, or "cv", which takes the number of least cross-validated error; each class's covariance
        is shrunk.
    target : "identity" (default) or "diagonal", for a shrinkage given as a number.
    divisor : "unbiased" (n_k - 1) or "mle" (n_k).
    density : "plug-in" takes the estimates for the truth; "predictive" integrates them out (a Student t a class);
        "debiased" has unbiased log-densities. The last two are for few rows.
    covariance : "gaussian", of the moments, or "t": those of multivariate t classes by maximum likelihood, which rows
        far out move less (Lange, Little and Taylor, 1989, JASA 84, 881-896), with ν/(ν-2) times the scale for the
        covariance, where R's MASS takes the scale itself; densities are Gaussian all the same. It is fitted on whole
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
    covariance_ : (K, p, p) covariance of each class, shrunk if that was asked for.
    n_parameters_ : Kp + K p(p+1)/2.

    Raises
    ------
    SingularCovarianceError
        At fit, if the covariance of a class cannot be inverted; it names the class and the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> model.predict_proba(X[[70, 133]]).round(3).tolist()
    [[0.0, 0.336, 0.664], [0.0, 0.605, 0.395]]

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.3.
    """

    _tuning = RegularisationTuning(pooling=0.0)
    _completion = Completion(pooling=0.0)
    _iteration = HeavyTails()
    _takes_unlabeled = True

    def __init__(
        self,
        priors: Any = None,
        *,
        shrinkage: float | str | None = None,
        target: str | None = None,
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
        self.divisor = divisor
        self.density = density
        self.covariance = covariance
        self.df = df
        self.prior = prior
        self.unlabeled = unlabeled
        self.cv = cv
        self.random_state = random_state

    def _spec(self) -> Moments:
        return self._moments("full")

    def _covariances(self, moments: ClassMoments) -> Iterator[Array]:
        """K covariances (p, p), one at a time, so that wide tables need no second copy of them all."""
        return (self._covariance(moments, k) for k in range(len(moments.classes)))

    def _covariance(self, moments: ClassMoments, k: int) -> Array:
        """(p, p) covariance of class k."""
        quarts = None if moments.quarts is None else moments.quarts[k]
        what = f"class {label_text(moments.classes[k])}"
        return self._shrunk(moments.scatter[k], float(moments.weight[k]), 1, quarts, what)

    def _density(self, statistic: ClassMoments, priors: Array) -> Density:
        amount = self.shrinkage if self._tuned is None else self._tuned.shrinkage
        shrunk = amount is not None and not (np.isscalar(amount) and amount == 0)
        plug_in = ClassGaussian(statistic.mean, class_factors(statistic, self._covariances, shrunk=shrunk))
        return self._around(plug_in, Uncertainty(statistic.weight, statistic.weight - 1))

    @property
    def covariance_(self) -> Array:
        """(K, p, p) covariance of each class, in the units of the columns; NaN for a class without rows."""
        description = self._describe()
        return description.spread_classes(np.stack(list(self._covariances(description.statistic))))

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means and K covariances."""
        K, p = self._describe().statistic.mean.shape
        return int(K * p + K * p * (p + 1) // 2)

    def _scores_without(
        self, description: Description[ClassMoments, Any], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """A rank-one downdate of the row's own class; the others' distances stay."""
        statistic, density = description.statistic, description.density
        n, p = len(batch.X), self.n_features_in_
        plain = self.density == "plug-in" and self.shrinkage is None
        if not plain or density.points.shape[1] < p or moment_scale(statistic).deciding.any():
            return without_each(description, self._drawing(0.0), batch, taken)
        own = (np.cumsum(description.active) - 1)[batch.codes]
        weight = statistic.weight[own]
        degrees = weight - (1 if self.divisor == "unbiased" else 0)
        remaining = np.maximum(weight - taken, 0.0)
        distances = density.distances(batch.X)
        scores = distances + density.log_dets
        row = np.arange(n)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = taken * weight / remaining / degrees
            left = 1 - share * distances[row, own]
            fewer = (degrees - taken) / degrees
            downdated = distances[row, own] * fewer * (weight / remaining) ** 2 / left
            scores[row, own] = downdated + density.log_dets[own] + np.log(left) - p * np.log(fewer)
            scores = description.spread(-0.5 * (scores + p * LOG_2PI), -np.inf) + np.log(description.priors)
        unsure = (remaining <= 0) | (degrees - taken <= 0) | ~(left > 1e-8)
        return scores, unsure
