"""Convergence traces: what is drawn is what the fits left behind."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from distinguo import LogisticRegression, Mixture, MixtureDiscriminantAnalysis, Perceptron, TraceDisplay

trace_of = TraceDisplay.from_estimator


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    return rng.normal(size=(120, 3)) + 0.8 * y[:, None], y


@pytest.fixture(scope="module")
def fits(rows):
    with pytest.warns(ConvergenceWarning):
        slow = LogisticRegression(C=1.0, solver="gradient-descent", max_iter=50).fit(*rows)
    return {"Newton": LogisticRegression(C=1.0, solver="newton").fit(*rows), "descent": slow}


def test_the_objective_is_drawn_from_the_start_on(fits):
    model = fits["Newton"]
    display = trace_of(model)
    ((line,),) = display.lines_
    assert_array_equal(line.get_xdata(), np.arange(model.n_iter_ + 1))
    assert_array_equal(line.get_ydata(), model.trace_)
    assert display.ax_[0].get_ylabel() == "objective"
    assert display.ax_[0].get_xlabel() == "iteration"
    assert display.ax_[0].get_title(loc="left") == f"converged after {model.n_iter_} steps"
    assert display.legend_ is None


def test_on_a_logarithmic_axis_distances_are_from_the_least_of_all(fits):
    display = trace_of(fits, scale="log")
    newton, descent = (line.get_ydata() for line in display.lines_[0])
    best = fits["Newton"].trace_.min()
    assert best < fits["descent"].trace_.min()
    assert_allclose(descent, fits["descent"].trace_ - best)
    assert np.isnan(newton[fits["Newton"].trace_ == best]).all()  # no logarithm of nothing
    assert_allclose(newton[0], fits["Newton"].trace_[0] - best)
    assert display.ax_[0].get_yscale() == "log"
    assert [text.get_text() for text in display.legend_.get_texts()] == ["Newton", "descent"]
    assert display.ax_[0].get_title(loc="left") == ""


def test_gradient_descent_is_a_straight_line_in_the_end(rows):
    # Gradient descent converges linearly to the optimum of a strictly convex function (Nesterov 2004, theorem 2.1.15).
    with pytest.warns(ConvergenceWarning):
        slow = LogisticRegression(C=0.1, solver="gradient-descent", max_iter=60, tol=1e-300).fit(*rows)
    fast = LogisticRegression(C=0.1, solver="newton", tol=1e-12).fit(*rows)
    drawn = trace_of({"fast": fast, "slow": slow}, scale="log").lines_[0][1].get_ydata()
    seen = np.log(drawn[np.isfinite(drawn) & (drawn > 1e-8)])[5:]
    ratios = np.diff(seen)
    assert len(ratios) > 10
    assert (ratios < 0).all()
    assert_allclose(ratios[-5:], ratios[-1], rtol=0.05)


def test_perceptrons_have_a_panel_of_the_criterion_and_one_of_errors(rows):
    model = Perceptron(max_iter=20).fit(*rows)
    display = trace_of(model)
    criterion, errors = display.lines_
    assert_array_equal(criterion[0].get_ydata(), model.trace_[:, 0])
    assert_array_equal(errors[0].get_ydata(), model.trace_[:, 1])
    assert [panel.get_ylabel() for panel in display.ax_] == ["perceptron criterion", "rows misclassified"]
    assert display.ax_[1].get_xlabel() == "pass over the rows"
    assert display.ax_[0].get_title(loc="left") == "max_iter after 20 steps"


def test_criterion_and_errors_are_zero_at_the_least_not_what_they_came_to(rows):
    model = Perceptron(max_iter=20).fit(*rows)
    assert model.trace_[:, 1].min() > 0
    errors = trace_of(model, scale="log").lines_[1][0].get_ydata()
    assert_array_equal(errors, model.trace_[:, 1])


@pytest.mark.parametrize("model", [MixtureDiscriminantAnalysis(subclasses=2), Mixture(2)], ids=["MDA", "mixture"])
def test_likelihoods_rise(model, rows):
    model.fit(*rows)
    assert_array_equal(trace_of(model).lines_[0][0].get_ydata(), model.trace_)
    below = trace_of(model, scale="log")
    distance = below.lines_[0][0].get_ydata()
    known = np.isfinite(distance)
    assert_allclose(distance[known], (model.trace_.max() - model.trace_)[known])
    assert below.ax_[0].get_ylabel() == "log-likelihood\nbelow its greatest value"


def test_few_powers_of_ten_have_plain_numbers(rows):
    display = trace_of(Perceptron(max_iter=5).fit(*rows), scale="log")
    display.figure_.canvas.draw()
    assert not any("$" in tick.get_text() for tick in display.ax_[1].get_yticklabels())


def test_traces_take_the_place_of_axes(fits):
    figure, (left, _) = plt.subplots(1, 2)
    display = trace_of(fits, ax=left)
    assert display.figure_ is figure
    assert not left.axison
    assert display.plot().figure_ is not figure
