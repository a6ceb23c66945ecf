"""Sums of z_i² z_j and z_i² z_j² by class, which move with the mean: what Ledoit and Wolf's shrinkage needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


class ShiftedSums:
    """Fourth-moment sums around a shift, growing in place."""

    def __init__(self, K: int, p: int) -> None:
        self.cubes = np.zeros((K, p, p))
        self.quarts = np.zeros((K, p, p))

    def add(self, k: int, z: Array, weight: Array | None) -> None:
        """Rows (m, p) of class k."""
        squares = z * z
        weighted = squares if weight is None else squares * weight[:, None]
        self.cubes[k] += weighted.T @ z
        self.quarts[k] += weighted.T @ squares

    def centred(self, weight: Array, offset: Array, scatter: Array) -> tuple[Array, Array]:
        """The sums around the means, which lie at `offset` from the shift; `scatter` is around the means."""
        cubes, quarts = np.empty_like(self.cubes), np.empty_like(self.quarts)
        for k, (n, d) in enumerate(zip(weight, offset, strict=True)):
            # Moving from mean to shift adds d to every row; undo it, in the order that each term needs.
            cubes[k] = self.cubes[k] - _cube_change(n, d, scatter[k])
            quarts[k] = self.quarts[k] - _quart_change(n, d, scatter[k], cubes[k])
        return cubes, quarts


def merged(a: ClassMoments, b: ClassMoments, mean: Array, sign: int) -> tuple[Array, Array]:
    """The sums of both, each moved to the common mean, put in (+1) or taken out (-1)."""
    moved_a, moved_b = _moved(a, mean), _moved(b, mean)
    return moved_a[0] + sign * moved_b[0], moved_a[1] + sign * moved_b[1]


def _moved(moments: ClassMoments, mean: Array) -> tuple[Array, Array]:
    """The sums around other means."""
    assert moments.cubes is not None
    assert moments.quarts is not None
    cubes, quarts = moments.cubes.copy(), moments.quarts.copy()
    for k, n in enumerate(moments.weight):
        if n > 0:
            d = moments.mean[k] - mean[k]
            cubes[k] += _cube_change(n, d, moments.scatter[k])
            quarts[k] += _quart_change(n, d, moments.scatter[k], moments.cubes[k])
    return cubes, quarts


def _cube_change(n: float, d: Array, scatter: Array) -> Array:
    """Σ (c_i + d_i)² (c_j + d_j) - Σ c_i² c_j for rows c with Σ c = 0."""
    return np.outer(np.diagonal(scatter) + n * d * d, d) + 2 * d[:, None] * scatter


def _quart_change(n: float, d: Array, scatter: Array, cubes: Array) -> Array:
    """Σ (c_i + d_i)² (c_j + d_j)² - Σ c_i² c_j² for rows c with Σ c = 0."""
    squares, variances = d * d, np.diagonal(scatter)
    skew = 2 * cubes * d
    mixed = np.outer(variances, squares)
    return skew + skew.T + mixed + mixed.T + 4 * np.outer(d, d) * scatter + n * np.outer(squares, squares)
