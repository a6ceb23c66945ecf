"""Regularised discriminant analysis against klaR, its corner cases, and its own refits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import StratifiedKFold

from distinguo import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis
from distinguo.exceptions import InputError, SingularCovarianceError

# klaR 1.7-2: rda(y ~ ., vowel.train, lambda=, gamma=), errors in training (528) and test (462) rows; and the same with
# Friedman's scatters, whose divisors are counts.
KLAR = {
    (0.0, 0.0): (6, 244), (0.0, 0.1): (14, 218), (0.0, 0.5): (62, 158),
    (0.1, 0.0): (11, 209), (0.1, 0.1): (21, 206), (0.1, 0.5): (66, 158),
    (0.25, 0.0): (20, 216), (0.25, 0.1): (30, 198), (0.25, 0.5): (71, 165),
    (0.5, 0.0): (37, 214), (0.5, 0.1): (48, 211), (0.5, 0.5): (92, 184),
    (1.0, 0.0): (167, 257), (1.0, 0.1): (170, 257), (1.0, 0.5): (183, 232),
}  # fmt: skip
FRIEDMAN = {
    (0.0, 0.0): (6, 244), (0.0, 0.1): (14, 217), (0.0, 0.5): (62, 158),
    (0.1, 0.0): (45, 218), (0.1, 0.1): (55, 211), (0.1, 0.5): (100, 183),
    (0.25, 0.0): (95, 230), (0.25, 0.1): (97, 221), (0.25, 0.5): (135, 207),
    (0.5, 0.0): (131, 248), (0.5, 0.1): (130, 234), (0.5, 0.5): (163, 225),
    (1.0, 0.0): (167, 257), (1.0, 0.1): (170, 257), (1.0, 0.5): (183, 232),
}  # fmt: skip


@pytest.mark.parametrize(
    ("mixing", "divisor", "table"), [("covariance", "unbiased", KLAR), ("scatter", "mle", FRIEDMAN)]
)
def test_vowel_errors_are_those_of_klar(shared_data, mixing, divisor, table):
    train = np.loadtxt(shared_data("vowel.train.csv"), delimiter=",", skiprows=1)
    test = np.loadtxt(shared_data("vowel.test.csv"), delimiter=",", skiprows=1)
    for (pooling, shrinkage), expected in table.items():
        model = RegularizedDiscriminantAnalysis(pooling=pooling, shrinkage=shrinkage, mixing=mixing, divisor=divisor)
        model.fit(train[:, 1:], train[:, 0].astype(int))
        wrong = [int((model.predict(rows[:, 1:]) != rows[:, 0]).sum()) for rows in (train, test)]
        # One row of vowel.test lies on a boundary to rounding (207 against 206 at .25, .5).
        assert np.abs(np.subtract(wrong, expected)).max() <= (1 if (pooling, shrinkage) == (0.25, 0.5) else 0)


@pytest.mark.parametrize("mixing", ["scatter", "covariance"])
@pytest.mark.parametrize("divisor", ["unbiased", "mle"])
def test_corners_are_lda_qda_and_nearest_means(mixing, divisor):
    X, y = load_wine(return_X_y=True)
    X = X[:, :6]

    def model(pooling, shrinkage):
        options = {"mixing": mixing, "divisor": divisor}
        return RegularizedDiscriminantAnalysis(pooling=pooling, shrinkage=shrinkage, **options).fit(X, y)

    lda = LinearDiscriminantAnalysis(divisor=divisor).fit(X, y)
    qda = QuadraticDiscriminantAnalysis(divisor=divisor).fit(X, y)
    assert_allclose(model(1, 0).predict_proba(X), lda.predict_proba(X), atol=1e-10)
    assert_allclose(model(0, 0).predict_proba(X), qda.predict_proba(X), atol=1e-10)
    assert_allclose(model(1, 0.3).score_samples(X), lda.set_params(shrinkage=0.3).fit(X, y).score_samples(X))
    assert_allclose(model(0, 0.3).score_samples(X), qda.set_params(shrinkage=0.3).fit(X, y).score_samples(X))
    nearest = ((X[:, None] - lda.means_) ** 2).sum(axis=2).argmin(axis=1)
    assert (model(1, 1).with_priors("uniform").predict(X) == nearest).all()


def test_cross_validated_losses_are_those_of_refitting():
    X, y = load_iris(return_X_y=True)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=3).split(X, y))
    grid = [0.0, 0.4, 1.0]
    model = RegularizedDiscriminantAnalysis(grid=grid, cv=splits).fit(X, y)
    results = model.cv_results_
    for pooling, shrinkage, error, log_loss in zip(*results.values(), strict=True):
        wrong = lost = 0.0
        for train, test in splits:
            one = RegularizedDiscriminantAnalysis(pooling=pooling, shrinkage=shrinkage).fit(X[train], y[train])
            wrong += (one.predict(X[test]) != y[test]).sum()
            lost -= one.predict_log_proba(X[test])[np.arange(len(test)), y[test]].sum()
        assert error == pytest.approx(wrong / len(y))
        assert log_loss == pytest.approx(lost / len(y), rel=1e-8)
    best = results["error"].min()
    assert results["error"][(results["pooling"] == model.pooling_) & (results["shrinkage"] == model.shrinkage_)] == best


def test_held_out_rows_do_not_touch_their_folds_model():
    X, y = load_iris(return_X_y=True)
    splits = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    options = {"grid": [0.0, 0.5, 1.0], "cv": splits, "criterion": "log_loss"}
    before = RegularizedDiscriminantAnalysis(**options).fit(X, y).cv_results_["log_loss"]
    moved = X.copy()
    moved[1] += 100.0  # one held-out row far away may only change its own loss
    after = RegularizedDiscriminantAnalysis(**options).fit(moved, y).cv_results_["log_loss"]
    trained = [
        RegularizedDiscriminantAnalysis(pooling=p, shrinkage=s).fit(X[::2], y[::2])
        for p in (0, 0.5, 1)
        for s in (0, 0.5, 1)
    ]
    own = [(m.predict_log_proba(X[[1]])[0, 0] - m.predict_log_proba(moved[[1]])[0, 0]) / 75 for m in trained]
    assert_allclose(after - before, own, rtol=1e-6, atol=1e-9)


def test_weights_are_repetitions_in_the_tuning_too():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, 150)
    splits = [(np.flatnonzero(np.arange(150) % 3 != k), np.flatnonzero(np.arange(150) % 3 == k)) for k in range(3)]
    place = np.repeat(np.arange(150), weight)
    repeated = [(np.flatnonzero(np.isin(place, a)), np.flatnonzero(np.isin(place, b))) for a, b in splits]
    weighted = RegularizedDiscriminantAnalysis(cv=splits).fit(X, y, sample_weight=weight)
    copied = RegularizedDiscriminantAnalysis(cv=repeated).fit(X[place], y[place])
    for name, values in weighted.cv_results_.items():
        assert_allclose(values, copied.cv_results_[name], rtol=1e-9)
    assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "pooling"), [(LinearDiscriminantAnalysis, 1.0), (QuadraticDiscriminantAnalysis, 0.0)]
)
def test_shrinkage_by_cv_is_rda_at_a_fixed_pooling(model, pooling):
    X, y = load_wine(return_X_y=True)
    tuned = model(shrinkage="cv", cv=5).fit(X, y)
    rda = RegularizedDiscriminantAnalysis(pooling=pooling, cv=5).fit(X, y)
    assert tuned.shrinkage_ == rda.shrinkage_
    assert_allclose(tuned.predict_proba(X), rda.predict_proba(X), atol=1e-9)
    assert not hasattr(tuned, "partial_fit")
    assert hasattr(model(shrinkage=0.1), "partial_fit")
    with pytest.raises(AttributeError, match="__add__"):
        tuned + tuned


def test_of_equals_the_most_pooled_and_then_the_most_shrunk_is_taken():
    X = np.r_[np.random.default_rng(0).normal(size=(30, 2)), np.random.default_rng(1).normal(size=(30, 2)) + 50]
    model = RegularizedDiscriminantAnalysis().fit(X, np.repeat([0, 1], 30))  # every pair is without error
    assert (model.pooling_, model.shrinkage_) == (1.0, 1.0)


def test_more_columns_than_rows_leave_the_unshrunk_corner_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 40)), np.repeat([0, 1], 12)
    X[y == 1] += 0.8
    model = RegularizedDiscriminantAnalysis(grid=[0.0, 0.5], cv=3).fit(X, y)
    losses = model.cv_results_["error"].reshape(2, 2)
    assert np.isinf(losses[0, 0])
    assert np.isfinite(losses[:, 1]).all()
    assert model.shrinkage_ == 0.5


def test_with_priors_and_leave_one_out_keep_the_tuned_values():
    X, y = load_iris(return_X_y=True)
    model = RegularizedDiscriminantAnalysis(cv=5, random_state=1).fit(X[::3], y[::3])
    fixed = RegularizedDiscriminantAnalysis(pooling=model.pooling_, shrinkage=model.shrinkage_).fit(X[::3], y[::3])
    assert_allclose(
        model.with_priors([0.2, 0.3, 0.5]).predict_proba(X), fixed.with_priors([0.2, 0.3, 0.5]).predict_proba(X)
    )
    assert_allclose(model.leave_one_out(X[::3], y[::3]), fixed.leave_one_out(X[::3], y[::3]))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"pooling": -0.1}, "pooling"),
        ({"pooling": "half"}, "pooling"),
        ({"shrinkage": 2}, "shrinkage"),
        ({"pooling": True}, "pooling"),
        ({"mixing": "both"}, "mixing"),
        ({"criterion": "auc"}, "criterion"),
        ({"cv": 1}, "cv"),
        ({"cv": 151}, "folds"),
        ({"cv": "many"}, "cv"),
        ({"cv": [([0.5], [1])]}, "row numbers"),
        ({"grid": 1}, "grid"),
        ({"grid": []}, "grid"),
        ({"grid": [0.5, 1.5]}, "grid"),
        ({"grid": "fine"}, "grid"),
        ({"grid": 1_000_000}, "at most 1000"),
        ({"mixing": []}, "mixing"),
        ({"cv": []}, "splitter, or .train, test. pairs"),
        ({"cv": {}}, "splitter, or .train, test. pairs"),
        ({"cv": [1, 2]}, "splitter, or .train, test. pairs"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": "x"}, "random_state='x'"),
        ({"divisor": "n"}, "divisor"),
    ],
)
def test_bad_options_are_named(options, match):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=match):
        RegularizedDiscriminantAnalysis(**options).fit(X, y)


def test_a_class_with_one_row_in_a_tuned_model_is_named_or_learned():
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:50, 50:100, 100]
    with pytest.raises(SingularCovarianceError, match="every candidate"):
        RegularizedDiscriminantAnalysis(pooling=0, shrinkage="cv", cv=3).fit(X[few], y[few])
    model = RegularizedDiscriminantAnalysis(pooling=1.0, shrinkage=0.1).fit(X[few], y[few])
    assert np.isfinite(model.predict_proba(X)).all()
