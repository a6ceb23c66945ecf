"""Rows of a Spark data frame: each partition is counted where it is, and only what was counted travels."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any, TypeVar

import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import Batch, Reducer, Size, Source, T, checked
from distinguo.rows.frames import quoted
from distinguo.rows.reading import RowReader, Seen, feature_columns
from distinguo.rows.remote_parts import Part, joined, reduced
from distinguo.rows.room import announce
from distinguo.rows.shares import Numbered
from distinguo.rows.tables import block_rows

R = TypeVar("R")

NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double", "decimal", "boolean", "void"})
TEXTS = frozenset({"string", "char", "varchar"})
DATES = frozenset({"date"})
# Types that Spark turns into the nearest float64 itself.
CAST = frozenset({"decimal", "void"})
# What a task says: the first partition that it knows of, of how many it knows, and a pickled `Part`.
SAID = "place int, known int, said binary"
# So many tasks at the most add up what partitions say, and the driver adds up what these say.
GROUPS = 16
ADAPTIVE = ("spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled")
NO_ROWS = "the data frame has no rows; give at least one."


class SparkSource(Source):
    """Labelled rows in a Spark data frame, whose columns besides labels and weights are features.

    A pass is one job: each partition becomes a statistic on its executor, some tasks add up those of many partitions,
    and the driver adds up the rest, always in their order. Models that need all rows have them brought to the driver,
    and say how large they are. Every pass works the data frame out anew: `cache()` it where that is dear.

    Parameters
    ----------
    X : a data frame of `pyspark.sql`, Classic or Connect.
    y : the column of labels.
    sample_weight : the column of frequencies, or None.

    Raises
    ------
    InputTypeError
        If X is no data frame of `pyspark.sql`, or y or sample_weight is no name.
    InputError
        If X is a stream, or columns are not there, share a name, or are of types that cannot be used.

    Examples
    --------
    >>> from distinguo import GaussianNB
    >>> GaussianNB().fit(SparkSource(frame, "species", "count"))  # doctest: +SKIP
    GaussianNB()
    """

    is_remote = True

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        check_frame(X)
        if X.isStreaming:
            raise InputError("X is a stream, which has no end; use partial_fit within writeStream.foreachBatch().")
        target, weight = _name(y, "y"), None if sample_weight is None else _name(sample_weight, "sample_weight")
        columns = tuple(feature_columns(X.columns, target, weight, None))
        self._reader = RowReader(columns, target, weight)
        refuse_types(X, [target], NUMBERS | TEXTS | DATES, "Labels are texts, whole numbers, truth values or dates.")
        refuse_types(X, [] if weight is None else [weight], NUMBERS, "Weights are numbers.")
        self._given, self._frame = X, selected(X, self._reader.wanted)
        self._are_few = False

    @property
    def feature_names(self) -> NDArray[Any]:
        """(p,) names of the columns."""
        return self._reader.names

    def size(self) -> Size:
        """How many rows and columns there are, by a job that counts."""
        return Size(run(self._frame.count), len(self._reader.columns), exact=True)

    def batches(self, words: bool = False) -> Iterator[Batch]:
        """One pass over the rows, all brought to the driver; with `words` as columns of numbers and words."""
        self._refuse_features(words)
        seen = Seen()
        rows = named(run(self._frame.toArrow), self._reader.wanted)
        yield from seen.counted(self._reader.batches([(0, rows)], words))
        seen.check(self._reader.weight, NO_ROWS)

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes: made of each partition on its executor, and added up by executors."""
        if not spec.adds_up:
            announce(self)
            return spec.reduce(checked(self.batches(spec.takes_words), spec))
        self._refuse_features(spec.takes_words)
        said = self._frame.mapInArrow(_Count(self._reader, spec), SAID)
        rows = sorted(run((said if self._are_few else self._added_up(said)).collect))
        self._are_few = sum(known for _, known, _ in rows) <= GROUPS
        return reduce(_both, _parts(part for _, _, part in rows), Part[T]()).value()

    def _added_up(self, said: Any) -> Any:
        """What partitions say, added up by some tasks: the driver is not to hold a statistic of each of thousands."""
        by_group = said.repartition(*self._most_groups(), said["place"] % GROUPS).sortWithinPartitions("place")
        return by_group.mapInArrow(_add_up, SAID)

    def _most_groups(self) -> tuple[int, ...]:
        """How many tasks add up; none said where Spark finds out by the size of what is to be added."""
        conf = self._frame.sparkSession.conf
        return () if all(conf.get(name) == "true" for name in ADAPTIVE) else (GROUPS,)

    def _refuse_features(self, words: bool) -> None:
        """Raise where columns are of types that a spec does not take."""
        advice = "Take those to learn from with frame.select() or drop(), or turn these into numbers"
        if words:
            refuse_types(self._given, self._reader.columns, NUMBERS | TEXTS, f"{advice} or words.")
        else:
            refuse_types(self._given, self._reader.columns, NUMBERS, f"{advice}; MixedNB takes words, too.")


@dataclass(frozen=True)
class _Count:
    """From the rows of a partition to what a spec describes of them."""

    reader: RowReader
    spec: Reducer[Any]

    def __call__(self, arrived: Iterator[Any]) -> Iterator[Any]:
        """One row, or none of a partition without rows."""
        rows: Any = _Arriving(self.reader, arrived)
        place = number_of_partition()
        part = reduced(rows, self.spec).placed(place)
        if part.found or part.error is not None:
            yield _row(place, 1, part)


