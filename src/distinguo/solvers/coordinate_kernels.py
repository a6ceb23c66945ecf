"""The loops of coordinate descent: a quadratic in one vector of coefficients plus an elastic net, column by column.

The quadratic is r'z + ½ Σ h z² in z = X d + d0, d being the change of the coefficients. The constant d0 is free, and is
taken out: it is -Σ u / Σ h at any d, where u = r + h X d.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled, reordered

Array = NDArray[np.float64]
# Sweeps over the coefficients that are not zero, for one over all.
ACTIVE_SWEEPS = 10
# A coefficient stays where it is while its derivative misses no more than this share of the tolerance.
IDLE = 0.1


@compiled
def _least(coef: float, slope: float, curvature: float, l1: float, l2: float) -> float:
    """Where a coefficient's own quadratic and penalty are least together."""
    pull = curvature * coef - slope
    if pull > l1:
        return (pull - l1) / (curvature + l2)
    if pull < -l1:
        return (pull + l1) / (curvature + l2)
    return 0.0


@compiled
def _unmet(coef: float, slope: float, l1: float, l2: float) -> float:
    """By how much a derivative misses what the penalty allows."""
    if coef == 0.0:
        return max(abs(slope) - l1, 0.0)
    return float(abs(slope + l2 * coef + np.copysign(l1, coef)))


@reordered
def sparse_moments(data: Array, rows: NDArray[np.int32], starts: NDArray[np.int32], h: Array) -> tuple[Array, Array]:
    """Sums (p,) of h x and of h x² by column."""
    p = len(starts) - 1
    sums, squares = np.zeros(p), np.zeros(p)
    for j in range(p):
        first, second = 0.0, 0.0
        for t in range(starts[j], starts[j + 1]):
            weighted = h[rows[t]] * data[t]
            first += weighted
            second += weighted * data[t]
        sums[j], squares[j] = first, second
    return sums, squares


@reordered
def _sparse_sweep(
    data: Array,  # (nnz,) entries, column after column
    rows: NDArray[np.int32],  # (nnz,)
    starts: NDArray[np.int32],  # (p + 1,)
    u: Array,  # (n,) kept up to date
    h: Array,  # (n,)
    sums: Array,  # (p,) Σ h x
    curvature: Array,  # (p,) second derivatives, the constant taken out
    coef: Array,  # (p,) kept up to date
    l1: Array,  # (p,)
    l2: Array,  # (p,)
    size: Array,  # (p,) in whose units derivatives are judged
    state: Array,  # Σ u, kept up to date; one over Σ h, or zero where there is no constant
    only_active: bool,
    least: float,
) -> float:
    """One step in each coefficient, or in each that is not zero; the greatest derivative unmet on the way."""
    worst = 0.0
    for j in range(len(coef)):
        old = coef[j]
        if only_active and old == 0.0:
            continue
        slope = -state[0] * state[1] * sums[j]
        for t in range(starts[j], starts[j + 1]):
            slope += data[t] * u[rows[t]]
        missed = _unmet(old, slope, l1[j], l2[j]) / size[j]
        if missed <= least:
            continue
        worst = max(worst, missed)
        new = _least(old, slope, curvature[j], l1[j], l2[j])
        if new != old:
            change = new - old
            coef[j] = new
            state[0] += change * sums[j]
            for t in range(starts[j], starts[j + 1]):
                u[rows[t]] += change * h[rows[t]] * data[t]
    return worst


@compiled
def sparse_descent(
    data: Array,
    rows: NDArray[np.int32],
    starts: NDArray[np.int32],
    u: Array,
    h: Array,
    sums: Array,
    curvature: Array,
    coef: Array,
    l1: Array,
    l2: Array,
    size: Array,
    state: Array,
    tol: float,
    sweeps: int,
) -> float:
    """Sweeps until no derivative misses more than `tol`; what the first one found."""
    first = -1.0
    for _ in range(sweeps):
        worst = _sparse_sweep(data, rows, starts, u, h, sums, curvature, coef, l1, l2, size, state, False, IDLE * tol)
        first = worst if first < 0.0 else first
        if worst <= tol:
            break
        for _ in range(ACTIVE_SWEEPS):
            if (
                _sparse_sweep(data, rows, starts, u, h, sums, curvature, coef, l1, l2, size, state, True, IDLE * tol)
                <= tol
            ):
                break
    return first


