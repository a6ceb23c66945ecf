"""Separation of classes by a linear rule: published answers, an independent program, laws, limits and bad input."""

import itertools
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

import distinguo as d
from distinguo.exceptions import InputError, InputTypeError
from tests.test_lectures_generative import forty_columns

seeds = st.integers(0, 2**32 - 1)
INF = np.inf


# Published answers


def test_endometrial_grades(shared_data):
    """R, detectseparation 0.3: HG ~ NV + PI + EH gives (Intercept) 0, NV Inf, PI 0, EH 0."""
    table = pd.read_csv(shared_data("endometrial.csv"))
    found = d.separation(table[["NV", "PI", "EH"]], table["HG"])
    assert found.kind == "quasi-complete"
    assert found.infinite.tolist() == [[INF, 0.0, 0.0]]
    assert found.infinite_intercept.tolist() == [0.0]
    # The thirteen patients with neovasculation all have a high grade.
    assert found.n_apart == int(table["NV"].sum()) == 13
    assert "infinite for 1: + 'NV'" in str(found)
    others = d.separation(table[["PI", "EH"]], table["HG"])
    assert (others.kind, others.direction.any(), others.n_apart) == ("none", False, 0)


def test_diaphragm_use(shared_data):
    """Heinze and Schemper (2002), Statistics in Medicine 21: sex2 is separated in `dia`, and in nothing else."""
    table = pd.read_csv(shared_data("sex2.csv"))
    found = d.separation(table.drop(columns="case"), table["case"])
    assert found.kind == "quasi-complete"
    assert found.columns.tolist() == [5]
    assert found.infinite[0, 5] == INF
    assert found.infinite_intercept[0] == 0


def test_lizards(shared_data):
    """McCullagh and Nelder (1989), 4.6: every coefficient is finite; R's detectseparation has it as such an example."""
    table = pd.read_csv(shared_data("lizards.csv"))
    X = pd.get_dummies(table[["height", "diameter", "light", "time"]], drop_first=True).astype(float)
    weight = np.concatenate([table["grahami"], table["opalinus"]])
    assert d.separation(pd.concat([X, X]), np.repeat([1, 0], len(X)), weight).kind == "none"


def test_lecture_04_few_rows_in_forty_columns_are_separable():
    separable = {
        m: sum(d.separation(*forty_columns(m, np.random.default_rng(100 + s))).kind == "complete" for s in range(15))
        for m in (20, 40, 80, 200)
    }
    assert separable == {20: 15, 40: 15, 80: 15, 200: 4}


def test_iris_one_species_stands_apart():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    found = d.separation(X, y)
    assert (found.kind, found.n_apart) == ("quasi-complete", 50)
    assert d.separation(X[:100], y[:100]).kind == "complete"
    assert d.separation(X[50:], y[50:]).kind == "none"


# An independent program


def by_one_program(X: Any, codes: Any, K: int, intercept: bool) -> tuple[str, int]:
    """The kind and the rows apart, by one program over all rows whose margins count up to one."""
    Z = np.column_stack([np.ones(len(X)), X]) if intercept else X
    margins = np.zeros((len(X), K - 1, K, Z.shape[1]))
    for i, k in enumerate(codes):
        for place, j in enumerate(j for j in range(K) if j != k):
            margins[i, place, k], margins[i, place, j] = Z[i], -Z[i]
    A = margins.reshape(len(X) * (K - 1), -1)
    m, q = A.shape
    found = linprog(
        np.r_[np.zeros(q), -np.ones(m)],
        np.hstack([-A, np.eye(m)]),
        np.zeros(m),
        bounds=[(None, None)] * q + [(0, 1)] * m,
    )
    apart = found.x[q:].reshape(len(X), K - 1) > 0.5
    kind = "complete" if apart.all() else ("quasi-complete" if apart.any() else "none")
    return kind, int(apart.all(axis=1).sum())


