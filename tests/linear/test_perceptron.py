"""The perceptron: what the lectures say of it, scikit-learn's weights, and laws of order and frequency."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.preprocessing import StandardScaler

from distinguo import MemorySource, Perceptron, separation
from distinguo.exceptions import DistinguoError, InputError
from tests.generative.cases import three_classes

IRIS, SPECIES = load_iris(return_X_y=True)
IRIS = StandardScaler().fit_transform(IRIS)
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=10)
SCHEMES = ["discriminants", "one-vs-rest"]
every_scheme = pytest.mark.parametrize("multiclass", SCHEMES)


def clouds(seed: int, gap: float, n: int = 40) -> tuple[Any, Any]:
    """Rows (n, 2) of two classes, a gap apart; they overlap where it is small."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, 2)).clip(-2, 2)
    X[:, 0] += np.where(y == 1, 2 + gap, -2 - gap)
    return X, np.array(["no", "yes"])[y]


def signs(y: Any) -> Any:
    return np.where(np.asarray(y) == "yes", 1.0, -1.0)


def criterion(model: Perceptron, X: Any, y: Any) -> Any:
    """Each row's term: -t w'φ where it is on the wrong side, else zero."""
    return np.maximum(-signs(y) * model.decision_function(X), 0)


def one_pass(X: Any, t: Any, w: Any) -> tuple[Any, Any]:
    """Rosenblatt's rule by hand: weights (p + 1,) after one pass over rows beside a one, and after each row."""
    path = []
    for x, sign in zip(np.column_stack([X, np.ones(len(X))]), t, strict=True):
        if sign * (w @ x) <= 0:
            w = w + sign * x
        path.append(w)
    return w, np.array(path)


def weights(model: Perceptron) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


# The lectures


@given(seed=seeds)
@few
def test_lecture_24_it_stops_once_no_row_is_misclassified(seed):
    X, y = clouds(seed, gap=0.1)
    assert separation(X, y).kind == "complete"
    model = Perceptron(max_iter=10_000, random_state=seed).fit(X, y)
    assert model.status_ == "separated"
    assert model.n_iter_ < 10_000
    assert (signs(y) * model.decision_function(X) > 0).all()
    assert model.trace_[-1].tolist() == [0, 0]
    assert (model.trace_[:-1, 1] > 0).all()
    assert model.trace_.shape == (model.n_iter_ + 1, 2)


@given(seed=seeds, shuffle=st.booleans())
@few
def test_lecture_24_any_positive_rate_decides_alike_from_zero_weights(seed, shuffle):
    X, y = clouds(seed, gap=-1.5)
    points = np.random.default_rng(seed).normal(0, 5, (300, 2))
    plain = Perceptron(shuffle=shuffle, max_iter=20).fit(X, y)
    for eta0 in (1e-9, 0.1, 7.0, 1e50):
        model = Perceptron(eta0, shuffle=shuffle, max_iter=20).fit(X, y)
        assert (model.predict(points) == plain.predict(points)).all()
        np.testing.assert_allclose(weights(model), eta0 * weights(plain), rtol=1e-12)
        np.testing.assert_allclose(model.trace_, plain.trace_ * [eta0, 1], rtol=1e-12)


def test_lecture_24_the_answer_depends_on_the_order_and_on_the_start():
    X, y = clouds(0, gap=0.3)
    as_it_comes = Perceptron(shuffle=False).fit(X, y)
    answers = [
        as_it_comes,
        Perceptron(shuffle=False).fit(X[::-1], y[::-1]),
        Perceptron(shuffle=False).fit(X, y, coef_init=[[0.0, 9.0]]),
        Perceptron(shuffle=False).fit(X, y, intercept_init=[-9.0]),
    ]
    directions = [weights(model)[0] / np.linalg.norm(weights(model)) for model in answers]
    assert all(model.status_ == "separated" for model in answers)
    assert np.abs(np.subtract.outer(directions, directions)).max() > 0.01
    assert len(np.unique(np.round(directions, 9), axis=0)) == 4
    # From another start the rate matters: it says how much the start counts.
    slow = Perceptron(1e-3, shuffle=False).fit(X, y, coef_init=[[0.0, 9.0]])
    assert np.abs(weights(slow)[0] / np.linalg.norm(weights(slow)) - directions[2]).max() > 0.01


