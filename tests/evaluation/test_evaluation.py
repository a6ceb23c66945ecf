"""The metrics are scikit-learn's; the object around them prints, tabulates and says what it leaves out."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import Evaluation, KNeighborsClassifier, LinearDiscriminantAnalysis, evaluate
from distinguo.catalogue import CATALOGUE, Entry
from distinguo.hyperplane import decide

NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])


def rows(K: int, n: int = 90, seed: int = 0, digits: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, probabilities with ties among them, and whole weights, some of them zero."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    shares = rng.integers(1, 10**digits // 2, (n, K)) + 10**digits * (codes[:, None] == np.arange(K)) // 2
    weight = rng.integers(0, 4, n)
    weight[:K] = 1
    return NAMES[codes], shares / shares.sum(axis=1, keepdims=True), weight


def values(found: Evaluation) -> dict[Any, float | None]:
    return {(e.metric, e.label): e.value for e in found.estimates}


def by_scikit_learn(y: np.ndarray, p: np.ndarray, weight: np.ndarray) -> dict[Any, float]:
    """Every metric by scikit-learn; specificity is the recall of the other classes, taken together."""
    classes = np.unique(y)
    K = len(classes)
    predicted = classes[p.argmax(axis=1)] if K > 2 else classes[(p[:, 1] >= p[:, 0]).astype(int)]
    w = {"sample_weight": weight}
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, predicted, labels=classes, **w)
    specificity = [metrics.recall_score(y != c, predicted != c, **w) for c in classes]
    own = [y == c for c in classes]
    roc = [metrics.roc_auc_score(o, p[:, k], **w) for k, o in enumerate(own)]
    pr = [metrics.average_precision_score(o, p[:, k], **w) for k, o in enumerate(own)]
    found = {
        "accuracy": metrics.accuracy_score(y, predicted, **w),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted, **w),
        "macro_precision": precision.mean(),
        "macro_specificity": np.mean(specificity),
        "macro_f1": metrics.f1_score(y, predicted, average="macro", **w),
        "mcc": metrics.matthews_corrcoef(y, predicted, **w),
        "kappa": metrics.cohen_kappa_score(y, predicted, **w),
        "macro_roc_area": np.mean(roc),
        "macro_pr_area": np.mean(pr),
        "log_loss": metrics.log_loss(y, p, labels=classes, **w),
        "brier": metrics.brier_score_loss(
            y, p if K > 2 else p[:, 1], **w, **({} if K > 2 else {"pos_label": classes[1]})
        ),
    }
    # scikit-learn takes no weights for pairs of classes; rows written out are the same.
    again = np.repeat(np.arange(len(y)), weight)
    found["hand_till"] = metrics.roc_auc_score(y[again], p[again], multi_class="ovo") if K > 2 else roc[0]
    each = {
        "precision": precision,
        "recall": recall,
        "specificity": specificity,
        "f1": f1,
        "roc_area": roc,
        "pr_area": pr,
    }
    return {(k, None): v for k, v in found.items()} | {
        (name, str(c)): v for name, column in each.items() for c, v in zip(classes, column, strict=True)
    }


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_metric_is_scikit_learns(K: int, weighted: bool) -> None:
    y, p, weight = rows(K)
    if not weighted:
        weight = np.ones(len(y), dtype=int)
    found = values(Evaluation.of(y, p, sample_weight=weight if weighted else None, n_bootstrap=0))
    expected = by_scikit_learn(y, p, weight)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-12), key


@given(st.integers(2, 5), st.integers(0, 10_000))
def test_weights_are_repetition_and_order_does_not_matter(K: int, seed: int) -> None:
    y, p, weight = rows(K, 40, seed, digits=1)
    weighted = Evaluation.of(y, p, sample_weight=weight, n_bootstrap=0)
    written = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), weight))
    classes = np.random.default_rng(seed).permutation(K)
    chosen = NAMES[decide(p)]  # ties go by the order of the classes
    other = Evaluation.of(y[written], p[written][:, classes], NAMES[classes], predicted=chosen[written], n_bootstrap=0)
    a, b = values(weighted), values(other)
    assert a.keys() == b.keys()
    for key in a:
        assert a[key] == pytest.approx(b[key], rel=1e-10), key
    assert weighted.weight == other.weight == weight.sum()
    assert weighted.n == np.count_nonzero(weight)


# Penalties by cross-validation take their time, and are logistic regression once more.
ENTRIES = [entry for entry in CATALOGUE if entry.name not in {"ridge-logistic", "text-logistic"}]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning")
def test_every_model_gets_what_its_answers_allow(entry: Entry) -> None:
    X, y = load_iris(return_X_y=True)
    found = evaluate(entry.make().fit(X[::2], y[::2]), X[1::2], y[1::2], n_bootstrap=20)
    there = {e.metric for e in found.estimates}
    assert {"accuracy", "mcc", "recall"} <= there
    assert ("log_loss" in there) == ("brier" in there) == (found.brier_split is not None) == entry.probabilities
    assert "roc_area" in there
    assert ("log_density" in there) == entry.density
    json.dumps(found.to_dict(), allow_nan=False)


def test_models_of_scikit_learn_and_tables_are_taken() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names[y]
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).fit(X[::2], names[::2])
    found = evaluate(model, X[1::2], pd.Series(names[1::2]), n_bootstrap=0)
    assert found["accuracy"].value == pytest.approx(model.score(X[1::2], names[1::2]))
    assert found["log_density"].value == pytest.approx(model.score_samples(X[1::2]).mean())
    assert found.classes == ("setosa", "versicolor", "virginica")


def test_the_positive_class_is_the_second_unless_another_is_named() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X[::2], y[::2])
    second = evaluate(model, X[1::2], y[1::2], n_bootstrap=0)
    first = evaluate(model, X[1::2], y[1::2], n_bootstrap=0, positive=0)
    predicted = model.predict(X[1::2])
    assert second.positive == 1
    assert second["recall"].value == metrics.recall_score(y[1::2], predicted)
    assert first["recall"] == second["recall", 0]
    assert first["precision"].value == metrics.precision_score(y[1::2], predicted, pos_label=0)
    assert first["recall"].value == second["specificity"].value
    assert str(first).index("\n0 ") < str(first).index("\n1 ") < str(first).index("true \\ predicted")


def test_rows_left_without_an_answer_count_as_wrong() -> None:
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(7, doubt=0.9).fit(X[::2], y[::2])
    found = evaluate(model, X[1::2], y[1::2], n_bootstrap=50)
    predicted = model.predict(X[1::2])
    doubtful = np.array([label is None for label in predicted])
    assert doubtful.sum() == found.confusion.counts[:, 3].sum() > 0
    assert found.confusion.predicted == (0, 1, 2, None)
    # scikit-learn, to which no answer is one more label
    as_label = np.where(doubtful, 3, predicted).astype(int)
    assert found["accuracy"].value == pytest.approx(model.score(X[1::2], y[1::2]))
    assert found["mcc"].value == pytest.approx(metrics.matthews_corrcoef(y[1::2], as_label))
    assert found["kappa"].value == pytest.approx(metrics.cohen_kappa_score(y[1::2], as_label))
    assert found["accuracy"].low < found["accuracy"].value < found["accuracy"].high
    assert "without an answer: " in str(found)
    assert "(no answer)" in str(found.confusion)


def test_labels_without_probabilities() -> None:
    y, p, _ = rows(3)
    full = Evaluation.of(y, p, n_bootstrap=0)
    labels = Evaluation.of(y, predicted=NAMES[p.argmax(axis=1)], n_bootstrap=0)
    for e in labels.estimates:
        assert e == full[e.metric, e.label]
    assert {e.metric for e in full.estimates} - {e.metric for e in labels.estimates} == {
        "macro_roc_area", "macro_pr_area", "hand_till", "log_loss", "brier", "roc_area", "pr_area",
    }  # fmt: skip


def test_scores_rank_rows_where_there_are_no_probabilities() -> None:
    y, p, _ = rows(2)
    lead = np.log(p[:, 1] / p[:, 0])
    found = Evaluation.of(y, scores=lead, classes=["ant", "bee"], n_bootstrap=0)
    assert found["roc_area"].value == pytest.approx(metrics.roc_auc_score(y == "bee", lead))
    assert found["accuracy"].value == Evaluation.of(y, p, n_bootstrap=0)["accuracy"].value
    assert found.brier_split is None


@pytest.mark.parametrize("K", [2, 4])
def test_a_prevalence_is_what_class_weights_make_of_the_test_rows(K: int) -> None:
    """Rows written out so that classes have the stated shares: scikit-learn's metrics of these are ours."""
    y, p, _ = rows(K)
    counts = np.array([(y == c).sum() for c in NAMES[:K]])
    wanted = np.arange(1, K + 1) / np.arange(1, K + 1).sum()
    stated = dict(zip(NAMES[:K].tolist(), wanted.tolist(), strict=True))
    found = Evaluation.of(y, p, prevalence=stated, n_bootstrap=0)
    assert found.prevalence == pytest.approx(wanted)
    weight = (wanted / counts)[np.searchsorted(NAMES[:K], y)] * len(y)
    expected = by_scikit_learn(y, p, np.ones(len(y), dtype=int)) | by_scikit_learn_weighted(y, p, weight)
    for key, value in expected.items():
        assert found[key].value == pytest.approx(value, rel=1e-10), key
    assert found.confusion.counts.sum() == len(y)
    shifted = found.confusion.at(stated)
    assert shifted.counts.sum(axis=1) == pytest.approx(wanted)
    for k, name in enumerate(NAMES[:K].tolist()):
        assert shifted.column_shares[k, k] == pytest.approx(found["precision", name].value)
        assert shifted.row_shares[k] == pytest.approx(found.confusion.row_shares[k])


