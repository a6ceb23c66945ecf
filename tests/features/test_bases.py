"""Bases of columns as transformers: R's values, laws, containers, limits and bad input."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.interpolate import CubicSpline
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    FlexibleDiscriminantAnalysis,
    GaussianBasis,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NaturalSplines,
    PolynomialBasis,
)
from distinguo.exceptions import InputError, InputTypeError, LeftOutWarning

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)
BASES = [
    GaussianBasis(n_centers=4),
    GaussianBasis(centers="grid", n_centers=2),
    PolynomialBasis(),
    PolynomialBasis(3, interactions=False),
    NaturalSplines(),
    NaturalSplines(df=1),
]


def is_grid(basis: Any) -> bool:
    return basis.get_params().get("centers") == "grid"


every_basis = pytest.mark.parametrize("basis", BASES, ids=str)


# Some checks bring thirty columns, over which no grid but one centre is small.
@parametrize_with_checks([basis.set_params(n_centers=1) if is_grid(basis) else basis for basis in map(clone, BASES)])
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def table(seed: int = 0, n: int = 60, p: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 5


def rings(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A ring around a ring, which no line tells apart."""
    rng = np.random.default_rng(seed)
    outer = rng.integers(0, 2, n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 1.5 * outer + 0.35 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), outer


# Reference values


def test_natural_splines_are_those_of_r() -> None:
    """R 4.2.2: b <- ns(x, df=4); fitted(lm(y ~ b)); cbind(1, predict(b, c(-3, 3, 20))) %*% coef."""
    x = np.array([0, 0.5, 1, 2, 2.5, 4, 5, 7, 7.5, 9, 10, 12])[:, None]
    y = np.array([1, 3, 2, 5, 4, 4, 2, 0, 1, 3, 6, 5])
    basis = NaturalSplines(df=4).fit(x)
    assert basis.knots_[0].tolist() == [0, 1.75, 4.5, 7.875, 12]
    ninth = [0.286419050779, 0.557047252322, 0.181641640667, -0.0254318828678]
    np.testing.assert_allclose(basis.transform(x[8:9])[0], ninth, rtol=1e-10)
    design = np.column_stack([np.ones(12), basis.transform(x)])
    coef = np.linalg.lstsq(design, y)[0]
    fitted = [
        0.93120786439401, 2.20408440936169, 3.32895856517223, 4.54842323196183, 4.49033594634154, 2.86143432174245,
        1.81117302976419, 1.50678622320885, 1.71744865102237, 2.78630867354602, 3.76325252214150, 6.05058656134331,
    ]  # fmt: skip
    np.testing.assert_allclose(design @ coef, fitted, rtol=1e-11)
    elsewhere = np.column_stack([np.ones(3), basis.transform([[-3], [3], [20]])]) @ coef
    np.testing.assert_allclose(elsewhere, [-6.8540537945693, 4.1050184222745, 15.5555988162955], rtol=1e-11)


def test_weighted_knots_are_those_of_repeated_rows() -> None:
    """R 4.2.2: quantile(rep(x, w), c(.25, .5, .75)) is 1, 5, 7.5."""
    x = np.array([0, 0.5, 1, 2, 2.5, 4, 5, 7, 7.5, 9, 10, 12])[:, None]
    weight = [1, 2, 3, 1, 1, 0, 2, 1, 4, 1, 1, 1]
    assert NaturalSplines().fit(x, sample_weight=weight).knots_[0].tolist() == [0, 1, 5, 7.5, 12]


@few
@given(seed=seeds, m=st.integers(1, 6))
def test_natural_splines_hold_every_natural_interpolant(seed: int, m: int) -> None:
    """SciPy's natural CubicSpline through the knots is in the space, between the knots and at their ends."""
    rng = np.random.default_rng(seed)
    knots = np.cumsum(rng.uniform(0.1, 3, m + 1)) + rng.normal()
    values = rng.normal(size=m + 1)
    basis = NaturalSplines(knots=[knots[1:-1]]).fit(knots[:, None])
    at_knots = np.column_stack([np.ones(m + 1), basis.transform(knots[:, None])])
    assert at_knots.shape == (m + 1, m + 1)
    coef = np.linalg.solve(at_knots, values)
    x = np.linspace(knots[0], knots[-1], 50)
    curve = np.column_stack([np.ones(50), basis.transform(x[:, None])]) @ coef
    spline = CubicSpline(knots, values, bc_type="natural") if m > 1 else lambda x: np.interp(x, knots, values)
    np.testing.assert_allclose(curve, spline(x), atol=1e-9)