def test_lecture_24_each_step_lowers_its_own_term_by_its_square_and_the_total_may_rise():
    # The boundary leaves the two classes to one side each but for one row; turning it for that row loses three others.
    X = np.array([[-1.0, 4.0], [2.0, -1.0], [2.1, -1.0], [2.2, -1.0], [-2.0, 1.0]])
    y = np.array(["yes", "yes", "yes", "yes", "no"])
    model = Perceptron(shuffle=False).fit(X[1:], y[1:], coef_init=[[1.0, 0.0]])
    assert weights(model).tolist() == [[1, 0, 0]]
    before = criterion(model, X, y)
    assert before.tolist() == [1, 0, 0, 0, 0]
    own = -signs(y[:1]) * model.decision_function(X[:1])
    model.partial_fit(X[:1], y[:1])
    after = criterion(model, X, y)
    assert -signs(y[:1]) * model.decision_function(X[:1]) == own - (1 + 16 + 1)  # |φ|², the constant included
    assert after[0] == 0
    assert after.sum() == pytest.approx(3 + 3 + 3 + 5)  # from one in all to fourteen


@given(seed=seeds)
@few
def test_lecture_24_a_step_lowers_its_own_term_exactly(seed):
    X, y = clouds(seed, gap=-2.0)
    model = Perceptron(shuffle=False).fit(X, y)
    margins = signs(y) * model.decision_function(X)
    for i in np.flatnonzero(margins < 0):
        copy = pickle.loads(pickle.dumps(model)).partial_fit(X[[i]], y[[i]])
        gained = signs(y[[i]]) * copy.decision_function(X[[i]]) - margins[i]
        np.testing.assert_allclose(gained, 1 + X[i] @ X[i])


@given(seed=seeds)
@few
def test_lecture_24_what_cannot_be_separated_ends_at_max_iter_with_the_best_weights_seen(seed):
    X, y = clouds(seed, gap=-1.8)
    X, y = np.vstack([X, X[:1]]), np.append(y, "no" if y[0] == "yes" else "yes")  # one row of either class
    assert separation(X, y).kind == "none"
    model = Perceptron(max_iter=30, random_state=seed).fit(X, y)
    assert (model.status_, model.n_iter_) == ("max_iter", 30)
    margins = signs(y) * model.decision_function(X)
    assert (margins <= 0).sum() == model.trace_[:, 1].min() >= 1
    best = int(model.trace_[:, 1].argmin())
    assert -margins[margins < 0].sum() == pytest.approx(model.trace_[best, 0])
    # So more passes never give more errors, though the last weights of more passes may.
    errors = [Perceptron(max_iter=k, random_state=seed).fit(X, y).trace_[:, 1].min() for k in (5, 10, 30)]
    assert errors == sorted(errors, reverse=True)
    assert (np.diff(model.trace_[:, 1]) > 0).any()


@given(seed=seeds)
@few
def test_lecture_25_the_step_is_that_of_logistic_regression_with_a_threshold_for_the_sigmoid(seed):
    X, y = clouds(seed, gap=-1.0)
    start = np.random.default_rng(seed).normal(size=3)
    w, rate = start.copy(), 0.5
    for x, t in zip(np.column_stack([X, np.ones(len(X))]), (y == "yes") * 1.0, strict=True):
        w = w - rate * (np.heaviside(w @ x, 0.5) - t) * x  # logistic regression has 1 / (1 + exp(-w'x)) there
    model = Perceptron(rate, shuffle=False, max_iter=1).fit(X, y, coef_init=start[:2], intercept_init=start[2:])
    last = model.trace_[-1, 1] < model.trace_[0, 1]  # else the pocket has the start
    np.testing.assert_allclose(weights(model)[0], w if last else start)


# scikit-learn, which runs the same rule in the same order; its last weights are those of partial_fit


@pytest.mark.parametrize("passes", [1, 2, 7])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_last_weights_are_those_of_scikit_learn(passes, kind):
    X, y = clouds(3, gap=-2.0)
    theirs = TheirPerceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)
    model = Perceptron(shuffle=False)
    for _ in range(passes):
        model.partial_fit(kind(X), y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-12)


