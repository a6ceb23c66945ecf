"""Rows in memory: blocks that carry their labels and weights, and a source that any model takes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from distinguo import GaussianNB, LinearDiscriminantAnalysis, MemorySource, Moments, Source
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import Batch
from tests.generative.cases import every_variant, three_classes


def test_batches_cover_the_rows_once() -> None:
    n = 200_000
    X, y = np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 3
    weight = np.linspace(0, 1, n)
    batches = list(MemorySource(X, y, weight).batches())
    assert len(batches) > 1
    assert np.array_equal(np.vstack([b.X for b in batches]), X)
    assert np.array_equal(np.concatenate([b.classes[b.codes] for b in batches]), y)
    assert np.array_equal(np.concatenate([b.weight for b in batches if b.weight is not None]), weight)
    assert [b.first_row for b in batches] == np.cumsum([0] + [len(b.X) for b in batches[:-1]]).tolist()
    assert all(b.classes is batches[0].classes for b in batches)


def test_a_source_can_be_passed_over_again() -> None:
    source = MemorySource(*three_classes())
    assert source.aggregate(Moments("full")) == source.aggregate(Moments("full"))
    assert source.feature_names is None
    assert MemorySource(pl.DataFrame({"u": [1.0]}), ["a"]).feature_names.tolist() == ["u"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda X: X.astype(np.float32)])
def test_what_is_passed_over_again_is_converted_once_more_and_kept(frame: Any) -> None:
    X, y = three_classes(n=90)
    source, converted = MemorySource(frame(X), y), []
    read = source.table.read
    source.table = replace(source.table, read=lambda a, b: converted.append(b - a) or read(a, b))
    first, *others = [source.aggregate(Moments("full")) for _ in range(5)]
    assert sum(converted) == 2 * 90
    assert all(other == first for other in others)


@every_variant
def test_models_fit_from_a_source(model: Any) -> None:
    X, y = three_classes()
    weight = np.linspace(1, 2, len(y))
    a = model.fit(MemorySource(X, y, weight)).predict_proba(X)
    assert np.array_equal(a, model.fit(X, y, sample_weight=weight).predict_proba(X))
    half = MemorySource(X[:30], y[:30])
    rest = MemorySource(X[30:], y[30:])
    b = type(model)(**model.get_params()).partial_fit(half).partial_fit(rest)
    np.testing.assert_allclose(b.predict_proba(X), model.fit(X, y).predict_proba(X), atol=1e-9)
    assert b.forget(rest).statistic_.weight.sum() == pytest.approx(30)


@pytest.mark.parametrize("extra", [{"y": ["a"]}, {"sample_weight": [1.0]}])
def test_a_source_brings_its_own_labels_and_weights(extra: Any) -> None:
    source = MemorySource(*three_classes())
    for use in (GaussianNB().fit, GaussianNB().partial_fit):
        with pytest.raises(InputError, match="brings its own labels"):
            use(source, **extra)


class OneByOne(Source):
    """A source that finds its classes as it goes."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = X, y

    @property
    def feature_names(self) -> None:
        return None

    def batches(self) -> Iterator[Batch]:
        for i, (row, label) in enumerate(zip(self.X, self.y, strict=True)):
            holes = bool(np.isnan(row).any())
            yield Batch(row[None], np.zeros(1, np.intp), np.array([label]), None, i, None, holes)


@every_variant
def test_a_source_of_ones_own(model: Any) -> None:
    X, y = three_classes()
    found = model.fit(OneByOne(X, y))
    assert found.classes_.tolist() == ["a", "b", "c"]
    a = found.predict_proba(X)
    np.testing.assert_allclose(a, model.fit(X, y).predict_proba(X), atol=1e-9)


def test_a_source_with_holes_or_without_rows() -> None:
    X, y = three_classes()
    X[4, 1] = np.nan
    assert GaussianNB().fit(OneByOne(X, y)).predict(X).shape == (60,)
    with pytest.raises(InputError, match=r"NaN \(row 4, column 1\)"):
        LinearDiscriminantAnalysis(shrinkage="ledoit-wolf").fit(OneByOne(X, y))
    for model in (GaussianNB(), LinearDiscriminantAnalysis()):
        with pytest.raises(InputError, match="table is empty"):
            model.fit(OneByOne(X[:0], y[:0]))


WEIGHTS_REFUSED = {
    "negative": ([1, -1, 1], "negative in row 1"),
    "NaN": ([1, np.nan, 1], r"NaN or infinity \(row 1"),
    "None": ([1, None, 1], r"NaN or infinity \(row 1"),
    "infinite": ([np.inf, 1, 1], r"NaN or infinity \(row 0"),
    "all zero": ([0, 0, 0], "every sample_weight is zero"),
    "zero": (0.0, "every sample_weight is zero"),
    "too few": ([1, 1], r"shape == \(2,\), expected \(3,\)"),
    "a column": ([[1], [1], [1]], r"expected \(3,\)"),
    "text": (["a", "b", "c"], "must be numbers"),
    "complex": (np.array([1j, 1, 1]), "must be numbers"),
    "complex list": ([1j, 1, 1], "must be numbers"),
    "a dictionary": ({"a": 1}, "must be numbers"),
    "ragged": ([[1], [1, 2], 3], "must be numbers"),
    "NA": (pd.Series([1, None, 1], dtype="Int64"), r"NaN or infinity \(row 1"),
    "dates": (np.array(["2020-01-01"] * 3, "M8[D]"), "must be numbers"),
}


@pytest.mark.parametrize(("weight", "message"), list(WEIGHTS_REFUSED.values()), ids=list(WEIGHTS_REFUSED))
def test_what_is_no_weight_is_refused(weight: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        MemorySource(np.eye(3), ["a", "b", "a"], weight)


@pytest.mark.parametrize(
    "weight",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3], np.int8),
        np.array([1, 2, 3], np.float32),
        pd.Series([1, 2, 3], index=[9, 9, 9]),
        pd.Series([1, 2, 3], dtype="Int64"),
        pl.Series([1, 2, 3]),
    ],
)
def test_weights_of_any_type(weight: Any) -> None:
    assert MemorySource(np.eye(3), ["a", "b", "a"], weight).weight.tolist() == [1, 2, 3]


def test_one_weight_serves_all_rows() -> None:
    assert MemorySource(np.eye(3), ["a", "b", "a"], 2).weight.tolist() == [2, 2, 2]
    assert MemorySource(np.eye(2), ["a", "b"], [True, False]).weight.tolist() == [1, 0]
