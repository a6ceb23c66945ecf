"""Decision regions on the plane of the first two principal components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from distinguo import (
    DecisionRegionsDisplay,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)
from distinguo.exceptions import InputError

regions = DecisionRegionsDisplay.from_estimator
PLANES = ["principal components", "unscaled principal components"]


def grid_points(display):
    """The points (r * r, 2) of the picture."""
    return np.stack(np.meshgrid(display.surface.x, display.surface.y), axis=-1).reshape(-1, 2)


def test_components_are_those_of_prcomp(lda, iris):
    # R 4.2.2, prcomp(iris[, 1:4], scale. = TRUE); its standard deviations have the divisor n - 1.
    X, y = iris
    display = regions(lda, X, y, features="principal components", resolution=5)
    places = display.places * np.sqrt(149 / 150)
    assert_allclose(np.abs(places[:2]), [[2.2571412, 0.47842383], [2.0740130, 0.67188269]], atol=5e-8)
    assert display.ax_.get_xlabel() == "PC1 (73.0% of variance)"
    assert display.ax_.get_ylabel() == "PC2 (22.9%)"
    assert display.ax_.get_title(loc="left") == "2 further components at their means"
    assert display.ax_.get_aspect() == 1


def test_unscaled_components_are_those_of_prcomp(lda, iris):
    # R 4.2.2, prcomp(iris[, 1:4]).
    display = regions(lda, iris[0], features="unscaled principal components", resolution=5)
    rotation = [[0.361386592, 0.084522514, 0.856670606, 0.358289197], [0.65658877, 0.73016143, 0.17337266, 0.07548102]]
    assert_allclose(np.abs(display.plane.directions.T), rotation, atol=5e-9)
    assert display.ax_.get_xlabel() == "PC1 (92.5% of variance)"


@pytest.mark.parametrize("features", PLANES)
@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        GaussianNB(),
        LogisticRegression(C=1.0),
        LeastSquaresClassifier(),
        Perceptron(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_regions_are_the_models_answers_on_the_plane(model, features, make_clouds):
    X, y = make_clouds(3, p=5)
    model.fit(X, y)
    display = regions(model, X, y, features=features, resolution=20)
    points = grid_points(display)
    rows = display.plane.lift(points)
    assert_array_equal(model.classes_[display.surface.codes.ravel()], model.predict(rows))
    assert_allclose(display.plane.project(rows), points, atol=1e-9)


@pytest.mark.parametrize("features", PLANES)
def test_rows_on_the_plane_come_back_to_themselves(features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 3)) + [5.0, -3.0, 100.0]
    y = np.repeat(["a", "b"], 30)
    display = regions(LogisticRegression(C=1.0).fit(X, y), X, y, features=features, resolution=5)
    assert_allclose(display.plane.lift(display.places), X, atol=1e-9)
    assert display.ax_.get_title(loc="left") == "PC3 at its mean"


def test_units_do_not_matter_unless_columns_are_unscaled(make_clouds):
    X, y = make_clouds(3)
    units = np.array([1e-3, 1.0, 1e4, 7.0])
    first, second = (
        regions(GaussianNB().fit(rows, y), rows, y, features="principal components", resolution=5)
        for rows in (X, X * units)
    )
    assert_allclose(first.places, second.places, atol=1e-9)
    heavy = regions(GaussianNB().fit(X * units, y), X * units, y, features="unscaled principal components")
    assert abs(heavy.plane.directions[2, 0]) > 1 - 1e-6


def test_rows_with_holes_have_no_place_and_the_others_keep_theirs(make_clouds):
    X, y = make_clouds(3)
    holed = np.vstack([X, X[:2]])
    holed[-2:, 0] = np.nan
    model = GaussianNB().fit(X, y)
    display = regions(model, holed, np.append(y, y[:2]), features="principal components", resolution=5)
    assert np.isnan(display.places[-2:]).all()
    assert_allclose(
        display.places[:-2], regions(model, X, y, features="principal components", resolution=5).places, atol=1e-9
    )


def test_a_column_that_does_not_vary_takes_no_part():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 3)), np.full(40, 1e6 + 0.1)])
    model = LogisticRegression(C=1.0).fit(X[:, :3], np.repeat([0, 1], 20))
    with pytest.warns(UserWarning, match="constant"):
        constant = LogisticRegression(C=1.0).fit(X, np.repeat([0, 1], 20))
    display = regions(constant, X, features="principal components", resolution=5)
    assert_allclose(display.plane.directions[3], 0, atol=1e-9)
    without = regions(model, X[:, :3], features="principal components", resolution=5)
    assert_allclose(display.plane.directions[:3], without.plane.directions, atol=1e-9)


def test_wide_tables_are_drawn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 200)), np.repeat([0, 1], 10)
    display = regions(LogisticRegression(C=0.1).fit(X, y), X, y, features="principal components", resolution=10)
    assert display.ax_.get_title(loc="left") == "198 further components at their means"
    assert np.isfinite(display.places).all()


LINE = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])
HOLED = np.where(np.eye(10, 3) > 0, np.nan, LINE)
HOLED[2:] = np.nan
MODEL = GaussianNB().fit(LINE, np.repeat([0, 1], 5))
REFUSED = {
    "rows on a line": (lambda: regions(MODEL, LINE, features=PLANES[0]), "vary along one direction at the most"),
    "rows all the same": (lambda: regions(MODEL, LINE[[1] * 5], features=PLANES[0]), "span no plane; give two columns"),
    "rows full of holes": (lambda: regions(MODEL, HOLED, features=PLANES[1]), "three rows without missing cells; X"),
    "two rows": (lambda: regions(MODEL, LINE[:2], features=PLANES[0]), "X has 2"),
    "one column": (
        lambda: regions(GaussianNB().fit(LINE[:, :1], [0, 1] * 5), LINE[:, :1], features=PLANES[0]),
        "the picture needs two columns",
    ),
    "columns held": (
        lambda: regions(MODEL, LINE, features=PLANES[0], others={0: 1.0}),
        "no column is in the plane of principal components",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_rows_without_a_plane_are_refused(case):
    call, message = REFUSED[case]
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
