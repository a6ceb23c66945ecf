"""Multivariate Gaussians: one shape for all classes, or a shape for each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import Factor
from distinguo.densities.base import Density
from distinguo.densities.kernels import distances_by_class, distances_to_points
from distinguo.densities.marginal import Marginal, Terms, holed_rows, terms_of
from distinguo.hyperplane import Affine

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SharedGaussian(Density):
    r"""Classes of one covariance, :math:`p(x | k) = N(x; \mu_k, U U^\top)`.

    Attributes
    ----------
    centre : (p,) origin of the whitened coordinates, in the units of the columns.
    points : (K, r) class means in whitened coordinates.
    factor : the covariance.

    Examples
    --------
    >>> from distinguo.covariance.factor import factorise
    >>> density = SharedGaussian(np.zeros(1), np.array([[0.0], [2.0]]), factorise(np.eye(1)))
    >>> density.log_density(np.array([[0.0]])).round(3).tolist()
    [[-0.919, -2.919]]
    """

    centre: Array
    points: Array
    factor: Factor

    @cached_property
    def means(self) -> Array:
        """(K, p) class means, in the units of the columns."""
        return np.asarray(self.centre + self.points @ self.factor.colour.T)

    @cached_property
    def log_dets(self) -> Array:
        """(K,) the logarithm of the determinant, the same for all."""
        return np.full(len(self.points), self.factor.log_det)

    @property
    def plug_in(self) -> SharedGaussian:
        """Itself, as for densities that are made around one."""
        return self

    @cached_property
    def affine(self) -> Affine:
        """The part of log p(x | class) in which classes differ."""
        return Affine(self.centre, self.points @ self.factor.whiten.T, -0.5 * (self.points**2).sum(axis=1))

    @cached_property
    def marginal(self) -> Marginal:
        """The same classes, of rows with holes."""
        covariance = self.factor.colour @ self.factor.colour.T
        return Marginal(self.means, covariance[None], np.asarray(self.factor.whiten.any(axis=1)))

    def terms(self, X: Array) -> Terms:
        """What the densities of rows are made of, over the cells that are there."""
        return terms_of(X, self.distances(X), self.log_dets, self.points.shape[1], lambda: self.marginal)

    def distances(self, X: Array) -> Array:
        """Squared Mahalanobis distances (n, K) of rows without holes to the class means."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(distances_to_points((X - self.centre) @ self.factor.whiten, self.points))

    def log_density(self, X: Array) -> Array:
        """log p(x | class) of the cells that are there, (n, K)."""
        return self.terms(X).log_density

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class), without the quadratic term that all classes share where no cell is missing."""
        values = self.affine(X)
        holed = holed_rows(X, values)
        if holed is not None:
            values[holed] = self.marginal.terms(X[holed]).log_density
        return values

    def tail(self, X: Array) -> Array:
        """The chi-squared tail of the Mahalanobis distance, with as many degrees of freedom as cells."""
        return self.terms(X).tail

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""
        z = self.points[k] + rng.standard_normal((n, self.points.shape[1]))
        return np.asarray(self.centre + z @ self.factor.colour.T)


@dataclass(frozen=True)
class ClassGaussian(Density):
    r"""Classes with a covariance each, :math:`p(x | k) = N(x; \mu_k, U_k U_k^\top)`.

    Attributes
    ----------
    means : (K, p)
    factors : K covariances, all of the same rank r.

    Examples
    --------
    >>> from distinguo.covariance.factor import factorise
    >>> density = ClassGaussian(np.zeros((2, 1)), (factorise(np.eye(1)), factorise(4 * np.eye(1))))
    >>> density.log_density(np.array([[2.0]])).round(3).tolist()
    [[-2.919, -2.112]]
    """

    means: Array
    factors: tuple[Factor, ...]

    @cached_property
    def centre(self) -> Array:
        """(p,) where rows are moved to before they are multiplied out."""
        return np.asarray(self.means.mean(axis=0))

    @property
    def plug_in(self) -> ClassGaussian:
        """Itself, as for densities that are made around one."""
        return self

    @cached_property
    def whiten(self) -> Array:
        """(p, K r) the whitening matrices side by side, so that one product serves all classes."""
        return np.hstack([factor.whiten for factor in self.factors])

    @cached_property
    def points(self) -> Array:
        """(K, r) each class's mean in its own whitened coordinates."""
        shifted = self.means - self.centre
        return np.stack([mean @ factor.whiten for mean, factor in zip(shifted, self.factors, strict=True)])

    @cached_property
    def log_dets(self) -> Array:
        """(K,) logarithms of the determinants."""
        return np.array([factor.log_det for factor in self.factors])

    @cached_property
    def marginal(self) -> Marginal:
        """The same classes, of rows with holes."""
        covariances = np.stack([factor.colour @ factor.colour.T for factor in self.factors])
        return Marginal(self.means, covariances, np.asarray(self.whiten.any(axis=1)))

    def terms(self, X: Array) -> Terms:
        """What the densities of rows are made of, over the cells that are there."""
        return terms_of(X, self.distances(X), self.log_dets, self.points.shape[1], lambda: self.marginal)

    def distances(self, X: Array) -> Array:
        """Squared Mahalanobis distances (n, K) of rows without holes to the class means."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(distances_by_class((X - self.centre) @ self.whiten, self.points))

    def log_density(self, X: Array) -> Array:
        """log p(x | class) of the cells that are there, (n, K)."""
        return self.terms(X).log_density

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class), (n, K): classes share no term worth leaving out."""
        return self.log_density(X)

    def tail(self, X: Array) -> Array:
        """The chi-squared tail of the Mahalanobis distance, with as many degrees of freedom as cells."""
        return self.terms(X).tail

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""
        z = rng.standard_normal((n, self.points.shape[1]))
        return np.asarray(self.means[k] + z @ self.factors[k].colour.T)
