"""k-means from k-means++ starts, by frequency: centres to begin a mixture at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Lloyd's steps only begin what the EM algorithm finishes.
STEPS = 10


def kmeans(Z: Array, weight: Array, k: int, rng: np.random.Generator) -> Array:
    """Centres (k, r) of rows that lie in the same Euclidean space.

    Rows count by their weights, so a row of weight two draws as two rows do. Of a centre that loses all its rows
    the old place is kept.

    Parameters
    ----------
    Z : (n, r) rows, at least k of them distinct.
    weight : (n,) frequencies.
    k : how many centres.
    rng : where the seeds come from.

    References
    ----------
    Arthur and Vassilvitskii (2007), k-means++: the advantages of careful seeding, SODA.

    Examples
    --------
    >>> Z = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> sorted(kmeans(Z, np.ones(4), 2, np.random.default_rng(0)).ravel().tolist())
    [0.5, 9.5]
    """
    centres = _seeds(Z, weight, k, rng)
    nearest = np.full(len(Z), -1)
    for _ in range(STEPS):
        before, nearest = nearest, squared_distances(Z, centres).argmin(axis=1)
        if np.array_equal(before, nearest):
            break
        total = np.bincount(nearest, weight, k)
        members = (nearest[:, None] == np.arange(k)) * weight[:, None]
        filled = total > 0
        centres[filled] = (members.T @ Z)[filled] / total[filled, None]
    return centres


def squared_distances(Z: Array, points: Array) -> Array:
    """(n, k) by the expanded square, for coordinates of about unit size around zero."""
    squares = (Z**2).sum(axis=1)[:, None] - 2 * (Z @ points.T) + (points**2).sum(axis=1)
    return np.asarray(np.maximum(squares, 0.0))


def _seeds(Z: Array, weight: Array, k: int, rng: np.random.Generator) -> Array:
    """Rows drawn one after the other, by weight and squared distance to the nearest one drawn already."""
    chance = weight
    drawn: list[int] = []
    nearest = np.full(len(Z), np.inf)
    for _ in range(k):
        cumulated = np.cumsum(chance)
        place = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
        drawn.append(min(int(place), len(Z) - 1))
        nearest = np.minimum(nearest, ((Z - Z[drawn[-1]]) ** 2).sum(axis=1))
        chance = weight * nearest
    return Z[drawn]
