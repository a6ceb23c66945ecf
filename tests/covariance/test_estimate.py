"""Divisors and shrinkage: what stands for a scatter, and which options cannot act."""

import numpy as np
import pytest
from sklearn.covariance import LedoitWolf, ledoit_wolf_shrinkage, oas

from distinguo import LinearDiscriminantAnalysis, MemorySource, Moments, QuadraticDiscriminantAnalysis
from distinguo.covariance.estimate import Sample, divide, ledoit_wolf_intensity, oas_intensity, shrink
from distinguo.exceptions import InputError
from tests.generative.cases import three_classes


def sample_of(X: np.ndarray) -> Sample:
    moments = MemorySource(X, np.zeros(len(X), int)).aggregate(Moments("full", fourth=True))
    maximum = moments.scatter[0] / len(X)
    return Sample(moments.scatter[0] / (len(X) - 1), float(len(X)), maximum, moments.quarts[0])


def standardised(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize(("n", "p"), [(20, 3), (12, 30), (200, 8)])
def test_ledoit_wolf_is_scikit_learns_on_standardised_columns(n: int, p: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, p)) @ np.random.default_rng(p).normal(size=(p, p))
    assert ledoit_wolf_intensity(sample_of(X)) == pytest.approx(ledoit_wolf_shrinkage(standardised(X)), rel=1e-9)
    fitted = LedoitWolf().fit(standardised(X)).covariance_
    own = shrink(sample_of(X), "ledoit-wolf", None) * (n - 1) / n
    scale = X.std(axis=0)
    np.testing.assert_allclose(own / scale / scale[:, None], fitted, atol=1e-10)


@pytest.mark.parametrize(("n", "p"), [(20, 3), (12, 30), (200, 8)])
def test_oas_is_scikit_learns_on_standardised_columns(n: int, p: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, p)) @ np.random.default_rng(p).normal(size=(p, p))
    assert oas_intensity(sample_of(X)) == pytest.approx(oas(standardised(X))[1], rel=1e-9)


@pytest.mark.parametrize("rule", ["oas", "ledoit-wolf"])
def test_automatic_shrinkage_does_not_depend_on_units(rule: str) -> None:
    X, y = three_classes(p=4)
    scale, shift = np.array([1e8, 1e-8, 1.0, 1e3]), np.array([0.0, 1e-2, 1e6, 1.0])
    for model in (LinearDiscriminantAnalysis(shrinkage=rule), QuadraticDiscriminantAnalysis(shrinkage=rule)):
        plain = model.fit(X, y).predict_proba(X)
        moved = X * scale + shift
        np.testing.assert_allclose(model.fit(moved, y).predict_proba(moved), plain, atol=1e-8)


def test_automatic_shrinkage_draws_by_the_intensity_towards_the_diagonal() -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(10, 4)) + 2 * rng.normal(size=(10, 1))) * [1, 10, 100, 1000]
    sample = sample_of(X)
    for rule, intensity in (("oas", oas_intensity(sample)), ("ledoit-wolf", ledoit_wolf_intensity(sample))):
        assert 0 < intensity < 1
        expected = (1 - intensity) * sample.covariance + intensity * np.diag(np.diagonal(sample.covariance))
        for target in (None, "diagonal"):
            np.testing.assert_allclose(shrink(sample, rule, target), expected)


def test_a_number_draws_towards_the_mean_variance() -> None:
    sample = sample_of(np.random.default_rng(0).normal(size=(10, 3)))
    S = sample.covariance
    np.testing.assert_allclose(shrink(sample, 0.3, None), 0.7 * S + 0.3 * np.trace(S) / 3 * np.eye(3))
    np.testing.assert_allclose(shrink(sample, 0.3, "identity"), shrink(sample, 0.3, None))
    np.testing.assert_allclose(shrink(sample, 0.3, "diagonal"), 0.7 * S + 0.3 * np.diag(np.diagonal(S)))
    np.testing.assert_array_equal(shrink(sample, 0, None), S)
    np.testing.assert_allclose(shrink(sample, 1, None), np.trace(S) / 3 * np.eye(3))
    np.testing.assert_array_equal(shrink(sample, np.float32(1.0), "diagonal"), np.diag(np.diagonal(S)))


@pytest.mark.parametrize("shrinkage", ["foo", -1, 2, -1e-9, np.nan, np.inf, True, [0.1], np.array([0.1, 0.2]), 1j])
def test_other_shrinkage_is_refused(shrinkage: object) -> None:
    X, y = three_classes()
    for model in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        with pytest.raises(InputError, match="shrinkage="):
            model(shrinkage=shrinkage).fit(X, y)


@pytest.mark.parametrize(
    ("shrinkage", "target", "message"),
    [
        (None, "diagonal", "cannot act without shrinkage"),
        (None, "identity", "cannot act without shrinkage"),
        ("oas", "identity", "cannot act with shrinkage='oas'"),
        ("ledoit-wolf", "identity", "cannot act with shrinkage='ledoit-wolf'"),
        (0.5, "foo", "target='foo' is not known"),
        (0.5, ["identity"], "is not known"),
        ("oas", ["identity"], "cannot act"),
    ],
)
def test_targets_that_cannot_act_are_refused(shrinkage: object, target: object, message: str) -> None:
    X, y = three_classes()
    for model in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        with pytest.raises(InputError, match=message):
            model(shrinkage=shrinkage, target=target).fit(X, y)


def test_divisors() -> None:
    scatter = np.array([[6.0]])
    assert divide(scatter, 4, 1, "unbiased", "it") == [[2.0]]
    assert divide(scatter, 4, 1, "mle", "it") == [[1.5]]
    with pytest.raises(InputError, match="divisor='ml' is not known"):
        divide(scatter, 4, 1, "ml", "it")  # type: ignore[arg-type]
    for weight in (1.0, 0.7, 1 + 1e-12):
        with pytest.raises(InputError, match="divisor='mle'"):
            divide(scatter, weight, 1, "unbiased", "it")


def test_models_divide_as_they_are_told() -> None:
    X, y = three_classes()
    deviations = X - np.stack([X[y == label].mean(axis=0) for label in y])
    pooled = deviations.T @ deviations
    np.testing.assert_allclose(LinearDiscriminantAnalysis().fit(X, y).covariance_, pooled / (len(y) - 3))
    np.testing.assert_allclose(LinearDiscriminantAnalysis(divisor="mle").fit(X, y).covariance_, pooled / len(y))
    unbiased, maximum = (QuadraticDiscriminantAnalysis(divisor=d).fit(X, y) for d in ("unbiased", "mle"))
    for k, label in enumerate("abc"):
        np.testing.assert_allclose(unbiased.covariance_[k], np.cov(X[y == label].T))
        np.testing.assert_allclose(maximum.covariance_[k], np.cov(X[y == label].T, bias=True))


def test_ledoit_wolf_asked_for_after_the_rows_were_counted() -> None:
    X, y = three_classes()
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        late = kind().partial_fit(X, y).set_params(shrinkage="ledoit-wolf")
        with pytest.raises(InputError, match=r"needs fourth moments.*set it before fit"):
            late.predict(X)
        with pytest.raises(InputError, match="two kinds"):
            late.partial_fit(X, y)
