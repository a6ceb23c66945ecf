"""Models compared from Python: the same figures as by hand, whatever the order, and nothing of the rows held out."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from distinguo import Costs, CostSensitive, LinearDiscriminantAnalysis, MixedNB, compare
from distinguo.catalogue import COMPARED
from distinguo.resampling import monte_carlo, repeated_folds

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "rosé", "white"])[CODES]
SCALED = make_pipeline(StandardScaler(), LogisticRegression())


def figures(comparison) -> list:
    """Everything but what was measured by a clock."""
    document = comparison.to_dict()
    for row in document["models"]:
        del row["fit_ms"], row["predict_us"], row["memory_mb"]
    return document


def test_figures_are_scikit_learns_on_the_same_folds() -> None:
    comparison = compare({"mine": SCALED}, X, Y, folds=4, repeats=3, random_state=5, memory=False)
    splits = repeated_folds(CODES, folds=4, repeats=3, random_state=5)
    accuracies, losses = [], []
    for repeat in range(3):
        p = np.empty((len(Y), 3))
        for split in splits[4 * repeat : 4 * repeat + 4]:
            p[split.test] = SCALED.fit(X[split.train], Y[split.train]).predict_proba(X[split.test])
        accuracies.append(accuracy_score(Y, np.unique(Y)[p.argmax(axis=1)]))
        losses.append(log_loss(Y, p))
    table = comparison.table
    assert table.model.tolist() == ["mine", "majority"]
    assert table.accuracy[0] == pytest.approx(np.mean(accuracies), rel=1e-12)
    assert table.log_loss[0] == pytest.approx(np.mean(losses), rel=1e-12)
    assert (comparison.best, comparison.folds, comparison.n) == ("mine", 4, 178)
    assert comparison.classes == {"red": 59, "rosé": 71, "white": 48}


def test_without_models_the_catalogues_are_compared() -> None:
    rows = np.flatnonzero(np.arange(len(Y)) % 4 == 0)
    comparison = compare(None, X[rows], Y[rows], folds=2, repeats=1, memory=False)
    names = {result.name for result in comparison.results}
    assert names == {"majority", *(entry.name for entry in COMPARED)}


@settings(max_examples=8)
@given(st.permutations(["lda", "qda", "knn", "perceptron", "gaussian-nb"]))
def test_the_order_of_models_does_not_matter(order: list[str]) -> None:
    rows = np.arange(0, len(Y), 2)
    asked = {"folds": 2, "repeats": 1, "memory": False}
    own = figures(compare(order, X[rows], Y[rows], **asked))
    assert own == figures(compare(sorted(order), X[rows], Y[rows], **asked))


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    # A forest without a random_state of its own differs from fit to fit; here it gets the comparison's.
    models = {"forest": RandomForestClassifier(10), "bayes": GaussianNB()}
    first, again, other = (compare(models, X, Y, random_state=seed, memory=False) for seed in (1, 1, 2))
    assert figures(first) == figures(again)
    assert figures(first)["models"] != figures(other)["models"]


class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers the rows it was fitted on, in a list that outlives clones, and the classes it saw."""

    def __init__(self, seen=None):  # type: ignore[no-untyped-def]
        self.seen = seen

    def fit(self, X, y):  # type: ignore[no-untyped-def]
        SEEN.append(np.asarray(X)[:, 0].astype(int))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):  # type: ignore[no-untyped-def]
        SEEN.append(np.asarray(X)[:, 0].astype(int))
        return np.full(len(X), self.classes_[0])


SEEN: list[np.ndarray] = []


@pytest.mark.parametrize("scheme", [{"folds": 3, "repeats": 2}, {"scheme": "monte-carlo", "repeats": 4}])
def test_no_model_sees_the_rows_held_out_while_it_learns(scheme: dict) -> None:
    SEEN.clear()
    numbered = np.column_stack([np.arange(len(Y)), X])
    compare(
        {"tuned": GridSearchCV(Spy(), {"seen": [1, 2]}, cv=2, scoring="accuracy")}, numbered, Y, memory=False, **scheme
    )
    splits = repeated_folds(CODES, **scheme) if "folds" in scheme else monte_carlo(CODES, repeats=4)
    # For each split: candidates of the search, its last fit, then the rows held out and some of those learned from.
    calls = iter(SEEN)
    for split in splits:
        learned: set[int] = set()
        for rows in calls:
            if set(rows) == set(split.test):
                break
            learned |= set(rows)
        assert learned == set(split.train)
        if split is splits[0]:
            assert set(next(calls)) == set(split.train)


def test_tuned_models_are_tuned_within_each_fold() -> None:
    noise = np.random.default_rng(0).normal(size=(60, 40))
    y = np.arange(60) % 2
    trees = GridSearchCV(DecisionTreeClassifier(max_depth=2, max_features=1), {"random_state": list(range(25))}, cv=3)
    table = compare({"search": trees}, noise, y, repeats=2, memory=False).table
    # The best of 25 by chance looks better than chance, nested it does not.
    assert trees.fit(noise, y).best_score_ > 0.6
    assert abs(table.accuracy[table.model.tolist().index("search")] - 0.5) < 0.1


