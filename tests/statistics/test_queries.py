"""Statistics by queries are those of the same rows in memory."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import polars as pl
import pytest

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    ColumnMoments,
    Counts,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MemorySource,
    MixedNB,
    Moments,
    QuadraticDiscriminantAnalysis,
)
from distinguo.catalogue import CATALOGUE, find
from distinguo.exceptions import InputError, MissingCellsError
from distinguo.rows.base import Source
from distinguo.statistics.logistic import LogisticStep
from tests.databases import ENGINES, from_duckdb

MERGEABLE = [entry.name for entry in CATALOGUE if entry.merges]
OF_COUNTS = {"multinomial-nb", "complement-nb", "poisson-nb", "bernoulli-nb"}
OF_WORDS = {"categorical-nb", "mixed-nb"}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[..., Source]:
    return ENGINES[request.param]


def table(n: int = 400, p: int = 4, K: int = 3, seed: int = 0) -> pl.DataFrame:
    """Columns of numbers that go together, in classes that overlap."""
    random = np.random.default_rng(seed)
    y = random.integers(0, K, n)
    X = random.normal(size=(n, p)) @ (np.eye(p) + 0.3 * random.normal(size=(p, p)) / np.sqrt(p))
    X += random.normal(size=(K, p))[y] * np.where(np.arange(p) < 4, 0.6, 0.0)
    return pl.DataFrame({f"x{j}": X[:, j] for j in range(p)} | {"y": np.array(list("abcdefghij"))[y]})


def counts_of(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.exclude("y").clip(-3, 3).exp().floor().cast(pl.Int64))


def words_of(rows: pl.DataFrame) -> pl.DataFrame:
    size = pl.when(pl.col("x0") < -1).then(pl.lit("low")).when(pl.col("x0") > 1).then(pl.lit("high"))
    word = pl.when(pl.col("x1") < 0).then(pl.lit("it's")).otherwise(pl.lit('a "word"'))
    return rows.with_columns(x0=size.otherwise(pl.lit("middle")), x1=word)


def in_memory(rows: pl.DataFrame, weight: str | None = None) -> MemorySource:
    X = rows.drop(["y"] if weight is None else ["y", weight])
    return MemorySource(X, rows["y"], None if weight is None else rows[weight])


def assert_same(found: Any, expected: Any, close: float = 1e-9) -> None:
    """Every field of a statistic, numbers to within a share of their largest."""
    for field in fields(expected):
        a, b = getattr(found, field.name), getattr(expected, field.name)
        if b is None:
            assert a is None, field.name
            continue
        b = np.asarray(b)
        assert np.shape(a) == b.shape, field.name
        if b.dtype.kind == "f":
            np.testing.assert_allclose(
                a, b, rtol=close, atol=close * np.abs(b).max(initial=0.0), err_msg=field.name, equal_nan=False
            )
        else:
            assert np.asarray(a).tolist() == b.tolist(), field.name


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MERGEABLE)
def test_every_model_that_adds_up(name: str, weighted: bool, engine: Callable[..., Source]) -> None:
    rows = table()
    rows = counts_of(rows) if name in OF_COUNTS else words_of(rows) if name in OF_WORDS else rows
    if name == "categorical-nb":
        rows = rows.select("x0", "x1", "y")
    weight = pl.Series("times", np.random.default_rng(1).integers(0, 4, rows.height) / 2)
    expected = find(name).make().fit(rows.drop("y"), rows["y"], **({"sample_weight": weight} if weighted else {}))
    source = engine(rows.with_columns(weight), weight="times") if weighted else engine(rows)
    found = find(name).make().fit(source)
    assert_same(found.statistic_, expected.statistic_)
    assert found.classes_.tolist() == expected.classes_.tolist()
    method = "predict_proba" if hasattr(expected, "predict_proba") else "decision_function"
    X = rows.drop("y")
    np.testing.assert_allclose(getattr(found, method)(X), getattr(expected, method)(X), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("kind", ["pooled", "full"])
@pytest.mark.parametrize("p", [1, 2, 60])
def test_from_one_column_to_sixty(p: int, kind: Any) -> None:
    rows = table(p=p)
    assert_same(from_duckdb(rows).aggregate(Moments(kind)), in_memory(rows).aggregate(Moments(kind)))


def test_sixty_one_columns_are_refused() -> None:
    source = from_duckdb(table(n=10, p=61))
    with pytest.raises(InputError, match="at most 60 columns, and there are 61"):
        LinearDiscriminantAnalysis().fit(source)
    assert GaussianNB().fit(source).n_features_in_ == 61  # whose sums are two a column


def test_hundreds_of_columns_each_on_its_own() -> None:
    rows = table(n=40, p=520)
    assert_same(from_duckdb(rows).aggregate(ColumnMoments()), in_memory(rows).aggregate(ColumnMoments()))
    rows = counts_of(rows)
    assert_same(from_duckdb(rows).aggregate(Counts()), in_memory(rows).aggregate(Counts()))


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("apart", [0.0, 1e6])
def test_digits_are_kept_far_from_zero(unit: float, apart: float, engine: Callable[..., Source]) -> None:
    """Spread 1 at 1e6, classes as far apart as that too; the sums in 64 bits of mantissa are the reference."""
    random = np.random.default_rng(5)
    y = np.arange(3000) % 3
    X = (random.normal(size=(3000, 3)) + 1e6 + apart * y[:, None]) * unit
    found = engine(pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(y=pl.Series(y))).aggregate(Moments("full"))
    for k in range(3):
        Z = X[y == k].astype(np.longdouble)
        mean = Z.mean(axis=0)
        np.testing.assert_allclose(found.mean[k], mean.astype(np.float64), rtol=1e-15)
        scatter = ((Z - mean).T @ (Z - mean)).astype(np.float64)
        np.testing.assert_allclose(found.scatter[k], scatter, rtol=1e-9, atol=1e-9 * np.abs(scatter).max())


def test_nothing_is_left_of_a_constant(engine: Callable[..., Source]) -> None:
    rows = table().with_columns(always=pl.lit(0.1), of_class=pl.when(pl.col("y") == "a").then(0.1).otherwise(1 / 3))
    found = engine(rows.select("always", "of_class", "y"))
    assert not found.aggregate(Moments("pooled")).scatter.any()
    assert not found.aggregate(ColumnMoments()).squares.any()
    assert found.aggregate(ColumnMoments()).mean.tolist() == [[0.1, 0.1], [0.1, 1 / 3], [0.1, 1 / 3]]


def test_classes_of_one_row_and_of_none_that_counts(engine: Callable[..., Source]) -> None:
    rows = table(n=40).with_columns(times=1.0)
    more = pl.DataFrame({"x0": [5.0, 1e18], "x1": 1.0, "x2": 2.0, "x3": 3.0, "y": ["one", "none"], "times": [2.0, 0.0]})
    rows = pl.concat([rows, more.select(rows.columns)])
    source = engine(rows, weight="times")
    for spec in (Moments("full"), Moments("pooled"), ColumnMoments(), Counts(threshold=0.5)):
        expected = in_memory(rows, "times").aggregate(spec)
        assert expected.classes.tolist() == ["a", "b", "c", "one"]
        assert_same(source.aggregate(spec), expected)


def holed(rows: pl.DataFrame) -> pl.DataFrame:
    """A tenth of the cells gone, and all of a class in a column."""
    gone = np.random.default_rng(3).random((rows.height, rows.width)) < 0.1
    parts = [
        pl.when(pl.Series(gone[:, j]) | ((pl.col("y") == "b") & (name == "x2")))
        .then(None)
        .otherwise(pl.col(name))
        .alias(name)
        for j, name in enumerate(rows.columns)
        if name != "y"
    ]
    return rows.with_columns(parts)


@pytest.mark.parametrize("weighted", [False, True])
def test_missing_cells_are_skipped(weighted: bool, engine: Callable[..., Source]) -> None:
    rows = holed(table())
    weight, options = None, {}
    if weighted:
        rows = rows.with_columns(times=pl.Series(np.random.default_rng(2).random(rows.height)))
        weight, options = "times", {"weight": "times"}
    for spec in (ColumnMoments(), Counts(threshold=0.2)):
        assert_same(engine(rows, **options).aggregate(spec), in_memory(rows, weight).aggregate(spec))


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
def test_missing_counts_and_words(engine: Callable[..., Source]) -> None:
    rows = holed(counts_of(table()))
    assert_same(engine(rows).aggregate(Counts()), in_memory(rows).aggregate(Counts()))
    rows = holed(words_of(table())).with_columns(nothing=pl.lit(None, dtype=pl.String))
    expected = MixedNB().fit(rows.drop("y"), rows["y"])
    assert_same(MixedNB().fit(engine(rows)).statistic_, expected.statistic_)


def test_nan_is_missing() -> None:
    rows = table().with_columns(x0=pl.when(pl.int_range(400) < 9).then(float("nan")).otherwise(pl.col("x0")))
    for engine in (ENGINES["DuckDB"], ENGINES["standard SQL"]):
        assert_same(engine(rows).aggregate(ColumnMoments()), in_memory(rows).aggregate(ColumnMoments()))


def test_cells_that_are_missing_are_refused_where_none_may_be(engine: Callable[..., Source]) -> None:
    rows = table().with_columns(x2=pl.when(pl.int_range(400) < 7).then(None).otherwise(pl.col("x2")))
    source = engine(rows)
    with pytest.raises(MissingCellsError, match=r"7 row\(s\) of column 'x2'"):
        source.aggregate(Moments("pooled"))
    with pytest.raises(InputError, match="no queries for EM"):
        LinearDiscriminantAnalysis().fit(source)
    with pytest.raises(MissingCellsError, match="this model takes no missing cells"):
        LogisticRegression(C=1.0).fit(source)


def test_roles_of_columns(engine: Callable[..., Source]) -> None:
    rows = counts_of(table()).with_columns(truth=pl.col("x3") > 1, x2=pl.col("x2") / 2)
    roles = {"x0": "category", "x1": "count", "truth": "binary"}
    expected = MixedNB(roles=roles).fit(rows.drop("y"), rows["y"])
    assert_same(MixedNB(roles=roles).fit(engine(rows)).statistic_, expected.statistic_)


def test_truth_values_have_a_role_by_their_type() -> None:
    rows = table().with_columns(truth=pl.col("x3") > 0)
    for engine in (ENGINES["DuckDB"], ENGINES["standard SQL"]):
        found = MixedNB().fit(engine(rows)).statistic_
        assert found.roles.tolist() == ["numeric"] * 4 + ["binary"]
    rows = rows.select("truth", "y")
    expected = CategoricalNB().fit(rows.drop("y"), rows["y"])
    assert_same(CategoricalNB().fit(ENGINES["DuckDB"](rows)).statistic_, expected.statistic_)


@pytest.mark.parametrize(
    ("roles", "column", "message"),
    [
        ({"x1": "numeric"}, pl.col("x1"), "column 'x1' has .*, and its role is 'numeric'"),
        ({"n": "count"}, -1.0 * pl.int_range(400), "column 'n' has -399, and its role is 'count'"),
        ({"n": "binary"}, 0.5 + pl.lit(0.0), "column 'n' has 0.5, and its role is 'binary'"),
        (None, pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 2, 3)), "column 'n' has type DATE"),
    ],
)
def test_cells_that_a_role_does_not_allow(roles: Any, column: pl.Expr, message: str) -> None:
    rows = words_of(table()).with_columns(n=column)
    with pytest.raises(InputError, match=message):
        MixedNB(roles=roles).fit(from_duckdb(rows))


def test_counts_below_zero_are_refused(engine: Callable[..., Source]) -> None:
    with pytest.raises(InputError, match=r"Negative values in data: X holds -\d.*column 'x0'"):
        engine(table()).aggregate(Counts())
    rows = table()
    expected = BernoulliNB(binarize=-0.5).fit(rows.drop("y"), rows["y"])
    assert_same(BernoulliNB(binarize=-0.5).fit(engine(rows)).statistic_, expected.statistic_)


# --- logistic regression ---


def step_of(rows: pl.DataFrame, scale: float, **options: Any) -> LogisticStep:
    """A step at scores drawn at random."""
    random = np.random.default_rng(4)
    classes = np.array(sorted(rows["y"].unique().to_list()))
    K, p = len(classes), rows.width - 1 - ("times" in rows.columns)
    normals, offsets = scale * random.normal(size=(K, p)), random.normal(size=K)
    return LogisticStep(classes, random.normal(size=p), normals, offsets, **{"curvature": True, **options})


# Scores of which some are as sure as can be, so that probabilities are beyond the smallest number.
@pytest.mark.parametrize("scale", [0.3, 300.0])
@pytest.mark.parametrize("K", [2, 3, 5])
def test_a_step_of_logistic_regression(K: int, scale: float, engine: Callable[..., Source]) -> None:
    rows = table(K=K)
    step = step_of(rows, scale)
    assert_same(engine(rows).aggregate(step), in_memory(rows).aggregate(step))


def test_a_step_of_weights_and_of_classes_that_count_differently(engine: Callable[..., Source]) -> None:
    rows = table().with_columns(times=pl.Series(np.random.default_rng(2).integers(0, 3, 400) * 1.0))
    step = step_of(rows, 1.0, class_weight=np.array([1.0, 0.0, 2.5]))
    assert_same(engine(rows, weight="times").aggregate(step), in_memory(rows, "times").aggregate(step))


def test_second_derivatives_that_need_several_queries() -> None:
    rows = table(p=12, K=8)
    step = step_of(rows, 0.3)
    assert_same(from_duckdb(rows).aggregate(step), in_memory(rows).aggregate(step))


def test_a_loss_is_as_small_as_it_is(engine: Callable[..., Source]) -> None:
    """-log(1 - e^-40) is no difference of numbers near one."""
    rows = pl.DataFrame({"x": [-1.0, 1.0], "y": ["a", "b"]})
    step = LogisticStep(np.array(["a", "b"]), np.zeros(1), np.array([[0.0], [40.0]]), np.zeros(2), False)
    assert engine(rows).aggregate(step).loss == pytest.approx(2 * np.exp(-40.0), rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"C": 1.0}, {"class_weight": "balanced"}, {"fit_intercept": False}])
@pytest.mark.parametrize("K", [2, 3])
def test_logistic_regression(K: int, options: dict[str, Any], engine: Callable[..., Source]) -> None:
    rows = table(K=K).with_columns(pl.col("x0") * 1e6, pl.col("x1") * 1e-6 + 1.0)
    expected = LogisticRegression(**options).fit(rows.drop("y"), rows["y"])
    found = LogisticRegression(**options).fit(engine(rows))
    for name in ("coef_", "intercept_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6)
    assert found.log_likelihood_ == pytest.approx(expected.log_likelihood_, rel=1e-9)
    if not {"C", "class_weight"} & set(options):
        assert str(found.summary()) == str(expected.summary())


def test_logistic_regression_of_integers_and_truth_values(engine: Callable[..., Source]) -> None:
    rows = table(K=2).with_columns(y=pl.col("y") == "b")
    expected = LogisticRegression().fit(rows.drop("y"), rows["y"])
    for labels in (pl.col("y"), pl.col("y").cast(pl.Int32) * 7):
        found = LogisticRegression().fit(engine(rows.with_columns(labels)))
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6)


def test_steps_too_large_for_queries_are_refused() -> None:
    with pytest.raises(InputError, match="needs 33,345 sums for 10 classes and 37 columns"):
        LogisticRegression().fit(from_duckdb(table(p=37, K=10)))


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning")
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.InMemoryWarning")
def test_classes_that_a_rule_tells_apart() -> None:
    """Some coefficients are infinite, which takes the rows to find out."""
    rows = pl.DataFrame({"x": [1.0, 2, 3, 3, 3, 9, 3], "z": [2.0, 1, 3, 4, 2, 4, 2.5], "y": list("aaabbba")})
    expected = LogisticRegression().fit(rows.drop("y"), rows["y"])
    found = LogisticRegression().fit(from_duckdb(rows))
    assert found.status_ == expected.status_ == "separated"
    assert found.log_likelihood_ == pytest.approx(expected.log_likelihood_, rel=1e-6)
    assert str(found.summary()) == str(expected.summary())


# --- what has no queries ---


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearDiscriminantAnalysis(shrinkage="ledoit-wolf"), "fourth moments"),
        (LinearDiscriminantAnalysis(covariance="t"), "no queries by which a database could make StudentStep"),
        (LogisticRegression(bias_reduction="firth"), "no queries by which a database could make PullStep"),
    ],
)
def test_what_has_no_queries_says_so(model: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.fit(from_duckdb(table()))


def test_what_is_learned_by_queries_goes_on_in_memory() -> None:
    rows = table()
    first, second = rows[:150], rows[150:]
    expected = QuadraticDiscriminantAnalysis().fit(rows.drop("y"), rows["y"])
    model = QuadraticDiscriminantAnalysis().fit(from_duckdb(first)).partial_fit(second.drop("y"), second["y"])
    assert_same(model.statistic_, expected.statistic_)
    assert_same(model.partial_fit(from_duckdb(first)).forget(from_duckdb(first)).statistic_, expected.statistic_, 1e-8)
