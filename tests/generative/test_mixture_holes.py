"""Missing cells in mixtures: EM in every subclass at fit, marginalised at predict."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from distinguo import (
    LinearDiscriminantAnalysis,
    MemorySource,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from distinguo.covariance.penalties import penalty_matrix
from distinguo.generative.subclass_rows import CompleteRows, HoledRows
from distinguo.generative.subclass_search import recipe_of
from distinguo.generative.subclasses import SubclassFitter, distinct_rows
from distinguo.rows.gathered import gather
from distinguo.solvers.mixture_em import Problem
from distinguo.statistics.holes import ExpectedMoments, GaussianParameters
from tests.generative.cases import three_classes
from tests.generative.mixture_cases import COVARIANCES, clumps, every_covariance, fixed, holed_clumps


def plain_em(X, y, centres, group, steps=600):
    """Maximum-likelihood shares, means and covariances of the five clumps, a row and a component at a time."""
    owner = np.array([0, 0, 0, 1, 1])
    p, R = X.shape[1], len(owner)
    share, means = np.array([1, 1, 1, 1.5, 1.5]) / 3, centres[[0, 3, 4, 1, 2]].copy()
    covariances = np.repeat(np.diag(np.nanvar(X, axis=0) / 9)[None], group.max() + 1, axis=0)
    for _ in range(steps):
        counts, sums, squares = np.zeros(R), np.zeros((R, p)), np.zeros((R, p, p))
        total = 0.0
        for row, label in zip(X, y, strict=True):
            own = np.flatnonzero(owner == (label == "b"))
            o, u = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
            joint, wholes, lefts = np.log(share[own]), [], []
            for i, r in enumerate(own):
                c = covariances[group[r]]
                d = row[o] - means[r, o]
                inverse = np.linalg.inv(c[np.ix_(o, o)])
                log_det = np.linalg.slogdet(c[np.ix_(o, o)])[1]
                joint[i] -= 0.5 * (len(o) * np.log(2 * np.pi) + log_det + d @ inverse @ d)
                whole, left = row.copy(), np.zeros((p, p))
                whole[u] = means[r, u] + c[np.ix_(u, o)] @ inverse @ d
                left[np.ix_(u, u)] = c[np.ix_(u, u)] - c[np.ix_(u, o)] @ inverse @ c[np.ix_(o, u)]
                wholes.append(whole)
                lefts.append(left)
            total += logsumexp(joint)
            for i, r in enumerate(own):
                w = np.exp(joint[i] - logsumexp(joint))
                counts[r] += w
                sums[r] += w * wholes[i]
                squares[r] += w * (np.outer(wholes[i], wholes[i]) + lefts[i])
        before, means = means, sums / counts[:, None]
        share = counts / np.array([counts[:3].sum()] * 3 + [counts[3:].sum()] * 2)
        scatters = squares - counts[:, None, None] * means[:, :, None] * means[:, None, :]
        for g in range(len(covariances)):
            covariances[g] = scatters[group == g].sum(axis=0) / counts[group == g].sum()
        if np.abs(means - before).max() < 1e-6:
            break
    return share, means, covariances[group], total


GROUPS = {"shared": np.zeros(5, int), "class": np.array([0, 0, 0, 1, 1]), "subclass": np.arange(5)}


@every_covariance
def test_as_an_em_written_plainly(covariance):
    X, y, centres = holed_clumps(n=12, share=0.08)
    share, means, covariances, log_likelihood = plain_em(X, y, centres, GROUPS[covariance])
    model = fixed(centres, covariance=covariance, divisor="mle").set_params(tol=1e-13, max_iter=3000).fit(X, y)
    assert_allclose(model.subclass_priors_, share, atol=1e-5)
    assert_allclose(model.subclass_means_, means, atol=1e-4)
    assert_allclose(model.subclass_covariances_, covariances, atol=1e-4)
    assert model.trace_[-1] == pytest.approx(log_likelihood, abs=1e-6)


# Limits


@pytest.mark.parametrize("divisor", ["unbiased", "mle"])
@every_covariance
def test_one_subclass_a_class_is_lda_or_qda_with_holes(covariance, divisor):
    X, y = three_classes(n=150, p=4)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    kind = LinearDiscriminantAnalysis if covariance == "shared" else QuadraticDiscriminantAnalysis
    options = {"subclasses": 1, "covariance": covariance, "divisor": divisor, "covariance_floor": 1e-9}
    mixture = MixtureDiscriminantAnalysis(**options, tol=1e-13, max_iter=3000).fit(X, y)
    plain = kind(divisor=divisor).fit(X, y)
    assert_allclose(mixture.class_log_density(X), plain.class_log_density(X), rtol=1e-5, atol=1e-5)
    assert_allclose(mixture.predict_proba(X), plain.predict_proba(X), atol=1e-5)
    assert_allclose(mixture.typicality(X), plain.typicality(X), atol=1e-5)
    assert mixture.n_parameters_ == plain.n_parameters_


def test_the_penalty_is_in_the_covariance_that_cells_are_expected_under():
    X, y = three_classes(n=150, p=4)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    options = {"penalty": "difference", "gamma": 0.3, "divisor": "mle", "tol": 1e-13, "max_iter": 2000}
    model = MixtureDiscriminantAnalysis(subclasses=1, **options).fit(X, y)
    now = GaussianParameters(model.classes_, model.subclass_means_, model.covariance_[None], np.ones(3))
    expected = MemorySource(X, y).aggregate(ExpectedMoments(now, "pooled"))
    assert_allclose(expected.scatter / 150 + 0.3 * penalty_matrix("difference", 4), model.covariance_, atol=1e-4)
    assert_allclose(expected.mean, model.subclass_means_, atol=1e-4)


@every_covariance
def test_rows_without_holes_climb_to_the_same_place(covariance):
    """What sees holes, of rows that have none, is what does not see them."""
    X, y, centres = clumps(n=30)
    rows = distinct_rows(gather(MemorySource(X, y)))
    group = GROUPS[covariance]
    complete, holed = CompleteRows(rows), HoledRows(rows)
    assert_allclose(holed.moments.within, complete.moments.within, rtol=1e-8)
    assert_allclose(holed.X, rows.X)
    model = fixed(centres, covariance=covariance)
    fitter = SubclassFitter(rows, recipe_of(model.get_params(), rows.classes, 2))
    begins = np.append(np.flatnonzero(np.diff(rows.codes, prepend=-1)), len(rows.codes))
    penalty = np.zeros((group.max() + 1, 2, 2))
    problem = Problem(fitter.Z, rows.weight, np.array([0, 0, 0, 1, 1]), group, begins, penalty, 1e-3)
    start = fitter._start(np.array([3, 2]), 0)
    one, other = (known.climb(problem, start, fitter.outer, 1e-12, 1000).value for known in (complete, holed))
    for name in ("share", "mean", "covariance", "total"):
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-5, atol=1e-6)


# Laws


@pytest.mark.parametrize(
    "options",
    [*({"covariance": covariance} for covariance in COVARIANCES), {"penalty": "ridge", "gamma": 0.5}],
    ids=str,
)
@pytest.mark.parametrize("share", [0.1, 0.35])
def test_the_likelihood_never_falls(options, share):
    X, y, _ = holed_clumps(1, share=share)
    model = MixtureDiscriminantAnalysis(subclasses=3, n_init=1, tol=1e-8, max_iter=3000, **options).fit(X, y)
    assert len(model.trace_) == model.n_iter_ + 1 > 3
    assert np.diff(model.trace_).min() > -1e-9 * abs(model.trace_[-1])


@every_covariance
def test_the_trace_ends_in_the_likelihood_of_the_model(covariance):
    X, y, centres = holed_clumps()
    model = fixed(centres, covariance=covariance, divisor="mle").fit(X, y)
    own = model.class_log_density(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert own.sum() == pytest.approx(model.trace_[-1], rel=1e-7)


@every_covariance
def test_weights_are_repetitions_and_order_does_not_matter(covariance):
    X, y, _ = holed_clumps(n=30)
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(y))
    options = {"subclasses": {"a": 3, "b": 2}, "covariance": covariance, "n_init": 2, "tol": 1e-9, "max_iter": 3000}
    weighted = MixtureDiscriminantAnalysis(**options).fit(X, y, sample_weight=weight)
    order = rng.permutation(np.repeat(np.arange(len(y)), weight))
    repeated = MixtureDiscriminantAnalysis(**options).fit(X[order], y[order])
    assert_allclose(weighted.class_log_density(X), repeated.class_log_density(X), atol=1e-5)


@every_covariance
def test_units_do_not_matter(covariance):
    X, y, centres = holed_clumps(n=40)
    factor, origin = np.array([1e-8, 1e8, 1e3]), np.array([3.0, 1e13, -1e4])
    one = fixed(centres, covariance=covariance).fit(X, y)
    other = fixed(centres * factor + origin, covariance=covariance).fit(X * factor + origin, y)
    assert_allclose(other.predict_proba(X * factor + origin), one.predict_proba(X), atol=1e-6)


# Rows at predict


@every_covariance
def test_rows_with_holes_are_marginalised(covariance):
    """Against the normal distribution of the cells that are there, patterns never seen at fit included."""
    X, y, centres = holed_clumps(share=0.05)
    model = fixed(centres, covariance=covariance).fit(X, y)
    rows = holed_clumps(3, share=0.0)[0][::50]
    for i, row in enumerate(rows):
        row[[bool(i >> j & 1) for j in range(3)]] = np.nan
    owner = np.searchsorted(model.classes_, model.subclass_classes_)
    log_density, tails = model.class_log_density(rows), model.typicality(rows)
    rng = np.random.default_rng(0)
    for i, row in enumerate(rows):
        o = np.flatnonzero(~np.isnan(row))
        for k in range(2):
            own = np.flatnonzero(owner == k)
            if not len(o):
                assert (log_density[i, k], tails[i, k]) == (pytest.approx(0, abs=1e-12), 1)
                continue
            parts = [
                multivariate_normal(model.subclass_means_[r, o], model.subclass_covariances_[r][np.ix_(o, o)])
                for r in own
            ]
            share = model.subclass_priors_[own]
            expected = logsumexp([part.logpdf(row[o]) for part in parts], b=share)
            assert log_density[i, k] == pytest.approx(expected, rel=1e-8)
            drawn = np.concatenate(
                [np.reshape(part.rvs(round(4000 * s), rng), (-1, len(o))) for part, s in zip(parts, share, strict=True)]
            )
            of_drawn = logsumexp(
                np.column_stack([np.reshape(part.logpdf(drawn), -1) for part in parts]), axis=1, b=share
            )
            tail = (of_drawn <= expected).mean()
            error = np.sqrt(max(tail * (1 - tail), 1e-3) * (1 / 4000 + 1 / 2048))
            assert tails[i, k] == pytest.approx(tail, abs=3.5 * error + 1e-3)
    joint = log_density + np.log(model.priors_)
    assert_allclose(model.predict_log_proba(rows), joint - logsumexp(joint, axis=1)[:, None], atol=1e-8)
    assert_allclose(model.score_samples(rows), logsumexp(joint, axis=1), atol=1e-8)
    assert (np.isnan(model.transform(rows)).any(axis=1) == np.isnan(rows).any(axis=1)).all()
    complete = ~np.isnan(rows).any(axis=1)
    assert_allclose(model.typicality(rows)[complete], model.typicality(rows[complete]))


def test_better_than_the_means_where_cells_are_gone_at_random():
    """Classes of two clumps each, crosswise, in six columns that go together."""
    rng = np.random.default_rng(5)
    n = 800
    clump = rng.integers(0, 4, 2 * n)
    y = clump % 2
    centres = 2.5 * np.array([[1.0, 1, 1, 0, 0, 0], [1, -1, 0, 1, 0, 1], [-1, -1, -1, 0, 1, 0], [-1, 1, 0, -1, 1, -1]])
    X = rng.normal(size=(2 * n, 6)) @ (0.7 * np.eye(6) + 0.3) + centres[clump]
    X[rng.random(X.shape) < 0.3] = np.nan
    model = MixtureDiscriminantAnalysis(subclasses=2, n_init=3, random_state=1)
    ours = model.fit(X[:n], y[:n]).predict_proba(X[n:])
    filled = make_pipeline(SimpleImputer(), model).fit(X[:n], y[:n]).predict_proba(X[n:])
    single = LinearDiscriminantAnalysis().fit(X[:n], y[:n]).predict_proba(X[n:])
    assert log_loss(y[n:], ours) < log_loss(y[n:], filled) - 0.03
    assert log_loss(y[n:], ours) < log_loss(y[n:], single) - 0.1