def test_weights_are_frequencies() -> None:
    # Rows of weight two equal the row twice, once folds are the same.
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, len(Y)).astype(float)
    comparison = compare({"mine": LinearDiscriminantAnalysis(), "theirs": SCALED}, X, Y, sample_weight=weight)
    assert comparison.n == weight.sum()
    splits = repeated_folds(CODES)
    expected = []
    for split in splits:
        times = weight[split.train].astype(int)
        model = LinearDiscriminantAnalysis().fit(
            np.repeat(X[split.train], times, axis=0), np.repeat(Y[split.train], times)
        )
        right = model.predict(X[split.test]) == Y[split.test]
        expected.append(np.average(right, weights=weight[split.test]))
    mine = next(result.measured for result in comparison.results if result.name == "mine")
    assert mine.accuracies == pytest.approx(expected)
    assert not [result.reason for result in comparison.results if result.reason]
    none = weight.copy()
    none[::3] = 0
    left = compare(["lda"], X, Y, sample_weight=none, memory=False)
    assert figures(left) == figures(
        compare(["lda"], X[none > 0], Y[none > 0], sample_weight=none[none > 0], memory=False)
    )


def test_models_without_weights_are_told_of_with_their_reason() -> None:
    comparison = compare([KNeighborsClassifier(), "lda"], X, Y, sample_weight=np.ones(len(Y)), memory=False)
    assert comparison.to_dict()["excluded"] == {"KNeighborsClassifier": "takes no sample_weight"}


def test_labels_are_judged_as_the_model_names_them() -> None:
    """Not as its probabilities would have it: costs and rejection count."""
    costs = Costs([[0, 1, 1], [1, 0, 1], [1, 1, 0]], ["red", "rosé", "white"])
    models = {
        "plain": LinearDiscriminantAnalysis(),
        "choosy": CostSensitive(LinearDiscriminantAnalysis(), costs, reject=1e-6),
    }
    measured = {r.name: r.measured for r in compare(models, X, Y, memory=False).results}
    assert measured["choosy"].quality.log_loss == measured["plain"].quality.log_loss
    assert measured["choosy"].quality.accuracy < measured["plain"].quality.accuracy
    held_out = measured["choosy"].held_out
    undecided = held_out.predicted < 0
    assert (held_out.probabilities[undecided].max(axis=1) < 1 - 1e-6).all()
    assert undecided.any()


@pytest.mark.parametrize(
    "labels",
    [[1.0, 2.0, 3.0], [True, False, True], ["a", 1, "b"], list(np.arange("2024-01", "2024-04", dtype="M8[M]"))],
)
def test_labels_of_any_type(labels: list) -> None:
    y = [labels[k] for k in CODES]
    models = {"lda": "lda", "perceptron": "perceptron", "theirs": GaussianNB()}
    comparison = compare(models, X, y, folds=2, repeats=1, memory=False)
    assert set(comparison.classes) == set(labels)
    assert comparison.table.model[-1] == "perceptron"
    assert json.loads(json.dumps(comparison.to_dict()))["rows"] == 178
    if "a" in labels:  # scikit-learn's models know labels of one type
        assert comparison.to_dict()["excluded"].keys() == {"theirs"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "list", "sparse"])
def test_rows_of_any_container(kind: str) -> None:
    from scipy import sparse

    names = [f"x{j}" for j in range(13)]
    rows = {
        "pandas": lambda: pd.DataFrame(X, columns=names),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "list": X.tolist,
        "sparse": lambda: sparse.csr_array(X),
    }[kind]()
    comparison = compare(["lda"], rows, Y, memory=False)
    assert comparison.table.accuracy.tolist() == compare(["lda"], X, Y, memory=False).table.accuracy.tolist()


def test_columns_of_words_are_for_models_that_take_them() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 9] > 5, "dark", "light")})
    comparison = compare({"lda": "lda", "mixed": MixedNB()}, frame, Y, memory=False)
    assert comparison.best == "mixed"
    assert "number" in comparison.to_dict()["excluded"]["lda"]  # older pandas keeps words as objects, told cell by cell


def test_holes_are_for_models_that_take_them() -> None:
    holed = X.copy()
    holed[3, 2] = np.nan
    comparison = compare(["lda", "knn"], holed, Y, memory=False)
    assert comparison.best == "lda"
    assert comparison.to_dict()["excluded"] == {"knn": "takes no missing cells, and column 2 has one in row 3"}


def test_where_no_model_can_take_part_there_is_no_best() -> None:
    comparison = compare({"svm": SVC(kernel="nonsense")}, X, Y, memory=False)
    assert comparison.best is None
    assert comparison.differences is None
    assert "svm is not compared: " in str(comparison)
