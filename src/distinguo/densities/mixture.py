"""Mixtures of Gaussians: each class is several subclasses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from distinguo.covariance.factor import Factor, factorise
from distinguo.densities.base import Density
from distinguo.densities.gaussian import ClassGaussian, SharedGaussian
from distinguo.statistics.holes import LOG_2PI
from distinguo.statistics.patterns import pattern_codes

Array = NDArray[np.float64]
# Rows drawn of each class to learn how its density is distributed.
DRAWN = 8192
# Fewer for a pattern of holes, for every pattern has a distribution of its own.
DRAWN_OF_PATTERN = 2048


@dataclass(frozen=True)
class SubclassMixture(Density):
    r"""Classes that are mixtures, :math:`p(x | k) = \sum_{r \in R_k} \pi_r N(x; \mu_r, \Sigma_r)`.

    Attributes
    ----------
    components : the Gaussians of all R subclasses.
    owner : (R,) the class of each, ascending; every class has one.
    share : (R,) of each in its class.
    peaks : (R,) log densities of the Gaussians at their means.
    draws : how many rows `tail` draws of each class.

    Examples
    --------
    >>> from distinguo.covariance.factor import factorise
    >>> one = SharedGaussian(np.zeros(1), np.array([[-1.0], [1.0]]), factorise(np.eye(1)))
    >>> mixture = SubclassMixture(one, np.array([0, 0]), np.array([0.5, 0.5]), np.full(2, -0.919))
    >>> mixture.log_density(np.array([[0.0], [1.0]])).round(3).tolist()
    [[-1.419], [-1.485]]
    """

    components: SharedGaussian | ClassGaussian
    owner: NDArray[np.intp]
    share: Array
    peaks: Array
    draws: int = DRAWN

    @cached_property
    def begins(self) -> NDArray[np.intp]:
        """(K,) the first subclass of each class."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    @cached_property
    def log_share(self) -> Array:
        """(R,) finite, though a subclass may have lost all its rows."""
        return np.asarray(np.log(np.maximum(self.share, np.finfo(np.float64).tiny)))

    def _mixed(self, log_components: Array) -> Array:
        """log Σ π p over the subclasses of each class, (n, K) from (n, R)."""
        if len(self.begins) == len(self.owner):
            return log_components
        with np.errstate(invalid="ignore"):  # what is no number is impossible, as it is for a single Gaussian
            return np.asarray(np.logaddexp.reduceat(log_components + self.log_share, self.begins, axis=1))

    def log_density(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""
        return self._mixed(self.components.log_density(X))

    def log_ratio(self, X: Array) -> Array:
        """log p(x | class) without the factor that all subclasses share, (n, K)."""
        return self._mixed(self.components.log_ratio(X))

    def responsibilities(self, X: Array) -> Array:
        """P(subclass | x, class), (n, R): of each class they sum to one."""
        joint = self.components.log_density(X) + self.log_share
        classes = np.logaddexp.reduceat(joint, self.begins, axis=1)
        return np.asarray(np.exp(joint - classes[:, self.owner]))

    def tail(self, X: Array) -> Array:
        """The share of a class's members of lower density, (n, K).

        Chi-squared where a class is one Gaussian. Else that share among 8192 rows drawn of the class, always the same
        ones, but no more than a bound of chi-squared tails, which is exact far from all subclasses: a mixture is
        nowhere less dense than one of its terms, so its members are of lower density no more often than that term's.
        Rows with holes are among members with the same, of which 2048 are drawn; a row without cells is typical of all.
        """
        missing = np.isnan(X)
        holed = missing.any(axis=1)
        if not holed.any():
            return self._complete_tail(X)
        tails = np.ones((len(X), len(self.begins)))
        tails[~holed] = self._complete_tail(X[~holed])
        patterns = pattern_codes(missing)
        for pattern in np.unique(patterns[holed]):
            rows = np.flatnonzero(patterns == pattern)
            cells = self.components.marginal.used & ~missing[rows[0]]
            if cells.any():
                tails[rows] = self._over(cells)._complete_tail(X[np.ix_(rows, np.flatnonzero(cells))])
        return tails

    def _over(self, cells: NDArray[np.bool_]) -> SubclassMixture:
        """The same classes over some of the columns that take part, the others integrated out."""
        marginal = self.components.marginal
        factors = tuple(factorise(covariance[np.ix_(cells, cells)]) for covariance in marginal.covariances)
        means = marginal.means[:, cells]
        log_dets = np.array([factor.log_det for factor in factors])
        components: SharedGaussian | ClassGaussian = ClassGaussian(means, factors)
        if len(factors) == 1:
            centre = means.mean(axis=0)
            components = SharedGaussian(centre, (means - centre) @ factors[0].whiten, factors[0])
        rank = factors[0].whiten.shape[1]
        peaks = np.broadcast_to(-0.5 * (rank * LOG_2PI + log_dets), len(means))
        return SubclassMixture(components, self.owner, self.share, peaks, DRAWN_OF_PATTERN)

    def _complete_tail(self, X: Array) -> Array:
        """That of rows without holes."""
        log_density = self.log_density(X)
        tails = self._bound(log_density)
        several = np.flatnonzero(np.bincount(self.owner) > 1)
        for k in several:
            drawn = np.searchsorted(self.drawn[k], log_density[:, k], side="right")
            tails[:, k] = np.minimum(tails[:, k], (drawn + 1) / (self.draws + 1))
        return tails

    def _bound(self, log_density: Array) -> Array:
        """Upper bounds (n, K) of the tails, each the mean over the subclasses of their own."""
        below = self.peaks + self.log_share - log_density[:, self.owner]
        rank = self.components.points.shape[1]
        own = self.share * chdtrc(rank, 2 * np.maximum(below, 0.0))
        return np.asarray(np.add.reduceat(own, self.begins, axis=1))

    @cached_property
    def drawn(self) -> Array:
        """(K, draws) sorted log densities of rows of each class."""
        rng = np.random.default_rng(0)
        classes = range(len(self.begins))
        return np.stack([np.sort(self.log_density(self.sample(k, self.draws, rng))[:, k]) for k in classes])

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""
        own = np.flatnonzero(self.owner == k)
        drawn = own[rng.choice(len(own), size=n, p=self.share[own])]
        parts = [self.components.sample(int(r), int((drawn == r).sum()), rng) for r in own]
        return np.concatenate(parts)[np.argsort(np.argsort(drawn, kind="stable"), kind="stable")]


@dataclass(frozen=True)
class Subclasses:
    """Fitted subclasses, in the units of the columns.

    Attributes
    ----------
    owner : (R,) the class of each, ascending.
    share : (R,) of each in its class.
    means : (R, p)
    group : (R,) which covariance each has.
    factors : the G covariances.
    pooled : the mean covariance within subclasses, weighted by their rows.
    """

    owner: NDArray[np.intp]
    share: Array
    means: Array
    group: NDArray[np.intp]
    factors: tuple[Factor, ...]
    pooled: Factor

    def centre(self, priors: Array) -> Array:
        """(p,) mean of all classes at their priors."""
        return np.asarray(self.weights(priors) @ self.means)

    def weights(self, priors: Array) -> Array:
        """(R,) of the subclasses among all rows, at the priors (K,) of the classes; those sum to one."""
        total = priors.sum()
        classes = priors / total if total > 0 else np.full(len(priors), 1 / len(priors))
        return np.asarray(classes[self.owner] * self.share)

    def points(self, priors: Array) -> Array:
        """(R, r) means, from the common one, in coordinates where the pooled covariance is a sphere."""
        return np.asarray((self.means - self.centre(priors)) @ self.pooled.whiten)

    def density(self, priors: Array, directions: Array | None) -> SubclassMixture:
        """The classes' densities; with directions (r, L), subclasses differ along those only."""
        if len(self.factors) == 1:
            points = self.points(priors)
            if directions is not None:
                points = points @ directions @ directions.T
            components: SharedGaussian | ClassGaussian = SharedGaussian(self.centre(priors), points, self.factors[0])
        else:
            components = ClassGaussian(self.means, tuple(self.factors[g] for g in self.group))
        log_dets = np.array([factor.log_det for factor in self.factors])[self.group]
        rank = self.pooled.whiten.shape[1]
        return SubclassMixture(components, self.owner, self.share, -0.5 * (rank * np.log(2 * np.pi) + log_dets))
