"""Tables in databases: names, labels, weights, what is refused, and rows where a model needs them."""

import datetime
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from distinguo import GaussianNB, KNeighborsClassifier, LinearDiscriminantAnalysis, Moments, scan_sql
from distinguo.exceptions import InMemoryWarning, InputError, InputTypeError
from distinguo.rows.base import Source
from tests.databases import ENGINES, from_duckdb, from_sqlite, in_duckdb, in_sqlite

ROWS = pl.DataFrame(
    {
        "x": [1.0, 2.0, 4.0, 3.0, 6.0, 8.0],
        "z": [1, 0, 2, 5, 4, 7],
        "y": ["a", "a", "a", "b", "b", "b"],
        "w": [1.0, 2.0, 1.0, 0.5, 1.0, 0.0],
    }
)
MEANS = [[7 / 3, 1.0], [17 / 3, 16 / 3]]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[..., Source]:
    return ENGINES[request.param]


def means(source: Source) -> Any:
    return source.aggregate(Moments("pooled")).mean


# --- names ---


@pytest.mark.parametrize(
    "name", ['the "best" one', "two words", "UPPER", "select", "größe", "x0", "label", "k", "w", "s0"]
)
def test_any_name_of_a_column(name: str, engine: Callable[..., Source]) -> None:
    rows = ROWS.drop("w").rename({"x": name, "y": "group"}).rename({"z": "x1", "group": "raw"})
    source = engine(rows, target="raw")
    assert source.feature_names.tolist() == [name, "x1"]
    np.testing.assert_allclose(means(source), MEANS)


def test_columns_named_as_cells_are_in_queries(engine: Callable[..., Source]) -> None:
    rows = ROWS.drop("w").rename({"x": "x1", "z": "x0"})
    np.testing.assert_allclose(means(engine(rows)), MEANS)


@pytest.mark.parametrize(
    "name", ["distinguo_classes", "source", "r", "s", "t", "z", "given", "two words", "x; --", 'q"q']
)
def test_any_name_of_a_table(name: str) -> None:
    for connection in (in_duckdb(ROWS, name), in_sqlite(ROWS, name)):
        np.testing.assert_allclose(means(scan_sql(connection, (name,), "y", columns=["x", "z"])), MEANS)


def test_names_of_several_parts() -> None:
    connection = in_duckdb(ROWS)
    connection.execute('CREATE SCHEMA "My lab"; CREATE TABLE "My lab"."a.b" AS SELECT * FROM measured')
    np.testing.assert_allclose(means(scan_sql(connection, ["My lab", "a.b"], "y", columns=["x", "z"])), MEANS)
    np.testing.assert_allclose(means(scan_sql(connection, "main.measured", "y", columns=["x", "z"])), MEANS)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x, z, y FROM measured",
        "select x, z, y from measured -- all of them",
        "(SELECT x, z, y FROM measured)",
        "WITH few AS (SELECT x, z, y FROM measured) SELECT * FROM few;",
    ],
)
def test_a_query_for_a_table(query: str) -> None:
    for connection in (in_duckdb(ROWS), in_sqlite(ROWS)):
        np.testing.assert_allclose(means(scan_sql(connection, query, "y")), MEANS)


def test_names_are_never_commands(engine: Callable[..., Source]) -> None:
    connection = in_sqlite(ROWS)
    wicked = 'measured"; DROP TABLE measured; --'
    with pytest.raises(InputError, match="the database refuses"):
        scan_sql(connection, wicked, "y")
    for role in ({"target": wicked}, {"target": "y", "weight": wicked}, {"target": "y", "columns": [wicked]}):
        with pytest.raises(InputError, match="there is no column"):
            scan_sql(connection, "measured", **role)
    labels = ROWS.drop("w").with_columns(y=pl.lit("'; DROP TABLE measured; --") + pl.col("y"))
    np.testing.assert_allclose(means(engine(labels)), MEANS)
    assert connection.execute("SELECT COUNT(*) FROM measured").fetchall() == [(6,)]


# --- labels and weights ---


