"""How many rows there are, how long, and how heavy: what gradient descent asks before its first step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch, Reducer
from distinguo.rows.labels import codes_among

Array = NDArray[np.float64]


def class_weighted(batch: Batch, classes: NDArray[Any], class_weight: Array | None) -> tuple[NDArray[np.intp], Array]:
    """Codes (m,) of a batch's rows among `classes`, and how much each counts: its weight times that of its class."""
    codes = codes_among(classes, batch.classes, batch.codes)
    weight = np.ones(len(codes)) if batch.weight is None else batch.weight
    return codes, weight if class_weight is None else weight * class_weight[codes]


@dataclass(frozen=True, eq=False)
class RowSizes:
    """Sums and extremes of the rows that count.

    Attributes
    ----------
    rows : how many.
    weight, heaviest : the sum and the greatest of their weights.
    longest : the greatest of their squared lengths.
    products : (p + 1, p + 1) sums of w (1, x)(1, x)'.
    """

    rows: int
    weight: float
    heaviest: float
    longest: float
    products: Array

    def __add__(self, other: RowSizes) -> RowSizes:
        """Those of the rows of both."""
        return RowSizes(
            self.rows + other.rows,
            self.weight + other.weight,
            max(self.heaviest, other.heaviest),
            max(self.longest, other.longest),
            self.products + other.products,
        )


@dataclass(frozen=True, eq=False)
class SizeRows(Reducer[RowSizes]):
    """Gather the sizes of rows.

    Attributes
    ----------
    classes : (K,) labels; rows of weight zero may be of others.
    class_weight : (K,) or None.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> rows = MemorySource([[3.0, 4.0], [1.0, 0.0]], ["a", "b"], [2.0, 1.0])
    >>> sizes = rows.aggregate(SizeRows(np.array(["a", "b"]), None))
    >>> sizes.rows, sizes.weight, sizes.heaviest, sizes.longest, sizes.products[0].tolist()
    (2, 3.0, 2.0, 25.0, [3.0, 7.0, 8.0])
    """

    classes: NDArray[Any]
    class_weight: Array | None

    def reduce(self, batches: Iterable[Batch]) -> RowSizes:
        """One pass over the batches."""
        rows, weight, heaviest, longest, products = 0, 0.0, 0.0, 0.0, np.zeros(())
        for batch in batches:
            _, own = class_weighted(batch, self.classes, self.class_weight)
            counts = own > 0
            rows += int(counts.sum())
            weight += float(own.sum())
            heaviest = max(heaviest, float(own.max(initial=0.0)))
            lengths = np.einsum("ij,ij->i", batch.X, batch.X)
            longest = max(longest, float(lengths[counts].max(initial=0.0)))
            X = np.column_stack([np.ones(len(own)), batch.X])
            products = products + (X * own[:, None]).T @ X
        return RowSizes(rows, weight, heaviest, longest, products)
