"""Least squares on indicators: R's numbers, the lectures' cautions, and the laws of statistics that add up."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris

from distinguo import LeastSquaresClassifier, LinearDiscriminantAnalysis, MemorySource
from distinguo.exceptions import DistinguoError, InputError, LeftOutWarning, MaskingWarning
from tests.generative.cases import three_classes

IRIS, SPECIES = load_iris(return_X_y=True)
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=8)


def fit(X: Any, y: Any, weight: Any = None) -> LeastSquaresClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MaskingWarning)
        return LeastSquaresClassifier().fit(X, y, sample_weight=weight)


def values(model: LeastSquaresClassifier, X: Any) -> Any:
    """Fitted values (n, K) for any K."""
    return model._affine()(np.asarray(X))


def indicators(y: Any) -> Any:
    return (np.asarray(y)[:, None] == np.unique(y)).astype(float)


def assert_same(a: LeastSquaresClassifier, b: LeastSquaresClassifier, X: Any, atol: float = 1e-9) -> None:
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(values(a, X), values(b, X), atol=atol)


# Reference values: R 4.2.2, Y <- model.matrix(~ Species - 1, iris); fit <- lm(Y ~ as.matrix(iris[, 1:4]))

R_COEF = [
    [0.0660297693762, 0.2428478720545, -0.2246571162357, -0.0574727291860],
    [-0.0201536848255, -0.4456162576140, 0.2206692052293, -0.4943065957478],
    [-0.0458760845507, 0.2027683855596, 0.0039879110064, 0.5517793249338],
]
R_INTERCEPT = [0.1182228894681, 1.5770589738575, -0.6952818633256]


def test_coefficients_of_iris_are_those_of_r():
    model = fit(IRIS, SPECIES)
    np.testing.assert_allclose(model.coef_, R_COEF, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, R_INTERCEPT, atol=1e-12)
    # table(iris$Species, max.col(fitted(fit)))
    assert model.masking(IRIS, SPECIES).table.tolist() == [[50, 0, 0], [0, 34, 16], [0, 7, 43]]


def test_weighted_coefficients_of_iris_are_those_of_r():
    model = fit(IRIS, SPECIES, np.tile([1, 2, 3], 50))  # lm(..., weights = rep(1:3, 50))
    expected = [0.0918347288179, -0.4955093030848, 0.1180921981243, -0.3743905808453]
    np.testing.assert_allclose(model.coef_[1], expected, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, [0.2185722130816, 1.3115452409924, -0.5301174540739], atol=1e-12)


def test_values_of_rows_left_out_are_those_of_r():
    left = fit(IRIS, SPECIES).leave_one_out(IRIS, SPECIES)
    # cv <- Y - residuals(fit) / (1 - hatvalues(fit)); cv[c(1, 71, 134), ]; table(iris$Species, max.col(cv))
    expected = [
        [0.9784759244912, 0.127367541435, -0.105843465926],
        [0.1061375062986, 0.178172454871, 0.715690038830],
        [-0.0181912636763, 0.600018320240, 0.418172943437],
    ]
    np.testing.assert_allclose(left[[0, 70, 133]], expected, atol=1e-11)
    assert np.sum(left.argmax(axis=1) != SPECIES) == 1 + 16 + 9


def test_vowel_errors(shared_data):
    """Hastie, Tibshirani and Friedman (2009), Table 4.1: linear regression .48 in training and .67 in test."""
    train, test = (pd.read_csv(shared_data(f"vowel.{part}.csv")) for part in ("train", "test"))
    with pytest.warns(MaskingWarning, match="at the mean of class 6, 7, 9 another class"):
        model = LeastSquaresClassifier().fit(train.drop(columns="y"), train["y"])
    wrong = [1 - model.score(part.drop(columns="y"), part["y"]) for part in (train, test)]
    assert np.round(wrong, 2).tolist() == [0.48, 0.67]
    assert model.masking(test.drop(columns="y"), test["y"]).never_taken.tolist() == []


# The lectures


def test_lecture_03_indicator_regression_masks_the_middle_coin():
    centres = np.array([[7.5, 23.25], [7.8, 24.25], [8.5, 25.75]])
    y = np.repeat([0, 1, 2], 300)
    X = centres[y] + np.random.default_rng(0).normal(0, 0.1, (900, 2))
    model = LeastSquaresClassifier().fit(X, y)
    found = model.masking(X, y)
    assert found.errors.sum() == (model.predict(X) != y).sum() == 117
    assert found.errors[1] == 97
    assert str(found).splitlines()[1] == "1: 97 of 300 rows taken by others (0 96, 2 1)"


@given(seed=seeds, K=st.integers(2, 5))
@few
def test_lecture_23_closed_form_whose_outputs_sum_to_one(seed, K):
    X, y = three_classes(seed, names=tuple("abcde"[:K]))
    model = fit(X, y)
    far = np.vstack([X, 1e3 * X])
    np.testing.assert_allclose(values(model, far).sum(axis=1), 1, atol=1e-9)
    augmented = np.column_stack([np.ones(len(X)), X])
    W = np.linalg.solve(augmented.T @ augmented, augmented.T @ indicators(y))  # (p + 1, K)
    np.testing.assert_allclose(values(model, X), augmented @ W, atol=1e-9)
    assert (values(model, far).min() < 0) & (values(model, far).max() > 1)  # they are no probabilities


def test_lecture_23_one_far_row_on_its_own_side_moves_the_boundary():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.repeat(["red", "blue"], 3)
    before = fit(X, y).boundary("red", "blue").distance_from_origin
    after = fit(np.vstack([X, [[-40.0]]]), np.append(y, "red"))
    assert abs(before) == pytest.approx(2.5)
    assert abs(after.boundary("red", "blue").distance_from_origin) < 2  # the row at 2, right before, is lost
    assert after.predict([[2.0]]).tolist() == ["blue"]


@given(seed=seeds)
@few
def test_two_classes_have_the_direction_of_lda_and_equal_sizes_its_boundary(seed):
    X, y = three_classes(seed, names=("a", "b"))
    size = min((y == "a").sum(), (y == "b").sum())
    by_class = np.argsort(y, kind="stable")
    for rows, equal in ((by_class, False), (np.concatenate([by_class[:size], by_class[-size:]]), True)):
        ours, lda = fit(X[rows], y[rows]), LinearDiscriminantAnalysis().fit(X[rows], y[rows])
        ratio = ours.coef_ / lda.coef_
        np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-7)
        if equal:
            np.testing.assert_allclose(ours.signed_distance(X), lda.signed_distance(X), atol=1e-9)


# Masking


@pytest.mark.parametrize("gap", [4.0, 100.0])
def test_a_class_between_others_is_masked_and_told(gap):
    y = np.repeat(["left", "middle", "right"], 50)
    X = np.random.default_rng(0).normal(size=(150, 1)) + np.repeat([0, gap, 2.2 * gap], 50)[:, None]
    with pytest.warns(MaskingWarning, match="'middle' another class.*masking"):
        model = LeastSquaresClassifier().fit(X, y)
    assert model.masking(X, y).never_taken.tolist() == ["middle"]
    assert model.masking(X, y).errors.tolist() == [0, 50, 0]
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) > 0.95


def test_a_rare_class_among_others_is_no_masking():
    """No linear rule of these moments would give it its mean: that it is lost is not the indicators' doing."""
    rng = np.random.default_rng(0)
    y = np.repeat(["common", "other", "rare"], [300, 300, 6])
    X = rng.normal(size=(606, 2)) + np.array([[0.0, 0.0], [3.0, 0.0], [0.3, 0.3]])[np.repeat([0, 1, 2], [300, 300, 6])]
    model = LeastSquaresClassifier().fit(X, y)  # a warning would be an error
    assert model.masking(X, y).never_taken.tolist() == ["rare"]