@pytest.mark.parametrize(
    "labels",
    [
        pl.Series(["a", "it's", ""]),
        pl.Series([3, -1, 20], dtype=pl.Int64),
        pl.Series([2.0, -1.0, 0.0]),
        pl.Series([True, False, True]),
        pl.Series([datetime.date(2020, 1, 1), datetime.date(1999, 12, 31), datetime.date(2020, 1, 2)]),
        pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_are_of_the_type_they_have_in_memory(labels: pl.Series) -> None:
    rows = pl.DataFrame({"x": np.arange(9.0), "y": pl.concat([labels] * 3)})
    expected = GaussianNB().fit(rows[["x"]], rows["y"].to_numpy())
    for engine in (ENGINES["DuckDB"], ENGINES["standard SQL"]):
        found = GaussianNB().fit(engine(rows))
        assert found.classes_.tolist() == expected.classes_.tolist()
        assert [type(label) for label in found.classes_.tolist()] == [type(c) for c in expected.classes_.tolist()]
        np.testing.assert_allclose(found.means_, expected.means_)


def test_weights_are_frequencies(engine: Callable[..., Source]) -> None:
    found = engine(ROWS, weight="w").aggregate(Moments("pooled"))
    assert found.feature_names.tolist() == ["x", "z"]
    assert found.weight.tolist() == [4.0, 1.5]
    np.testing.assert_allclose(found.mean, [[9 / 4, 3 / 4], [5.0, 6.5 / 1.5]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, None, 1, 1, 1], r"NaN or infinity \(the column 'w', 1 row"),
        ([1, 1, float("nan"), None, 1, 1], r"NaN or infinity \(the column 'w', 2 row"),
        ([1, 1, float("inf"), 1, 1, 1], "NaN or infinity"),
        ([1, 1, -2, 1, 1, 1], r"sample_weight is negative in the column 'w' \(-2.0\)"),
        ([1, 1, 1e101, 1, 1, 1], r"sample_weight is 1e\+101"),
        ([0] * 6, "every weight in 'w' is zero"),
    ],
)
def test_weights_that_are_none(weights: list[float], message: str, engine: Callable[..., Source]) -> None:
    source = engine(ROWS.with_columns(w=pl.Series(weights, dtype=pl.Float64)), weight="w")
    with pytest.raises(InputError, match=message):
        GaussianNB().fit(source)


def test_missing_labels_are_counted(engine: Callable[..., Source]) -> None:
    rows = ROWS.with_columns(y=pl.Series([None, "a", "b", None, "b", "a"]))
    with pytest.raises(InputError, match=r"the target 'y' is missing in 2 row\(s\)"):
        GaussianNB().fit(engine(rows))
    assert means(engine(rows, columns=["x"], where="y IS NOT NULL")).tolist() == [[5.0], [5.0]]


def test_measurements_are_no_labels() -> None:
    with pytest.raises(InputError, match="continuous"):
        GaussianNB().fit(from_duckdb(ROWS, target="w", columns=["x"]))


# --- what is refused ---


def test_infinite_cells(engine: Callable[..., Source]) -> None:
    rows = ROWS.with_columns(z=pl.Series([0.0, 1.0, float("-inf"), 3.0, 4.0, 5.0]))
    for model in (GaussianNB(), LinearDiscriminantAnalysis()):
        with pytest.raises(InputError, match=r"X contains infinity \(column 'z'\)"):
            model.fit(engine(rows, columns=["x", "z"]))


def test_tables_without_rows(engine: Callable[..., Source]) -> None:
    with pytest.raises(InputError, match="the table is empty"):
        GaussianNB().fit(engine(ROWS.clear(), columns=["x"]))
    with pytest.raises(InputError, match="no row meets the condition"):
        GaussianNB().fit(engine(ROWS, columns=["x"], where="x > 100"))
    with pytest.raises(InputError, match="the table is empty"):
        list(engine(ROWS.clear(), columns=["x"]).batches())


def test_columns_that_are_no_numbers(engine: Callable[..., Source]) -> None:
    rows = ROWS.with_columns(word=pl.Series(["1", "2", "x", "4", "5", "6"]))
    for act in (LinearDiscriminantAnalysis().fit, GaussianNB().fit, lambda source: list(source.batches())):
        with pytest.raises(InputError, match="these columns are not numbers: 'word'"):
            act(engine(rows))


def test_what_is_not_there() -> None:
    connection = in_duckdb(ROWS)
    with pytest.raises(InputError, match="the database refuses: Catalog Error"):
        scan_sql(connection, "mesured", "y")
    with pytest.raises(InputError, match="there is no column 'Y' to be the target"):
        scan_sql(connection, "measured", "Y")
    with pytest.raises(InputError, match="the database refuses"):
        scan_sql(connection, "measured", "y", where="height > 3")


