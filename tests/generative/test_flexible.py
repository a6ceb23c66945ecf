"""Flexible discriminant analysis against LDA, R's mda, optimal scoring by hand, and its laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.kernel_ridge import KernelRidge as ScikitKernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import FlexibleDiscriminantAnalysis, LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis
from distinguo.exceptions import InputError, InputTypeError, LeftOutWarning
from distinguo.features.basis import fit_kernel_ridge, powers
from distinguo.features.mars import Mars
from distinguo.features.splines import fit_splines
from distinguo.generative.optimal_scoring import class_contrasts
from tests.generative.cases import three_classes

REGRESSIONS = {
    "linear": {"regression": "linear"},
    "polynomial": {"regression": "polynomial"},
    "splines": {"regression": "splines"},
    "mars": {"regression": "mars"},
    "kernel": {"regression": "kernel"},
    "kernel-fixed": {"regression": "kernel", "width": 2.0, "penalty": 0.5},
    "kernel-polynomial": {"regression": "kernel", "kernel": "polynomial", "degree": 3, "penalty": 1e-3},
    "estimator": {"regression": Ridge(1e-3)},
}
every_regression = pytest.mark.parametrize("options", list(REGRESSIONS.values()), ids=list(REGRESSIONS))


@pytest.fixture
def vowel(shared_data):
    tables = [pd.read_csv(shared_data(f"vowel.{part}.csv")) for part in ("train", "test")]
    return [(table.drop(columns="y").to_numpy(), table["y"].to_numpy()) for table in tables]


def errors(model, X, y):
    return int((model.predict(X) != y).sum())


@pytest.mark.parametrize("regression", ["linear", LinearRegression()])
@pytest.mark.parametrize("priors", [None, "uniform", [0.2, 0.5, 0.3]])
@pytest.mark.parametrize("divisor", ["unbiased", "mle"])
def test_a_linear_regression_is_lda(regression, priors, divisor):
    X, y = load_wine(return_X_y=True)
    fda = FlexibleDiscriminantAnalysis(priors, regression=regression, divisor=divisor).fit(X, y)
    lda = LinearDiscriminantAnalysis(priors, divisor=divisor).fit(X, y)
    assert_allclose(fda.predict_proba(X), lda.predict_proba(X), atol=1e-8)
    assert_allclose(fda.means_, lda.means_)
    assert_allclose(fda.covariance_, lda.covariance_)


def test_its_variates_are_those_of_lda():
    X, y = load_wine(return_X_y=True)
    fda, lda = FlexibleDiscriminantAnalysis(regression="linear").fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(fda.explained_variance_ratio_, lda.explained_variance_ratio_)
    ours, theirs = fda.transform(X), lda.transform(X)
    assert_allclose(ours * np.sign(ours[0] * theirs[0]), theirs, atol=1e-8)
    assert fda.get_feature_names_out().tolist() == ["LD1", "LD2"]
    one = [m.fit(X, y).predict_proba(X) for m in (lda.set_params(n_components=1), fda.set_params(n_components=1))]
    assert_allclose(one[1], one[0], atol=1e-8)
    assert fda.transform(X).shape == (178, 1)
    assert fda.explained_variance_ratio_.shape == fda.residuals_.shape == (1,)


# R 4.2.2, mda 0.5-3: fda(y ~ ., data = train, dimension = d), errors of 462 by dimension.
def test_vowel_by_dimension_is_that_of_mda(vowel):
    (X, y), (A, b) = vowel
    models = [FlexibleDiscriminantAnalysis(regression="linear", n_components=d).fit(X, y) for d in range(1, 11)]
    assert [errors(model, A, b) for model in models] == [323, 227, 229, 236, 238, 256, 256, 257, 255, 257]
    assert errors(models[-1], X, y) == 167
    # Percent Between-Group Variance Explained, cumulated
    percent = [56.17, 91.35, 95.80, 97.72, 98.78, 99.61, 99.87, 99.98, 99.99, 100.0]
    assert_allclose(100 * np.cumsum(models[-1].explained_variance_ratio_), percent, atol=0.005)


def test_a_quadratic_polynomial_is_that_of_mda(vowel):
    (X, y), (A, b) = vowel
    model = FlexibleDiscriminantAnalysis(regression="polynomial").fit(X, y)
    # fda(y ~ ., data = train, method = polyreg, degree = 2)
    assert (errors(model, X, y), errors(model, A, b)) == (12, 203)
    percent = [45.15, 73.70, 86.42, 91.42, 95.99, 97.76, 98.65, 99.23, 99.70, 100.0]
    assert_allclose(100 * np.cumsum(model.explained_variance_ratio_), percent, atol=0.005)


def test_splines_do_as_well_as_bruto(vowel, shared_data):
    (X, y), (A, b) = vowel
    # fda(y ~ ., data = train, method = bruto): 206 of 462, and 208 and 202 in two and three dimensions
    assert errors(FlexibleDiscriminantAnalysis().fit(X, y), A, b) <= 206
    assert errors(FlexibleDiscriminantAnalysis(n_components=3).fit(X, y), A, b) <= 212
    tables = [np.loadtxt(shared_data(f"waveform.{part}.csv"), delimiter=",", skiprows=1) for part in ("train", "test")]
    model = FlexibleDiscriminantAnalysis().fit(tables[0][:, 1:], tables[0][:, 0])
    assert errors(model, tables[1][:, 1:], tables[1][:, 0]) <= 101  # bruto: 99 of 500


@pytest.mark.parametrize(("degree", "terms", "most"), [(1, 61, 0.46), (2, 101, 0.46)])
def test_mars_bends_the_boundary(vowel, degree, terms, most):
    (X, y), (A, b) = vowel
    model = FlexibleDiscriminantAnalysis(regression=Mars(degree=degree, max_terms=terms)).fit(X, y)
    assert errors(model, A, b) <= most * 462


def test_a_polynomial_is_lda_on_powers_and_products():
    X, y = load_iris(return_X_y=True)
    wide = powers(X - X.mean(axis=0), 2)
    lda = LinearDiscriminantAnalysis().fit(wide, y)
    fda = FlexibleDiscriminantAnalysis(regression="polynomial").fit(X, y)
    assert_allclose(fda.predict_proba(X), lda.predict_proba(wide), atol=1e-8)
    first = FlexibleDiscriminantAnalysis(regression="polynomial", degree=1).fit(X, y)
    assert_allclose(first.predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-8)


def test_a_ridge_regression_is_penalised_discriminant_analysis():
    X, y = three_classes(p=4)
    fda = FlexibleDiscriminantAnalysis(regression=Ridge(7.0, solver="svd")).fit(X, y)
    pda = PenalizedDiscriminantAnalysis(gamma=7.0 / (len(y) - 3)).fit(X, y)
    assert_allclose(fda.predict_proba(X), pda.predict_proba(X), atol=1e-8)


def test_coins_scored_by_hand_are_not_masked():
    # The lecture's three coins: optimal scoring errs on none of 900, nor does its first score alone.
    rng = np.random.default_rng(0)
    centres = np.array([[7.5, 23.25], [7.8, 24.25], [8.5, 25.75]])
    y = np.repeat([0, 1, 2], 300)
    X = centres[y] + rng.normal(0, 0.1, (900, 2))
    design, Y = np.column_stack([np.ones(900), X]), np.eye(3)[y]
    fitted = design @ np.linalg.lstsq(design, Y, rcond=None)[0]
    assert ((fitted.argmax(axis=1) != y).sum(), (fitted.argmax(axis=1)[300:600] != 1).sum()) == (117, 97)
    explained = eigh(Y.T @ fitted / 900, Y.T @ Y / 900, eigvals_only=True)[::-1][1:]
    model = FlexibleDiscriminantAnalysis(regression="linear").fit(X, y)
    assert_allclose(model.residuals_, 1 - explained, rtol=1e-9)
    assert_allclose(np.sort(model.scores_[:, 0]), [-1.12, -0.19, 1.31], atol=0.005)
    assert errors(model, X, y) == errors(model.set_params(n_components=1).fit(X, y), X, y) == 0


def test_contrasts_are_standard():
    weight = np.array([3.0, 1.0, 7.0, 2.0])
    H = class_contrasts(weight)
    assert_allclose(weight @ H, 0, atol=1e-12)
    assert_allclose(H.T @ (weight[:, None] / weight.sum() * H), np.eye(3), atol=1e-12)


@every_regression
def test_weights_are_repetitions_and_rows_have_no_order(options):
    X, y = three_classes(n=80)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    place = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), weight))
    weighted = FlexibleDiscriminantAnalysis(**options).fit(X, y, sample_weight=weight)
    repeated = FlexibleDiscriminantAnalysis(**options).fit(X[place], y[place])
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)
    assert_allclose(weighted.explained_variance_ratio_, repeated.explained_variance_ratio_, atol=1e-7)


@pytest.mark.parametrize("name", ["linear", "polynomial", "splines", "mars", "kernel-fixed"])
def test_units_do_not_matter(name):
    X, y = three_classes()
    other = X * [1e6, 1e-5, 3.0] + [1e6, 1.0, -7.0]
    models = [FlexibleDiscriminantAnalysis(**REGRESSIONS[name]).fit(rows, y) for rows in (X, other)]
    assert_allclose(models[1].predict_proba(other), models[0].predict_proba(X), atol=1e-6)


@every_regression
def test_names_of_classes_do_not_matter(options):
    X, y = three_classes()
    names = dict(zip("abc", "zxy", strict=True))
    model = FlexibleDiscriminantAnalysis(**options).fit(X, y)
    other = FlexibleDiscriminantAnalysis(**options).fit(X, np.array([names[label] for label in y]))
    assert other.classes_.tolist() == ["x", "y", "z"]
    assert_allclose(other.predict_proba(X)[:, [2, 0, 1]], model.predict_proba(X), atol=1e-7)


@every_regression
def test_what_it_says_of_a_row(options):
    X, y = three_classes(n=120)
    model = FlexibleDiscriminantAnalysis(**options).fit(X, y)
    variates = model.transform(X)
    distances = ((variates[:, None] - model.variate_means_) ** 2).sum(axis=2)
    assert_allclose(model.class_log_density(X), -0.5 * distances - np.log(2 * np.pi), atol=1e-8)
    scores = model.class_log_density(X) + np.log(model.priors_)
    assert_allclose(model.predict_log_proba(X), scores - np.logaddexp.reduce(scores, axis=1)[:, None], atol=1e-8)
    assert_allclose(model.typicality(X), np.exp(-0.5 * distances), atol=1e-9)  # chi-squared of two degrees of freedom
    drawn, labels = model.sample(400, random_state=0)
    assert drawn.shape == (400, 2)
    assert_allclose(drawn[labels == "b"].mean(axis=0), model.variate_means_[1], atol=3.5 / np.sqrt(80))
    moved = model.with_priors([0.1, 0.1, 0.8])
    assert_allclose(
        moved.decision_function(X) - np.log([0.1, 0.1, 0.8]), scores - np.log(model.priors_) + np.log(2 * np.pi)
    )
    for absent in ("partial_fit", "forget", "leave_one_out", "__add__"):
        assert not hasattr(model, absent)


def test_splines_are_smooth_straight_or_out():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(500, 3))
    Y = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1], 2 * X[:, 1]]) + 0.1 * rng.normal(size=(500, 2))
    model = fit_splines(X, Y, np.ones(500))
    degrees = {curve.column: curve.df for curve in model.curves}
    assert degrees[0] >= 6
    assert degrees[1] == 1
    assert 2 not in degrees
    grid = np.linspace(-1.8, 1.8, 50)
    rows = np.column_stack([grid, np.zeros(50), np.zeros(50)])
    assert_allclose(model.predict(rows)[:, 0], np.sin(3 * grid), atol=0.12)
    outside = model.predict(np.array([[0.0, 3.0, 0.0], [0.0, 4.0, 0.0], [0.0, 5.0, 0.0]]))
    assert_allclose(np.diff(outside, n=2, axis=0), 0, atol=1e-9)  # straight beyond the rows


def test_the_criterion_of_splines_is_that_of_what_they_predict():
    """Of many columns with ties, some all but constant, whose curves have penalties of any size."""
    X, y = load_digits(return_X_y=True)
    X, y = X[::2], y[::2]
    Y = class_contrasts(np.bincount(y).astype(float))[y]
    model = fit_splines(X, Y, np.ones(len(X)))
    cost = 1 + 2 * sum(curve.df for curve in model.curves)
    rss = ((Y - model.predict(X)) ** 2).sum()
    assert model.gcv == pytest.approx(rss / len(X) / (1 - cost / len(X)) ** 2, rel=1e-9)
    # Straight lines of all columns are among what it chooses from.
    lines = np.column_stack([np.ones(len(X)), X])
    left = ((Y - lines @ np.linalg.lstsq(lines, Y)[0]) ** 2).sum()
    rank = np.linalg.matrix_rank(lines)
    assert model.gcv < left / len(X) / (1 - (1 + 2 * (rank - 1)) / len(X)) ** 2


def test_splines_of_straight_lines_are_least_squares():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 60), rng.integers(0, 2, 60)]).astype(float)  # two values: only lines
    Y = X @ [[3.0], [-2.0]] + 1
    assert_allclose(fit_splines(X, Y, np.ones(60)).predict(X), Y, atol=1e-9)


@pytest.mark.parametrize(("kernel", "degree"), [("gaussian", 2), ("polynomial", 3)])
def test_kernel_ridge_is_that_of_scikit_learn_but_for_the_constant(kernel, degree):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    ours = fit_kernel_ridge(X, Y, np.ones(40), kernel, 1.5, degree, 0.3)
    Z = ours.rows
    gram = (
        np.exp(-((Z[:, None] - Z) ** 2).sum(axis=2) / (2 * 3 * 1.5**2))
        if kernel == "gaussian"
        else (1 + Z @ Z.T / (3 * 1.5**2)) ** degree
    )
    middle = np.eye(40) - 1 / 40
    theirs = ScikitKernelRidge(alpha=0.3, kernel="precomputed").fit(middle @ gram @ middle, Y - Y.mean(axis=0))
    assert_allclose(ours.predict(X), theirs.predict(middle @ gram @ middle) + Y.mean(axis=0), atol=1e-9)
    values = np.linalg.eigvalsh(middle @ gram @ middle)
    assert ours.df == pytest.approx((values / (values + 0.3)).sum(), rel=1e-6)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks(
    [FlexibleDiscriminantAnalysis(**options) for name, options in REGRESSIONS.items() if name != "estimator"]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


class NoPredict:
    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("options", "kind", "match"),
    [
        ({"regression": "forest"}, InputError, "regression='forest' is not known"),
        ({"regression": NoPredict()}, InputTypeError, "fit and predict"),
        ({"regression": Ridge}, InputTypeError, "fit and predict"),
        ({"regression": None}, InputTypeError, "fit and predict"),
        ({"regression": "linear", "degree": 2}, InputError, "degree=2 cannot act"),
        ({"regression": Ridge(), "degree": 2}, InputError, "degree=2 cannot act"),
        ({"regression": "polynomial", "degree": 0}, InputError, "degree=0"),
        ({"regression": "polynomial", "degree": 1.5}, InputError, "degree=1.5"),
        ({"regression": "splines", "penalty": 1.0}, InputError, "penalty=1.0 cannot act"),
        ({"regression": "kernel", "kernel": "cubic"}, InputError, "kernel='cubic'"),
        ({"regression": "kernel", "degree": 2}, InputError, "degree=2 cannot act"),
        ({"regression": "kernel", "width": 0.0}, InputError, "width=0.0"),
        ({"regression": "kernel", "penalty": -1.0}, InputError, "penalty=-1.0"),
        ({"n_components": 3}, InputError, "n_components=3"),
        ({"n_components": 0}, InputError, "n_components=0"),
        ({"divisor": "n"}, InputError, "divisor"),
    ],
)
def test_bad_options_are_named(options, kind, match):
    with pytest.raises(kind, match=match):
        FlexibleDiscriminantAnalysis(**options).fit(*three_classes())


@every_regression
def test_odd_tables(options):
    X, y = three_classes(p=1)
    assert np.isfinite(FlexibleDiscriminantAnalysis(**options).fit(X, y).predict_proba(X)).all()
    X, y = three_classes()
    X[:, 1] = 4.0
    few = np.r_[np.flatnonzero(y != "c"), np.flatnonzero(y == "c")[:1]]
    for rows in (np.arange(len(y)), few):
        with pytest.warns(LeftOutWarning, match="1 constant column"):
            model = FlexibleDiscriminantAnalysis(**options).fit(X[rows], y[rows])
        assert np.isfinite(model.predict_proba(X)).all()
    X[2, 0] = np.nan
    with pytest.raises(InputError, match="NaN"):
        FlexibleDiscriminantAnalysis(**options).fit(X, y)


def test_an_estimator_without_weights_refuses_them():
    X, y = three_classes()
    model = FlexibleDiscriminantAnalysis(regression=KNeighborsRegressor())
    assert model.fit(X, y).score(X, y) > 0.6
    with pytest.raises(InputError, match="takes none"):
        model.fit(X, y, sample_weight=np.full(len(y), 2.0))


def test_constant_columns_are_named_and_are_not_all_there_is():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="every column is constant"):
        FlexibleDiscriminantAnalysis().fit(np.ones((150, 2)), y)
    with pytest.warns(LeftOutWarning, match="1 constant column.*: 4"):
        model = FlexibleDiscriminantAnalysis().fit(np.c_[X, np.ones(150)], y)
    assert_allclose(
        model.predict_proba(np.c_[X, np.ones(150)]), FlexibleDiscriminantAnalysis().fit(X, y).predict_proba(X)
    )
