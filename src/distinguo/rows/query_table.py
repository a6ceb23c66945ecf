"""A labelled table in a database, and queries about its classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.labels import encode_labels, is_missing
from distinguo.rows.reading import Seen, refuse_words
from distinguo.rows.sql_engines import OTHER, TRUTH, WORD, Answer, Engine, SqlColumn
from distinguo.rows.sql_text import DOUBLE, literal, quoted
from distinguo.rows.validation import MOST_WEIGHT

Array = NDArray[np.float64]
# PostgreSQL gives at most 1664 columns, SQLite 2000.
MOST_AT_ONCE = 1500
CHANGED = (
    "the table has other rows than a moment ago. Have the fit see one state of it: begin a transaction before, such as "
    "connection.execute('BEGIN'), at level REPEATABLE READ in PostgreSQL."
)


@dataclass(frozen=True, eq=False)
class Groups:
    """The classes of a table, and what was asked of each.

    Attributes
    ----------
    classes : (K,) sorted labels.
    keys : (K,) the labels as queries know them.
    rows : (K,) how many there are.
    weight : (K,) rows, by frequency.
    values : (K, m) of the aggregates, NaN for NULL.
    """

    classes: NDArray[Any]
    keys: list[Any]
    rows: Array
    weight: Array
    values: Array


@dataclass(frozen=True)
class QueryTable:
    """A table, and what its columns are for.

    In its queries `label` is a row's class, `w` its weight, where there are weights, and `x0`, `x1`, ... are cells as
    numbers or words, NULL where they are missing.

    Attributes
    ----------
    engine : the database.
    source : what stands behind FROM, named `source`.
    features, target, weight : the columns.
    nothing : what is said where there are no rows.
    asked : roles of the features, as in `distinguo.rows.coding.Coded`.
    """

    engine: Engine
    source: str
    features: tuple[SqlColumn, ...]
    target: SqlColumn
    weight: SqlColumn | None
    nothing: str
    asked: Any = None

    @property
    def feature_names(self) -> NDArray[Any]:
        """(p,) names of the features."""
        return np.array([column.name for column in self.features], dtype=object)

    def with_roles(self, asked: Any) -> QueryTable:
        """The same table, its features of these roles."""
        return replace(self, asked=asked)

    def refuse_words(self) -> None:
        """Raise where a feature is no number."""
        refuse_words([column.name for column in self.features], pl.Schema((c.name, c.dtype) for c in self.features))

    def cells(self, places: Sequence[int]) -> dict[str, str]:
        """Cells of features, as numbers, by their names in queries."""
        return {f"x{j}": self._number(self.features[j]) for j in places}

    def words(self, places: Sequence[int]) -> dict[str, str]:
        """The same as words."""
        return {f"x{j}": _word(self.features[j]) for j in places}

    def weighted(self, expression: str) -> str:
        """A number of a row times its weight."""
        return expression if self.weight is None else f"w * ({expression})"

    def weight_seen(self, cell: str) -> str:
        """An aggregate: the weight of the rows in which a cell is there."""
        return f"COUNT({cell})" if self.weight is None else f"SUM(CASE WHEN {cell} IS NULL THEN 0e0 ELSE w END)"

    def rows(self, cells: Mapping[str, str]) -> str:
        """A query for labels, weights and cells."""
        weight = {} if self.weight is None else {"w": self._number(self.weight)}
        columns = {"label": self._key, **weight, **cells}
        if self.target.kind == OTHER:
            columns["raw"] = _of_source(self.target)
        return f"SELECT {_named(columns)} FROM {self.source}"

    def plain_rows(self) -> str:
        """A query for all columns in use, by their own names."""
        weight = [] if self.weight is None else [self.weight]
        columns = {quoted(c.name): _of_source(c) if c.kind == TRUTH else self._number(c) for c in self.features}
        columns |= {quoted(c.name): self._number(c) for c in weight}
        label = _word(self.target) if self.target.kind == WORD else _of_source(self.target)
        return f"SELECT {_named({**columns, quoted(self.target.name): label})} FROM {self.source}"

    def count(self) -> int:
        """How many rows there are."""
        return int(self.engine.run(f"SELECT COUNT(*) FROM {self.source}")[0][0])

    def groups(self, cells: Mapping[str, str], aggregates: Sequence[str]) -> Groups:
        """The classes, and aggregates over the rows of each.

        Raises
        ------
        InputError
            If there are no rows, or labels or weights that cannot be used.
        """
        known = ["label"] + ["raw"] * (self.target.kind == OTHER)
        heads = ["COUNT(*)"] + ([] if self.weight is None else ["COUNT(w)", "MIN(w)", "MAX(w)", "SUM(w)"])
        rows = self.rows(cells)
        first, *others = [
            self.engine.run(f"SELECT {', '.join([*known, *part])} FROM ({rows}) AS r GROUP BY {', '.join(known)}")
            for part in _cut([*heads, *aggregates])
        ]
        begin = len(known)
        counts = np.array([row[begin] for row in first], dtype=np.float64)
        self._check_labels([row[begin - 1] for row in first], counts)
        weight = counts if self.weight is None else self._weights(first, begin)
        named = None if self.weight is None else self.weight.name
        Seen(len(first), bool(weight.any())).check(named, self.nothing)
        codes, classes = self._classes([row[begin - 1] for row in first])
        values = _aligned([row[0] for row in first], [first, *others], begin)[:, len(heads) :]
        order = np.argsort(codes)
        keys = [first[i][0] for i in order]
        return Groups(classes, keys, counts[order], weight[order], values[order])

    def by_class(
        self,
        groups: Groups,
        cells: Mapping[str, str],
        constants: Mapping[str, Array],
        steps: Sequence[Mapping[str, str]],
        aggregates: Sequence[str],
    ) -> Array:
        """(K, m) aggregates over the rows of each class, which know what is to be known of their class.

        Parameters
        ----------
        groups : the classes.
        cells : of the table.
        constants : (K,) numbers by name, of a row's class; its place among the classes is `k`.
        steps : columns by name. The first are made of cells, weights and constants, the next of `k` and these, and so
            on.
        aggregates : of all of them.

        Raises
        ------
        InputError
            If classes have other rows than `groups` says.
        """
        classes = "distinguo_classes"
        while classes in self.source:
            classes += "_"
        first, *others = steps
        made = ", ".join(["s.k", _named(first)])
        rows = f"SELECT {made} FROM ({self.rows(cells)}) AS r JOIN {classes} AS s ON r.label = s.label"
        for step in others:
            rows = f"SELECT *, {_named(step)} FROM ({rows}{self.engine.dialect.fence}) AS t"
        rows = f"({rows}{self.engine.dialect.fence}) AS z"
        values = f"{classes}(label, {', '.join(['k', *constants])}) AS (VALUES {_values(groups.keys, constants)})"
        answers = [
            self.engine.run(f"WITH {values} SELECT k, {', '.join(part)} FROM {rows} GROUP BY k")
            for part in _cut(["COUNT(*)", *aggregates])
        ]
        result = _aligned(range(len(groups.keys)), answers, 1)
        if not np.array_equal(result[:, 0], groups.rows):
            raise InputError(CHANGED)
        return result[:, 1:]

    def _number(self, column: SqlColumn) -> str:
        return self.engine.dialect.number(_of_source(column), column.kind == TRUTH)

    @property
    def _key(self) -> str:
        """A row's class, of a type that can be written in a query."""
        return _word(self.target) if self.target.kind in {WORD, OTHER} else _of_source(self.target)

    def _check_labels(self, labels: Sequence[Any], counts: Array) -> None:
        missing = int(sum(n for label, n in zip(labels, counts, strict=True) if is_missing(label)))
        if missing:
            raise InputError(
                f"the target {self.target.name!r} is missing in {missing} row(s). Leave such rows out with where=, or "
                "give them a class."
            )

    def _classes(self, labels: list[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Codes (K,) of the labels, and these in order, of the types that rows in memory have."""
        if self.target.kind == OTHER:
            try:
                column = pl.Series(labels)
            except TypeError:  # SQLite keeps in one column what its rows bring
                kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
                raise InputError(
                    f"the target {self.target.name!r} has labels of several types ({kinds}); give them one, as by CAST "
                    "in a query."
                ) from None
            return encode_labels(column.to_numpy())
        return encode_labels([float(label) if isinstance(label, Decimal) else label for label in labels])

    def _weights(self, answer: Answer, begin: int) -> Array:
        """(K,) sums of weights; raises where one is no weight."""
        assert self.weight is not None
        rows, there, low, high, weight = (_floats([row[begin + i] for row in answer]) for i in range(5))
        gone = int((rows - there).sum())
        name = f"the column {self.weight.name!r}"
        if gone or np.isinf(low).any() or np.isinf(high).any():
            raise InputError(
                f"sample_weight contains NaN or infinity ({name}, {gone or 'some'} row(s)); give such rows weight 0."
            )
        if (high > MOST_WEIGHT).any():
            raise InputError(
                f"sample_weight is {high.max():g} in {name}; at most {MOST_WEIGHT:g} is taken, for a weight says how "
                "often a row counts."
            )
        if (low < 0).any():
            raise InputError(
                f"sample_weight is negative in {name} ({low.min()}); a weight says how often a row counts."
            )
        return weight


def _of_source(column: SqlColumn) -> str:
    return f"source.{quoted(column.name)}"


def _word(column: SqlColumn) -> str:
    return f"CAST({_of_source(column)} AS VARCHAR)"


def _named(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{text} AS {name}" for name, text in columns.items())


def _cut(aggregates: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many at a time as one query may give."""
    for start in range(0, len(aggregates), MOST_AT_ONCE):
        yield aggregates[start : start + MOST_AT_ONCE]


def _floats(values: Sequence[Any]) -> Array:
    return np.array([np.nan if value is None else float(value) for value in values])


def _aligned(keys: Sequence[Any], answers: Sequence[Answer], begin: int) -> Array:
    """(K, m) the numbers of several answers, their rows in the order of keys."""
    blocks = []
    for answer in answers:
        found = {row[0]: _floats(row[begin:]) for row in answer}
        if set(found) != set(keys):
            raise InputError(CHANGED)
        blocks.append(np.array([found[key] for key in keys]))
    return np.concatenate(blocks, axis=1)


def _values(keys: Sequence[Any], constants: Mapping[str, Array]) -> str:
    """Rows of a table of classes."""
    columns = [[DOUBLE.format(literal(float(value))) for value in column] for column in constants.values()]
    rows = zip(map(_label, keys), map(str, range(len(keys))), *columns, strict=True)
    return ", ".join(f"({', '.join(row)})" for row in rows)


def _label(key: Any) -> str:
    return literal(float(key) if isinstance(key, Decimal) else key)
