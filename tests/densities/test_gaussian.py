"""Densities integrate to one, tails are uniform under the model, and samples have the moments they come from."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import nquad

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from distinguo.densities.diagonal import DiagonalGaussian
from distinguo.exceptions import ImpossibleRowWarning
from tests.generative.cases import every_variant, three_classes


def described(model: Any) -> list[Any]:
    """SciPy's frozen Gaussians, one a class."""
    variances = getattr(model, "variances_", None)
    shapes = model.covariance_ if variances is None else [np.diag(v) for v in variances]
    if np.ndim(shapes) == 2:
        shapes = [shapes] * len(model.classes_)
    return [stats.multivariate_normal(m, S) for m, S in zip(model.means_, shapes, strict=True)]


@every_variant
def test_log_density_is_scipys(model: Any) -> None:
    X, y = three_classes()
    model.fit(X, y)
    if getattr(model, "n_components", None) is not None:
        pytest.skip("means are projected, which the covariance alone does not tell")
    gaussians = described(model)
    expected = np.stack([gaussian.logpdf(X) for gaussian in gaussians], axis=1)
    np.testing.assert_allclose(model.class_log_density(X), expected, rtol=1e-8)
    mixture = np.log(np.exp(expected) @ model.priors_)
    np.testing.assert_allclose(model.score_samples(X), mixture, rtol=1e-8)
    joint = expected + np.log(model.priors_)
    log_posterior = joint - joint.max(axis=1, keepdims=True)
    log_posterior -= np.log(np.exp(log_posterior).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_log_proba(X), log_posterior, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(log_posterior), atol=1e-9)
    assert model.predict(X).tolist() == model.classes_[joint.argmax(axis=1)].tolist()
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores - scores.mean(axis=1, keepdims=True), joint - joint.mean(axis=1, keepdims=True))


@every_variant
def test_densities_integrate_to_one(model: Any) -> None:
    X, y = three_classes(p=1)
    model.fit(X, y)
    wide = 12 * X.std() + np.abs(X).max()
    grid = np.linspace(-wide, wide, 200_001)[:, None]
    step = grid[1, 0] - grid[0, 0]
    np.testing.assert_allclose(np.exp(model.class_log_density(grid)).sum(axis=0) * step, 1, atol=1e-6)
    assert np.exp(model.score_samples(grid)).sum() * step == pytest.approx(1, abs=1e-6)


def test_a_density_in_two_columns_integrates_to_one() -> None:
    X, y = three_classes(p=2)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    low, high = X.min(axis=0) - 9 * X.std(axis=0), X.max(axis=0) + 9 * X.std(axis=0)
    grid = [np.linspace(low[j], high[j], 1200) for j in range(2)]
    cells = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)
    area = np.prod([g[1] - g[0] for g in grid])
    np.testing.assert_allclose(np.exp(model.class_log_density(cells)).sum(axis=0) * area, 1, atol=1e-4)


def test_a_hole_is_integrated_over() -> None:
    """The density without a cell is the density with it, summed over all that it might have been."""
    X, y = three_classes(p=2)
    model = GaussianNB().fit(X, y)
    for k in range(3):
        total, _ = nquad(lambda x, k=k: np.exp(model.class_log_density([[0.3, x]])[0, k]), [[-60, 60]])
        assert np.exp(model.class_log_density([[0.3, np.nan]])[0, k]) == pytest.approx(total, rel=1e-6)


@every_variant
def test_typicality_is_uniform_under_the_model(model: Any) -> None:
    model.fit(*three_classes())
    X, y = model.sample(3000, random_state=1)
    typicality = model.typicality(X)
    assert ((typicality >= 0) & (typicality <= 1)).all()
    for k, label in enumerate(model.classes_):
        own = typicality[y == label, k]
        # Kolmogorov's statistic passes 1.95 over the root of n once in a thousand times.
        assert stats.kstest(own, "uniform").statistic < 2.2 / np.sqrt(len(own))
    np.testing.assert_allclose(np.diagonal(model.typicality(centres(model))), 1, atol=1e-9)