@dataclass(frozen=True)
class _Arriving:
    """The rows of a partition, as they arrive."""

    reader: RowReader
    arrived: Iterator[Any]

    def batches(self, words: bool = False, sparse: bool = False) -> Iterator[Batch]:
        """The rows, checked; none are sparse."""
        return self.reader.batches(gathered(self.arrived, self.reader.wanted), words)


def _add_up(arrived: Iterator[Any]) -> Iterator[Any]:
    """The sum of what some partitions said, which come in their order."""
    said = (row for batch in arrived for row in zip(*batch.to_pydict().values(), strict=True))
    first = next(said, None)
    if first is None:
        return
    known, whole = 0, Part[Any]()
    for _, more, part in chain([first], said):
        known, whole = known + more, _both(whole, pickle.loads(part))
    yield _row(first[0], known, whole)


def _row(place: int, known: int, part: Part[Any]) -> Any:
    import pyarrow as pa

    numbers = [pa.array([number], pa.int32()) for number in (place, known)]
    said = pa.array([pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL)], pa.binary())
    return pa.RecordBatch.from_arrays([*numbers, said], ["place", "known", "said"])


def _parts(said: Iterable[bytes]) -> Iterator[Part[Any]]:
    return map(pickle.loads, said)


def _both(a: Part[Any], b: Part[Any]) -> Part[Any]:
    return joined([a, b])


def gathered(arrived: Iterable[Any], names: Sequence[str]) -> Iterator[Numbered]:
    """Arrow's record batches, which may be small, as frames of as many rows as make a batch."""
    import pyarrow as pa

    enough, row, held = block_rows(len(names)), 0, []
    for batch in arrived:
        held.append(batch)
        rows = sum(len(one) for one in held)
        if rows >= enough:
            yield row, named(pa.Table.from_batches(held), names)
            row, held = row + rows, []
    if held:
        yield row, named(pa.Table.from_batches(held), names)


def named(table: Any, names: Sequence[str]) -> pl.DataFrame:
    """An Arrow table as a frame of columns so called."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    frame.columns = list(names)
    return frame


def selected(frame: Any, names: Sequence[str]) -> Any:
    """Some columns of a Spark data frame, called by their places."""
    places = {name: j for j, name in enumerate(frame.columns)}
    types = {field.name: field.dataType.typeName() for field in frame.schema}
    columns = by_place(frame)
    return columns.select(
        [
            columns[str(places[name])].cast("double") if types[name] in CAST else columns[str(places[name])]
            for name in names
        ]
    )


def number_of_partition() -> int:
    """Which partition it is that this runs on."""
    from pyspark import TaskContext

    task: Any = TaskContext.get()
    return int(task.partitionId())


def by_place(frame: Any) -> Any:
    """The same Spark data frame, its columns called by their places: dots and capitals in names have a meaning."""
    return frame.toDF(*map(str, range(len(frame.columns))))


def run(job: Callable[[], R]) -> R:
    """What a Spark job gives.

    Raises
    ------
    InputError
        If executors lack a package.
    """
    from pyspark.errors import PySparkException

    try:
        return job()
    except PySparkException as error:
        lacking = re.search(r"ModuleNotFoundError: (No module named '[\w.]+')", str(error))
        if lacking is None:
            raise
        raise InputError(
            f"the executors' Python says: {lacking[1]}. Install distinguo and what it needs there too, in the versions "
            "that the driver has."
        ) from None


def check_frame(frame: Any) -> None:
    """Raise unless this is a data frame of Spark whose columns have different names."""
    try:
        from pyspark.sql import DataFrame
    except ModuleNotFoundError:
        raise ImportError("data frames of Spark need the package pyspark: pip install 'distinguo[spark]'") from None
    if not isinstance(frame, DataFrame):
        raise InputTypeError(
            f"X is a {type(frame).__module__.partition('.')[0]} {type(frame).__name__}; it must be a "
            "pyspark.sql.DataFrame, as to_spark() makes of pandas on Spark, and toDF() of an RDD."
        )
    twice = [name for name, count in Counter(frame.columns).items() if count > 1]
    if twice:
        raise InputError(f"X has more than one column called {quoted(twice)}; drop or rename all but one.")


def refuse_types(frame: Any, names: Sequence[str], allowed: frozenset[str], advice: str) -> None:
    """Raise where columns are of other types."""
    types = {field.name: field.dataType for field in frame.schema}
    wrong = [name for name in names if types[name].typeName() not in allowed]
    if wrong:
        shown = ", ".join(f"{name!r} ({types[name].simpleString()})" for name in wrong[:5])
        more = f", ... ({len(wrong)} in all)" if len(wrong) > 5 else ""
        raise InputError(f"columns of types that cannot be used: {shown}{more}. {advice}")


def _name(given: Any, what: str) -> str:
    """The name of a column."""
    if not isinstance(given, str):
        raise InputTypeError(
            f"{what} must be the name of a column of the data frame, as in fit(frame, 'species', 'count'); it is "
            f"{type(given).__name__}."
        )
    return given
