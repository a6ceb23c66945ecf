"""Sums of counts by class: one pass over rows, dense or sparse; compiled once, cached."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def add_rows(
    X: NDArray[np.float64],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    totals: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add rows (n, p) without holes to totals (K,) and sums (K, p), in place; no weights are weights of one."""
    n, p = X.shape
    for i in range(n):
        k = codes[i]
        w = weight[i] if len(weight) else 1.0
        totals[k] += w
        for j in range(p):
            sums[k, j] += w * X[i, j]


@compiled
def add_entries(
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    totals: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """The same, of the entries of a CSR matrix."""
    for i in range(len(codes)):
        k = codes[i]
        w = weight[i] if len(weight) else 1.0
        totals[k] += w
        for at in range(indptr[i], indptr[i + 1]):
            sums[k, indices[at]] += w * data[at]