def test_one_versus_the_rest_is_that_of_scikit_learn():
    theirs = TheirPerceptron(shuffle=False, tol=None, max_iter=4).fit(IRIS, SPECIES)
    model = Perceptron(shuffle=False, multiclass="one-vs-rest")
    for _ in range(4):
        model.partial_fit(IRIS, SPECIES)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-12)


# More classes


@given(seed=seeds)
@few
def test_discriminants_by_hand(seed):
    """A lost row is added to its class's weights and taken from those of the highest other."""
    X, y = three_classes(seed)
    W = np.zeros((3, 4))
    for x, k in zip(np.column_stack([X, np.ones(len(X))]), np.searchsorted(["a", "b", "c"], y), strict=True):
        scores = W @ x
        others = np.where(np.arange(3) == k, -np.inf, scores)
        if scores[k] <= others.max():
            W[k] += x
            W[others.argmax()] -= x
    model = Perceptron(shuffle=False).partial_fit(X, y)
    np.testing.assert_allclose(weights(model), W, atol=1e-9)
    np.testing.assert_allclose(weights(model).sum(axis=0), 0, atol=1e-9)
    scores = np.column_stack([X, np.ones(len(X))]) @ W.T
    own = scores[np.arange(len(y)), np.searchsorted(["a", "b", "c"], y)]
    assert model.trace_[-1, 0] == pytest.approx((scores.max(axis=1) - own).sum())


def test_a_class_between_others_has_a_discriminant_but_no_boundary_with_the_rest():
    X, y = np.array([[-3.0], [-2.0], [-0.5], [0.5], [2.0], [3.0]]), np.repeat(["left", "middle", "right"], 2)
    model = Perceptron(max_iter=1000).fit(X, y)
    assert (model.status_, model.score(X, y)) == ("separated", 1.0)
    alone = Perceptron(max_iter=1000).fit(X, y == "middle")
    assert alone.status_ == "max_iter"
    apart = Perceptron(max_iter=1000, multiclass="one-vs-rest").fit(X, y)
    assert (apart.trace_[:, 0] > 0).sum() == apart.n_iter_  # the middle's boundary with the rest always errs somewhere


@every_scheme
def test_more_classes_are_separated_where_they_can_be(multiclass):
    rng = np.random.default_rng(0)
    y = np.repeat([3, 5, 8], 30)
    X = rng.normal(size=(90, 2)).clip(-2, 2) + np.repeat([[0, 9], [9, -9], [-9, -9]], 30, axis=0)
    model = Perceptron(multiclass=multiclass).fit(X, y)
    assert (model.status_, model.score(X, y)) == ("separated", 1.0)
    assert model.coef_.shape == (3, 2)


@every_scheme
@pytest.mark.parametrize("average", [False, True])
def test_iris(multiclass, average):
    model = Perceptron(multiclass=multiclass, average=average).fit(IRIS, SPECIES)
    assert model.status_ == "max_iter"
    assert model.score(IRIS, SPECIES) > (0.96 if multiclass == "discriminants" else 0.8)


def test_for_two_classes_both_schemes_are_one():
    X, y = clouds(1, gap=-1.0)
    one, other = (Perceptron(multiclass=multiclass).fit(X, y) for multiclass in SCHEMES)
    assert (weights(one) == weights(other)).all()


# The average


@given(seed=seeds)
@few
def test_the_average_is_over_all_presentations(seed):
    X, y = clouds(seed, gap=-1.5)
    path, w = [], np.zeros(3)
    for _ in range(3):
        w, steps = one_pass(X, signs(y), w)
        path.append(steps)
    averaged = np.concatenate(path).mean(axis=0)
    fitted = Perceptron(shuffle=False, average=True, max_iter=3).fit(X, y)
    passed = Perceptron(shuffle=False, average=True).partial_fit(X, y).partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_allclose(weights(passed)[0], averaged, atol=1e-12)
    if fitted.status_ == "max_iter":
        np.testing.assert_allclose(weights(fitted)[0], averaged, atol=1e-12)


