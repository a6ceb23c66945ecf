"""Errors and log losses of many models on the same held-out rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled

Array = NDArray[np.float64]


def judge(scores: Array, log_priors: Array, codes: NDArray[np.intp], weight: Array) -> tuple[Array, Array]:
    """Weighted errors and log losses (G,), summed over rows; NaN scores give a NaN log loss.

    Ties go as everywhere: of two classes to the second, of more to the first.

    Parameters
    ----------
    scores : (K, G, m) log p(x | class), up to a constant of the row; overwritten, for there are many of them.
    log_priors : (K,)
    codes : (m,) true classes.
    weight : (m,)
    """
    error, own = _lead(scores, log_priors, codes, weight)
    # NumPy's exponential runs in vector registers, which a compiled loop's does not.
    np.exp(scores, out=scores)
    with np.errstate(invalid="ignore"):
        log_loss = (np.log(scores.sum(axis=0)) - own) @ weight
    return error, log_loss


@compiled
def _lead(
    scores: NDArray[np.float64],  # (K, G, m), made the lead over the best class: 0 for that, below it for the others
    log_priors: NDArray[np.float64],  # (K,)
    codes: NDArray[np.intp],  # (m,)
    weight: NDArray[np.float64],  # (m,)
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted errors (G,), and the lead (G, m) of each row's true class."""
    K, G, m = scores.shape
    error = np.zeros(G)
    own = np.empty((G, m))
    best = np.empty(m, np.intp)
    highest = np.empty(m)
    for g in range(G):
        for i in range(m):
            best[i] = 0
            highest[i] = scores[0, g, i] + log_priors[0]
        for k in range(1, K):
            for i in range(m):
                score = scores[k, g, i] + log_priors[k]
                ahead = score > highest[i] or (K == 2 and score == highest[i])
                best[i] = k if ahead else best[i]
                highest[i] = score if ahead else highest[i]
        for k in range(K):
            for i in range(m):
                scores[k, g, i] += log_priors[k] - highest[i]
        for i in range(m):
            own[g, i] = scores[codes[i], g, i]
            if best[i] != codes[i]:
                error[g] += weight[i]
    return error, own
