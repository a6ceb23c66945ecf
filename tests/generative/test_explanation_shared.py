"""What the columns say under Gaussian classes of one shape: held against the middle between two classes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis
from distinguo.exceptions import InputError
from tests.explained_cases import every_with_holes
from tests.generative.cases import three_classes

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)


def test_without_correlations_the_columns_say_what_naive_bayes_says() -> None:
    X, y = three_classes(3)
    lda = LinearDiscriminantAnalysis(shrinkage=1.0, target="diagonal", divisor="mle").fit(X, y)
    naive = GaussianNB(shared_variance=True, var_smoothing=0.0).fit(X, y)
    for i in range(5):
        a, b = lda.explain(X[[i]], "a", "c"), naive.explain(X[[i]], "a", "c")
        np.testing.assert_allclose(a.contributions, b.contributions, rtol=1e-9)
        assert a.start == pytest.approx(b.start)


def test_the_formula() -> None:
    X, y = three_classes(1)
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.3, 0.2]).fit(X, y)
    why = model.explain(X[[4]], "c", "a")
    means = model.means_
    weights = np.linalg.solve(model.covariance_, means[2] - means[0])
    np.testing.assert_allclose(why.contributions, weights * (X[4] - (means[2] + means[0]) / 2), rtol=1e-9)
    assert why.start == pytest.approx(np.log(0.2 / 0.5))
    # Half-way between the classes no column says anything.
    assert np.abs(model.explain([(means[2] + means[0]) / 2], "c", "a").contributions).max() < 1e-12


@every_with_holes
@given(seed=seeds, holes=st.sampled_from([0.3, 0.7]))
@few
def test_rows_with_holes_add_up_to_their_score(model: Any, seed: int, holes: float) -> None:
    X, y = three_classes(seed, 90, p=5)
    fitted = clone(model).fit(X, y)
    row = np.where(np.random.default_rng(seed).random(5) < holes, np.nan, X[0])[None]
    logs = fitted.predict_log_proba(row)[0]
    why = fitted.explain(row, "a", "b")
    assert why.log_odds == pytest.approx(logs[0] - logs[1], abs=1e-10 * (1 + np.abs(why.contributions).sum()))
    assert (why.contributions[np.isnan(row[0])] == 0).all()
    assert why.probability == fitted.predict_proba(row)[0, 0]


@given(seed=seeds)
@few
def test_a_hole_leaves_what_a_model_without_that_column_would_say(seed: int) -> None:
    # The margin of a Gaussian is the Gaussian of the columns that are left.
    X, y = three_classes(seed, 90, p=4)
    row = X[[2]].copy()
    row[0, 1] = np.nan
    why = LinearDiscriminantAnalysis().fit(X, y).explain(row, "a", "b")
    without = (
        LinearDiscriminantAnalysis().fit(np.delete(X, 1, axis=1), y).explain(np.delete(X[[2]], 1, axis=1), "a", "b")
    )
    np.testing.assert_allclose(np.delete(why.contributions, 1), without.contributions, rtol=1e-7, atol=1e-9)


def test_a_row_of_holes_is_left_to_the_priors() -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]).fit(X, y)
    why = model.explain(np.full((1, 3), np.nan))
    assert (why.label, why.against, why.contributions.tolist()) == ("c", "b", [0, 0, 0])
    assert why.log_odds == pytest.approx(np.log(0.5 / 0.3))
    assert why.probability == pytest.approx(0.5)


@given(seed=seeds)
@few
def test_units_and_origins_do_not_matter(seed: int) -> None:
    X, y = three_classes(seed, 90)
    rng = np.random.default_rng(seed)
    scale, shift = 10.0 ** rng.uniform(-8, 8, 3), rng.normal(size=3) * 1e3
    there = (X + shift) * scale
    for model in (LinearDiscriminantAnalysis(), PenalizedDiscriminantAnalysis(gamma=0.0)):
        here = clone(model).fit(X, y).explain(X[[1]], "a", "b").contributions
        moved = clone(model).fit(there, y).explain(there[[1]], "a", "b").contributions
        np.testing.assert_allclose(moved, here, rtol=1e-6, atol=1e-8)


def test_a_copied_column_shares_what_it_says() -> None:
    X, y = three_classes()
    with pytest.warns(UserWarning, match="linearly dependent"):
        model = LinearDiscriminantAnalysis().fit(X[:, [0, 1, 2, 2]], y)
    why, alone = (
        model.explain(X[[1]][:, [0, 1, 2, 2]], "a", "b"),
        LinearDiscriminantAnalysis().fit(X, y).explain(X[[1]], "a", "b"),
    )
    np.testing.assert_allclose(why.contributions[2:], alone.contributions[2] / 2, rtol=1e-8)
    np.testing.assert_allclose(why.contributions[:2], alone.contributions[:2], rtol=1e-8)


def test_a_class_without_rows_has_nothing_to_be_compared_by() -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis().partial_fit(X, y, classes=["a", "b", "c", "d"])
    with pytest.raises(InputError, match="one has no rows"):
        model.explain(X[:1], "d", "a")
    assert model.explain(X[:1]).against in {"a", "b", "c"}
    assert model.explain(X[:1]).probability == model.predict_proba(X[:1]).max()


@pytest.mark.parametrize("density", ["predictive", "debiased"])
def test_densities_that_know_their_uncertainty_have_no_such_parts(density: str) -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis(density=density).fit(X, y)
    assert not hasattr(model, "explain")
    with pytest.raises(AttributeError) as error:
        model.explain(X[:1])
    assert f"density='{density}' has scores that are no sum" in str(error.value.__cause__)
