"""Linear discriminant analysis: Gaussian classes of one shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from distinguo.covariance.estimate import Divisor
from distinguo.covariance.scale import moment_scale
from distinguo.covariance.shapes import shared_factor
from distinguo.densities.gaussian import SharedGaussian
from distinguo.exceptions import InputError
from distinguo.generative.base import Description
from distinguo.generative.discriminant import Discriminant
from distinguo.generative.tuning import RegularisationTuning
from distinguo.hyperplane import as_coefficients
from distinguo.rows.base import Batch
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


class LinearDiscriminantAnalysis(TransformerMixin, Discriminant):
    r"""Gaussian classes of one shape: the boundary between two is a hyperplane.

    .. math:: \delta_k(x) = x^\top \Sigma^{-1} \mu_k - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k + \log \pi_k

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    shrinkage : None, a number in [0, 1] towards (tr Σ / p) I, "oas" or "ledoit-wolf", which choose it on the
        correlation scale, or "cv", which takes the number of least cross-validated error; the pooled covariance is
        shrunk.
    target : "identity" (default) or "diagonal", for a shrinkage given as a number.
    n_components : how many of Fisher's directions `transform` returns and `predict` uses; None for all.
    divisor : "unbiased" (n - K) or "mle" (n).
    prior : pseudo-rows from `distinguo.pseudo_rows`, added before estimation.
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

    def __init__(
        self,
        priors: Any = None,
        *,
        shrinkage: float | str | None = None,
        target: str | None = None,
        n_components: int | None = None,
        divisor: Divisor = "unbiased",
        prior: ClassMoments | None = None,
        cv: Any = 10,
        random_state: int = 0,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.target = target
        self.n_components = n_components
        self.divisor = divisor
        self.prior = prior
        self.cv = cv
        self.random_state = random_state

    def _spec(self) -> Moments:
        return self._moments("pooled")

    def _covariance(self, moments: ClassMoments) -> Array:
        """(p, p) pooled within-class covariance."""
        quarts = None if moments.quarts is None else moments.quarts.sum(axis=0)
        return self._shrunk(moments.within, float(moments.weight.sum()), len(moments.classes), quarts, "the table")

    def _density(self, statistic: ClassMoments, priors: Array) -> SharedGaussian:
        factor = shared_factor(statistic, self._covariance)
        share = priors if priors.any() else np.ones(len(priors))
        centre = share @ statistic.mean / share.sum()
        points = (statistic.mean - centre) @ factor.whiten
        if self.n_components is not None:
            directions, _ = self._fisher(points, priors)
            points = points @ directions @ directions.T
        return SharedGaussian(centre, points, factor)

    def _fisher(self, points: Array, priors: Array) -> tuple[Array, Array]:
        """Directions (r, L) in whitened coordinates and their between-class variances, the greatest first."""
        _, singular, directions = np.linalg.svd(np.sqrt(priors)[:, None] * points, full_matrices=False)
        most = min(len(priors) - 1, points.shape[1])
        L = self._n_components(most)
        return directions[:L].T, singular[:most] ** 2

    def _n_components(self, most: int) -> int:
        asked = self.n_components
        if asked is None:
            return most
        if isinstance(asked, bool) or not isinstance(asked, int | np.integer) or not 1 <= asked <= most:
            raise InputError(
                f"n_components={asked!r} must be a whole number from 1 to {most}, the lesser of the classes less one "
                "and the columns that vary."
            )
        return int(asked)

    def _fisher_of_fit(self) -> tuple[Array, Array]:
        """Fisher's directions of the fitted classes, and their variances."""
        description = self._describe()
        statistic, factor = description.statistic, description.density.factor
        points = (statistic.mean - description.density.centre) @ factor.whiten
        return self._fisher(points, description.priors[description.active])

    @property
    def covariance_(self) -> Array:
        """(p, p) pooled within-class covariance, in the units of the columns."""
        return self._covariance(self._describe().statistic)

    @property
    def scalings_(self) -> Array:
        """(p, L) Fisher's directions, each with its largest loading (in standard deviations) positive."""
        directions, _ = self._fisher_of_fit()
        factor = self._describe().density.factor
        scalings = factor.whiten @ directions
        loadings = scalings * np.sqrt(np.diagonal(self._describe().statistic.within))[:, None]
        largest = np.abs(loadings).argmax(axis=0)
        signs = np.sign(loadings[largest, np.arange(loadings.shape[1])])
        return np.asarray(scalings * np.where(signs == 0, 1.0, signs))

    @property
    def explained_variance_ratio_(self) -> Array:
        """(L,) shares of the between-class variance along Fisher's directions."""
        directions, variances = self._fisher_of_fit()
        total = variances.sum()
        return np.asarray(variances[: directions.shape[1]] / total) if total > 0 else np.zeros(directions.shape[1])

    @property
    def coef_(self) -> Array:
        """(K, p) normals of the class scores; (1, p) for two classes."""
        return np.asarray(as_coefficients(self._affine()[0]))

    @property
    def intercept_(self) -> Array:
        """(K,) scores at the origin; (1,) for two classes."""
        return np.asarray(as_coefficients(self._affine()[1]))

    def _affine(self) -> tuple[Array, Array]:
        """Normals (K, p) and intercepts (K,), log priors included."""
        description = self._describe()
        affine = description.density.affine
        K = len(description.active)
        normals, intercepts = np.zeros((K, self.n_features_in_)), np.full(K, -np.inf)
        normals[description.active] = affine.normals
        intercepts[description.active] = affine.intercepts
        with np.errstate(divide="ignore"):
            return normals, intercepts + np.log(description.priors)

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means and one covariance."""
        K, p = self._describe().statistic.mean.shape
        return int(K * p + p * (p + 1) // 2)

    @property
    def _n_features_out(self) -> int:
        """Columns of transform, for scikit-learn."""
        return int(self._fisher_of_fit()[0].shape[1])

    def transform(self, X: Any) -> Array:
        """Rows (n, L) on Fisher's directions: centred on the classes' mean, within-class variance one."""
        centre, scalings = self._describe().density.centre, self.scalings_
        return self._evaluate(X, lambda block: np.asarray((block - centre) @ scalings))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """("LD1", "LD2", ...), the names of transform's columns."""
        return np.array([f"LD{i + 1}" for i in range(self._n_features_out)], dtype=object)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """Fit, then transform the same rows."""
        return self.fit(X, y, **fit_params).transform(X)

    def _scores_without(
        self, description: Description[ClassMoments, Any], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Rank-one downdates of the pooled scatter, in whitened coordinates."""
        statistic, density = description.statistic, description.density
        n, K = len(batch.X), len(description.active)
        if not self._downdates(description):
            return np.zeros((n, K)), np.ones(n, dtype=bool)
        groups = len(statistic.classes) if self.divisor == "unbiased" else 0
        degrees = float(statistic.weight.sum()) - groups
        own = (np.cumsum(description.active) - 1)[batch.codes]
        weight = statistic.weight[own]
        remaining = np.maximum(weight - taken, 0.0)
        z = (batch.X - density.centre) @ density.factor.whiten
        deviation = z - density.points[own]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = taken * weight / remaining / degrees
            # (n, K) inner products of the row's deviation with its differences from every class mean.
            inner = (deviation * z).sum(axis=1)[:, None] - deviation @ density.points.T
            left = 1 - share * (deviation**2).sum(axis=1)
            distances = density.distances(batch.X) + inner**2 * (share / left)[:, None]
            row = np.arange(n)
            distances[row, own] *= (weight / remaining) ** 2
            distances *= ((degrees - taken) / degrees)[:, None]
            scores = description.spread(-0.5 * distances, -np.inf) + np.log(description.priors)
        unsure = (remaining <= 0) | (degrees - taken <= 0) | ~(left > 1e-8)
        return scores, unsure

    def _downdates(self, description: Description[ClassMoments, Any]) -> bool:
        """Whether leaving a row out is a rank-one change: nothing shrunk, floored, left out or projected."""
        plain = self.shrinkage is None and self.n_components is None
        full = description.density.factor.whiten.shape[1] == self.n_features_in_
        return plain and full and not moment_scale(description.statistic).deciding.any()
