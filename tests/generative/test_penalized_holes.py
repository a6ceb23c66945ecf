"""Missing cells in penalised discriminant analysis: EM at fit, the strength chosen by folds completed one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from distinguo import LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis, pseudo_rows
from distinguo.covariance.penalties import penalty_matrix
from distinguo.exceptions import InputError, LeftOutWarning
from tests.generative.cases import three_classes

LDA, PDA = LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis


def curves(n=400, p=12, seed=0, share=0.15, noise=0.5):
    """Smooth rows (n, p) of two classes that differ by a bump, cells gone at random, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    axis = np.linspace(0, 1, p)
    smooth = np.exp(-0.5 * ((axis[:, None] - axis) / 0.3) ** 2)
    X = rng.normal(size=(n, p)) @ (smooth + noise * np.eye(p)) + np.outer(y, 2 * np.sin(np.pi * axis))
    X[rng.random(X.shape) < share] = np.nan
    return X, y


def test_missing_cells_are_completed_as_in_lda_and_marginalised():
    X, y = three_classes(n=120, p=4)
    holed = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.1, np.nan, X)
    lda = LDA().fit(holed, y)
    plain = PDA(gamma=0.0).fit(holed, y)
    assert_allclose(plain.predict_proba(holed), lda.predict_proba(holed), atol=1e-9)
    model = PDA(penalty="difference", df=3).fit(holed, y)
    assert_allclose(model.covariance_, lda.covariance_ + model.gamma_ * penalty_matrix("difference", 4))
    row = np.array([[np.nan, 0.3, np.nan, 1.0]])
    seen = model.covariance_[1::2, 1::2]
    deviations = row[0, 1::2] - model.means_[:, 1::2]
    distances = np.einsum("ki,ij,kj->k", deviations, np.linalg.inv(seen), deviations)
    log_density = -0.5 * (distances + np.linalg.slogdet(2 * np.pi * seen)[1])
    assert_allclose(model.class_log_density(row)[0], log_density, rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"prior": True}], ids=["rows", "with pseudo-rows"])
def test_held_out_losses_are_those_of_refitted_models(options):
    X, y = curves(90, 6)
    X[::3] = np.where(np.isnan(X[::3]), 0.0, X[::3])  # rows without holes among those with
    if options:
        options = {"prior": pseudo_rows(dict.fromkeys([0, 1], np.zeros(6)), np.eye(6), 10)}
    splits = [(np.flatnonzero(np.arange(90) % 4 != k), np.flatnonzero(np.arange(90) % 4 == k)) for k in range(4)]
    tuned = PDA(penalty="difference", cv=splits, grid=5, **options).fit(X, y)
    results = tuned.cv_results_
    for gamma, error, loss in zip(results["gamma"], results["error"], results["log_loss"], strict=True):
        parts = [PDA(penalty="difference", gamma=gamma, **options).fit(X[a], y[a]) for a, _ in splits]
        posteriors = np.concatenate([part.predict_proba(X[b]) for part, (_, b) in zip(parts, splits, strict=True)])
        labels = np.concatenate([y[b] for _, b in splits])
        assert loss == pytest.approx(log_loss(labels, posteriors), rel=1e-5)
        assert error == pytest.approx((posteriors.argmax(axis=1) != labels).mean(), abs=1e-9)
    again = PDA(penalty="difference", gamma=tuned.gamma_, **options).fit(X, y)
    assert_allclose(tuned.predict_proba(X), again.predict_proba(X), atol=1e-9)


def test_the_degrees_of_freedom_are_those_of_the_completed_moments():
    X, y = curves()
    model = PDA(penalty="difference", df=5).fit(X, y)
    assert model.df_ == pytest.approx(5)
    tuned = PDA(penalty="difference", grid=[3.0, 5.0], cv=3).fit(X, y)
    assert tuned.cv_results_["gamma"][1] == pytest.approx(model.gamma_, rel=1e-6)


def test_better_than_the_means_where_cells_are_gone_at_random():
    X, y = curves(1200, 8, share=0.3, noise=0.1)
    fit, test = slice(0, 400), slice(400, None)
    model = PDA(penalty="difference", cv=4, grid=6)
    ours = model.fit(X[fit], y[fit]).predict_proba(X[test])
    filled = make_pipeline(SimpleImputer(), model).fit(X[fit], y[fit]).predict_proba(X[test])
    assert log_loss(y[test], ours) < log_loss(y[test], filled) - 0.02


def test_a_column_without_any_value_is_left_out_and_in_one_class_refused():
    X, y = curves(200, 6)
    X[:, 2] = np.nan
    with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 2"):
        model = PDA(grid=4, cv=3).fit(X, y)
    less = np.delete(X, 2, axis=1)
    assert_allclose(model.predict_proba(X), PDA(grid=4, cv=3).fit(less, y).predict_proba(less), atol=1e-6)
    X[y == 1, 2] = np.arange(100)
    with pytest.raises(InputError, match="class 0 has no value at all in the columns 2"):
        PDA(grid=4, cv=3).fit(X, y)


def test_losses_below_nothing_by_rounding_are_the_least():
    rng = np.random.default_rng(0)
    y = (np.arange(300) % 5 < 2).astype(int)
    X = np.column_stack([y, rng.normal(size=(300, 3)) * [1.0, 15.0, 0.3]])  # as if a column was made from the class
    X[rng.random(300) < 0.2, 2] = np.nan
    model = PDA().fit(X, y)
    losses, strengths = model.cv_results_["log_loss"], model.cv_results_["gamma"]
    assert losses.min() < 0
    assert model.gamma_ == strengths[losses < 1e-12].max()
