"""Pictures: places that can be computed otherwise."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.metrics import auc, roc_curve

from distinguo import LinearDiscriminantAnalysis
from distinguo.exceptions import InputError
from distinguo.report.curves import MOST_POINTS, curves_of
from distinguo.report.figures.contours import filled
from distinguo.report.figures.frame import Frame, ticks
from distinguo.report.figures.plane import INNER, OUTER
from distinguo.report.two_class_plane import two_class_plane


def area(outline: str) -> float:
    """What a path of polygons covers, by the shoelace formula."""
    total = 0.0
    for part in outline.removeprefix("M").removesuffix("Z").split("ZM"):
        corners = np.array([[float(v) for v in corner.split()] for corner in part.split("L")])
        x, y = corners.T
        total += abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
    return total


def grid(r: int = 41) -> tuple[Any, Any, Any]:
    places = np.linspace(0, 400, r)
    x, y = np.meshgrid(np.linspace(-1, 1, r), np.linspace(-1, 1, r))
    return places, x, y


@given(st.floats(-3, 3), st.floats(0, 2 * np.pi))
def test_half_planes(offset: float, angle: float) -> None:
    places, x, y = grid()
    values = np.cos(angle) * x + np.sin(angle) * y + offset
    inside = area(filled(places, places, values)) if (values >= 0).any() else 0.0
    outside = area(filled(places, places, -values)) if (values <= 0).any() else 0.0
    assert inside + outside == pytest.approx(400**2, rel=2e-3)  # places have one decimal


def test_disc() -> None:
    places, x, y = grid(81)
    assert area(filled(places, places, 0.64 - x**2 - y**2)) == pytest.approx(np.pi * 0.64 * 200**2, rel=5e-3)


def test_nothing_and_everything() -> None:
    places, x, _ = grid()
    assert filled(places, places, -np.ones_like(x)) == ""
    assert area(filled(places, places, np.ones_like(x))) == pytest.approx(400**2)


def test_ellipses_hold_their_shares() -> None:
    np.testing.assert_allclose([INNER, OUTER], chi2.ppf([0.5, 0.95], 2))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_round_and_within(low: float, width: float) -> None:
    high = low + width
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return
    found = ticks(low, high)
    assert 2 <= len(found) <= 8
    slack = 1e-6 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in found)
    steps = np.diff(found)
    assert steps == pytest.approx(np.full(len(steps), steps[0]), rel=1e-3)


def test_frame_ends_where_it_should() -> None:
    frame = Frame((0.0, 2.0), (10.0, 20.0), 300.0)
    assert (frame.x(0.0), frame.x(2.0)) == (frame.left, frame.width - frame.right)
    assert (frame.y(10.0), frame.y(20.0)) == (300.0 - frame.bottom, frame.top)


def test_curves_of_many_rows_are_thinned_and_keep_their_area() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(size=20_000)
    y = rng.uniform(size=20_000) < p
    found = curves_of("it", y, p, None, None)
    assert found is not None
    assert len(found.recall) <= MOST_POINTS
    assert (found.false_alarms[0], found.recall[0], found.false_alarms[-1], found.recall[-1]) == (0, 0, 1, 1)
    assert (found.pr_recall[0], found.pr_recall[-1]) == (0, 1)
    whole = roc_curve(y, p)
    assert auc(found.false_alarms, found.recall) == pytest.approx(auc(whole[0], whole[1]), abs=1e-3)


def test_no_curve_of_one_kind_of_rows() -> None:
    assert curves_of("it", np.array([True, True]), np.array([0.5, 0.6]), None, None) is None


def test_plane_of_two_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5)) + 2.0 * y[:, None]
    model = LinearDiscriminantAnalysis().fit(X, y)
    plane = two_class_plane(X, y, model.scalings_[:, 0])
    np.testing.assert_allclose(plane.lifts @ plane.directions, np.eye(2), atol=1e-10)
    Z = plane.project(X)
    within = Z - np.array([Z[y == k].mean(axis=0) for k in (0, 1)])[y]
    np.testing.assert_allclose(within.T @ within / 198, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(plane.project(plane.lift(Z)), Z, atol=1e-9)
    assert abs(np.corrcoef(Z[:, 0], model.transform(X)[:, 0])[0, 1]) == pytest.approx(1)
    # The means differ along the discriminant alone.
    np.testing.assert_allclose(Z[y == 0].mean(axis=0)[1], Z[y == 1].mean(axis=0)[1], atol=1e-9)


@pytest.mark.parametrize("X", [np.full((6, 2), np.nan), np.ones((6, 2)), np.column_stack([np.arange(6.0), np.ones(6)])])
def test_no_plane_without_two_directions(X: Any) -> None:
    with pytest.raises(InputError):
        two_class_plane(X, np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, 0.0]))


def test_page_has_each_picture(iris: Any, cancer: Any) -> None:
    for report in (iris, cancer):
        html = report.to_html()
        assert len(re.findall('class="ellipse outer', html)) == len(report.evaluation.classes)
        assert html.count('class="moving"') == 2
        assert 'class="land' in html