def lattice(seed: int) -> tuple[Any, Any, int]:
    """A few rows of small whole numbers, so that many lie on a boundary, in two to four classes; all have rows."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 5))
    n, p = int(rng.integers(K, 22)), int(rng.integers(1, 5))
    X = rng.integers(-3, 4, (n, p)).astype(float)
    if p > 2:
        X[:, 2] = X[:, 0] - X[:, 1]
    scores = X @ rng.integers(-2, 3, (p, K)) + rng.choice([0.01, 1.0, 3.0]) * rng.gumbel(size=(n, K))
    codes = scores.argmax(axis=1)
    codes[:K] = np.arange(K)
    return X, codes, K


def margins(found: Any, X: Any, codes: Any) -> np.ndarray:
    """(n, K) own score less the others'."""
    scores = np.column_stack([np.zeros(len(X)), X @ found.direction.T + found.intercept])
    return scores[np.arange(len(X)), codes][:, None] - scores


@settings(max_examples=150)
@given(seed=seeds, intercept=st.booleans())
def test_against_one_program_over_all_rows(seed, intercept):
    X, codes, K = lattice(seed)
    found = d.separation(X, codes, intercept=intercept)
    assert (found.kind, found.n_apart) == by_one_program(X, codes, K, intercept)
    # The direction does what it says, in the columns' own units.
    own = margins(found, X, codes)
    assert own.min() > -1e-9
    assert ((own > 1e-9).sum(axis=1) == K - 1).sum() == found.n_apart
    assert intercept or not found.intercept.any()


def test_many_rows_on_the_boundary_and_a_rare_indicator():
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (150, 6)).astype(float)
    y = X[:, 0] + X[:, 1] > 0
    on_the_boundary = X[:, 0] + X[:, 1] == 0
    y[on_the_boundary] = rng.integers(0, 2, on_the_boundary.sum())
    found = d.separation(X, y)
    assert (found.kind, found.n_apart) == ("quasi-complete", int((~on_the_boundary).sum()))
    assert found.columns.tolist() == [0, 1]
    np.testing.assert_allclose(found.direction[0, 1], found.direction[0, 0])
    assert found.intercept[0] == 0
    X[:, 2] = np.arange(150) < 3
    y = rng.integers(0, 2, 150)
    y[:3] = 1
    assert d.separation(X, y).infinite.tolist() == [[0, 0, INF, 0, 0, 0]]


def test_every_labelling_of_few_numbers():
    """In one column classes are apart where their ranges are, and touch where the ranges share one value."""
    x = np.array([0.0, 1.0, 1.0, 2.0, 5.0])
    for labels in itertools.product([0, 1], repeat=5):
        y = np.array(labels)
        if len(set(labels)) < 2:
            continue
        low, high = sorted((x[y == 0], x[y == 1]), key=lambda side: (side.min(), side.max()))
        gap = high.min() - low.max()
        kind = "complete" if gap > 0 else ("quasi-complete" if gap == 0 else "none")
        assert d.separation(x[:, None], y).kind == kind, labels


def test_corners_of_a_square():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert d.separation(square, [0, 1, 1, 0]).kind == "none"
    assert d.separation(square, [0, 0, 0, 1]).kind == "complete"
    assert d.separation(square, [0, 1, 2, 3]).kind == "complete"
    # Without a constant the corner at zero is on every boundary.
    assert d.separation(square, [0, 1, 1, 1], intercept=False).kind == "quasi-complete"
    assert d.separation(square, [0, 1, 1, 1]).kind == "complete"


# Laws


