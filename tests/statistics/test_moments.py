"""Moments are what their definitions say, to the digits that the rows have."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from distinguo import ColumnMoments, MemorySource, Moments
from distinguo.rows.base import Batch

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15)


def by_definition(X: NDArray[Any], weight: NDArray[Any]) -> tuple[Any, ...]:
    """Mean, scatter, and sums of z_i² z_j and z_i² z_j², in long doubles."""
    X, weight = X.astype(np.longdouble), weight.astype(np.longdouble)
    mean = (weight[:, None] * X).sum(axis=0) / weight.sum()
    z = X - mean
    terms = ("n,ni,nj->ij", "n,ni,ni,nj->ij", "n,ni,ni,nj,nj->ij")
    sums = [np.einsum(term, weight, *[z] * (term.count(",")), optimize=False) for term in terms]
    return tuple(np.asarray(value, dtype=np.float64) for value in (mean, *sums))


@given(seed=seeds, weighted=st.booleans())
@few
def test_full_moments(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)) * [1e-3, 1.0, 1e4] + [1.0, 1e3, 0.0], rng.choice(["a", "b"], 30)
    weight = rng.uniform(0.1, 3.0, 30) if weighted else None
    moments = MemorySource(X, y, weight).aggregate(Moments("full", fourth=True))
    for k, label in enumerate(moments.classes):
        rows = y == label
        w = np.ones(rows.sum()) if weight is None else weight[rows]
        mean, scatter, cubes, quarts = by_definition(X[rows], w)
        assert moments.weight[k] == pytest.approx(w.sum())
        near = 1e-14 * np.abs(X).max(axis=0)  # a mean may lie near zero, with the spread far from it
        assert (np.abs(moments.mean[k] - mean) <= near).all()
        size = np.sqrt(np.diagonal(scatter))
        np.testing.assert_allclose(moments.scatter[k], scatter, atol=0, rtol=1e-9)
        np.testing.assert_allclose(moments.quarts[k], quarts, rtol=1e-9)
        np.testing.assert_allclose(
            moments.cubes[k] / size / size[:, None] ** 2, cubes / size / size[:, None] ** 2, atol=1e-9
        )


@given(seed=seeds, weighted=st.booleans())
@few
def test_columns_with_holes(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.choice(["a", "b"], 30)
    X[rng.random(X.shape) < 0.3] = np.nan
    weight = rng.uniform(0.1, 3.0, 30) if weighted else np.ones(30)
    moments = MemorySource(X, y, weight).aggregate(ColumnMoments())
    for k, label in enumerate(moments.classes):
        for j in range(3):
            there = (y == label) & ~np.isnan(X[:, j])
            assert moments.seen[k, j] == pytest.approx(weight[there].sum())
            if there.any():
                mean = np.average(X[there, j], weights=weight[there])
                assert moments.mean[k, j] == pytest.approx(mean)
                assert moments.squares[k, j] == pytest.approx((weight[there] * (X[there, j] - mean) ** 2).sum())


def test_pooled_is_the_sum_of_full() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 4)), rng.choice(list("abc"), 5000)
    full, pooled = (MemorySource(X, y).aggregate(Moments(kind)) for kind in ("full", "pooled"))
    np.testing.assert_allclose(pooled.scatter, full.within, rtol=1e-12, atol=1e-9)
    assert full.pooled().is_pooled
    np.testing.assert_allclose(full.class_squares.sum(axis=0), np.diagonal(pooled.scatter))
    assert pooled.class_squares.shape == (1, 4)


def test_float32_accumulates_in_float64() -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200_000, 1)) + 1000).astype(np.float32)
    moments = MemorySource(X, np.zeros(len(X), int)).aggregate(Moments("full"))
    exact = X.astype(np.float64)
    assert moments.mean[0, 0] == pytest.approx(exact.mean(), rel=1e-13)
    assert moments.scatter[0, 0, 0] == pytest.approx(exact.var() * len(X), rel=1e-11)


@pytest.mark.parametrize("spec", [Moments("full"), Moments("pooled"), ColumnMoments()])
def test_far_from_the_origin_nothing_is_lost(spec: Any) -> None:
    """A million spreads away, with the rows sorted by class and a first row that is an outlier of its class."""
    rng = np.random.default_rng(1)
    near = rng.normal(size=(3000, 2)).round(6)
    near[0] = 30.0
    y = np.repeat(["a", "b", "c"], 1000)
    far = MemorySource(near + 2.0**20, y).aggregate(spec)
    rows = MemorySource((near + 2.0**20) - 2.0**20, y).aggregate(spec)
    np.testing.assert_allclose(far.mean - 2.0**20, rows.mean, atol=1e-9)
    name = "squares" if isinstance(spec, ColumnMoments) else "scatter"
    np.testing.assert_allclose(getattr(far, name), getattr(rows, name), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("spec", [Moments("full"), Moments("pooled"), ColumnMoments()])
def test_a_constant_has_no_scatter_at_all(spec: Any) -> None:
    X = np.full((3001, 2), 0.1)
    y = np.arange(3001) % 3
    parts = [MemorySource(X[i::7], y[i::7], np.full(len(y[i::7]), 1 / 3)).aggregate(spec) for i in range(7)]
    whole = sum(parts)
    name = "squares" if isinstance(spec, ColumnMoments) else "scatter"
    assert not getattr(whole, name).any()
    assert (whole.mean == 0.1).all()
    assert not getattr(whole - parts[3], name).any()


@pytest.mark.parametrize("spec", [Moments("full"), Moments("pooled"), Moments("full", fourth=True), ColumnMoments()])
def test_rows_of_weight_zero_leave_no_trace(spec: Any) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 2)), np.array(["a", "b"] * 10)
    weight = np.ones(20)
    X[[0, 1, 5]], weight[[0, 1, 5]] = 1e140, 0.0
    y[7], weight[7] = "z", 0.0
    kept = weight > 0
    assert MemorySource(X, y, weight).aggregate(spec).classes.tolist() == ["a", "b"]
    a, b = MemorySource(X, y, weight).aggregate(spec), MemorySource(X[kept], y[kept]).aggregate(spec)
    name = "squares" if isinstance(spec, ColumnMoments) else "scatter"
    np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-12)


@pytest.mark.parametrize("spec", [Moments("full", fourth=True), ColumnMoments()])
def test_batches_of_other_classes_start_a_new_run(spec: Any) -> None:
    """A source may learn of classes as it goes: each batch then points into its own."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9, 2))
    labels = np.array(list("babcacbbb"))
    batches = []
    for start in range(0, 9, 3):
        classes = np.array(sorted(set(labels[start : start + 3]), reverse=True))
        codes = np.array([classes.tolist().index(label) for label in labels[start : start + 3]])
        batches.append(Batch(X[start : start + 3], codes, classes, None, start, None, False))
    whole = MemorySource(X, labels).aggregate(spec)
    found = spec.reduce(iter(batches))
    assert found.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(found.mean, whole.mean)
    assert spec.of(batches[0]).weight.tolist() == [1, 2]


def test_numbers_too_large_to_square_do_not_warn_from_numpy() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for spec in (Moments("full", fourth=True), Moments("pooled"), ColumnMoments()):
            moments = MemorySource([[1e200], [-1e200], [3.0]], [0, 0, 1]).aggregate(spec)
            assert moments.weight.tolist() == [2, 1]
            assert (moments + moments).weight.tolist() == [4, 2]
