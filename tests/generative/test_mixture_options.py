"""Mixture discriminant analysis: how many subclasses, directions, what it refuses; and mixtures without classes."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from distinguo import (
    MemorySource,
    Mixture,
    MixtureDiscriminantAnalysis,
)
from distinguo.exceptions import InputError, LeftOutWarning
from tests.generative.mixture_cases import QUICK, clumps, every_covariance

# Choosing how many


@every_covariance
@pytest.mark.parametrize("rule", ["bic", "cv"])
def test_two_clumps_a_class_are_found(rule, covariance):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(mean, 1.0, (60, 2)) for mean in (0.0, 8.0, 4.0, 12.0)])
    y = np.repeat([0, 1], 120)
    model = MixtureDiscriminantAnalysis(subclasses=rule, covariance=covariance, n_init=2, max_subclasses=3, cv=3)
    model.fit(X, y)
    name = "bic" if rule == "bic" else "log_loss"
    assert model.search_["subclasses"].tolist() == [1, 2, 3]
    assert model.search_[name].argmin() >= 1
    assert len(model.subclass_means_) == 2 * (model.search_[name].argmin() + 1)
    if rule == "bic":
        assert len(model.subclass_means_) == 4


def test_bic_is_of_the_likelihood_and_the_parameters():
    X, y = load_iris(return_X_y=True)
    model = MixtureDiscriminantAnalysis(max_subclasses=2).fit(X, y)
    one, two = (MixtureDiscriminantAnalysis(subclasses=count).fit(X, y) for count in (1, 2))
    expected = [m.n_parameters_ * np.log(150) - 2 * m.trace_[-1] for m in (one, two)]
    assert_allclose(model.search_["bic"], expected)
    assert two.n_parameters_ == 6 * 4 + 3 + 10


# The rest of the interface


def test_directions_at_predict_are_those_of_subclass_means():
    X, y, _ = clumps()
    wide = np.column_stack([X, np.random.default_rng(1).normal(size=(len(X), 3))])
    model = MixtureDiscriminantAnalysis(subclasses={"a": 3, "b": 2}, n_components=2).fit(wide, y)
    assert model.transform(wide).shape == (len(X), 2)
    assert model.get_feature_names_out().tolist() == ["MD1", "MD2"]
    assert model.explained_variance_ratio_.sum() > 0.95
    assert model.score(wide, y) > 0.95
    # Within subclasses, the discriminant space is a sphere.
    assert_allclose(model.scalings_.T @ model.covariance_ @ model.scalings_, np.eye(2), atol=1e-10)


def test_a_source_will_do_and_a_model_keeps_in_a_pickle():
    X, y, _ = clumps()
    model = MixtureDiscriminantAnalysis(**QUICK).fit(MemorySource(X, y))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_allclose(model.with_priors("uniform").priors_, 0.5)


def test_too_few_iterations_are_warned_of():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="EM stopped after 1 iterations"):
        MixtureDiscriminantAnalysis(subclasses=3, max_iter=1).fit(X, y)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 60)), np.repeat([0, 1], 10)
    X[y == 1, :20] += 2
    with pytest.warns(LeftOutWarning, match="linearly dependent columns"):
        model = MixtureDiscriminantAnalysis(subclasses=2).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        penalised = MixtureDiscriminantAnalysis(subclasses=2, penalty="difference", gamma=1.0).fit(X, y)
    assert penalised.score(X, y) == 1


def test_a_class_of_one_row_and_constant_columns():
    X, y, _ = clumps()
    X, y = np.column_stack([np.append(X, [[30, 30]], axis=0), np.ones(len(X) + 1)]), np.append(y, "c")
    with pytest.warns(LeftOutWarning, match="1 constant column"):
        model = MixtureDiscriminantAnalysis(**QUICK).fit(X, y)
    assert model.predict([[30.0, 30.0, 1.0]]).tolist() == ["c"]


BAD = [
    ({"subclasses": 0}, "subclasses=0 must be a whole number of at least 1"),
    ({"subclasses": 2.5}, "subclasses=2.5 must be a whole number"),
    ({"subclasses": True}, "subclasses=True must be a whole number"),
    ({"subclasses": "aic"}, "'bic' or 'cv'"),
    ({"subclasses": 7}, "class 'few' has 3 distinct row.s., too few for 7 subclasses"),
    ({"subclasses": {"many": 2}}, "subclasses has nothing for the class 'few'"),
    (
        {"subclasses": {"many": 2, "few": 1, "none": 1}},
        "names the class 'none'; the classes are 'few', 'many'",
    ),
    ({"covariance": "full"}, "covariance='full' is not known"),
    ({"covariance": "class", "penalty": "ridge", "gamma": 1}, "a penalty cannot act with covariance='class'"),
    ({"penalty": "ridge"}, "give one of the two"),
    ({"penalty": "ridge", "gamma": 1, "df": 1.5}, "give one of the two"),
    ({"penalty": "ridge", "gamma": -1}, "gamma=-1 must be a number of at least 0"),
    ({"penalty": np.eye(3), "gamma": 1}, "penalty has shape"),
    ({"gamma": 1.0}, "gamma=1.0 cannot act without a penalty"),
    ({"covariance_floor": 0}, "covariance_floor=0 must be a number above 0"),
    ({"start": "random"}, "start='random' must be 'k-means'"),
    ({"start": {"few": [[0.0, 0]], "many": [[0.0, 0]]}}, "start cannot act with subclasses='bic'"),
    ({"start": {"few": [[0.0, 0]], "many": [[0.0, 0]]}, "subclasses": 2}, "start has 1 means for the 2 subclasses"),
    ({"start": {"few": [[0.0]], "many": [[0.0, 0]]}, "subclasses": 1}, "must be finite means of shape"),
    ({"n_init": 0}, "n_init=0 must be a whole number"),
    ({"tol": -1.0}, "tol=-1.0 must be a number from 0"),
    ({"max_iter": 0}, "max_iter=0 must be"),
    ({"max_subclasses": 0}, "max_subclasses=0 must be"),
    ({"subclasses": "cv", "cv": 1}, "cv=1 must be"),
    ({"random_state": None}, "random_state=None must be"),
    ({"n_components": 9}, "n_components=9 must be a whole number from 1 to"),
    ({"divisor": "n"}, "divisor='n' is not known"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[str(options) for options, _ in BAD])
def test_bad_options_are_refused_by_name(options, message):
    X = np.random.default_rng(0).normal(size=(40, 2))
    X[:6] = X[[0, 1, 2, 0, 1, 2]]
    y = np.repeat(["few", "many"], [6, 34])
    with pytest.raises(InputError, match=message):
        MixtureDiscriminantAnalysis(**options).fit(X, y)


# Rows without classes


@pytest.mark.parametrize(("covariance", "theirs"), [("shared", "tied"), ("component", "full")])
def test_a_plain_mixture_is_that_of_scikit_learn(covariance, theirs):
    X, _, centres = clumps()
    ours = Mixture(5, covariance=covariance, start=centres, divisor="mle", tol=1e-12).fit(X)
    peer = GaussianMixture(5, covariance_type=theirs, means_init=centres, tol=1e-12, reg_covar=0, max_iter=1000).fit(X)
    assert_allclose(ours.score_samples(X), peer.score_samples(X), atol=1e-4)
    assert_allclose(ours.responsibilities(X), peer.predict_proba(X), atol=1e-4)
    assert ours.score(X) == pytest.approx(peer.score(X), abs=1e-9)
    assert_allclose(ours.means_, peer.means_, atol=1e-4)
    assert_allclose(ours.weights_.sum(), 1)
    assert ours.covariances_.shape == (5, 2, 2)
    assert (ours.predict(X) == peer.predict(X)).all()


def test_a_plain_mixture_counts_its_components_and_knows_its_own():
    X, _, _ = clumps()
    model = Mixture(max_components=7).fit(X)
    assert len(model.means_) == 5
    drawn = model.sample(3000, random_state=0)
    assert (model.typicality(drawn) < 0.05).mean() == pytest.approx(0.05, abs=3.5 * np.sqrt(0.05 * 0.95 / 2200))
    assert_allclose(Mixture(1).fit(X).covariances_[0], np.cov(X.T), rtol=1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"components": "cv"}, "components='cv' must be a number or 'bic'"),
        ({"covariance": "class"}, "covariance='class' is not known; use 'shared' or 'component'"),
        ({"components": 500}, "too few for 500"),
    ],
)
def test_bad_options_of_a_plain_mixture(options, message):
    with pytest.raises(InputError, match=message):
        Mixture(**options).fit(clumps()[0])


@pytest.mark.parametrize("subclasses", [2, "bic", "cv"])
def test_a_class_whose_rows_all_weigh_nothing_is_absent(subclasses):
    X, y = load_iris(return_X_y=True)
    options = {"subclasses": subclasses, "n_init": 1, "max_subclasses": 2, "cv": 3}
    model = MixtureDiscriminantAnalysis(**options).fit(X, y, sample_weight=(y > 0) * 1.0)
    without = MixtureDiscriminantAnalysis(**options).fit(X[y > 0], y[y > 0])
    assert model.classes_.tolist() == [1, 2]
    assert_allclose(model.predict_proba(X), without.predict_proba(X), atol=1e-8)
