"""What of a Spark data frame cannot be used, and how it is said."""

import sys
import types
from typing import Any

import numpy as np
import polars as pl
import pytest

from distinguo import GaussianNB, KNeighborsClassifier, LeastSquaresClassifier, MixedNB
from distinguo.exceptions import InMemoryWarning, InputError, InputTypeError, MissingCellsError
from distinguo.rows import spark_rows
from tests.spark_session import ON_SPARK, in_partitions

pytestmark = ON_SPARK


def of_rows(spark: Any, *rows: tuple[Any, ...], schema: str = "x double, w double, y string") -> Any:
    """A partition a row."""
    return in_partitions(spark, [pl.DataFrame([row], orient="row", strict=False) for row in rows], schema)


GOOD, OTHER = (1.0, 1.0, "a"), (2.0, 1.0, "b")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((1.0, 1.0, None), "partition 1.*target 'y' is missing in row 0"),
        ((1.0, -1.0, "a"), "partition 1.*sample_weight is negative in row 0"),
        ((1.0, None, "a"), "partition 1.*sample_weight contains NaN"),
        ((np.inf, 1.0, "a"), "partition 1.*infinity .row 0, column 'x'"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_in_a_line(bad: Any, message: str, spark: Any) -> None:
    with pytest.raises(InputError, match=message) as caught:
        GaussianNB().fit(of_rows(spark, GOOD, bad, OTHER, bad), "y", "w")
    assert caught.value.__cause__ is None
    assert len(str(caught.value)) < 300


def test_a_hole_keeps_its_own_error(spark: Any) -> None:
    with pytest.raises(MissingCellsError, match=r"NaN .partition 2, row 0, column 'x'.*takes no missing cells"):
        LeastSquaresClassifier().fit(of_rows(spark, GOOD, OTHER, (None, 1.0, "a")), "y", "w")


def test_no_rows_and_no_weight(spark: Any) -> None:
    frame = of_rows(spark, GOOD, OTHER)
    with pytest.raises(InputError, match="0 sample"):
        GaussianNB().fit(frame.where("x > 9"), "y", "w")
    with pytest.raises(InputError, match="every sample_weight is zero"):
        GaussianNB().fit(frame.selectExpr("x", "0 AS w", "y"), "y", "w")
    with pytest.warns(InMemoryWarning), pytest.raises(InputError, match="no rows"):
        KNeighborsClassifier(k=1).fit(frame.where("x > 9"), "y", "w")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("'word' AS z", r"cannot be used: 'z' \(string\).*MixedNB takes words"),
        ("current_date() AS z", r"'z' \(date\)"),
        ("array(x) AS z, map(1, 2) AS v", r"'z' \(array<double>\), 'v' \(map<int,int>\).*select\(\) or drop\(\)"),
    ],
)
def test_columns_that_are_no_features(more: str, message: str, spark: Any) -> None:
    frame = of_rows(spark, GOOD, OTHER).selectExpr("*", *more.split(", ", 1))
    with pytest.raises(InputError, match=message):
        GaussianNB().fit(frame, "y", "w")


def test_vectors_are_no_features_and_no_words(spark: Any) -> None:
    linalg = pytest.importorskip("pyspark.ml.linalg")
    frame = spark.createDataFrame([(linalg.Vectors.dense([1.0, 2.0]), "a")], ["v", "y"])
    with pytest.raises(InputError, match=r"'v' \(vector\).*numbers or words"):
        MixedNB().fit(frame, "y")


@pytest.mark.parametrize(
    ("y", "weight", "error", "message"),
    [
        (None, None, InputTypeError, "y must be the name of a column.*it is NoneType"),
        ([1, 2], None, InputTypeError, "y must be the name of a column.*it is list"),
        ("y", [1, 2], InputTypeError, "sample_weight must be the name"),
        ("Y", None, InputError, "no column 'Y' to be the target"),
        ("y", "y", InputError, "both target and weight"),
        ("w", "y", InputError, r"'y' \(string\).*Weights are numbers"),
        ("t", "w", InputError, r"'t' \(timestamp\).*Labels are"),
    ],
)
def test_arguments_that_cannot_be_used(y: Any, weight: Any, error: type[Exception], message: str, spark: Any) -> None:
    frame = of_rows(spark, GOOD, OTHER).selectExpr("*", "current_timestamp() AS t")
    with pytest.raises(error, match=message):
        GaussianNB().fit(frame, y, weight)


def test_other_things_of_spark(spark: Any) -> None:
    with pytest.raises(InputTypeError, match=r"pyspark .*RDD; it must be a pyspark.sql.DataFrame"):
        GaussianNB().fit(spark.sparkContext.parallelize([1]), "y")
    with pytest.raises(InputError, match=r"stream.*foreachBatch"):
        GaussianNB().fit(spark.readStream.format("rate").load(), "value")
    frame = of_rows(spark, GOOD, OTHER)
    with pytest.raises(InputError, match="more than one column called 'x'"):
        GaussianNB().fit(frame.selectExpr("x", "x", "y"), "y")
    model = GaussianNB().fit(frame, "y", "w")
    with pytest.raises(InputTypeError, match=r"predict_spark\(model, X\)"):
        model.predict(frame)


def test_executors_without_the_library_are_told_of(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = types.ModuleType("only_here")
    exec("class Thing:\n    adds_up = True\n    takes_words = False", missing.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", missing)
    source = spark_rows.SparkSource(of_rows(spark, GOOD, OTHER), "y", "w")
    with pytest.raises(InputError, match=r"No module named 'only_here'. Install distinguo .* there too") as caught:
        source.aggregate(missing.Thing())
    assert len(str(caught.value)) < 300