def test_passing_goes_on_from_the_weights_of_fit():
    X, y = clouds(5, gap=-2.0)
    fitted = Perceptron(shuffle=False, max_iter=6).fit(X, y)
    assert fitted.trace_[:, 1].argmin() < 6  # the pocket's are not the last
    from_pocket, _ = one_pass(X, signs(y), weights(fitted)[0])
    np.testing.assert_allclose(weights(fitted.partial_fit(X, y))[0], from_pocket)
    averaged = Perceptron(shuffle=False, average=True, max_iter=6).fit(X, y).partial_fit(X, y)
    by_hand = Perceptron(shuffle=False, average=True)
    for _ in range(7):
        by_hand.partial_fit(X, y)
    np.testing.assert_allclose(weights(averaged), weights(by_hand), atol=1e-12)


# Order and frequency


@every_scheme
@given(seed=seeds)
@few
def test_shuffled_rows_have_no_order_of_their_own_and_weights_repeat_them(multiclass, seed):
    X, y = three_classes(seed)
    rng = np.random.default_rng(seed)
    times, order = rng.integers(0, 3, len(y)), rng.permutation(len(y))
    times[[np.flatnonzero(y == label)[0] for label in "abc"]] = 1
    model = Perceptron(multiclass=multiclass, max_iter=5, random_state=seed)
    repeated = model.fit(X.repeat(times, axis=0), y.repeat(times))
    weighted = Perceptron(multiclass=multiclass, max_iter=5, random_state=seed)
    weighted.fit(X[order], y[order], sample_weight=times[order])
    assert (weights(weighted) == weights(repeated)).all()
    assert (weighted.trace_[:, 1] == repeated.trace_[:, 1]).all()
    np.testing.assert_allclose(weighted.trace_, repeated.trace_, rtol=1e-12)


def test_seeds_make_orders():
    X, y = clouds(0, gap=-2.0)
    answers = [weights(Perceptron(random_state=seed).fit(X, y)) for seed in (0, 0, 1, np.random.default_rng(1))]
    assert (answers[0] == answers[1]).all()
    assert (answers[0] != answers[2]).any()
    assert (answers[2] == answers[3]).all()
    assert Perceptron(random_state=None).fit(X, y).n_iter_ == 100


@given(seed=seeds)
@few
def test_in_the_order_given_a_weight_presents_a_row_again_at_once(seed):
    X, y = clouds(seed, gap=-1.5)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[[np.flatnonzero(y == label)[0] for label in ("no", "yes")]] = 1
    for average in (False, True):
        model = Perceptron(shuffle=False, average=average)
        weighted = model.fit(X, y, sample_weight=times)
        repeated = Perceptron(shuffle=False, average=average).fit(X.repeat(times, axis=0), y.repeat(times))
        assert (weights(weighted) == weights(repeated)).all()


def test_a_part_of_a_weight_is_a_part_of_a_step():
    # First row: one whole step loses nothing more. Second: on the wrong side by 2 + 1, one step of its 5 puts it right.
    model = Perceptron(shuffle=False).partial_fit([[1.0], [-2.0]], ["yes", "no"], sample_weight=[0.5, 2.5])
    assert weights(model).tolist() == [[0.5, 0.5]]
    model = Perceptron(shuffle=False).partial_fit([[1.0], [2.0]], ["yes", "no"], sample_weight=[1.0, 1.25])
    assert weights(model).tolist() == [[1 - 2, 1 - 1]]
    model = Perceptron(shuffle=False).partial_fit([[9.0], [1.0]], ["yes", "no"], sample_weight=[1.0, 2.25])
    assert weights(model).tolist() == [[9 - 2.25, 1 - 2.25]]  # 10, 8 and 6: wrong at all three presentations


@every_scheme
@given(seed=seeds)
@few
def test_sparse_rows_say_the_same_as_dense_ones(multiclass, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (50, 6)) * (rng.random((50, 6)) < 0.4)
    y = np.arange(50) % 3
    weight = rng.integers(1, 3, 50)
    dense, thin = (
        Perceptron(multiclass=multiclass, max_iter=6).fit(kind(X.astype(float)), y, sample_weight=weight)
        for kind in (np.asarray, sparse.csr_array)
    )
    assert (weights(dense) == weights(thin)).all()
    assert (dense.trace_ == thin.trace_).all()
    assert (dense.predict(X.astype(float)) == thin.predict(sparse.csc_array(X))).all()


