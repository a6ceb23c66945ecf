"""The same rows give the same model, wherever they lie and however they are parted."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from distinguo import MultinomialNB, TextCounts, TextRows, scan, scan_sql
from distinguo.catalogue import CATALOGUE, find
from distinguo.rows import columnar, records
from tests.spark_session import in_partitions

Parts = list[pl.DataFrame]
Way = Callable[[Parts, Any, pytest.FixtureRequest], Any]
MODELS = [entry.name for entry in CATALOGUE if entry.merges] + ["logistic"]
# Steps lead to the optimum of an iterative model, and stop near it.
CLOSE = {"logistic": 1e-6}
N = 600


def rows(kind: str) -> pl.DataFrame:
    """Rows of three classes, in an order that a table may well have: "c" comes last, and so do some words."""
    random = np.random.default_rng(11)
    y = np.repeat([0, 1, 2], [250, 250, 100])
    y[:500] = random.permutation(y[:500])
    X = random.normal(size=(N, 4)) + 1.5 * np.array([[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])[y]
    X[:, 2] += 0.8 * X[:, 0]
    late = np.arange(N) > 400
    words = {
        "colour": np.where(late & (X[:, 0] > 0), "violet", np.where(X[:, 1] > 0, "red", "blue")),
        "size": np.array(["S", "M", "L", "XL"])[np.digitize(X[:, 2], [-1, 0, 1])],
    }
    numbers = {f"x{j}": X[:, j] * 10.0 ** (3 * j - 4) + 1e3 * j for j in range(4)}
    counts = {f"n{j}": random.poisson(np.exp(np.clip(X[:, j], -3, 2))) for j in range(4)}
    columns: dict[str, dict[str, Any]] = {
        "numbers": numbers,
        "counts": counts,
        "words": words,
        "mixed": words | {"x1": numbers["x1"], "is": X[:, 3] > 0},
        "texts": {"text": [" ".join([colour, size] * 2) for colour, size in zip(*words.values(), strict=True)]},
    }
    return pl.DataFrame(columns[kind] | {"y": np.array(["a", "b", "c"])[y]})


KINDS = {
    "multinomial-nb": "counts",
    "complement-nb": "counts",
    "poisson-nb": "counts",
    "bernoulli-nb": "counts",
    "categorical-nb": "words",
    "mixed-nb": "mixed",
}

# The rows where each part begins; an empty part, parts of one class, and classes and words first met in the last.
PARTITIONS = {
    "one": [0],
    "even": [0, 120, 240, 360, 480],
    "uneven": [0, 7, 450, 451],
    "an empty one": [0, 200, 200, 400],
    "one class alone": [0, 250, 500, 550],
}


def parted(table: pl.DataFrame, partition: str) -> Parts:
    """The rows in parts."""
    begins = PARTITIONS[partition]
    return [table[start:stop] for start, stop in zip(begins, [*begins[1:], N], strict=True)]


# --- the ways that rows may take: each is called with the parts and a model, and gives the model fitted ---------------


def in_chunks(parts: Parts, model: Any, request: pytest.FixtureRequest) -> Any:
    """Part after part, as a stream brings them."""
    if not hasattr(model, "statistic_") and not hasattr(model, "forget"):
        pytest.skip("learns all rows at once")
    for part in parts:
        if part.height:
            model.partial_fit(part.drop("y"), part["y"])
    return model


def from_files(end: str, **options: Any) -> Way:
    """A file a part."""

    def fit(parts: Parts, model: Any, request: pytest.FixtureRequest) -> Any:
        folder: Path = request.getfixturevalue("tmp_path")
        for i, part in enumerate(parts):
            (part.write_parquet if end == "parquet" else part.write_csv)(folder / f"{i}.{end}")
        return model.fit(scan(f"{folder}/*.{end}", "y", **options))

    return fit


def from_dask(parts: Parts, model: Any, request: pytest.FixtureRequest) -> Any:
    """A partition a part."""
    import dask
    import dask.dataframe as dd

    frames = [part.to_pandas() for part in parts]
    with dask.config.set(scheduler="synchronous"):
        collection = dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0][:0], verify_meta=False)
        return model.fit(collection.drop(columns="y"), collection["y"])


def from_duckdb(parts: Parts, model: Any, request: pytest.FixtureRequest) -> Any:
    """Rows put into a table part after part; the sums are made there."""
    import duckdb

    with duckdb.connect() as database:
        for i, part in enumerate(parts):
            # Written out, for DuckDB 1.1 reads truth values of a slice from where the whole begins.
            database.register("part", pa.Table.from_pylist(part.to_dicts(), schema=part.to_arrow().schema))
            database.execute("CREATE TABLE rows AS FROM part" if i == 0 else "INSERT INTO rows FROM part")
        return model.fit(scan_sql(database, "rows", "y"))


def from_spark(parts: Parts, model: Any, request: pytest.FixtureRequest) -> Any:
    """A partition a part."""
    types = {pl.Float64: "double", pl.Int64: "long", pl.String: "string", pl.Boolean: "boolean"}
    schema = ", ".join(f"`{name}` {types[dtype.base_type()]}" for name, dtype in parts[0].schema.items())
    return model.fit(in_partitions(request.getfixturevalue("spark"), parts, schema), "y")


WAYS: dict[str, Way] = {
    "chunks": in_chunks,
    "Parquet": from_files("parquet"),
    "Parquet, one worker": from_files("parquet", workers=1),
    "CSV": from_files("csv"),
    "Dask": from_dask,
    "DuckDB": from_duckdb,
    "Spark": from_spark,
}


def ways(*names: str) -> Any:
    """A test for each of these ways; those through Spark share its process."""
    spark = [pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")]
    return pytest.mark.parametrize(
        "way", [pytest.param(name, marks=spark if name == "Spark" else ()) for name in names]
    )


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files are read in more pieces than they have parts."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 100)
    monkeypatch.setattr(columnar, "WHOLE_GROUP", 1)
    monkeypatch.setattr(records, "CHUNK_BYTES", 1 << 11)
    return


def assert_alike(found: Any, expected: Any, close: float, what: str) -> None:
    """Arrays of numbers differ by so little beside their largest; others are equal."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, what
    if expected.dtype.kind not in "fc":
        assert found.tolist() == expected.tolist(), what
        return
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=close, atol=close * scale, err_msg=what)


