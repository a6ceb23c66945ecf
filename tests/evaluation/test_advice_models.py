"""Coded warnings about models: each is told where there is cause, and none where there is not."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.neighbors import KNeighborsClassifier as PeerKNN
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from distinguo import Calibrated, GaussianNB, KNeighborsClassifier, LinearDiscriminantAnalysis, MixedNB, compare
from distinguo.evaluation.checks.advice import advice
from tests.evaluation.advice_cases import RNG, N, X, Y, codes, sentence, with_column


def test_c3_models_that_are_no_better_than_the_baseline() -> None:
    noise = np.random.default_rng(0).normal(size=(60, 30))
    comparison = compare(["lda", "gaussian-nb"], noise, np.arange(60) % 2, memory=False)
    text = sentence(comparison.advice, "C3")
    assert text.startswith("no model is better than the commonest class, always: ")
    assert "lda (log loss " in text
    good = compare(["lda"], X, Y, memory=False)
    assert "C3" not in codes(good.advice)


def test_c3_models_without_probabilities_are_judged_by_accuracy() -> None:
    rng = np.random.default_rng(0)
    y = (np.arange(300) % 5 == 0).astype(int)
    models = {"svm": LinearSVC(class_weight="balanced"), "lda": "lda"}
    text = sentence(compare(models, rng.normal(size=(300, 3)) + 0.5 * y[:, None], y, memory=False).advice, "C3")
    assert text.startswith("not better than the commonest class, always: svm (accuracy ")
    assert "lda" not in text


def test_c3_not_of_models_that_are_right_with_probabilities_that_are_wrong() -> None:
    near = compare({"near": PeerKNN(1)}, X, Y, memory=False)
    measured = {r.name: r.measured.quality for r in near.results}
    assert measured["near"].log_loss > measured["majority"].log_loss
    assert codes(near.advice) == ["C8"]


def test_c4_a_model_that_knows_its_rows_by_heart() -> None:
    wide = np.random.default_rng(0).normal(size=(120, 60)) + (np.arange(120) % 2)[:, None] * 0.15
    models = {"lda": "lda", "tree": DecisionTreeClassifier()}
    text = sentence(compare(models, wide, np.arange(120) % 2, memory=False).advice, "C4")
    assert text.startswith("right far more often of the rows learned from than of rows held out: lda (")
    assert "tree (1.00 of its own, " in text


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(20),
        BaggingClassifier(DecisionTreeClassifier()),
        PeerKNN(1),
        KNeighborsClassifier(1, standardize=True),
    ],
)
def test_c4_not_of_models_that_know_their_rows_by_design(model) -> None:
    rows = X + np.random.default_rng(1).normal(size=X.shape)
    comparison = compare({"it": model, "piped": make_pipeline(StandardScaler(), model)}, rows, Y, memory=False)
    assert next(r.measured for r in comparison.results if r.name == "it").train_accuracy > 0.95
    assert "C4" not in codes(comparison.advice)


# Neighbours of unscaled columns (C7)

UNEQUAL = X * [1000.0, 1.0, 1.0, 1.0, 1.0]
AS_GIVEN = {
    "theirs": PeerKNN(),
    "ours": KNeighborsClassifier(),
    "tuned": GridSearchCV(PeerKNN(), {"n_neighbors": [3, 5]}),
    "piped": make_pipeline("passthrough", PeerKNN()),
    "wrapped": Calibrated(KNeighborsClassifier()),
}
SCALED = {
    "standardized": KNeighborsClassifier(standardize=True),
    "after a scaler": make_pipeline(StandardScaler(), PeerKNN()),
    "tuned after a scaler": GridSearchCV(make_pipeline(StandardScaler(), PeerKNN()), {}),
    "by angles": PeerKNN(metric="cosine"),
    "of another kind": LinearDiscriminantAnalysis(),
}


def test_c7_neighbours_by_columns_of_large_numbers() -> None:
    found = advice(UNEQUAL, Y, models={**AS_GIVEN, **SCALED})
    assert codes(found) == ["C7"]
    text = sentence(found, "C7")
    assert all(name in text.split(":")[0] for name in AS_GIVEN)
    assert not any(name in text for name in SCALED)
    assert text.endswith("of the squared distances between rows come from column 0.")


@pytest.mark.parametrize("rows", [X, X * 1000, X[:, :1] * 1000, load_iris().data, load_digits().data])
def test_c7_not_where_columns_are_of_one_kind(rows: np.ndarray) -> None:
    y = np.arange(len(rows)) % 3
    assert codes(advice(rows, y, models=AS_GIVEN)) == []


def test_c7_compare_knows_its_models() -> None:
    wine = load_wine(return_X_y=True)
    assert codes(compare(["lda", PeerKNN()], *wine, memory=False).advice) == ["C7"]
    assert codes(compare(["lda", "knn"], *wine, memory=False).advice) == []


# Overconfidence


def test_c8_probabilities_that_are_too_high() -> None:
    repeated = np.repeat(X[:, :2], 6, axis=1)  # evidence counted six times
    models = {"naive": GaussianNB(), "mended": Calibrated(GaussianNB()), "lda": "lda"}
    comparison = compare(models, repeated + RNG.normal(0, 1e-3, repeated.shape), Y, memory=False)
    text = sentence(comparison.advice, "C8")
    assert text.startswith("surer than right: naive (")
    assert "mended" not in text
    assert "lda" not in text


# False alarms


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_tables_of_scikit_learn_raise_no_false_alarm(load) -> None:
    rows, y = load(return_X_y=True, as_frame=True)
    models = (
        {"lda": "lda", "knn": "knn", "logistic": "ridge-logistic"} if len(y) < 600 else {"lda": "lda", "knn": "knn"}
    )
    assert codes(compare(models, rows, y, repeats=1, memory=False).advice) == []


def test_naive_bayes_of_correlated_columns_is_rightly_warned_of() -> None:
    # The measures of a cell nucleus come thrice and hang together: 99 % sure on average, and right of 93 %.
    found = compare(["gaussian-nb"], *load_breast_cancer(return_X_y=True), repeats=1, memory=False).advice
    assert codes(found) == ["C8"]


def test_models_of_clean_tables_raise_no_false_alarm() -> None:
    models = {"lda": "lda", "naive": PeerNB(), "near": make_pipeline(StandardScaler(), PeerKNN(15))}
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.arange(240) % 3
        rows = rng.normal(size=(240, 4)) + 1.5 * np.eye(3, 4)[y]
        found += compare(models, rows, y, repeats=1, memory=False).advice
    assert found == []


def test_columns_of_words_for_a_model_of_words() -> None:
    frame = with_column(np.where(RNG.random(N) < 0.7, Y, "unknown"))
    assert codes(compare({"mixed": MixedNB()}, frame, Y, memory=False).advice) == []


def test_cells_that_are_missing_or_infinite_do_no_harm() -> None:
    rows = X.copy()
    rows[:, 0], rows[3, 1], rows[4, 1] = np.nan, np.inf, -np.inf
    assert codes(advice(rows, Y, models=AS_GIVEN)) == []
    empty = with_column([None] * N).assign(other=np.nan)
    assert codes(advice(empty, Y, models=AS_GIVEN)) == []


def test_order_of_models_and_weights() -> None:
    rows = np.repeat(X, 6, axis=1)
    first = compare({"a": PeerNB(), "b": GaussianNB()}, rows, Y, memory=False, sample_weight=np.ones(N))
    second = compare({"b": GaussianNB(), "a": PeerNB()}, rows, Y, memory=False)
    assert first.advice == second.advice
    assert codes(first.advice) == ["C8"]
