"""Prior knowledge is as good as rows that have those moments, or refused in one sentence."""

from typing import Any

import numpy as np
import pytest

from distinguo import ColumnMoments, MemorySource, Moments, pseudo_rows
from distinguo.exceptions import InputError, InputTypeError
from distinguo.statistics.diagonal import diagonal_of

MEANS = {"a": [0.0, 1.0], "b": [2.0, 3.0]}


def test_pseudo_rows_are_rows_with_those_moments() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array(["a", "b", "b"] * 10)
    rows = {label: X[y == label] for label in "ab"}
    prior = pseudo_rows(
        {label: part.mean(axis=0) for label, part in rows.items()},
        {label: np.cov(part.T, bias=True) for label, part in rows.items()},
        {label: len(part) for label, part in rows.items()},
    )
    full = MemorySource(X, y).aggregate(Moments("full"))
    np.testing.assert_allclose(prior.scatter, full.scatter)
    np.testing.assert_allclose(prior.mean, full.mean)
    columns = MemorySource(X, y).aggregate(ColumnMoments())
    np.testing.assert_allclose(diagonal_of(prior).squares, columns.squares)
    np.testing.assert_allclose(diagonal_of(prior).seen, columns.seen)


def test_one_covariance_or_variances_may_serve_all() -> None:
    a = pseudo_rows(MEANS, np.diag([1.0, 2.0]), 3)
    b = pseudo_rows(MEANS, [1.0, 2.0], {"b": 3.0, "a": 3.0})
    assert a == b


def test_classes_are_sorted_and_keep_their_types() -> None:
    prior = pseudo_rows({3: [0.0], 1: [1.0]}, [1.0], {1: 10, 3: 30})
    assert prior.classes.tolist() == [1, 3]
    assert prior.classes.dtype.kind == "i"
    assert prior.weight.tolist() == [10, 30]


@pytest.mark.parametrize(
    ("means", "covariances", "weights", "names", "message"),
    [
        ({}, [1.0], 1, None, "dictionary from class"),
        ([[0.0]], [1.0], 1, None, "dictionary from class"),
        ({"a": [0.0], "b": [0.0, 1.0]}, [1.0], 1, None, r"differ in length: \[1, 2\]"),
        ({"a": [[0.0]]}, [1.0], 1, None, "mean of class 'a'"),
        ({"a": [np.nan]}, [1.0], 1, None, "mean of class 'a'"),
        ({"a": ["low"]}, [1.0], 1, None, "mean of class 'a' must be numbers"),
        (MEANS, [1.0], 1, None, r"covariance of class 'a' must be \(2, 2\)"),
        (MEANS, [[1.0, 2.0], [3.0, 4.0]], 1, None, "symmetric"),
        (MEANS, [[1.0, 2.0], [2.0, 1.0]], 1, None, "positive semi-definite"),
        (MEANS, [[1.0], [2.0, 1.0]], 1, None, "covariance of class 'a' must be numbers"),
        (MEANS, [np.inf, 1.0], 1, None, "finite"),
        (MEANS, {"a": [1.0, 1.0]}, 1, None, "covariances has nothing for class 'b'"),
        (MEANS, {"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [1.0, 1.0]}, 1, None, "covariances names the class 'c'"),
        (MEANS, [1.0, 1.0], {"a": 1}, None, "weights has nothing for class 'b'"),
        (MEANS, [1.0, 1.0], {"a": 1, "b": 1, "c": 1}, None, "weights names the class 'c'"),
        (MEANS, [1.0, 1.0], 0, None, "weight of class 'a' must be a positive number"),
        (MEANS, [1.0, 1.0], -1, None, "positive number"),
        (MEANS, [1.0, 1.0], np.nan, None, "positive number"),
        (MEANS, [1.0, 1.0], "many", None, "weight of class 'a' must be a number"),
        (MEANS, [1.0, 1.0], [1.0, 2.0], None, "positive number"),
        (MEANS, [1.0, 1.0], 1, ["x"], "1 names for 2 columns"),
    ],
)
def test_what_is_no_knowledge_is_refused(means: Any, covariances: Any, weights: Any, names: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        pseudo_rows(means, covariances, weights, names)
