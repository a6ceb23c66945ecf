"""Gaussian classes whose parameters are uncertain: predictive and debiased densities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, fdtrc, gammaln

from distinguo.densities.base import Density
from distinguo.densities.gaussian import ClassGaussian, SharedGaussian
from distinguo.densities.marginal import Terms
from distinguo.exceptions import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Uncertainty:
    """How well the parameters of each class are known.

    Attributes
    ----------
    rows : (K,) rows behind each mean.
    degrees : (K,) degrees of freedom of each covariance: n - K where it is shared, n_k - 1 where it is not.
    """

    rows: Array
    degrees: Array


def _check_degrees(degrees: Array, above: int, name: str) -> None:
    """Raise unless there are more degrees of freedom than that."""
    if (degrees <= above).any():
        raise InputError(
            f"density={name!r} needs more than {above} degrees of freedom behind each covariance, and there are "
            f"{degrees.min():g}; bring more rows, leave columns out, or use shrinkage with density='plug-in'."
        )


@dataclass(frozen=True)
class Predictive(Density):
    r"""The density of a new row when means and covariances are integrated out under the vague prior.

    With ν degrees of freedom behind an unbiased covariance, r dimensions and :math:`q = \nu - r + 1`, a row of class
    k follows a multivariate Student t with q degrees of freedom and scale
    :math:`(1 + 1/n_k) (\nu / q) \Sigma_k`.

    Attributes
    ----------
    plug_in : the Gaussians at the unbiased estimates.
    uncertainty : how well they are known.

    References
    ----------
    Geisser (1964), Posterior odds for multivariate normal classifications. Ripley (1996), Pattern Recognition and
    Neural Networks, section 2.4. R's MASS leaves out the gamma functions, which differ between classes of different
    size.

    Examples
    --------
    >>> from distinguo.covariance.factor import factorise
    >>> plug_in = SharedGaussian(np.zeros(1), np.zeros((1, 1)), factorise(np.eye(1)))
    >>> known = Predictive(plug_in, Uncertainty(np.array([1e9]), np.array([1e9])))
    >>> bool(np.allclose(known.log_density(np.ones((1, 1))), plug_in.log_density(np.ones((1, 1)))))
    True
    """

    plug_in: SharedGaussian | ClassGaussian
    uncertainty: Uncertainty

    def __post_init__(self) -> None:
        _check_degrees(self.uncertainty.degrees, self.rank - 1, "predictive")

    @property
    def rank(self) -> int:
        """Dimensions that vary, r."""
        return int(self.plug_in.points.shape[1])

    @property
    def degrees(self) -> Array:
        """(K,) degrees of freedom of the Student t."""
        return np.asarray(self.uncertainty.degrees - self.rank + 1)

    @property
    def stretch(self) -> Array:
        """(K,) the t's squared scale over the covariance."""
        return np.asarray((1 + 1 / self.uncertainty.rows) * self.uncertainty.degrees / self.degrees)

    def log_density(self, X: Array) -> Array:
        """log p(cells that are there | class, training rows), (n, K): marginals of a t have its degrees of freedom."""
        q, terms = self.degrees, self.plug_in.terms(X)
        r = terms.ranks
        level = gammaln((q + r) / 2) - gammaln(q / 2) - 0.5 * r * np.log(q * np.pi * self.stretch)
        level = level - 0.5 * terms.log_dets
        return np.asarray(level - 0.5 * (q + r) * np.log1p(terms.distances / (q * self.stretch)))

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class, training rows), (n, K)."""
        return self.log_density(X)

    def tail(self, X: Array) -> Array:
        """The F tail of the Mahalanobis distance; a row without cells is typical of all."""
        terms = self.plug_in.terms(X)
        r = np.maximum(terms.ranks, 1)
        return np.where(np.equal(terms.ranks, 0), 1.0, fdtrc(r, self.degrees, terms.distances / (r * self.stretch)))

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""
        q = self.degrees[k]
        spread = np.sqrt(self.stretch[k] * q / rng.chisquare(q, size=(n, 1)))
        return np.asarray(self.plug_in.means[k] + spread * (self.plug_in.sample(k, n, rng) - self.plug_in.means[k]))


@dataclass(frozen=True)
class Debiased(Density):
    r"""Gaussians whose log-densities are unbiased estimates of the true ones.

    .. math::
        \widehat{\log |\Sigma|} = \log |S / 2| - \sum_{j=1}^{r} \psi\left(\tfrac{\nu + 1 - j}{2}\right), \qquad
        \widehat{\Delta^2} = \tfrac{\nu - r - 1}{\nu} D^2 - \tfrac{r}{n_k}

    with S the scatter behind ν degrees of freedom and D the Mahalanobis distance at the unbiased estimates. The
    estimate of a density so made does not integrate to one.

    Attributes
    ----------
    plug_in : the Gaussians at the unbiased estimates.
    uncertainty : how well they are known.

    References
    ----------
    Moran and Murphy (1979), A closer look at two alternative methods of statistical discrimination. R's MASS sums the
    digammas over the classes where it needs the columns.

    Examples
    --------
    >>> from distinguo.covariance.factor import factorise
    >>> plug_in = SharedGaussian(np.zeros(1), np.zeros((1, 1)), factorise(np.eye(1)))
    >>> density = Debiased(plug_in, Uncertainty(np.array([10.0]), np.array([9.0])))
    >>> density.distances(np.array([[2.0]])).round(3).tolist()
    [[3.011]]
    """

    plug_in: SharedGaussian | ClassGaussian
    uncertainty: Uncertainty

    def __post_init__(self) -> None:
        _check_degrees(self.uncertainty.degrees, int(self.plug_in.points.shape[1]) + 1, "debiased")

    def terms(self, X: Array) -> Terms:
        """Unbiased distances and log-determinants over the cells that are there."""
        terms, degrees = self.plug_in.terms(X), self.uncertainty.degrees
        r = terms.ranks
        distances = (degrees - r - 1) / degrees * terms.distances - r / self.uncertainty.rows
        missed = np.log(degrees / 2) - digamma((degrees - np.arange(self.plug_in.points.shape[1])[:, None]) / 2)
        lifts = np.vstack([np.zeros(len(degrees)), missed.cumsum(axis=0)])  # (r + 1, K)
        return Terms(distances, terms.log_dets + lifts[np.asarray(r, np.intp), np.arange(len(degrees))], r)

    def distances(self, X: Array) -> Array:
        """Unbiased squared distances (n, K); near the means they may be negative."""
        return self.terms(X).distances

    def log_density(self, X: Array) -> Array:
        """Unbiased log p(cells that are there | class), (n, K)."""
        return self.terms(X).log_density

    def log_ratio(self, X: Array) -> Array:
        """Unbiased log p(x | class), (n, K)."""
        return self.log_density(X)

    def tail(self, X: Array) -> Array:
        """The chi-squared tail of the unbiased distance."""
        terms = self.terms(X)
        return replace(terms, distances=np.maximum(terms.distances, 0.0)).tail

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k at the unbiased estimates."""
        return self.plug_in.sample(k, n, rng)