@reordered
def dense_moments(columns: Array, h: Array) -> tuple[Array, Array]:
    """Sums (p,) of h x and of h x² by column; columns are (p, n)."""
    p, n = columns.shape
    sums, squares = np.zeros(p), np.zeros(p)
    for j in range(p):
        first, second = 0.0, 0.0
        for i in range(n):
            weighted = h[i] * columns[j, i]
            first += weighted
            second += weighted * columns[j, i]
        sums[j], squares[j] = first, second
    return sums, squares


@reordered
def _dense_sweep(
    columns: Array,  # (p, n)
    u: Array,
    h: Array,
    sums: Array,
    curvature: Array,
    coef: Array,
    l1: Array,
    l2: Array,
    size: Array,
    state: Array,
    only_active: bool,
    least: float,
) -> float:
    """The same step for columns without gaps."""
    worst = 0.0
    n = len(u)
    for j in range(len(coef)):
        old = coef[j]
        if only_active and old == 0.0:
            continue
        slope = -state[0] * state[1] * sums[j]
        for i in range(n):
            slope += columns[j, i] * u[i]
        missed = _unmet(old, slope, l1[j], l2[j]) / size[j]
        if missed <= least:
            continue
        worst = max(worst, missed)
        new = _least(old, slope, curvature[j], l1[j], l2[j])
        if new != old:
            change = new - old
            coef[j] = new
            state[0] += change * sums[j]
            for i in range(n):
                u[i] += change * h[i] * columns[j, i]
    return worst


@compiled
def dense_descent(
    columns: Array,
    u: Array,
    h: Array,
    sums: Array,
    curvature: Array,
    coef: Array,
    l1: Array,
    l2: Array,
    size: Array,
    state: Array,
    tol: float,
    sweeps: int,
) -> float:
    """Sweeps until no derivative misses more than `tol`; what the first one found."""
    first = -1.0
    for _ in range(sweeps):
        worst = _dense_sweep(columns, u, h, sums, curvature, coef, l1, l2, size, state, False, IDLE * tol)
        first = worst if first < 0.0 else first
        if worst <= tol:
            break
        for _ in range(ACTIVE_SWEEPS):
            if _dense_sweep(columns, u, h, sums, curvature, coef, l1, l2, size, state, True, IDLE * tol) <= tol:
                break
    return first


@reordered
def _gram_sweep(
    gram: Array,  # (p, p) second derivatives, the constant taken out
    slopes: Array,  # (p,) kept up to date
    coef: Array,
    l1: Array,
    l2: Array,
    size: Array,
    only_active: bool,
    least: float,
) -> float:
    """The same step from second derivatives: what does not move costs nothing."""
    worst = 0.0
    p = len(coef)
    for j in range(p):
        old = coef[j]
        if only_active and old == 0.0:
            continue
        missed = _unmet(old, slopes[j], l1[j], l2[j]) / size[j]
        if missed <= least:
            continue
        worst = max(worst, missed)
        new = _least(old, slopes[j], gram[j, j], l1[j], l2[j])
        if new != old:
            change = new - old
            coef[j] = new
            for i in range(p):
                slopes[i] += change * gram[j, i]
    return worst


@compiled
def gram_descent(
    gram: Array, slopes: Array, coef: Array, l1: Array, l2: Array, size: Array, tol: float, sweeps: int
) -> float:
    """Sweeps until no derivative misses more than `tol`; what the first one found."""
    first = -1.0
    for _ in range(sweeps):
        worst = _gram_sweep(gram, slopes, coef, l1, l2, size, False, IDLE * tol)
        first = worst if first < 0.0 else first
        if worst <= tol:
            break
        for _ in range(ACTIVE_SWEEPS):
            if _gram_sweep(gram, slopes, coef, l1, l2, size, True, IDLE * tol) <= tol:
                break
    return first