def test_wide_sparse_rows_are_never_made_dense():
    rows, columns = np.repeat(np.arange(1000), 3), np.arange(3000) * 60
    X = sparse.csr_array((np.ones(3000), (rows, columns)), shape=(1000, 200_000))  # dense, they would take 1.6 GB
    y = np.arange(1000) % 2
    model = Perceptron().fit(X, y)
    assert model.status_ == "separated"
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asfortranarray, MemorySource])
def test_any_container(kind):
    X, y = three_classes()
    expected = weights(Perceptron().fit(X, y))
    model = Perceptron().fit(kind(X, y)) if kind is MemorySource else Perceptron().fit(kind(X), y)
    assert (weights(model) == expected).all()


# Parts, starts and files


def test_classes_may_come_later():
    X, y = three_classes()
    first, rest = np.isin(y, ["a", "b"]), y == "c"
    model = Perceptron(shuffle=False).partial_fit(X[first], y[first])
    two = weights(model)
    model.partial_fit(X[rest], y[rest])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.coef_.shape == (3, 3)
    # What told the two apart is only moved by rows that one of them took.
    declared = Perceptron(shuffle=False).partial_fit(X[first], y[first], classes=["a", "b", "c"])
    assert declared.classes_.tolist() == ["a", "b", "c"]
    again = Perceptron(shuffle=False).partial_fit(X[first], y[first])
    assert (weights(again) == two).all()
    with pytest.raises(InputError, match=r"one class only \('c'\).*Name the others with classes="):
        Perceptron().partial_fit(X[rest], y[rest])


def test_a_class_added_starts_from_zero_weights():
    model = Perceptron(shuffle=False).partial_fit([[1.0], [-1.0]], ["b", "a"])
    assert weights(model).tolist() == [[2, 0]]
    model.partial_fit([[100.0]], ["b"], classes=["c"])  # right already: b scores 100, a -100, c nothing
    assert weights(model).tolist() == [[-1, 0], [1, 0], [0, 0]]
    model.partial_fit([[-100.0]], ["c"])  # a has it
    assert weights(model).tolist() == [[99, -1], [1, 0], [-100, 1]]


@every_scheme
def test_a_fit_starts_where_it_is_told(multiclass):
    X, y = three_classes()
    W = np.random.default_rng(0).normal(size=(3, 4))
    model = Perceptron(0.25, multiclass=multiclass, max_iter=1).fit(X, y, None, W[:, :3], W[:, 3])
    chosen = np.array(["a", "b", "c"])[(X @ W[:, :3].T + W[:, 3]).argmax(axis=1)]
    assert model.trace_[0, 1] == (chosen != y).sum()


def test_a_fit_that_starts_right_changes_nothing():
    X, y = three_classes()
    separated = Perceptron().fit(X[:6], y[:6])
    assert separated.status_ == "separated"
    again = Perceptron().fit(X[:6], y[:6], None, separated.coef_, separated.intercept_)
    assert (again.n_iter_, again.trace_.tolist()) == (1, [[0, 0], [0, 0]])
    assert (weights(again) == weights(separated)).all()


def test_what_stays_when_a_fit_fails():
    X, y = clouds(0, gap=1.0)
    model = Perceptron().fit(X, y)
    before = weights(model)
    with pytest.raises(InputError):
        model.fit(X * 1e300, y)
    with pytest.raises(InputError):
        model.partial_fit(X[:, :1], y)
    assert (weights(model) == before).all()


def test_names_of_columns_stay():
    X, y = clouds(0, gap=1.0)
    model = Perceptron().fit(pd.DataFrame(X, columns=["u", "v"]), y).partial_fit(X, y)
    assert model.feature_names_in_.tolist() == ["u", "v"]
    with pytest.raises(InputError, match="same order"):
        model.partial_fit(pd.DataFrame(X, columns=["v", "u"]), y)


def test_there_are_no_probabilities_and_a_file_holds_everything():
    X, y = clouds(0, gap=-1.0)
    model = Perceptron(average=True).fit(X, y)
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match="Perceptron has no probabilities: its scores say on which side"):
            getattr(model, name)
    loaded = pickle.loads(pickle.dumps(model))
    assert (loaded.decision_function(X) == model.decision_function(X)).all()
    assert (weights(loaded.partial_fit(X, y)) == weights(model.partial_fit(X, y))).all()


