"""Classes that one file has as texts and another as values: the same ones, however they are written."""

from datetime import date, datetime, time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from distinguo.cli.class_names import ClassNames
from distinguo.cli.persistence import load
from distinguo.exceptions import InputError
from tests.cli.conftest import Run

CLASSES = {
    "truth values": [False, True],
    "whole numbers": [3, 12],
    "numbers past 2^53": [2**60, 2**60 + 1],
    "unsigned": pl.Series([2**63, 2**63 + 1], dtype=pl.UInt64),
    "fractions": [0.0, 0.5],
    "single precision": pl.Series([0.0, 0.1], dtype=pl.Float32),
    "decimals": pl.Series(["0", "1"]).cast(pl.Decimal(10, 2)),
    "dates": [date(2020, 1, 1), date(2020, 1, 2)],
    "times of a date": [datetime(2020, 1, 1, 0), datetime(2020, 1, 1, 1)],
    "times": [time(0), time(1)],
    "categories": pl.Series(["a", "b"], dtype=pl.Categorical),
}


def both_files(values: object, folder: Path) -> dict[str, Path]:
    """The same rows as Parquet and as CSV, the classes in the column y."""
    generator = np.random.default_rng(0)
    kind = np.arange(60) % 2
    X = generator.normal(size=(60, 2)) + 3 * kind[:, None]
    two = pl.Series("y", values)
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": two.gather(kind)})
    frame.write_parquet(folder / "rows.parquet")
    frame.write_csv(folder / "rows.csv")
    return {"parquet": folder / "rows.parquet", "csv": folder / "rows.csv"}


@pytest.mark.parametrize("learned", ["parquet", "csv"])
@pytest.mark.parametrize("name", CLASSES)
def test_a_model_of_one_file_knows_the_classes_of_the_other(
    name: str, learned: str, distinguo: Run, tmp_path: Path
) -> None:
    files = both_files(CLASSES[name], tmp_path)
    own, other = files[learned], files["csv" if learned == "parquet" else "parquet"]
    model = tmp_path / "m.dgo"
    assert distinguo("fit", own, "-t", "y", "--model", "lda", "-o", model, "-q").code == 0
    assert len(load(model).model.classes_) == 2
    done = distinguo("evaluate", model, other, "--fail-under", "accuracy=0.9")
    assert (done.code, done.err) == (0, "")
    assert distinguo("calibrate", model, other, "-o", tmp_path / "c.dgo").code == 0
    assert distinguo("update", model, other, "-q").code == 0
    assert load(model).counts.tolist() == [60, 60]
    assert distinguo("forget", model, other, "-q").code == 0
    assert load(model).counts.tolist() == [30, 30]


@pytest.mark.parametrize("name", ["true", "True", "TRUE"])
def test_truth_values_by_any_name(name: str, distinguo: Run, tmp_path: Path) -> None:
    rows, model, costs = both_files([False, True], tmp_path)["parquet"], tmp_path / "m.dgo", tmp_path / "costs.csv"
    costs.write_text(f"class,{name},false\n{name},0,5\nfalse,1,0\n")
    assert distinguo("fit", rows, "-t", "y", "--model", "lda", "-o", model, "-q").code == 0
    for command in (
        ("predict", model, rows, "--threshold", "0.3", "--positive", name),
        ("predict", model, rows, "--costs", costs),
        ("explain", model, rows, "--class", name),
        ("evaluate", model, rows, "--positive", name, "--prevalence", f"{name}=0.1"),
        ("evaluate", model, rows, "--fail-under", f"recall[{name}]=0.1"),
    ):
        assert distinguo(*command).code == 0, command


ALIKE = {
    "007 is no 7": (["7", "8"], "007", None),
    "by itself before its meaning": (["1", "1.0"], "1.0", "1.0"),
    "two that mean it": (["1", "1.0"], "1.00", None),
    "with blanks": ([1, 2], " 2 ", 2),
    "a power of ten": ([1000, 2], "1e3", 1000),
    "one is not true": ([False, True], "1", None),
    "no date": (["2020-02-29"], "2020-02-30", None),
    "midnight": (["2020-02-29"], "2020-02-29 00:00:00", "2020-02-29"),
    "words": (["yes", "no"], "Yes", None),
}


@pytest.mark.parametrize("name", ALIKE)
def test_what_means_the_same(name: str) -> None:
    labels, text, label = ALIKE[name]
    names = ClassNames(labels)
    assert names.get(text) == label
    if label is None:
        with pytest.raises(InputError, match="there is no class"):
            names.place(text)
    else:
        assert names.place(text) == labels.index(label)


def test_labels_of_another_kind_are_named_as_they_stand(distinguo: Run, tmp_path: Path) -> None:
    rows, model = both_files([False, True], tmp_path)["csv"], tmp_path / "m.dgo"
    assert distinguo("fit", tmp_path / "rows.parquet", "-t", "y", "--model", "lda", "-o", model, "-q").code == 0
    rows.write_text(rows.read_text().replace("true", "maybe"))
    done = distinguo("update", model, rows)
    assert done.code == 1
    assert "the target 'y' holds 'maybe', which is not of the kind of the model's classes" in done.error


UNREADABLE = {
    "lists": ([[1], [2]], "List(Int64)"),
    "records": ([{"a": 1}, {"a": 2}], "Struct"),
    "bytes": ([b"a", b"b"], "Binary"),
    "spans of time": (pl.Series([1, 2]).cast(pl.Duration), "Duration"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_columns_that_hold_neither_words_nor_numbers(name: str, distinguo: Run, tmp_path: Path) -> None:
    values, kind = UNREADABLE[name]
    rows = pl.DataFrame({"a": np.arange(40) % 7, "odd": pl.Series(values).gather(np.arange(40) % 2)})
    rows = rows.with_columns(pl.Series("y", np.arange(40) % 2))
    rows.write_parquet(tmp_path / "rows.parquet")
    done = distinguo("fit", tmp_path / "rows.parquet", "-t", "odd", "--model", "lda", "-o", tmp_path / "m.dgo")
    assert done.code == 1
    assert f"the target 'odd' holds {kind}" in done.error
    assert distinguo("fit", tmp_path / "rows.parquet", "-t", "y", "--model", "lda", "-o", tmp_path / "m.dgo").code == 0
    assert distinguo("predict", tmp_path / "m.dgo", tmp_path / "rows.parquet", "-o", tmp_path / "o.parquet").code == 0
