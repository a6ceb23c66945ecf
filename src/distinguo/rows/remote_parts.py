"""The rows of one partition on another machine: what is made of them there, and how results come together."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, Protocol

from distinguo.exceptions import DistinguoError, InputError, MissingCellsError
from distinguo.rows.base import Batch, Reducer, T, total
from distinguo.rows.columns import columns_of
from distinguo.rows.labels import encode_labels
from distinguo.rows.reading import Seen
from distinguo.rows.selection import count_rows
from distinguo.rows.tables import as_table
from distinguo.rows.validation import NOTHING_COUNTS, check_lengths, has_holes, weights_of


class HasBatches(Protocol):
    """The rows of a partition, of any kind."""

    def batches(self, words: bool = False, sparse: bool = False) -> Iterator[Batch]:
        """The rows, checked; none where there are no rows."""


@dataclass(frozen=True)
class PartRows:
    """The labelled rows of a partition, as they came.

    Attributes
    ----------
    X : n rows of any container.
    y : (n,) labels.
    weight : (n,) frequencies, one number for all rows, or None.

    Examples
    --------
    >>> import numpy as np
    >>> [batch.codes.tolist() for batch in PartRows(np.eye(2), ["b", "a"], [0.0, 0.0]).batches()]
    [[1, 0]]
    """

    X: Any
    y: Any
    weight: Any = None

    def __len__(self) -> int:
        return count_rows(self.X)

    def __sizeof__(self) -> int:
        return held(self)

    def batches(self, words: bool = False, sparse: bool = False) -> Iterator[Batch]:
        """The rows, checked as those in memory are, but that all weights may be zero; none where there are no rows.

        With `words` they are one batch of columns of numbers and words; for who asks for them `sparse`, rows that came
        so are one batch of CSR.
        """
        n, labels = len(self), count_rows(self.y)
        if n != labels:
            raise InputError(f"X has {n} rows and y {labels} labels; partitions of both must have the same rows.")
        if n:
            yield from self._of_words() if words else self._of_numbers(sparse)

    def _of_words(self) -> Iterator[Batch]:
        codes, classes = encode_labels(self.y)
        columns: Any = columns_of(self.X)
        yield Batch(columns, codes, classes, weights_of(self.weight, len(codes)), 0, columns.names, columns.holes)

    def _of_numbers(self, sparse: bool) -> Iterator[Batch]:
        table = as_table(self.X)
        codes, classes = encode_labels(self.y)
        weight = weights_of(self.weight, len(codes))
        for start, block in table.blocks(sparse):
            rows = slice(start, start + block.shape[0])
            yield Batch(
                X=block,
                codes=codes[rows],
                classes=classes,
                weight=None if weight is None else weight[rows],
                first_row=start,
                feature_names=table.names,
                holes=has_holes(block, start, table.names),
            )


@dataclass(frozen=True)
class Part(Generic[T]):
    """What was made of some rows.

    An error is a value too: so that of the first partition comes to the user, whoever was first, and no log fills up.

    Attributes
    ----------
    found : the result, alone; nothing where there are no rows.
    weighted : whether a row counts.
    error : why there is no result, or None.
    """

    found: tuple[T, ...] = ()
    weighted: bool = False
    error: DistinguoError | None = None

    def __sizeof__(self) -> int:
        return held(self)

    def placed(self, number: int) -> Part[T]:
        """The same; an error says that it was in the partition of that number."""
        return self if self.error is None else Part(error=placed(self.error, number))

    def value(self) -> T:
        """The result; raises where there was nothing to learn from."""
        if self.error is not None:
            raise self.error
        check_counted(len(self.found), self.weighted)
        return self.found[0]


def held(value: Any) -> int:
    """About how many bytes a value takes: schedulers ask, and move what is small."""
    if is_dataclass(value):
        return sum(held(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return sum(map(held, value))
    return int(getattr(value, "nbytes", 0)) or sys.getsizeof(value)


def check_counted(rows: int, weighted: bool) -> None:
    """Raise where there are no rows, or none that counts."""
    check_lengths(rows, rows)
    if not weighted:
        raise InputError(NOTHING_COUNTS)


def reduced(rows: HasBatches, spec: Reducer[T]) -> Part[T]:
    """What a spec describes, of the rows of a partition; runs where they are."""
    seen = Seen()
    try:
        found = seen.reduced(rows.batches(spec.takes_words, spec.takes_sparse), spec)
    except DistinguoError as error:
        return Part(error=error)
    return Part(found, seen.weighted)


def joined(parts: Sequence[Part[T]]) -> Part[T]:
    """What was made of the rows of several parts."""
    error = next((part.error for part in parts if part.error is not None), None)
    if error is not None:
        return Part(error=error)
    found = [result for part in parts for result in part.found]
    try:
        return Part((total(found),) if found else (), any(part.weighted for part in parts))
    except DistinguoError as why:
        return Part(error=why)


def placed(error: DistinguoError, number: int) -> DistinguoError:
    """The same error, saying in which partition it was."""
    if isinstance(error, MissingCellsError):
        return MissingCellsError(f"partition {number}, {error.where}", error.why)
    return type(error)(f"in partition {number}, whose rows count from 0: {error}")
