"""Coefficient paths: what is drawn is what the path holds, and what cross-validation chose."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from distinguo import LogisticRegression, PathDisplay, logistic_path
from distinguo.plots.path import _apart

draw = PathDisplay.from_path


@pytest.fixture(scope="module")
def rows():
    """Columns that matter the less the later they come, in other units each."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 75)
    shift = np.array([1.5, -1.0, 0.7, 0.4, 0.0, 0.0])
    units = np.array([1.0, 100.0, 1.0, 0.1, 1.0, 7.0])
    X = (rng.normal(size=(150, 6)) + y[:, None] * shift) * units
    return pd.DataFrame(X, columns=list("abcdef")), np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def path(rows):
    return logistic_path(*rows, Cs=25)


@pytest.fixture(scope="module")
def tuned(rows):
    return LogisticRegression(C="cv", l1_ratio=1.0, standardize=True, Cs=25, cv=5).fit(*rows)


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 2], 40)
    X = rng.normal(size=(120, 4))
    X[:, 0] += 2 * (y == 1)
    X[:, 1] += 2 * (y == 2)
    return logistic_path(X, y, Cs=20)


def test_curves_are_the_coefficients_from_strong_to_weak(path):
    display = draw(path)
    (lines,) = display.lines_
    for j, line in enumerate(lines):
        assert_array_equal(line.get_xdata(), path.lambdas)
        assert_array_equal(line.get_ydata(), path.coefs[:, 0, j])
    left, right = display.ax_[0].get_xlim()
    assert left > path.lambdas[0] > path.lambdas[-1] > right
    assert display.ax_[0].get_xscale() == "log"
    assert display.ax_[0].get_ylabel() == "coefficient of yes against no,\nper unit"
    assert display.legend_ is None


def test_rows_make_coefficients_those_of_standard_deviations(path, rows):
    display = draw(path, rows[0])
    drawn = np.array([line.get_ydata() for line in display.lines_[0]]).T
    assert_allclose(drawn, path.coefs[:, 0] * rows[0].to_numpy().std(axis=0))
    assert display.ax_[0].get_ylabel().endswith("per standard deviation")


def test_names_are_of_the_columns_that_stay_longest(path):
    entry = (path.coefs[:, 0] != 0).argmax(axis=0)
    assert entry[1] < entry[2] < entry[3:].min()
    display = draw(path, named=3)
    assert set(display.named) == {0, 1, 2}
    assert display.named[2] == 2
    assert {name.get_text() for name in display.names_[0]} == set("abc")
    colors = [display.lines_[0][j].get_color() for j in range(6)]
    assert len(set(colors)) == 4  # three of their own, and grey
    assert colors[3] == colors[4] == colors[5]


def test_names_stand_at_the_ends_of_their_curves_in_their_order_and_apart(path, rows):
    display = draw(path, rows[0], named=6)
    display.figure_.canvas.draw()
    names = display.names_[0]
    for name in names:
        j = display.columns.index(name.get_text())
        assert_allclose(name.xy, (path.lambdas[-1], display.coefs[-1, 0, j]))
    boxes = sorted((name.get_window_extent() for name in names), key=lambda box: box.y0)
    ends = sorted(names, key=lambda name: name.xy[1])
    assert [name.get_window_extent().y0 for name in ends] == [box.y0 for box in boxes]
    heights = sorted(name.get_position()[1] for name in names)
    assert np.diff(heights).min() > 0


@given(st.lists(st.floats(-100, 100), max_size=10), st.floats(0.01, 50))
def test_places_are_in_order_a_gap_apart_and_untouched_where_there_is_room(ends, gap):
    ends = np.array(ends)
    places = _apart(ends, gap)
    order = np.argsort(ends, kind="stable")
    assert (np.diff(places[order]) >= gap * (1 - 1e-9) - 1e-9).all()
    assert_allclose(places.sum(), ends.sum(), atol=1e-6)
    if len(ends) and (np.diff(ends[order]) >= gap).all():
        assert_allclose(places, ends, atol=1e-9)


def test_a_ridge_names_the_largest(rows):
    path = logistic_path(*rows, Cs=5, l1_ratio=0.0)
    display = draw(path, rows[0], named=2)
    size = np.abs(display.coefs[:, 0]).max(axis=0)
    assert display.named == np.argsort(-size)[:2].tolist()


def test_columns_in_use_are_counted_above(path):
    display = draw(path)
    display.figure_.canvas.draw()
    (above,) = display.ax_[0].child_axes
    for at, text in zip(above.get_xticks(), above.get_xticklabels(), strict=True):
        used = (path.coefs[np.argmin(np.abs(path.lambdas - at)), 0] != 0).sum()
        assert text.get_text() == str(used)
    assert above.get_xticklabels()[0].get_text() == "0"


def test_the_choices_of_cross_validation_are_marked(path, tuned):
    display = draw(path, tuned=tuned)
    best, strong = (mark.get_xdata()[0] for mark in display.marks_[0])
    losses, errors = tuned.cv_results_["log_loss"], tuned.cv_results_["log_loss_standard_error"]
    assert best == pytest.approx(1 / (150 * tuned.C_))
    within = tuned.cv_results_["C"][losses <= losses.min() + errors[losses.argmin()]].min()
    assert strong == pytest.approx(1 / (150 * within))
    assert strong > best
    assert [text.get_text() for text in display.legend_.get_texts()] == ["best", "one standard error"]


def test_a_choice_beyond_the_path_is_seen(rows, tuned):
    display = draw(logistic_path(*rows, Cs=[1e-4, 2e-4]), tuned=tuned)
    right = display.ax_[0].get_xlim()[1]
    assert all(mark.get_xdata()[0] > right for mark in display.marks_[0])


def test_a_panel_a_class_with_the_names_of_curves_that_leave_zero(three):
    display = draw(three)
    assert len(display.ax_) == len(display.lines_) == 3
    for k, (panel, lines) in enumerate(zip(display.ax_, display.lines_, strict=True)):
        assert_array_equal([line.get_ydata() for line in lines], three.coefs[:, k].T)
        assert panel.get_ylabel() == f"coefficient of {k},\nper unit"
        used = {f"x{j}" for j in np.flatnonzero(three.coefs[:, k].any(axis=0))}
        assert {name.get_text() for name in display.names_[k]} == used
    assert len({panel.get_ylim() for panel in display.ax_}) == 1


def test_paths_take_the_place_of_axes(path, tuned):
    figure, (_, right) = plt.subplots(1, 2)
    display = draw(path, tuned=tuned, ax=right)
    assert display.figure_ is figure
    assert not right.axison
    assert len(display.plot().marks_[0]) == 2
