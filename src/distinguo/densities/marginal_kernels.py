"""Distances over the cells that are there; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import reordered


@reordered
def semidefinite_root(A: NDArray[np.float64], cells: NDArray[np.intp], q: int, least: float, L: Any) -> Any:
    """The Cholesky factor of A over the first q `cells`, into L; returns its log-determinant and rank.

    A cell that follows from those before it, but for a share `least` of its variance, gets a pivot of zero.
    """
    log_det = 0.0
    rank = 0
    for i in range(q):
        for j in range(i + 1):
            total = A[cells[i], cells[j]]
            for m in range(j):
                total -= L[i, m] * L[j, m]
            if j < i:
                L[i, j] = total / L[j, j] if L[j, j] > 0.0 else 0.0
            elif total > least * A[cells[i], cells[i]]:
                L[i, i] = np.sqrt(total)
                log_det += np.log(total)
                rank += 1
            else:
                L[i, i] = 0.0
    return log_det, rank


@reordered
def marginal_distances(
    X: NDArray[np.float64],  # (n, p), with holes
    order: NDArray[np.intp],  # (n,) rows, those of a pattern side by side
    patterns: NDArray[np.intp],  # (n,)
    used: NDArray[np.bool_],  # (p,) columns that take part
    means: NDArray[np.float64],  # (K, p)
    covariances: NDArray[np.float64],  # (C, p, p), one a class or one for all
    least: float,  # share of its variance below which a cell follows from others
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Squared distances, log-determinants and ranks (n, K) of the Gaussians of the cells that are there."""
    n, p = X.shape
    K = len(means)
    C = len(covariances)
    distances = np.zeros((n, K))
    log_dets = np.zeros((n, K))
    ranks = np.zeros((n, K))
    cells = np.empty(p, np.intp)
    roots = np.empty((C, p, p))
    of_roots = np.zeros((C, 2))
    z = np.empty(p)
    q = 0
    last = -1
    for i in order:
        if patterns[i] != last:
            last = patterns[i]
            q = 0
            for j in range(p):
                if used[j] and not np.isnan(X[i, j]):
                    cells[q] = j
                    q += 1
            for c in range(C):
                of_roots[c, 0], of_roots[c, 1] = semidefinite_root(covariances[c], cells, q, least, roots[c])
        for k in range(K):
            c = k if C > 1 else 0
            L = roots[c]
            distance = 0.0
            for a in range(q):
                total = X[i, cells[a]] - means[k, cells[a]]
                for m in range(a):
                    total -= L[a, m] * z[m]
                z[a] = total / L[a, a] if L[a, a] > 0.0 else 0.0
                distance += z[a] * z[a]
            distances[i, k] = np.inf if np.isnan(distance) else distance
            log_dets[i, k] = of_roots[c, 0]
            ranks[i, k] = of_roots[c, 1]
    return distances, log_dets, ranks
