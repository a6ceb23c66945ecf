"""Rows of any source brought together in memory, for models that need them all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch, Source
from distinguo.rows.labels import merge_classes
from distinguo.rows.room import announce
from distinguo.rows.tables import block_rows


@dataclass(frozen=True)
class Gathered(Source):
    """All rows of a source, checked and converted.

    Attributes
    ----------
    X : (n, p) float64.
    codes : (n,) integers into `classes`.
    classes : (K,) sorted labels.
    weight : (n,) float64.
    names : (p,) or None.
    row_numbers : (n,) where the rows stood in the source, ascending.
    unlabeled : rows whose class is not known, or None.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> rows = gather(MemorySource([[1.0], [2.0]], ["b", "a"]))
    >>> rows.codes.tolist(), rows.classes.tolist(), rows.subset(np.array([1])).X.tolist()
    ([1, 0], ['a', 'b'], [[2.0]])
    """

    X: NDArray[np.float64]
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    weight: NDArray[np.float64]
    names: NDArray[Any] | None
    row_numbers: NDArray[np.intp]
    unlabeled: Source | None = None

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """(p,) names of the columns, or None."""
        return self.names

    def subset(self, rows: NDArray[np.intp]) -> Gathered:
        """Some of the rows, over the same classes; those whose class is not known stay behind."""
        return Gathered(
            self.X[rows], self.codes[rows], self.classes, self.weight[rows], self.names, self.row_numbers[rows]
        )

    def of_classes_present(self) -> Gathered:
        """The same rows, over the classes that have some: rows of weight zero may have left others without."""
        present, codes = np.unique(self.codes, return_inverse=True)
        return replace(self, codes=codes, classes=self.classes[present])

    def batches(self) -> Iterator[Batch]:
        """The rows, a block at a time."""
        step = block_rows(self.X.shape[1])
        for start in range(0, len(self.X), step):
            rows = slice(start, start + step)
            block = np.ascontiguousarray(self.X[rows])
            yield Batch(
                X=block,
                codes=self.codes[rows],
                classes=self.classes,
                weight=self.weight[rows],
                first_row=start,
                feature_names=self.names,
                holes=bool(np.isnan(block).any()),
            )


def gather(source: Source) -> Gathered:
    """All rows of a source, in its order; rows of weight zero are left out.

    Where the source is not in memory yet, a warning says how large it is before it is read.
    """
    announce(source)
    return gather_batches(source.batches())


def gather_batches(all_batches: Iterable[Batch]) -> Gathered:
    """All rows of some batches, in their order; rows of weight zero are left out."""
    batches = list(all_batches)
    classes = batches[0].classes
    for batch in batches[1:]:
        classes = merge_classes(classes, batch.classes)[0]
    classes = merge_classes(classes[:0], classes)[0]
    codes = [merge_classes(classes, batch.classes)[2][batch.codes] for batch in batches]
    weight = [np.ones(len(batch.X)) if batch.weight is None else batch.weight for batch in batches]
    rows = Gathered(
        X=np.concatenate([batch.X for batch in batches]),
        codes=np.concatenate(codes),
        classes=classes,
        weight=np.concatenate(weight),
        names=batches[0].feature_names,
        row_numbers=np.concatenate([np.arange(len(batch.X), dtype=np.intp) + batch.first_row for batch in batches]),
    )
    return rows if rows.weight.all() else rows.subset(np.flatnonzero(rows.weight))
