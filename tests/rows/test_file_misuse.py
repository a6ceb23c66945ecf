"""Sources where they do not belong, and options that are none: errors in words, not from below."""

import sys

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import GaussianNB, LinearDiscriminantAnalysis, MixedNB, TextCounts, TextRows, predict_spark
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.files import scan


@pytest.fixture
def file(tmp_path):
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 60)
    table = pl.DataFrame({"x": random.normal(size=60) + y, "z": random.normal(size=60), "y": y})
    table.write_parquet(tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


USES = {
    "predict": lambda source: LinearDiscriminantAnalysis().fit(source).predict(source),
    "score": lambda source: GaussianNB().fit(source).score(source, None),
    "cross-validation": lambda source: cross_val_score(GaussianNB(), source),
    "search": lambda source: GridSearchCV(GaussianNB(), {"var_smoothing": [0.0, 0.1]}).fit(source),
    "pipeline": lambda source: make_pipeline(StandardScaler(), GaussianNB()).fit(source),
    "split": train_test_split,
    "array": np.asarray,
}


@pytest.mark.parametrize("use", USES)
def test_a_source_is_no_array(file, use):
    with pytest.raises(InputTypeError, match=r"a source \(FileSource\) goes into the fit of a model"):
        USES[use](scan(file, target="y"))


@pytest.mark.parametrize("value", [0, -1, 1.5, "2", True])
@pytest.mark.parametrize("option", ["workers", "batch_rows"])
def test_counts_are_whole_numbers(file, option, value):
    with pytest.raises(InputError, match=f"{option} must be a whole number of at least 1"):
        scan(file, target="y", **{option: value})


def test_counts_of_numpy_will_do(file):
    options = {"workers": np.int64(2), "batch_rows": np.int32(7)}
    model = LinearDiscriminantAnalysis().fit(scan(file, target="y", **options))
    assert np.allclose(model.means_, LinearDiscriminantAnalysis().fit(scan(file, target="y")).means_, atol=1e-12)


def test_progress_is_called(file):
    with pytest.raises(InputTypeError, match="progress must be True, False or a function"):
        scan(file, target="y", progress="yes")


@pytest.mark.parametrize(
    "names", [{"target": None}, {"target": ["y"]}, {"target": "y", "columns": [0]}, {"target": "y", "weight": 2}]
)
def test_names_are_text(file, names):
    with pytest.raises(InputTypeError, match=r"are names of columns, which are text"):
        scan(file, **names)


@pytest.mark.parametrize(
    "labels",
    [pl.Series([[1], [2]]), pl.Series([{"a": 1}, {"a": 2}]), pl.Series([2**100, 2**101], dtype=pl.Int128)],
    ids=["list", "struct", "int128"],
)
def test_labels_that_are_none_are_refused_by_type(tmp_path, labels):
    pl.DataFrame({"x": [1.0, 2.0], "y": labels}).write_parquet(tmp_path / "odd.parquet")
    with pytest.raises(InputTypeError, match=r"the target 'y' is of type .* labels are text, whole numbers"):
        GaussianNB().fit(scan(tmp_path / "odd.parquet", target="y"))


@pytest.mark.parametrize("word", ["NaN", "nan", "NA", ""])
def test_a_label_that_is_no_number_is_missing(tmp_path, word):
    (tmp_path / "rows.csv").write_text(f"x,y\n1.5,0.0\n2.5,1.0\n3.5,{word}\n")
    with pytest.raises(InputError, match="the target 'y' is missing in row 2"):
        GaussianNB().fit(scan(tmp_path / "rows.csv", target="y"))


def test_a_word_for_missing_is_no_category(tmp_path):
    (tmp_path / "rows.csv").write_text("c,y\na,0\nb,1\nNaN,0\na,1\n")
    X = pl.DataFrame({"c": ["a", "b", None, "a"]})
    expected = MixedNB().fit(X, [0, 1, 0, 1]).predict_proba(X)
    assert np.allclose(MixedNB().fit(scan(tmp_path / "rows.csv", target="y")).predict_proba(X), expected)


@pytest.mark.parametrize("given", [("rows.csv", None), (["a text"], TextCounts()), (None, None)])
def test_texts_come_from_a_source(given):
    with pytest.raises(InputTypeError, match="TextRows takes a source"):
        TextRows(*given)


def test_texts_are_counted_by_counts(file):
    with pytest.raises(InputTypeError, match="and a TextCounts; FileSource and int came"):
        TextRows(scan(file, target="y"), 5)


@pytest.mark.parametrize("options", [5, {"max_retries": "many"}])
def test_storage_options_that_are_none(file, options):
    with pytest.raises((InputError, InputTypeError), match=r"storage_options is|max_retries"):
        scan(file, target="y", storage_options=options)


def test_spark_that_is_not_there_is_asked_for(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    model = GaussianNB().fit(scan(file, target="y"))
    with pytest.raises(ImportError, match=r"pip install 'distinguo\[spark\]'"):
        predict_spark(model, object())
