"""Coordinate descent: the conditions of the optimum, whatever the penalty, the rows and the start."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import softmax

from distinguo import LogisticRegression
from distinguo.exceptions import InputError, LeftOutWarning
from distinguo.solvers.shifts import least_shift, settled

PENALTIES = [(0.0, False), (0.0, True), (0.5, True), (1.0, False), (1.0, True)]


def rows(K=3, n=150, p=8, seed=0, zeros=0.0):
    """Rows whose classes depend on a few of the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) >= zeros)
    B = rng.normal(size=(p, K)) * (np.arange(p) < 4)[:, None]
    return X, (X @ B + rng.gumbel(size=(n, K))).argmax(axis=1)


def unmet(model, X, y, weight, offset=0.0):
    """The greatest violation of the conditions of the optimum a row, worked out from the formula alone."""
    coef, intercept, K = model.coef_, model.intercept_, len(model.classes_)
    if K == 2:
        coef, intercept = np.vstack([0 * coef, coef]), np.array([0.0, intercept[0]])
    P = softmax(X @ coef.T + intercept + offset, axis=1)
    residual = weight[:, None] * (P - (y[:, None] == model.classes_))
    deviation = np.sqrt(np.cov(X.T, aweights=weight, ddof=0).diagonal())
    unit = deviation if model.standardize else np.ones(X.shape[1])
    l1, l2 = model.l1_ratio * unit / model.C, (1 - model.l1_ratio) * unit**2 / model.C
    slope = residual.T @ X + l2 * coef
    missed = np.where(coef == 0, np.maximum(np.abs(slope) - l1, 0), np.abs(slope + l1 * np.sign(coef)))
    missed = missed[1:] if K == 2 else missed
    constant = np.abs(residual.sum(axis=0)).max() if model.fit_intercept else 0.0
    return max((missed / deviation).max(), constant) / weight.sum()


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize(("l1_ratio", "standardize"), PENALTIES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_conditions_of_the_optimum_hold(K, l1_ratio, standardize, form, intercept):
    X, y = rows(K, zeros=0.5)
    X = X * np.logspace(-1, 1, 8)
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    model = LogisticRegression(
        0.05, l1_ratio=l1_ratio, standardize=standardize, fit_intercept=intercept, solver="coordinate-descent"
    )
    model.fit(form(X), y, weight)
    assert model.status_ == "converged"
    assert unmet(model, X, y, weight) < 1e-8
    assert model.optimality_ < 1e-8
    assert (np.diff(model.trace_) <= 1e-10).all()
    assert (model.coef_ == 0).any() == (l1_ratio > 0)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_other_solvers_come_to_the_same_ridge(K, standardize, solver):
    X, y = rows(K)
    X = X + 5.0
    one = LogisticRegression(2.0, standardize=standardize, solver="coordinate-descent", tol=1e-10).fit(X, y)
    other = LogisticRegression(2.0, standardize=standardize, solver=solver).fit(X, y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(one.intercept_, other.intercept_, atol=1e-6)


@pytest.mark.parametrize("K", [2, 3])
def test_gradient_descent_comes_to_the_same_elastic_net(K):
    X, y = rows(K, p=4)
    one = LogisticRegression(0.2, l1_ratio=0.5).fit(X, y)
    other = LogisticRegression(0.2, l1_ratio=0.5, solver="gradient-descent", tol=1e-9, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)


@given(st.integers(0, 1000), st.sampled_from([2, 3, 4]), st.sampled_from(PENALTIES))
@settings(max_examples=25)
def test_weights_are_repetitions_and_order_plays_no_part(seed, K, penalty):
    X, y = rows(K, n=60, seed=seed)
    y[:K] = np.arange(K)
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, len(X))
    order = rng.permutation(weight.sum())
    options = {"l1_ratio": penalty[0], "standardize": penalty[1], "solver": "coordinate-descent", "tol": 1e-10}
    weighted = LogisticRegression(0.3, **options).fit(X, y, weight)
    repeated = LogisticRegression(0.3, **options).fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)
    np.testing.assert_array_equal(weighted.coef_ == 0, repeated.coef_ == 0)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_the_start_plays_no_part(K, l1_ratio):
    X, y = rows(K)
    cold = LogisticRegression(0.5, l1_ratio=l1_ratio, tol=1e-10).fit(X, y)
    warm = LogisticRegression(20.0, l1_ratio=l1_ratio, tol=1e-10, warm_start=True).fit(X + 3.0, y)
    warm.set_params(C=0.5).fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-6)
    np.testing.assert_allclose(warm.intercept_, cold.intercept_, atol=1e-6)
    assert cold.set_params(warm_start=True).fit(X, y).n_iter_ == 0


