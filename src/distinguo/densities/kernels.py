"""Squared distances of rows to classes; compiled once, cached, and free of the interpreter's lock.

Rows are finite, so a distance that is not a number comes of infinities that met: the row is infinitely far.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled, reordered


@reordered
def distances_to_points(Z: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distances (n, K) of rows (n, r) to points (K, r)."""
    n, r = Z.shape
    K = len(points)
    out = np.empty((n, K))
    for i in range(n):
        for k in range(K):
            total = 0.0
            for j in range(r):
                d = Z[i, j] - points[k, j]
                total += d * d
            out[i, k] = np.inf if np.isnan(total) else total
    return out


@reordered
def distances_by_class(Z: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distances (n, K) where each class has r columns of Z (n, K r) of its own; points (K, r)."""
    n = len(Z)
    K, r = points.shape
    out = np.empty((n, K))
    for i in range(n):
        for k in range(K):
            total = 0.0
            for j in range(r):
                d = Z[i, k * r + j] - points[k, j]
                total += d * d
            out[i, k] = np.inf if np.isnan(total) else total
    return out


@reordered
def scaled_distances(
    X: NDArray[np.float64],  # (n, p)
    means: NDArray[np.float64],  # (K, p)
    roots: NDArray[np.float64],  # (K, p) inverse standard deviations
) -> NDArray[np.float64]:
    """Sums (n, K) of squared deviations over variances."""
    n, p = X.shape
    K = len(means)
    out = np.empty((n, K))
    for i in range(n):
        for k in range(K):
            total = 0.0
            for j in range(p):
                d = (X[i, j] - means[k, j]) * roots[k, j]
                total += d * d
            out[i, k] = np.inf if np.isnan(total) else total
    return out


@compiled
def scaled_distances_of_cells(
    X: NDArray[np.float64],  # (n, p), with holes
    means: NDArray[np.float64],  # (K, p)
    roots: NDArray[np.float64],  # (K, p) inverse standard deviations
    constants: NDArray[np.float64],  # (K, p) twice the log of each cell's normalising factor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same over the cells that are there, and the sums (n, K) of their constants."""
    n, p = X.shape
    K = len(means)
    out = np.zeros((n, K))
    norms = np.zeros((n, K))
    for i in range(n):
        for j in range(p):
            x = X[i, j]
            if np.isnan(x):
                continue
            for k in range(K):
                d = (x - means[k, j]) * roots[k, j]
                out[i, k] += d * d
                norms[i, k] += constants[k, j]
    return out, norms
