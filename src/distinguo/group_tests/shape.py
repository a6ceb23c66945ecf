"""A second pass over the rows: what classes look like in their own standard units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch, Reducer

Array = NDArray[np.float64]

# Bins of a standardised column: 321 of .05 from -8 to 8, the outermost with the rest. 0 and ±1 are in the middle of
# one, so that rounding does not move the rows of columns of few values from bin to bin.
BIN = 0.05
CENTRES: Array = np.arange(-160.0, 161.0) * BIN


@dataclass(frozen=True, eq=False)
class ShapeSums:
    """Sums over the rows of each class in its own standard units; they add.

    Attributes
    ----------
    counts : (K, D, B) rows, by frequency, in the bins of each of D directions.
    thirds : (K, r(r+1)/2, r) sums of z_a z_b z_c, a <= b, of the whitened columns; pairs as in `numpy.triu_indices`.
    quarts : (K,) sums of (z'z)².
    """

    counts: Array
    thirds: Array
    quarts: Array

    def __add__(self, other: ShapeSums) -> ShapeSums:
        """The sums over the rows of both."""
        return ShapeSums(self.counts + other.counts, self.thirds + other.thirds, self.quarts + other.quarts)


@dataclass(frozen=True, eq=False)
class ClassShape(Reducer[ShapeSums]):
    """What to sum, given each class's mean and covariance: a spec that carries its parameters.

    Attributes
    ----------
    classes : (K,) labels.
    centre : (K, p) means.
    scale : (K, p) one over the standard deviations; zero where a column does not vary.
    leading : (K, p) weights of one more direction, of variance one.
    whiten : (K, p, r) to coordinates of identity covariance; zero columns where a class has fewer.
    """

    classes: NDArray[Any]
    centre: Array
    scale: Array
    leading: Array
    whiten: Array

    def reduce(self, batches: Iterable[Batch]) -> ShapeSums:
        """One pass over the batches."""
        K, p, r = self.whiten.shape
        sums = ShapeSums(np.zeros((K, p + 1, len(CENTRES))), np.zeros((K, r * (r + 1) // 2, r)), np.zeros(K))
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        for batch in batches:
            labels = batch.classes.tolist()
            order = np.argsort(batch.codes, kind="stable")
            ends = np.cumsum(np.bincount(batch.codes, minlength=len(labels)))
            for code, rows in enumerate(np.split(order, ends[:-1])):
                if len(rows) and labels[code] in place:
                    weight = np.ones(len(rows)) if batch.weight is None else batch.weight[rows]
                    self._add(sums, place[labels[code]], batch.X[rows], weight)
        return sums

    def _add(self, sums: ShapeSums, k: int, X: Array, weight: Array) -> None:
        """Rows (m, p) of class k, into the sums."""
        X = X - self.centre[k]
        along = np.column_stack([X * self.scale[k], X @ self.leading[k]])
        sums.counts[k] += histogram(along, weight)
        z = np.ascontiguousarray((X @ self.whiten[k]).T)
        sums.quarts[k] += weight @ (z**2).sum(axis=0) ** 2
        weighted, end = (z * weight).T, 0
        for a in range(len(z)):
            begin, end = end, end + len(z) - a
            sums.thirds[k, begin:end] += (z[a:] * z[a]) @ weighted


def histogram(z: Array, weight: Array) -> Array:
    """(D, B) weights of rows (m, D) in the bins of each column."""
    B, D = len(CENTRES), z.shape[1]
    bins = np.clip(np.rint(z / BIN), -(B // 2), B // 2).astype(np.intp) + B // 2
    flat = bins + B * np.arange(D)
    return np.asarray(np.bincount(flat.ravel(), np.repeat(weight, D), minlength=B * D), dtype=np.float64).reshape(D, B)
