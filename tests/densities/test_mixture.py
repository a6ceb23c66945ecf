"""Mixtures as densities: against sums of Gaussians, by integration, and by rows drawn of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import chi2, kstest, multivariate_normal

from distinguo.covariance.factor import factorise
from distinguo.densities.gaussian import ClassGaussian
from distinguo.densities.mixture import Subclasses, SubclassMixture

OWNER = np.array([0, 0, 1])
SHARE = np.array([0.3, 0.7, 1.0])


def subclasses(p: int, shapes: int, seed: int = 0) -> tuple[Subclasses, np.ndarray]:
    """Two classes, of two subclasses and of one, with one or three covariances; and the covariances (R, p, p)."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(shapes, p, p)) + 2 * np.eye(p)
    covariances = roots @ roots.transpose(0, 2, 1)
    group = np.zeros(3, dtype=np.intp) if shapes == 1 else np.arange(3)
    factors = tuple(factorise(covariance) for covariance in covariances)
    means = rng.normal(0, 4, (3, p))
    return Subclasses(OWNER, SHARE, means, group, factors, factors[0]), covariances[group]


@pytest.mark.parametrize("shapes", [1, 3])
def test_log_densities_are_sums_of_scipys(shapes):
    found, covariances = subclasses(3, shapes)
    X = np.random.default_rng(1).normal(0, 5, (40, 3))
    own = [multivariate_normal(m, c).logpdf(X) for m, c in zip(found.means, covariances, strict=True)]
    expected = np.column_stack([logsumexp(np.column_stack(own[:2]), axis=1, b=SHARE[:2]), own[2]])
    density = found.density(np.array([0.4, 0.6]), None)
    assert_allclose(density.log_density(X), expected, rtol=1e-10)
    difference = density.log_ratio(X) - expected
    assert_allclose(difference[:, 0], difference[:, 1], atol=1e-9)
    assert_allclose(density.responsibilities(X)[:, :2].sum(axis=1), 1)


def test_densities_integrate_to_one():
    found, _ = subclasses(1, 3)
    density = found.density(np.array([0.5, 0.5]), None)
    for k in range(2):
        total, _ = quad(lambda x, k=k: np.exp(density.log_density(np.array([[x]]))[0, k]), -60, 60, limit=400)
        assert total == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("shapes", [1, 3])
def test_rows_drawn_have_uniform_tails(shapes):
    density = subclasses(2, shapes)[0].density(np.array([0.5, 0.5]), None)
    rng = np.random.default_rng(5)
    for k in range(2):
        tails = density.tail(density.sample(k, 4000, rng))[:, k]
        # 1.95 / sqrt(n) is the .001 point of Kolmogorov's test; the rows behind the tails have an error of their own.
        assert kstest(tails, "uniform").statistic < 1.95 * np.sqrt(1 / 4000 + 1 / 8192)


def test_a_far_tail_is_that_of_the_nearest_subclass():
    factor = factorise(np.eye(2))
    means, zeros = np.array([[0.0, 0.0], [50.0, 0.0]]), np.zeros(2, dtype=np.intp)
    found = Subclasses(zeros, np.array([0.25, 0.75]), means, zeros, (factor,), factor)
    density = found.density(np.ones(1), None)
    x = np.array([[-9.0, 0.0]])  # of the first subclass, and as dense as the second is at a greater distance
    second = 81 + 2 * np.log(3)
    expected = 0.25 * chi2(2).sf(81) + 0.75 * chi2(2).sf(second)
    assert_allclose(density.tail(x)[0, 0], expected, rtol=1e-9)


def test_a_class_of_one_subclass_has_the_chi_squared_tail():
    found, covariances = subclasses(2, 3)
    X = np.random.default_rng(2).normal(0, 5, (20, 2))
    deviation = X - found.means[2]
    squares = np.einsum("ni,ij,nj->n", deviation, np.linalg.inv(covariances[2]), deviation)
    assert_allclose(found.density(np.array([0.5, 0.5]), None).tail(X)[:, 1], chi2(2).sf(squares), rtol=1e-8)


def test_rows_drawn_come_from_the_subclasses_in_their_shares():
    found, _ = subclasses(2, 3)
    rows = found.density(np.array([0.5, 0.5]), None).sample(0, 40_000, np.random.default_rng(0))
    mean = SHARE[:2] @ found.means[:2]
    assert_allclose(rows.mean(axis=0), mean, atol=3.5 * rows.std(axis=0).max() / 200)
    # No order among the rows tells which subclass they are of.
    halves = rows[:20_000].mean(axis=0) - rows[20_000:].mean(axis=0)
    assert np.abs(halves).max() < 3.5 * rows.std(axis=0).max() / 100


def test_a_subclass_without_rows_takes_no_part():
    factor = factorise(np.eye(1))
    one = ClassGaussian(np.array([[0.0], [9.0]]), (factor, factor))
    density = SubclassMixture(one, np.array([0, 0]), np.array([1.0, 0.0]), np.full(2, -0.5 * np.log(2 * np.pi)))
    X = np.array([[0.5], [3.0]])
    assert_allclose(density.log_density(X), one.log_density(X)[:, :1])
    assert (density.tail(np.array([[1e200]])) == 0).all()
