"""One versus the rest: claims, ambiguous regions, the class without a classifier."""

import numpy as np
import pytest
from sklearn import multiclass
from sklearn.datasets import load_iris, make_blobs
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from distinguo import OneVsRestClassifier
from tests.linear.oracles import TRAINING, Reading, WithProbabilities, WithScores, row

NAMES = ["A", "B", "C"]
# What the classifiers of A, B and C say: one claims the row, two do, none does.
CLAIMS = np.stack([row(0, rest=p) for p in ([0.2, 0.7, 0.4], [0.2, 0.7, 0.6], [0.1, 0.3, 0.4])])


def fitted(estimator, **options):
    return OneVsRestClassifier(estimator, **options).fit(TRAINING, NAMES)


def test_the_lectures_scores():
    # Lecture on logistic regression, one-vs-all: of the probabilities .2, .7, .5 the second class takes the row.
    model = fitted(WithProbabilities())
    assert model.predict([row(0, rest=[0.2, 0.7, 0.5])]).tolist() == ["B"]


def test_the_lectures_iris():
    # Lecture on logistic regression: two sepal columns, C = 1, 24 / 6 of 30 stratified, .733 of the test rows.
    X, y = load_iris(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X[:, :2], y, test_size=0.2, stratify=y, random_state=0)
    model = OneVsRestClassifier(LogisticRegression(C=1.0)).fit(train, y_train)
    assert (model.predict(test) == y_test).sum() == 22


def test_plain_votes_and_where_they_leave_it_open():
    model = fitted(Reading())
    assert model.votes(CLAIMS).tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 0]]
    assert model.ambiguous(CLAIMS).tolist() == [False, True, True]


def test_the_baseline_has_what_none_claims():
    model = fitted(WithProbabilities(), baseline="C")
    assert model.positive_classes_.tolist() == ["A", "B"]
    both = row(0, rest=[0.6, 0.7, 0.5])
    rows = [*CLAIMS, both]
    assert model.votes(rows).tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]
    assert model.ambiguous(rows).tolist() == [False, False, False, True]
    assert model.predict(rows).tolist() == ["B", "B", "C", "B"]
    p = model.predict_proba(rows)
    assert p[2] == pytest.approx(np.array([0.1, 0.3, 0.7]) / 1.1)
    assert p[3] == pytest.approx(np.array([0.6, 0.7, 0.3]) / 1.6)


@pytest.mark.parametrize("baseline", [None, "A", "B", "C"])
@pytest.mark.parametrize("estimator", [WithProbabilities(), WithScores()])
def test_the_highest_score_is_the_class(baseline, estimator):
    rows = np.stack([row(0, rest=p) for p in np.random.default_rng(0).uniform(0.01, 0.99, (50, 3))])
    model = fitted(estimator, baseline=baseline)
    best = model.classes_[model.decision_function(rows).argmax(axis=1)]
    assert np.array_equal(model.predict(rows), best)
    if isinstance(estimator, WithProbabilities):
        assert np.array_equal(model.classes_[model.predict_proba(rows).argmax(axis=1)], best)


def test_a_verdict_comes_before_a_score():
    class Strict(WithProbabilities):  # claims a row from .8 on
        def predict(self, X):
            return (self._chance(X) >= 0.8).astype(int)

    rows = [row(0, rest=[0.7, 0.85, 0.1]), row(0, rest=[0.7, 0.6, 0.1])]
    assert fitted(Strict()).votes(rows).tolist() == [[0, 1, 0], [0, 0, 0]]
    assert fitted(Strict()).predict(rows).tolist() == ["B", "A"]


def test_nothing_is_known_of_a_row_that_all_refuse_for_certain():
    p = fitted(WithProbabilities()).predict_proba([row(0, rest=[0.0, 0.0, 0.0])])
    assert p == pytest.approx(np.full((1, 3), 1 / 3))


@pytest.mark.parametrize("estimator", [LogisticRegression(), RidgeClassifier(), GaussianNB()])
def test_as_in_scikit_learn(estimator):
    X, y = make_blobs(120, centers=4, cluster_std=3.0, random_state=1)
    ours = OneVsRestClassifier(estimator).fit(X, y)
    theirs = multiclass.OneVsRestClassifier(estimator).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(estimator, "decision_function"):
        assert np.array_equal(ours.decision_function(X), theirs.decision_function(X))
    if hasattr(estimator, "predict_proba"):
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), rel=1e-12)


def test_of_two_classes_either_may_be_the_baseline():
    X, y = make_blobs(40, centers=2, cluster_std=4.0, random_state=0)
    first, second = (OneVsRestClassifier(LogisticRegression(), baseline=k).fit(X, y) for k in (0, 1))
    assert first.positive_classes_.tolist() == [1]
    assert second.positive_classes_.tolist() == [0]
    # The solver stops where the gradient is below 1e-4.
    assert second.decision_function(X) == pytest.approx(first.decision_function(X), abs=1e-3)
    assert second.predict_proba(X) == pytest.approx(first.predict_proba(X), abs=1e-3)
