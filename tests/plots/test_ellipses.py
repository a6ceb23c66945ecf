"""Class ellipses: axes along eigenvectors, as long as the chi-squared quantile says."""

from copy import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chi2

from distinguo import (
    ClassEllipsesDisplay,
    DecisionRegionsDisplay,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    TerritorialMapDisplay,
)

MODELS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(pooling=0.5, shrinkage=0.1),
    GaussianNB(),
]


def covariances(model):
    """(K, p, p) from the fitted attributes."""
    if isinstance(model, GaussianNB):
        return np.stack([np.diag(variances) for variances in model.variances_])
    return np.broadcast_to(model.covariance_, (len(model.classes_), *model.covariance_.shape[-2:]))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_axes_are_those_of_the_covariance(model, iris):
    X, y = iris
    model.fit(X, y)
    display = ClassEllipsesDisplay.from_estimator(model, features=(0, 2), coverage=[0.95, 0.5])
    for k, ellipses in enumerate(display.ellipses_):
        values, vectors = np.linalg.eigh(covariances(model)[k][np.ix_([0, 2], [0, 2])])
        for ellipse, coverage in zip(ellipses, [0.5, 0.95], strict=True):
            half = np.sqrt(values * chi2.ppf(coverage, 2))
            np.testing.assert_allclose([ellipse.height / 2, ellipse.width / 2], half)
            angle = np.radians(ellipse.angle)
            assert abs(np.array([np.cos(angle), np.sin(angle)]) @ vectors[:, 1]) == pytest.approx(1)
            np.testing.assert_allclose(ellipse.center, model.means_[k, [0, 2]])


def test_ellipses_hold_the_share_they_name():
    rng = np.random.default_rng(0)
    n = 40_000
    X = np.concatenate([rng.multivariate_normal([0, 0], [[2, 1], [1, 1]], n), rng.normal(size=(n, 2)) + 9])
    display = ClassEllipsesDisplay.from_estimator(QuadraticDiscriminantAnalysis().fit(X, np.repeat([0, 1], n)))
    for ellipse, coverage in zip(display.ellipses_[0], [0.5, 0.95], strict=True):
        inside = ellipse.get_path().contains_points(ellipse.get_patch_transform().inverted().transform(X[:n]))
        assert inside.mean() == pytest.approx(coverage, abs=3.5 * np.sqrt(coverage * (1 - coverage) / n) + 1e-3)


def test_in_the_discriminant_space_lda_has_circles(lda, iris):
    display = ClassEllipsesDisplay.from_estimator(lda, *iris, features="discriminants", coverage=[0.9])
    for (ellipse,) in display.ellipses_:
        np.testing.assert_allclose([ellipse.width, ellipse.height], 2 * np.sqrt(chi2.ppf(0.9, 2)))
    centres = [ellipse.center for (ellipse,) in display.ellipses_]
    np.testing.assert_allclose(centres, lda.transform(iris[0].groupby(iris[1]).mean()))


def test_naive_bayes_keeps_ellipses_upright(iris):
    X, y = iris
    display = ClassEllipsesDisplay.from_estimator(GaussianNB().fit(X, y), X, y)
    assert {ellipse.angle % 90 for ellipses in display.ellipses_ for ellipse in ellipses} == {0.0}
    assert [len(points.get_offsets()) for points in display.points_] == [50, 50, 50]


def with_subclasses(model):
    """The model, as if its first class had two subclasses, two units apart, and the others one."""
    parted = copy(model)
    parted.subclass_means_ = model.means_[[0, 0, 1, 2]] + np.array([[-1.0], [1.0], [0.0], [0.0]]) * np.eye(4)[0]
    parted.subclass_classes_ = model.classes_[[0, 0, 1, 2]]
    parted.subclass_covariances_ = np.stack([times * model.covariance_ for times in (1.0, 2.0, 3.0, 4.0)])
    return parted


def test_subclasses_have_ellipses_of_their_own_in_the_colour_of_their_class(lda):
    parted = with_subclasses(lda)
    display = ClassEllipsesDisplay.from_estimator(parted, coverage=[0.5])
    assert_array_equal(display.owners, [0, 0, 1, 2])
    areas = np.array([ellipse.width * ellipse.height for (ellipse,) in display.ellipses_])
    np.testing.assert_allclose(areas / areas[0], [1, 2, 3, 4])
    colors = [ellipse.get_edgecolor() for (ellipse,) in display.ellipses_]
    assert colors[0] == colors[1] != colors[2]
    assert display.legend_.get_texts()[-1].get_text() == "50% of a subclass"


def test_subclasses_are_marked_on_the_map(lda):
    display = TerritorialMapDisplay.from_estimator(with_subclasses(lda), resolution=20)
    assert [mean.get_text() for mean in display.means_] == ["1", "1", "2", "3"]
    assert display.ax_.get_xlabel() == "LD1 (99.1% of between-subclass variance)"


def test_legend_says_what_lines_mean(lda):
    display = ClassEllipsesDisplay.from_estimator(lda, coverage=0.75)
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["setosa", "versicolor", "virginica", "75% of a class"]


def test_all_ellipses_are_in_sight(lda):
    display = ClassEllipsesDisplay.from_estimator(lda, coverage=[0.999])
    for (ellipse,) in display.ellipses_:
        corners = ellipse.get_patch_transform().transform_path(ellipse.get_path()).get_extents()
        view = display.ax_.viewLim
        assert view.x0 < corners.x0
        assert view.x1 > corners.x1
        assert view.y0 < corners.y0
        assert view.y1 > corners.y1


def test_over_regions_limits_and_names_stay(lda, iris):
    regions = DecisionRegionsDisplay.from_estimator(lda, *iris, features=(2, 3), resolution=10)
    before = regions.ax_.viewLim.frozen().bounds
    display = ClassEllipsesDisplay.from_estimator(lda, features=(2, 3), ax=regions.ax_, legend=False)
    assert display.ax_.viewLim.bounds == before
    assert display.ax_.get_xlabel() == "petal length (cm)"
    assert len(display.ax_.patches) == 6


def test_a_class_without_rows_has_no_ellipse(make_clouds):
    model = QuadraticDiscriminantAnalysis().partial_fit(*make_clouds(2), classes=[0, 1, 2])
    display = ClassEllipsesDisplay.from_estimator(model)
    assert [len(ellipses) for ellipses in display.ellipses_] == [2, 2, 0]
