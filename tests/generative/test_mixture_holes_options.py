"""Missing cells in mixtures: options, columns and rows where little is there, and rows without classes."""

import pickle
import warnings

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from distinguo import MemorySource, Mixture, MixtureDiscriminantAnalysis
from distinguo.exceptions import InputError, LeftOutWarning
from tests.generative.mixture_cases import QUICK, fixed, holed_clumps, starts


@pytest.mark.parametrize("subclasses", ["bic", "cv"])
def test_subclasses_are_counted_through_holes(subclasses):
    X, y, _ = holed_clumps(share=0.1)
    model = MixtureDiscriminantAnalysis(subclasses=subclasses, max_subclasses=3, n_init=2).fit(X, y)
    assert np.isfinite(model.search_["log_loss" if subclasses == "cv" else "bic"]).all()
    assert np.bincount(np.searchsorted(model.classes_, model.subclass_classes_)).min() >= 2
    assert model.score(X, y) > 0.9


def test_frames_sources_and_pickles():
    X, y, centres = holed_clumps(n=30)
    expected = fixed(centres).fit(X, y).predict_proba(X)
    frame = pl.DataFrame({f"x{j}": pl.Series(X[:, j]).fill_nan(None) for j in range(3)})
    model = pickle.loads(pickle.dumps(fixed(centres).fit(frame, y)))
    assert_allclose(model.predict_proba(frame), expected, atol=1e-12)
    assert_allclose(fixed(centres).fit(MemorySource(X, y)).predict_proba(X), expected, atol=1e-12)


def test_columns_and_rows_without_any_cell():
    X, y, centres = holed_clumps(n=40)
    more = np.vstack([X, np.full((9, 3), np.nan)])
    labels = np.append(y, ["b"] * 9)
    with_empty = fixed(centres).set_params(divisor="mle").fit(more, labels)
    assert_allclose(with_empty.means_, fixed(centres).fit(X, y).means_, atol=1e-5)
    assert_allclose(with_empty.predict_proba(more)[-1], with_empty.priors_)
    X[:, 2] = np.nan
    with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 2"):
        model = fixed(centres).fit(X, y)
    less = MixtureDiscriminantAnalysis(subclasses={"a": 3, "b": 2}, start=starts(centres[:, :2]), tol=1e-10)
    assert_allclose(model.predict_proba(X), less.fit(X[:, :2], y).predict_proba(X[:, :2]), atol=1e-6)
    X[y == "a", 2] = np.arange((y == "a").sum())
    with pytest.raises(InputError, match="class 'b' has no value at all in the columns 2"):
        fixed(centres).fit(X, y)


def test_dependent_columns_with_holes():
    X, y, _ = holed_clumps(n=60, share=0.0)
    X[:, 2] = X[:, 0] + X[:, 1]
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MixtureDiscriminantAnalysis(subclasses=2, **QUICK).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()


# Rows without classes


@pytest.mark.parametrize("covariance", ["shared", "component"])
def test_a_plain_mixture_takes_holes(covariance):
    X, y, centres = holed_clumps()
    own = X[y == "a"]
    model = Mixture(3, covariance=covariance, start=centres[[0, 3, 4]], tol=1e-10).fit(own)
    complete = Mixture(3, covariance=covariance, start=centres[[0, 3, 4]]).fit(holed_clumps(share=0.0)[0][y == "a"])
    assert_allclose(model.means_, complete.means_, atol=0.5)
    parts = [multivariate_normal(m, c) for m, c in zip(model.means_, model.covariances_, strict=True)]
    full = ~np.isnan(own).any(axis=1)
    expected = logsumexp([part.logpdf(own[full]) for part in parts], axis=0, b=model.weights_[:, None])
    assert_allclose(model.score_samples(own)[full], expected, rtol=1e-8)
    assert_allclose(model.responsibilities(own).sum(axis=1), 1)
    assert_allclose(model.responsibilities([[np.nan] * 3])[0], model.weights_)
    assert model.typicality([[np.nan] * 3]).tolist() == [1.0]
    assert (model.typicality(own) < 0.05).mean() == pytest.approx(0.05, abs=3.5 * np.sqrt(0.05 * 0.95 / len(own)))
    assert model.trace_[-1] == pytest.approx(
        Mixture(3, covariance=covariance, start=centres[[0, 3, 4]], tol=1e-10, divisor="mle").fit(own).score(own)
        * len(own),
        rel=1e-7,
    )


def test_a_plain_mixture_counts_its_components_through_holes():
    X, y, _ = holed_clumps(share=0.1)
    assert len(Mixture(max_components=4, n_init=3).fit(X[y == "a"]).means_) == 3
