"""The loops behind missing cells; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@compiled
def factor(A: Floats, u: int, L: Floats) -> float:
    """The Cholesky factor of the leading (u, u) of A, into L; returns A's log-determinant."""
    log_det = 0.0
    for i in range(u):
        for j in range(i):
            total = A[i, j]
            for m in range(j):
                total -= L[i, m] * L[j, m]
            L[i, j] = total / L[j, j]
        total = A[i, i]
        for m in range(i):
            total -= L[i, m] * L[i, m]
        L[i, i] = np.sqrt(total)
        log_det += np.log(total)
    return log_det


@compiled
def invert(A: Floats, u: int, L: Floats) -> float:
    """The inverse of the leading (u, u) of A in place of it; returns A's log-determinant.

    L is scratch. Columns of A are not rescaled: a Cholesky factor without pivots errs alike in all units.
    """
    log_det = float(factor(A, u, L))
    for i in range(u):  # the inverse of L, in its place
        L[i, i] = 1.0 / L[i, i]
        for j in range(i):
            total = 0.0
            for m in range(j, i):
                total -= L[i, m] * L[m, j]
            L[i, j] = total * L[i, i]
    for i in range(u):
        for j in range(i + 1):
            total = 0.0
            for m in range(i, u):
                total += L[m, i] * L[m, j]
            A[i, j] = total
            A[j, i] = total
    return log_det


@compiled
def find_gaps(row: Floats, gaps: Integers) -> int:
    """Where the cells of a row (p,) are missing; returns how many are."""
    u = 0
    for j in range(len(row)):
        if np.isnan(row[j]):
            gaps[u] = j
            u += 1
    return u


@compiled
def take(P: Floats, gaps: Integers, u: int, out: Floats) -> None:
    """The entries of P (p, p) between the first u of `gaps`."""
    for a in range(u):
        for b in range(u):
            out[a, b] = P[gaps[a], gaps[b]]


@compiled
def expect(row: Floats, mean: Floats, P: Floats, C: Floats, gaps: Integers, u: int, pull: Floats, out: Floats) -> None:
    """A row's deviations (p,) from the mean, those of the u missing cells expected; C is the inverse of P_uu."""
    p = len(row)
    for j in range(p):
        out[j] = row[j] - mean[j]
    for a in range(u):
        out[gaps[a]] = 0.0
    for a in range(u):
        pull[a] = 0.0
        for j in range(p):
            pull[a] -= P[gaps[a], j] * out[j]
    for a in range(u):
        expected = 0.0
        for b in range(u):
            expected += C[a, b] * pull[b]
        out[gaps[a]] = expected


@compiled
def add_spread(C: Floats, gaps: Integers, u: int, weight: float, spread: Floats) -> None:
    """Add what the missing cells of a row vary to a scatter (p, p)."""
    for a in range(u):
        for b in range(u):
            spread[gaps[a], gaps[b]] += weight * C[a, b]


@compiled
def complete_rows(
    X: Floats,  # (m, p), with holes
    order: Integers,  # (r,) the rows that count, those of one class and pattern side by side
    codes: Integers,  # (m,) classes
    patterns: Integers,  # (m,)
    weight: Floats,  # (m,), or (0,) where every row counts once
    means: Floats,  # (K, p)
    precisions: Floats,  # (C, p, p), one a class or one for all
    out: Floats,  # (r, p) deviations from the class means, expected where a cell is missing
    out_weight: Floats,  # (r,) the rows' weights
    total: Floats,  # (K,) sums of weights
    sums: Floats,  # (K, p) weighted sums of deviations
    spread: Floats,  # (S, p, p) weighted conditional covariances of missing cells; S is 1 or K
    tally: Floats,  # (2,) weighted log-determinants of the precisions of missing cells; cells seen
) -> None:
    """Expected rows given the cells that are there, and what the missing ones still vary.

    With the precision matrix P, missing cells u and seen ones o, the missing cells vary by the inverse of P_uu around
    -P_uu^-1 P_uo d_o: small matrices where few cells are missing.
    """
    p = X.shape[1]
    gaps, pull = np.empty(p, np.intp), np.empty(p)
    C, scratch = np.empty((p, p)), np.empty((p, p))
    u, log_det, last_pattern, last_shape = 0, 0.0, -1, -1
    for r in range(len(order)):
        i = order[r]
        k = codes[i]
        w = weight[i] if len(weight) > 0 else 1.0
        shape = min(k, len(precisions) - 1)
        if patterns[i] != last_pattern or shape != last_shape:
            last_pattern, last_shape = patterns[i], shape
            u = find_gaps(X[i], gaps)
            take(precisions[shape], gaps, u, C)
            log_det = invert(C, u, scratch)
        expect(X[i], means[k], precisions[shape], C, gaps, u, pull, out[r])
        add_spread(C, gaps, u, w, spread[min(k, len(spread) - 1)])
        out_weight[r] = w
        total[k] += w
        tally[0] += w * log_det
        tally[1] += w * (p - u)
        for j in range(p):
            sums[k, j] += w * out[r, j]
