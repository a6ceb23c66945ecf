"""Errors and log losses of many models on the same held-out rows; compiled once and cached."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def judge(
    scores: NDArray[np.float64],  # (K, G, m) log p(x | class), up to a constant of the row
    log_priors: NDArray[np.float64],  # (K,)
    codes: NDArray[np.intp],  # (m,) true classes
    weight: NDArray[np.float64],  # (m,)
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted errors and log losses (G,), summed over rows; NaN scores give a NaN log loss.

    Ties go as everywhere: of two classes to the second, of more to the first.
    """
    K, G, m = scores.shape
    error = np.zeros(G)
    log_loss = np.zeros(G)
    for g in range(G):
        for i in range(m):
            best = 0
            highest = scores[0, g, i] + log_priors[0]
            for k in range(1, K):
                score = scores[k, g, i] + log_priors[k]
                if score > highest or (K == 2 and score == highest):
                    best, highest = k, score
            total = 0.0
            for k in range(K):
                total += np.exp(scores[k, g, i] + log_priors[k] - highest)
            if best != codes[i]:
                error[g] += weight[i]
            own = scores[codes[i], g, i] + log_priors[codes[i]]
            log_loss[g] += weight[i] * (highest + np.log(total) - own)
    return error, log_loss
