"""Rows of each class and category counted; compiled once, cached."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def add_categories(
    X: NDArray[np.float64],
    places: NDArray[np.intp],
    starts: NDArray[np.intp],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None:
    """Add rows (n, p) to totals (K,) and counts (K, L), in place; no weights are weights of one.

    The columns at `places` hold categories 0, 1, ..., whose counts begin at `starts`; NaN is none.
    """
    for i in range(len(codes)):
        k = codes[i]
        w = weight[i] if len(weight) else 1.0
        totals[k] += w
        for c in range(len(places)):
            cell = X[i, places[c]]
            if not np.isnan(cell):
                counts[k, starts[c] + int(cell)] += w
