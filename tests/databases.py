"""Tables in databases, for tests: DuckDB, DuckDB spoken to in standard SQL through DB-API, and SQLite."""

import sqlite3
from collections.abc import Callable
from typing import Any

import duckdb
import polars as pl

from distinguo import scan_sql
from distinguo.rows.database import DatabaseSource
from distinguo.rows.sql_text import quoted


def in_duckdb(table: pl.DataFrame, name: str = "measured") -> Any:
    """A database with a table."""
    connection = duckdb.connect()
    connection.register("came", table)
    connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM came")
    connection.unregister("came")
    return connection


def in_sqlite(table: pl.DataFrame, name: str = "measured") -> Any:
    """The same; cells have the types of Python's values."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE {quoted(name)} ({', '.join(map(quoted, table.columns))})")
    holders = ", ".join("?" * table.width)
    connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({holders})", table.rows())
    return connection


def from_duckdb(table: pl.DataFrame, **options: Any) -> DatabaseSource:
    return scan_sql(in_duckdb(table), "measured", **{"target": "y", **options})


def from_standard_sql(table: pl.DataFrame, **options: Any) -> DatabaseSource:
    return scan_sql(in_duckdb(table), "measured", **{"target": "y", "dialect": "postgres", **options})


def from_sqlite(table: pl.DataFrame, **options: Any) -> DatabaseSource:
    return scan_sql(in_sqlite(table), "measured", **{"target": "y", **options})


ENGINES: dict[str, Callable[..., DatabaseSource]] = {
    "DuckDB": from_duckdb,
    "standard SQL": from_standard_sql,
    "SQLite": from_sqlite,
}
