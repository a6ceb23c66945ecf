"""How much of a row a model sees: what makes naive Bayes the surer, whether its columns are independent or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.products import totals
from distinguo.rows.counted import cells_of, part_holes
from distinguo.statistics.counts import above

Array = NDArray[np.float64]


def cells_known(model: Any, block: Any) -> Array:
    """(n,) how many cells of each row (n, p) are not missing; zeros that sparse rows leave out are known.

    Examples
    --------
    >>> cells_known(None, np.array([[1.0, np.nan], [0.0, 2.0]])).tolist()
    [1.0, 2.0]
    """
    n, p = block.shape
    _, holes = part_holes(block) if np.isnan(cells_of(block)).any() else (block, None)
    return np.full(n, float(p)) if holes is None else p - totals(holes)


def counts_seen(model: Any, block: Any) -> Array:
    """(n,) how much each row counts in all: the words of a text, or the cells above the model's threshold."""
    threshold = model._spec().threshold
    return totals(part_holes(block if threshold is None else above(block, threshold))[0])
