"""Balancing changes what a model learns from, and not how common it takes the classes to be."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from distinguo import (
    Balanced,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
)
from distinguo.exceptions import InputError, InputTypeError

RNG = np.random.default_rng(0)
N = 1500
SHARES = [0.02, 0.18, 0.8]
CODES = RNG.choice(3, N, p=SHARES)
X = RNG.normal(size=(N, 3)) + np.eye(3)[CODES] * 1.5
Y = np.array(["rare", "some", "usual"])[CODES]
METHODS = ["weights", "under", "over"]


def shifted(posteriors: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Bayes' rule for other priors."""
    moved = posteriors * by
    return moved / moved.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        PeerNB(),
        PeerLogistic(),
        LogisticRegression(C=1.0),
        RandomForestClassifier(20, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_priors_are_restored(model, method: str) -> None:
    balanced = Balanced(model, method).fit(X, Y)
    np.testing.assert_allclose(balanced.balanced_priors_, 1 / 3)
    np.testing.assert_allclose(balanced.priors_, np.bincount(CODES) / N)
    # Calibrated in the large: classes are predicted as often as they come, where balanced rows alone would say a third.
    p = balanced.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.abs(p.mean(axis=0) - balanced.priors_).max() < 0.1
    assert np.array_equal(balanced.predict(X), balanced.classes_[p.argmax(axis=1)])


@pytest.mark.parametrize("method", METHODS)
def test_new_priors_are_the_same_as_shifted_posteriors(method: str) -> None:
    # What `with_priors` does to a model of this library is done to the posteriors of any other.
    model = Balanced(LinearDiscriminantAnalysis(), method, random_state=1).fit(X, Y)
    plain = model.model_.with_priors("uniform").predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), shifted(plain, model.priors_), rtol=1e-9, atol=1e-300)
    wrapped = Balanced(make_pipeline(LinearDiscriminantAnalysis()), "under", random_state=1).fit(X, Y)
    own = Balanced(LinearDiscriminantAnalysis(), "under", random_state=1).fit(X, Y)
    np.testing.assert_allclose(wrapped.predict_proba(X), own.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_weights_change_nothing_where_classes_are_described_one_by_one(divisor: str) -> None:
    # A class's own mean and variance do not depend on how common it is; the unbiased divisor knows its weight.
    pairs = [(GaussianNB(), 1e-9), (QuadraticDiscriminantAnalysis(divisor=divisor), 1e-9 if divisor == "mle" else 0.05)]
    for model, tolerance in pairs:
        p = Balanced(model).fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(p, model.fit(X, Y).predict_proba(X), atol=tolerance)


def test_logistic_regression_is_corrected_by_its_intercepts() -> None:
    # King and Zeng (2001): beta_0 less log((1 - tau) / tau * ybar / (1 - ybar)), the slopes as they are.
    two = CODES > 0
    rows, y = X[two], Y[two]
    model = Balanced(LogisticRegression(C=1.0), "over").fit(rows, y)
    tau, ybar = model.priors_[1], model.balanced_priors_[1]
    corrected = model.model_.decision_function(rows) - np.log((1 - tau) / tau * ybar / (1 - ybar))
    logs = model.predict_log_proba(rows)
    np.testing.assert_allclose(logs[:, 1] - logs[:, 0], corrected, rtol=1e-9, atol=1e-9)


def test_weights_are_those_of_scikit_learns_balanced() -> None:
    ours = Balanced(PeerLogistic(tol=1e-10, max_iter=1000)).fit(X, Y)
    peer = PeerLogistic(class_weight="balanced", tol=1e-10, max_iter=1000).fit(X, Y)
    np.testing.assert_allclose(ours.model_.coef_, peer.coef_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), shifted(peer.predict_proba(X), ours.priors_), rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "rows"), [("under", 3 * np.bincount(CODES)[0]), ("over", 3 * np.bincount(CODES)[2])]
)
def test_rows_are_drawn_from_their_own_class(method: str, rows: int) -> None:
    class Recording(PeerNB):  # type: ignore[misc]
        def fit(self, X, y, sample_weight=None):  # type: ignore[no-untyped-def]
            self.seen_ = X[:, 0], y
            return super().fit(X, y)

    numbered = np.column_stack([np.arange(N, dtype=float), X])
    seen, labels = Balanced(Recording(), method, random_state=4).fit(numbered, Y).model_.seen_
    assert len(seen) == rows
    assert (Y[seen.astype(int)] == labels).all()
    assert (np.unique(labels, return_counts=True)[1] == rows // 3).all()
    if method == "under":
        assert len(set(seen)) == rows  # drawn without replacement
    else:
        assert len(set(seen)) == N  # nobody is left out
    again = Balanced(Recording(), method, random_state=4).fit(numbered, Y).model_.seen_[0]
    other = Balanced(Recording(), method, random_state=5).fit(numbered, Y).model_.seen_[0]
    assert np.array_equal(seen, again)
    assert not np.array_equal(seen, other)


@pytest.mark.parametrize("method", METHODS)
def test_balancing_takes_place_within_the_training_folds(method: str) -> None:
    """The classes of the rows held out change neither how the others are balanced nor the priors restored."""
    half = np.arange(N) % 2 == 0
    folds = [(np.flatnonzero(~half), np.flatnonzero(half)), (np.flatnonzero(half), np.flatnonzero(~half))]
    other = Y.copy()
    other[half] = RNG.permutation(other[half])
    model = Balanced(LinearDiscriminantAnalysis(), method)
    own, of_other = (cross_val_predict(model, X, y, method="predict_proba", cv=folds)[half] for y in (Y, other))
    assert np.array_equal(own, of_other)
    assert np.abs(own.mean(axis=0) - np.bincount(CODES) / N).max() < 0.05


def test_priors_of_another_population() -> None:
    model = Balanced(PeerNB(), priors={"rare": 0.5, "some": 0.25, "usual": 0.25}).fit(X, Y)
    plain = PeerNB(priors=[0.5, 0.25, 0.25]).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-6)
    never = Balanced(PeerNB(), priors=[0.0, 0.5, 0.5]).fit(X, Y)
    assert (never.predict_proba(X)[:, 0] == 0).all()
    assert not (never.predict(X) == "rare").any()