def test_natural_splines_are_straight_beyond_the_ends() -> None:
    basis = NaturalSplines(df=5).fit(table(1))
    for end in (basis.knots_[0][0] - 5, basis.knots_[0][-1] + 5):
        steps = basis.transform(np.column_stack([end + np.linspace(-4, 4, 5), np.full(5, 5.0)]))
        np.testing.assert_allclose(np.diff(steps, n=2, axis=0), 0, atol=1e-11)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_polynomials_of_standardised_columns(degree: int) -> None:
    """scikit-learn has the same products, of columns as they come; its names are for those."""
    X = table(2, p=3)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = PolynomialFeatures(degree, include_bias=False).fit(Z)
    ours = PolynomialBasis(degree).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(Z), rtol=1e-9, atol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    alone = PolynomialBasis(degree, interactions=False).fit(X)
    expected = np.hstack([Z**power for power in range(1, degree + 1)])
    np.testing.assert_allclose(alone.transform(X), expected, rtol=1e-9, atol=1e-12)


def test_bumps_by_hand() -> None:
    """Two columns of variance one about zero: squared distances are means over the columns."""
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    basis = GaussianBasis(centers=[[0.0, 0.0], [1.0, 1.0]], width=0.5).fit(corners)
    np.testing.assert_allclose(basis.transform([[0.0, 1.0]]), np.exp([[-0.5 / 0.5, -0.5 / 0.5]]))
    np.testing.assert_allclose(basis.transform([[1.0, 1.0]]), [[np.exp(-2), 1.0]])
    # Without a width: the nearest centres are one apart in mean square.
    assert GaussianBasis(centers=[[0.0, 0.0], [1.0, 1.0]]).fit(corners).width_ == pytest.approx(1.0)
    grid = GaussianBasis(centers="grid", n_centers=3).fit(corners * [1.0, 10.0])
    assert grid.centers_.tolist() == [[a, b] for a in (-1, 0, 1) for b in (-10, 0, 10)]
    assert grid.width_ == pytest.approx(np.sqrt(0.5))
    assert GaussianBasis(centers="grid", n_centers=1).fit(corners).centers_.tolist() == [[0, 0]]


