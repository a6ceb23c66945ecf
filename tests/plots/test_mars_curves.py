"""Component curves of MARS: they add up to the prediction."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from distinguo import Mars, MarsDisplay


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(300, 4)), columns=["age", "dose", "noise", "cost ($)"])
    y = 4 * np.abs(X["age"] - 0.5) + 2 * X["dose"] + np.maximum(X["cost ($)"] - 0.7, 0) * 6
    return X, y.to_numpy() + 0.05 * rng.normal(size=300)


def test_curves_and_mean_add_up_to_the_prediction(rows):
    X, y = rows
    model = Mars().fit(X, y)
    display = MarsDisplay.from_estimator(model, X)
    total = sum(np.interp(part.rows, part.x, part.curve[:, 0]) for part in display.components)
    predicted = model.predict(X)
    assert_allclose(total + predicted.mean(), predicted)
    assert [panel.get_xlabel() for panel in display.ax_] == ["age", "dose", r"cost (\$)"]
    assert display.ax_[0].get_ylabel() == "adds to y"


def test_dots_are_at_the_knots(rows):
    X, y = rows
    model = Mars().fit(X, y)
    display = MarsDisplay.from_estimator(model, X)
    for column, part in zip([0, 1, 3], display.components, strict=True):
        knots = {h.knot for t in model.terms_ for h in t.hinges if h.feature == column and h.side}
        inside = sorted(knot for knot in knots if part.rows.min() < knot < part.rows.max())
        assert_allclose(part.x[part.knots], inside)


def test_partial_residuals_are_curve_and_residual(rows):
    X, y = rows
    model = Mars().fit(X, y)
    display = MarsDisplay.from_estimator(model, X, y)
    (part, *_) = display.components
    curve = np.interp(part.rows, part.x, part.curve[:, 0])
    assert_allclose(display.ax_[0].collections[0].get_offsets()[:, 1], curve + y - model.predict(X))


def test_several_responses_share_panels_and_have_a_legend(rows):
    X, y = rows
    model = Mars().fit(X, pd.DataFrame({"gain": y, "_loss": -y + X["noise"]}))
    display = MarsDisplay.from_estimator(model, X)
    assert len(display.components) == 4
    assert all(len(lines) == 2 for lines in display.lines_)
    assert [text.get_text() for text in display.legend_.get_texts()] == ["gain", "_loss"]


def test_terms_of_one_column_do_whatever_degree_was_allowed(rows):
    X, _ = rows
    model = Mars(degree=2).fit(X, np.abs(X["age"] - 0.5))
    assert len(MarsDisplay.from_estimator(model, X).components) == 1
