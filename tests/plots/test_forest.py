"""Coefficients with intervals: what is drawn where."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.transforms import Bbox
from numpy.testing import assert_allclose

from distinguo import (
    CoefficientIntervalsDisplay,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
)
from distinguo.exceptions import LeftOutWarning, SeparationWarning

forest = CoefficientIntervalsDisplay.from_estimator


@pytest.fixture(scope="module")
def two(iris):
    X, y = iris
    return LogisticRegression().fit(X[50:], y[50:])


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.tile(["a", "b", "c"], 40)
    X[y == "b"] += 0.5
    return LogisticRegression().fit(X, y)


@pytest.fixture(scope="module")
def apart():
    """The first column is high in class b only, the second low; the third is in no class's favour."""
    first = np.tile([0.0, 0.0, 0.0, 1.0], 6)
    X = np.column_stack([first, -first[::-1], np.arange(24) % 5])
    with pytest.warns(SeparationWarning):
        return LogisticRegression().fit(X, np.where((first > 0) | (np.arange(24) % 3 == 0), "b", "a"))


def spans(lines):
    """(t, 2) ends, and (t,) heights of the lines of a collection."""
    segments = np.array(lines.get_segments()).reshape(-1, 2, 2)
    return segments[:, :, 0], segments[:, 0, 1]


def test_wald_intervals_are_those_of_r(two):
    # R 4.2.2: coef and confint.default of glm(Species ~ ., binomial), epsilon 1e-15, of the last two species of iris.
    display = forest(two)
    ends, heights = spans(display.lines_[0])
    assert_allclose(
        ends,
        [[-7.15796396, 2.22752357], [-15.46067223, 2.0988982], [0.14462867, 18.71414163], [-0.80903202, 37.3813058]],
        rtol=1e-5,
    )
    points = display.points_[0].get_xydata()
    assert_allclose(points[:, 0], [-2.465220195, -6.680887014, 9.429385154, 18.286136887], rtol=1e-5)
    assert_allclose(points[:, 1], heights)
    names = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert dict(zip(names, display.ax_.get_yticks(), strict=True)) == dict(
        zip(two.feature_names_in_, heights, strict=True)
    )
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # the first column is on top
    assert display.ax_.get_title(loc="left") == "95% intervals (Wald)"
    assert display.ax_.get_xlabel() == "log odds ratio of virginica against versicolor,\nper unit of the column"
    assert display.legend_ is None


def test_profile_intervals_of_odds_ratios_are_those_of_r(shared_data):
    # R 4.2.2, MASS 7.3: exp(confint(.)) of glm(low ~ age + lwt + smoke + ht, binomial, birthwt), by splines.
    rows = pd.read_csv(shared_data("birthwt.csv"))
    model = LogisticRegression().fit(rows[["age", "lwt", "smoke", "ht"]], rows["low"])
    display = forest(model, kind="profile", scale="odds ratio", intercept=True)
    assert_allclose(
        spans(display.lines_[0])[0],
        [
            [0.78424782, 49.37773316],
            [0.90213316, 1.02877353],
            [0.9696802, 0.99534192],
            [1.03003029, 3.79940961],
            [1.6195662, 25.24488182],
        ],
        rtol=2e-3,
    )
    assert_allclose(display.points_[0].get_xdata()[-1], 5.978419442, rtol=1e-5)
    assert display.ax_.get_yticklabels()[0].get_text() == "(intercept)"
    assert display.ax_.get_title(loc="left") == "95% intervals (profile likelihood)"


def test_odds_ratios_are_powers_on_a_logarithmic_axis(two):
    odds, logs = forest(two, scale="odds ratio"), forest(two)
    assert_allclose(spans(odds.lines_[0])[0], np.exp(spans(logs.lines_[0])[0]))
    assert odds.ax_.get_xscale() == "log"
    assert odds.ax_.lines[0].get_xdata() == [1.0, 1.0]
    assert logs.ax_.lines[0].get_xdata() == [0.0, 0.0]
    assert odds.ax_.get_xlabel().startswith("odds ratio of virginica")


def test_few_powers_of_ten_have_plain_numbers(three):
    display = forest(
        LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [0, 1, 1, 0, 0, 1] * 6), scale="odds ratio"
    )
    display.figure_.canvas.draw()
    texts = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert "1" in texts
    assert not any("$" in text for text in texts)


def test_other_levels_and_other_bases(two):
    wide, narrow = (spans(forest(two, level=level).lines_[0])[0] for level in (0.99, 0.5))
    # Gaussian quantiles of .995 and .75, from tables.
    assert_allclose(np.diff(wide) / np.diff(narrow), 2.575829 / 0.6744898, rtol=1e-5)
    turned = forest(two, base="virginica")
    assert_allclose(spans(turned.lines_[0])[0], -spans(forest(two).lines_[0])[0][:, ::-1], rtol=1e-9)
    assert turned.ax_.get_xlabel().startswith("log odds ratio of versicolor against virginica")


def test_standard_deviations_make_units_not_matter(iris):
    X, y = iris[0][50:], iris[1][50:]
    units = np.array([10.0, 0.01, 1.0, 5.0])
    first, second = (spans(forest(LogisticRegression().fit(rows, y), rows).lines_[0])[0] for rows in (X, X * units))
    assert_allclose(first, second, rtol=1e-6)
    assert_allclose(
        first, spans(forest(LogisticRegression().fit(X, y)).lines_[0])[0] * X.to_numpy().std(axis=0)[:, None]
    )
    with_intercept = forest(LogisticRegression().fit(X, y), X, intercept=True)
    assert with_intercept.estimates.estimate[0, 0] == pytest.approx(-42.637803811, rel=1e-5)  # R, as above
    assert with_intercept.ax_.get_xlabel().endswith("per standard deviation of the column")


