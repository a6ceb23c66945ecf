"""The query itself: its names, what it keeps, what it skips, and what cannot be written."""

import subprocess
import sys
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import (
    CategoricalNB,
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    to_sql,
)
from distinguo.exceptions import InputError, InputTypeError
from tests.export.engines import Postgres

ROWS = pd.DataFrame({"a": [0.0, 1.0, 2.0, 5.0, 6.0, 8.0], "b": [0.0, 2.0, 1.0, 5.0, 7.0, 6.0]})
LABELS = np.array(["x", "x", "x", "y", "y", "y"])


def columns_of(query: str, rows: pd.DataFrame) -> list[str]:
    with duckdb.connect() as database:
        database.register("t", rows)
        return [entry[0] for entry in database.execute(query).description]


def answers(query: str, create: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.execute(create)
        return database.execute(query).fetchall()


def test_the_lectures_two_gaussians() -> None:
    # Equal spreads around 0 and 4: the posterior is logistic in 4 x - 8 where the variance is one (Bishop, eq. 4.65).
    model = LinearDiscriminantAnalysis(divisor="mle").fit([[-1.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1])
    query = to_sql(model, "t", columns=["v"])
    found = answers(query, "CREATE TABLE t AS SELECT unnest([0.0, 2.5, 4.0]) AS v")
    expected = 1 / (1 + np.exp(-(4 * np.array([0.0, 2.5, 4.0]) - 8)))
    np.testing.assert_allclose([row[2] for row in found], expected, rtol=1e-12)
    assert [row[0] for row in found] == [0, 1, 1]


def test_kept_columns_come_first_and_new_names_make_way() -> None:
    rows = ROWS.assign(predicted=1, P_X=2, x0="mine")
    model = GaussianNB().fit(ROWS, LABELS)
    query = to_sql(model, "t", keep=["predicted", "P_X", "x0"])
    assert columns_of(query, rows) == ["predicted", "P_X", "x0", "predicted_2", "p_x_2", "p_y"]
    with duckdb.connect() as database:
        database.register("t", rows)
        assert database.execute(query).fetchone()[:4] == (1, 2, "mine", "x")


def test_names_that_differ_past_what_postgres_keeps(postgres: Postgres) -> None:
    labels = np.where(LABELS == "x", "n" * 70 + "x", "n" * 70 + "y")
    model = GaussianNB().fit(ROWS, labels)
    query = to_sql(model, "t", columns=["a", "b"], dialect="postgres")
    printed = postgres.ask(f"CREATE TEMP TABLE t AS SELECT 0.0 AS a, 0.0 AS b;\nCOPY ({query}) TO STDOUT CSV HEADER;\n")
    header = printed.splitlines()[0].split(",")
    assert len(set(header)) == 3
    assert header[1:] == ["p_" + "n" * 61, "p_" + "n" * 13 + "_2"]


def test_a_schema_and_a_file_can_be_asked(tmp_path: Any) -> None:
    model = GaussianNB().fit(ROWS, LABELS)
    found = answers(to_sql(model, ["other", "t"]), "CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 8 AS a, 9 AS b")
    assert found[0][0] == "y"
    path = tmp_path / 'a "file".csv'
    ROWS.to_csv(path, index=False)
    with duckdb.connect() as database:
        assert [row[0] for row in database.execute(to_sql(model, str(path))).fetchall()] == LABELS.tolist()


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        LogisticRegression(C=1.0),
        LeastSquaresClassifier(),
    ],
)
def test_a_row_with_a_hole_gets_null(model: Any) -> None:
    query = to_sql(model.fit(ROWS, LABELS), "t", keep=["a"])
    found = answers(query, "CREATE TABLE t AS SELECT 1.0 AS a, unnest([NULL, 'NaN'::DOUBLE, 1.0]) AS b")
    assert all(value is None for row in found[:2] for value in row[1:])
    assert [row[0] for row in found] == [1.0] * 3
    assert all(value is not None for value in found[2])


def test_a_column_without_weight_may_be_missing() -> None:
    rows = ROWS.assign(constant=3.0)
    with pytest.warns(UserWarning, match="constant"):
        model = LinearDiscriminantAnalysis().fit(rows, LABELS)
    found = answers(to_sql(model, "t"), "CREATE TABLE t AS SELECT 1.0 AS a, 1.0 AS b, NULL AS constant")
    assert found[0][0] == "x"
    np.testing.assert_allclose(found[0][1:], model.predict_proba(rows[:1].assign(a=1.0, b=1.0))[0], atol=1e-12)


