"""Folds are even, stratified and repeatable; what is left out of a sum was never added."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distinguo.exceptions import InputError
from distinguo.resampling import monte_carlo, repeated_folds, stratified_folds, training_sums
from distinguo.rows.memory import MemorySource
from distinguo.statistics.moments import Moments


@given(
    counts=st.lists(st.integers(1, 40), min_size=2, max_size=6),
    folds=st.integers(2, 8),
    seed=st.integers(0, 2**32 - 1),
)
def test_classes_and_rows_are_spread_evenly(counts: list[int], folds: int, seed: int) -> None:
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    if len(codes) < folds:
        return
    fold = stratified_folds(codes, folds, np.random.default_rng(seed))
    assert np.ptp(np.bincount(fold, minlength=folds)) <= 1
    for k in range(len(counts)):
        assert np.ptp(np.bincount(fold[codes == k], minlength=folds)) <= 1


def test_each_repeat_tests_every_row_once() -> None:
    codes = np.repeat([0, 1, 2], [20, 9, 4])
    splits = repeated_folds(codes, folds=4, repeats=3, random_state=1)
    assert [split.repeat for split in splits] == [0] * 4 + [1] * 4 + [2] * 4
    for repeat in range(3):
        tested = np.concatenate([split.test for split in splits if split.repeat == repeat])
        assert sorted(tested) == list(range(33))
    for split in splits:
        assert sorted([*split.train, *split.test]) == list(range(33))
        assert (np.diff(split.train) > 0).all()


def test_a_class_of_two_rows_is_always_learned_from() -> None:
    codes = np.repeat([0, 1], [30, 2])
    for seed in range(20):
        for split in repeated_folds(codes, random_state=seed):
            assert (codes[split.train] == 1).any()


def test_the_seed_settles_the_splits() -> None:
    codes = np.repeat([0, 1], 20)
    first, same, other = (repeated_folds(codes, random_state=seed) for seed in (3, 3, 4))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, same, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))
    assert not np.array_equal(first[0].test, first[5].test)


def test_monte_carlo_draws_the_share_of_each_class() -> None:
    codes = np.repeat([0, 1], [40, 10])
    splits = monte_carlo(codes, test_fraction=0.3, repeats=5, random_state=2)
    assert len(splits) == 5
    for split in splits:
        assert np.bincount(codes[split.test]).tolist() == [12, 3]
        assert sorted([*split.train, *split.test]) == list(range(50))
    assert len({tuple(split.test) for split in splits}) == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda codes: repeated_folds(codes, folds=1), "at least 2"),
        (lambda codes: repeated_folds(codes, folds=7), "at most 6"),
        (lambda codes: repeated_folds(codes, repeats=0), "at least 1"),
        (lambda codes: monte_carlo(codes, test_fraction=1.0), "between 0 and 1"),
        (lambda codes: monte_carlo(codes, test_fraction=0.9), "without training rows"),
        (lambda codes: monte_carlo(codes, test_fraction=0.1), "nothing to test on"),
        (lambda _: training_sums([1]), "at least two"),
    ],
)
def test_what_cannot_be_split_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(np.array([0, 0, 0, 1, 1, 1]))


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=12))
def test_training_sums_are_the_sums_of_the_others(parts: list[int]) -> None:
    assert training_sums(parts) == [sum(parts) - part for part in parts]


def test_training_sums_keep_the_order_of_what_is_added() -> None:
    assert training_sums(["a", "b", "c", "d"]) == ["bcd", "acd", "abd", "abc"]


def test_statistics_of_the_other_folds_are_those_of_their_rows() -> None:
    generator = np.random.default_rng(5)
    X, y = generator.normal(size=(60, 3)), np.repeat(["a", "b", "c"], 20)
    fold = stratified_folds(np.repeat([0, 1, 2], 20), 5, generator)
    spec = Moments("pooled")
    sums = training_sums([MemorySource(X[fold == k], y[fold == k]).aggregate(spec) for k in range(5)])
    for k, total in enumerate(sums):
        rest = MemorySource(X[fold != k], y[fold != k]).aggregate(spec)
        np.testing.assert_allclose(total.mean, rest.mean, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(total.within, rest.within, rtol=1e-12, atol=1e-12)
        others = reduce(add, (MemorySource(X[fold == j], y[fold == j]).aggregate(spec) for j in range(5) if j != k))
        assert total.weight.tolist() == others.weight.tolist()
