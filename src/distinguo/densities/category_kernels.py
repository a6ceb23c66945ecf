"""Log probabilities of categories added up; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def add_shares(
    X: NDArray[np.float64], logs: NDArray[np.float64], starts: NDArray[np.intp], scores: NDArray[np.float64]
) -> None:
    """Add to scores (n, K) what the categories of rows (n, p) say, from logs (S, K); NaN says nothing.

    The entries of column j are `starts[j]` up to `starts[j + 1]`, the last of them for categories never met.
    """
    n, p = X.shape
    K = logs.shape[1]
    for i in range(n):
        for j in range(p):
            cell = X[i, j]
            if not np.isnan(cell):
                entry = min(starts[j] + int(cell), starts[j + 1] - 1)
                for k in range(K):
                    scores[i, k] += logs[entry, k]