def test_bumps_lie_where_k_means_finds_the_rows() -> None:
    """scikit-learn's k-means ends in the same places where clusters are clear."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 40, axis=0) + rng.normal(size=(120, 2)) / 4
    ours = GaussianBasis(n_centers=3).fit(X).centers_
    theirs = KMeans(3, n_init=5, random_state=0).fit(X).cluster_centers_
    np.testing.assert_allclose(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)], atol=1e-8)


# What they are for


def test_a_ring_inside_a_ring() -> None:
    X, y = rings(0)
    new, truth = rings(1)
    for model in (LinearDiscriminantAnalysis(), LogisticRegression(C=10.0)):
        assert clone(model).fit(X, y).score(new, truth) < 0.65
        for basis in (GaussianBasis(n_centers=12), GaussianBasis(centers="grid"), PolynomialBasis(2)):
            assert make_pipeline(clone(basis), clone(model)).fit(X, y).score(new, truth) > 0.95


def test_lda_on_squares_and_products_is_fda_with_a_polynomial() -> None:
    X, y = rings(2, 200)
    expanded = make_pipeline(PolynomialBasis(2), LinearDiscriminantAnalysis()).fit(X, y)
    flexible = FlexibleDiscriminantAnalysis(regression="polynomial", degree=2).fit(X, y)
    np.testing.assert_allclose(expanded.predict_proba(X), flexible.predict_proba(X), atol=1e-7)


def test_a_grid_search_finds_how_much_a_curve_bends() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, (300, 1))
    y = np.sin(x[:, 0]) + rng.normal(size=300) / 3 > 0
    search = GridSearchCV(
        make_pipeline(NaturalSplines(), LinearDiscriminantAnalysis()), {"naturalsplines__df": [1, 2, 8]}, cv=3
    )
    assert search.fit(x, y).best_params_ == {"naturalsplines__df": 8}


# Laws


@every_basis
def test_weight_is_repetition_and_order_does_not_matter(basis: Any) -> None:
    X = table(3).round(1)
    rng = np.random.default_rng(4)
    weight = rng.integers(0, 4, len(X))
    weighted = clone(basis).fit(X, sample_weight=weight).transform(X)
    repeated = clone(basis).fit(rng.permutation(np.repeat(X, weight, axis=0))).transform(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


@every_basis
@few
@given(seed=seeds, power=st.integers(-8, 8))
def test_units_do_not_matter(basis: Any, seed: int, power: int) -> None:
    X = table(seed)
    units = np.array([10.0**power, 2.0])
    moved = X * units + np.array([3.0, 0.0]) * units
    found = clone(basis).fit(X).transform(X)
    np.testing.assert_allclose(clone(basis).fit(moved).transform(moved), found, atol=1e-6)


@every_basis
def test_rows_are_evaluated_one_by_one(basis: Any) -> None:
    X = table(5)
    fitted = clone(basis).fit(X)
    values = fitted.transform(X)
    assert values.shape == (60, len(fitted.get_feature_names_out()))
    np.testing.assert_allclose(np.vstack([fitted.transform(row[None]) for row in X]), values, atol=1e-12)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(X), values)
    # The functions and a constant are not redundant.
    assert np.linalg.matrix_rank(np.column_stack([np.ones(60), values])) == values.shape[1] + 1


@every_basis
def test_rows_of_any_library(basis: Any) -> None:
    X = table(6)
    names = ["age", "dose"]
    values = clone(basis).fit(X).transform(X)
    for rows in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        fitted = clone(basis).fit(rows)
        assert fitted.feature_names_in_.tolist() == names
        assert np.array_equal(fitted.transform(rows), values)
        for library, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
            out = clone(basis).set_output(transform=library).fit_transform(rows)
            assert isinstance(out, kind)
            assert list(out.columns) == fitted.get_feature_names_out().tolist()
    assert np.array_equal(clone(basis).fit(sparse.csr_array(X)).transform(sparse.csr_array(X)), values)


def test_names_say_which_function() -> None:
    rows = pd.DataFrame(table(7), columns=["age", "dose"])
    assert PolynomialBasis().fit(rows).get_feature_names_out().tolist() == [
        "age", "dose", "age^2", "age dose", "dose^2",
    ]  # fmt: skip
    assert NaturalSplines(df=2).fit(rows).get_feature_names_out().tolist() == [
        "age_ns0", "age_ns1", "dose_ns0", "dose_ns1",
    ]  # fmt: skip
    assert GaussianBasis(n_centers=2).fit(rows).get_feature_names_out().tolist() == ["bump0", "bump1"]
    unnamed = PolynomialBasis(1).fit(rows.to_numpy())
    assert unnamed.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    for names in (["a"], ["dose", "age"]):
        with pytest.raises(InputError, match="input_features should have the names of the 2 columns"):
            PolynomialBasis(1).fit(rows).get_feature_names_out(names)


# Limits


@every_basis
def test_a_constant_column_is_left_out_by_name(basis: Any) -> None:
    X = table(8)
    rows = pd.DataFrame(X, columns=["age", "dose"]).assign(site=7.0)
    with pytest.warns(LeftOutWarning, match=r"left out 1 constant column\(s\): 'site'"):
        fitted = clone(basis).fit(rows)
    np.testing.assert_allclose(fitted.transform(rows), clone(basis).fit(X).transform(X), atol=1e-12)


def test_a_constant_column_keeps_its_place_in_what_is_told() -> None:
    rows = np.column_stack([np.full(60, 7.0), table(8)])
    with pytest.warns(LeftOutWarning):
        assert (GaussianBasis(n_centers=3).fit(rows).centers_[:, 0] == 7).all()
    with pytest.warns(LeftOutWarning):
        assert [len(knots) for knots in NaturalSplines(df=2).fit(rows).knots_] == [0, 3, 3]


def test_columns_of_few_values_have_fewer_knots() -> None:
    x = np.array([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 2])[:, None]
    basis = NaturalSplines().fit(x)
    assert basis.knots_[0].tolist() == [0, 1, 2]
    indicator = NaturalSplines().fit((x > 0) * 1.0)
    assert indicator.knots_[0].tolist() == [0, 1]
    values = indicator.transform([[0.0], [1.0], [3.0]])
    np.testing.assert_allclose(values / values[1], [[0], [1], [3]], atol=1e-12)


def test_far_from_all_centres_every_bump_is_zero() -> None:
    basis = GaussianBasis().fit(table(9))
    assert basis.transform([[1e9, -1e9]]).tolist() == [[0.0] * 10]


# Bad input

X = table(10)
HOLED = np.where(np.arange(60)[:, None] + np.arange(2) == 4, np.nan, X)
ROWS: dict[str, tuple[Any, Any, str]] = {
    "missing cell": (HOLED, None, r"X contains NaN \(row 3, column 1\), and a function of a missing cell has no value"),
    "infinity": (np.where(np.isnan(HOLED), np.inf, X), None, r"infinity \(row 3, column 1\)"),
    "constant": (np.ones((5, 2)), None, r"no column varies in 5 sample\(s\)"),
    "one row that counts": (X, [1.0] + [0.0] * 59, r"no column varies in 1 sample\(s\)"),
    "empty": (X[:0], None, "table is empty"),
    "one dimension": (X[:, 0], None, "Expected 2D array"),
    "text": (pd.DataFrame({"a": ["low", "high"]}), None, "not numbers: 'a'|not a number.*'low'"),
    "negative weight": (X, -np.ones(60), "sample_weight is negative"),
    "too few weights": (X, np.ones(5), r"expected \(60,\)"),
    "numbers too large": (X * 1e160, None, r"too large to square .* columns 0, 1; give these columns larger units"),
}


@every_basis
@pytest.mark.parametrize(("rows", "weight", "message"), list(ROWS.values()), ids=list(ROWS))
def test_rows_refused(basis: Any, rows: Any, weight: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        clone(basis).fit(rows, sample_weight=weight)


@every_basis
def test_other_rows_refused_at_transform(basis: Any) -> None:
    fitted = clone(basis).fit(pd.DataFrame(X, columns=["age", "dose"]))
    for rows, message in (
        (pd.DataFrame(HOLED, columns=["age", "dose"]), r"X contains NaN \(row 3, column 'dose'\)"),
        (pd.DataFrame(X, columns=["dose", "age"]), "same order"),
        (pd.DataFrame(X[:, :1], columns=["age"]), "yet now missing:\n- dose"),
    ):
        with pytest.raises(InputError, match=message):
            fitted.transform(rows)


OPTIONS: list[tuple[Any, str]] = [
    *[(PolynomialBasis(degree=bad), "degree=.* must be a whole number of at least 1") for bad in (0, 1.5, True, "2")],
    (PolynomialBasis(interactions="no"), "interactions='no' must be True or False"),
    (PolynomialBasis(degree=200), "degree=200 gives 20300 products of 2 columns, more than 20000"),
    *[(GaussianBasis(n_centers=bad), "n_centers=.* must be a whole number of at least 1") for bad in (0, 2.5, "3")],
    *[(GaussianBasis(width=bad), "width=.* must be a positive number") for bad in (0, -1.0, np.nan, np.inf, "wide")],
    (GaussianBasis(n_centers=61), r"60 different sample\(s\) cannot have 61 centres"),
    (GaussianBasis(centers="random"), "centers='random' is not known; use 'kmeans', 'grid', or an array"),
    (GaussianBasis(centers=[[1.0]]), r"of shape \(m, 2\), one row a centre; it is \(1, 1\)"),
    (GaussianBasis(centers=np.empty((0, 2))), r"it is \(0, 2\)"),
    (GaussianBasis(centers=[[1.0, np.nan]]), "must be finite"),
    (GaussianBasis(centers=[["a", "b"]]), "centers must be 'kmeans', 'grid', or numbers"),
    (GaussianBasis(centers=[[1.0, 2.0]], n_centers=1), "n_centers=1 has no effect where centers are given"),
    (GaussianBasis(centers="grid", n_centers=101), "a grid of 101 centres along each of 2 columns has more than 10000"),
    (GaussianBasis(random_state="seed"), "random_state='seed' must be"),
    *[(NaturalSplines(df=bad), "df=.* must be a whole number of at least 1") for bad in (0, 2.5, True, "4")],
    (NaturalSplines(df=3, knots=[[5.0], [5.0]]), "df=3 has no effect where knots are given"),
    (NaturalSplines(knots=[[5.0]]), "knots has 1 sequences, and there are 2 columns"),
    (NaturalSplines(knots=[[5.0], [1e9]]), r"knots\[1\] has 1e\+09, which is not between"),
    (NaturalSplines(knots=[[np.nan], []]), r"knots\[0\] has nan, which is not between"),
    *[(NaturalSplines(knots=bad), "one sequence of numbers for each column") for bad in ("ab", 5, [["a"], ["b"]])],
]


@pytest.mark.parametrize(("basis", "message"), OPTIONS)
def test_options_refused(basis: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        basis.fit(X)
