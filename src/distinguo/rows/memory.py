"""Rows that are already in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, Reducer, Source, T, checked
from distinguo.rows.elsewhere import located
from distinguo.rows.labels import encode_labels
from distinguo.rows.tables import Table, as_table, named
from distinguo.rows.validation import check_lengths, check_weight, has_holes


class MemorySource(Source):
    """An array or data frame with its labels, passed over in cache-sized blocks.

    The first pass copies nothing but the block in hand, whatever the type, the memory order or the library of X. Where
    there is a second, as for EM, it keeps the rows that it converts, so that no later one converts them again.

    Parameters
    ----------
    X : (n, p) NumPy array, SciPy sparse, pandas or Polars frame, PyArrow table, or nested lists.
    y : (n,) or (n, 1) labels.
    sample_weight : (n,) frequencies, or None.
    feature_names : (p,) names of the columns, or None for those that X has. Sparse rows have none of their own.

    Examples
    --------
    >>> source = MemorySource([[1.0, 2.0], [3.0, 4.0]], ["a", "b"])
    >>> [(batch.first_row, batch.X.shape) for batch in source.batches()]
    [(0, (2, 2))]
    """

    def __init__(self, X: Any, y: Any, sample_weight: Any = None, feature_names: Any = None) -> None:
        self.table: Table = as_table(X) if feature_names is None else named(X, feature_names)
        self.codes, self.classes = encode_labels(y)
        check_lengths(self.table.n, len(self.codes))
        self.weight = check_weight(sample_weight, self.table.n)
        self._passed = False
        self._holes: dict[int, bool] = {}  # of blocks that were checked, by first row

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """(p,) names of the columns, or None."""
        return self.table.names

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, in one pass; of sparse rows as they are where it takes them."""
        return spec.reduce(checked(self.batches(spec.takes_sparse), spec))

    def batches(self, sparse: bool = False) -> Iterator[Batch]:
        """The rows, a block at a time; for who asks for them `sparse`, rows that came so are one block of CSR."""
        if self._passed and not (sparse and self.table.entries):
            dense = as_table(self.table.read(0, self.table.n))
            self.table = replace(self.table, read=dense.read, entries=None)
        self._passed = True
        for start, block in self.table.blocks(sparse):
            rows = slice(start, start + block.shape[0])
            if start not in self._holes:
                self._holes[start] = has_holes(block, start, self.table.names)
            yield Batch(
                X=block,
                codes=self.codes[rows],
                classes=self.classes,
                weight=None if self.weight is None else self.weight[rows],
                first_row=start,
                feature_names=self.table.names,
                holes=self._holes[start],
                coding=self.table.coding,
            )


def rows_of_fit(X: Any, y: Any, sample_weight: Any, who: str) -> Source:
    """The rows behind the arguments of fit; `who` is the model's name, for messages."""
    X, y, sample_weight = located(X, y, sample_weight)
    if isinstance(X, Source):
        if y is not None or sample_weight is not None:
            raise InputError("a Source brings its own labels and weights; give neither y nor sample_weight.")
        return X
    if y is None:
        raise InputError(f"{who} requires y to be passed, but the target y is None; give one label a row.")
    return MemorySource(X, y, sample_weight)