def by_scikit_learn_weighted(y: np.ndarray, p: np.ndarray, weight: np.ndarray) -> dict[Any, float]:
    """What depends on how common classes are, by weights that are no counts."""
    found = by_scikit_learn(y, p, np.ones(len(y), dtype=int)).keys()
    classes = np.unique(y)
    predicted = classes[p.argmax(axis=1)] if len(classes) > 2 else classes[(p[:, 1] >= p[:, 0]).astype(int)]
    w = {"sample_weight": weight}
    precision, _, f1, _ = metrics.precision_recall_fscore_support(y, predicted, labels=classes, **w)
    pr = [metrics.average_precision_score(y == c, p[:, k], **w) for k, c in enumerate(classes)]
    roc = [metrics.roc_auc_score(y == c, p[:, k], **w) for k, c in enumerate(classes)]
    specificity = [metrics.recall_score(y != c, predicted != c, **w) for c in classes]
    one = {} if len(classes) > 2 else {"pos_label": classes[1]}
    overall = {
        "accuracy": metrics.accuracy_score(y, predicted, **w),
        "macro_precision": precision.mean(),
        "macro_f1": f1.mean(),
        "macro_specificity": np.mean(specificity),
        "mcc": metrics.matthews_corrcoef(y, predicted, **w),
        "kappa": metrics.cohen_kappa_score(y, predicted, **w),
        "macro_roc_area": np.mean(roc),
        "macro_pr_area": np.mean(pr),
        "log_loss": metrics.log_loss(y, p, labels=classes, **w),
        "brier": metrics.brier_score_loss(y, p if len(classes) > 2 else p[:, 1], **w, **one),
    }
    each = {"precision": precision, "f1": f1, "pr_area": pr, "roc_area": roc, "specificity": specificity}
    result = {(k, None): v for k, v in overall.items()} | {
        (name, str(c)): v for name, column in each.items() for c, v in zip(classes, column, strict=True)
    }
    assert result.keys() <= found
    return result