def test_masking_counts_weights_and_only_classes_that_were_fitted():
    model = fit(IRIS, SPECIES)
    weight = np.repeat([0.0, 2.0, 1.0], 50)
    assert model.masking(IRIS, SPECIES, weight).table.tolist() == [[0, 0, 0], [0, 68, 32], [0, 7, 43]]
    assert model.masking(IRIS[:5], SPECIES[:5]).never_taken.tolist() == []
    with pytest.raises(InputError, match="class 7, which was not fitted"):
        model.masking(IRIS, np.full(150, 7))


# Statistics add up


@given(seed=seeds)
@few
def test_parts_in_any_order_equal_the_whole_and_can_be_forgotten(seed):
    X, y = three_classes(seed)
    part = np.random.default_rng(seed).integers(0, 3, len(y))
    whole = fit(X, y)
    models, in_turn = [], LeastSquaresClassifier()
    for k in range(3):
        in_turn.partial_fit(X[part == k], y[part == k])
        models.append(LeastSquaresClassifier().partial_fit(X[part == k], y[part == k]))
    more, labels = three_classes(seed + 1, names=("b", "d"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MaskingWarning)
        assert_same(in_turn, whole, X)
        assert_same(sum(models[::-1]), whole, X)
        both = fit(X, y).partial_fit(more, labels)
        assert_same(both, fit(np.vstack([X, more]), np.append(y, labels)), X)
        assert_same(both.forget(more, labels), whole, X)


@given(seed=seeds)
@few
def test_weights_repeat_rows(seed):
    X, y = three_classes(seed)
    rng = np.random.default_rng(seed)
    times, order = rng.integers(1, 4, len(y)), rng.permutation(len(y))
    assert_same(fit(X[order], y[order], times[order]), fit(X.repeat(times, axis=0), y.repeat(times)), X)
    ghosts = fit(np.vstack([X, X[:2] + 9]), np.append(y, ["a", "z"]), np.append(times, [0, 0]))
    assert_same(ghosts, fit(X, y, times), X)


@given(seed=seeds)
@few
def test_units_and_places_do_not_matter(seed):
    X, y = three_classes(seed)
    scale, move = np.array([1e-8, 1.0, 1e8]), np.array([1e-2, -1e6, 1e14])
    moved = X * scale + move
    np.testing.assert_allclose(values(fit(moved, y), moved), values(fit(X, y), X), atol=1e-6)


@given(seed=seeds, whole=st.booleans())
@few
def test_a_row_left_out_is_as_if_it_had_not_been_there(seed, whole):
    X, y = three_classes(seed, n=25, p=2)
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, 25).astype(float) if whole else rng.choice([0.5, 1.0, 2.5], 25)
    left = fit(X, y, weight).leave_one_out(X, y, weight)
    for i in range(25):
        less = weight.copy()
        less[i] -= min(less[i], 1.0)
        np.testing.assert_allclose(left[i], values(fit(X, y, less), X[[i]])[0], atol=1e-9)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
