"""The loops that NumPy cannot express; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def gather(
    X: NDArray[np.float64],  # (m, p)
    codes: NDArray[np.intp],  # (m,)
    weight: NDArray[np.float64],  # (m,), or (0,) where every row counts once
    shift: NDArray[np.float64],  # (K, p), set at the first row of a class
    seen: NDArray[np.bool_],  # (K,)
    total: NDArray[np.float64],  # (K,) sums of weights
    sums: NDArray[np.float64],  # (K, p) weighted sums of shifted rows
    out: NDArray[np.float64],  # (m, p) shifted rows, class after class
    out_weight: NDArray[np.float64],  # (m,) their weights, where there are any
) -> NDArray[np.intp]:
    """Put the rows of a block in order of class, less their class's shift; returns where each class begins.

    A class's shift is its first row that counts: the rounding it costs is bounded by that row's own share in the
    scatter.
    """
    m, p = X.shape
    K = len(total)
    weighted = len(weight) > 0
    begins = np.zeros(K + 1, np.intp)
    for i in range(m):
        begins[codes[i] + 1] += 1
    for k in range(K):
        begins[k + 1] += begins[k]
    place = begins[:-1].copy()
    for i in range(m):
        k = codes[i]
        if not seen[k] and not (weighted and weight[i] == 0.0):
            seen[k] = True
            for j in range(p):
                shift[k, j] = X[i, j]
        r = place[k]
        place[k] += 1
        if weighted:
            w = weight[i]
            out_weight[r] = w
            total[k] += w
            for j in range(p):
                z = X[i, j] - shift[k, j]
                out[r, j] = z
                sums[k, j] += w * z
        else:
            total[k] += 1.0
            for j in range(p):
                z = X[i, j] - shift[k, j]
                out[r, j] = z
                sums[k, j] += z
    return begins


@compiled
def accumulate_columns(
    X: NDArray[np.float64],  # (m, p)
    codes: NDArray[np.intp],  # (m,)
    weight: NDArray[np.float64],  # (m,) or (0,)
    shift: NDArray[np.float64],  # (K, p)
    seen: NDArray[np.bool_],  # (K,)
    total: NDArray[np.float64],  # (K,)
    sums: NDArray[np.float64],  # (K, p)
    squares: NDArray[np.float64],  # (K, p)
) -> None:
    """Add the shifted sums and sums of squares of rows without holes."""
    m, p = X.shape
    weighted = len(weight) > 0
    for i in range(m):
        k = codes[i]
        w = weight[i] if weighted else 1.0
        if not seen[k] and w > 0.0:
            seen[k] = True
            for j in range(p):
                shift[k, j] = X[i, j]
        total[k] += w
        for j in range(p):
            z = X[i, j] - shift[k, j]
            sums[k, j] += w * z
            squares[k, j] += w * z * z


@compiled
def accumulate_cells(
    X: NDArray[np.float64],  # (m, p)
    codes: NDArray[np.intp],  # (m,)
    weight: NDArray[np.float64],  # (m,) or (0,)
    shift: NDArray[np.float64],  # (K, p)
    counts: NDArray[np.float64],  # (K, p) weights of the cells seen
    total: NDArray[np.float64],  # (K,)
    sums: NDArray[np.float64],  # (K, p)
    squares: NDArray[np.float64],  # (K, p)
) -> None:
    """The same over the cells that are there; a cell's shift is the first value of its class and column."""
    m, p = X.shape
    weighted = len(weight) > 0
    for i in range(m):
        k = codes[i]
        w = weight[i] if weighted else 1.0
        total[k] += w
        for j in range(p):
            x = X[i, j]
            if np.isnan(x) or w == 0.0:
                continue
            if counts[k, j] == 0.0:
                shift[k, j] = x
            z = x - shift[k, j]
            counts[k, j] += w
            sums[k, j] += w * z
            squares[k, j] += w * z * z
