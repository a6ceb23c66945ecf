"""Every m-th row of a source: enough to begin with where there are many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch, Source


@dataclass(frozen=True)
class Thinned(Source):
    """Every m-th row of another source, in its order.

    Attributes
    ----------
    source : the other.
    every : m.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> rows = Thinned(MemorySource([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]), 3)
    >>> [batch.X.ravel().tolist() for batch in rows.batches()]
    [[0.0, 3.0]]
    """

    source: Source
    every: int

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """(p,) names of the columns, or None."""
        return self.source.feature_names

    def batches(self) -> Iterator[Batch]:
        """What is left of the batches."""
        for batch in self.source.batches():
            kept = slice(-batch.first_row % self.every, None, self.every)
            if len(batch.codes[kept]):
                yield replace(
                    batch,
                    X=np.ascontiguousarray(batch.X[kept]),
                    codes=np.ascontiguousarray(batch.codes[kept]),
                    weight=None if batch.weight is None else np.ascontiguousarray(batch.weight[kept]),
                )