def test_rows_without_which_a_column_or_a_class_is_gone():
    X, y = three_classes(n=25, p=2)
    X = np.column_stack([X, np.zeros(25), X[:, 0] - X[:, 1]])
    X[4, 2], X[8, 3] = 1.0, 7.0
    y = y.astype("U5")
    y[11] = "alone"
    left = fit(X, y).leave_one_out(X, y)
    for i in range(25):
        kept = np.arange(25) != i
        there = np.isin(np.unique(y), y[kept])
        np.testing.assert_allclose(left[i, there], values(fit(X[kept], y[kept]), X[[i]])[0], atol=1e-9)
    assert left[11, 1] == pytest.approx(0, abs=1e-12)


# Columns that say nothing, or the same


def test_dependent_columns_have_the_shortest_coefficients_in_units_of_their_spreads():
    X, y = three_classes()
    spread = X.std(axis=0)
    doubled = np.column_stack([X, 100 * X[:, 0], np.full(len(y), 3.0)])
    with pytest.warns(LeftOutWarning) as caught:
        model = fit(pd.DataFrame(doubled, columns=["u", "v", "w", "cm", "one"]), y)
    assert "'u', 'cm'" in str(caught[-1].message)
    assert "constant column(s): 'one'" in str(caught[0].message)
    np.testing.assert_allclose(values(model, doubled), values(fit(X, y), X), atol=1e-9)
    z = np.column_stack([np.ones(len(y)), (X - X.mean(axis=0)) / spread, (X[:, 0] - X[:, 0].mean()) / spread[0]])
    shortest = np.linalg.pinv(z[:, 1:]) @ (indicators(y) - indicators(y).mean(axis=0))  # (4, K)
    np.testing.assert_allclose(model.coef_[:, :4] * [*spread, 100 * spread[0]], shortest.T, atol=1e-9)
    assert (model.coef_[:, 4] == 0).all()


def test_more_columns_than_rows_fit_every_row():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 40)), np.repeat(["a", "b", "c"], 4)
    with pytest.warns(LeftOutWarning, match="29 direction"):
        model = fit(X, y)
    np.testing.assert_allclose(values(model, X), indicators(y), atol=1e-9)


def test_a_column_that_is_the_class_decides():
    X, y = three_classes(names=("a", "b"))
    model = fit(np.column_stack([X, y == "b"]), y)
    np.testing.assert_allclose(model.coef_, [[0, 0, 0, 2]], atol=1e-9)  # the second's less the first's: 1 - (-1)


# Rows of every kind


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, pd.DataFrame, np.float32, MemorySource])
def test_any_container(kind):
    X, y = three_classes()
    X = np.round(X, 1) * (np.abs(X) > 0.5)
    expected = fit(X, y)
    if kind is MemorySource:
        assert_same(LeastSquaresClassifier().fit(MemorySource(X, y)), expected, X)
        return
    rows = X.astype(kind) if kind is np.float32 else kind(X)
    model = fit(rows, y)
    np.testing.assert_allclose(model.decision_function(rows), expected.decision_function(X), atol=1e-6)
    assert (model.predict(rows) == expected.predict(X)).all()