X, Y = three_classes()
BAD: dict[str, tuple[dict[str, Any], Any, Any, Any, str]] = {
    "one class": ({}, X, ["only"] * 60, None, "one class only \\('only'\\); a classifier needs rows of two"),
    "one class that counts": ({}, X, Y, (Y == "a") * 1.0, "one class only"),
    "measurements as labels": ({}, X, np.linspace(0, 1, 60), None, "cut them into classes"),
    "a hole": ({}, np.where(X[3, 1] == X, np.nan, X), Y, None, r"NaN \(row 3, column 1\).*takes no missing cells"),
    "a sparse hole": ({}, sparse.csr_array([[0, np.nan], [1, 0]]), ["a", "b"], None, r"NaN \(row 0, column 1\)"),
    "a sparse infinity": ({}, sparse.csr_array([[0, np.inf], [1, 0]]), ["a", "b"], None, r"infinity \(row 0, column 1"),
    "infinity": ({}, np.where(X[3, 1] == X, np.inf, X), Y, None, r"infinity \(row 3, column 1\)"),
    "huge": ({}, X * [1, 1e300, 1], Y, None, r"too large to add products.*in the columns 1; give.*larger units"),
    "huge and sparse": ({}, sparse.csr_array(X * [1, 1e300, 1]), Y, None, "too large.*in the columns 1;"),
    "no rows": ({}, X[:0], Y[:0], None, "table is empty"),
    "no labels": ({}, X, None, None, "y is None; give one label a row"),
    "negative weight": ({}, X, Y, -np.ones(60), "negative in row 0"),
    "a rate too large": ({"eta0": 1e308}, X, Y, None, "weights too large for a number; give a smaller eta0"),
    **{
        f"{name}={value!r}": ({name: value}, X, Y, None, f"{name}=.* {message}")
        for name, values, message in (
            ("eta0", [0, -1.0, np.nan, np.inf, "much", None, True, [1.0]], "must be a number above 0"),
            ("max_iter", [0, -3, 1.5, "many", None, True], "must be a whole number of at least 1"),
            ("shuffle", ["no", None, 1], "must be True or False"),
            ("average", ["no", None, 1], "must be True or False"),
            ("multiclass", ["ovr", None, ["discriminants"]], "not known; use 'discriminants' or 'one-vs-rest'"),
            ("random_state", [-1, "seed", 1.5], "must be a whole number of at least 0"),
        )
        for value in values
    },
}


@pytest.mark.parametrize(("options", "rows", "labels", "weight", "message"), list(BAD.values()), ids=list(BAD))
def test_bad_input(options, rows, labels, weight, message):
    for learn in (Perceptron(**options).fit, Perceptron(**options).partial_fit):
        with pytest.raises(DistinguoError, match=message):
            learn(rows, labels, sample_weight=weight)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"coef_init": np.ones((1, 3))}, r"coef_init must be finite numbers of shape \(3, 3\); it has shape \(1, 3\)"),
        ({"coef_init": np.full((3, 3), np.nan)}, "coef_init must be finite numbers"),
        ({"intercept_init": 1.0}, r"intercept_init must be finite numbers of shape \(3,\); it has shape \(\)"),
        ({"intercept_init": ["a", "b", "c"]}, "intercept_init must be numbers"),
        ({"coef_init": np.full((3, 3), 1e200)}, "coef_init or intercept_init is more than 1e.140 steps of eta0=1.0"),
    ],
)
def test_bad_starts(start, message):
    with pytest.raises(DistinguoError, match=message):
        Perceptron().fit(X, Y, **start)


def test_columns_that_say_nothing_and_more_columns_than_rows_are_no_trouble():
    X, y = clouds(0, gap=0.5)
    padded = np.column_stack([X, np.zeros(len(y)), np.ones(len(y))])
    model = Perceptron(max_iter=1000).fit(padded, y)
    assert model.status_ == "separated"
    assert model.coef_[0, 2] == 0
    assert model.coef_[0, 3] == model.intercept_[0]
    wide = np.random.default_rng(0).normal(size=(20, 60))
    assert Perceptron().fit(wide, y[:20]).status_ == "separated"
    assert Perceptron(max_iter=3).fit(np.zeros((4, 2)), ["a", "a", "b", "a"]).predict([[1.0, 2.0]]) == ["a"]
