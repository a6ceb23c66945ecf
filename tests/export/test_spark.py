"""What a fitted model says of the rows of a Spark data frame, held against what it says in memory."""

import datetime
import decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import (
    CostSensitive,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    predict_spark,
)
from distinguo.catalogue import CATALOGUE, Entry
from distinguo.exceptions import InputError, InputTypeError
from tests.spark_session import ON_SPARK, in_partitions

pytestmark = ON_SPARK

SCHEMA = "id long, wide long, long long"


def counts(n: int = 60) -> pl.DataFrame:
    """Whole numbers that every model takes, of three classes."""
    rng = np.random.default_rng(0)
    code = np.arange(n) % 3
    return pl.DataFrame({"id": np.arange(n), "wide": rng.poisson(3 + 4 * code), "long": rng.poisson(9 - 3 * code)})


@pytest.fixture(scope="module")
def labels() -> np.ndarray:
    return np.array(["a", "b", "c"])[np.arange(60) % 3]


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    rows = counts()
    return in_partitions(spark, [rows[:25], rows[25:25], rows[25:]], SCHEMA).cache()


def brought(frame: Any) -> pl.DataFrame:
    rows = pl.from_arrow(frame.toArrow())
    assert isinstance(rows, pl.DataFrame)
    return rows


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_every_model_says_what_it_says_in_memory(entry: Entry, frame: Any, labels: np.ndarray) -> None:
    X = counts().select("long", "wide")  # in another order than there
    model = entry.make().fit(X, labels)
    rows = brought(predict_spark(model, frame))
    said = ["p_a", "p_b", "p_c"] if entry.probabilities else []
    assert rows.columns == ["id", "wide", "long", "predicted", *said]
    assert rows["id"].to_list() == list(range(60))
    assert rows["predicted"].to_list() == model.predict(X).tolist()
    if said:
        np.testing.assert_allclose(rows.select(said), model.predict_proba(X), rtol=1e-9, atol=1e-15)


def test_words_new_ones_and_holes(spark: Any) -> None:
    X = pl.DataFrame({"colour": ["red", "blue", "red", None] * 5, "size": [1.0, 2.0, None, 4.0] * 5})
    model = MixedNB().fit(X, [1, 2, 1, 2] * 5)
    rows = pl.DataFrame({"size": [1.0, None, 3.0], "colour": ["green", None, "blue"]})
    given = in_partitions(spark, [rows], "size double, colour string").selectExpr("decimal(size) AS size", "colour")
    said = brought(predict_spark(model, given))
    np.testing.assert_allclose(said.select("p_1", "p_2"), model.predict_proba(rows.select("colour", "size")), rtol=1e-9)
    assert said["predicted"].to_list() == model.predict(rows.select("colour", "size")).tolist()
    assert said["predicted"].dtype == pl.Int64


def test_other_columns_stay_whatever_they_hold(spark: Any) -> None:
    linalg = pytest.importorskip("pyspark.ml.linalg")
    frame = spark.createDataFrame(
        [
            (
                linalg.Vectors.dense([1.0, 2.0]),
                1.0,
                decimal.Decimal("1.50"),
                datetime.datetime(2020, 1, 2, 3),
                [1, 2],
                "n",
            )
        ],
        ["v", "x.y", "d", "when", "list", "X.Y"],
    ).selectExpr("*", "struct(list, when) AS s", "map('k', d) AS m", "binary('b') AS b", "NULL AS nothing")
    model = GaussianNB().fit(pl.DataFrame({"x.y": [0.0, 1.0, 5.0, 6.0]}), [False, False, True, True])
    said = predict_spark(model, frame)
    assert said.columns == [*frame.columns, "predicted", "p_False", "p_True"]
    assert said.schema.fields[: len(frame.columns)] == frame.schema.fields
    (before,), (after,) = frame.collect(), said.collect()
    assert tuple(after)[: len(before)] == tuple(before)
    assert after["predicted"] is False


def test_names_that_are_taken_make_way(frame: Any, labels: np.ndarray) -> None:
    model = LinearDiscriminantAnalysis().fit(counts().select("long", "wide"), labels)
    taken = frame.selectExpr("*", "1 AS Predicted", "2 AS p_b")
    said = predict_spark(model, taken)
    assert said.columns == ["id", "wide", "long", "Predicted", "p_b", "predicted_2", "p_a", "p_b_2", "p_c"]
    assert said.where("predicted_2 = 'a'").count() == (model.predict(counts().select("long", "wide")) == "a").sum()