def test_a_thousand_columns_nest_no_deeper_than_an_engine_allows() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = pd.DataFrame(rng.normal(size=(60, 1500)) + y[:, None], columns=[f"c{j}" for j in range(1500)])
    model = LogisticRegression(C=1.0).fit(X, y)
    with duckdb.connect() as database:
        database.register("t", X)
        found = database.execute(to_sql(model, "t")).fetchall()
    np.testing.assert_allclose([row[1:] for row in found], model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"dialect": "oracle"}, InputError, "dialect='oracle' is not known; use 'duckdb' or 'postgres'"),
        ({"columns": ["a"]}, InputError, "columns has 1 names, and the model has 2 columns"),
        ({"columns": "ab"}, InputTypeError, "columns must be a list of names; 'ab' came"),
        ({"columns": ["a", 1]}, InputTypeError, "columns must be a list of names"),
        ({"columns": ["a", "A"]}, InputError, "columns has 'a' and 'A', which are one name there"),
        ({"columns": ["a", ""]}, InputError, "'' cannot be a name in SQL"),
        ({"columns": ["a", "\0"]}, InputError, "none is NUL"),
        ({"keep": "id"}, InputTypeError, "keep must be a list of names"),
        ({"keep": ["id", "id"]}, InputError, "keep has 'id' and 'id'"),
        ({"table": 3}, InputTypeError, "table must be a list of names; 3 came"),
        ({"table": ""}, InputError, "'' cannot be a name"),
        ({"table": []}, InputError, "table has no name"),
    ],
)
def test_arguments_that_cannot_be_used(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    model = GaussianNB().fit(ROWS, LABELS)
    with pytest.raises(error, match=message):
        to_sql(model, **{"table": "t", **arguments})


def test_names_that_fold_alike_are_two_in_postgres() -> None:
    assert '"A"' in to_sql(GaussianNB().fit(ROWS, LABELS), "t", columns=["a", "A"], dialect="postgres")


def test_a_model_without_names_asks_for_them() -> None:
    model = GaussianNB().fit(ROWS.to_numpy(), LABELS)
    with pytest.raises(InputError, match="fitted without names of columns; give columns=, the table's 2 names"):
        to_sql(model, "t")


@pytest.mark.parametrize(
    "model",
    [FlexibleDiscriminantAnalysis(), MixtureDiscriminantAnalysis(n_init=1), KNeighborsClassifier(), None, GaussianNB],
    ids=["fda", "mda", "knn", "none", "a-class"],
)
def test_models_that_cannot_be_written_down_say_which_can(model: Any) -> None:
    if hasattr(model, "fit") and not isinstance(model, type):
        model.fit(*load_iris(return_X_y=True))
    with pytest.raises(InputTypeError, match=r"cannot be written down; linear, quadratic, .* and the perceptron can"):
        to_sql(model, "t")


def test_of_a_pipeline_the_model_within_is_asked_for() -> None:
    pipeline = make_pipeline(StandardScaler(), GaussianNB()).fit(ROWS, LABELS)
    with pytest.raises(InputTypeError, match=r"Pipeline cannot be .*Of a pipeline .* give the model within"):
        to_sql(pipeline, "t")


@pytest.mark.parametrize("model", [GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression()])
def test_a_model_must_be_fitted(model: Any) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        to_sql(model, "t")


def test_labels_and_categories_of_one_column_have_one_type() -> None:
    mixed = np.array(["x", 1] * 3, dtype=object)
    with pytest.raises(InputError, match="not all texts, all numbers or all truth values"):
        to_sql(GaussianNB().fit(ROWS, mixed), "t")
    dates = np.array(["2020-01-01", "2021-01-01"] * 3, dtype="datetime64[D]")
    with pytest.raises(InputError, match="fit the model on labels turned into text"):
        to_sql(GaussianNB().fit(ROWS, dates), "t")
    words = pd.DataFrame({"c": np.array(["red", 1, "blue", 1, "red", 1], dtype=object)})
    with pytest.raises(InputError, match="column 'c' has categories that are words and others that are numbers"):
        to_sql(CategoricalNB().fit(words, LABELS), "t")
    nul = pd.DataFrame({"c": np.array(["r\0d", "b"] * 3, dtype=object)})
    with pytest.raises(InputError, match="has a NUL"):
        to_sql(CategoricalNB().fit(nul, LABELS), "t")


def test_a_column_of_categories_without_any() -> None:
    rows = pd.DataFrame({"c": np.array([None] * 6, dtype=object), "a": ROWS["a"]})
    model = MixedNB(roles={"c": "category"}).fit(rows, LABELS)
    found = answers(to_sql(model, "t"), "CREATE TABLE t AS SELECT unnest(['new', NULL]) AS c, 2.0 AS a")
    expected = model.predict_proba(pd.DataFrame({"c": ["new", None], "a": [2.0, 2.0]}))
    np.testing.assert_allclose([row[1:] for row in found], expected, atol=1e-12)


def test_the_same_model_gives_the_same_text() -> None:
    model = QuadraticDiscriminantAnalysis().fit(ROWS, LABELS)
    assert to_sql(model, "t") == to_sql(model, "t")


def test_no_engine_is_imported_to_write_a_query() -> None:
    code = (
        "import sys, distinguo\n"
        "model = distinguo.GaussianNB().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])\n"
        "distinguo.to_sql(model, 't', columns=['a'])\n"
        "assert not {'duckdb', 'onnx', 'onnxruntime'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
