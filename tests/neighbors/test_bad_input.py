"""Bad input to neighbours: the right answer, or one error that says what was wrong, what came and what to do."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from distinguo import KNeighborsClassifier, MemorySource
from distinguo.exceptions import InputError, LeftOutWarning, MissingCellsError

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(12, 3)), np.array(list("abc") * 4)
ZERO = np.vstack([X[:-1], np.zeros((1, 3))])
HOLE = np.where(np.arange(36).reshape(12, 3) == 7, np.nan, X)

FITS: dict[str, tuple[dict[str, Any], Any, Any, Any, str]] = {
    "k of none": ({"k": 0}, X, Y, None, "k=0 must be a whole number of at least 1"),
    "k below none": ({"k": -3}, X, Y, None, "k=-3 must be a whole number"),
    "k of a half": ({"k": 2.5}, X, Y, None, "k=2.5 must be a whole number"),
    "k true": ({"k": True}, X, Y, None, "k=True must be a whole number"),
    "k in words": ({"k": "many"}, X, Y, None, "k='many' must be a whole number of at least 1, or 'cv'"),
    "k above n": ({"k": 13}, X, Y, None, "k=13 asks for that many neighbours, and there are n_samples = 12; lower k"),
    "k above the weights": ({"k": 5}, X, Y, np.full(12, 0.25), "n_samples = 3; lower k"),
    "no row for the kernel": ({"k": 12, "weights": "tricube"}, X, Y, None, "and one more, by which the kernel"),
    "candidates beside k": ({"k": 3, "candidates": [1]}, X, Y, None, "k=3 is given; set k='cv'"),
    "candidates of none": ({"k": "cv", "candidates": []}, X, Y, None, "must be a list of whole numbers"),
    "a candidate of none": ({"k": "cv", "candidates": [0, 1]}, X, Y, None, "each of candidates=0 must be a whole"),
    "a candidate above n": ({"k": "cv", "candidates": [12]}, X, Y, None, "candidates has 12, .* 11 neighbours"),
    "candidates in words": ({"k": "cv", "candidates": "1"}, X, Y, None, "must be a list of whole numbers"),
    "nothing left for cv": ({"k": "cv", "weights": "biweight"}, X[:2], Y[:2], None, "n_samples = 2 leave too few"),
    "unknown metric": ({"metric": "angular"}, X, Y, None, "metric='angular' is not known; use 'euclidean' or"),
    "unknown weights": ({"weights": "gauss"}, X, Y, None, "weights='gauss' is not known; use 'uniform' or"),
    "unknown algorithm": ({"algorithm": "hnsw"}, X, Y, None, "algorithm='hnsw' is not known"),
    "a tree of holes": ({"metric": "nan_euclidean", "algorithm": "kd_tree"}, X, Y, None, "use 'auto' or 'brute'"),
    "a tree of sparse rows": (
        {"algorithm": "kd_tree"},
        sparse.csr_array(X),
        Y,
        None,
        "sparse rows are not searched by",
    ),
    "sparse for chebyshev": ({"metric": "chebyshev"}, sparse.csr_array(X), Y, None, "takes no sparse rows. Make them"),
    "doubt above one": ({"doubt": 1.1}, X, Y, None, "doubt=1.1 must be a number from 0 to 1"),
    "doubt below zero": ({"doubt": -0.1}, X, Y, None, "doubt=-0.1 must be a number from 0 to 1"),
    "standardize by a word": ({"standardize": "yes"}, X, Y, None, "standardize='yes' must be True or False"),
    "nothing varies": ({"standardize": True}, np.ones((12, 3)), Y, None, "no column of X varies"),
    "zero without direction": ({"metric": "cosine"}, ZERO, Y, None, "row 11 is zero .* directions"),
    "hole": ({}, HOLE, Y, None, r"NaN \(row 2, column 1\), .*metric='nan_euclidean'"),
    "sparse hole": ({}, sparse.csr_array(HOLE), Y, None, r"NaN \(row 2, column 1\)"),
    "no cell at all": ({"metric": "nan_euclidean"}, np.vstack([X[:11], [[np.nan] * 3]]), Y, None, "row 11 of X has no"),
    "too large": ({}, X * 1e160, Y, None, "square is too large.*Rescale"),
    "infinity": ({"metric": "nan_euclidean"}, np.where(np.isnan(HOLE), np.inf, HOLE), Y, None, "infinity"),
    "one class": ({}, X, ["a"] * 12, None, "one class only"),
    "negative weight": ({}, X, Y, -np.ones(12), "negative in row 0"),
    "no labels": ({}, X, None, None, "y is None"),
    "a source with labels": ({}, MemorySource(X, Y), Y, None, "brings its own labels"),
    "measurements as labels": ({}, X, X[:, 0], None, "cut them into classes"),
}


@pytest.mark.parametrize(("options", "rows", "labels", "weight", "message"), list(FITS.values()), ids=list(FITS))
def test_fit(options: Any, rows: Any, labels: Any, weight: Any, message: str) -> None:
    model = KNeighborsClassifier(**{"k": 2, **options})
    with pytest.raises(InputError, match=message) as error:
        model.fit(rows, labels, sample_weight=weight)
    assert 20 < len(str(error.value)) < 400
    with pytest.raises(NotFittedError):
        model.predict(X)


FRAME = pd.DataFrame(X, columns=["u", "v", "w"])
ASKED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "hole": ({}, HOLE, r"row 2, column 1\), .*metric='nan_euclidean'"),
    "zero": ({"metric": "cosine"}, ZERO, "X: row 11 is zero in every column"),
    "fewer columns": ({}, X[:, :2], "X has 2 features"),
    "too large": ({}, X * 1e160, "square is too large"),
    "no rows": ({}, X[:0], "table is empty"),
}


@pytest.mark.parametrize(("options", "rows", "message"), list(ASKED.values()), ids=list(ASKED))
def test_predict(options: Any, rows: Any, message: str) -> None:
    model = KNeighborsClassifier(2, **options).fit(X, Y)
    for method in (model.predict, model.predict_proba, model.doubtful):
        with pytest.raises(InputError, match=message):
            method(rows)


def test_names_of_columns_are_those_of_the_fit() -> None:
    model = KNeighborsClassifier(2).fit(FRAME, Y)
    with pytest.raises(InputError, match="same order"):
        model.predict(FRAME[["v", "u", "w"]])
    with pytest.raises(MissingCellsError, match="row 0, column 'u'"):
        model.predict(FRAME * np.nan)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X + 1e-9, Y, "row 0 is not among the rows that were fitted"),
        (X, np.roll(Y, 1), "row 0 is not among the rows that were fitted, or not with that y"),
        (X[:4], ["a", "b", "z", "a"], "row 2 is not among the rows"),
        (X, Y[:4], "X has 12 rows and y 4 labels"),
    ],
)
def test_leave_one_out(rows: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        KNeighborsClassifier(2).fit(X, Y).leave_one_out(rows, labels)


def test_all_rows_but_one_are_too_few_once_a_row_is_left_out() -> None:
    with pytest.raises(InputError, match="k=12 asks for that many neighbours, and there are n_samples = 11"):
        KNeighborsClassifier(12).fit(X, Y).leave_one_out(X, Y)


def test_a_fit_that_fails_leaves_the_model_as_it_was() -> None:
    model = KNeighborsClassifier(2).fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(InputError):
        model.set_params(k=2).fit(X[:, :2], ["a"] * 12)
    with pytest.raises(InputError):
        model.set_params(k=50).fit(X[:, :2], Y)
    assert np.array_equal(model.set_params(k=2).predict_proba(X), before)


def test_constant_columns_are_left_out_by_name_where_columns_are_standardized() -> None:
    rows = FRAME.assign(same=0.1)
    with pytest.warns(LeftOutWarning, match="columns that do not vary: 'same'"):
        model = KNeighborsClassifier(3, standardize=True).fit(rows, Y)
    expected = KNeighborsClassifier(3, standardize=True).fit(FRAME, Y).predict_proba(FRAME)
    np.testing.assert_allclose(model.predict_proba(rows.assign(same=7.0)), expected, atol=1e-12)


def test_rows_that_are_all_alike_give_the_shares_of_the_classes() -> None:
    rows = np.ones((12, 3))
    for weights in ("uniform", "distance", "tricube"):
        for algorithm in ("brute", "kd_tree", "ball_tree"):
            model = KNeighborsClassifier(2, weights=weights, algorithm=algorithm).fit(rows, list("aaaaaabbbccc"))
            np.testing.assert_allclose(model.predict_proba([[1.0, 1, 1], [5.0, 0, 2]]), [[0.5, 0.25, 0.25]] * 2)
            np.testing.assert_allclose(model.leave_one_out(rows[:1], ["a"]), [[5 / 11, 3 / 11, 3 / 11]])
