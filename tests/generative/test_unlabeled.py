"""Rows whose class is not known take part in EM: O'Neill (1978), JASA 73, 821-826."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    LinearDiscriminantAnalysis,
    MemorySource,
    PenalizedDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    pseudo_rows,
)
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from distinguo.generative.completion import ExpectationMaximisation
from distinguo.rows.unlabeled import partly_labelled
from distinguo.statistics.diagonal import ColumnMoments

Array = NDArray[np.float64]
LDA, QDA, RDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis
PDA = PenalizedDiscriminantAnalysis

MODELS = {
    "lda": LDA(unlabeled=-1),
    "lda-oas": LDA(unlabeled=-1, shrinkage="oas"),
    "qda": QDA(unlabeled=-1),
    "rda": RDA(unlabeled=-1, pooling=0.4, shrinkage=0.1),
    "rda-cv": RDA(unlabeled=-1, grid=3, cv=3),
    "pda": PDA(unlabeled=-1, gamma=0.1),
}
every_model = pytest.mark.parametrize("model", list(MODELS.values()), ids=list(MODELS))


def simulated(seed: int = 0, n: int = 300, p: int = 4, labelled: int = 12, holes: float = 0.0) -> tuple[Any, Any, Any]:
    """Rows (n, p) of three Gaussian classes of one shape, their classes, and the same with all but some unknown."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    truth[:3] = [0, 1, 2]
    centres = 1.6 * np.eye(3, p)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.4 * rng.normal(size=(p, p))) + centres[truth]
    X[rng.random(X.shape) < holes] = np.nan
    y = truth.copy()
    for k in range(3):
        y[np.flatnonzero(truth == k)[labelled:]] = -1
    return X, truth, y


def plain_em(X: Array, y: NDArray[Any], shared: bool, priors: Any, steps: int = 4000) -> tuple[Array, Array, Array]:
    """Maximum-likelihood shares, means and covariances of three classes, from dense responsibilities."""
    owned = np.where((y >= 0)[:, None], y[:, None] == np.arange(3), 0.0)
    means = np.stack([X[y == k].mean(axis=0) for k in range(3)])
    covariances = np.repeat(np.cov(X.T)[None], 3, axis=0)
    share = owned.mean(axis=0) / owned.mean() / 3 if priors is None else np.asarray(priors)
    for _ in range(steps):
        density = [multivariate_normal(means[k], covariances[k]).pdf(X) * share[k] for k in range(3)]
        joint = np.stack(density, axis=1)
        owned[y < 0] = (joint / joint.sum(axis=1, keepdims=True))[y < 0]
        counts = owned.sum(axis=0)
        means, before = owned.T @ X / counts[:, None], means
        scatters = np.stack([(owned[:, k, None] * (X - means[k])).T @ (X - means[k]) for k in range(3)])
        covariances = scatters / counts[:, None, None]
        if shared:
            covariances = np.repeat(scatters.sum(axis=0)[None] / len(X), 3, axis=0)
        share = counts / len(X) if priors is None else share
        if np.abs(means - before).max() < 1e-12:
            break
    return share, means, covariances


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_as_an_em_written_plainly(shared: bool, priors: Any) -> None:
    X, _, y = simulated()
    share, means, covariances = plain_em(X, y, shared, priors)
    model = (LDA if shared else QDA)(priors, divisor="mle", unlabeled=-1).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.priors_, share, atol=1e-6)
    np.testing.assert_allclose(model.means_, means, atol=1e-6)
    np.testing.assert_allclose(model.covariance_, covariances[0] if shared else covariances, atol=1e-5)


@pytest.mark.parametrize(("kind", "pooling"), [("pooled", 1.0), ("full", 0.0)])
@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("priors", [None, "uniform"])
def test_the_likelihood_never_falls_and_is_that_of_the_model(
    kind: Any, pooling: float, holes: float, priors: Any
) -> None:
    X, _, y = simulated(1, holes=holes)
    source = partly_labelled(X, y, None, -1, "it")
    steps = ExpectationMaximisation(kind, pooling, priors=priors)
    found = steps.run(source, source.aggregate(ColumnMoments()))
    assert found.converged
    gains = np.diff(found.log_likelihoods)
    assert len(gains) > 3
    assert (gains >= -1e-9 * abs(found.log_likelihoods[-1])).all()
    model = (LDA if kind == "pooled" else QDA)(priors, divisor="mle", unlabeled=-1).fit(X, y)
    joint = model.class_log_density(X) + np.log(model.priors_)
    own = joint[np.arange(len(y)), y]
    expected = np.where(y >= 0, own, np.logaddexp.reduce(joint, axis=1)).sum()
    assert found.log_likelihoods[-1] == pytest.approx(expected, abs=1e-6)


@every_model
@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_where_every_label_is_known_nothing_changes(model: Any, holes: float) -> None:
    X, truth, _ = simulated(holes=holes)
    plain = clone(model).set_params(unlabeled=None).fit(X, truth)
    for y in (truth, truth.astype(str)):
        assert np.array_equal(clone(model).fit(X, y).predict_proba(X), plain.predict_proba(X))


