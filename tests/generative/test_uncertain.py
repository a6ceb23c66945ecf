"""Predictive and debiased discriminant analysis: right formulas, few rows, and what does not go with them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from distinguo import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from distinguo.exceptions import InputError

LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis


# With unequal classes MASS errs here (123 and 97 for QDA): no gamma functions, and digammas summed over the classes.
@pytest.mark.parametrize(
    ("model", "density", "errors"),
    [
        (QDA, "plug-in", 76),
        (QDA, "predictive", 76),
        (QDA, "debiased", 76),
        (LDA, "plug-in", 67),
        (LDA, "predictive", 67),
    ],
)
def test_pima_errors_of_the_corrected_formulas(shared_data, model, density, errors):
    train, test = (pd.read_csv(shared_data(name)) for name in ("Pima.tr.csv", "Pima.te.csv"))
    fitted = model(density=density).fit(train.drop(columns="type"), train["type"])
    assert (fitted.predict(test.drop(columns="type")) != test["type"]).sum() == errors


@pytest.mark.parametrize("model", [LDA, QDA])
def test_predictive_density_integrates_to_one(model):
    X, y = np.random.default_rng(0).normal(size=(9, 1)), [0, 0, 0, 1, 1, 1, 1, 1, 1]
    angle = np.linspace(-np.pi / 2 + 1e-7, np.pi / 2 - 1e-7, 400_001)  # the tails of a t are long
    x = np.tan(angle)
    density = np.exp(model(density="predictive").fit(X, y).class_log_density(x[:, None]))
    assert_allclose(np.trapezoid(density / np.cos(angle)[:, None] ** 2, angle, axis=0), 1.0, rtol=1e-4)


def test_on_small_samples_the_predictive_loss_is_less_than_the_plug_in_loss():
    rng = np.random.default_rng(1)
    losses = {"plug-in": [], "predictive": []}
    for _ in range(30):
        train, test = (np.concatenate([rng.normal(m, s, (n, 3)) for m, s in ((0, 1), (1, 2))]) for n in (8, 200))
        y, truth = np.repeat([0, 1], 8), np.repeat([0, 1], 200)
        for density, values in losses.items():
            log_posterior = QDA(density=density).fit(train, y).predict_log_proba(test)
            values.append(-log_posterior[np.arange(400), truth].mean())
    difference = np.subtract(losses["plug-in"], losses["predictive"])
    assert difference.mean() > 3.5 * difference.std() / np.sqrt(30)


@pytest.mark.filterwarnings("ignore")  # scikit-learn's own data have constant columns and rows far away
@pytest.mark.parametrize(("model", "density"), [(LDA, "predictive"), (LDA, "debiased"), (QDA, "predictive")])
def test_it_keeps_every_contract(model, density):
    failed = [r for r in check_estimator(model(density=density), on_fail=None, on_skip=None) if r["status"] == "failed"]
    names = {r["check_name"] for r in failed}
    assert names <= {
        # Fifteen rows of thirty columns leave no degrees of freedom, and that is said.
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    }
    assert all(isinstance(r["exception"], InputError) for r in failed)


@pytest.mark.parametrize("model", [LDA, QDA])
@pytest.mark.parametrize("density", ["predictive", "debiased"])
def test_leaving_out_is_refitting(model, density):
    X, y = load_iris(return_X_y=True)
    X, y = X[::6], y[::6]
    fitted = model(density=density).fit(X, y)
    posteriors = fitted.leave_one_out(X, y)
    for i in (0, 10, 24):
        rest = np.arange(len(y)) != i
        refitted = model(density=density, priors=fitted.priors_).fit(X[rest], y[rest])
        assert_allclose(posteriors[i], refitted.predict_proba(X[[i]])[0], atol=1e-9)


def test_there_is_no_coefficient_where_boundaries_are_no_planes():
    X, y = load_iris(return_X_y=True)
    assert hasattr(LDA().fit(X, y), "coef_")
    assert not hasattr(LDA(density="predictive").fit(X, y), "coef_")
    assert_allclose(LDA(density="predictive").fit(X, y).transform(X), LDA().fit(X, y).transform(X))


@pytest.mark.parametrize(
    ("model", "options", "match"),
    [
        (LDA, {"density": "bayes"}, "density='bayes' is not known"),
        (QDA, {"density": None}, "density=None is not known"),
        (QDA, {"density": "predictive", "shrinkage": 0.1}, "goes with shrinkage=None"),
        (LDA, {"density": "predictive", "divisor": "mle"}, "divisor='unbiased' only"),
    ],
)
def test_options_that_do_not_go_together_are_named(model, options, match):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=match):
        model(**options).fit(X, y)


def test_too_few_rows_are_counted():
    X, y = np.random.default_rng(0).normal(size=(12, 4)), np.repeat([0, 1], 6)
    assert np.isfinite(QDA(density="predictive").fit(X, y).predict_log_proba(X)).all()
    with pytest.raises(InputError, match="more than 5 degrees of freedom"):
        QDA(density="debiased").fit(X, y)


@pytest.mark.parametrize("model", [LDA, QDA])
@pytest.mark.parametrize("density", ["predictive", "debiased"])
def test_missing_cells_are_marginalised(model, density):
    X, y = load_iris(return_X_y=True)
    fitted = model(density=density).fit(X, y)
    holed = X[:5].copy()
    holed[:, 2] = np.nan
    holed[0] = np.nan
    found = fitted.predict_proba(holed)
    assert_allclose(found[0], fitted.priors_)
    if density == "predictive" and model is QDA:  # a marginal of a t is the t of those columns, with its degrees kept
        log_density = fitted.class_log_density(holed[1:])
        grid = np.linspace(-60, 60, 60_001)
        filled = np.repeat(X[1:2], len(grid), axis=0)
        filled[:, 2] = grid
        whole = np.exp(fitted.class_log_density(filled))
        assert_allclose(np.exp(log_density[0]), np.trapezoid(whole, grid, axis=0), rtol=1e-3)
