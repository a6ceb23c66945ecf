"""C="cv": what a search that fits each fold anew would find, and nothing of the rows held out."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from distinguo import LogisticRegression
from distinguo.exceptions import InputError

GRID = [0.01, 0.03, 0.1, 0.3, 1.0]


def rows(K=2, n=120, p=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.logspace(-1, 1, p)
    scores = (X / np.logspace(-1, 1, p)) @ (rng.normal(size=(p, K)) * (np.arange(p) < 3)[:, None])
    return X, np.array(["a", "b", "c"])[(scores + rng.gumbel(size=(n, K))).argmax(axis=1)]


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_search_that_fits_every_fold_anew_finds_the_same(K, l1_ratio, class_weight):
    X, y = rows(K)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    options = {"l1_ratio": l1_ratio, "standardize": True, "class_weight": class_weight, "tol": 1e-10}
    model = LogisticRegression("cv", Cs=GRID, cv=folds, **options).fit(X, y)
    search = GridSearchCV(
        LogisticRegression(**options), {"C": GRID}, cv=folds, scoring=["neg_log_loss", "accuracy"], refit="neg_log_loss"
    ).fit(X, y)
    np.testing.assert_allclose(model.cv_results_["log_loss"], -search.cv_results_["mean_test_neg_log_loss"], atol=1e-7)
    np.testing.assert_allclose(model.cv_results_["error"], 1 - search.cv_results_["mean_test_accuracy"], atol=1e-12)
    deviation = search.cv_results_["std_test_neg_log_loss"]
    np.testing.assert_allclose(model.cv_results_["log_loss_standard_error"], deviation / np.sqrt(3), atol=1e-6)
    assert search.best_params_["C"] == model.C_
    np.testing.assert_allclose(model.coef_, search.best_estimator_.coef_, atol=1e-7)


def test_rows_held_out_touch_nothing():
    X, y = rows()
    train, test = np.arange(0, 120, 2), np.arange(1, 120, 2)
    options = {"l1_ratio": 1.0, "standardize": True, "Cs": GRID, "cv": [(train, test)]}
    before = LogisticRegression("cv", **options).fit(X, y)
    far = X.copy()
    far[test[0]] *= 1e6  # were it to scale the columns, the losses of all others would change
    after = LogisticRegression("cv", **options).fit(far, y)
    weight = np.ones(120)
    weight[test[0]] = 0.0
    apart = [LogisticRegression("cv", **options).fit(Z, y, weight) for Z in (X, far)]
    np.testing.assert_array_equal(apart[0].cv_results_["log_loss"], apart[1].cv_results_["log_loss"])
    assert not np.allclose(before.cv_results_["log_loss"], after.cv_results_["log_loss"])


def test_weights_are_repetitions_in_given_folds():
    X, y = rows(3)
    weight = np.random.default_rng(0).integers(1, 3, 120)
    first = np.arange(120) < 60
    again = np.repeat(first, weight)
    options = {"l1_ratio": 0.5, "Cs": GRID, "tol": 1e-10}
    weighted = LogisticRegression("cv", **options)
    weighted.set_params(cv=[(np.flatnonzero(first), np.flatnonzero(~first))]).fit(X, y, weight)
    repeated = LogisticRegression("cv", cv=[(np.flatnonzero(again), np.flatnonzero(~again))], **options)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.cv_results_["log_loss"], repeated.cv_results_["log_loss"], atol=1e-7)
    assert weighted.C_ == repeated.C_


@pytest.mark.parametrize("criterion", ["log_loss", "error"])
def test_rules_take_what_they_say(criterion):
    X, y = rows(seed=3)
    options = {"l1_ratio": 1.0, "standardize": True, "Cs": 20, "cv": 5, "criterion": criterion}
    best = LogisticRegression("cv", **options).fit(X, y)
    strong = LogisticRegression("cv", rule="one-standard-error", **options).fit(X, y)
    loss, spread, Cs = (best.cv_results_[name] for name in (criterion, f"{criterion}_standard_error", "C"))
    least = loss.argmin()
    assert Cs[least] == best.C_
    assert min(Cs[i] for i in range(20) if loss[i] <= loss[least] + spread[least]) == strong.C_
    assert strong.C_ < best.C_ or criterion == "error"


def test_sparse_rows_choose_as_dense_ones():
    X, y = rows()
    wide = np.column_stack([X, np.zeros((120, 1000))])
    options = {"l1_ratio": 1.0, "Cs": GRID, "cv": 3, "tol": 1e-10}
    dense = LogisticRegression("cv", **options).fit(X, y)
    narrow = LogisticRegression("cv", **options).fit(sparse.csr_array(X), y)
    model = LogisticRegression("cv", **options).fit(sparse.csr_array(wide), y)
    for other in (narrow, model):
        np.testing.assert_allclose(other.cv_results_["log_loss"], dense.cv_results_["log_loss"], atol=1e-7)


def test_offsets_take_part_in_the_folds():
    X, y = rows()
    known = X[:, 0] * 10
    model = LogisticRegression("cv", l1_ratio=1.0, Cs=GRID, cv=3).fit(X, y, offset=known)
    without = LogisticRegression("cv", l1_ratio=1.0, Cs=GRID, cv=3).fit(X, y)
    assert (model.cv_results_["log_loss"] != without.cv_results_["log_loss"]).all()
    shifted = LogisticRegression("cv", l1_ratio=1.0, Cs=GRID, cv=3).fit(X, y, offset=known + 3.0)  # the intercept's
    np.testing.assert_allclose(shifted.cv_results_["log_loss"], model.cv_results_["log_loss"], atol=1e-6)


def test_the_seed_makes_the_folds():
    X, y = rows()
    one, same, other = (
        LogisticRegression("cv", l1_ratio=1.0, Cs=GRID, cv=3, random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.cv_results_["log_loss"], same.cv_results_["log_loss"])
    assert (one.cv_results_["log_loss"] != other.cv_results_["log_loss"]).any()


def test_what_was_chosen_is_there_after_every_fit():
    X, y = rows()
    model = LogisticRegression("cv", Cs=GRID, cv=3).fit(X, y)
    assert model.C_ in GRID
    model.set_params(C=2).fit(X, y)
    assert model.C_ == 2.0
    assert not hasattr(model, "cv_results_")
    assert np.inf == LogisticRegression().fit(X, y).C_
    assert clone(model).C == 2


BAD = {
    "cv": ({"cv": 1}, "at least 2 folds"),
    "cv is text": ({"cv": "many"}, "must be a number of folds"),
    "rows that are no numbers": ({"cv": [([0.5], [1.5])]}, "row numbers"),
    "more folds than rows": ({"cv": 500}, "cannot be split"),
    "criterion": ({"criterion": "auc"}, "criterion='auc' is not known"),
    "rule": ({"rule": 1}, "rule=1 is not known"),
    "grid": ({"Cs": [1.0]}, "at least two"),
    "a class left out": ({"cv": [(np.arange(5), np.arange(5, 120))]}, "leaves no row of 1 class"),
    "nothing held out": ({"cv": [(np.arange(120), np.arange(0))]}, "holds no row out"),
    "no penalty": ({"bias_reduction": "firth"}, "maximum likelihood"),
    "random_state": ({"random_state": -1}, "random_state"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_options_are_checked_at_fit(options, message):
    X, y = rows()
    order = np.argsort(y, kind="stable")
    with pytest.raises(InputError, match=message):
        LogisticRegression("cv", **options).fit(X[order], y[order])


@pytest.mark.parametrize("C", [0, -1.0, np.nan, "many", True, None])
def test_the_strength_is_checked(C):
    X, y = rows()
    with pytest.raises(InputError, match="must be a positive number"):
        LogisticRegression(C).fit(X, y)


def test_a_stream_cannot_choose():
    X, y = rows()
    with pytest.raises(InputError, match="needs all rows at once"):
        LogisticRegression("cv", solver="stochastic").partial_fit(X, y)
