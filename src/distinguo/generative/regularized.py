"""Regularised discriminant analysis: class covariances drawn towards each other and towards a sphere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distinguo.covariance.estimate import Divisor
from distinguo.covariance.regularise import Mixing, Regularisation, mixed_covariances
from distinguo.covariance.shapes import class_factors, shared_factor
from distinguo.densities.gaussian import ClassGaussian, SharedGaussian
from distinguo.generative.completion import Completion
from distinguo.generative.description import Description
from distinguo.generative.discriminant import Discriminant, without_each
from distinguo.generative.drawn_shapes import Drawing
from distinguo.generative.tuning import RegularisationTuning
from distinguo.options import share_of
from distinguo.rows.base import Batch
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


class RegularizedDiscriminantAnalysis(Discriminant):
    r"""Gaussian classes whose covariances are pooled in part, then shrunk in part (Friedman, 1989).

    .. math::
        \Sigma_k(\lambda) = \frac{(1-\lambda) S_k + \lambda S}{(1-\lambda) \nu_k + \lambda \nu}, \qquad
        \Sigma_k(\lambda, \gamma) = (1-\gamma) \Sigma_k(\lambda)
        + \gamma \frac{\operatorname{tr} \Sigma_k(\lambda)}{p} I

    Pooling 0 and shrinkage 0 is QDA, 1 and 0 is LDA, 1 and 1 assigns to the nearest mean. Tuned by
    cross-validation, which is the default, it needs all rows in memory; with both numbers given it streams,
    merges and forgets like LDA.

    Missing cells (NaN) are completed by EM for Gaussian classes at fit (Dempster, Laird and Rubin, 1977), which warns
    where it has not converged, and integrated out at predict.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    pooling : λ in [0, 1], or "cv".
    shrinkage : γ in [0, 1], or "cv".
    mixing : "scatter" (Friedman: small classes lean more on the others) or "covariance" (R's klaR).
    grid : candidate values for what is tuned: an integer for so many evenly spaced in [0, 1], or the values.
    cv : number of stratified folds, a scikit-learn splitter, or (train, test) pairs of row numbers.
    criterion : "error" or "log_loss", averaged over held-out rows. Of equals, the most pooled and then the
        most shrunk is taken.
    random_state : seed of the folds.
    divisor : "unbiased" or "mle".
    prior : pseudo-rows from `distinguo.pseudo_rows`, added before estimation.
    unlabeled : None (every row must have a label), or what stands for a label that is not known: "missing" for None,
        NaN, NaT and NA, or a value such as -1, as in scikit-learn's semi-supervised models. EM counts such a row in
        each class with its posterior (O'Neill, 1978, JASA 73, 821-826); tuning looks at rows with labels only.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_ : (K, p)
    covariance_ : (K, p, p), regularised.
    pooling_, shrinkage_ : the values in use.
    cv_results_ : {"pooling", "shrinkage", "error", "log_loss"}, arrays over the grid; absent where nothing is
        tuned. A pair that leaves a class singular has infinite losses.
    n_parameters_ : those of QDA, or of LDA at pooling 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RegularizedDiscriminantAnalysis(pooling=0.5, shrinkage=0.1).fit(X, y)
    >>> model.score(X, y)
    0.98

    References
    ----------
    Friedman (1989), Regularized discriminant analysis, JASA 84, 165-175.
    """

    _tuning = RegularisationTuning()
    _completion = Completion()
    _takes_unlabeled = True

    def __init__(
        self,
        priors: Any = None,
        *,
        pooling: float | str = "cv",
        shrinkage: float | str = "cv",
        mixing: Mixing = "scatter",
        grid: int | ArrayLike = 11,
        cv: Any = 10,
        criterion: str = "error",
        random_state: int = 0,
        divisor: Divisor = "unbiased",
        prior: ClassMoments | None = None,
        unlabeled: Any = None,
    ) -> None:
        self.priors = priors
        self.pooling = pooling
        self.shrinkage = shrinkage
        self.mixing = mixing
        self.grid = grid
        self.cv = cv
        self.criterion = criterion
        self.random_state = random_state
        self.divisor = divisor
        self.prior = prior
        self.unlabeled = unlabeled

    def _spec(self) -> Moments:
        return Moments("full")

    def _regularisation(self) -> Regularisation:
        """The pooling and the shrinkage in use."""
        if self._tuned is not None:
            return self._tuned
        return Regularisation(share_of(self.pooling, "pooling", "'cv'"), share_of(self.shrinkage, "shrinkage", "'cv'"))

    def _covariances(self, moments: ClassMoments) -> Array:
        """(K, p, p), pooled and shrunk."""
        use = self._regularisation()
        mixed = mixed_covariances(moments, use.pooling, self.mixing, self.divisor)
        if use.shrinkage > 0:
            p = moments.n_features
            level = use.shrinkage * np.trace(mixed, axis1=1, axis2=2) / p
            mixed = (1 - use.shrinkage) * mixed + level[:, None, None] * np.eye(p)
        return np.asarray(mixed)

    def _density(self, statistic: ClassMoments, priors: Array) -> SharedGaussian | ClassGaussian:
        use = self._regularisation()
        if use.pooling == 1:
            factor = shared_factor(statistic, lambda moments: self._covariances(moments)[0])
            centre = priors @ statistic.mean
            return SharedGaussian(centre, (statistic.mean - centre) @ factor.whiten, factor)
        return ClassGaussian(statistic.mean, class_factors(statistic, self._covariances, shrunk=use.shrinkage > 0))

    @property
    def pooling_(self) -> float:
        """The pooling in use."""
        self._describe()
        return self._regularisation().pooling

    @property
    def covariance_(self) -> Array:
        """(K, p, p) regularised covariances, in the units of the columns; NaN for a class without rows."""
        return self._describe().spread_classes(self._covariances(self._describe().statistic))

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means, and K covariances or one."""
        K, p = self._describe().statistic.mean.shape
        shapes = 1 if self._regularisation().pooling == 1 else K
        return int(K * p + shapes * p * (p + 1) // 2)

    def _scores_without(
        self, description: Description[ClassMoments, Any], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Mixed scatters lose a matrix of rank one, and the sphere its part of the trace; R's mixing is recomputed."""
        use = self._regularisation()
        mixed = self.mixing == "scatter" or use.pooling in {0.0, 1.0}
        drawing = Drawing(use.pooling, use.shrinkage, self.divisor == "unbiased") if mixed else None
        return without_each(description, drawing, batch, taken)
