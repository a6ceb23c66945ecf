"""Fits on Spark data frames: as in memory, whatever the partitions; and what cannot be used."""

import datetime
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    MultinomialNB,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from distinguo.exceptions import InMemoryWarning
from distinguo.rows import spark_rows
from tests.spark_session import ON_SPARK, in_partitions

pytestmark = ON_SPARK

SCHEMA = "length double, width double, count long, is boolean, species string, times int"


def flowers(n: int = 120, seed: int = 0) -> pl.DataFrame:
    """Three classes in their order, so that the last rows are the only ones of the last class."""
    rng = np.random.default_rng(seed)
    code = np.sort(np.arange(n) % 3)
    return pl.DataFrame(
        {
            "length": rng.normal(size=n) + code,
            "width": 1e4 + 50 * rng.normal(size=n) - 20 * code,
            "count": rng.poisson(2 + code),
            "is": rng.random(n) < 0.3 + 0.2 * code,
            "species": np.array(["b", "a", "c"])[code],
            "times": rng.integers(0, 4, n),
        }
    )


def awkward(rows: pl.DataFrame) -> list[pl.DataFrame]:
    """Partitions of one row, of none, of one class, of two classes, and of a class that was not there before."""
    n = len(rows)
    cuts = [0, 1, 1, n // 4, n // 2, 3 * n // 4, n]
    return [rows[start:stop] for start, stop in pairwise(cuts)]


@pytest.fixture(scope="module")
def frame(spark: Any) -> Iterator[Any]:
    """The flowers, in awkward partitions."""
    cached = in_partitions(spark, awkward(flowers()), SCHEMA).cache()
    yield cached
    cached.unpersist()


def fitted_in_memory(model: Any, rows: pl.DataFrame) -> Any:
    return model.fit(rows.drop("species", "times"), rows["species"], rows["times"])


def same_parameters(found: Any, expected: Any, rows: pl.DataFrame, rtol: float = 1e-9) -> None:
    """Classes, parameters by name, and what is said of rows."""
    assert found.classes_.tolist() == expected.classes_.tolist()
    compared = 0
    for name in ("means_", "covariance_", "variances_", "coef_", "intercept_", "feature_log_prob_", "priors_"):
        if hasattr(expected, name):
            wanted = np.asarray(getattr(expected, name))
            np.testing.assert_allclose(getattr(found, name), wanted, rtol=rtol, atol=rtol * np.abs(wanted).max())
            compared += 1
    assert compared
    X = rows.select(found.feature_names_in_.tolist())
    assert found.predict(X).tolist() == expected.predict(X).tolist()


@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage="ledoit-wolf"),
        QuadraticDiscriminantAnalysis(),
        RegularizedDiscriminantAnalysis(pooling=0.5, shrinkage=0.1),
        LeastSquaresClassifier(),
    ],
    ids=str,
)
def test_the_same_parameters_as_in_memory(model: Any, frame: Any) -> None:
    rows = flowers()
    expected = fitted_in_memory(clone(model), rows)
    same_parameters(model.fit(frame, "species", sample_weight="times"), expected, rows)


def test_the_same_of_iterations(spark: Any) -> None:
    rows = flowers()
    frame = in_partitions(spark, [rows[:90], rows[90:]], SCHEMA).cache()
    expected = fitted_in_memory(LogisticRegression(C=1.0, standardize=True), rows)
    model = LogisticRegression(C=1.0, standardize=True).fit(frame, "species", sample_weight="times")
    same_parameters(model, expected, rows, 1e-6)


@pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB(), ComplementNB(), PoissonNB()], ids=str)
def test_the_same_of_counts(model: Any, frame: Any) -> None:
    rows = flowers().select("count", "is", "species", "times")
    expected = fitted_in_memory(clone(model), rows)
    same_parameters(model.fit(frame.select(rows.columns), "species", "times"), expected, rows)


def test_partitions_by_hash_and_small_arrow_batches(spark: Any, frame: Any) -> None:
    expected = fitted_in_memory(QuadraticDiscriminantAnalysis(), flowers())
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    try:
        found = [QuadraticDiscriminantAnalysis().fit(frame.repartition(k), "species", "times") for k in (1, 9)]
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    for model in found:
        same_parameters(model, expected, flowers())


def test_more_partitions_than_tasks_that_add_up(spark: Any) -> None:
    rows = flowers(80)
    parts = [rows[i : i + 4] for i in range(0, 80, 4)]
    assert len(parts) > spark_rows.GROUPS
    frame = in_partitions(spark, parts, SCHEMA)
    adaptive = LinearDiscriminantAnalysis().fit(frame, "species", "times")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        fixed = LinearDiscriminantAnalysis().fit(frame, "species", "times")
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
    expected = fitted_in_memory(LinearDiscriminantAnalysis(), rows)
    same_parameters(adaptive, expected, rows)
    same_parameters(fixed, expected, rows)


def test_the_same_to_the_last_bit_every_time(frame: Any) -> None:
    first, second = (LinearDiscriminantAnalysis().fit(frame, "species") for _ in range(2))
    assert first.statistic_ == second.statistic_


