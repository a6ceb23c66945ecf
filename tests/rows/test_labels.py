"""Labels come back as they came in, whatever they are made of."""

import datetime
import enum
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distinguo import GaussianNB
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import encode_labels, label_list, label_text, merge_classes

DAYS = ["2020-01-02", "2021-03-04", "1999-12-31"]
COLOURS = enum.Enum("COLOURS", "red green")
# What comes in, and what its classes are, in order.
LABELS: dict[str, tuple[Any, list[Any]]] = {
    **{
        f"{kind}{bits}": (np.array([3, 1, 3, 2], f"{kind}{bits}"), [1, 2, 3])
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    "int8 at both ends": (np.array([127, -128, 0, 127], np.int8), [-128, 0, 127]),
    "uint64 beyond int64": (np.array([2**64 - 1, 2**63, 2**63], np.uint64), [2**63, 2**64 - 1]),
    "int64 at both ends": (np.array([2**63 - 1, -(2**63)]), [-(2**63), 2**63 - 1]),
    "big endian": (np.array([3, 1], ">i4"), [1, 3]),
    "whole floats": (np.array([2.0, 1.0, 2.0], np.float32), [1.0, 2.0]),
    "half floats": (np.array([2.0, 1.0], np.float16), [1.0, 2.0]),
    "huge floats": (np.array([1e300, -1e300, 3.0]), [-1e300, 3.0, 1e300]),
    "bool": (np.array([True, False, True]), [False, True]),
    "list of bool": ([True, False], [False, True]),
    "text": (np.array(["b", "a", "b"]), ["a", "b"]),
    "variable text": (np.array(["b", "a"], dtype=np.dtypes.StringDType()), ["a", "b"]),
    "bytes": (np.array([b"b", b"a"]), [b"a", b"b"]),
    "objects": (np.array(["b", "a", "ä", ""], dtype=object), ["", "a", "b", "ä"]),
    "text that differs late": (["a" * 300 + "y", "a" * 300 + "x"], ["a" * 300 + "x", "a" * 300 + "y"]),
    "text and numbers": (["b", 2, "a", 10, 1.0], [1.0, 2, 10, "a", "b"]),
    "text and digits": (["1", 1], [1, "1"]),
    "bytes and text": ([b"a", "a"], [b"a", "a"]),
    "bytes and numbers": ([b"a", 1], [1, b"a"]),
    "text and truth": (["yes", True], [True, "yes"]),
    "dates": ([datetime.date.fromisoformat(day) for day in DAYS], sorted(map(datetime.date.fromisoformat, DAYS))),
    "days": (np.array(DAYS, "datetime64[D]"), sorted(np.array(DAYS, "datetime64[D]"))),
    "nanoseconds": (np.array(DAYS, "datetime64[ns]"), sorted(np.array(DAYS, "datetime64[ns]"))),
    "durations": (np.array([3, 1], "timedelta64[s]"), list(np.array([1, 3], "timedelta64[s]"))),
    "decimals": ([Decimal("2.5"), Decimal(1)], [Decimal(1), Decimal("2.5")]),
    "fractions": ([Fraction(1, 2), Fraction(1, 3)], [Fraction(1, 3), Fraction(1, 2)]),
    "enumeration": ([COLOURS.red, COLOURS.green], [COLOURS.green, COLOURS.red]),
    "paths": ([Path("b"), Path("a")], [Path("a"), Path("b")]),
    "column of a matrix": (np.array([[3, 0], [1, 0]])[:, 0], [1, 3]),
    "read-only": (np.broadcast_to(np.array(5), 3), [5]),
    "pandas": (pd.Series(["b", "a"], index=[7, 7]), ["a", "b"]),
    "pandas categories": (pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"])), ["a", "b"]),
    "pandas Categorical": (pd.Categorical([3, 1, 3]), [1, 3]),
    "pandas string": (pd.Series(["b", "a"], dtype="string"), ["a", "b"]),
    "pandas Int64": (pd.Series([3, 1], dtype="Int64"), [1, 3]),
    "pandas boolean": (pd.Series([True, False], dtype="boolean"), [False, True]),
    "pandas dates": (pd.Series(pd.to_datetime(DAYS)), sorted(pd.to_datetime(DAYS).to_numpy())),
    "pandas dates of a zone": (pd.Series(pd.to_datetime(DAYS, utc=True)), sorted(pd.to_datetime(DAYS, utc=True))),
    "pandas Index": (pd.Index(["b", "a"]), ["a", "b"]),
    "polars": (pl.Series(["b", "a"]), ["a", "b"]),
    "polars categories": (pl.Series(["b", "a"], dtype=pl.Categorical), ["a", "b"]),
    "polars Enum": (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), ["a", "b"]),
    "polars Int8": (pl.Series([3, 1], dtype=pl.Int8), [1, 3]),
    "polars Boolean": (pl.Series([True, False]), [False, True]),
    "pyarrow": (pa.array(["b", "a"]), ["a", "b"]),
    "pyarrow chunks": (pa.chunked_array([["b"], ["a"]]), ["a", "b"]),
    "pyarrow dictionary": (pa.array(["b", "a"]).dictionary_encode(), ["a", "b"]),
    "pyarrow int8": (pa.array([3, 1], pa.int8()), [1, 3]),
    "tuple": (("b", "a"), ["a", "b"]),
    "range": (range(3), [0, 1, 2]),
    "unmasked": (np.ma.masked_array([3, 1], mask=False), [1, 3]),
}
every_kind = pytest.mark.parametrize(("labels", "expected"), list(LABELS.values()), ids=list(LABELS))


@every_kind
def test_labels_come_back_as_they_came(labels: Any, expected: list[Any]) -> None:
    codes, classes = encode_labels(labels)
    assert label_list(classes) == expected
    assert [type(label) for label in label_list(classes)] == [type(label) for label in expected]
    assert codes.dtype == np.intp
    came = [label_list(np.asarray(labels)), list(labels)][isinstance(labels, list | tuple)]
    assert [label_list(classes)[code] for code in codes] == came
    kind = getattr(labels, "dtype", None)
    if isinstance(labels, np.ndarray) and kind.kind != "T":
        assert classes.dtype == kind


@every_kind
def test_a_model_answers_in_the_labels_it_was_given(labels: Any, expected: list[Any]) -> None:
    if len(expected) < 2:
        pytest.skip("one class")
    codes, classes = encode_labels(labels)
    X = codes[:, None] * 10.0 + np.arange(len(codes))[:, None] / 100
    model = GaussianNB().fit(X, labels)
    assert label_list(model.predict(X)) == label_list(classes[codes])
    priors = {label: float(i == 0) for i, label in enumerate(expected)}
    assert model.with_priors(priors).priors_.tolist() == list(priors.values())


@every_kind
def test_classes_met_one_by_one_are_the_same(labels: Any, expected: list[Any]) -> None:
    _, classes = encode_labels(labels)
    merged = classes[:1]
    for i in range(1, len(classes)):
        merged, _, _ = merge_classes(classes[i : i + 1], merged)
    assert merged.dtype.kind == classes.dtype.kind
    assert merged.dtype.itemsize == classes.dtype.itemsize
    assert label_list(merged) == expected


@pytest.mark.parametrize(
    ("a", "b", "merged", "kind"),
    [
        (np.array([1], np.int8), np.array([300], np.int16), [1, 300], "i"),
        (np.array([1], np.int64), np.array([2**63], np.uint64), [1, 2**63], "O"),
        (np.array([2**53 + 1]), np.array([2**53], np.uint64), [2**53, 2**53 + 1], "O"),
        (np.array([1]), np.array([2.0]), [1.0, 2.0], "f"),
        (np.array([1]), np.array(["1"]), [1, "1"], "O"),
        (np.array([b"a"]), np.array(["a"]), [b"a", "a"], "O"),
        (np.array(["a"]), np.array(["abc"]), ["a", "abc"], "U"),
        (np.array(["a"]), np.array(["b"], object), ["a", "b"], "O"),
        (np.array(["2020-01-02"], "M8[D]"), np.array(["2020-01-02"], "M8[ns]"), [np.datetime64("2020-01-02")], "M"),
        (np.array(["2020-01-02"], "M8[ns]"), np.array([5]), [5, np.datetime64("2020-01-02", "ns")], "O"),
        (np.array([5], "m8[s]"), np.array([5]), [5, np.timedelta64(5, "s")], "O"),
        (np.array([], int), np.array(["a"]), ["a"], "U"),
    ],
)
def test_classes_of_two_types_merge_without_changing(a: Any, b: Any, merged: list[Any], kind: str) -> None:
    for first, second in ((a, b), (b, a)):
        classes, of_first, of_second = merge_classes(first, second)
        assert label_list(classes) == merged
        assert classes.dtype.kind == kind
        assert label_list(classes[of_first]) == label_list(first)
        assert label_list(classes[of_second]) == label_list(second)


@given(st.lists(st.one_of(st.integers(), st.text(max_size=3), st.binary(max_size=2), st.dates())), st.randoms())
@settings(max_examples=50)
def test_any_mixture_encodes_whatever_its_order(labels: list[Any], random: Any) -> None:
    codes, classes = encode_labels(labels)
    assert [classes[code] for code in codes] == labels
    shuffled = labels.copy()
    random.shuffle(shuffled)
    assert label_list(encode_labels(shuffled)[1]) == label_list(classes)


REFUSED = {
    "None": (["a", None], "1 missing label.*row 1"),
    "NaN among text": (["a", np.nan], "1 missing label.*row 1"),
    "NaN among numbers": ([0.0, np.nan], "missing label"),
    "NaT": (np.array(["2020-01-01", "NaT"], "M8[D]"), "missing label"),
    "NaT of durations": (np.array([1, "NaT"], "m8[s]"), "missing label"),
    "pandas NaT": ([pd.Timestamp("2020-01-01"), pd.NaT], "missing label"),
    "NA": (["a", pd.NA], "missing label"),
    "NA in Int64": (pd.Series([1, None], dtype="Int64"), "missing label"),
    "NA in string": (pd.Series(["a", None], dtype="string"), "missing label"),
    "NaN category": (pd.Categorical(["a", None]), "missing label"),
    "polars null": (pl.Series([1, None]), "missing label"),
    "polars null text": (pl.Series(["a", None]), "missing label"),
    "pyarrow null": (pa.array(["a", None]), "missing label"),
    "Decimal NaN": ([Decimal(1), Decimal("NaN")], "missing label"),
    "masked": (np.ma.masked_array([1, 2], mask=[False, True]), "missing label.*row 1"),
    "measurements": ([1.5, 2.0], "Unknown label type: continuous"),
    "measurements in objects": (np.array([1.5, "a"], dtype=object), "continuous"),
    "infinity": ([1.0, np.inf], "contains inf"),
    "infinity in objects": (np.array([np.inf, "a"], dtype=object), "contains inf"),
    "truth and numbers": ([True, 2], "True equals 1"),
    "truth and one": ([True, 1], "True equals 1"),
    "NumPy truth and numbers": (np.array([np.True_, 2], dtype=object), "True equals 1"),
    "complex": ([1j, 2], "complex"),
    "lists": ([["a"], ["b", "c"]], "not alike|one scalar"),
    "matrix": (np.eye(3), r"one column of labels.*\(3, 3\)"),
    "scalar": ("a", "one column of labels"),
    "nothing": (None, "one column of labels"),
    "dictionary": ({"a": 1}, "one column of labels"),
    "dictionaries": ([{"a": 1}, {"a": 2}], "one scalar"),
    "tuples": (np.array([("a", 1), None], dtype=object), "one scalar"),
    "structured": (np.zeros(2, [("a", int), ("b", int)]), "labels are strings"),
}


@pytest.mark.parametrize(("labels", "message"), list(REFUSED.values()), ids=list(REFUSED))
def test_what_is_no_label_is_refused(labels: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        encode_labels(labels)


def test_truth_and_numbers_do_not_merge_either() -> None:
    for a, b in ((np.array([True]), np.array([1])), (np.array([1.0]), np.array([True, "x"], dtype=object))):
        with pytest.raises(InputError, match="True equals 1"):
            merge_classes(a, b)


def test_no_labels_have_no_classes() -> None:
    for empty in ([], np.array([], int), np.array([], "U1"), np.array([], object), np.array([], bool)):
        codes, classes = encode_labels(empty)
        assert len(codes) == len(classes) == 0


def test_labels_in_messages_look_as_they_were_written() -> None:
    values = [np.int64(3), np.str_("a"), np.bool_(True), np.float64(2.0), "a", None, np.datetime64("2020-01-02")]
    assert [label_text(v) for v in values] == ["3", "'a'", "True", "2.0", "'a'", "None", "2020-01-02"]
