"""Bayes' rule over blocks of scores; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def settle(scores: NDArray[np.float64], log_priors: NDArray[np.float64]) -> int:
    """Give rows (n, K) that are impossible under every class the log priors, in place; returns how many."""
    n, K = scores.shape
    impossible = 0
    for i in range(n):
        highest = -np.inf
        for k in range(K):
            # NaN (infinity less infinity) is never the higher, and must not hide a finite score.
            if scores[i, k] > highest:
                highest = scores[i, k]
            elif np.isnan(scores[i, k]):
                scores[i, k] = -np.inf
        if not np.isfinite(highest):
            impossible += 1
            for k in range(K):
                scores[i, k] = log_priors[k]
    return impossible


@compiled
def to_posteriors(scores: NDArray[np.float64]) -> None:
    """Settled scores (n, K) to posteriors, in place."""
    n, K = scores.shape
    for i in range(n):
        highest = scores[i, 0]
        for k in range(1, K):
            highest = max(highest, scores[i, k])
        total = 0.0
        for k in range(K):
            e = np.exp(scores[i, k] - highest)
            scores[i, k] = e
            total += e
        for k in range(K):
            scores[i, k] /= total


@compiled
def to_log_posteriors(scores: NDArray[np.float64]) -> None:
    """Settled scores (n, K) to log posteriors, in place."""
    n, K = scores.shape
    for i in range(n):
        highest = scores[i, 0]
        for k in range(1, K):
            highest = max(highest, scores[i, k])
        total = 0.0
        for k in range(K):
            total += np.exp(scores[i, k] - highest)
        # The highest first: added to it, a logarithm near zero would lose its digits.
        share = np.log(total)
        for k in range(K):
            scores[i, k] = (scores[i, k] - highest) - share
