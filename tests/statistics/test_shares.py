"""The E step of rows that several Gaussians share: against a plain loop, and as a statistic that adds."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from distinguo.rows.memory import MemorySource
from distinguo.statistics import shares
from distinguo.statistics.holes import GaussianParameters
from distinguo.statistics.shares import SharedMoments, SharedSums
from tests.statistics.test_holes import K, P, problem

Array = NDArray[np.float64]


def plainly(X: Array, weight: Array, now: GaussianParameters) -> tuple[Array, Array, Array, float]:
    """Weights, means and scatters by class, and the log-likelihood, a row and a class at a time."""
    log_likelihood = 0.0
    counts, sums, squares = np.zeros(K), np.zeros((K, P)), np.zeros((K, P, P))
    for row, w in zip(X, weight, strict=True):
        o, u = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        joint, wholes, lefts = np.log(now.share), [], []
        for k in range(K):
            mean, covariance = now.means[k], now.covariances[min(k, len(now.covariances) - 1)]
            if len(o):
                joint[k] += stats.multivariate_normal(mean[o], covariance[np.ix_(o, o)]).logpdf(row[o])
            slope = covariance[np.ix_(u, o)] @ np.linalg.inv(covariance[np.ix_(o, o)])
            whole, left = row.copy(), np.zeros((P, P))
            whole[u] = mean[u] + slope @ (row[o] - mean[o])
            left[np.ix_(u, u)] = covariance[np.ix_(u, u)] - slope @ covariance[np.ix_(o, u)]
            wholes.append(whole)
            lefts.append(left)
        log_density = np.logaddexp.reduce(joint)
        log_likelihood += w * log_density
        for k, r in enumerate(w * np.exp(joint - log_density)):
            counts[k] += r
            sums[k] += r * wholes[k]
            squares[k] += r * (np.outer(wholes[k], wholes[k]) + lefts[k])
    means = sums / counts[:, None]
    scatters = squares - counts[:, None, None] * means[:, :, None] * means[:, None, :]
    return counts, means, scatters, log_likelihood


def shared_problem(shared: bool, share: float = 0.3) -> tuple[Array, NDArray[Any], Array, GaussianParameters]:
    X, y, weight, now = problem(shared, share=share)
    return X, y, weight, GaussianParameters(now.classes, now.means, now.covariances, np.array([0.5, 0.3, 0.2]))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("piece", [1 << 24, 1000])
def test_as_in_a_plain_loop(shared: bool, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are shared in pieces, of whatever size."""
    monkeypatch.setattr(shares, "PIECE_BYTES", piece)
    X, y, weight, now = shared_problem(shared)
    found = MemorySource(X, y, weight).aggregate(SharedMoments(now, "full"))
    counts, means, scatters, log_likelihood = plainly(X, weight, now)
    np.testing.assert_allclose(found.weight, counts, rtol=1e-9)
    np.testing.assert_allclose(found.mean, means, rtol=1e-9)
    units = np.sqrt(np.einsum("kii->ki", scatters))
    units = units[:, :, None] * units[:, None]
    np.testing.assert_allclose(found.scatter / units, scatters / units, atol=1e-9)
    assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-10)
    pooled = MemorySource(X, y, weight).aggregate(SharedMoments(now, "pooled"))
    np.testing.assert_allclose(pooled.scatter, found.scatter.sum(axis=0), rtol=1e-8)


def test_parts_add_up_to_the_whole_and_nothing_to_nothing() -> None:
    X, y, _, now = shared_problem(False)
    spec = SharedMoments(now, "full")
    whole = MemorySource(X, y).aggregate(spec)
    parts = sum(MemorySource(X[rows], y[rows]).aggregate(spec) for rows in (slice(0, 31), slice(31, None)))
    np.testing.assert_allclose(parts.weight, whole.weight, rtol=1e-10)
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=1e-9)
    np.testing.assert_allclose(parts.scatter, whole.scatter, rtol=1e-7, atol=1e-9 * np.abs(whole.scatter).max())
    assert parts.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-10)
    assert spec.empty(now.classes, P, None) + whole == whole


def test_a_gaussian_of_share_zero_gets_no_row_and_stays() -> None:
    X, y, _, now = shared_problem(False)
    none = GaussianParameters(now.classes, now.means, now.covariances, np.array([0.6, 0.0, 0.4]))
    found = MemorySource(X, y).aggregate(SharedMoments(none, "full"))
    assert found.weight[1] == 0
    assert np.array_equal(found.mean[1], now.means[1])
    assert found.weight.sum() == pytest.approx(len(X))


def test_rows_far_from_every_gaussian_are_shared_still() -> None:
    """Densities that are zero to a computer have logarithms."""
    own = np.arange(2)
    sums = SharedSums(np.log([0.5, 0.5]), np.array([[0.0], [1.0]]), np.ones((2, 1, 1)), own, own)
    sums.add(np.array([[1e4]]), np.ones(1), slice(None))
    assert sums.weight.tolist() == [0.0, 1.0]
    assert sums.log_likelihood == pytest.approx(np.log(0.5) - 0.5 * (1e4 - 1) ** 2 - 0.5 * np.log(2 * np.pi))