def apart(seed: int, K: int = 2, p: int = 3, n: int = 60, gap: float = 0.1) -> tuple[Any, Any]:
    """Rows whose class is that of the greatest of K linear scores, by a gap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40 * n, p))
    scores = X @ rng.normal(size=(p, K)) + rng.normal(size=K) / 10
    ordered = np.sort(scores, axis=1)
    clear = np.flatnonzero(ordered[:, -1] - ordered[:, -2] > gap)[:n]
    return X[clear], scores[clear].argmax(axis=1)


@settings(max_examples=25)
@given(seed=seeds, K=st.integers(2, 4))
def test_what_is_apart_by_construction_is_found_in_any_coordinates(seed, K):
    X, y = apart(seed, K)
    if len(np.unique(y)) < 2:
        return
    rng = np.random.default_rng(seed)
    for rows in (X, X @ rng.normal(size=(3, 3)), X * [1e-8, 1.0, 1e8] + [1e-4, 0.0, -1e10]):
        found = d.separation(rows, y)
        assert (found.kind, found.n_apart) == ("complete", len(X))
        assert margins(found, rows, np.unique(y, return_inverse=True)[1]).min() > -1e-9


@settings(max_examples=40)
@given(seed=seeds, powers=st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_units_and_origin_do_not_matter(seed, powers):
    X, codes, _ = lattice(seed)
    units = 10.0 ** np.array(powers[: X.shape[1]])
    found, moved = d.separation(X, codes), d.separation((X + 1000) * units, codes)
    assert (moved.kind, moved.n_apart) == (found.kind, found.n_apart)


@settings(max_examples=40)
@given(seed=seeds)
def test_order_repetition_and_weights_do_not_matter_but_zero(seed):
    X, codes, _ = lattice(seed)
    found = d.separation(X, codes)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    assert d.separation(X[order], codes[order]).kind == found.kind
    assert d.separation(np.repeat(X, 2, axis=0), np.repeat(codes, 2)).kind == found.kind
    weighted = d.separation(X, codes, rng.uniform(0.1, 9, len(X)))
    assert np.array_equal(weighted.direction, found.direction)
    # Rows that do not count may lie anywhere.
    noise = rng.normal(size=X.shape)
    weight = np.repeat([1.0, 0.0], len(X))
    ignored = d.separation(np.vstack([X, noise]), np.concatenate([codes, rng.permutation(codes)]), weight)
    assert np.array_equal(ignored.direction, found.direction)
    assert ignored.n_rows == len(X)


@pytest.mark.parametrize("distance", [1.0, 1e3, 1e12, 1e200])
def test_one_row_on_the_wrong_side_far_out_is_enough(distance):
    X, y = apart(3)
    found = d.separation(X, y)
    far = np.vstack([X, X.mean(axis=0) + distance * 20 * found.direction[0]])
    assert d.separation(far, [*y, 1]).kind == "complete"
    assert d.separation(far, [*y, 0]).kind == "none"


def test_a_row_far_out_does_not_hide_the_others():
    X = np.array([[0.0], [1.0], [2.0], [1e12]])
    assert d.separation(X, [0, 1, 0, 1]).kind == "none"
    assert d.separation(X, [0, 0, 1, 1]).kind == "complete"


def test_dependent_and_constant_columns_are_no_separation():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    wide = np.column_stack([X, X[:, 0] + X[:, 1], np.full(80, 7.0), 1e6 + 3 * X[:, 0]])
    assert d.separation(wide, y).kind == "none"
    X, y = apart(1)
    found = d.separation(np.column_stack([X, np.full(len(X), 7.0)]), y)
    assert found.kind == "complete"
    assert found.infinite[0, 3] == 0
    # Where there is no intercept, a constant column is one.
    shifted = np.column_stack([[1.0, 2.0, 3.0, 4.0], np.ones(4)])
    assert d.separation(shifted[:, :1], [0, 0, 1, 1], intercept=False).kind == "none"
    assert d.separation(shifted, [0, 0, 1, 1], intercept=False).kind == "complete"
    assert d.separation(np.ones((4, 2)), [0, 0, 1, 1]).kind == "none"


def test_more_columns_than_rows_are_always_apart():
    rng = np.random.default_rng(0)
    found = d.separation(rng.normal(size=(30, 200)), rng.integers(0, 3, 30))
    assert (found.kind, found.n_apart, found.direction.shape) == ("complete", 30, (2, 200))


def test_two_classes_in_three():
    """A third class apart from two that overlap leaves the softmax of all three without a maximum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.repeat([0, 1, 2], 30)
    X[60:] += 20
    assert d.separation(X[:60], y[:60]).kind == "none"
    found = d.separation(X, y)
    assert (found.kind, found.n_apart) == ("quasi-complete", 30)
    # Between the two that overlap nothing is infinite.
    assert not found.infinite[0].any()
    assert found.infinite[1].all()
    assert d.separation(np.column_stack([X, y == 1]), y).kind == "complete"


