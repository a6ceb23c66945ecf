"""Mixture discriminant analysis: scikit-learn's checks, limits and laws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    LinearDiscriminantAnalysis,
    Mixture,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from tests.generative.mixture_cases import QUICK, clumps, every_covariance, fixed


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks(
    [
        MixtureDiscriminantAnalysis(**QUICK),
        MixtureDiscriminantAnalysis(covariance="subclass", **QUICK),
        MixtureDiscriminantAnalysis(penalty="ridge", gamma=0.1, **QUICK),
        Mixture(n_init=1, max_components=2),
        Mixture(covariance="component", n_init=1, max_components=2),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Limits


@pytest.mark.parametrize("divisor", ["unbiased", "mle"])
@pytest.mark.parametrize(
    ("covariance", "kind"),
    [
        ("shared", LinearDiscriminantAnalysis),
        ("class", QuadraticDiscriminantAnalysis),
        ("subclass", QuadraticDiscriminantAnalysis),
    ],
)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_one_subclass_a_class_is_lda_or_qda(load, covariance, kind, divisor):
    X, y = load(return_X_y=True)
    mixture = MixtureDiscriminantAnalysis(subclasses=1, covariance=covariance, divisor=divisor).fit(X, y)
    plain = kind(divisor=divisor).fit(X, y)
    assert_allclose(mixture.class_log_density(X), plain.class_log_density(X), rtol=1e-10)
    assert_allclose(mixture.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    assert_allclose(mixture.typicality(X), plain.typicality(X), atol=1e-12)
    assert mixture.n_parameters_ == plain.n_parameters_
    if covariance == "shared":
        assert_allclose(mixture.covariance_, plain.covariance_, rtol=1e-8, atol=1e-10)
        assert_allclose(mixture.transform(X), plain.transform(X), atol=1e-8)
        assert_allclose(mixture.explained_variance_ratio_, plain.explained_variance_ratio_)


def test_one_subclass_in_one_direction_is_lda_in_one_direction():
    X, y = load_wine(return_X_y=True)
    mixture = MixtureDiscriminantAnalysis(subclasses=1, n_components=1).fit(X, y)
    plain = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    assert_allclose(mixture.predict_proba(X), plain.predict_proba(X), atol=1e-10)


def test_one_subclass_with_a_penalty_is_the_penalised_covariance():
    X, y = load_wine(return_X_y=True)
    omega = np.diag(np.arange(13.0))
    plain = LinearDiscriminantAnalysis().fit(X, y)
    mixture = MixtureDiscriminantAnalysis(subclasses=1, penalty=omega, gamma=0.7).fit(X, y)
    assert_allclose(mixture.covariance_, plain.covariance_ + 0.7 * omega, rtol=1e-8, atol=1e-9)


def test_a_column_constant_within_classes_decides():
    X, y, _ = clumps()
    told = np.column_stack([X, np.where(y == "a", 1.0, 2.0)])
    assert MixtureDiscriminantAnalysis(subclasses=2, **QUICK).fit(told, y).score(told, y) == 1


# Laws


@every_covariance
@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_falls(covariance, seed):
    X, y = load_wine(return_X_y=True)
    model = MixtureDiscriminantAnalysis(subclasses=4, covariance=covariance, n_init=1, random_state=seed).fit(X, y)
    assert len(model.trace_) == model.n_iter_ + 1 > 2
    assert np.diff(model.trace_).min() > -1e-9 * abs(model.trace_[-1])


def test_the_penalised_likelihood_never_falls():
    X, y = load_wine(return_X_y=True)
    model = MixtureDiscriminantAnalysis(subclasses=3, penalty="ridge", df=6, n_init=1).fit(X, y)
    assert np.diff(model.trace_).min() > -1e-9 * abs(model.trace_[-1])


@every_covariance
def test_the_trace_ends_in_the_likelihood_of_the_model(covariance):
    X, y, centres = clumps()
    model = fixed(centres, covariance=covariance, divisor="mle").fit(X, y)
    own = model.class_log_density(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    # The whitening in which EM works has a determinant of its own, that of the covariance of one subclass a class.
    plain = LinearDiscriminantAnalysis(divisor="mle").fit(X, y)
    shift = 0.5 * len(y) * np.linalg.slogdet(plain.covariance_)[1]
    assert own.sum() + shift == pytest.approx(model.trace_[-1], rel=1e-7)


@every_covariance
def test_weights_are_repetitions_and_order_does_not_matter(covariance):
    X, y, _ = clumps(n=40)
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(y))
    options = {"subclasses": {"a": 3, "b": 2}, "covariance": covariance, "n_init": 2}
    weighted = MixtureDiscriminantAnalysis(**options).fit(X, y, sample_weight=weight)
    order = rng.permutation(np.repeat(np.arange(len(y)), weight))
    repeated = MixtureDiscriminantAnalysis(**options).fit(X[order], y[order])
    assert_allclose(weighted.class_log_density(X), repeated.class_log_density(X), rtol=1e-8)


def test_names_of_classes_do_not_matter():
    X, y, _ = clumps()
    model = MixtureDiscriminantAnalysis(subclasses={"a": 3, "b": 2}).fit(X, y)
    renamed = MixtureDiscriminantAnalysis(subclasses={"z": 3, "b": 2}).fit(X, np.where(y == "a", "z", "b"))
    assert_allclose(renamed.predict_proba(X)[:, ::-1], model.predict_proba(X), atol=1e-10)


@every_covariance
def test_any_affine_map_of_rows_and_starts_leaves_posteriors(covariance):
    X, y, centres = clumps()
    A, b = np.array([[3.0, 1e-4], [-2.0, 5e-4]]), np.array([1e3, -7.0])
    plain = fixed(centres, covariance=covariance).fit(X, y)
    moved = fixed(centres @ A + b, covariance=covariance).fit(X @ A + b, y)
    assert_allclose(moved.predict_proba(X @ A + b), plain.predict_proba(X), atol=1e-7)
    log_det = np.log(abs(np.linalg.det(A)))
    assert_allclose(moved.score_samples(X @ A + b), plain.score_samples(X) - log_det, atol=1e-6)


def test_units_of_columns_do_not_matter_to_k_means_starts():
    X, y = load_wine(return_X_y=True)
    scale = 10.0 ** np.arange(-6, 7)
    options = {"subclasses": 2, "n_init": 2}
    plain = MixtureDiscriminantAnalysis(**options).fit(X, y).predict_proba(X)
    assert_allclose(MixtureDiscriminantAnalysis(**options).fit(X * scale, y).predict_proba(X * scale), plain, atol=1e-6)


@every_covariance
def test_rows_drawn_of_a_model_give_it_back(covariance):
    X, y, centres = clumps()
    model = fixed(centres, covariance=covariance).fit(X, y)
    drawn, labels = model.sample(20_000, random_state=1)
    again = fixed(centres, covariance=covariance).fit(drawn, labels)
    assert_allclose(again.subclass_means_, model.subclass_means_, atol=3.5 / np.sqrt(20_000 / 5) * 1.2)
    assert_allclose(again.subclass_priors_, model.subclass_priors_, atol=3.5 * 0.5 / np.sqrt(20_000 * 0.4))
    assert_allclose(again.subclass_covariances_, model.subclass_covariances_, atol=3.5 * 1.6 / np.sqrt(20_000 / 5))


def test_members_have_uniform_typicality():
    X, y, centres = clumps()
    model = fixed(centres).fit(X, y)
    drawn, labels = model.sample(6000, random_state=3)
    typical = model.typicality(drawn)[np.arange(6000), np.searchsorted(model.classes_, labels)]
    for level in (0.01, 0.05, 0.25, 0.5, 0.9):
        error = np.sqrt(level * (1 - level) * (1 / 6000 + 2 / 8192))
        assert abs((typical <= level).mean() - level) < 3.5 * error
    assert model.typicality([[100.0, 100.0]]).max() < 1e-100


def test_more_starts_are_never_less_likely():
    X, y = load_wine(return_X_y=True)
    few, many = (MixtureDiscriminantAnalysis(subclasses=3, n_init=n).fit(X, y).trace_[-1] for n in (1, 6))
    assert many >= few


def test_a_component_does_not_shrink_on_one_point():
    # Lecture 8: with a covariance of its own, a component on one row raises the likelihood without end.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.repeat([0, 1], 30)
    start = {0: np.vstack([X[0], X[:30].mean(axis=0) + 3]), 1: X[30:31]}
    X[0] = [9.0, 9.0]
    start[0] = np.vstack([X[0], X[1:30].mean(axis=0)])
    likelihoods = []
    for floor in (1e-2, 1e-4, 1e-6):
        model = MixtureDiscriminantAnalysis(
            subclasses={0: 2, 1: 1}, covariance="subclass", start=start, covariance_floor=floor
        ).fit(X, y)
        own = np.linalg.eigvalsh(model.subclass_covariances_[0])
        within = LinearDiscriminantAnalysis(divisor="mle").fit(X, y).covariance_
        least = np.linalg.eigvalsh(np.linalg.solve(within, model.subclass_covariances_[0]).T).min()
        assert least == pytest.approx(floor * 30 / 28, rel=1e-6)  # times the unbiased divisor
        assert (own > 0).all()
        assert np.isfinite(model.score_samples(X)).all()
        likelihoods.append(model.trace_[-1])
    # Half a log of the floor for each of two directions: without it there is no highest likelihood.
    assert_allclose(np.diff(likelihoods), np.log(100), rtol=1e-3)


def test_a_shared_covariance_keeps_components_from_shrinking():
    X, y, centres = clumps()
    X[0] = [40.0, 40.0]
    start = {"a": np.vstack([centres[[0, 3, 4]], X[0]]), "b": centres[[1, 2]]}
    model = MixtureDiscriminantAnalysis(subclasses={"a": 4, "b": 2}, start=start).fit(X, y)
    assert np.linalg.eigvalsh(model.covariance_).min() > 0.5
    assert model.subclass_priors_.min() == pytest.approx(1 / 240)
