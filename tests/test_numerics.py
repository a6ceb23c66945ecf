"""The numerical rules of the design, a test each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from distinguo.exceptions import ImpossibleRowWarning, InputError, LeftOutWarning, SingularCovarianceError
from distinguo.hyperplane import decide
from tests.generative.cases import every_variant, three_classes

LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
every_kind = pytest.mark.parametrize(
    "model", [LDA(), LDA(divisor="mle"), QDA(), GaussianNB(), GaussianNB(shared_variance=True)], ids=repr
)
LEVELS = np.array([1.0, 2.0, 4.0])


def levels(y: Any) -> Any:
    """A number that is the same within each class and differs between classes."""
    return LEVELS[np.searchsorted(["a", "b", "c"], y)]


# Sizes of numbers


@every_kind
def test_separated_classes_are_certain_not_nan(model: Any) -> None:
    X, y = three_classes()
    for gap in (1e2, 1e5, 1e12):
        apart = X + gap * levels(y)[:, None]
        fitted = model.fit(apart, y)
        assert (fitted.predict(apart) == y).all()
        np.testing.assert_allclose(fitted.predict_proba(apart).max(axis=1), 1)
        assert np.isfinite(fitted.predict_log_proba(apart)).all()


@every_kind
@pytest.mark.parametrize("size", [1e-145, 1e-100, 1e100, 1e145])
def test_sizes_that_square(model: Any, size: float) -> None:
    X, y = three_classes()
    expected = clone(model).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(clone(model).fit(X * size, y).predict_proba(X * size), expected, atol=1e-9)


@every_variant
@pytest.mark.parametrize("size", [1e155, 1e200, 1e300, 1.7e308])
def test_sizes_that_do_not_square_are_refused_by_name(model: Any, size: float) -> None:
    X, y = three_classes()
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    frame["v"] = np.clip(frame["v"] * size / 10, -1.7e308, 1.7e308)
    with pytest.raises(InputError, match=r"too large to square.*'v'; give these columns larger units"):
        clone(model).fit(frame, y)
    learner = clone(model).partial_fit(frame[:30], y[:30]).partial_fit(frame[30:], y[30:])
    with pytest.raises(InputError, match="too large to square"):
        learner.predict(frame)


@every_kind
@pytest.mark.parametrize("size", [1e-160, 1e-200, 1e-310])
def test_sizes_whose_squares_vanish_are_constant(model: Any, size: float) -> None:
    X, y = three_classes()
    wide = np.column_stack([X, X[:, 0] ** 2 * size])
    with pytest.warns(LeftOutWarning, match=r"constant column\(s\): 3"):
        found = clone(model).fit(wide, y)
    np.testing.assert_allclose(found.predict_proba(wide), clone(model).fit(X, y).predict_proba(X), atol=1e-12)


def test_one_huge_row_does_not_make_nan() -> None:
    X, y = three_classes()
    X[7, 1] = 1e150
    for model in (LDA(), GaussianNB(), GaussianNB(shared_variance=True)):
        posterior = model.fit(X, y).predict_proba(X)
        assert np.isfinite(posterior).all()
        np.testing.assert_allclose(posterior.sum(axis=1), 1)
    # Beside that row the other classes do not vary at all.
    with pytest.raises(SingularCovarianceError, match="singular in the columns 1"):
        QDA().fit(X, y)


@every_kind
def test_integers_are_read_as_they_are(model: Any) -> None:
    X, y = three_classes()
    whole = np.round(np.clip(X * 20, -128, 127))
    expected = clone(model).fit(whole, y).predict_proba(whole)
    for kind in (np.int8, np.int16, np.int64, np.float32):
        assert np.array_equal(clone(model).fit(whole.astype(kind), y).predict_proba(whole.astype(kind)), expected)


# Bayes' rule


def test_ties() -> None:
    assert decide(np.array([[0.0, 0.0]])).tolist() == [1]
    assert decide(np.array([[0.0, 0.0, 0.0], [-1.0, 2.0, 2.0]])).tolist() == [0, 1]
    assert decide(np.array([[-np.inf, -np.inf]])).tolist() == [1]
    X = [[-1.0], [-3.0], [1.0], [3.0]]
    for model in (LDA(), QDA(), GaussianNB()):
        assert model.fit(X, ["a", "a", "b", "b"]).predict([[0.0]]).tolist() == ["b"]
    three = GaussianNB().fit([*X, [-1.0], [-3.0]], ["b", "b", "a", "a", "c", "c"])
    assert three.predict([[-2.0]]).tolist() == ["b"]


def test_log_posteriors_keep_their_digits_where_scores_are_huge() -> None:
    """Certainty is minus nothing, not a rounding of a score of 1e12."""
    X, y = three_classes(p=1)
    model = QDA().fit(X, y)
    far = model.predict_log_proba([[1e7]])[0]
    assert far.max() == 0
    assert sorted(far)[1] < -1e6


def test_impossible_rows_warn_and_get_the_priors() -> None:
    X, y = three_classes()
    model = QDA().fit(X, y)
    with pytest.warns(ImpossibleRowWarning, match=r"1 row\(s\) have probability zero under every class"):
        posterior = model.predict_proba([[1e300, -1e300, 1e300], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(posterior[0], model.priors_)
    with pytest.warns(ImpossibleRowWarning):
        assert model.predict([[1e300, 1e300, 0.0]]) == model.classes_[model.priors_.argmax()]


# Limit cases


def test_the_corners_of_shrinkage() -> None:
    X, y = three_classes()
    for kind in (LDA, QDA):
        np.testing.assert_array_equal(kind(shrinkage=0).fit(X, y).predict_proba(X), kind().fit(X, y).predict_proba(X))
        np.testing.assert_array_equal(
            kind(shrinkage=0.0, target="diagonal").fit(X, y).covariance_, kind().fit(X, y).covariance_
        )
    nearest = LDA(shrinkage=1, priors="uniform").fit(X, y)
    distances = ((X[:, None] - nearest.means_) ** 2).sum(axis=2)
    assert (nearest.predict(X) == nearest.classes_[distances.argmin(axis=1)]).all()


def test_diagonal_covariances_are_naive_bayes() -> None:
    X, y = three_classes()
    naive = GaussianNB(var_smoothing=0.0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(
        QDA(shrinkage=1, target="diagonal", divisor="mle").fit(X, y).predict_proba(X), naive, atol=1e-10
    )
    shared = GaussianNB(var_smoothing=0.0, shared_variance=True).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(
        LDA(shrinkage=1, target="diagonal", divisor="mle").fit(X, y).predict_proba(X), shared, atol=1e-10
    )


def test_one_column_makes_all_of_a_kind() -> None:
    X, y = three_classes(p=1)
    naive = GaussianNB(var_smoothing=0.0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(QDA(divisor="mle").fit(X, y).predict_proba(X), naive, atol=1e-12)
    shared = GaussianNB(var_smoothing=0.0, shared_variance=True).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(LDA(divisor="mle").fit(X, y).predict_proba(X), shared, atol=1e-12)


def test_classes_of_one_shape_make_qda_lda() -> None:
    X, _ = three_classes(n=50)
    both, y = np.vstack([X, X + np.array([1.0, 2.0, 3.0])]), np.repeat(["a", "b"], 50)
    np.testing.assert_allclose(
        QDA(divisor="mle").fit(both, y).predict_proba(both),
        LDA(divisor="mle").fit(both, y).predict_proba(both),
        atol=1e-10,
    )
