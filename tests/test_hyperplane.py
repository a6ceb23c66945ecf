"""Boundaries of affine scores: what the lectures say of their geometry, on every model that has them."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from distinguo import LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis
from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine, Hyperplane, binary, decide
from tests.generative.cases import three_classes

MODELS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda-priors": LinearDiscriminantAnalysis(priors="uniform", shrinkage=0.3),
    "lda-one-direction": LinearDiscriminantAnalysis(n_components=1),
    "pda": PenalizedDiscriminantAnalysis(gamma=1.0),
}
every_model = pytest.mark.parametrize("model", [clone(model) for model in MODELS.values()], ids=list(MODELS))
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=10)
numbers = st.floats(-100, 100)


def two_classes(seed: int = 0) -> tuple[Any, Any]:
    X, y = three_classes(seed, names=("a", "b"))
    return X, y


def on_plane(plane: Hyperplane, points: Any) -> Any:
    """The points' projections on a boundary."""
    return points - np.outer(plane.signed_distance(points), plane.normal / np.linalg.norm(plane.normal))


# One boundary


@given(normal=arrays(np.float64, 3, elements=numbers), offset=numbers, seed=seeds)
def test_lecture_22_the_normal_is_orthogonal_to_the_surface_and_measures_distances(normal, offset, seed):
    if np.linalg.norm(normal) < 1e-3:
        return
    plane = Hyperplane(normal, offset)
    points = np.random.default_rng(seed).normal(0, 10, (6, 3))
    surface = on_plane(plane, points)
    scale = 1 + np.abs(surface).max()
    # Two points on the surface differ by a direction that the normal does not see.
    assert np.abs((surface[1:] - surface[0]) @ normal).max() <= 1e-9 * scale * np.linalg.norm(normal)
    # From the origin it is as far, along the normal, as any of its points.
    along = surface @ normal / np.linalg.norm(normal)
    np.testing.assert_allclose(along, plane.distance_from_origin, atol=1e-9 * scale)
    # The distance of a point is that from its projection, and its sign the side.
    np.testing.assert_allclose(
        np.abs(plane.signed_distance(points)), np.linalg.norm(points - surface, axis=1), atol=1e-9 * scale
    )
    assert (np.sign(plane.signed_distance(points)) == np.sign(points @ normal + offset)).all()


def test_numbers_by_hand():
    # 3 x1 + 4 x2 = 10: two units from the origin; the other way round it is the same surface, seen from its other side.
    plane, turned = Hyperplane(np.array([3.0, 4.0]), -10.0), Hyperplane(np.array([-3.0, -4.0]), 10.0)
    assert plane.distance_from_origin == 2.0
    assert turned.distance_from_origin == -2.0
    assert plane.signed_distance([[0, 0], [6, 8], [-3, -4]]).tolist() == [-2, 8, -7]
    assert turned.signed_distance([[0, 0], [6, 8], [-3, -4]]).tolist() == [2, -8, 7]


@pytest.mark.parametrize(("offset", "expected"), [(0.0, 0.0), (3.0, np.inf), (-3.0, -np.inf)])
def test_without_a_normal_the_boundary_is_everywhere_or_nowhere(offset, expected):
    plane = Hyperplane(np.zeros(2), offset)
    assert plane.signed_distance([[1.0, 2.0]]).tolist() == [expected]
    assert plane.distance_from_origin == -expected


def test_holes_have_no_distance():
    assert np.isnan(Hyperplane(np.ones(2), 1.0).signed_distance([[np.nan, 0.0]])).all()


# Scores, ties and classes


def test_there_is_one_rule_for_ties():
    assert decide(np.array([[1.0, 1.0], [1.0, 0.9], [-np.inf, -np.inf]])).tolist() == [1, 0, 1]
    assert decide(np.array([[1.0, 1.0, 1.0], [0.0, 2.0, 2.0], [-np.inf] * 3])).tolist() == [0, 1, 0]
    assert decide(np.array([[7.0], [-7.0]])).tolist() == [0, 0]
    assert binary(np.array([[np.inf, np.inf], [1e308, -1e308], [-np.inf, 0.0]])).tolist() == [0.0, -np.inf, np.inf]


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
def test_models_break_ties_by_that_rule(names):
    # Means and sizes mirrored about zero: at the origin the scores of the outer classes are equal.
    places = {"a": -1.0, "b": 1.0, "c": 0.0}
    X = np.concatenate([[[places[k] - 0.5], [places[k] + 0.5]] for k in names])
    model = LinearDiscriminantAnalysis().fit(X, np.repeat(names, 2))
    scores = model.decision_function([[0.0], [0.5]])
    assert scores[0] == 0 if len(names) == 2 else scores[1, 1] == scores[1, 2]
    assert model.predict([[0.0], [0.5]]).tolist() == (["b", "b"] if len(names) == 2 else ["c", "b"])


@given(seed=seeds, K=st.integers(3, 6))
@few
def test_lecture_22_regions_are_convex(seed, K):
    rng = np.random.default_rng(seed)
    scores = Affine(rng.normal(size=3), rng.normal(size=(K, 3)), rng.normal(size=K))
    ends = rng.normal(0, 3, (2, 4000, 3))
    chosen = decide(scores(ends[0]))
    same = chosen == decide(scores(ends[1]))
    assert same.sum() > 100
    share = rng.uniform(0, 1, (4000, 1))
    between = decide(scores(share * ends[0] + (1 - share) * ends[1]))
    assert (between[same] == chosen[same]).all()