def test_one_number_is_the_prevalence_of_the_positive_class() -> None:
    # Of the lectures' base rates: sensitivity .9, false alarms .08, prevalence .02 make a predictive value of .1867.
    y = np.repeat(["ill", "well"], [100, 100])
    said = np.concatenate([np.repeat(["ill", "well"], [90, 10]), np.repeat(["ill", "well"], [8, 92])])
    found = Evaluation.of(y, predicted=said, prevalence=0.02, positive="ill", n_bootstrap=200)
    assert round(found["precision"].value, 4) == 0.1867
    assert found["precision"].low < 0.1867 < found["precision"].high
    assert found["recall"].value == 0.9
    assert round(float(found.confusion.at({"ill": 0.02, "well": 0.98}).column_shares[0, 0]), 4) == 0.1867
    assert found.confusion.at(0.98).counts == pytest.approx(found.confusion.at([0.02, 0.98]).counts)
    assert "prevalence of ill 0.02, well 0.98" in str(found)


def test_it_prints_tabulates_and_serialises() -> None:
    y, p, weight = rows(3)
    found = Evaluation.of(y, p, sample_weight=weight, n_bootstrap=100)
    text = str(found)
    counted = f"{np.count_nonzero(weight)} rows (weight {weight.sum()}), 3 classes"
    assert text.splitlines()[0] == f"{counted}; 95 % intervals from 100 resamples of each class"
    for word in ("accuracy", "Hand-Till area", "bee", "true \\ predicted", "within bins"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 120
    assert repr(found) == text
    frame = found.to_frame()
    assert len(frame) == len(found.rows()) == 12 + 6 * 3
    assert frame.dtypes["value"] == frame.dtypes["low"] == np.float64
    assert frame.loc[frame.metric == "recall", "label"].tolist() == ["ant", "bee", "cat"]
    assert "<table>" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["confusion"]["counts"] == found.confusion.counts.tolist()
    assert {m["metric"]: m["value"] for m in plain["metrics"]}["mcc"] == found["mcc"].value
    again = Evaluation.of(y, p, sample_weight=weight, n_bootstrap=100)
    assert again.to_dict() == found.to_dict()
    assert Evaluation.of(y, p, sample_weight=weight, n_bootstrap=100, random_state=1).to_dict() != found.to_dict()


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [True, False], ["a", 1], np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]"), [b"x", b"y"], [-1.0, 3.0]],
    ids=str,
)
def test_labels_of_any_type(labels: Any) -> None:
    y = [labels[0], labels[1], labels[1]]
    found = Evaluation.of(y, [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], labels, n_bootstrap=10)
    assert found["accuracy"].value == pytest.approx(2 / 3)
    assert found["recall", labels[1]].value == 0.5
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found)