WORDS = "colour string, size decimal(12,3), legs int, wild boolean, y boolean"


def animals() -> pl.DataFrame:
    """Words, decimals, whole numbers and truth values with holes; one word stands in the last row only."""
    rng = np.random.default_rng(1)
    y = rng.random(60) < 0.5
    colours = np.array(["red", "blue", None], dtype=object)[(rng.random(60) * 3).astype(int)]
    colours[-1] = "green"
    size = [None if i % 7 == 3 else value for i, value in enumerate(rng.normal(5, 1, 60).round(3).tolist())]
    return pl.DataFrame(
        {
            "colour": pl.Series(colours.tolist(), dtype=pl.String),
            "size": pl.Series(size, dtype=pl.Decimal(12, 3)),
            "legs": pl.Series([None if i % 11 == 5 else int(2 + 2 * y[i]) for i in range(60)], dtype=pl.Int32),
            "wild": (rng.random(60) < 0.4).tolist(),
            "y": y.tolist(),
        }
    )


@pytest.mark.parametrize("model", [MixedNB(), CategoricalNB()], ids=str)
def test_words_and_holes(model: Any, spark: Any) -> None:
    rows = animals()
    X = rows.drop("y")
    expected = clone(model).fit(X, rows["y"])
    found = model.fit(in_partitions(spark, [rows[:20], rows[20:20], rows[20:]], WORDS), "y")
    assert found.classes_.tolist() == [False, True]
    assert [None if c is None else c.tolist() for c in found.categories_] == [
        None if c is None else c.tolist() for c in expected.categories_
    ]
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("model", [GaussianNB(), LinearDiscriminantAnalysis()], ids=str)
def test_cells_that_are_missing(model: Any, spark: Any) -> None:
    rows = flowers().select("length", "width", "species")
    holes = np.random.default_rng(2).random(len(rows)) < 0.15
    rows = rows.with_columns(
        length=pl.Series([None if hole else v for hole, v in zip(holes, rows["length"], strict=True)]),
        width=pl.Series([np.nan if hole else v for hole, v in zip(holes[::-1], rows["width"], strict=True)]),
    )
    parts = [rows[:60], rows[60:60], rows[60:]]
    frame = in_partitions(spark, parts, "length double, width double, species string").cache()
    expected = clone(model).fit(rows.drop("species"), rows["species"])
    same_parameters(model.fit(frame, "species"), expected, rows, 1e-6)


def test_more_rows_are_learned_and_forgotten(frame: Any) -> None:
    rows, model = flowers(), LinearDiscriminantAnalysis()
    late = frame.where("species = 'c'")
    model.partial_fit(frame.where("species <> 'c'"), "species", sample_weight="times")
    assert model.classes_.tolist() == ["a", "b"]
    model.partial_fit(late, "species", sample_weight="times")
    same_parameters(model, fitted_in_memory(LinearDiscriminantAnalysis(), rows), rows)
    model.forget(late, "species", "times")
    early = rows.filter(pl.col("species") != "c")
    same_parameters(model, fitted_in_memory(LinearDiscriminantAnalysis(), early), early)


def test_nothing_but_statistics_leaves_the_executors(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    come: list[int] = []

    def watched(job: Any) -> Any:
        rows = job()
        come.append(sum(len(row["said"]) for row in rows))
        return rows

    monkeypatch.setattr(spark_rows, "run", watched)
    for n in (120, 12_000):
        frame = in_partitions(spark, awkward(flowers(n)), SCHEMA)
        LinearDiscriminantAnalysis().fit(frame, "species", "times")
    small, large = come
    assert large < small + 100
    assert large < 12_000


@pytest.mark.parametrize("model", [KNeighborsClassifier(k=3), FlexibleDiscriminantAnalysis()], ids=str)
def test_models_of_all_rows_say_how_large_they_are(model: Any, frame: Any) -> None:
    rows = flowers().drop("times")
    with pytest.warns(InMemoryWarning, match="120 rows of 4 columns"):
        model.fit(frame.drop("times"), "species")
    expected = clone(model).fit(rows.drop("species"), rows["species"])
    X = rows.drop("species")
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([3, 1, 3, 1], "tinyint"),
        ([True, False, True, False], "boolean"),
        ([datetime.date(2020, 1, 1), datetime.date(2019, 1, 1)] * 2, "date"),
        (["é", "", "é", ""], "string"),
    ],
)
def test_labels_of_any_type(labels: list[Any], kind: str, spark: Any) -> None:
    frame = spark.createDataFrame([(float(i), label) for i, label in enumerate(labels)], f"x double, y {kind}")
    model = GaussianNB().fit(frame, "y")
    assert model.classes_.tolist() == sorted(set(labels))
    assert model.means_.ravel().tolist() == [2.0, 1.0]


def test_names_that_mean_something_in_spark(spark: Any) -> None:
    frame = spark.createDataFrame([(1.0, 2.0, 5.0, "a"), (3.0, 4.0, 6.0, "b")], ["x.y", "x", "X", "`"])
    model = GaussianNB().fit(frame, "`")
    assert model.feature_names_in_.tolist() == ["x.y", "x", "X"]
    assert model.means_.tolist() == [[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]]
