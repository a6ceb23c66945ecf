"""One versus one: duels, circles, and what couples them."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn import multiclass
from sklearn.datasets import load_iris, make_blobs
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split

from distinguo import LinearDiscriminantAnalysis, OneVsOneClassifier
from tests.linear.oracles import TRAINING, Reading, WithProbabilities, WithScores, row

NAMES = ["A", "B", "C"]
# A beats B, B beats C, C beats A: the mean probabilities are .45, .5, .55.
CIRCLE = row(0, {(0, 1): 0.6, (1, 2): 0.6, (2, 0): 0.7})


def fitted(estimator, **options):
    return OneVsOneClassifier(estimator, **options).fit(TRAINING, NAMES)


def test_the_lectures_votes():
    # Lecture on logistic regression, one-vs-one: A beats B and C, C beats B; A has 2 votes, C has 1.
    model = fitted(Reading())
    rows = [row(0, {(0, 1): 0.9, (2, 1): 0.9, (0, 2): 0.9})]
    assert len(model.estimators_) == 3
    assert model.pairs_.tolist() == [["A", "B"], ["A", "C"], ["B", "C"]]
    assert model.votes(rows).tolist() == [[2, 0, 1]]
    assert model.predict(rows).tolist() == ["A"]
    assert not model.ambiguous(rows).any()


def test_the_lectures_iris():
    # Lecture on logistic regression: two sepal columns, C = 1, 24 / 6 of 30 stratified, .733 of the test rows.
    X, y = load_iris(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X[:, :2], y, test_size=0.2, stratify=y, random_state=0)
    model = OneVsOneClassifier(LogisticRegression(C=1.0)).fit(train, y_train)
    assert (model.predict(test) == y_test).sum() == 22


def test_a_circle_is_ambiguous():
    model = fitted(WithProbabilities())
    assert model.votes([CIRCLE]).tolist() == [[1, 1, 1]]
    assert model.ambiguous([CIRCLE]).tolist() == [True]
    assert model.predict([CIRCLE]).tolist() == ["C"]
    assert model.decision_function([CIRCLE])[0] == pytest.approx(1 + 2 / 3 * np.array([-0.05, 0.0, 0.05]))


def test_most_votes_may_still_contradict():
    # Five classes: 0 beats 1, 2 and 3 and loses to 4, which loses to all others; the rest go in a circle.
    wins = {
        (0, 1): 1,
        (0, 2): 1,
        (0, 3): 1,
        (4, 0): 1,
        (1, 4): 1,
        (2, 4): 1,
        (3, 4): 1,
        (1, 2): 1,
        (2, 3): 1,
        (3, 1): 1,
    }
    training = np.stack([row(k, K=5) for k in range(5)])
    model = OneVsOneClassifier(Reading()).fit(training, range(5))
    rows = [row(0, wins, K=5)]
    assert model.votes(rows).tolist() == [[3, 2, 2, 2, 1]]
    assert model.predict(rows).tolist() == [0]
    assert model.ambiguous(rows).tolist() == [True]


@pytest.mark.parametrize("estimator", [WithProbabilities(), WithScores()])
def test_the_highest_score_is_the_class(estimator):
    chances = np.random.default_rng(0).uniform(0.01, 0.99, (50, 3))
    rows = np.stack([row(0, dict(zip([(0, 1), (0, 2), (1, 2)], p, strict=True))) for p in chances])
    model = fitted(estimator)
    assert model.ambiguous(rows).any()
    assert np.array_equal(model.predict(rows), model.classes_[model.decision_function(rows).argmax(axis=1)])


def test_probabilities_minimise_the_disagreement():
    duels = {(0, 1): 0.8, (0, 2): 0.4, (1, 2): 0.3}
    rows = [row(0, duels)]
    found = minimize(
        lambda q: sum(((1 - r) * q[i] - r * q[j]) ** 2 for (i, j), r in duels.items()),
        np.full(3, 1 / 3),
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
        options={"ftol": 1e-15},
    )
    assert fitted(WithProbabilities()).predict_proba(rows)[0] == pytest.approx(found.x, abs=1e-7)


def test_duels_of_one_model_give_its_probabilities_back():
    rng = np.random.default_rng(0)
    z = rng.normal(0, 3, (20, 3))
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    rows = [row(0, {(i, j): q[i] / (q[i] + q[j]) for i, j in [(0, 1), (0, 2), (1, 2)]}) for q in p]
    assert fitted(WithProbabilities()).predict_proba(rows) == pytest.approx(p, rel=1e-7)


def five_classes_in_no_order():
    """Rows whose labels say nothing, so that the lines between them cross anywhere, and rows all around."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 2)), rng.integers(0, 5, 60), 3 * rng.normal(size=(300, 2))


@pytest.mark.parametrize("estimator", [RidgeClassifier(), LogisticRegression()])
def test_votes_and_labels_as_in_scikit_learn(estimator):
    X, y, new = five_classes_in_no_order()
    ours = OneVsOneClassifier(estimator).fit(X, y)
    theirs = multiclass.OneVsOneClassifier(estimator).fit(X, y)
    clear = ~ours.ambiguous(new)
    assert 0 < clear.sum() < len(new)
    assert np.array_equal(ours.predict(new)[clear], theirs.predict(new)[clear])
    assert np.array_equal(ours.votes(new), theirs.decision_function(new).round())


def test_without_probabilities_the_scores_are_scikit_learns():
    X, y, new = five_classes_in_no_order()
    ours = OneVsOneClassifier(RidgeClassifier()).fit(X, y)
    theirs = multiclass.OneVsOneClassifier(RidgeClassifier()).fit(X, y)
    assert ours.decision_function(new) == pytest.approx(theirs.decision_function(new), rel=1e-12)
    assert np.array_equal(ours.predict(new), theirs.predict(new))


def test_each_duel_sees_its_two_classes_only():
    X, y = make_blobs(90, centers=3, random_state=0)
    model = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    for (first, second), binary in zip(model.pairs_, model.estimators_, strict=True):
        own = np.isin(y, [first, second])
        alone = LinearDiscriminantAnalysis().fit(X[own], y[own] == second)
        assert np.array_equal(binary.predict_proba(X), alone.predict_proba(X))