def test_a_model_without_names_and_a_pipeline(frame: Any, labels: np.ndarray) -> None:
    X = counts().select("wide", "long").to_numpy()
    bare = GaussianNB().fit(X, labels)
    with pytest.raises(InputError, match="fitted without names of columns; give columns="):
        predict_spark(bare, frame)
    said = brought(predict_spark(bare, frame, columns=["wide", "long"]))
    np.testing.assert_allclose(said.select("p_a", "p_b", "p_c"), bare.predict_proba(X), rtol=1e-9, atol=1e-15)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=1.0)).fit(
        counts().select("wide", "long").to_pandas(), labels
    )
    said = brought(predict_spark(pipeline, frame))
    assert said["predicted"].to_list() == pipeline.predict(counts().select("wide", "long").to_pandas()).tolist()


def test_rows_that_are_left_undecided_are_null(frame: Any) -> None:
    X, y = counts().select("wide", "long").to_pandas(), np.arange(60) % 3
    model = CostSensitive(GaussianNB(), costs=1 - np.eye(3), reject=0.2).fit(X, y)
    said = brought(predict_spark(model, frame))
    assert said["predicted"].to_list() == model.predict(X).tolist()
    assert 0 < said["predicted"].null_count() < 60


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], "date"),
        ([1.0, 2.0], "double"),
        (np.array([1, 2], np.uint8), "bigint"),
    ],
)
def test_labels_of_any_type(classes: Any, kind: str, frame: Any) -> None:
    y = np.array(classes, "datetime64[D]" if kind == "date" else None)[np.arange(60) % 2]
    said = predict_spark(GaussianNB().fit(counts().select("wide"), y), frame)
    assert said.schema["predicted"].dataType.simpleString() == kind
    assert {row["predicted"] for row in said.select("predicted").collect()} <= set(classes)


def test_nothing_is_worked_out_before_rows_are_asked_for(spark: Any, labels: np.ndarray) -> None:
    model = GaussianNB().fit(counts().select("wide"), labels)
    failing = spark.range(3).selectExpr("double(raise_error('worked out')) AS wide")
    said = predict_spark(model, failing)
    with pytest.raises(Exception, match="worked out"):
        said.collect()


def test_a_hole_where_none_is_taken_says_where(spark: Any, labels: np.ndarray) -> None:
    model = LeastSquaresClassifier().fit(counts().select("wide", "long"), labels == "a")
    rows = [pl.DataFrame({"id": [1], "wide": [1], "long": [one]}) for one in (2, None)]
    with pytest.raises(Exception, match=r"from row 0 of partition 1 on: X contains NaN \(row 0, column 'long'\)"):
        predict_spark(model, in_partitions(spark, rows, SCHEMA)).collect()


def test_what_cannot_be_used(spark: Any, frame: Any, labels: np.ndarray) -> None:
    model = GaussianNB().fit(counts().select("wide", "long"), labels)
    with pytest.raises(InputError, match=r"lacks the columns 'wide', 'long'; it has 'id'.*give columns="):
        predict_spark(model, frame.select("id"))
    with pytest.raises(InputError, match=r"'wide' .array<bigint>.*numbers or words"):
        predict_spark(model, frame.selectExpr("array(wide) AS wide", "long"))
    with pytest.raises(InputError, match="not numbers: 'wide'"):
        predict_spark(model, frame.selectExpr("string(wide) AS wide", "long"))
    with pytest.raises(InputError, match="X has 1 features, but GaussianNB is expecting 2"):
        predict_spark(GaussianNB().fit(counts().select("wide", "long").to_numpy(), labels), frame, columns=["wide"])
    with pytest.raises(InputTypeError, match="columns must be a list of names; 'wide' came"):
        predict_spark(model, frame, columns="wide")
    with pytest.raises(InputTypeError, match=r"must be a pyspark.sql.DataFrame"):
        predict_spark(model, counts())
    with pytest.raises(NotFittedError):
        predict_spark(GaussianNB(), frame)
    mixed = GaussianNB().fit(counts().select("wide", "long"), np.array(["x", 1, 2] * 20, dtype=object))
    with pytest.raises(InputError, match=r"classes .*are not all texts"):
        predict_spark(mixed, frame)
