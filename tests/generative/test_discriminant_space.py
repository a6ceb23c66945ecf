"""Fisher's directions, coefficients, and what n_components does to them."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer

from distinguo import LinearDiscriminantAnalysis
from distinguo.exceptions import InputError
from tests.generative.cases import three_classes


def test_scores_are_centred_with_within_class_variance_one() -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis().fit(X, y)
    Z = model.transform(X)
    assert Z.shape == (60, 2)
    np.testing.assert_allclose(model.transform((model.priors_ @ model.means_)[None]), 0, atol=1e-12)
    deviations = Z - np.stack([Z[y == label].mean(axis=0) for label in y])
    np.testing.assert_allclose(deviations.T @ deviations / (60 - 3), np.eye(2), atol=1e-10)
    means = model.transform(model.means_)
    between = means.T @ (means * model.priors_[:, None])
    np.testing.assert_allclose(between - np.diag(np.diagonal(between)), 0, atol=1e-10)
    np.testing.assert_allclose(np.diagonal(between) / between.trace(), model.explained_variance_ratio_)
    assert (np.diff(np.diagonal(between)) < 0).all()


def test_directions_are_scikit_learns_but_for_sign() -> None:
    X, y = load_iris(return_X_y=True)
    # Recent versions of scikit-learn divide by n; here that is an option.
    own, peer = LinearDiscriminantAnalysis(divisor="mle").fit(X, y), Peer(solver="eigen").fit(X, y)
    np.testing.assert_allclose(own.explained_variance_ratio_, peer.explained_variance_ratio_[:2], rtol=1e-8)
    shares = (own.transform(X)[1:] - own.transform(X)[:1]) / (peer.transform(X)[1:] - peer.transform(X)[:1])
    np.testing.assert_allclose(shares, np.tile(shares[0], (149, 1)), rtol=1e-6)


def test_the_largest_loading_is_positive() -> None:
    X, y = three_classes()
    for rows in (X, -X, X * [1e6, -1.0, 1.0]):
        model = LinearDiscriminantAnalysis().fit(rows, y)
        loadings = model.scalings_ * np.sqrt(np.diagonal(model.covariance_))[:, None]
        assert (loadings[np.abs(loadings).argmax(axis=0), [0, 1]] > 0).all()


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
@pytest.mark.parametrize("options", [{}, {"n_components": 1}, {"shrinkage": "oas"}, {"priors": "uniform"}])
def test_coefficients_are_the_scores(names: Any, options: Any) -> None:
    X, y = three_classes(names=names)
    model = LinearDiscriminantAnalysis(**options).fit(X, y)
    K = 1 if len(names) == 2 else 3
    assert model.coef_.shape == (K, 3)
    assert model.intercept_.shape == (K,)
    scores = X @ model.coef_.T + model.intercept_
    decision = model.decision_function(X)
    if K == 1:
        assert decision.shape == (60,)
        np.testing.assert_allclose(decision, scores[:, 0], atol=1e-9)
        assert np.array_equal(model.predict(X) == "b", decision >= 0)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-decision)))
    else:
        np.testing.assert_allclose(decision - decision[:, :1], scores - scores[:, :1], atol=1e-9)


def test_coefficients_of_classes_without_rows_or_priors() -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis(priors={"a": 0.5, "b": 0.5, "c": 0, "d": 0}).partial_fit(X, y, classes=["d"])
    assert model.coef_.shape == (4, 3)
    assert model.intercept_[2:].tolist() == [-np.inf, -np.inf]
    assert (model.predict_proba(X)[:, 2:] == 0).all()


def test_all_directions_are_none_and_fewer_act_in_predict() -> None:
    X, y = three_classes(n=200, p=4, names=("a", "b", "c", "d"))
    full = LinearDiscriminantAnalysis().fit(X, y)
    three = LinearDiscriminantAnalysis(n_components=3).fit(X, y)
    np.testing.assert_allclose(three.predict_proba(X), full.predict_proba(X), atol=1e-10)
    for L in (1, 2):
        model = LinearDiscriminantAnalysis(n_components=L).fit(X, y)
        Z = full.transform(X)[:, :L]
        np.testing.assert_allclose(model.transform(X), Z, atol=1e-10)
        means = full.transform(full.means_)[:, :L]
        joint = np.log(full.priors_) - 0.5 * ((Z[:, None] - means) ** 2).sum(axis=2)
        posterior = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(X), posterior, atol=1e-9)
        assert model.explained_variance_ratio_.shape == (L,)
        np.testing.assert_allclose(model.explained_variance_ratio_, full.explained_variance_ratio_[:L])


@pytest.mark.parametrize("n_components", [0, 3, -1, True, 1.0, "1", 1.5, np.float64(2), [1]])
def test_other_numbers_of_directions_are_refused(n_components: Any) -> None:
    with pytest.raises(InputError, match=r"n_components=.*must be a whole number from 1 to 2"):
        LinearDiscriminantAnalysis(n_components=n_components).fit(*three_classes())


def test_n_components_may_be_numpys() -> None:
    assert LinearDiscriminantAnalysis(n_components=np.int8(1)).fit(*three_classes()).transform([[0, 0, 0]]).shape == (
        1,
        1,
    )


def test_one_feature_many_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(5000) % 1000
    X = y[:, None] + rng.normal(size=(5000, 1)) / 50
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert model.transform(X).shape == (5000, 1)
    assert (model.predict(X) == y).mean() > 0.99
    assert model.predict_proba(X[:1]).shape == (1, 1000)


def test_equal_means_have_directions_without_variance() -> None:
    X = np.tile([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], (2, 1))
    model = LinearDiscriminantAnalysis().fit(X, ["a"] * 4 + ["b"] * 4)
    np.testing.assert_allclose(model.predict_proba(X), 0.5)
    assert np.isfinite(model.explained_variance_ratio_).all()
    assert np.isfinite(model.transform(X)).all()
