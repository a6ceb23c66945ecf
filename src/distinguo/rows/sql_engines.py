"""Connections to databases: what their columns are, what a query answers, and rows in frames."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import polars as pl

from distinguo.exceptions import DistinguoError, InputError, InputTypeError
from distinguo.rows.places import first_line
from distinguo.rows.sql_text import DIALECTS, Dialect, quoted

NUMBER, TRUTH, WORD, OTHER = "number", "truth", "word", "other"
# Rows in a frame, and rows that are looked at for the types of columns.
FRAME_ROWS, LOOKED_AT = 1 << 16, 100

Answer = list[tuple[Any, ...]]


@dataclass(frozen=True)
class SqlColumn:
    """A column of a table in a database.

    Attributes
    ----------
    name : as the database has it.
    kind : NUMBER, TRUTH, WORD or OTHER.
    type : for messages.
    """

    name: str
    kind: str
    type: str

    @property
    def dtype(self) -> pl.DataType:
        """The type of its cells in frames."""
        return {NUMBER: pl.Float64(), TRUTH: pl.Boolean(), WORD: pl.String()}.get(self.kind, pl.Object())


class Engine(ABC):
    """A database behind a connection, which stays the caller's: it is neither committed nor closed.

    Attributes
    ----------
    dialect : how it is spoken to.
    """

    dialect: ClassVar[Dialect]

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @abstractmethod
    def columns(self, source: str) -> list[SqlColumn]:
        """The columns of what can stand behind FROM."""

    @abstractmethod
    def run(self, query: str) -> Answer:
        """All rows that a query gives.

        Raises
        ------
        InputError
            If the database does not take it.
        """

    @abstractmethod
    def frames(self, query: str, types: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
        """The rows that a query gives, some at a time; columns without a type have that of their cells."""


class DuckDB(Engine):
    """DuckDB, whose columns have types, and whose rows come by Arrow."""

    dialect = DIALECTS["duckdb"]

    def columns(self, source: str) -> list[SqlColumn]:
        """By their types."""
        with _refusals():
            relation = self._connection.sql(f"SELECT * FROM {source}")
            types = [str(type_) for type_ in relation.types]
            return [
                SqlColumn(name, _duckdb_kind(type_), type_) for name, type_ in zip(relation.columns, types, strict=True)
            ]

    def run(self, query: str) -> Answer:
        """All rows that a query gives."""
        with _refusals():
            answer: Answer = self._connection.execute(query).fetchall()
            return answer

    def frames(self, query: str, types: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
        """The rows, a record batch at a time; the connection is busy until the last, or until they are closed."""
        import pyarrow as pa

        with _refusals():
            reader = pa.RecordBatchReader.from_stream(self._connection.sql(query))
        with closing(reader):
            while True:
                with _refusals():
                    batch = next(reader, None)
                if batch is None:
                    return
                yield pl.DataFrame(pa.Table.from_batches([batch]))


class DbApi(Engine):
    """Any DB-API 2.0 connection to an engine that speaks as PostgreSQL does."""

    dialect = DIALECTS["postgres"]

    def columns(self, source: str) -> list[SqlColumn]:
        """By what cells come as; type codes mean something else to every driver."""
        names, rows = self._asked(f"SELECT * FROM {source} LIMIT {LOOKED_AT}")
        return [
            _column_of(name, [row[j] for row in rows] + ([] if _has_cell(rows, j) else self._a_cell(source, name)))
            for j, name in enumerate(names)
        ]

    def _a_cell(self, source: str, name: str) -> list[Any]:
        cell = quoted(name)
        return [row[0] for row in self.run(f"SELECT {cell} FROM {source} WHERE {cell} IS NOT NULL LIMIT 1")]

    def run(self, query: str) -> Answer:
        """All rows that a query gives."""
        return self._asked(query)[1]

    def _asked(self, query: str) -> tuple[list[str], Answer]:
        """Names of columns, and rows."""
        with _refusals(), closing(self._connection.cursor()) as cursor:
            cursor.execute(query)
            rows = cursor.fetchall()
            if rows and isinstance(rows[0], Mapping):
                raise InputTypeError("the connection gives rows as mappings; give one whose rows are tuples.")
            return [column[0] for column in cursor.description], [tuple(row) for row in rows]

    def frames(self, query: str, types: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
        """The rows, some thousands at a time."""
        with _refusals(), closing(self._connection.cursor()) as cursor:
            cursor.execute(query)
            names = [column[0] for column in cursor.description]
            while rows := cursor.fetchmany(FRAME_ROWS):
                yield frame_of(rows, names, types)


class SQLite(DbApi):
    """SQLite, where each cell has a type of its own."""

    dialect = DIALECTS["sqlite"]
    _kinds: ClassVar[Sequence[tuple[str, str]]] = ((NUMBER, "REAL"), (WORD, "TEXT"), (OTHER, "BLOB"))

    def columns(self, source: str) -> list[SqlColumn]:
        """By the types of all cells: a column with a word in it is one of words."""
        names, _ = self._asked(f"SELECT * FROM {source} LIMIT 0")
        ranks = [f"MAX(CASE TYPEOF({quoted(name)}) WHEN 'text' THEN 1 WHEN 'blob' THEN 2 ELSE 0 END)" for name in names]
        found = self.run(f"SELECT {', '.join(ranks)} FROM {source}")[0]
        return [SqlColumn(name, *self._kinds[rank or 0]) for name, rank in zip(names, found, strict=True)]


ENGINES: Mapping[str, type[Engine]] = {"duckdb": DuckDB, "postgres": DbApi, "sqlite": SQLite}
# By the package that a connection comes from; all others are taken to speak as PostgreSQL does.
_SPOKEN = {"duckdb": "duckdb", "_duckdb": "duckdb", "sqlite3": "sqlite"}


def engine_of(connection: Any, dialect: str) -> Engine:
    """The engine behind a connection.

    Parameters
    ----------
    connection : of DuckDB, or of any driver that keeps to DB-API 2.0.
    dialect : a key of ENGINES, or "auto".

    Raises
    ------
    InputError
        If the dialect is not known.
    InputTypeError
        If it is no connection.
    """
    if dialect != "auto" and dialect not in ENGINES:
        raise InputError(f"dialect={dialect!r} is not known; use 'auto', {', '.join(map(repr, ENGINES))}.")
    if not callable(getattr(connection, "cursor", None)) or isinstance(connection, type):
        raise InputTypeError(
            f"connection must be an open connection of DuckDB or of a DB-API 2.0 driver; {type(connection).__name__} "
            "came."
        )
    found = _SPOKEN.get(type(connection).__module__.partition(".")[0], "postgres")
    return ENGINES[found if dialect == "auto" else dialect](connection)


@contextmanager
def _refusals() -> Iterator[None]:
    """Errors of drivers, each of a class of its own, as ours."""
    try:
        yield
    except (DistinguoError, ImportError):
        raise
    except Exception as error:
        raise InputError(f"the database refuses: {first_line(error)}") from error


_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|VARINT|DECIMAL\(\d+,\d+\)|\"?NULL\"?")
_WORDS = re.compile(r"VARCHAR|ENUM\(.*\)", re.DOTALL)


def _duckdb_kind(type_: str) -> str:
    """What a type of DuckDB is to a model."""
    if type_ == "BOOLEAN":
        return TRUTH
    return NUMBER if _NUMBERS.fullmatch(type_) else WORD if _WORDS.fullmatch(type_) else OTHER


def _has_cell(rows: Answer, j: int) -> bool:
    return any(row[j] is not None for row in rows)


def _column_of(name: str, cells: Sequence[Any]) -> SqlColumn:
    """A column by the first of its cells that is there; one without any is of numbers, all missing."""
    cell = next((cell for cell in cells if cell is not None), 0.0)
    kinds = {bool: TRUTH, int: NUMBER, float: NUMBER, Decimal: NUMBER, str: WORD}
    return SqlColumn(name, kinds.get(type(cell), OTHER), type(cell).__name__)


def frame_of(rows: Sequence[Sequence[Any]], names: Sequence[str], types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Rows as a frame.

    Examples
    --------
    >>> frame_of([(1, "a"), (None, "b")], ["x", "y"], {"x": pl.Float64()}).rows()
    [(1.0, 'a'), (None, 'b')]
    """
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        [
            pl.Series(name, list(cells), dtype=types.get(name), strict=name not in types)
            for name, cells in zip(names, columns, strict=True)
        ]
    )
