"""What cannot be judged is refused by name; what is undefined is None with a reason, and no warning."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from distinguo import Evaluation, GaussianNB, LinearDiscriminantAnalysis, brier_split, evaluate, reliability
from distinguo.exceptions import InputError, InputTypeError, MissingLabelsError

Y = ["a", "b", "c", "a"]
P = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.4, 0.5, 0.1]]
JUDGES = [Evaluation.of, reliability, brier_split]


def changed(row: int, values: list[float]) -> list[list[float]]:
    return [values if i == row else given for i, given in enumerate(P)]


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.__name__)
@pytest.mark.parametrize(
    ("y", "probabilities", "options", "message"),
    [
        (Y, changed(2, [0.3, 0.3, 0.3]), {}, "must sum to 1 in every row; those of row 2 sum to 0.9"),
        (Y, changed(1, [-0.1, 1.0, 0.1]), {}, "between 0 and 1; row 1 gives 'a' -0.1"),
        (Y, changed(3, [np.nan, 0.5, 0.5]), {}, "between 0 and 1; row 3 gives 'a' nan"),
        (Y, changed(0, [np.inf, 0.0, 0.0]), {}, "between 0 and 1; row 0 gives 'a' inf"),
        (Y, np.array(P)[:, 0], {}, r"shape \(4,\), expected \(4, 3\)"),
        (Y, np.array(P)[:3], {}, r"shape \(3, 3\), expected \(4, 3\)"),
        (Y, np.array(P)[:, :2], {}, r"shape \(4, 2\), expected \(4, 3\): .* a column for each class \('a', 'b', 'c'\)"),
        (Y, P, {"classes": ["a", "b"]}, r"shape \(4, 3\), expected \(4, 2\)"),
        (Y, P, {"classes": ["a", "b", "a"]}, "classes has a label twice: 'a', 'b', 'a'"),
        (Y, P, {"classes": [1, 2, 3]}, r"none of the labels in y \('a', 'b', 'c'\) is among the classes \(1, 2, 3\)"),
        ([1, 2, 3, 1], P, {"classes": ["1", "2", "3"]}, "are they of the same type"),
        ([], np.empty((0, 3)), {"classes": ["a", "b", "c"]}, "y is empty"),
        (Y, P, {"sample_weight": [1, 1, 1]}, r"sample_weight.shape == \(3,\), expected \(4,\)"),
        (Y, P, {"sample_weight": [1, 1, -1, 1]}, "sample_weight is negative in row 2"),
        (Y, P, {"sample_weight": [1, 1, np.nan, 1]}, "sample_weight contains NaN"),
        (Y, P, {"sample_weight": np.zeros(4)}, "every sample_weight is zero"),
        ([0.5, 1.5, 1.0, 2.0], P, {}, "look like measurements"),
    ],
)
def test_refused_by_all(judge: Any, y: Any, probabilities: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        judge(y, probabilities, **options)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.__name__)
def test_types_refused_by_all(judge: Any) -> None:
    with pytest.raises(InputTypeError, match="probabilities must be numbers"):
        judge(Y, [["x", "y", "z"]] * 4)
    with pytest.raises(MissingLabelsError, match="1 missing label"):
        judge(["a", "b", None, "c"], P)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1}, "confidence=1 must lie between 0 and 1"),
        ({"confidence": "most"}, "confidence='most' must be a number"),
        ({"n_bootstrap": -1}, "n_bootstrap=-1 must be a whole number"),
        ({"n_bootstrap": 1.5}, "n_bootstrap=1.5 must be a whole number"),
        ({"random_state": "seed"}, "random_state='seed' must be"),
        ({"prevalence": 0.2}, "prevalence=0.2: a single number is for two classes"),
        ({"prevalence": "even"}, "prevalence='even' is not known"),
        ({"prevalence": [0.5, 0.5]}, r"prevalence has shape \(2,\) for 3 classes"),
        ({"prevalence": [0.5, 0.6, -0.1]}, "prevalence must be non-negative numbers; class 'c' has -0.1"),
        ({"prevalence": [0.5, 0.2, 0.2]}, "prevalence must sum to 1, and these sum to 0.9"),
        ({"prevalence": {"a": 0.5, "b": 0.5}}, "prevalence has no number for the class 'c'"),
        ({"prevalence": {"a": 0.5, "b": 0.2, "c": 0.2, "d": 0.1}}, "prevalence names the class 'd'"),
        ({"positive": "a"}, "positive='a' is for two classes, and there are 3"),
        ({"predicted": ["a", "b", "c"]}, "there are 3 predicted labels for 4 rows"),
        ({"predicted": ["a", "b", "c", "d"]}, "'d' is predicted, and is none of the classes; they are 'a', 'b', 'c'"),
        ({"scores": np.full((4, 3), np.nan)}, r"scores contain NaN \(row 0\)"),
        ({"scores": np.zeros(4)}, r"scores has shape \(4,\), expected \(4, 3\)"),
        ({"log_density": [0.0, 1.0]}, r"log_density has shape \(2,\)"),
        ({"log_density": [0.0, 1.0, np.nan, 0.0]}, r"log_density contains NaN \(row 2\)"),
    ],
)
def test_options_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation.of(Y, P, **options)


def test_two_classes_refuse_what_is_no_class() -> None:
    y, p = ["a", "b"], [[0.5, 0.5], [0.2, 0.8]]
    with pytest.raises(InputError, match="positive='c' is no class; they are 'a', 'b'"):
        Evaluation.of(y, p, positive="c")
    with pytest.raises(InputError, match="prevalence must be non-negative"):
        Evaluation.of(y, p, prevalence=1.5)
    with pytest.raises(InputError, match="class c is there, and no test row of it"):
        Evaluation.of(y, np.column_stack([p, [0, 0]]), ["a", "b", "c"], prevalence="uniform")
    with pytest.raises(InputError, match="nothing to judge"):
        Evaluation.of(y)


def test_models_refused() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        evaluate(LinearDiscriminantAnalysis(), X, y)
    with pytest.raises(InputError, match="LinearRegression has no classes_"):
        evaluate(LinearRegression().fit(X, y), X, y)
    with pytest.raises(InputError, match=r"shape \(150, 3\), expected \(149, 3\)"):
        evaluate(GaussianNB().fit(X, y), X, y[1:])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("auc", "'auc' is no metric; they are accuracy, "),
        ("recall", r"each class has its own recall: ask for evaluation\['recall', label\]"),
        (("recall", "z"), "there is no recall of 'z'; the classes are 'a', 'b', 'c'"),
        (("accuracy", "a"), "accuracy is of all classes together"),
        ("log_density", "there is no log_density: it takes what the model does not give"),
        (0, "0 is no metric"),
        (("recall", "a", "b"), "is no metric"),
        (["recall"], "is no metric"),
    ],
)
def test_metrics_that_are_not_there_are_named(key: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation.of(Y, P, n_bootstrap=0)[key]


def plain(found: Evaluation) -> str:
    """As JSON without a NaN; every number that is missing has a note."""
    for e in found.estimates:
        assert (e.value is None) <= (e.note is not None)
        assert (e.low is None) == (e.high is None)
    assert "nan" not in str(found)
    return json.dumps(found.to_dict(), allow_nan=False)


def test_a_single_row() -> None:
    found = Evaluation.of(["b"], [[0.2, 0.5, 0.3]], ["a", "b", "c"])
    plain(found)
    assert found["accuracy"].value == 1
    assert 0.2 < found["accuracy"].low < found["accuracy"].high == 1
    assert found["log_loss"].value == pytest.approx(np.log(2))
    assert found["log_loss"].note == "the same in every resample"
    assert (found["mcc"].value, found["mcc"].note) == (None, "one class alone is there, or is predicted")
    assert (found["recall", "a"].value, found["recall", "a"].note) == (None, "no row of this class")
    assert found["specificity", "b"].note == found["roc_area", "b"].note == "no row of another class"
    assert found["f1", "a"].note == "neither there nor predicted"
    assert found["hand_till"].note == "fewer than two classes that the model knows are there"
    assert "no test row of 'a', 'c'" in str(found)
    assert "1 row, 3 classes" in str(found)
    only = reliability(["b"], [[0.2, 0.5, 0.3]], ["a", "b", "c"])
    json.dumps(only.to_dict(), allow_nan=False)
    assert only.top.line.note == "the outcome always came"
    assert only.ece == pytest.approx(0.5)


def test_constant_scores() -> None:
    found = Evaluation.of(["a", "b", "b", "b"], np.full((4, 2), 0.5))
    plain(found)
    assert found["accuracy"].value == 0.75  # of two tied classes the second
    assert (found["mcc"].value, found["mcc"].note) == (None, "one class alone is there, or is predicted")
    assert found["kappa"].value == 0
    assert found["roc_area"].value == 0.5
    assert found["pr_area"].value == 0.75
    assert (found["precision", "a"].value, found["precision", "a"].note) == (None, "never predicted")
    assert found["macro_precision"].value == 0.75
    assert "never predicted: 'a'; the mean precision is without" in found.notes
    line = reliability(["a", "b", "b", "b"], np.full((4, 2), 0.5)).top.line
    assert line.note == "every row has the same probability"
    assert line.slope.value is None
    assert line.in_the_large.value == pytest.approx(np.log(3))


def test_labels_unseen_in_training_count_as_wrong_and_are_named() -> None:
    found = Evaluation.of(["a", "b", "x", "y", "b"], [[0.9, 0.1]] * 2 + [[0.3, 0.7]] * 3, ["a", "b"], n_bootstrap=50)
    plain(found)
    assert found.unseen == ("x", "y")
    assert found.notes[0] == (
        "labels new to the model ('x', 'y'): 2 rows of 5, taken as wrong, and left out of the log loss"
    )
    assert found["accuracy"].value == pytest.approx(2 / 5)
    assert found["recall", "x"].value == 0
    assert found["balanced_accuracy"].value == pytest.approx((1 + 0.5 + 0 + 0) / 4)
    assert found["specificity", "b"].value == pytest.approx(1 / 3)
    assert found["log_loss"].value == pytest.approx(-np.log([0.9, 0.1, 0.7]).mean())
    # Two classes count half; an unseen label got nothing.
    p = np.array([[0.9, 0.1, 0, 0]] * 2 + [[0.3, 0.7, 0, 0]] * 3)
    truth = np.eye(4)[[0, 1, 2, 3, 1]]
    assert found["brier"].value == pytest.approx(0.5 * ((p - truth) ** 2).sum(axis=1).mean())
    split = found.brier_split
    assert split.brier == pytest.approx(found["brier"].value)
    assert split.binned == pytest.approx(split.brier - split.within_bins)
    assert found.confusion.labels == ("a", "b", "x", "y")
    assert found.confusion.counts.tolist() == [[1, 0], [1, 1], [0, 1], [0, 1]]
    assert "unseen" not in str(found)
    table = reliability(["a", "b", "x", "y", "b"], p[:, :2], ["a", "b"])
    assert table.top.share_correct[np.isfinite(table.top.share_correct)].tolist() == [1 / 3, 0.5]
    assert "labels without a probability ('x', 'y'): 2 rows, taken as wrong" in str(table)


def test_unseen_labels_beside_rows_without_an_answer() -> None:
    found = Evaluation.of(["a", "b", "x", "b"], predicted=["a", None, "b", "b"], classes=["a", "b"], n_bootstrap=50)
    plain(found)
    assert found["accuracy"].value == 0.5
    assert found["precision", "x"].note == "never predicted"
    assert found["f1", "x"].value == 0
    assert found.confusion.counts.tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 0]]


def test_a_class_absent_from_the_test_rows() -> None:
    p = np.array(P)[[0, 1, 3]]
    found = Evaluation.of(["a", "b", "a"], p, ["a", "b", "c"], n_bootstrap=50)
    plain(found)
    assert found["balanced_accuracy"].value == pytest.approx(0.75)
    for name in ("recall", "roc_area", "pr_area"):
        assert (found[name, "c"].value, found[name, "c"].note) == (None, "no row of this class")
    assert found["specificity", "c"].value == 1
    assert found["macro_roc_area"].value == pytest.approx(
        (found["roc_area", "a"].value + found["roc_area", "b"].value) / 2
    )
    assert found.notes[0] == "no test row of 'c': means over the classes are without"
    absent = reliability(["a", "b", "a"], p, ["a", "b", "c"]).of("c")
    assert absent.line.note == "the outcome never came"
    assert np.nansum(absent.share_correct) == 0


def test_probabilities_of_zero_and_densities_of_zero() -> None:
    found = Evaluation.of(["a", "b", "b"], [[1, 0], [1, 0], [0, 1]], log_density=[0.0, -np.inf, 1.0], n_bootstrap=50)
    plain(found)
    assert found["log_loss"].value == pytest.approx(-np.log(np.finfo(float).eps) / 3)
    assert any("class that is right: 1 row" in note and "36 nats" in note for note in found.notes)
    assert found["log_density"].value is None
    assert found["log_density"].note == "a row has density zero, and the mean is no number"


def test_labels_that_would_break_a_table_stay_in_their_cell() -> None:
    labels = ['<script>alert("x")</script>', "two\nlines", "a" * 500, "\u202ertl עברית", '😀, "quoted"', " "]
    y = [label for label in labels for _ in range(2)]
    p = np.full((12, 6), 0.02) + 0.88 * (np.arange(12)[:, None] // 2 == np.arange(6))
    found = Evaluation.of(y, p, labels, n_bootstrap=10)
    text = plain(found)
    assert json.loads(text)["classes"] == labels
    assert len(str(found.confusion).splitlines()) == 7
    assert max(map(len, str(found).splitlines())) < 200
    assert "<script>" not in found._repr_html_()


def test_a_prevalence_of_zero_leaves_a_class_out() -> None:
    found = Evaluation.of(Y, P, prevalence={"a": 0.5, "b": 0.5, "c": 0.0}, n_bootstrap=20)
    without = [0, 1, 3]
    other = Evaluation.of([Y[i] for i in without], np.array(P)[without], ["a", "b", "c"], prevalence=[0.5, 0.5, 0.0])
    plain(found)
    for name in ("accuracy", "balanced_accuracy", "log_loss", "brier", "macro_roc_area", "hand_till", "mcc"):
        assert found[name].value == pytest.approx(other[name].value), name
    assert found["recall", "c"].note == "no row of this class"


@pytest.mark.parametrize("model", [None, "lda", 3, GaussianNB], ids=["None", "text", "a number", "a class"])
def test_what_is_no_model(model: Any) -> None:
    with pytest.raises(InputTypeError, match="model must be a fitted classifier"):
        evaluate(model, [[0.0]], ["a"])