@every_model
@given(seed=seeds)
@few
def test_lecture_22_regions_of_models_are_convex(model, seed):
    model = clone(model).fit(*three_classes(seed))
    rng = np.random.default_rng(seed)
    ends = rng.normal(0, 4, (2, 500, 3))
    chosen = model.predict(ends[0])
    same = chosen == model.predict(ends[1])
    share = rng.uniform(0, 1, (500, 1))
    assert (model.predict(share * ends[0] + (1 - share) * ends[1])[same] == chosen[same]).all()


# Boundaries of models


@every_model
def test_two_classes_have_one_boundary(model):
    X, y = two_classes()
    model = clone(model).fit(X, y)
    plane = model.boundary("a", "b")
    np.testing.assert_allclose(plane.normal, model.coef_[0])
    np.testing.assert_allclose(plane.offset, model.intercept_[0])
    np.testing.assert_allclose(model.signed_distance(X), plane.signed_distance(X), atol=1e-9)
    length = np.linalg.norm(model.coef_)
    np.testing.assert_allclose(model.signed_distance(X), model.decision_function(X) / length, atol=1e-9)
    assert ((model.signed_distance(X) >= 0) == (model.predict(X) == "b")).all()
    # Between the classes the posterior is one half.
    np.testing.assert_allclose(model.predict_proba(on_plane(plane, X)), 0.5, atol=1e-7)


@every_model
def test_a_boundary_is_where_two_classes_score_alike(model):
    X, y = three_classes()
    model = clone(model).fit(X, y)
    for first, second in ("ab", "ac", "bc", "cb"):
        plane = model.boundary(first, second)
        i, j = "abc".index(first), "abc".index(second)
        on = model.decision_function(on_plane(plane, X))
        np.testing.assert_allclose(on[:, i], on[:, j], atol=1e-8)
        scores = model.decision_function(X)
        sides = np.sign(scores[:, j] - scores[:, i])
        assert (np.sign(plane.signed_distance(X)) == sides).all()


@every_model
def test_the_distance_from_the_edge_of_a_region(model):
    """Positive inside, and then as far as one can go straight to the nearest other class."""
    X, y = three_classes()
    model = clone(model).fit(X, y)
    distances = model.signed_distance(X)
    assert (model.classes_[distances.argmax(axis=1)] == model.predict(X)).all()
    assert ((distances > 0).sum(axis=1) == 1).all()
    for i in range(0, len(X), 7):
        own = int(distances[i].argmax())
        ways = []
        for other in np.delete(np.arange(3), own):
            plane = model.boundary(model.classes_[other], model.classes_[own])
            step = plane.normal / np.linalg.norm(plane.normal)
            ways.append(plane.signed_distance(X[[i]])[0])
            beyond = model.decision_function([X[i] - 1.001 * ways[-1] * step])[0]
            assert beyond[other] > beyond[own]
        assert distances[i, own] == pytest.approx(min(ways))
        just_inside = X[i] + 0.999 * distances[i, own] * np.linalg.qr(np.random.default_rng(i).normal(size=(3, 3)))[0]
        assert (model.predict(just_inside) == model.classes_[own]).all()


@pytest.mark.parametrize("name", ["lda", "lda-priors", "lda-one-direction"])  # a penalty may know the axes
@given(seed=seeds)
@few
def test_equivariance(name, seed):
    """Turning the rows turns normals; moving them moves offsets; distances stay."""
    model = MODELS[name]
    X, y = three_classes(seed)
    rng = np.random.default_rng(seed)
    turn, move = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(0, 5, 3)
    plain, turned = clone(model).fit(X, y), clone(model).fit(X @ turn + move, y)
    np.testing.assert_allclose(turned.coef_, plain.coef_ @ turn, atol=1e-8 * np.abs(plain.coef_).max())
    np.testing.assert_allclose(turned.signed_distance(X @ turn + move), plain.signed_distance(X), atol=1e-8)
    plane, plane_turned = plain.boundary("a", "c"), turned.boundary("a", "c")
    shift = move @ plane_turned.normal / np.linalg.norm(plane_turned.normal)
    assert plane_turned.distance_from_origin == pytest.approx(plane.distance_from_origin + shift, abs=1e-8)


def test_distances_are_in_feature_units():
    X, y = two_classes()
    metres, millimetres = (LinearDiscriminantAnalysis().fit(X * unit, y) for unit in (1.0, 1000.0))
    np.testing.assert_allclose(millimetres.signed_distance(X * 1000), 1000 * metres.signed_distance(X), rtol=1e-7)


def test_classes_are_asked_for_by_label():
    X, y = three_classes(names=(3, 5, 8))
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert (model.boundary(5, 8).normal == model.coef_[2] - model.coef_[1]).all()
    for pair, message in {
        (3, 3): "3 came twice",
        (3, 4): "no class 4; the classes are 3, 5, 8",
        ("3", 5): "'3'",
    }.items():
        with pytest.raises(InputError, match=message):
            model.boundary(*pair)


def test_impossible_classes_have_boundaries_at_infinity_or_everywhere():
    X, y = three_classes()
    model = LinearDiscriminantAnalysis(priors={"a": 1.0, "b": 0.0, "c": 0.0}).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (model.boundary("b", "a").signed_distance(X) == np.inf).all()
        assert model.boundary("b", "a").distance_from_origin == -np.inf
        assert (model.boundary("b", "c").normal == model.coef_[2] - model.coef_[1]).all()
        distances = model.signed_distance(X)
    assert (distances[:, 0] == np.inf).all()
    assert (distances[:, 1:] == -np.inf).all()