def test_a_row_that_only_classes_of_prior_zero_may_have_gets_the_priors() -> None:
    rows, y = [[1, 0], [0, 1], [1, 1]], ["a", "b", "c"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Balanced(KNeighborsClassifier(1), "under", priors=[0.0, 0.5, 0.5]).fit(rows, y)
    assert model.predict_proba([[1, 0]]).tolist() == [[0.0, 0.5, 0.5]]


def test_frequencies_come_along() -> None:
    weight = RNG.integers(0, 3, N).astype(float)
    times = weight.astype(int)
    weighted = Balanced(LinearDiscriminantAnalysis()).fit(X, Y, sample_weight=weight)
    repeated = Balanced(LinearDiscriminantAnalysis()).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(weighted.priors_, np.bincount(CODES, weight) / weight.sum())
    drawn = Balanced(LinearDiscriminantAnalysis(), "under").fit(X, Y, sample_weight=weight)
    assert drawn.balanced_priors_.max() < 0.6
    assert np.abs(drawn.predict_proba(X[times > 0]).mean(axis=0) - drawn.priors_).max() < 0.06


def test_sparse_counts_and_texts_of_any_container() -> None:
    from scipy import sparse

    counts = sparse.csr_array(RNG.poisson(1 + 2 * np.eye(3)[CODES]).astype(float))
    model = Balanced(MultinomialNB(), "over").fit(counts, Y)
    assert np.abs(model.predict_proba(counts).mean(axis=0) - model.priors_).max() < 0.05


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            Balanced(LinearDiscriminantAnalysis(), "smote"),
            "method='smote' is not known; use 'weights' or 'under' or 'over'",
        ),
        (Balanced(KNeighborsClassifier()), "KNeighborsClassifier is given no sample_weight.*'under' or 'over'"),
        (Balanced(make_pipeline(StandardScaler(), PeerNB())), "Pipeline is given no sample_weight"),
        (Balanced(LinearDiscriminantAnalysis(), priors=[0.5, 0.5]), r"priors has shape \(2,\) for 3 classes"),
        (Balanced(LinearDiscriminantAnalysis(), priors={"cold": 1}), "priors names the class 'cold'"),
        (Balanced(LinearDiscriminantAnalysis(), "over", random_state="x"), "random_state='x' must be"),
        (Balanced(LinearSVC()), "LinearSVC has no probabilities"),
    ],
)
def test_bad_options(model: Balanced, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        model.fit(X, Y)


def test_one_class_is_refused() -> None:
    with pytest.raises(InputError, match="y has one class only"):
        Balanced(LinearDiscriminantAnalysis()).fit(X, np.full(N, "usual"))
