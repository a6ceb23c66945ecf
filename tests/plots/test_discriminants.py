"""Pictures of discriminants: histograms, territorial maps and coefficients."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from distinguo import (
    CoefficientsDisplay,
    DiscriminantHistogramDisplay,
    LinearDiscriminantAnalysis,
    PenalizedDiscriminantAnalysis,
    TerritorialMapDisplay,
)


def test_histogram_has_a_panel_a_class_on_one_axis(lda, iris):
    X, y = iris
    display = DiscriminantHistogramDisplay.from_estimator(lda, X, y, component=1)
    assert len(display.ax_) == len(display.bars_) == 3
    assert len({panel.get_xlim() for panel in display.ax_}) == 1
    scores = lda.transform(X)[:, 1]
    for k, bars in enumerate(display.bars_):
        own = scores[y == lda.classes_[k]]
        assert_allclose(bars.datavalues, np.histogram(own, display.edges, density=True)[0])
        assert_allclose(display.ax_[k].lines[0].get_xdata(), own.mean())
        assert display.ax_[k].texts[0].get_text() == f"{lda.classes_[k]}\n50 rows"
    assert display.ax_[-1].get_xlabel() == "LD2 (0.9%)"


def test_histogram_covers_all_rows_in_bins_of_the_number_asked_for(lda, iris):
    display = DiscriminantHistogramDisplay.from_estimator(lda, *iris, bins=7)
    scores = lda.transform(iris[0])[:, 0]
    assert len(display.edges) == 8
    assert (display.edges[0], display.edges[-1]) == (scores.min(), scores.max())


@pytest.mark.parametrize("K", [2, 10])
def test_histogram_of_few_and_many_classes(K, make_clouds):
    X, y = make_clouds(K)
    display = DiscriminantHistogramDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), X, y)
    assert len(display.ax_) == K


def test_histogram_of_rows_without_one_of_the_classes(lda, iris):
    X, y = iris
    display = DiscriminantHistogramDisplay.from_estimator(lda, X[:1], y[:1])
    assert [panel.texts[0].get_text().split("\n")[1] for panel in display.ax_] == ["1 row", "0 rows", "0 rows"]


def test_histogram_takes_the_place_of_axes(lda, iris):
    figure, (left, _) = plt.subplots(1, 2)
    display = DiscriminantHistogramDisplay.from_estimator(lda, *iris, ax=left)
    assert display.figure_ is figure
    assert len(figure.axes) == 5
    assert not left.axison


def test_map_shows_who_owns_what(lda, iris):
    display = TerritorialMapDisplay.from_estimator(lda, resolution=60)
    points = np.stack(np.meshgrid(display.surface.x, display.surface.y), axis=-1).reshape(-1, 2)
    # In the discriminant space LDA is the nearest mean, less twice the log prior.
    means = lda.transform(pd.DataFrame(lda.means_, columns=iris[0].columns))
    scores = -0.5 * ((points[:, None] - means) ** 2).sum(axis=2) + np.log(lda.priors_)
    assert_array_equal(display.surface.codes.ravel(), scores.argmax(axis=1))
    assert_allclose([text.get_position() for text in display.means_], means)
    assert display.symbols == ["1", "2", "3"]
    assert [text.get_text() for text in display.legend_.get_texts()] == ["1  setosa", "2  versicolor", "3  virginica"]
    assert display.territories_ == []


def test_map_reaches_the_rows_given(lda, iris):
    far = pd.DataFrame(iris[0].iloc[:1] * 3)
    x, y = lda.transform(far)[0]
    limits = TerritorialMapDisplay.from_estimator(lda, far, resolution=10).surface.limits
    assert limits[0, 0] <= x <= limits[0, 1]
    assert limits[1, 0] <= y <= limits[1, 1]


def test_map_has_straight_borders(lda, iris):
    display = TerritorialMapDisplay.from_estimator(lda, resolution=50)
    for contours in display.boundaries_:
        for path in contours.get_paths():
            for part in path.to_polygons(closed_only=False):
                inner = part[(np.abs(part[:, 1]) < 2)]
                x, y = inner.T
                assert_allclose(np.polynomial.Polynomial.fit(y, x, 1)(y), x, atol=1e-6)


def test_short_labels_are_their_own_symbols(make_clouds):
    X, y = make_clouds(4)
    display = TerritorialMapDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), resolution=30)
    assert display.symbols == ["0", "1", "2", "3"]
    assert [text.get_text() for text in display.legend_.get_texts()] == ["0", "1", "2", "3"]


def test_a_territory_without_its_mean_has_a_symbol():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0, 3.0], [0, 0, -3.0], [9, 0, 0], [0, 9, 0], [-9, -9, 0], [1.0, 1.0, 0]])
    y = np.repeat(np.arange(6), 60)
    X = centres[y] + rng.normal(size=(360, 3))
    display = TerritorialMapDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), resolution=80)
    for text in display.territories_:
        k = int(text.get_text())
        x, height = text.get_position()
        row = np.abs(display.surface.y - height).argmin()
        column = np.abs(display.surface.x - x).argmin()
        assert display.surface.codes[row, column] == k
    elsewhere = {
        k
        for k, (x, height) in enumerate(display.means)
        if display.surface.codes[np.abs(display.surface.y - height).argmin(), np.abs(display.surface.x - x).argmin()]
        != k
        and (display.surface.codes == k).mean() > 0.002
    }
    assert {int(text.get_text()) for text in display.territories_} == elsewhere


def test_coefficients_are_the_scalings(lda):
    display = CoefficientsDisplay.from_estimator(lda)
    assert_allclose([line.get_ydata() for line in display.lines_], lda.scalings_.T)
    assert [text.get_text() for text in display.legend_.get_texts()] == ["LD1", "LD2"]
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == list(lda.feature_names_in_)


def test_penalised_coefficients_are_smooth_curves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 50)) + np.repeat([0.0, 1.0, -1.0], 20)[:, None] * np.sin(np.arange(50) / 8)
    y = np.repeat(["a", "b", "c"], 20)
    model = PenalizedDiscriminantAnalysis(penalty="difference", df=5).fit(X, y)
    display = CoefficientsDisplay.from_estimator(model, components=1)
    assert_allclose(display.lines_[0].get_ydata(), model.scalings_[:, 0])
    assert display.ax_.get_xlabel() == "column"
    assert display.lines_[0].get_marker() == ""
    assert DiscriminantHistogramDisplay.from_estimator(model, X, y).figure_ is not display.figure_


def test_standardized_coefficients_do_not_depend_on_units(lda, iris):
    X, y = iris
    metres = LinearDiscriminantAnalysis().fit(X / 100, y)
    pictures = [CoefficientsDisplay.from_estimator(m, standardized=True) for m in (lda, metres)]
    assert_allclose(pictures[0].coefficients, pictures[1].coefficients)
    assert pictures[0].ax_.get_ylabel() == "standardized coefficient"


def test_coefficients_of_classes(lda, iris):
    display = CoefficientsDisplay.from_estimator(lda, of="classes")
    assert_allclose(display.coefficients, lda.coef_)
    two = LinearDiscriminantAnalysis().fit(iris[0][:100], iris[1][:100])
    display = CoefficientsDisplay.from_estimator(two, of="classes")
    assert [text.get_text() for text in display.legend_.get_texts()] == ["versicolor against setosa"]


def test_names_that_are_numbers_are_the_axis():
    rng = np.random.default_rng(0)
    nanometres = np.linspace(400, 700, 40)
    X = pd.DataFrame(rng.normal(size=(90, 40)), columns=[f"{value:.2f}" for value in nanometres])
    model = LinearDiscriminantAnalysis(shrinkage=0.5).fit(X, np.repeat(["a", "b", "c"], 30))
    display = CoefficientsDisplay.from_estimator(model, components=1, axis_name="wavelength (nm)")
    assert_allclose(display.lines_[0].get_xdata(), nanometres, atol=0.01)
    assert display.ax_.get_xlabel() == "wavelength (nm)"
    given = CoefficientsDisplay.from_estimator(model, axis=np.arange(40) / 2)
    assert_allclose(given.lines_[1].get_xdata(), np.arange(40) / 2)


def test_three_discriminants_are_drawn_unless_more_are_asked_for(make_clouds):
    model = LinearDiscriminantAnalysis().fit(*make_clouds(7, p=8))
    assert len(CoefficientsDisplay.from_estimator(model).lines_) == 3
    assert len(CoefficientsDisplay.from_estimator(model, components=6).lines_) == 6
