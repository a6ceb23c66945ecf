"""Predictive and debiased densities against closed forms, simulation and the plug-in limit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstest, multivariate_t

from distinguo.covariance.factor import factorise
from distinguo.densities.gaussian import ClassGaussian, SharedGaussian
from distinguo.densities.student import Debiased, Predictive, Uncertainty

MEANS = np.array([[0.0, 1.0], [3.0, -2.0]])
SHAPES = [np.array([[2.0, 0.6], [0.6, 1.0]]), np.array([[0.5, -0.2], [-0.2, 3.0]])]


def shared() -> SharedGaussian:
    factor = factorise(SHAPES[0])
    return SharedGaussian(MEANS[0], (MEANS - MEANS[0]) @ factor.whiten, factor)


def separate() -> ClassGaussian:
    return ClassGaussian(MEANS, tuple(factorise(shape) for shape in SHAPES))


@pytest.mark.parametrize(("plug_in", "shapes"), [(shared(), [SHAPES[0]] * 2), (separate(), SHAPES)])
def test_predictive_density_is_scipys_multivariate_t(plug_in, shapes):
    rows, degrees = np.array([6.0, 20.0]), np.array([5.0, 19.0])
    density = Predictive(plug_in, Uncertainty(rows, degrees))
    X = np.random.default_rng(0).normal(size=(50, 2)) * 4
    for k in range(2):
        q = degrees[k] - 1  # ν - r + 1 with two dimensions
        scale = (1 + 1 / rows[k]) * degrees[k] / q * shapes[k]
        assert_allclose(density.log_density(X)[:, k], multivariate_t(MEANS[k], scale, df=q).logpdf(X), rtol=1e-10)


@pytest.mark.parametrize("kind", [Predictive, Debiased])
@pytest.mark.parametrize("plug_in", [shared(), separate()])
def test_with_many_rows_they_are_the_plug_in_density(kind, plug_in):
    known = kind(plug_in, Uncertainty(np.full(2, 1e10), np.full(2, 1e10)))
    X = np.random.default_rng(1).normal(size=(20, 2)) * 3
    assert_allclose(known.log_density(X), plug_in.log_density(X), rtol=1e-6, atol=1e-6)
    assert_allclose(known.tail(X), plug_in.tail(X), rtol=1e-5, atol=1e-9)


def test_predictive_tail_is_uniform_for_its_own_samples():
    density = Predictive(separate(), Uncertainty(np.array([6.0, 20.0]), np.array([5.0, 19.0])))
    rng = np.random.default_rng(2)
    for k in range(2):
        tail = density.tail(density.sample(k, 4000, rng))[:, k]
        assert kstest(tail, "uniform").pvalue > 1e-3


def test_debiased_log_density_is_unbiased():
    rng = np.random.default_rng(3)
    n, repeats, x = 9, 4000, np.array([[1.0, 0.5]])
    truth = SharedGaussian(np.zeros(2), np.zeros((1, 2)), factorise(SHAPES[0])).log_density(x)[0, 0]
    estimates = {Debiased: [], Predictive: []}
    for _ in range(repeats):
        rows = rng.multivariate_normal(np.zeros(2), SHAPES[0], n)
        plug_in = ClassGaussian(rows.mean(axis=0)[None], (factorise(np.cov(rows.T)),))
        for kind, values in estimates.items():
            values.append(kind(plug_in, Uncertainty(np.array([n]), np.array([n - 1.0]))).log_density(x)[0, 0])
    debiased, predictive = (np.array(values) for values in estimates.values())
    error = debiased.std() / np.sqrt(repeats)
    assert abs(debiased.mean() - truth) < 3.5 * error
    assert abs(predictive.mean() - truth) > 3.5 * error  # the test can tell
