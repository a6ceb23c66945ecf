"""Log-densities of rows left out are those of a model fitted without them."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from distinguo import GaussianNB, PenalizedDiscriminantAnalysis, RegularizedDiscriminantAnalysis
from distinguo.catalogue import CATALOGUE
from distinguo.exceptions import LeftOutWarning
from tests.generative.cases import every_variant, three_classes
from tests.generative.naive_cases import COLUMNS, DESCRIBING, parametrized, rows_for, take

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=2)
WIDER = {
    "rda": RegularizedDiscriminantAnalysis(pooling=0.4, shrinkage=0.2),
    "rda-mle": RegularizedDiscriminantAnalysis(pooling=0.4, shrinkage=0.2, divisor="mle"),
    "rda-klar": RegularizedDiscriminantAnalysis(pooling=0.4, shrinkage=0.2, mixing="covariance"),
    "rda-unshrunk": RegularizedDiscriminantAnalysis(pooling=0.4, shrinkage=0.0),
    "rda-pooled": RegularizedDiscriminantAnalysis(pooling=1.0, shrinkage=0.2),
    "rda-own": RegularizedDiscriminantAnalysis(pooling=0.0, shrinkage=0.2),
    "rda-nearest-mean": RegularizedDiscriminantAnalysis(pooling=0.3, shrinkage=1.0),
    "rda-hardly": RegularizedDiscriminantAnalysis(pooling=0.4, shrinkage=1e-9),
    "pda": PenalizedDiscriminantAnalysis(gamma=0.5),
    "pda-degrees": PenalizedDiscriminantAnalysis(df=2.5),
}


def densities_of_refits(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """log p(x | class), (n, K), of rows, each by a model fitted on the others, at the priors of the full fit."""
    full = clone(model).fit(X, y, sample_weight=weight)
    classes = full.classes_
    weights = np.ones(len(y)) if weight is None else weight
    result = np.full((len(y), len(classes)), -np.inf)
    for i in range(len(y)):
        less = weights.copy()
        less[i] -= min(less[i], 1.0)
        kept = np.flatnonzero(less > 0)
        there = np.isin(classes, y[kept])
        priors = full.priors_[there] / full.priors_[there].sum()
        rest = clone(model).set_params(priors=priors).fit(take(X, kept), y[kept], sample_weight=less[kept])
        result[i, there] = rest.class_log_density(take(X, np.array([i])))[0]
    return result


def left_out(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return clone(model).fit(X, y, sample_weight=weight).leave_one_out_log_density(X, y, sample_weight=weight)


@every_variant
@given(seed=seeds)
@few
def test_gaussian_rows(model: Any, seed: int) -> None:
    X, y = three_classes(seed, n=28)
    np.testing.assert_allclose(left_out(model, X, y), densities_of_refits(model, X, y), rtol=1e-8, atol=1e-8)


@every_variant
def test_weighted_rows(model: Any) -> None:
    X, y = three_classes(n=30)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 1.7, 2.0], 30)
    for label in "abc":
        weight[np.flatnonzero(y == label)[:5]] += 1
    expected = densities_of_refits(model, X, y, weight)
    np.testing.assert_allclose(left_out(model, X, y, weight), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", WIDER)
def test_regularised_and_penalised(name: str) -> None:
    X, y = three_classes(n=40)
    model = WIDER[name]
    if name == "pda-degrees":  # the strength stays that of all rows
        model = PenalizedDiscriminantAnalysis(gamma=clone(model).fit(X, y).gamma_)
        np.testing.assert_allclose(left_out(WIDER[name], X, y), left_out(model, X, y), rtol=1e-8)
    np.testing.assert_allclose(left_out(model, X, y), densities_of_refits(model, X, y), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in WIDER if name.startswith("rda")])
@pytest.mark.parametrize("seed", [0, 1])
def test_regularised_rows_with_weights_and_a_constant_column(name: str, seed: int) -> None:
    X, y = three_classes(seed, n=40)
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], 40)
    for label in "abc":
        weight[np.flatnonzero(y == label)[:5]] += 1
    X = np.column_stack([X, np.full(40, 3.0), np.arange(40) == 7])  # and one that row 7 alone makes vary
    with pytest.warns(LeftOutWarning):
        found = left_out(WIDER[name], X, y, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        expected = densities_of_refits(WIDER[name], X, y, weight)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


@parametrized({**DESCRIBING, **COLUMNS})
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_counts_categories_and_mixtures(model: Any, holes: float) -> None:
    X, y = rows_for(model, n=45, holes=holes)
    expected = densities_of_refits(model, X, y)
    np.testing.assert_allclose(left_out(model, X, y), expected, rtol=1e-7, atol=1e-7)


def test_a_class_of_one_row_is_gone_without_it() -> None:
    X, y = three_classes(n=40)
    X, y = np.vstack([X, [9.0, 9.0, 9.0]]), np.append(y, "z")
    for model in (GaussianNB(var_smoothing=0.1), RegularizedDiscriminantAnalysis(pooling=1.0, shrinkage=0.1)):
        found = left_out(model, X, y)
        assert np.isneginf(found[-1, -1])
        assert np.isfinite(found[:-1]).all()


def test_a_class_of_prior_zero_has_no_density_left_out() -> None:
    X, y = three_classes(n=40)
    model = GaussianNB(priors={"a": 0.5, "b": 0.5, "c": 0.0})
    found = left_out(model, X, y)
    assert np.isneginf(found[:, 2]).all()
    assert np.isfinite(found[:, :2]).all()


def test_every_model_with_both_has_it() -> None:
    for entry in CATALOGUE:
        assert hasattr(entry.load()(), "leave_one_out_log_density") == (entry.leave_one_out and entry.density)
