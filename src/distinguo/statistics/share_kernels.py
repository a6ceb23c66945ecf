"""The loops behind rows that several Gaussians share; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

import numpy as np

from distinguo.compiled import compiled, reordered
from distinguo.statistics.hole_kernels import Floats, Integers, add_spread, expect, find_gaps, invert, take


@reordered
def quadratic(P: Floats, d: Floats) -> float:
    """d' P d of a symmetric P (p, p)."""
    total = 0.0
    for i in range(len(d)):
        row = 0.0
        for j in range(i):
            row += P[i, j] * d[j]
        total += d[i] * (P[i, i] * d[i] + 2.0 * row)
    return total


@compiled
def normalise(scores: Floats) -> float:
    """Log joint densities (R,) to shares of one in place; returns the log of their sum."""
    highest = scores.max()
    total = 0.0
    for k in range(len(scores)):
        scores[k] = np.exp(scores[k] - highest)
        total += scores[k]
    for k in range(len(scores)):
        scores[k] /= total
    return float(highest + np.log(total))


@compiled
def share_rows(
    X: Floats,  # (m, p), with holes
    order: Integers,  # (r,) the rows that count, those of one pattern side by side
    patterns: Integers,  # (m,)
    weight: Floats,  # (m,)
    log_share: Floats,  # (R,)
    means: Floats,  # (R, p)
    group: Integers,  # (R,) which precision each Gaussian has
    precisions: Floats,  # (G, p, p)
    log_dets: Floats,  # (G,) of the covariances
    into: Integers,  # (R,) which sum each Gaussian's scatter goes to
    out: Floats,  # (R, r, p) deviations from each mean, expected where a cell is missing
    owned: Floats,  # (R, r) how much of each row is each Gaussian's, its weight included
    spread: Floats,  # (S, p, p) weighted conditional covariances of missing cells
) -> float:
    """How much of each row is whose, and the rows as each Gaussian expects them; returns the log-likelihood."""
    p = X.shape[1]
    R, G = len(means), len(precisions)
    gaps, pull, scores = np.empty(p, np.intp), np.empty(p), np.empty(R)
    C, dets, scratch = np.empty((G, p, p)), np.empty(G), np.empty((p, p))
    u, last, log_likelihood = 0, -1, 0.0
    for r in range(len(order)):
        i = order[r]
        if patterns[i] != last:
            last = patterns[i]
            u = find_gaps(X[i], gaps)
            for g in range(G):
                take(precisions[g], gaps, u, C[g])
                # The determinant of the covariance of the cells seen, by that of the precision of the others.
                dets[g] = log_dets[g] + invert(C[g], u, scratch)
        for k in range(R):
            g = group[k]
            expect(X[i], means[k], precisions[g], C[g], gaps, u, pull, out[k, r])
            distance = quadratic(precisions[g], out[k, r])
            scores[k] = log_share[k] - 0.5 * (dets[g] + distance + (p - u) * np.log(2 * np.pi))
        log_likelihood += weight[i] * normalise(scores)
        for k in range(R):
            owned[k, r] = weight[i] * scores[k]
            if u > 0 and owned[k, r] > 0.0:
                add_spread(C[group[k]], gaps, u, owned[k, r], spread[into[k]])
    return log_likelihood
