"""The loops of the logistic and softmax likelihood, row by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def relative_scores(
    scores: NDArray[np.float64],  # (m, K), replaced by the scores less the row's greatest
    codes: NDArray[np.intp],  # (m,)
    weight: NDArray[np.float64],  # (m,) or (0,)
) -> float:
    """The least margin by which a row that counts scores highest in its own class; scores are made ready for exp."""
    m, K = scores.shape
    weighted = len(weight) > 0
    least = np.inf
    for i in range(m):
        own = scores[i, codes[i]]
        other = -np.inf
        for k in range(K):
            if k != codes[i] and scores[i, k] > other:
                other = scores[i, k]
        top = max(own, other)
        for k in range(K):
            scores[i, k] -= top
        if own - other < least and not (weighted and weight[i] == 0.0):
            least = own - other
    return least


@compiled
def losses_and_residuals(
    shares: NDArray[np.float64],  # (m, K) exp of the relative scores, replaced by probabilities
    relative: NDArray[np.float64],  # (m, K) relative scores
    codes: NDArray[np.intp],  # (m,)
    weight: NDArray[np.float64],  # (m,) or (0,)
    residuals: NDArray[np.float64],  # (m, K) weighted probabilities less those of the labels
) -> float:
    """The weighted sum of -log P(own class); nothing is lost where that probability is near one."""
    m, K = shares.shape
    weighted = len(weight) > 0
    loss = 0.0
    for i in range(m):
        own = codes[i]
        others = 0.0
        for k in range(K):
            if k != own:
                others += shares[i, k]
        total = others + shares[i, own]
        w = weight[i] if weighted else 1.0
        if relative[i, own] == 0.0:
            loss += w * np.log1p(others)
        else:
            loss += w * (np.log(total) - relative[i, own])
        for k in range(K):
            shares[i, k] /= total
            residuals[i, k] = w * shares[i, k]
        residuals[i, own] = -w * others / total
    return loss
