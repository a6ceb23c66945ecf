"""Paths over strengths: where they begin, the values of glmnet, and every point the optimum of its own."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from distinguo import LogisticRegression, logistic_path
from distinguo.exceptions import InputError

# Rows that R makes in the same way:
#   i <- 1:60; x <- sapply(1:8, function(j) sin(i * (j + 1)) * j + cos(i * j^2)); w <- 1 + i %% 3
#   y2 <- as.integer(x[, 1] - x[, 2] / 2 + 2 * sin(7 * i^2) > 0); y3 <- floor(4 * sin(i^2) + x[, 1] + 9) %% 3
i, j = np.arange(1, 61)[:, None], np.arange(1, 9)
X = np.sin(i * (j + 1)) * j + np.cos(i * j**2)
i = i.ravel()
WEIGHT = 1.0 + i % 3
Y2 = (X[:, 0] - X[:, 1] / 2 + 2 * np.sin(7 * i**2) > 0).astype(int)
Y3 = (np.floor(4 * np.sin(i**2) + X[:, 0] + 9) % 3).astype(int)

# R 4.2.2, glmnet 4.1-6: glmnet(x, y2, family = "binomial", alpha = a, weights = w, lambda = c(.2, .1, .03, .005),
# thresh = 1e-14, maxit = 1e7); by alpha: max(lambda) of its own grid, a0, beta at .03 and at .005, dev.ratio.
BINOMIAL = {
    1.0: (
        0.194400224014,
        [-0.268263987, -0.280574043, -0.34822659205, -0.3966728258],
        [0.55659979933, -0.46385214002, -0.02344085038, 0, -0.04447974183, 0, 0, -0.00698369985],
        [0.7319440235, -0.5658314511, -0.0687427516, 0, -0.0797275719, 0, 0.0219301325, -0.0363182639],
        [0, 0.123252659, 0.204086466, 0.224278089],
    ),
    0.5: (
        0.388800448027,
        [-0.273330902, -0.3015114598, -0.35522219737, -0.39781644315],
        [0.59238664888, -0.47571601194, -0.05040266081, 0, -0.06044116472, 0, 0.00708258646, -0.02027932712],
        [0.73840421062, -0.5689661776, -0.07349549166, 0.00617852648, -0.08303706733, 0, 0.02507341956, -0.03894403974],
        [0.0933771516, 0.1611483579, 0.2138292846, 0.224762716],
    ),
}
# glmnet(x, y3, family = "multinomial", alpha = a, lambda = c(.1, .03, .005), thresh = 1e-14, maxit = 1e7):
# max(lambda), a0 (a row a class), and the three beta at .03.
MULTINOMIAL = {
    1.0: (
        0.131976169231,
        [
            [0.00836325932, 0.0623349523, 0.1230200524],
            [-0.10607969252, -0.1537504259, -0.2020499419],
            [0.0977164332, 0.0914154736, 0.0790298895],
        ],
        [
            [0, 0.178969081, 0, 0, 0, 0, 0, 0],
            [-0.0624515861, 0, 0.0151361735, -0.1694106603, 0.065240047, -0.0374174759, 0, -0.0496220636],
            [0, 0, 0, 0.023594584624, -0.087380052147, 0, 0.000686328412, 0.031174840124],
        ],
    ),
    0.5: (
        0.263952338462,
        [
            [0.0276802495, 0.0829898975, 0.1292095702],
            [-0.1202787191, -0.1662226671, -0.2062145721],
            [0.0925984697, 0.0832327696, 0.0770050019],
        ],
        [
            [0, 0.2088131309, -0.0031301771, 0, 0, 0, 0, 0],
            [-0.117924312, 0, 0.0416138967, -0.1773528879, 0.0792254925, -0.051302702, 0, -0.0582846487],
            [0.01396119146, 0, 0, 0.05065347735, -0.09784432662, 0.00106746211, 0.01319557449, 0.0394759575],
        ],
    ),
}


@pytest.mark.parametrize("alpha", BINOMIAL)
def test_two_classes_as_in_glmnet(alpha):
    greatest, constants, third, fourth, explained = BINOMIAL[alpha]
    Cs = 1 / (np.array([0.2, 0.1, 0.03, 0.005]) * WEIGHT.sum())
    path = logistic_path(X, Y2, WEIGHT, Cs=Cs, l1_ratio=alpha, tol=1e-11)
    np.testing.assert_allclose(path.lambdas, [0.2, 0.1, 0.03, 0.005])
    np.testing.assert_allclose(path.intercepts[:, 0], constants, atol=1e-7)
    np.testing.assert_allclose(path.coefs[2:, 0], [third, fourth], atol=1e-7)
    np.testing.assert_allclose(path.deviance_ratio, explained, atol=1e-8)
    grid = logistic_path(X, Y2, WEIGHT, l1_ratio=alpha)
    np.testing.assert_allclose(grid.lambdas[0], greatest, rtol=1e-11)
    np.testing.assert_allclose(grid.lambdas, greatest * 10 ** (-4 * np.arange(100) / 99))


@pytest.mark.parametrize("alpha", MULTINOMIAL)
def test_three_classes_as_in_glmnet(alpha):
    greatest, constants, middle = MULTINOMIAL[alpha]
    path = logistic_path(X, Y3, Cs=1 / (np.array([0.1, 0.03, 0.005]) * 60), l1_ratio=alpha, tol=1e-11)
    np.testing.assert_allclose(path.intercepts, np.transpose(constants), atol=1e-7)
    np.testing.assert_allclose(path.coefs[1], middle, atol=1e-7)
    np.testing.assert_allclose(logistic_path(X, Y3, Cs=2, l1_ratio=alpha).lambdas[0], greatest, rtol=1e-11)


def test_the_example_of_glmnet(shared_data):
    # glmnet(x, y, family = "binomial", thresh = 1e-14): max(lambda), df[1:25], dev.ratio[c(10, 40, 70, 95)], and
    # predict(newx = x[1:5, ], type = "class", s = c(.05, .01)), on BinomialExample.
    table = pl.read_csv(shared_data("glmnet_binomialexample.csv"))
    rows, y = table.drop("y").to_numpy(), table["y"].to_numpy()
    path = logistic_path(rows, y)
    assert path.lambdas[0] == pytest.approx(0.2404762331, abs=1e-10)
    df = [0, 1, 1, 2, 2, 2, 2, 3, 7, 8, 8, 8, 9, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 17, 17]
    assert path.n_nonzero[:25].tolist() == df
    np.testing.assert_allclose(
        path.deviance_ratio[[9, 39, 69, 94]], [0.262641427, 0.824878404, 0.98698824, 0.998733947], atol=1e-7
    )
    near = [np.abs(path.lambdas - strength).argmin() for strength in (0.05, 0.01)]
    assert path.predict(rows[:5])[near].tolist() == [[0, 1, 1, 0, 1]] * 2


@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
@pytest.mark.parametrize(
    "options", [{}, {"l1_ratio": 0.3}, {"standardize": False}, {"class_weight": "balanced"}], ids=str
)
def test_the_grid_begins_where_the_first_column_comes_in(y, options):
    offset = np.zeros((60, len(np.unique(y))))
    offset[:, 1] = np.cos(i)
    offset = offset[:, 1] if y is Y2 else offset
    first = logistic_path(X, y, WEIGHT, offset, Cs=2, **options).Cs[0]
    path = logistic_path(X, y, WEIGHT, offset, Cs=[first * (1 - 1e-6), first * (1 + 1e-3)], tol=1e-10, **options)
    assert path.n_nonzero.tolist() == [0, 1]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_every_point_is_the_fit_at_its_strength(form, y, l1_ratio):
    path = logistic_path(form(X), y, WEIGHT, Cs=5, l1_ratio=l1_ratio, tol=1e-10)
    assert (path.status == "converged").all()
    assert path.optimality.max() < 1e-8
    for at, C in enumerate(path.Cs.tolist()):
        model = LogisticRegression(C, l1_ratio=l1_ratio, standardize=True, tol=1e-10).fit(form(X), y, WEIGHT)
        np.testing.assert_allclose(path.coefs[at], model.coef_, atol=1e-6)
        np.testing.assert_allclose(path.intercepts[at], model.intercept_, atol=1e-6)
        np.testing.assert_allclose(path.predict_proba(X)[at], model.predict_proba(X), atol=1e-6)
        np.testing.assert_allclose(path.decision_function(X)[at], model.decision_function(X), atol=1e-6)
    assert path.predict(form(X)).shape == (5, 60)


def test_columns_that_the_rule_left_out_come_back():
    # Two columns that stand in for each other at first: rules from the last strength alone do not see it.
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 400))
    rows[:, 1] = rows[:, 0] + 0.1 * rows[:, 1]
    y = (rows[:, 0] - 3 * (rows[:, 1] - rows[:, 0]) + 0.5 * rng.normal(size=50) > 0).astype(int)
    path = logistic_path(rows, y, Cs=30)
    assert path.optimality.max() < 1e-8
    assert path.lambdas[-1] == pytest.approx(path.lambdas[0] / 100)  # fewer rows than columns


def test_rows_to_predict_are_checked():
    table = pl.DataFrame(X, schema=list("abcdefgh"))
    path = logistic_path(table, Y2, Cs=3)
    np.testing.assert_allclose(path.predict_proba(table), path.predict_proba(sparse.csr_array(X)), rtol=1e-12)
    with pytest.raises(InputError, match="expecting 8 features"):
        path.predict(X[:, :3])
    with pytest.raises(InputError, match="feature names"):
        path.predict(table.rename({"a": "z"}))
    with pytest.raises(InputError, match="X contains NaN"):
        path.predict(np.where(X[3, 3] == X, np.nan, X))


BAD = {
    "one point": ({"Cs": 1}, "whole number from 2"),
    "one value": ({"Cs": [1.0]}, "at least two"),
    "none": ({"Cs": []}, "at least two"),
    "descending": ({"Cs": [2.0, 1.0]}, "ascending"),
    "twice the same": ({"Cs": [1.0, 1.0]}, "ascending"),
    "negative": ({"Cs": [-1.0, 1.0]}, "positive"),
    "infinite": ({"Cs": [1.0, np.inf]}, "positive"),
    "not a number": ({"Cs": [1.0, np.nan]}, "positive"),
    "text": ({"Cs": "many"}, "whole number"),
    "bool": ({"Cs": True}, "whole number"),
    "l1_ratio": ({"l1_ratio": 1.5}, "l1_ratio=1.5 must be a number from 0 to 1"),
    "l1_ratio below": ({"l1_ratio": -0.1}, "l1_ratio"),
    "solver": ({"solver": "newton"}, "takes no l1_ratio above 0"),
    "offset": ({"offset": np.zeros(3)}, "offset has shape"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_options_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        logistic_path(X, Y2, **options)


def test_columns_that_tell_nothing_have_no_grid():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]] * 4)
    with pytest.raises(InputError, match="give Cs as numbers"):
        logistic_path(sparse.csr_array(np.tile(rows, (1, 600))), [0, 0, 1, 1] * 2)
