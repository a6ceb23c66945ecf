"""Penalised discriminant analysis against R's mda, its definition, its limit cases, and its own refits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis, pseudo_rows
from distinguo.covariance.penalties import penalty_matrix
from distinguo.covariance.roughness import smaller_space
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from tests.generative.cases import assert_same_model, refitted_without, three_classes

DEGREES_OF_MDA = 1e-2  # mda's df.gold ends its search there


def errors(model, X, y):
    return int((model.predict(X) != y).sum())


@pytest.fixture
def waveform(shared_data):
    tables = [pd.read_csv(shared_data(f"waveform.{part}.csv")) for part in ("train", "test")]
    return [(table.drop(columns="y").to_numpy(), table["y"].to_numpy()) for table in tables]


@pytest.fixture
def phoneme(shared_data):
    table = pd.read_csv(shared_data("phoneme.csv.gz"))
    train = table["speaker"].str.startswith("train").to_numpy()
    X, y = table.iloc[:, :256].to_numpy(), table["g"].to_numpy()
    return (X[train], y[train]), (X[~train], y[~train])


# R 4.2.2, mda 0.5-3: D <- diff(diff(diag(21))); O <- eigen(t(D) %*% D, symmetric = TRUE); O$values <- pmax(O$values, 0)
# fda(y ~ ., data = train, method = gen.ridge, omega = O, df = df): $fit$lambda and errors of 300 and of 500.
@pytest.mark.parametrize(
    ("df", "lambda_", "wrong"),
    [(3, 147084.3, (77, 121)), (4, 22601.8, (61, 104)), (5, 5603.865, (54, 91)), (8, 495.7947, (49, 91))],
)
def test_waveform_is_that_of_mda(waveform, df, lambda_, wrong):
    (X, y), (A, b) = waveform
    model = PenalizedDiscriminantAnalysis(penalty="difference", df=df).fit(X, y)
    assert model.gamma_ * (300 - 3) == pytest.approx(lambda_, rel=DEGREES_OF_MDA)
    assert model.df_ == pytest.approx(df, abs=1e-6)
    assert (errors(model, X, y), errors(model, A, b)) == wrong


def test_waveform_posteriors_are_those_of_mda(waveform):
    (X, y), (A, b) = waveform
    # predict(fit, test, type = "posterior")[1:3, ] at the lambda of df = 4
    expected = [[0.02386072, 0.9513848, 0.02475444], [0.85860402, 0.1265422, 0.01485375]]
    expected.append([0.02633144, 0.7287226, 0.24494595])
    model = PenalizedDiscriminantAnalysis(penalty="difference", gamma=22601.8 / 300, divisor="mle").fit(X, y)
    assert_allclose(model.predict_proba(A[:3]), expected, atol=2e-6)
    # fda(y ~ ., data = train, method = gen.ridge, df = 8): lambda 592.909
    ridge = PenalizedDiscriminantAnalysis(df=8).fit(X, y)
    assert ridge.gamma_ * 297 == pytest.approx(592.909, rel=DEGREES_OF_MDA)
    assert (errors(ridge, X, y), errors(ridge, A, b)) == (51, 90)


# The same call with diag(256); train and test by the speaker column, errors of 3 340 and 1 169.
@pytest.mark.parametrize(("df", "lambda_", "wrong"), [(16, 29800731, (239, 92)), (20, 8435989, (236, 92))])
def test_phonemes_are_those_of_mda(phoneme, df, lambda_, wrong):
    (X, y), (A, b) = phoneme
    model = PenalizedDiscriminantAnalysis(penalty="difference", df=df).fit(X, y)
    assert model.gamma_ * (3340 - 5) == pytest.approx(lambda_, rel=DEGREES_OF_MDA)
    assert (errors(model, X, y), errors(model, A, b)) == wrong


def test_aa_and_ao_are_as_in_the_elements_of_statistical_learning(phoneme):
    (X, y), (A, b) = ((X[np.isin(y, ["aa", "ao"])], y[np.isin(y, ["aa", "ao"])]) for X, y in phoneme)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    assert [round(1 - lda.score(*rows), 3) for rows in ((X, y), (A, b))] == [0.106, 0.214]
    smooth = PenalizedDiscriminantAnalysis(penalty="difference", df=20).fit(X, y)
    assert [round(1 - smooth.score(*rows), 3) for rows in ((X, y), (A, b))] == [0.163, 0.189]
    rough = [np.abs(np.diff(m.scalings_[:, 0], n=2)).sum() / np.abs(m.scalings_).sum() for m in (lda, smooth)]
    assert rough[1] < 0.05 * rough[0]


@pytest.mark.parametrize("gamma", [0.0, 1e-9, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("penalty", ["ridge", "difference", "matrix"])
def test_it_is_lda_with_the_penalty_added_to_the_covariance(gamma, penalty):
    X, y = three_classes(p=4)
    omega = np.diag([0.0, 1.0, 2.0, 0.5]) if penalty == "matrix" else penalty_matrix(penalty, 4)
    model = PenalizedDiscriminantAnalysis(penalty=omega if penalty == "matrix" else penalty, gamma=gamma).fit(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    matrix = lda.covariance_ + gamma * omega
    assert_allclose(model.covariance_, matrix)
    inverse = np.linalg.inv(matrix)
    deviations = X[:, None] - lda.means_
    distances = np.einsum("nki,ij,nkj->nk", deviations, inverse, deviations)
    log_density = -0.5 * (distances + np.linalg.slogdet(2 * np.pi * matrix)[1])
    assert_allclose(model.class_log_density(X), log_density, rtol=1e-9, atol=1e-9)
    scalings = model.scalings_
    assert_allclose(scalings.T @ matrix @ scalings, np.eye(2), atol=1e-9)


def test_without_a_penalty_it_is_lda_in_all_it_says():
    X, y = load_wine(return_X_y=True)
    model, lda = PenalizedDiscriminantAnalysis(gamma=0.0).fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    assert_same_model(model, lda, X)
    assert_allclose(model.transform(X), lda.transform(X))
    assert_allclose(model.coef_, lda.coef_)
    assert_allclose(model.leave_one_out(X, y), lda.leave_one_out(X, y), atol=1e-9)
    assert model.df_ == pytest.approx(13)


@pytest.mark.parametrize("gamma", [1e9, 1e13])
def test_a_great_penalty_leaves_only_what_is_free(gamma):
    X, y = three_classes(p=5)
    model = PenalizedDiscriminantAnalysis(penalty="difference", order=1, gamma=gamma).fit(X, y)
    level = LinearDiscriminantAnalysis().fit(X.sum(axis=1, keepdims=True), y)  # only equal coefficients are free
    assert_allclose(model.predict_proba(X), level.predict_proba(X.sum(axis=1, keepdims=True)), atol=1e-5)
    assert model.df_ == pytest.approx(1, abs=1e-4)


def test_a_constant_column_takes_the_coefficient_the_penalty_likes_best():
    X, y = three_classes(p=5)
    X[:, 2] = 7.0
    with pytest.warns(LeftOutWarning, match="constant"):
        model = PenalizedDiscriminantAnalysis(penalty="difference", gamma=2.0).fit(X, y)
    nearly = PenalizedDiscriminantAnalysis(penalty="difference", gamma=2.0)
    nearly.fit(X + 1e-5 * np.eye(5)[2] * np.random.default_rng(0).normal(size=(len(X), 1)), y)
    assert_allclose(model.predict_proba(X), nearly.predict_proba(X), atol=1e-4)


def test_moving_columns_and_scaling_all_of_them_changes_nothing():
    X, y = three_classes(p=4)
    model = PenalizedDiscriminantAnalysis(penalty="difference", df=3).fit(X, y)
    moved = PenalizedDiscriminantAnalysis(penalty="difference", df=3).fit(1e6 * X - [1e7, 0, 3, 4], y)
    assert moved.gamma_ == pytest.approx(1e12 * model.gamma_)
    assert_allclose(moved.predict_proba(1e6 * X - [1e7, 0, 3, 4]), model.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("options", [{"gamma": 0.3}, {"penalty": "difference", "order": 1, "df": 2.5}])
def test_parts_merge_and_are_forgotten(options):
    X, y = three_classes(n=90, p=4)
    whole = PenalizedDiscriminantAnalysis(**options).fit(X, y)
    parts = [PenalizedDiscriminantAnalysis(**options).partial_fit(X[i::3], y[i::3]) for i in range(3)]
    assert_same_model(sum(parts), whole, X)
    assert_same_model((parts[0] + parts[1] + parts[2]).forget(X[2::3], y[2::3]), parts[0] + parts[1], X)


def test_weights_are_repetitions_and_rows_have_no_order():
    X, y = three_classes(p=4)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    place = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), weight))
    weighted = PenalizedDiscriminantAnalysis(penalty="difference", df=3).fit(X, y, sample_weight=weight)
    assert_same_model(weighted, PenalizedDiscriminantAnalysis(penalty="difference", df=3).fit(X[place], y[place]), X)


@pytest.mark.parametrize("options", [{"gamma": 0.3}, {"gamma": 0.3, "divisor": "mle"}, {"n_components": 1}])
def test_rows_are_left_out_as_if_refitted(options):
    X, y = three_classes(n=40, p=3)
    model = PenalizedDiscriminantAnalysis(**{"penalty": "difference", "gamma": 0.1, **options})
    weight = np.where(np.arange(len(y)) % 5 == 0, 0.5, 2.0)
    assert_allclose(model.fit(X, y).leave_one_out(X, y), refitted_without(model, X, y), atol=1e-9)
    expected = refitted_without(model, X, y, weight)
    assert_allclose(model.fit(X, y, weight).leave_one_out(X, y, weight), expected, atol=1e-9)


def test_rows_are_left_out_at_the_strength_of_the_full_fit():
    X, y = three_classes(n=40, p=4)
    by_df = PenalizedDiscriminantAnalysis(df=2.5).fit(X, y)
    fixed = PenalizedDiscriminantAnalysis(gamma=by_df.gamma_).fit(X, y)
    assert_allclose(by_df.leave_one_out(X, y), fixed.leave_one_out(X, y), atol=1e-12)


def test_a_row_that_alone_varies_in_a_column_is_left_out_with_it():
    X, y = three_classes(n=40, p=3)
    X[:, 1] = 0.0
    X[4, 1] = 1.0
    model = PenalizedDiscriminantAnalysis(gamma=0.5, penalty="difference", order=1)
    assert_allclose(model.fit(X, y).leave_one_out(X, y)[4], _without(model, X, y, 4), atol=1e-9)


def _without(model, X, y, i):
    kept = np.arange(len(y)) != i
    other = PenalizedDiscriminantAnalysis(**{**model.get_params(), "priors": model.priors_})
    with pytest.warns(LeftOutWarning, match="constant"):
        return other.fit(X[kept], y[kept]).predict_proba(X[[i]])[0]


@pytest.mark.parametrize("penalty", ["ridge", "difference"])
def test_tuned_losses_are_those_of_refitting(penalty):
    X, y = load_iris(return_X_y=True)
    splits = [(np.flatnonzero(np.arange(150) % 3 != k), np.flatnonzero(np.arange(150) % 3 == k)) for k in range(3)]
    model = PenalizedDiscriminantAnalysis(penalty=penalty, order=None, grid=4, cv=splits).fit(X, y)
    results = model.cv_results_
    for gamma, error, log_loss in zip(results["gamma"], results["error"], results["log_loss"], strict=True):
        wrong = lost = 0.0
        for train, test in splits:
            one = PenalizedDiscriminantAnalysis(penalty=penalty, gamma=gamma).fit(X[train], y[train])
            wrong += errors(one, X[test], y[test])
            lost -= one.predict_log_proba(X[test])[np.arange(len(test)), y[test]].sum()
        assert error == pytest.approx(wrong / 150)
        assert log_loss == pytest.approx(lost / 150, rel=1e-7)
    assert model.gamma_ == results["gamma"][results["log_loss"].argmin()]
    assert model.df_ == pytest.approx(results["df"][results["log_loss"].argmin()])


def test_tuned_models_only_fit():
    model = PenalizedDiscriminantAnalysis(cv=3, grid=3).fit(*load_iris(return_X_y=True))
    assert not hasattr(model, "partial_fit")
    assert not hasattr(PenalizedDiscriminantAnalysis(df="cv"), "forget")
    assert hasattr(PenalizedDiscriminantAnalysis(df=2), "partial_fit")
    with pytest.raises(AttributeError, match="__add__"):
        model + model
    assert not hasattr(model.set_params(gamma=1.0).fit(*load_iris(return_X_y=True)), "cv_results_")


def test_prior_knowledge_takes_part_in_the_tuning():
    X, y = load_iris(return_X_y=True)
    known = pseudo_rows({k: X[y == k].mean(axis=0) for k in range(3)}, np.cov(X[y == 0].T), 5.0)
    model = PenalizedDiscriminantAnalysis(cv=3, grid=3, prior=known).fit(X, y)
    fixed = PenalizedDiscriminantAnalysis(gamma=model.gamma_, prior=known).fit(X, y)
    assert_allclose(model.predict_proba(X), fixed.predict_proba(X))


@pytest.mark.parametrize("penalty", ["ridge", "difference"])
def test_the_smaller_space_changes_no_fit(penalty):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 50)).cumsum(axis=1), np.arange(30) % 3
    omega = penalty_matrix(penalty, 50)
    rows, smaller = smaller_space(X - X.mean(axis=0), omega)
    assert rows.shape[1] <= 31
    wide = PenalizedDiscriminantAnalysis(penalty=omega, gamma=0.2).fit(X, y)
    narrow = PenalizedDiscriminantAnalysis(penalty=smaller, gamma=0.2).fit(rows, y)
    assert_allclose(narrow.predict_proba(rows), wide.predict_proba(X), atol=1e-9)
    assert narrow.df_ == pytest.approx(wide.df_)


@pytest.mark.parametrize(("n", "p", "penalty"), [(50, 256, "difference"), (40, 600, "ridge")])
def test_columns_may_outnumber_rows(n, p, penalty):
    rng = np.random.default_rng(0)
    y = np.arange(3 * n) % 2
    X = rng.normal(size=(3 * n, p)) + np.outer(y, np.sin(np.arange(p) / 20)) * 0.5
    model = PenalizedDiscriminantAnalysis(penalty=penalty, cv=5, grid=8).fit(X[:n], y[:n])
    assert model.score(X[n:], y[n:]) > 0.85
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_images_have_a_penalty_of_two_directions():
    omega = penalty_matrix("laplacian", 12, shape=(3, 4))
    image = np.arange(12.0).reshape(3, 4)
    second = np.zeros((3, 4))
    for axis in (0, 1):
        steps = np.diff(image, axis=axis)
        pad = [(1, 1) if a == axis else (0, 0) for a in (0, 1)]
        second -= np.diff(np.pad(steps, pad), axis=axis)
    assert image.ravel() @ omega @ image.ravel() == pytest.approx((second**2).sum())
    assert_allclose(omega @ np.ones(12), 0, atol=1e-12)
    X, y = load_digits(return_X_y=True)
    with pytest.warns(LeftOutWarning, match="constant"):
        model = PenalizedDiscriminantAnalysis(penalty="laplacian", shape=(8, 8), df=40).fit(X[::4], y[::4])
    assert model.score(X[1::4], y[1::4]) > 0.93


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks([PenalizedDiscriminantAnalysis(gamma=0.1), PenalizedDiscriminantAnalysis(gamma=0.0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"penalty": "lasso"}, "penalty='lasso' is not known"),
        ({"penalty": np.eye(3)}, r"must be \(4, 4\)"),
        ({"penalty": np.arange(16.0).reshape(4, 4)}, "symmetric"),
        ({"penalty": -np.eye(4)}, "positive semi-definite"),
        ({"penalty": np.full((4, 4), np.nan)}, "finite"),
        ({"penalty": "difference", "order": 4}, "order=4"),
        ({"penalty": "difference", "order": 0}, "order=0"),
        ({"penalty": "difference", "shape": (2, 2)}, "cannot act"),
        ({"penalty": "ridge", "order": 1}, "cannot act"),
        ({"penalty": np.eye(4), "order": 1}, "cannot act"),
        ({"penalty": "laplacian"}, "shape=None"),
        ({"penalty": "laplacian", "shape": (3, 2)}, "4 cells"),
        ({"penalty": "laplacian", "shape": (2.5, 2)}, "4 cells"),
        ({"gamma": -1}, "gamma=-1"),
        ({"gamma": "much"}, "gamma='much'"),
        ({"gamma": np.inf}, "gamma=inf"),
        ({"gamma": True}, "gamma=True"),
        ({"gamma": 1.0, "df": 2}, "give one of the two"),
        ({"gamma": 1.0, "df": "cv"}, "give one of the two"),
        ({"df": 0}, "df=0"),
        ({"df": 4}, "df=4"),
        ({"df": "many"}, "df='many'"),
        ({"penalty": "difference", "df": 2}, "between 2"),
        ({"grid": 0}, "grid=0"),
        ({"grid": []}, "grid"),
        ({"grid": [1.0, 9.0]}, "df="),
        ({"grid": "fine"}, "grid"),
        ({"grid": 1_000_000}, "at most 1000"),
        ({"cv": 1}, "cv"),
        ({"cv": 1000}, "folds"),
        ({"criterion": "auc"}, "criterion"),
        ({"divisor": "n", "gamma": 1.0}, "divisor"),
        ({"n_components": 3, "gamma": 1.0}, "n_components"),
        ({"penalty": np.zeros((4, 4))}, "no strength can act"),
    ],
)
def test_bad_options_are_named(options, match):
    X, y = three_classes(p=4)
    with pytest.raises(InputError, match=match):
        PenalizedDiscriminantAnalysis(**options).fit(X, y)


@pytest.mark.parametrize("n", [90, 4])
def test_units_at_the_ends_of_what_numbers_hold(n):
    X, y = three_classes(n=90, p=6)
    X, y = (X, y) if n == 90 else (X[:: 90 // n], y[:: 90 // n])
    if n == 90:
        expected = PenalizedDiscriminantAnalysis().fit(X, y).predict_proba(X)
        assert_allclose(PenalizedDiscriminantAnalysis().fit(X * 1e149, y).predict_proba(X * 1e149), expected, atol=1e-6)
    for unit, size in ((1e300, "large"), (1e-300, "small")):
        with pytest.raises(InputError, match=f"numbers too {size} to square"):
            PenalizedDiscriminantAnalysis(cv=2).fit(X * unit, y)


def test_so_few_degrees_that_only_the_strongest_penalty_is_near():
    X, y = three_classes(p=4)
    assert PenalizedDiscriminantAnalysis(df=1e-300).fit(X, y).df_ < 1e-10


def test_odd_tables():
    X, y = three_classes(p=1)
    one = PenalizedDiscriminantAnalysis(cv=3, grid=1).fit(X, y)
    assert len(one.cv_results_["df"]) == 1
    with pytest.raises(InputError, match="order"):
        PenalizedDiscriminantAnalysis(penalty="difference", df=1).fit(X, y)
    X, y = three_classes(p=3)
    few = np.r_[np.flatnonzero(y != "c"), np.flatnonzero(y == "c")[:1]]
    assert np.isfinite(PenalizedDiscriminantAnalysis(gamma=0.1).fit(X[few], y[few]).predict_proba(X)).all()
    with pytest.raises(SingularCovarianceError, match="unbiased"):
        PenalizedDiscriminantAnalysis(gamma=1.0).fit(X[:2], ["a", "b"])
    with pytest.raises(SingularCovarianceError, match="missing from a fold"):
        PenalizedDiscriminantAnalysis(cv=3).fit(X[few], y[few])