# Containers, words, and bad input


def test_rows_of_any_library():
    X, y = apart(5)
    found = d.separation(X, y)
    names = ["u", "v", "w"]
    frames = (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names))
    for rows in (sparse.csr_array(X), X.tolist(), d.MemorySource(X, y), *frames):
        same = d.separation(rows, None if isinstance(rows, d.Source) else y)
        assert np.array_equal(same.direction, found.direction)
    assert d.separation(frames[0], y).feature_names.tolist() == names
    assert np.array_equal(pickle.loads(pickle.dumps(found)).direction, found.direction)


def test_words():
    rows = pd.DataFrame({"dose": [0.0, 0, 0, 1, 1, 2], "age": [1.0, 2, 3, 2, 1, 2]})
    assert str(d.separation(rows, ["ill", "well", "ill", "well", "well", "well"])) == (
        "separation: quasi-complete; 6 rows, 2 classes, 3 row(s) told apart.\n"
        "Some coefficients of maximum likelihood are infinite. Penalise them, or leave columns out.\n"
        "infinite for 'well': + 'dose'"
    )
    assert str(d.separation(rows[["age"]], ["ill", "well"] * 3)) == (
        "separation: none; 6 rows, 2 classes, 0 row(s) told apart.\nMaximum likelihood has a finite answer."
    )


X, Y = np.arange(12.0).reshape(6, 2), np.array(["a", "b"] * 3)
HOLED = np.where(X == 5, np.nan, X)
BAD: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "one class": ((X, ["a"] * 6), {}, "one class only \\('a'\\)"),
    "one class that counts": ((X, Y, (Y == "a") * 1.0), {}, "one class only"),
    "no labels": ((X,), {}, "separation requires y to be passed"),
    "too few labels": ((X, Y[:3]), {}, "X has 6 rows and y 3 labels"),
    "missing cell": ((HOLED, Y), {}, r"X contains NaN \(row 2, column 1\)"),
    "missing cell, sparse": ((sparse.csr_array(HOLED), Y), {}, r"X contains NaN \(row 2, column 1\)"),
    "infinity": ((np.where(X == 5, INF, X), Y), {}, r"infinity \(row 2, column 1\)"),
    "empty": ((X[:0], Y[:0]), {}, "table is empty"),
    "one dimension": ((X[:, 0], Y), {}, "Expected 2D array"),
    "negative weight": ((X, Y, -np.ones(6)), {}, "sample_weight is negative"),
    "a source with labels": ((d.MemorySource(X, Y), Y), {}, "a Source brings its own labels"),
    "statistics": ((d.MemorySource(X, Y).aggregate(d.Moments("pooled")), Y), {}, "two dimensions|rows of numbers"),
    "text for the intercept": ((X, Y), {"intercept": "yes"}, "intercept='yes' must be True or False"),
    "a number for the intercept": ((X, Y), {"intercept": 2}, "intercept=2 must be True or False"),
    "numbers too far apart": (
        ([[-1.5e308], [1.5e308], [1.0]], [0, 1, 0]),
        {},
        "too far apart to subtract in the columns 0;",
    ),
}


@pytest.mark.parametrize(("rows", "options", "message"), list(BAD.values()), ids=list(BAD))
def test_refused(rows, options, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        d.separation(*rows, **options)