def test_declared_classes_without_rows_win_nothing():
    X, y = three_classes()
    model = LeastSquaresClassifier().partial_fit(X, y, classes=["a", "b", "c", "z"])
    np.testing.assert_allclose(values(model, X)[:, 3], 0, atol=1e-12)
    assert set(model.predict(100 * X)) == {"a", "b", "c"}
    np.testing.assert_allclose(values(model, X)[:, :3], values(fit(X, y), X), atol=1e-12)
    alone = LeastSquaresClassifier().partial_fit(X[y == "a"], y[y == "a"], classes=["a", "b"])
    assert set(alone.predict(X)) == {"a"}


def test_there_are_no_probabilities_and_the_error_says_why():
    model = fit(IRIS, SPECIES)
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=r"LeastSquaresClassifier has no probabilities.*LogisticRegression"):
            getattr(model, name)


def test_files_hold_the_statistic_and_nothing_made_of_it():
    model = fit(IRIS, SPECIES)
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded._regression is None
    assert (loaded.decision_function(IRIS) == model.decision_function(IRIS)).all()


X, Y = three_classes()
BAD: dict[str, tuple[Any, Any, Any, str]] = {
    "one class": (X, ["only"] * 60, None, "one class only \\('only'\\).*partial_fit"),
    "one class that counts": (X, Y, (Y == "a") * 1.0, "one class only"),
    "measurements as labels": (X, np.linspace(0, 1, 60), None, "cut them into classes"),
    "a hole": (np.where(X[3, 1] == X, np.nan, X), Y, None, r"NaN \(row 3, column 1\).*takes no missing cells"),
    "a sparse hole": (sparse.csr_array([[0.0, np.nan], [1.0, 0.0]]), ["a", "b"], None, r"NaN \(row 0, column 1\)"),
    "infinity": (np.where(X[3, 1] == X, np.inf, X), Y, None, r"infinity \(row 3, column 1\)"),
    "huge": (X * 1e300, Y, None, "too large to square.*columns 0, 1, 2; give these columns larger units"),
    "one huge column": (X * [1, 1e300, 1], Y, None, "too large to square.*columns 1;"),
    "nothing varies": (np.zeros((60, 2)), Y, None, "every column is constant"),
    "no rows": (X[:0], Y[:0], None, "table is empty"),
    "no labels": (X, None, None, "y is None; give one label a row"),
    "negative weight": (X, Y, -np.ones(60), "negative in row 0"),
}


@pytest.mark.parametrize(("rows", "labels", "weight", "message"), list(BAD.values()), ids=list(BAD))
def test_bad_input(rows, labels, weight, message):
    model = fit(X, Y)
    before = values(model, X)
    with pytest.raises(DistinguoError, match=message):
        model.fit(rows, labels, sample_weight=weight)
    np.testing.assert_array_equal(values(model, X), before)  # the model stays as it was


def test_bad_parts():
    model = fit(X, Y)
    for use, rows, labels, message in (
        (model.forget, np.vstack([X, X[:1]]), np.append(Y, "a"), "cannot forget more rows of class 'a'"),
        (model.forget, X, Y, "nothing would be left"),
        (model.partial_fit, X[:, :2], Y, "expecting 3 features"),
        (model.leave_one_out, X[:1], ["z"], "class 'z', which was not fitted"),
        (model.leave_one_out, X, Y[:3], "inconsistent numbers of samples"),
    ):
        with pytest.raises(InputError, match=message):
            use(rows, labels)
    with pytest.raises(InputError, match="only fitted models"):
        model + LeastSquaresClassifier()
    with pytest.raises(TypeError):
        model + LinearDiscriminantAnalysis().fit(X, Y)


def test_a_thousand_classes():
    labels = np.arange(3000) % 1000
    angles = 2 * np.pi * labels / 1000
    rows = np.column_stack([np.cos(angles), np.sin(angles)]) + np.random.default_rng(0).normal(0, 1e-6, (3000, 2))
    model = LeastSquaresClassifier().fit(rows, labels)  # on a circle none lies between others, and none is masked
    assert model.score(rows, labels) > 0.99
    np.testing.assert_allclose(model.leave_one_out(rows[:5], labels[:5]).sum(axis=1), 1)
    assert model.signed_distance(rows[:5]).argmax(axis=1).tolist() == [0, 1, 2, 3, 4]
