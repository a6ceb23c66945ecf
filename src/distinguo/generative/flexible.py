"""Flexible discriminant analysis: linear discriminants of what a regression makes of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from distinguo.covariance.estimate import Divisor, divide
from distinguo.densities.variates import VariateGaussian
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive
from distinguo.generative.optimal_scoring import OptimalScoring, Scored, Variates, signed, variates
from distinguo.generative.regressions import regression_of
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


class FlexibleDiscriminantAnalysis(TransformerMixin, Descriptive[Scored, VariateGaussian]):
    r"""Discriminant analysis by any regression (Hastie, Tibshirani and Buja, 1994).

    Class scores are regressed on the columns and chosen so that the regression tells them best (optimal scoring);
    rows are classified by their distance to the class means of the fitted scores:

    .. math:: \delta_k(x) = \log \pi_k - \tfrac12 \sum_\ell w_\ell (\eta_\ell(x) - \bar\eta_{\ell k})^2,
              \qquad w_\ell = \frac{1}{r_\ell^2 (1 - r_\ell^2)}

    with :math:`\eta_\ell` the fitted score and :math:`r_\ell^2` its mean squared residual. A linear regression gives
    LDA, exactly; a polynomial one LDA on powers and products; others bend the boundary as they can.

    All rows are brought into memory, and there is only `fit`.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}. They move the
        boundary; the regression sees the rows as they are.
    regression : "splines": a smoothing spline of each column, as smooth as generalised cross-validation finds best, or
        straight, or left out; "linear"; "polynomial" (degree 2 unless told); "mars" (degree 1 unless told; for more of
        its options give a `Mars`); "kernel": ridge regression in the space of a kernel; or a scikit-learn regressor
        that takes several responses, and `sample_weight` where that is given.
    degree : of "polynomial", of "mars", or of the polynomial kernel (2 unless told).
    kernel : "gaussian" (default) or "polynomial", for "kernel".
    width : of the kernel, in standard deviations per column; 1 unless told.
    penalty : of the ridge, for "kernel"; by generalised cross-validation unless told.
    n_components : how many variates `transform` returns and `predict` uses; None for all.
    divisor : "unbiased" (n - K) or "mle" (n; as in R's mda).

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_, covariance_ : (K, p) and (p, p) class means and pooled covariance of the columns, in their units.
    scores_ : (K, L) optimal scores of the classes.
    residuals_ : (L,) mean squared residuals r² of the scores.
    variate_means_ : (K, L) class means of the variates.
    explained_variance_ratio_ : (L,) shares of the between-class variance.
    regression_ : the fitted regression, of K - 1 contrasts of the classes.

    Raises
    ------
    InputError
        At fit, if an option cannot be used, or cannot act with the regression.

    Notes
    -----
    Columns have no density here, variates have one: `class_log_density`, `score_samples` and `typicality` say how a row
    lies among the classes in the space of the variates, and `sample` makes variates (n, L), not rows. A row far from
    all others may well fall close to a class there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FlexibleDiscriminantAnalysis(regression="polynomial").fit(X, y)
    >>> model.score(X, y), model.transform(X).shape
    (0.9866666666666667, (150, 2))

    References
    ----------
    Hastie, Tibshirani and Buja (1994), Flexible discriminant analysis by optimal scoring, JASA 89, 1255-1270.
    """

    prior: ClassMoments | None = None

    def __init__(
        self,
        priors: Any = None,
        *,
        regression: Any = "splines",
        degree: int | None = None,
        kernel: str | None = None,
        width: float | None = None,
        penalty: float | None = None,
        n_components: int | None = None,
        divisor: Divisor = "unbiased",
    ) -> None:
        self.priors = priors
        self.regression = regression
        self.degree = degree
        self.kernel = kernel
        self.width = width
        self.penalty = penalty
        self.n_components = n_components
        self.divisor = divisor

    def _spec(self) -> OptimalScoring:
        return OptimalScoring(regression_of(self.regression, self.get_params(deep=False)))

    def _pseudo_rows(self, prior: ClassMoments) -> Scored:
        raise InputError("a regression takes no pseudo-rows.")

    def _density(self, statistic: Scored, priors: Array) -> VariateGaussian:
        found = self._variates(statistic)
        L = self._n_components(found.rotate.shape[1])
        rotate = found.rotate[:, :L]
        return VariateGaussian(statistic.regression, rotate, statistic.means @ rotate)

    def _variates(self, statistic: Scored) -> Variates:
        one = np.ones((1, 1))
        weight = float(statistic.weight.sum())
        return signed(
            variates(statistic, 1 / divide(one, weight, len(statistic.classes), self.divisor, "the table")[0, 0])
        )

    def _n_components(self, most: int) -> int:
        asked = self.n_components
        if asked is None:
            return most
        if isinstance(asked, bool) or not isinstance(asked, int | np.integer) or not 1 <= asked <= most:
            raise InputError(f"n_components={asked!r} must be a whole number from 1 to {most}, the variates there are.")
        return int(asked)

    def _found(self) -> Variates:
        return self._variates(self._describe().statistic)

    @property
    def regression_(self) -> Any:
        """The fitted regression."""
        return self._describe().statistic.regression

    @property
    def means_(self) -> Array:
        """(K, p) class means of the columns."""
        return self._describe().statistic.moments.mean

    @property
    def covariance_(self) -> Array:
        """(p, p) pooled within-class covariance of the columns."""
        moments = self._describe().statistic.moments
        return divide(moments.within, float(moments.weight.sum()), len(moments.classes), self.divisor, "the table")

    @property
    def scores_(self) -> Array:
        """(K, L) optimal scores, of mean zero and variance one over the rows."""
        return self._found().scores[:, : self._n_features_out]

    @property
    def residuals_(self) -> Array:
        """(L,) mean squared residuals of the scores."""
        return self._found().residuals[: self._n_features_out]

    @property
    def variate_means_(self) -> Array:
        """(K, L) class means of the variates."""
        return self._describe().density.points

    @property
    def explained_variance_ratio_(self) -> Array:
        """(L,) shares of the between-class variance."""
        return self._found().shares[: self._n_features_out]

    @property
    def _n_features_out(self) -> int:
        """Columns of transform, for scikit-learn."""
        return int(self._describe().density.points.shape[1])

    def transform(self, X: Any) -> Array:
        """The discriminant variates (n, L) of rows."""
        return self._evaluate(X, self._describe().density.variates)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """("LD1", "LD2", ...), the names of transform's columns."""
        return np.array([f"LD{i + 1}" for i in range(self._n_features_out)], dtype=object)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """Fit, then transform the same rows."""
        return self.fit(X, y, **fit_params).transform(X)
