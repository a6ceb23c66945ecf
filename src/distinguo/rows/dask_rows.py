"""Labelled rows in dask arrays and data frames: statistics are made where the partitions are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import dask
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from distinguo.exceptions import DistinguoError
from distinguo.rows.base import Batch, Reducer, Size, Source, T, checked
from distinguo.rows.dask_collections import Collections
from distinguo.rows.reading import Seen
from distinguo.rows.remote_parts import Part, PartRows, check_counted, joined, placed, reduced
from distinguo.rows.room import announce

# So many results are added up at a time, and so many partitions brought at a time to models that hold all rows.
FAN = 8


class DaskSource(Source):
    """A dask array or data frame with its labels; nothing but statistics leaves the workers.

    Statistics of partitions are added up eight at a time, by workers, always in the same order. Models that need all
    rows have them brought here, and say how large they are. Every pass asks the partitions anew: `persist()` them where
    they are dear to make and fit into the workers' memory.

    Parameters
    ----------
    X : (n, p) dask array, or data frame of p columns.
    y : (n,) or (n, 1) labels: an array or a Series of the same partitions; of an array whose length is known, also of
        any others, or anything in memory; of a data frame, also the name of one of its columns.
    sample_weight : (n,) frequencies, given like y, or one number, or None.

    Raises
    ------
    InputError
        If there are no labels, or they cannot be told to be those of the rows of X.
    InputTypeError
        If X is another collection.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> from distinguo import LinearDiscriminantAnalysis
    >>> X = da.from_array([[0.0], [1.0], [3.0], [4.0]], chunks=2)
    >>> with dask.config.set(scheduler="synchronous"):
    ...     LinearDiscriminantAnalysis().fit(X, ["a", "a", "b", "b"]).means_.tolist()
    [[0.5], [3.5]]
    """

    is_remote = True

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        self._rows = Collections.of(X, y, sample_weight)
        self._names = self._rows.names

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """(p,) names of the columns of a data frame; None of an array."""
        return self._names

    def size(self) -> Size:
        """How many rows and columns there are; rows are counted where no chunk says how many it has."""
        return Size(self._length, self._rows.X.shape[1], True)

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, made of each partition where it is, and added up there."""
        if not spec.adds_up:
            announce(self)
            return spec.reduce(checked(self.batches(spec.takes_words, spec.takes_sparse), spec))
        self._rows.check(spec.takes_words)
        parts = self._rows.each(partial(reduced, spec=spec))
        parts = [dask.delayed(_joined)(parts[first : first + FAN], first) for first in range(0, len(parts), FAN)]
        while len(parts) > 1:
            parts = [dask.delayed(joined)(parts[i : i + FAN]) for i in range(0, len(parts), FAN)]
        part: Part[T] = _computed(parts)[0]
        return part.value()

    def batches(self, words: bool = False, sparse: bool = False) -> Iterator[Batch]:
        """One pass over the rows, brought here, in their order; with `words` as columns of numbers and words."""
        self._rows.check(words)
        seen, delayed = Seen(), self._rows.each(_rows)
        for first in range(0, len(delayed), FAN):
            parts: Sequence[PartRows] = _computed(delayed[first : first + FAN])
            for number, rows in enumerate(parts, start=first):
                row = seen.rows
                for batch in seen.counted(_placed(rows.batches(words, sparse), number)):
                    yield replace(batch, first_row=row + batch.first_row)
        check_counted(seen.rows, seen.weighted)

    @cached_property
    def _length(self) -> int:
        lengths = self._rows.lengths
        return sum(_computed(self._rows.each(len)) if lengths is None else lengths)


def _rows(rows: PartRows) -> PartRows:
    """A task: the rows themselves."""
    return rows


def _joined(parts: Sequence[Part[T]], first: int) -> Part[T]:
    """A task: what was made of some partitions, from the one of that number on."""
    return joined([part.placed(number) for number, part in enumerate(parts, start=first)])


def _placed(batches: Iterator[Batch], number: int) -> Iterator[Batch]:
    """The same batches; errors say in which partition they were."""
    try:
        yield from batches
    except DistinguoError as error:
        raise placed(error, number) from None


def _computed(delayed: Sequence[Any]) -> tuple[Any, ...]:
    """Results, by the active client or scheduler; matrix products take one thread each, for there are many at once."""
    with threadpool_limits(1, user_api="blas"):
        return tuple(dask.compute(*delayed))
