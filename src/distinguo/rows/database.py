"""Labelled rows in a database, which does the sums itself: only these travel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import Batch, Reducer, Size, Source, T
from distinguo.rows.query_table import QueryTable
from distinguo.rows.reading import RowReader, feature_columns, numbered
from distinguo.rows.sql_engines import engine_of
from distinguo.rows.sql_text import quoted
from distinguo.rows.vocabulary import TEXT

# After comments, which may stand before a query.
_QUERY = re.compile(r"(\s|--[^\n]*\n|/\*.*?\*/)*(\(|(SELECT|WITH|VALUES|FROM)\s)", re.IGNORECASE | re.DOTALL)


class DatabaseSource(Source):
    """A table in a database; `scan_sql` makes one.

    Parameters
    ----------
    table : the table, and what its columns are for.
    """

    is_remote = True

    def __init__(self, table: QueryTable) -> None:
        self._table = table

    @property
    def feature_names(self) -> NDArray[Any]:
        """(p,) names of the columns."""
        return self._table.feature_names

    def size(self) -> Size:
        """How many rows and columns there are."""
        return Size(self._table.count(), len(self._table.features), True)

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, by queries."""
        return spec.by_queries(self._table)

    def batches(self) -> Iterator[Batch]:
        """The rows, in the order in which the database gives them; for models that need them."""
        table = self._table
        table.refuse_words()
        table.groups({}, [])  # for what it refuses
        weight = None if table.weight is None else table.weight.name
        reader = RowReader(tuple(table.feature_names.tolist()), table.target.name, weight, spelling=TEXT)
        types = {column.name: column.dtype for column in table.features}
        if table.weight is not None:
            types[table.weight.name] = table.weight.dtype
        return reader.batches(numbered(table.engine.frames(table.plain_rows(), types)))


def scan_sql(
    connection: Any,
    table: str | Sequence[str],
    target: str,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    where: str | None = None,
    dialect: str = "auto",
) -> DatabaseSource:
    r"""Rows in a database as a source to fit on, of which the database makes the sums itself.

    A model whose statistics add up asks one query for the classes and for what to shift columns by, and one for sums
    about the shifts,

    .. math:: \sum_i w_i (x_{ij} - s_{kj}), \qquad \sum_i w_i (x_{ij} - s_{kj}) (x_{il} - s_{kl}),

    so that a column of a spread of 1 about 1e6 keeps its digits. Logistic regression asks a query or two a step.
    Covariances need :math:`p (p + 1) / 2` sums a class, and are refused beyond p = 60 columns. Models that need rows,
    as nearest neighbours do, fetch them, and say how large they are.

    Parameters
    ----------
    connection : an open connection of DuckDB, of sqlite3, or of any DB-API 2.0 driver to an engine that speaks as
        PostgreSQL does, such as psycopg's. It is neither committed nor closed.
    table : the name of a table or view, as "rows" or "schema.rows", case and all; the parts of its name, where these
        have dots in them; or a query, which begins with SELECT, WITH, VALUES, FROM or a bracket.
    target : the column of labels. Those of text, numbers, truth values and dates come back as what they are.
    weight : the column of frequencies, or None where every row counts once.
    columns : the columns of features, in this order; by default all but `target` and `weight`.
    where : a condition in the database's own words, such as ``"age >= 18"``; a part of the query, as `table` may be,
        and to be trusted as such.
    dialect : "duckdb", "postgres" or "sqlite"; "auto" goes by the connection.

    Raises
    ------
    InputError
        If the table or a column is not there. While a model is fitted: if the table is empty, a label is missing, a
        feature or weight is no number, there are too many columns, or a model has no queries.
    InputTypeError
        If it is no connection.

    Examples
    --------
    >>> import sqlite3
    >>> from distinguo import LinearDiscriminantAnalysis
    >>> with sqlite3.connect(":memory:") as database:
    ...     _ = database.execute("CREATE TABLE measured (width, height, species)")
    ...     rows = [(1, 2, "a"), (2, 1, "a"), (3, 3, "a"), (6, 4, "b"), (7, 5, "b"), (8, 3, "b")]
    ...     _ = database.executemany("INSERT INTO measured VALUES (?, ?, ?)", rows)
    ...     model = LinearDiscriminantAnalysis().fit(scan_sql(database, "measured", target="species"))
    >>> database.close()
    >>> model.means_.tolist()
    [[2.0, 2.0], [7.0, 4.0]]
    """
    engine = engine_of(connection, dialect)
    if where is not None and not isinstance(where, str):
        raise InputTypeError(f"where must be text in the words of the database, such as 'x > 3'; it is {where!r}.")
    rows = _relation(table)
    source = f"(SELECT * FROM {rows}{'' if where is None else f' WHERE ({where}{chr(10)})'}) AS source"
    found = engine.columns(source)
    there = {column.name: column for column in found}
    if len(there) < len(found):
        raise InputError("two columns of the table have the same name; select them under different ones.")
    features = feature_columns(list(there), target, weight, columns)
    nothing = "the table is empty: it has no rows. Give at least one row."
    if where is not None:
        nothing = "no row meets the condition of where=; there is nothing to learn from."
    return DatabaseSource(
        QueryTable(
            engine,
            source,
            tuple(there[name] for name in features),
            there[target],
            None if weight is None else there[weight],
            nothing,
        )
    )


def _relation(table: Any) -> str:
    """What can stand behind FROM."""
    if isinstance(table, str) and _QUERY.match(table.strip()):
        return f"({table.strip().rstrip(';')}\n) AS given"  # where it ends in a comment, the line does
    parts = table.split(".") if isinstance(table, str) else table
    if (
        not isinstance(parts, Sequence | np.ndarray)
        or not len(parts)
        or not all(isinstance(part, str) for part in parts)
    ):
        raise InputTypeError(f"table must be a name, the parts of one, or a query; {table!r} came.")
    return ".".join(quoted(part) for part in parts)
