"""Who among the neighbours has a place, and what a place counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import decide

Array = NDArray[np.float64]
Places = NDArray[np.intp]

# Distances within this part of each other are one distance.
TIED = 1e-10
# Weights that sum to k but for rounding fill k places.
FILLED = 1 - 1e-9
# The outermost neighbour keeps a little of its kernel, so that k rows at one distance have votes to share.
EDGE = 1 - 1e-6


@dataclass(frozen=True)
class Reach:
    """How far k places go among neighbours that are sorted by distance.

    Attributes
    ----------
    distance : (b,) of the last place; of the last neighbour where there are not as many.
    nearer, tied : (b,) places of the first neighbour that ties with the last place, and of the first beyond it.
    share : (b,) the part of its weight that each tied one has.
    """

    distance: Array
    nearer: Places
    tied: Places
    share: Array

    @classmethod
    def of(cls, distance: Array, filled: Array, k: float) -> Reach:
        """The reach among neighbours at distances (b, m), ascending, the first j of which fill filled[:, j] places.

        Parameters
        ----------
        distance, filled : (b, m) and (b, m + 1).
        """
        last = np.minimum((filled[:, 1:] < k * FILLED).sum(axis=1), distance.shape[1] - 1)
        at = np.take_along_axis(distance, last[:, None], axis=1)
        nearer = (distance < at * (1 - TIED)).sum(axis=1)
        tied = (distance <= at * (1 + TIED)).sum(axis=1)
        before, there = (np.take_along_axis(filled, j[:, None], axis=1)[:, 0] for j in (nearer, tied))
        share = np.minimum(1.0, (k - before) / np.where(there > before, there - before, 1.0))
        return cls(at[:, 0], nearer, tied, share)


def filled_by(weight: Array) -> Array:
    """(b, m + 1) how many places the first 0, 1, ..., m neighbours fill."""
    return np.concatenate([np.zeros((len(weight), 1)), np.cumsum(weight, axis=1)], axis=1)


def places(distance: Array, weight: Array, k: float) -> Array:
    """(b, m) how much of the k places each neighbour has: nearer ones their weight, those tied for the last the rest.

    Parameters
    ----------
    distance, weight : (b, m), distances ascending.

    Examples
    --------
    >>> places(np.array([[1.0, 2.0, 2.0, 3.0]]), np.ones((1, 4)), 2).tolist()
    [[1.0, 0.5, 0.5, 0.0]]
    """
    reach, order = Reach.of(distance, filled_by(weight), k), np.arange(distance.shape[1])
    shared = np.where(order < reach.tied[:, None], reach.share[:, None], 0.0)
    return np.asarray(weight * np.where(order < reach.nearer[:, None], 1.0, shared))


@dataclass(frozen=True)
class Weighting:
    """What a place counts.

    Attributes
    ----------
    of : (b, m) weights from distances (b, m), the nearest neighbour's (b, 1) and the bandwidth (b, 1).
    further : places beyond the k that are needed to know the bandwidth.
    """

    of: Callable[[Array, Array, Array], Array]
    further: int = 0

    @property
    def depends_on_k(self) -> bool:
        """Whether what a place counts is another for every k."""
        return self.further > 0


def _uniform(distance: Array, _nearest: Array, _bandwidth: Array) -> Array:
    return np.ones_like(distance)


def _inverse(distance: Array, nearest: Array, _bandwidth: Array) -> Array:
    """1 / distance, times the nearest one's so that nothing overflows; rows at no distance have all the votes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(distance <= nearest, 1.0, nearest / distance)


def _kernel(shape: Callable[[Array], Array]) -> Weighting:
    """A kernel of the distance over the bandwidth, that of the neighbour after the last."""

    def of(distance: Array, _nearest: Array, bandwidth: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(distance < bandwidth, distance / bandwidth, 1.0)
        return shape(np.minimum(u, EDGE))

    return Weighting(of, further=1)


WEIGHTINGS: dict[str, Weighting] = {
    "uniform": Weighting(_uniform),
    "distance": Weighting(_inverse),
    "triangular": _kernel(lambda u: 1 - u),
    "epanechnikov": _kernel(lambda u: 1 - u**2),
    "biweight": _kernel(lambda u: (1 - u**2) ** 2),
    "tricube": _kernel(lambda u: (1 - u**3) ** 3),
}


def votes(distance: Array, weight: Array, k: int, weighting: Weighting) -> Array:
    """(b, m) the part that each neighbour has in the answer; a row's parts sum to one.

    Parameters
    ----------
    distance, weight : (b, m), distances ascending.
    """
    bandwidth = Reach.of(distance, filled_by(weight), k + weighting.further).distance
    parts = places(distance, weight, k) * weighting.of(distance, nearest_of(distance, weight), bandwidth[:, None])
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


def nearest_of(distance: Array, weight: Array) -> Array:
    """(b, 1) distance of the nearest neighbour that has a weight."""
    return np.asarray(np.where(weight > 0, distance, np.inf).min(axis=1, keepdims=True))


def winners(shares: Array) -> NDArray[np.intp]:
    """The answer (b,) of the most votes (b, K); those within rounding of the most are tied, and `decide` has the rule.

    Examples
    --------
    >>> winners(np.array([[0.3, 0.1 + 0.2, 0.4 - 1e-16], [0.3, 0.1 + 0.2, 0.3]])).tolist()
    [2, 0]
    """
    return decide((shares >= shares.max(axis=1, keepdims=True) * (1 - TIED)).astype(np.float64))
