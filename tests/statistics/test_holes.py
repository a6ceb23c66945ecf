"""Expected moments of rows with missing cells: against a plain loop, and as a statistic that adds."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from distinguo.rows.memory import MemorySource
from distinguo.statistics.holes import ExpectedMoments, GaussianParameters
from distinguo.statistics.moments import Moments
from distinguo.statistics.patterns import pattern_codes

Array = NDArray[np.float64]
K, P = 3, 5


def problem(shared: bool, n: int = 120, share: float = 0.3) -> tuple[Array, NDArray[Any], Array, GaussianParameters]:
    """Rows with holes, labels, weights (some zero), and parameters that are not those of the rows."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, P)) * 10.0 ** np.arange(-2, P - 2)
    X[rng.random(X.shape) < share] = np.nan
    X[7] = np.nan
    roots = rng.normal(size=(1 if shared else K, P, P)) * 10.0 ** np.arange(-2, P - 2)[:, None]
    covariances = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(P) * 100.0 ** np.arange(-2, P - 2)
    now = GaussianParameters(np.array(["a", "b", "c"]), rng.normal(size=(K, P)), covariances, np.full(K, 1 / K))
    return X, np.array(["a", "b", "c"])[rng.integers(0, K, n)], rng.integers(0, 3, n).astype(float), now


def plainly(X: Array, y: NDArray[Any], weight: Array, now: GaussianParameters) -> tuple[Array, Array, float]:
    """Means, scatters and log-likelihood, a row at a time, as in Little and Rubin."""
    whole = np.zeros((len(X), P))
    left = np.zeros((len(X), P, P))
    log_likelihood = 0.0
    for i, row in enumerate(X):
        k = int(np.flatnonzero(now.classes == y[i])[0])
        mean, covariance = now.means[k], now.covariances[min(k, len(now.covariances) - 1)]
        o = np.flatnonzero(~np.isnan(row))
        u = np.flatnonzero(np.isnan(row))
        slope = covariance[np.ix_(u, o)] @ np.linalg.inv(covariance[np.ix_(o, o)])
        d = row[o] - mean[o]
        whole[i, o], whole[i, u] = row[o], mean[u] + slope @ d
        left[i][np.ix_(u, u)] = covariance[np.ix_(u, u)] - slope @ covariance[np.ix_(o, u)]
        form = d @ np.linalg.solve(covariance[np.ix_(o, o)], d)
        log_det = np.linalg.slogdet(covariance[np.ix_(o, o)])[1]
        log_likelihood -= 0.5 * weight[i] * (len(o) * np.log(2 * np.pi) + log_det + form)
    means = np.stack([np.average(whole[y == c], axis=0, weights=weight[y == c]) for c in now.classes])
    scatters = np.zeros((K, P, P))
    for k, c in enumerate(now.classes):
        for i in np.flatnonzero(y == c):
            scatters[k] += weight[i] * (np.outer(whole[i] - means[k], whole[i] - means[k]) + left[i])
    return means, scatters, log_likelihood


@pytest.mark.parametrize("shared", [True, False])
def test_as_in_a_plain_loop(shared: bool) -> None:
    X, y, weight, now = problem(shared)
    found = MemorySource(X, y, weight).aggregate(ExpectedMoments(now, "full"))
    means, scatters, log_likelihood = plainly(X, y, weight, now)
    units = np.sqrt(np.einsum("kii->ki", scatters))
    np.testing.assert_allclose(found.mean, means, rtol=1e-9)
    np.testing.assert_allclose(
        found.scatter / units[:, :, None] / units[:, None], scatters / units[:, :, None] / units[:, None], atol=1e-9
    )
    assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-10)
    np.testing.assert_allclose(found.weight, [weight[y == c].sum() for c in now.classes])
    if shared:
        pooled = MemorySource(X, y, weight).aggregate(ExpectedMoments(now, "pooled"))
        np.testing.assert_allclose(pooled.scatter, found.scatter.sum(axis=0), rtol=1e-8)
        assert pooled.log_likelihood == pytest.approx(log_likelihood, rel=1e-10)


def test_parts_add_up_to_the_whole() -> None:
    X, y, weight, now = problem(False)
    spec = ExpectedMoments(now, "full")
    whole = MemorySource(X, y, weight).aggregate(spec)
    cut = [slice(0, 31), slice(31, 32), slice(32, None)]
    parts = sum(MemorySource(X[rows], y[rows], np.maximum(weight[rows], 1e-300)).aggregate(spec) for rows in cut)
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=1e-9)
    np.testing.assert_allclose(parts.scatter, whole.scatter, rtol=1e-7, atol=1e-9 * np.abs(whole.scatter).max())
    assert parts.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-10)
    less = parts - MemorySource(X[:31], y[:31], np.maximum(weight[:31], 1e-300)).aggregate(spec)
    np.testing.assert_allclose(less.weight, whole.weight - [weight[:31][y[:31] == c].sum() for c in now.classes])


def test_without_holes_they_are_the_moments() -> None:
    X, y, weight, now = problem(False, share=0.0)
    X[7] = 0.0
    found = MemorySource(X, y, weight).aggregate(ExpectedMoments(now, "full")).moments
    plain = MemorySource(X, y, weight).aggregate(Moments("full"))
    np.testing.assert_allclose(found.mean, plain.mean, rtol=1e-9)
    np.testing.assert_allclose(found.scatter, plain.scatter, rtol=1e-9, atol=1e-12 * np.abs(plain.scatter).max())


def test_the_statistic_of_no_rows_and_of_some_columns() -> None:
    X, y, weight, now = problem(False)
    spec = ExpectedMoments(now, "full")
    found = MemorySource(X, y, weight).aggregate(spec)
    assert (spec.empty(np.array(["z"]), P, None) + found).take_classes(np.array([True] * 3 + [False])) == found
    taken = found.take_features(np.array([2, 0]), None)
    assert taken.mean.tolist() == found.mean[:, [2, 0]].tolist()


@pytest.mark.parametrize("p", [1, 8, 9, 64, 65, 200])
def test_rows_have_one_code_exactly_where_they_lack_the_same_cells(p: int) -> None:
    rng = np.random.default_rng(p)
    missing = (rng.random((40, p)) < 0.5)[rng.integers(0, 12, 60) % 40]
    codes = pattern_codes(missing)
    same = (missing[:, None] == missing[None]).all(axis=2)
    assert np.array_equal(codes[:, None] == codes[None], same)
    assert pattern_codes(np.zeros((3, p), dtype=bool)).tolist() == [0, 0, 0]