def test_many_classes_are_cut_with_a_count_of_what_was_cut() -> None:
    rng = np.random.default_rng(0)
    K, n = 200, 2000
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    scores = rng.normal(size=(n, K)) + 3 * (y[:, None] == np.arange(K))
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    found = Evaluation.of(y, p, n_bootstrap=50)
    text = str(found)
    assert "12 classes of the least F1 out of 200" in text
    assert len(text.splitlines()) < 70
    least = sorted(e.value for e in found.estimates if e.metric == "f1")
    assert f"{least[0]:.3f}" in text
    assert len(found.confusion.largest(5)) == 5
    assert len(found.rows()) == 12 + 6 * K
    # scikit-learn would take a minute for all the pairs of 200 classes.
    few = y < 12
    shares = p[few, :12] / p[few, :12].sum(axis=1, keepdims=True)
    pairs = metrics.roc_auc_score(y[few], shares, multi_class="ovo")
    assert Evaluation.of(y[few], shares, n_bootstrap=0)["hand_till"].value == pytest.approx(pairs, rel=1e-10)


def test_confusion_matrix_as_rows() -> None:
    matrix = Evaluation.of(["a", "a", "b"], predicted=["a", "b", "b"], classes=["a", "b", "c"], n_bootstrap=0).confusion
    cells = {(row["true"], row["predicted"]): row for row in matrix.rows()}
    assert cells["a", "b"]["count"] == 1
    assert cells["a", "b"]["row_share"] == cells["a", "b"]["column_share"] == 0.5
    assert cells["c", "a"]["row_share"] is None
    assert cells["b", "c"]["column_share"] is None
    assert matrix.to_frame().shape == (9, 5)
    assert matrix.to_dict()["row_shares"][2] == [None, None, None]
    assert matrix.largest() == [("a", "b", 1.0)]