class Twins:
    """A connection that gives two columns one name, as PostgreSQL does; DuckDB and SQLite rename the second."""

    description = (("x",), ("x",), ("y",))

    def cursor(self) -> Any:
        return self

    def execute(self, query: str) -> None:
        """Nothing to be done."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        return [(1.0, 2.0, "a")]

    def close(self) -> None:
        """Nothing to be done."""


def test_two_columns_of_one_name() -> None:
    with pytest.raises(InputError, match="two columns of the table have the same name"):
        scan_sql(Twins(), "SELECT a.x, b.x, a.y FROM measured a, measured b", "y")


def test_arguments_of_the_wrong_kind() -> None:
    with pytest.raises(InputTypeError, match="connection must be an open connection"):
        scan_sql("rows.db", "measured", "y")
    with pytest.raises(InputTypeError, match="connection must be an open connection"):
        scan_sql(duckdb.DuckDBPyConnection, "measured", "y")
    with pytest.raises(InputError, match="dialect='oracle' is not known"):
        scan_sql(in_duckdb(ROWS), "measured", "y", dialect="oracle")
    with pytest.raises(InputTypeError, match="table must be a name"):
        scan_sql(in_duckdb(ROWS), 3, "y")  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="where must be text"):
        scan_sql(in_duckdb(ROWS), "measured", "y", where=pl.col("x") > 3)  # type: ignore[arg-type]
    mappings = in_sqlite(ROWS)
    mappings.row_factory = lambda cursor, row: dict(zip([c[0] for c in cursor.description], row, strict=True))
    with pytest.raises(InputTypeError, match="rows as mappings"):
        scan_sql(mappings, "measured", "y")


class Restless:
    """A connection to a table that gets a row before its second query about classes."""

    def __init__(self, connection: sqlite3.Connection, row: tuple[Any, ...]) -> None:
        self.connection, self.row = connection, row

    def cursor(self) -> Any:
        return RestlessCursor(self)


class RestlessCursor:
    def __init__(self, owner: Restless) -> None:
        self.owner, self.cursor = owner, owner.connection.cursor()

    def execute(self, query: str) -> None:
        if query.startswith("WITH"):
            self.owner.connection.execute("INSERT INTO measured VALUES (?, ?, ?, ?)", self.owner.row)
        self.cursor.execute(query)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cursor, name)


@pytest.mark.parametrize("label", ["a", "b"])
def test_rows_that_change_between_two_queries(label: str) -> None:
    restless = Restless(in_sqlite(ROWS), (1.0, 2, label, 1.0))
    with pytest.raises(InputError, match="other rows than a moment ago"):
        means(scan_sql(restless, "measured", "y", dialect="sqlite"))


def test_what_the_page_shows_runs() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "database.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    assert len(names["model"].classes_) == 3


# --- rows themselves ---


def test_rows_are_fetched_for_models_that_need_them(engine: Callable[..., Source]) -> None:
    random = np.random.default_rng(0)
    rows = pl.DataFrame({"x": random.normal(size=500), "z": random.normal(size=500)})
    rows = rows.with_columns(y=pl.Series(random.integers(0, 3, 500)), w=pl.Series(random.integers(0, 3, 500) * 1.0))
    source = engine(rows, weight="w")
    assert (source.size().rows, source.size().columns, source.size().exact) == (500, 2, True)
    with pytest.warns(InMemoryWarning, match="500 rows of 2 columns"):
        found = KNeighborsClassifier(5).fit(source)
    expected = KNeighborsClassifier(5).fit(rows[["x", "z"]], rows["y"], rows["w"])
    X = rows[["x", "z"]] + 0.1
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X))


def test_rows_with_holes_and_truth_values() -> None:
    rows = ROWS.with_columns(
        x=pl.Series([None, 1.0, 2.0, float("nan"), 4.0, 5.0]), z=pl.Series([True, False, None] * 2)
    )
    for engine in (ENGINES["DuckDB"], ENGINES["standard SQL"]):
        (batch,) = engine(rows, columns=["x", "z"]).batches()
        np.testing.assert_array_equal(batch.X[:, 0], [np.nan, 1, 2, np.nan, 4, 5])
        np.testing.assert_array_equal(batch.X[:, 1], [1, 0, np.nan] * 2)
        assert batch.classes[batch.codes].tolist() == list("aaabbb")
        assert batch.holes


@pytest.mark.parametrize("make", [from_duckdb, from_sqlite])
def test_a_pass_that_is_broken_off_leaves_the_connection_free(make: Callable[..., Source]) -> None:
    rows = pl.DataFrame({"x": np.arange(300_000.0), "y": np.arange(300_000) % 2})
    source = make(rows)
    batches = source.batches()
    next(batches)
    batches.close()
    assert means(source).tolist() == [[149_999.0], [150_000.0]]
    assert sum(len(batch.X) for batch in source.batches()) == 300_000


def test_the_connection_stays_the_callers() -> None:
    connection = in_sqlite(ROWS)
    connection.commit()
    connection.execute("INSERT INTO measured VALUES (0, 0, 'c', 1)")
    assert len(means(scan_sql(connection, "measured", "y", columns=["x"]))) == 3  # what is not committed is seen
    connection.rollback()
    assert len(means(scan_sql(connection, "measured", "y", columns=["x"]))) == 2


@pytest.mark.parametrize("before", ["-- one line\n", "/* several\nlines */ ", "\n  /* a */ -- b\n"])
def test_comments_may_stand_before_a_query(before: str) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (x, z, y)")
    database.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS.drop("w").rows())
    np.testing.assert_allclose(means(scan_sql(database, f"{before}SELECT * FROM t", target="y")), MEANS)
    database.close()


def test_labels_of_several_types_are_refused() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (x, y)")
    database.executemany("INSERT INTO t VALUES (?, ?)", [(1.0, 1), (2.0, "1"), (3.0, b"1")])
    with pytest.raises(InputError, match="the target 'y' has labels of several types \\(bytes, int, str\\)"):
        means(scan_sql(database, "t", target="y"))
    database.close()