def test_columns_in_the_order_asked_for(two):
    display = forest(two, features=["petal width (cm)", 0])
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["petal width (cm)", "sepal length (cm)"]
    assert_allclose(display.points_[0].get_xdata(), two.coef_[0, [3, 0]])


@pytest.mark.parametrize("base", [None, "b"])
def test_classes_are_side_by_side_in_their_own_looks(three, base):
    display = forest(three, base=base)
    table = three.summary(base=base)
    own = table.term != "(intercept)"
    places = [points.get_ydata() for points in display.points_]
    assert len(display.lines_) == len(display.points_) == 2
    for k, (lines, points) in enumerate(zip(display.lines_, display.points_, strict=True)):
        chosen = own & (table.outcome == np.unique(table.outcome)[k])
        assert_allclose(spans(lines)[0], np.column_stack([table.low, table.high])[chosen])
        assert_allclose(points.get_xdata(), table.estimate[chosen])
        assert_allclose(np.round(points.get_ydata()), [0, 1])
    assert (places[0] < places[1]).all()
    others = [label for label in "abc" if label != (base or "a")]
    assert [text.get_text() for text in display.legend_.get_texts()] == others
    assert len({points.get_color() for points in display.points_}) == 2
    assert len({points.get_marker() for points in display.points_}) == 2


def test_a_class_has_the_same_look_whatever_the_base(three):
    first, second = forest(three, base="a").points_[1], forest(three, base="b").points_[1]
    assert first.get_color() == second.get_color()  # both are of class c
    assert first.get_marker() == second.get_marker()


def test_infinite_coefficients_are_arrows_to_the_edge(apart):
    display = forest(apart)
    infinite = apart.confidence_intervals().estimate[1:]
    assert np.isinf(infinite).any()
    assert len(display.arrows_) == np.isinf(infinite).sum()
    for arrow, j in zip(
        display.arrows_, [*np.flatnonzero(infinite > 1e9), *np.flatnonzero(infinite < -1e9)], strict=True
    ):
        (tip, height), (tail, _) = arrow.xy, arrow.get_position()
        assert height == j
        assert (tip > 0.9 and tip > tail) if infinite[j] > 0 else (tip < 0.1 and tip < tail)
    drawn = np.isfinite(infinite)
    assert_allclose(display.points_[0].get_xdata(), infinite[drawn])
    assert [text.get_text() for text in display.legend_.get_texts()] == ["infinite"]


def test_arrows_touch_no_point_and_no_interval(apart):
    display = forest(apart)
    low, high = display.ax_.get_xlim()
    ends = spans(display.lines_[0])[0]
    for arrow in display.arrows_:
        inner = low + (high - low) * arrow.get_position()[0]
        assert inner > ends.max() if arrow.xy[0] > 0.5 else inner < ends.min()


def test_all_coefficients_infinite_can_be_drawn():
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    display = forest(model, scale="odds ratio")
    assert len(display.arrows_) == 1
    assert not len(display.points_[0].get_xdata())


def test_coefficients_that_rows_do_not_determine_are_hollow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    with pytest.warns(LeftOutWarning):
        model = LogisticRegression().fit(np.column_stack([X, 2 * X[:, 0]]), np.tile([0, 1, 1], 20))
    display = forest(model)
    assert_allclose(display.points_[0].get_xydata(), [[model.coef_[0, 1], 1]])
    assert_allclose(display.hollow_[0].get_xydata(), [[model.coef_[0, 0], 0], [model.coef_[0, 2], 2]])
    assert [text.get_text() for text in display.legend_.get_texts()] == ["not determined\nby the rows"]


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(C=1.0), LinearDiscriminantAnalysis(), LogisticRegression(C=0.5, l1_ratio=1.0)],
    ids=["ridge", "LDA", "lasso"],
)
def test_models_without_intervals_have_points_only(model, iris):
    X, y = iris
    model.fit(X, y)
    display = forest(model)
    assert not any(len(lines.get_segments()) for lines in display.lines_)
    assert_allclose([points.get_xdata() for points in display.points_], model.coef_[1:] - model.coef_[0], atol=1e-12)
    assert display.ax_.get_title(loc="left") == ""
    assert [text.get_text() for text in display.legend_.get_texts()] == ["versicolor", "virginica"]


def test_points_only_on_request(two):
    display = forest(two, kind=None)
    assert not display.lines_[0].get_segments()
    assert_allclose(display.points_[0].get_xdata(), two.coef_[0])
    turned = forest(two, kind=None, base="virginica")
    assert_allclose(turned.points_[0].get_xdata(), -two.coef_[0])


def test_scores_that_are_no_log_odds_are_not_called_so(iris):
    model = LeastSquaresClassifier().fit(iris[0][50:], iris[1][50:])
    display = forest(model)
    assert display.ax_.get_xlabel().startswith("score of virginica against versicolor")


def test_names_fit_in_the_figure():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a very long name of a column indeed, too long", "$", "_z"])
    display = forest(LogisticRegression().fit(X, np.tile(["yes", "no"], 40)))
    display.figure_.canvas.draw()
    boxes = [tick.get_window_extent() for tick in display.ax_.get_yticklabels()]
    assert Bbox.union(boxes).x0 >= 0
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()][1:] == [r"\$", "_z"]


def test_axes_given_are_used(two):
    _, (left, right) = plt.subplots(1, 2)
    display = forest(two, ax=right)
    assert display.ax_ is right
    assert display.plot(left).ax_ is left
    assert len(left.lines) == len(right.lines)
