"""Thresholds: what follows from each, which is best, and a classifier that goes by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from distinguo import GaussianNB, LinearDiscriminantAnalysis, Thresholded, threshold_table, tune_threshold
from distinguo.exceptions import InputError, InputTypeError
from distinguo.resampling import stratified_folds

X, CODES = load_breast_cancer(return_X_y=True)
Y = np.array(["malignant", "benign"])[CODES]
chances = cross_val_predict(make_pipeline(StandardScaler(), LogisticRegression()), X, Y, method="predict_proba", cv=5)[
    :, 1
]

scores = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=2, max_size=40)


@st.composite
def rows(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p = np.array(draw(scores))
    y = np.array(draw(st.lists(st.booleans(), min_size=len(p), max_size=len(p))))
    y[:2] = False, True
    weight = np.array(draw(st.lists(st.integers(0, 3), min_size=len(p), max_size=len(p))), dtype=float)
    weight[:2] = 1.0
    return y, p, weight


@given(rows(), st.lists(st.floats(0, 1), min_size=2, max_size=10))
def test_lecture_26_raising_the_threshold_shrinks_the_positives(of_rows, thresholds: list[float]) -> None:
    y, p, weight = of_rows
    table = threshold_table(y, p, [0.0, *sorted(thresholds), 1.0], sample_weight=weight)
    for falls in (table.called, table.recall, table.tp, table.fp, -table.specificity):
        assert (np.diff(falls) <= 0).all()
    assert (table.called[0], table.recall[0], table.specificity[0]) == (1, 1, 0)
    # At one nobody is positive, not even a row whose probability was rounded to one.
    assert (table.called[-1], table.recall[-1], table.specificity[-1]) == (0, 0, 1)


def test_lecture_26_precision_and_accuracy_may_go_either_way() -> None:
    y = np.array([0, 1, 0, 1, 0])
    table = threshold_table(y, [0.1, 0.3, 0.5, 0.7, 0.9], [0.2, 0.4, 0.6, 0.8])
    assert np.sign(np.diff(table.precision)).tolist() == [-1, 1, -1]
    assert np.sign(np.diff(table.accuracy)).tolist() == [-1, 1, -1]


def test_lecture_26_the_majority_class_of_99_percent_scores_99_with_recall_0() -> None:
    y = np.repeat(["well", "ill"], [99, 1])
    table = threshold_table(y, np.full(100, 0.01), [0.5], positive="ill")
    assert (table.accuracy[0], table.recall[0]) == (0.99, 0)
    assert math.isnan(table.precision[0])


@pytest.mark.parametrize("threshold", [0.03, 0.2, 0.5, 0.9])
def test_figures_are_scikit_learns(threshold: float) -> None:
    table = threshold_table(Y, chances, [threshold], positive="malignant")
    said = np.where(chances >= threshold, "malignant", "benign")
    of = {"pos_label": "malignant"}
    assert table.accuracy[0] == pytest.approx(accuracy_score(Y, said), rel=1e-12)
    assert table.precision[0] == pytest.approx(precision_score(Y, said, **of), rel=1e-12)
    assert table.recall[0] == pytest.approx(recall_score(Y, said, **of), rel=1e-12)
    assert table.f1[0] == pytest.approx(f1_score(Y, said, **of), rel=1e-12)
    assert table.specificity[0] == pytest.approx(recall_score(Y, said, pos_label="benign"), rel=1e-12)
    assert table.youden[0] == pytest.approx(2 * balanced_accuracy_score(Y, said) - 1, rel=1e-12)
    assert table.called[0] == np.mean(said == "malignant")


METRICS = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1": lambda y, said: f1_score(y, said, pos_label="malignant"),
    "mcc": matthews_corrcoef,
}


@pytest.mark.parametrize("metric", METRICS)
def test_no_threshold_is_better(metric: str) -> None:
    best = tune_threshold(Y, chances, metric, positive="malignant")
    every = [METRICS[metric](Y, np.where(chances >= t, "malignant", "benign")) for t in [*np.unique(chances), 1.1]]
    own = METRICS[metric](Y, np.where(chances >= best.threshold, "malignant", "benign"))
    assert best.value == pytest.approx(max(every), rel=1e-12)
    assert own == pytest.approx(max(every), rel=1e-12)


def test_youden_chooses_as_balanced_accuracy_does() -> None:
    youden, balanced = (
        tune_threshold(Y, chances, metric, positive="malignant") for metric in ("youden", "balanced_accuracy")
    )
    assert youden.threshold == balanced.threshold
    assert youden.value == pytest.approx(2 * balanced.value - 1)


@given(rows(), st.floats(0, 1))
def test_a_budget_is_kept_and_used(of_rows, budget: float) -> None:
    y, p, weight = of_rows
    found = tune_threshold(y, p, budget=budget, sample_weight=weight)
    assert found.called <= budget
    table = threshold_table(y, p, np.append(np.nextafter(p, 0.0), 1.0), sample_weight=weight)
    assert found.recall == pytest.approx(table.recall[table.called <= budget].max(initial=0.0))
    # The same rows are called positive by the threshold that was found.
    assert threshold_table(y, p, [found.threshold], sample_weight=weight).called[0] == found.called


@given(rows(), st.sampled_from(["f1", "youden", "mcc", "accuracy"]))
def test_weights_are_frequencies(of_rows, metric: str) -> None:
    y, p, weight = of_rows
    times = weight.astype(int)
    weighted = tune_threshold(y, p, metric, sample_weight=weight)
    repeated = tune_threshold(np.repeat(y, times), np.repeat(p, times), metric)
    assert weighted.threshold == repeated.threshold
    assert weighted.value == pytest.approx(repeated.value)


def test_two_columns_of_probabilities_are_taken_too() -> None:
    both = np.column_stack([1 - chances, chances])
    for positive, column in (("malignant", chances), ("benign", 1 - chances), (None, chances)):
        one = tune_threshold(Y, column, positive=positive)
        assert tune_threshold(Y, both, positive=positive) == one
    assert tune_threshold(Y, chances).positive == "malignant"


def test_one_of_many_classes_may_be_looked_for() -> None:
    y, p = ["a", "b", "c", "a"], [0.9, 0.2, 0.3, 0.6]
    assert tune_threshold(y, p, positive="a").threshold == pytest.approx(0.45)
    assert threshold_table(y, p, [0.5], positive="a").recall.tolist() == [1.0]


def test_constant_scores_are_called_all_or_none() -> None:
    y = [0, 1, 1, 0, 1]
    assert tune_threshold(y, [0.3] * 5).called == 1.0
    assert tune_threshold(y, [0.3] * 5, "youden").value == 0.0
    assert tune_threshold(y, [0.3] * 5, budget=0.5).called == 0.0
    assert tune_threshold(y, [1.0] * 5, budget=0.5).called == 0.0


def test_one_row_to_test_on() -> None:
    table = threshold_table(["ill"], [0.7], [0.5, 0.9], positive="ill")
    assert table.recall.tolist() == [1.0, 0.0]
    assert np.isnan(table.specificity).all()
    other = threshold_table(["well"], [0.7], [0.5], positive="ill")
    assert (other.called.tolist(), other.specificity.tolist()) == ([1.0], [0.0])
    with pytest.raises(InputError, match="no row is negative"):
        tune_threshold(["ill"], [0.7], positive="ill")


def test_neighbouring_numbers_are_told_apart() -> None:
    low = 0.5
    high = np.nextafter(low, 1.0)
    assert tune_threshold([0, 1], [low, high]).value == 1.0


def test_the_table_gives_its_rows_and_columns() -> None:
    table = threshold_table(Y, chances, positive="malignant")
    assert len(table.rows()) == 21
    assert list(table.to_frame().columns) == list(table.to_dict())
    assert str(table).startswith("'malignant' from each threshold: 212 of 569 rows are\n")
    assert len({len(line) for line in str(table).splitlines()[1:]}) == 1
    assert tune_threshold(Y, chances).to_dict()["metric"] == "f1"


BAD = [
    (lambda: tune_threshold([0, 1], [0.1]), "inconsistent numbers"),
    (lambda: tune_threshold([0, 1], 0.1), r"p has shape \(\), expected \(2,\)"),
    (lambda: tune_threshold([0, 1], [[0.1], [0.2]]), r"shape \(2, 1\)"),
    (lambda: tune_threshold([0, 1], [0.1, 1.2]), "row 1 has 1.2"),
    (lambda: tune_threshold([0, 1], [0.1, np.nan]), "row 1 has nan"),
    (lambda: tune_threshold([0, 1], ["a", "b"]), "p must be numbers"),
    (lambda: tune_threshold([0, 1, 2], [0.1, 0.2, 0.3]), r"3 classes \(0, 1, 2\); say with positive="),
    (lambda: tune_threshold([1, 1], [0.1, 0.2]), r"one class only \(1\); say with positive="),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], positive=2), "positive=2 is no class of y; the classes are 0, 1"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], "auc"), "metric='auc' is not known; use 'accuracy' or"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], "recall"), "give a budget with it"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], budget=1.1), "budget=1.1 must be a number from 0 to 1"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], budget=-0.1), "budget=-0.1 must be"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], budget=math.nan), "budget=nan must be"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], budget="10%"), "budget='10%' must be"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], sample_weight=[1, -1]), "sample_weight is negative"),
    (lambda: tune_threshold([0, 1], [0.1, 0.2], sample_weight=[1, 0]), "no row is positive"),
    (lambda: threshold_table([0, 1], [0.1, 0.2], [0.5, 1.5]), "thresholds=.* must be a list of numbers from 0 to 1"),
    (lambda: threshold_table([0, 1], [0.1, 0.2], []), "must be a list of numbers"),
    (lambda: threshold_table([0, 1], [0.1, 0.2], 0.5), "must be a list of numbers"),
    (lambda: threshold_table([0, None], [0.1, 0.2]), "1 missing label"),
]


@pytest.mark.parametrize(("work", "message"), BAD)
def test_bad_rows_and_options_are_refused(work, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        work()


# The classifier


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_the_threshold_is_that_of_rows_held_out(model) -> None:
    tuned = Thresholded(model, "f1", positive="malignant", cv=4, random_state=3).fit(X, Y)
    fold = stratified_folds(1 - CODES, 4, np.random.default_rng(3))
    held_out = cross_val_predict(
        model,
        X,
        Y,
        method="predict_proba",
        cv=[(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)],
    )
    assert tuned.threshold_ == pytest.approx(tune_threshold(Y, held_out[:, 1]).threshold, abs=1e-9)
    plain = model.fit(X, Y)
    assert np.array_equal(tuned.predict_proba(X), plain.predict_proba(X))
    expected = np.where(plain.predict_proba(X)[:, 1] >= tuned.threshold_, "malignant", "benign")
    assert np.array_equal(tuned.predict(X), expected)
    assert tuned.tuned_.threshold == tuned.threshold_


def test_a_threshold_of_one_half_changes_nothing() -> None:
    plain = GaussianNB().fit(X, Y)
    model = Thresholded(GaussianNB()).fit(X, Y)
    assert np.array_equal(model.predict(X), plain.predict(X))
    assert (model.threshold_, model.tuned_) == (0.5, None)
    nobody = Thresholded(GaussianNB(), 1.0, positive="benign").fit(X, Y)
    assert (nobody.predict(X) == "malignant").all()
    everybody = Thresholded(GaussianNB(), 0, positive="benign").fit(X, Y)
    assert (everybody.predict(X) == "benign").all()


def test_either_class_may_be_looked_for_within_a_budget() -> None:
    for positive in ("benign", "malignant"):
        model = Thresholded(LinearDiscriminantAnalysis(), "recall", budget=0.2, positive=positive).fit(X, Y)
        assert model.tuned_.called <= 0.2
        assert abs(np.mean(model.predict(X) == positive) - 0.2) < 0.05


def test_splitters_weights_and_other_containers() -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    frame = load_breast_cancer(as_frame=True).data
    for cv in (3, KFold(3, shuffle=True, random_state=0)):
        weighted = Thresholded(LinearDiscriminantAnalysis(), "youden", cv=cv).fit(frame, Y, sample_weight=weight)
        kept = weight > 0
        some = Thresholded(LinearDiscriminantAnalysis(), "youden", cv=cv).fit(X[kept], Y[kept], weight[kept])
        assert weighted.threshold_ == pytest.approx(some.threshold_)
        assert weighted.feature_names_in_[0] == "mean radius"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Thresholded(GaussianNB(), 1.5), "threshold=1.5 must be a number from 0 to 1"),
        (Thresholded(GaussianNB(), "gini"), "metric='gini' is not known"),
        (Thresholded(GaussianNB(), "recall"), "give a budget with it"),
        (Thresholded(GaussianNB(), 0.4, budget=0.1), "budget=0.1 cannot act where the threshold is given"),
        (Thresholded(GaussianNB(), "f1", budget=3), "budget=3 must be a number from 0 to 1"),
        (Thresholded(GaussianNB(), positive="cold"), "positive='cold' is no class of y"),
        (Thresholded(GaussianNB(), "f1", cv=1), "cv=1 must be at least 2 folds"),
        (Thresholded(GaussianNB(), True), "metric=True is not known"),
        (Thresholded(LinearSVC()), "has no probabilities"),
    ],
)
def test_bad_options_of_the_classifier(model: Thresholded, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        model.fit(X, Y)


def test_three_classes_have_no_threshold() -> None:
    with pytest.raises(InputError, match="a threshold is for two classes, and y has 3"):
        Thresholded(GaussianNB()).fit(*load_iris(return_X_y=True))


def test_a_class_of_one_row_cannot_be_held_out() -> None:
    one = np.flatnonzero(Y == "benign")[:50].tolist() + np.flatnonzero(Y == "malignant")[:1].tolist()
    with pytest.raises(InputError, match="class 'malignant' has one row"):
        Thresholded(LinearDiscriminantAnalysis(), "f1").fit(X[one], Y[one])


def test_any_models_threshold() -> None:
    calibrated = CalibratedClassifierCV(LinearSVC(dual=False), cv=3)
    assert Thresholded(calibrated, "mcc", cv=3).fit(StandardScaler().fit_transform(X), Y).score(X, Y) > 0.3
