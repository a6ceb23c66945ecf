"""Labels that are not known: what stands for them, and what is left of the others."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from distinguo.exceptions import InputError, MissingLabelsError
from distinguo.rows.memory import MemorySource
from distinguo.rows.unlabeled import partly_labelled

X = np.arange(10.0).reshape(5, 2)

LABELS = {
    "None among text": (["b", None, "a", None, "b"], "missing", ["a", "b"]),
    "NaN among text": (["b", np.nan, "a", np.nan, "b"], "missing", ["a", "b"]),
    "NaN among numbers": ([1.0, np.nan, 0.0, np.nan, 1.0], "missing", [0.0, 1.0]),
    "None among integers": ([1, None, 0, None, 1], "missing", [0, 1]),
    "NaN by name": ([1, None, 0, None, 1], float("nan"), [0, 1]),
    "NaT": (np.array(["2021", "NaT", "2020", "NaT", "2021"], "M8[Y]"), "missing", np.array(["2020", "2021"], "M8[Y]")),
    "pandas, text": (pd.Series(["b", None, "a", pd.NA, "b"]), "missing", ["a", "b"]),
    "pandas, integers": (pd.Series([1, None, 0, None, 1], dtype="Int64"), "missing", [0, 1]),
    "pandas, a category": (pd.Series(["b", None, "a", None, "b"], dtype="category"), "missing", ["a", "b"]),
    "Polars, text": (pl.Series(["b", None, "a", None, "b"]), "missing", ["a", "b"]),
    "Polars, integers": (pl.Series([1, None, 0, None, 1]), "missing", [0, 1]),
    "PyArrow": (pa.chunked_array([["b", None, "a", None, "b"]]), "missing", ["a", "b"]),
    "minus one": ([1, -1, 0, -1, 1], -1, [0, 1]),
    "minus one in a column": (np.array([[1], [-1], [0], [-1], [1]]), -1, [0, 1]),
    "minus one as a float": ([1.0, -1.0, 0.0, -1.0, 1.0], -1, [0.0, 1.0]),
    "minus one among text": (["b", -1, "a", -1, "b"], -1, ["a", "b"]),
    "a text": (["b", "?", "a", "?", "b"], "?", ["a", "b"]),
}


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize(("y", "marker", "classes"), list(LABELS.values()), ids=list(LABELS))
def test_rows_are_parted_by_whether_their_label_is_known(y: Any, marker: Any, classes: Any) -> None:
    rows = partly_labelled(X, y, [1, 2, 3, 4, 5], marker, "it")
    assert rows.classes.tolist() == np.asarray(classes).tolist()
    assert rows.codes.tolist() == [1, 0, 1]
    assert rows.X.tolist() == X[[0, 2, 4]].tolist()
    assert rows.weight.tolist() == [1, 3, 5]
    assert rows.row_numbers.tolist() == [0, 2, 4]
    assert rows.unlabeled.X.tolist() == X[[1, 3]].tolist()
    assert rows.unlabeled.weight.tolist() == [2, 4]
    assert rows.subset(np.array([0])).unlabeled is None


def test_numbers_that_stood_beside_nothing_are_numbers_again() -> None:
    assert partly_labelled(X, [1, None, 0, None, 1], None, "missing", "it").classes.dtype.kind == "i"


def test_where_every_label_is_known_the_rows_are_as_ever() -> None:
    for marker in (None, -1, "missing"):
        rows = partly_labelled(X, ["a", "b", "a", "b", "b"], None, marker, "it")
        assert isinstance(rows, MemorySource)
        assert rows.unlabeled is None
    assert partly_labelled(X, [0, -1, 0, -1, 0], None, None, "it").classes.tolist() == [-1, 0]
    assert partly_labelled(X, ["a", "missing"] * 2 + ["a"], None, "missing", "it").classes.tolist() == ["a", "missing"]


def test_a_source_is_parted_by_its_classes() -> None:
    rows = partly_labelled(MemorySource(X, ["b", "?", "a", "?", "b"], [1, 2, 3, 0, 5]), None, None, "?", "it")
    assert (rows.classes.tolist(), rows.codes.tolist()) == (["a", "b"], [1, 0, 1])
    assert rows.unlabeled.X.tolist() == X[[1]].tolist()
    assert partly_labelled(MemorySource(X, list("babab")), None, None, "?", "it").unlabeled is None


def test_a_row_that_does_not_count_is_not_there() -> None:
    rows = partly_labelled(X, ["b", None, "a", None, "b"], [1, 0, 0, 0, 1], "missing", "it")
    assert (rows.classes.tolist(), rows.unlabeled) == (["b"], None)


BAD = {
    "no label": ([None] * 5, "missing", None, "no row has a label"),
    "no number": ([-1] * 5, -1, None, "no row has a label"),
    "no label that counts": (["a", None, "a", None, "a"], "missing", [0, 1, 0, 1, 0], "no row that has a label counts"),
    "a marker of several": (["a"] * 5, [-1], None, r"unlabeled=\[-1\] must be 'missing', one label"),
    "a true marker": (["a"] * 5, True, None, "unlabeled=True must be"),
    "missing beside a marker": ([0, -1, None, 1, 1], -1, None, "missing label"),
    "not asked for": (["a", None, "a", "b", "a"], None, None, r"1 missing label.*in row 1.*unlabeled='missing'"),
    "of another length": (["a", None], "missing", None, "inconsistent numbers of samples: X has 5 rows and y 2"),
    "no y": (None, "missing", None, "requires y to be passed"),
    "a fraction": ([0.5, np.nan, 1, 1, 0], "missing", None, "continuous"),
}


@pytest.mark.parametrize(("y", "marker", "weight", "message"), list(BAD.values()), ids=list(BAD))
def test_what_cannot_be_is_refused(y: Any, marker: Any, weight: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        partly_labelled(X, y, weight, marker, "it")


def test_labels_missing_where_each_must_be_known_have_an_error_of_their_own() -> None:
    with pytest.raises(MissingLabelsError, match="missing label"):
        MemorySource(X, ["a", None, "a", "b", "b"])
