"""Reliability diagrams, ROC and precision-recall curves show the numbers they are made from."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from distinguo import (
    Evaluation,
    GaussianNB,
    LeastSquaresClassifier,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RocDisplay,
    reliability,
)
from distinguo.exceptions import InputError

BINS = [0, 0.5, 0.9, 0.999, 1]
CURVES = pytest.mark.parametrize("display", [RocDisplay, PrecisionRecallDisplay])


def predictions(K: int, n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    z = rng.normal(size=(n, K)) + 1.5 * (y[:, None] == np.arange(K))
    return y, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2]


def test_a_reliability_diagram_shows_the_table(cancer):
    model, X, y = cancer
    display = ReliabilityDisplay.from_estimator(model, X, y, label=1, bins=BINS, confidence=0.9)
    table = reliability(y, model.predict_proba(X), model.classes_, bins=BINS, confidence=0.9).of(1)
    filled = table.count > 0
    x, height = display.line_.get_data()
    assert np.array_equal(x, table.mean_confidence[filled])
    assert np.array_equal(height, table.share_correct[filled])
    ends = np.array([segment[:, 1] for segment in display.intervals_.get_segments()])
    assert ends == pytest.approx(np.column_stack([table.low, table.high])[filled])
    assert [bar.get_height() for bar in display.bars_] == table.count.tolist()
    assert min(bar.get_width() for bar in display.bars_) > 0.01  # bins of .001 are seen yet
    top, bottom = display.ax_
    assert f"calibration error {table.ece:.3f}" in top.get_title(loc="left")
    assert bottom.get_xlabel() == "probability of 1"
    assert bottom.get_ylim()[1] >= table.count.max()


def test_a_reliability_diagram_of_the_predicted_class_in_axes_given(cancer):
    model, X, y = cancer
    figure, axes = plt.subplots(1, 2)
    display = ReliabilityDisplay.from_predictions(y, model.predict_proba(X), ax=axes[1], strategy="quantile")
    assert display.figure_ is figure
    assert display.ax_[1].get_xlabel() == "probability of the predicted class"
    assert display.table.label is None
    top, bottom = (panel.get_position().height for panel in display.ax_)
    assert top > 2 * bottom


@CURVES
@pytest.mark.parametrize("K", [2, 3])
def test_areas_of_curves_are_those_of_the_evaluation(display, K):
    y, p = predictions(K)
    shown = display.from_predictions(y, p)
    found = Evaluation.of(y, p, n_bootstrap=0)
    metric = "roc_area" if display is RocDisplay else "pr_area"
    assert [curve.label for curve in shown.curves] == ([1] if K == 2 else [0, 1, 2])
    for curve, line in zip(shown.curves, shown.lines_, strict=True):
        assert curve.area == pytest.approx(found[metric, curve.label].value)
        x, height = line.get_data()
        assert abs(np.trapezoid(height, x)) == pytest.approx(curve.area)
    assert [text.get_text().split()[-1] for text in shown.legend_.get_texts()] == [
        f"{c.area:.3f}" for c in shown.curves
    ]


@CURVES
def test_of_many_classes_those_of_the_least_area_are_shown(display):
    y, p = predictions(30, 900)
    shown = display.from_predictions(y, p)
    score = roc_auc_score if display is RocDisplay else average_precision_score
    areas = [score(y == k, p[:, k]) for k in range(30)]
    assert sorted(c.label for c in shown.curves) == sorted(np.argsort(areas)[:10].tolist())
    assert shown.legend_.get_title().get_text().startswith("10 of 30 classes, ")
    few = display.from_predictions(y, p, labels=[7, 3])
    assert [curve.label for curve in few.curves] == [7, 3]


@CURVES
def test_scores_do_where_there_are_no_probabilities(display, cancer):
    _, X, y = cancer
    model = LeastSquaresClassifier().fit(X, y)
    shown = display.from_estimator(model, X, y)
    score = roc_auc_score if display is RocDisplay else average_precision_score
    assert shown.curves[0].area == pytest.approx(score(y, model.decision_function(X)))
    weighted = display.from_estimator(model, X, y, sample_weight=np.arange(len(y)) % 3)
    assert weighted.curves[0].area == pytest.approx(
        score(y, model.decision_function(X), sample_weight=np.arange(len(y)) % 3)
    )


def test_what_knows_nothing_is_a_line(cancer):
    model, X, y = cancer
    figure, axes = plt.subplots(1, 2)
    RocDisplay.from_estimator(model, X, y, ax=axes[0])
    PrecisionRecallDisplay.from_estimator(model, X, y, ax=axes[1])
    assert list(axes[0].lines[1].get_data()[1]) == [0, 1]
    assert list(axes[1].lines[1].get_data()[1]) == [y.mean()] * 2
    assert len(figure.axes) == 2


def test_labels_are_shown_as_they_are():
    y, p = predictions(3)
    names = np.array(["$x_1$", "_hidden", "a" * 60])
    shown = RocDisplay.from_predictions(names[y], p, names)
    texts = [text.get_text() for text in shown.legend_.get_texts()]
    assert texts[0].startswith(r"\$x_1\$ ")
    assert texts[1].startswith("_hidden ")
    assert len(texts[2]) < 40
    diagram = ReliabilityDisplay.from_predictions(names[y], p, names, label="$x_1$")
    assert diagram.ax_[1].get_xlabel() == r"probability of \$x_1\$"


@CURVES
def test_curves_refused(display, cancer):
    y, p = predictions(3)
    with pytest.raises(InputError, match="9 is no class; the classes are 0, 1, 2"):
        display.from_predictions(y, p, labels=[9])
    with pytest.raises(InputError, match="2 has no rows, or all"):
        display.from_predictions(y[y < 2], p[y < 2], [0, 1, 2], labels=[2])
    with pytest.raises(InputError, match="rows of one class alone rank before nothing"):
        display.from_predictions([1, 1], p[:2], [0, 1, 2])
    with pytest.raises(InputError, match="scores contain NaN"):
        display.from_predictions(y, p * np.nan)
    X = cancer[1]
    with pytest.raises(InputError, match="has no classes_"):
        display.from_estimator(LinearRegression().fit(X, X[:, 0]), X, X[:, 0])


def test_reliability_refused(cancer):
    _, X, y = cancer
    model = LeastSquaresClassifier().fit(X, y)
    with pytest.raises(InputError, match="LeastSquaresClassifier has no predict_proba"):
        ReliabilityDisplay.from_estimator(model, X, y)
    with pytest.raises(InputError, match="5 is no class"):
        ReliabilityDisplay.from_predictions([0, 1], [[0.5, 0.5], [0.2, 0.8]], label=5)