def centres(model: Any) -> np.ndarray:
    """Where each class is most likely: its mean, or what n_components makes of it."""
    density = model._describe().density
    points = getattr(density, "points", None)
    if getattr(model, "n_components", None) is None or points is None:
        return model.means_
    return density.centre + points @ density.factor.colour.T


def test_typicality_of_holes() -> None:
    model = GaussianNB().fit(*three_classes(p=2))
    one = model.typicality([[0.4, np.nan]])
    expected = 2 * stats.norm.sf(np.abs(0.4 - model.means_[:, 0]) / np.sqrt(model.variances_[:, 0]))
    np.testing.assert_allclose(one[0], expected)
    assert model.typicality([[np.nan, np.nan]]).tolist() == [[1.0, 1.0, 1.0]]
    np.testing.assert_allclose(model.predict_proba([[np.nan, np.nan]])[0], model.priors_)


@every_variant
def test_samples_have_the_moments_of_the_model(model: Any) -> None:
    model.fit(*three_classes())
    n = 20_000
    X, y = model.sample(n, random_state=2)
    shares = np.array([(y == label).mean() for label in model.classes_])
    assert (np.abs(shares - model.priors_) < 3.5 * np.sqrt(model.priors_ * (1 - model.priors_) / n)).all()
    for mean, gaussian, label in zip(centres(model), described(model), model.classes_, strict=True):
        own = X[y == label]
        error = np.sqrt(np.diagonal(gaussian.cov) / len(own))
        assert (np.abs(own.mean(axis=0) - mean) < 3.5 * error).all()
        d = np.sqrt(np.diagonal(gaussian.cov))
        off = np.sqrt((np.outer(d, d) ** 2 + gaussian.cov**2) / len(own))
        assert (np.abs(np.cov(own.T) - gaussian.cov) < 3.5 * off).all()


@every_variant
def test_sampling_is_repeatable(model: Any) -> None:
    model.fit(*three_classes())
    for seed in (3, np.random.SeedSequence(3)):
        a, b = (model.sample(7, random_state=seed) for _ in range(2))
        np.testing.assert_array_equal(a[0], b[0])
        assert a[1].tolist() == b[1].tolist()
    X, y = model.sample(5, random_state=np.random.default_rng(3))
    assert X.shape == (5, 3)
    assert y.dtype == model.classes_.dtype
    assert model.sample()[0].shape == (1, 3)


@pytest.mark.parametrize("far", [1e150, 1e200, 1e300, -1.7e308])
@every_variant
def test_rows_infinitely_far_are_impossible_not_nan(model: Any, far: float) -> None:
    X, y = three_classes()
    model.fit(X, y)
    for row in ([far, 0.0, 0.0], [far, -far, far]):
        assert (model.class_log_density([row]) < -1e200).all()
        assert (model.score_samples([row]) < -1e200).all()
        assert (model.typicality([row]) == 0).all()
        try:
            posterior = model.predict_proba([row])
        except ImpossibleRowWarning:
            continue
        assert np.isfinite(posterior).all()
        assert posterior.sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.ImpossibleRowWarning")
@every_variant
def test_rows_impossible_under_every_class_get_the_priors(model: Any) -> None:
    model.fit(*three_classes())
    posterior = model.predict_proba([[1.7e308, -1.7e308, 1.7e308]])
    assert np.isfinite(posterior).all()
    if not isinstance(model, LinearDiscriminantAnalysis):  # whose scores are affine, and may still be finite
        np.testing.assert_allclose(posterior[0], model.priors_)


def test_columns_that_take_no_part_do_not_matter_however_far() -> None:
    density = DiagonalGaussian(np.zeros((2, 2)), np.ones((2, 2)), np.array([True, False]))
    for row in ([1.0, 1e300], [1.0, np.nan], [1.0, 0.0]):
        np.testing.assert_allclose(density.log_density(np.array([row])), -0.5 - 0.5 * np.log(2 * np.pi))
    assert not density.sample(0, 5, np.random.default_rng(0))[:, 1].any()