def assert_same_model(found: Any, expected: Any, table: pl.DataFrame, close: float) -> None:
    """The parameters and what is predicted from them."""
    names = ("classes_", "coef_", "intercept_", "feature_log_prob_", "means_", "covariance_", "variances_", "priors_")
    for name in names:
        if hasattr(expected, name):
            assert_alike(getattr(found, name), getattr(expected, name), close, name)
    if hasattr(expected, "statistic_"):
        for field in fields(expected.statistic_):
            value = getattr(expected.statistic_, field.name)
            if isinstance(value, np.ndarray):
                assert_alike(getattr(found.statistic_, field.name), value, close, field.name)
    X = table.drop("y")
    method = "predict_proba" if hasattr(expected, "predict_proba") else "decision_function"
    assert_alike(getattr(found, method)(X), getattr(expected, method)(X), 10 * close, method)


@pytest.mark.parametrize("partition", PARTITIONS)
@ways(*WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_every_way_leads_to_the_same_model(name: str, way: str, partition: str, request: Any) -> None:
    table = rows(KINDS.get(name, "numbers"))
    expected = find(name).make().fit(table.drop("y"), table["y"])
    found = WAYS[way](parted(table, partition), find(name).make(), request)
    assert_same_model(found, expected, table, CLOSE.get(name, 1e-9))


@pytest.mark.parametrize("partition", PARTITIONS)
@ways("Parquet", "Parquet, one worker", "CSV", "Dask", "Spark")
def test_words_of_texts_first_met_in_a_late_part(way: str, partition: str, request: Any) -> None:
    table = rows("texts")
    counts = TextCounts().fit(table["text"])
    expected = MultinomialNB().fit(counts.transform(table["text"]), table["y"])

    class Streamed:
        """A model that is fitted on the words of its rows."""

        def fit(self, X: Any, y: Any = None) -> Any:
            from distinguo.rows.elsewhere import located

            source = TextRows(located(X, y, None)[0])
            assert source.counts_.get_feature_names_out().tolist() == counts.get_feature_names_out().tolist()
            return MultinomialNB().fit(source)

    found = WAYS[way](parted(table, partition), Streamed(), request)
    X = counts.transform(table["text"])
    assert_alike(found.feature_log_prob_, expected.feature_log_prob_, 1e-9, "feature_log_prob_")
    assert_alike(found.predict_proba(X), expected.predict_proba(X), 1e-9, "predict_proba")