@every_model
def test_weights_are_repetitions(model: Any) -> None:
    X, _, y = simulated(2, holes=0.1, labelled=20)
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    weight[y >= 0] = 1  # so that tuning has the same folds
    one, other = clone(model).fit(X, y, sample_weight=weight), clone(model).fit(X.repeat(weight, 0), y.repeat(weight))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


@every_model
@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_unlabelled_rows_make_up_for_labels(model: Any, holes: float) -> None:
    """Few labels and many rows without any: better than the few alone, on rows of neither."""
    alone, together = 0.0, 0.0
    for seed in range(2):
        X, truth, y = simulated(10 + seed, 1500, labelled=12 if holes else 8, holes=holes)
        fit, test = slice(0, 700), slice(700, None)
        few = np.flatnonzero(y[fit] >= 0)
        both = clone(model).fit(X[fit], y[fit])
        together += log_loss(truth[test], both.predict_proba(X[test]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # too few rows to complete cells from
            lonely = clone(model).fit(X[few], y[few])
        alone += log_loss(truth[test], lonely.predict_proba(X[test]))
        assert both.priors_ == pytest.approx([0.5, 0.3, 0.2], abs=0.2)
    assert together < 0.95 * alone


def test_one_label_a_class_will_do_for_one_shape() -> None:
    X, truth, y = simulated(3, 800, labelled=1)
    with pytest.raises(SingularCovarianceError):
        LDA().fit(X[y >= 0], y[y >= 0])
    model = LDA(unlabeled=-1).fit(X, y)
    assert log_loss(truth, model.predict_proba(X)) < 1.1 * log_loss(truth, LDA().fit(X, truth).predict_proba(X))


@pytest.mark.parametrize("seed", [1, 3, 8])
def test_shapes_of_their_own_are_no_less_likely_than_one_shape(seed: int) -> None:
    """With a label a class the likelihood has many tops, and the one nearest to knowing nothing may be a low one."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 600)
    X = rng.normal(size=(600, 5)) @ rng.normal(size=(5, 5)) + 2 * rng.normal(size=(3, 5))[truth]
    y = np.full(600, -1)
    first = [np.flatnonzero(truth == k)[0] for k in range(3)]
    y[first] = truth[first]
    source = partly_labelled(X, y, None, -1, "it")
    start = source.aggregate(ColumnMoments())
    one, own = (ExpectationMaximisation("full", pooling).run(source, start) for pooling in (1.0, 0.0))
    assert own.log_likelihoods[-1] > one.log_likelihoods[-1]


def test_tuning_looks_at_rows_with_labels_only() -> None:
    X, _, y = simulated(4, labelled=20)
    known = y >= 0
    tuned, plain = RDA(unlabeled=-1, cv=4, grid=4).fit(X, y), RDA(cv=4, grid=4).fit(X[known], y[known])
    for name, losses in plain.cv_results_.items():
        assert np.array_equal(tuned.cv_results_[name], losses)
    again = RDA(pooling=tuned.pooling_, shrinkage=tuned.shrinkage_, unlabeled=-1).fit(X, y)
    assert np.array_equal(tuned.predict_proba(X), again.predict_proba(X))


def test_rda_at_its_corners_and_pda_without_a_penalty() -> None:
    X, _, y = simulated(5, labelled=30, holes=0.1)
    for corner, model in (
        (RDA(pooling=1, shrinkage=0), LDA()),
        (RDA(pooling=0, shrinkage=0), QDA()),
        (PDA(gamma=0.0), LDA()),
    ):
        ours, theirs = (clone(one).set_params(unlabeled=-1).fit(X, y) for one in (corner, model))
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@every_model
def test_order_and_units_do_not_matter(model: Any) -> None:
    X, _, y = simulated(6, holes=0.1, labelled=30)
    order = np.random.default_rng(0).permutation(len(y))
    one = clone(model).fit(X, y).predict_proba(X)
    if not isinstance(model, RDA) or model.pooling != "cv":  # whose folds depend on the order
        np.testing.assert_allclose(clone(model).fit(X[order], y[order]).predict_proba(X), one, atol=1e-6)
    if isinstance(model, LDA | QDA):
        moved = X * [1e-6, 1.0, 1e6, 3.0] + [0.0, 1e5, 1e9, -7.0]
        np.testing.assert_allclose(clone(model).fit(moved, y).predict_proba(moved), one, atol=1e-6)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_sources_and_markers_of_every_kind(frame: Any) -> None:
    X, _, y = simulated(7, 150, labelled=15, holes=0.1)
    expected = LDA(unlabeled=-1).fit(X, y).predict_proba(X)
    named = frame({f"x{j}": X[:, j] for j in range(4)})
    text = [None if label < 0 else "abc"[label] for label in y]
    for labels in (text, pd.Series(text), pl.Series(text), pd.Series(text, dtype="category")):
        model = LDA(unlabeled="missing").fit(named, labels)
        assert model.classes_.tolist() == ["a", "b", "c"]
        np.testing.assert_allclose(model.predict_proba(named), expected, atol=1e-12)
    source = MemorySource(named, ["?" if label is None else label for label in text])
    np.testing.assert_allclose(LDA(unlabeled="?").fit(source).predict_proba(named), expected, atol=1e-12)
    numbers = LDA(unlabeled="missing").fit(X, np.where(y < 0, np.nan, y))
    assert numbers.score(X, np.maximum(y, 0)) > 0.3  # of a type that scikit-learn takes for a class


def test_pseudo_rows_take_part_and_bring_classes_of_their_own() -> None:
    X, truth, y = simulated(8, 900)
    y[y == 2] = -1  # nobody knows a row of class 2, but a textbook knows what they look like
    own = X[truth == 2]
    prior = pseudo_rows({2: own.mean(axis=0)}, {2: np.cov(own.T)}, 20)
    model = QDA(unlabeled=-1, prior=prior).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.priors_[2] == pytest.approx(0.2, abs=0.1)
    assert log_loss(truth, model.predict_proba(X)) < 1.2 * log_loss(truth, QDA().fit(X, truth).predict_proba(X))


def test_priors_that_are_given_stay() -> None:
    X, _, y = simulated()
    model = LDA({0: 0.6, 1: 0.4, 2: 0.0}, unlabeled=-1).fit(X, y)
    assert model.priors_.tolist() == [0.6, 0.4, 0.0]
    assert model.statistic_.weight[2] == (y == 2).sum()  # no other row may be of it
    with pytest.raises(InputError, match="priors names the class 3; the classes are 0, 1, 2"):
        LDA({0: 0.5, 1: 0.2, 2: 0.2, 3: 0.1}, unlabeled=-1).fit(X, y)


def test_a_column_that_only_rows_without_labels_vary_in_takes_part() -> None:
    X, _, y = simulated(9)
    X = np.column_stack([X, np.where(y < 0, np.random.default_rng(0).normal(size=len(y)), 1.0)])
    model = LDA(unlabeled=-1).fit(X, y)
    assert model.covariance_[4, 4] > 0.5
    X[:, 4] = 1.0
    with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 4"):
        model = LDA(unlabeled=-1).fit(X, y)
    less = LDA(unlabeled=-1).fit(X[:, :4], y)
    np.testing.assert_allclose(model.predict_proba(X), less.predict_proba(X[:, :4]), atol=1e-6)
    X[y >= 0, 4] = np.nan
    X[y < 0, 4] = np.arange((y < 0).sum())
    with pytest.raises(InputError, match="class 0 has no value at all in the columns 4"):
        LDA(unlabeled=-1).fit(X, y)


@every_model
def test_such_models_are_fitted_all_at_once(model: Any) -> None:
    X, _, y = simulated(labelled=20)
    known = y >= 0
    fitted = pickle.loads(pickle.dumps(clone(model).fit(X, y)))
    if hasattr(model, "partial_fit"):
        for name in ("partial_fit", "forget"):
            with pytest.raises(InputError, match=f"{name} does not go with a model whose missing cells or labels"):
                getattr(fitted, name)(X[known], y[known])
        for start in (clone(model), clone(model).fit(X[known], y[known])):
            with pytest.raises(InputError, match=r"y has missing labels, and .* give all of them to fit"):
                start.partial_fit(X, y)
        assert clone(model).fit(X[known], y[known]).partial_fit(X[known], y[known])
    with pytest.raises(InputError, match="leave_one_out does not go with"):
        fitted.leave_one_out(X[known], y[known])
    with pytest.raises(InputError, match="class -1, which was not fitted"):
        clone(model).fit(X[known], y[known]).leave_one_out(X, y)
    assert np.isfinite(fitted.with_priors("uniform").predict_proba(X)).all()


BAD = {
    "no label at all": (LDA(unlabeled=-1), lambda y: np.full_like(y, -1), "no row has a label"),
    "one class": (QDA(unlabeled=-1), lambda y: np.where(y == 0, 0, -1), "one class only"),
    "not asked for": (RDA(), lambda y: np.where(y < 0, np.nan, y), "missing label.*Or let them take part: unlabeled="),
    "fourth moments": (LDA(unlabeled=-1, shrinkage="ledoit-wolf"), lambda y: y, "y has missing labels, and shrinkage="),
    "no marker": (LDA(unlabeled=[-1]), lambda y: y, r"unlabeled=\[-1\] must be"),
}


@pytest.mark.parametrize(("model", "labels", "message"), list(BAD.values()), ids=list(BAD))
def test_what_cannot_be_is_refused(model: Any, labels: Any, message: str) -> None:
    X, _, y = simulated()
    with pytest.raises(InputError, match=message):
        model.fit(X, labels(y))


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some checks bring 30 columns in 15 rows
@parametrize_with_checks([LDA(unlabeled="missing")])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