@given(st.integers(0, 1000), st.sampled_from([2, 3]), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=15)
def test_a_standardised_penalty_knows_neither_units_nor_origins(seed, K, l1_ratio):
    X, y = rows(K, seed=seed)
    scale = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, X.shape[1])
    options = {"l1_ratio": l1_ratio, "standardize": True, "solver": "coordinate-descent", "tol": 1e-10}
    plain = LogisticRegression(0.3, **options).fit(X, y)
    np.testing.assert_allclose(
        LogisticRegression(0.3, **options).fit(X * scale + 1e4 * scale, y).coef_ * scale, plain.coef_, atol=1e-6
    )
    scaled = LogisticRegression(0.3, **options).fit(sparse.csr_array(X * scale), y)
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, atol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("K", [2, 3])
def test_more_columns_than_rows(form, K):
    X, y = rows(K, n=40, p=1200)
    model = LogisticRegression(0.5, l1_ratio=1.0, standardize=True).fit(form(X), y)
    assert unmet(model, X, y, np.ones(40)) < 1e-8
    assert 0 < model.coef_.any(axis=0).sum() < 40 * K


@pytest.mark.parametrize("K", [2, 3])
def test_offsets_take_part(K):
    X, y = rows(K)
    offset = np.random.default_rng(3).normal(size=(len(X), K))
    if K == 2:
        offset[:, 0] = 0.0
    model = LogisticRegression(0.3, l1_ratio=1.0)
    model.fit(X, y, offset=offset[:, 1] if K == 2 else offset)
    assert unmet(model, X, y, np.ones(len(X)), offset) < 1e-8


def test_class_weights_are_weights_of_rows():
    X, y = rows(3)
    by_class = LogisticRegression(0.3, l1_ratio=0.7, class_weight={0: 2.0, 2: 0.5}).fit(X, y)
    by_row = LogisticRegression(0.3, l1_ratio=0.7).fit(X, y, np.array([2.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, atol=1e-7)


@pytest.mark.parametrize("K", [2, 3])
def test_a_strong_penalty_leaves_the_shares_of_the_classes(K):
    X, y = rows(K)
    model = LogisticRegression(1e-6, l1_ratio=1.0).fit(X, y)
    assert not model.coef_.any()
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], np.bincount(y) / len(y), atol=1e-7)


def test_columns_that_say_nothing_get_nothing():
    X, y = rows(3)
    X[:, 5] = 7.0
    with pytest.warns(LeftOutWarning):
        dense = LogisticRegression(0.3, l1_ratio=0.5, standardize=True).fit(X, y)
    assert not dense.coef_[:, 5].any()
    X[:, 5] = 0.0
    wide = sparse.csr_array(np.column_stack([X, np.zeros((len(X), 1500))]))
    model = LogisticRegression(0.3, l1_ratio=0.5, standardize=True).fit(wide, y)
    assert not model.coef_[:, 8:].any()
    np.testing.assert_allclose(model.coef_[:, :8], dense.coef_, atol=1e-6)


@pytest.mark.parametrize("K", [2, 3])
def test_rows_that_are_all_but_certain_do_not_lead_astray(K):
    X, y = rows(K, n=200)
    X[:, 0] += 6.0 * y  # the classes are all but separated
    model = LogisticRegression(1e6, l1_ratio=1.0).fit(X, y)
    assert model.status_ == "converged"
    assert unmet(model, X, y, np.ones(200)) < 1e-8


def test_options_that_cannot_act_are_refused():
    X, y = rows(2)
    with pytest.raises(InputError, match="needs a penalty"):
        LogisticRegression(solver="coordinate-descent").fit(X, y)
    for solver in ("newton", "lbfgs"):
        with pytest.raises(InputError, match="takes no l1_ratio above 0"):
            LogisticRegression(1.0, l1_ratio=0.5, solver=solver).fit(X, y)


@given(st.integers(0, 1000), st.integers(3, 6), st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, 0.3), (0.2, 2.0)]))
def test_no_other_shift_has_a_smaller_penalty(seed, K, strengths):
    coef = np.random.default_rng(seed).normal(size=(K, 1)).round(1)
    l1, l2 = np.array(strengths[:1]), np.array(strengths[1:])

    def penalty(shift):
        return (l1 * np.abs(coef - shift) + 0.5 * l2 * (coef - shift) ** 2).sum()

    least = penalty(least_shift(coef, l1, l2))
    assert all(penalty(shift) >= least - 1e-12 for shift in np.linspace(-3, 3, 601))


@given(st.integers(0, 1000), st.floats(-2, 2))
def test_of_equal_penalties_one_is_settled_on(seed, shift):
    coef = np.random.default_rng(seed).integers(-2, 3, size=(4, 3)).astype(float)
    ends = np.sort(coef, axis=0)[1:3]
    inside = ends[0] + (ends[1] - ends[0]) * abs(shift) / 2  # anywhere between the medians
    chosen = settled(coef - inside, np.zeros(3))
    np.testing.assert_allclose(np.abs(chosen).sum(axis=0), np.abs(coef - ends[0]).sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(chosen, settled(coef - ends[1], np.zeros(3)), atol=1e-9)
    assert ((chosen == 0).sum(axis=0) >= 1).all()
