"""Decision regions: what is drawn is what the model says."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from distinguo import (
    DecisionRegionsDisplay,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

PETALS = ["petal length (cm)", "petal width (cm)"]


def grid_rows(display):
    """The rows (r * r, p) that the picture asked the model about."""
    points = np.stack(np.meshgrid(display.surface.x, display.surface.y), axis=-1)
    return display.plane.lift(points.reshape(-1, 2))


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
def test_regions_agree_with_predict(model, iris):
    X, y = iris
    model.fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, features=PETALS, resolution=30)
    rows = pd.DataFrame(grid_rows(display), columns=X.columns)
    np.testing.assert_array_equal(model.classes_[display.surface.codes.ravel()], model.predict(rows))
    np.testing.assert_allclose(display.surface.certainty.ravel(), model.predict_proba(rows).max(axis=1))
    np.testing.assert_allclose(display.surface.typicality.ravel(), model.typicality(rows).max(axis=1))


def test_other_columns_are_held_at_their_means_or_as_given(lda, iris):
    X, _ = iris
    display = DecisionRegionsDisplay.from_estimator(lda, X, features=PETALS, resolution=5)
    np.testing.assert_allclose(grid_rows(display)[:, :2], np.tile(X.iloc[:, :2].mean(), (25, 1)))
    assert display.ax_.get_title(loc="left") == "sepal length (cm) = 5.84, sepal width (cm) = 3.06"
    held = DecisionRegionsDisplay.from_estimator(lda, X, features=(2, 3), others={"sepal width (cm)": 2}, resolution=5)
    np.testing.assert_allclose(grid_rows(held)[:, 1], 2.0)
    assert held.ax_.get_title(loc="left") == "sepal length (cm) = 5.84, sepal width (cm) = 2"
    assert held.ax_.get_xlabel() == PETALS[0]
    assert held.ax_.get_ylabel() == PETALS[1]


def test_many_other_columns_are_counted_not_listed(make_clouds):
    X, y = make_clouds(3, p=8)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, others={4: 1.0, 5: 2.0, 6: 3.0}, resolution=5)
    assert display.ax_.get_title(loc="left") == "x4 = 1, x5 = 2, 1 more as given, 3 other columns at their means"
    assert display.ax_.get_xlabel() == "x0"


def test_boundary_of_lda_is_its_hyperplane(make_clouds):
    X, y = make_clouds(2, p=2)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, resolution=40)
    (contours,) = display.boundaries_
    (line,) = (path for path in contours.get_paths() if len(path.vertices))
    scale = np.abs(model.decision_function(X)).max()
    np.testing.assert_allclose(model.decision_function(line.vertices) / scale, 0, atol=1e-9)


def test_boundary_of_qda_bends(make_clouds):
    X, y = make_clouds(2, p=2)
    X[y == 1] *= [0.3, 2.0]
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, resolution=200)
    vertices = np.concatenate([path.vertices for path in display.boundaries_[0].get_paths()])
    assert np.abs(model.decision_function(vertices)).max() < 0.05 * np.abs(model.decision_function(X)).max()
    centred = vertices - vertices.mean(axis=0)
    assert np.linalg.svd(centred, compute_uv=False)[1] > 0.05


def test_rows_are_drawn_by_class(lda, iris):
    X, y = iris
    display = DecisionRegionsDisplay.from_estimator(lda, X, y, features=PETALS, resolution=10)
    assert [len(points.get_offsets()) for points in display.points_] == [50, 50, 50]
    np.testing.assert_allclose(display.points_[0].get_offsets(), X[PETALS][y == "setosa"])
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["setosa", "versicolor", "virginica", "like no class\n(typicality < 0.01)"]
    assert DecisionRegionsDisplay.from_estimator(lda, X, resolution=10).points_ == []


def test_shading_is_paler_where_the_model_is_less_sure(lda, iris):
    display = DecisionRegionsDisplay.from_estimator(lda, iris[0], features=PETALS, resolution=50)
    whiteness = np.asarray(display.image_.get_array()).min(axis=2)
    certainty = display.surface.certainty
    for k in range(3):
        own = display.surface.codes == k
        order = np.argsort(certainty[own])
        assert (np.diff(whiteness[own][order]) <= 1e-12).all()


def test_discriminants_come_back_to_where_they_are(lda, iris):
    X, y = iris
    display = DecisionRegionsDisplay.from_estimator(lda, X, y, features="discriminants", resolution=20)
    points = np.stack(np.meshgrid(display.surface.x, display.surface.y), axis=-1).reshape(-1, 2)
    rows = pd.DataFrame(display.plane.lift(points), columns=X.columns)
    np.testing.assert_allclose(lda.transform(rows), points, atol=1e-9)
    np.testing.assert_allclose(display.places, lda.transform(X))
    assert display.ax_.get_xlabel() == "LD1 (99.1% of between-class variance)"
    assert display.ax_.get_ylabel() == "LD2 (0.9%)"
    assert display.ax_.get_aspect() == 1


def test_further_discriminants_are_held_at_their_means(make_clouds):
    X, y = make_clouds(5, p=6)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, features="discriminants", resolution=10)
    discriminants = model.transform(grid_rows(display))
    np.testing.assert_allclose(
        discriminants[:, 2:], np.tile(model.transform(model.means_).mean(axis=0)[2:], (100, 1)), atol=1e-9
    )
    assert display.ax_.get_title(loc="left") == "2 further discriminants at their means"


def test_novelty_is_where_typicality_is_low(lda, iris):
    display = DecisionRegionsDisplay.from_estimator(lda, iris[0], features=PETALS, novelty=0.2, resolution=20)
    assert display.novelty_.levels.tolist() == [-1.0, 0.2]
    assert display.novelty_.hatches == ["////"]
    none = DecisionRegionsDisplay.from_estimator(lda, iris[0], features=PETALS, novelty=None, resolution=20)
    assert none.novelty_ is None
    assert len(none.legend_.get_texts()) == 3


def test_where_all_is_typical_nothing_is_hatched():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), np.repeat([0, 1], 200)
    model = LinearDiscriminantAnalysis().fit(X, y)
    near = X[np.abs(X).max(axis=1) < 0.5]
    assert DecisionRegionsDisplay.from_estimator(model, near, resolution=10).novelty_ is None


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(),
        Perceptron(),
        SVC(decision_function_shape="ovo"),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("K", [2, 4])
def test_models_of_other_libraries(model, K, make_clouds):
    X, y = make_clouds(K)
    model.fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, resolution=25)
    np.testing.assert_array_equal(model.classes_[display.surface.codes.ravel()], model.predict(grid_rows(display)))
    assert display.novelty_ is None
    best = display.surface.margins.argmax(axis=0)
    assert (best == display.surface.codes).mean() > 0.95  # ties aside, and ovo votes


@pytest.mark.parametrize("K", range(2, 11))
def test_up_to_ten_classes_look_different(K, make_clouds):
    X, y = make_clouds(K, p=2)
    model = GaussianNB().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, resolution=40)
    looks = {tuple(points.get_facecolor()[0]) for points in display.points_}
    shapes = {points.get_paths()[0].vertices.tobytes() for points in display.points_}
    assert len(looks) == len(shapes) == K


LABELS = [
    ["price in $", "US$ or A$", "_hidden"],
    [True, False],
    [-1, 3, 10**18],
    [1, "1", 2],
    [np.datetime64("2024-01-01"), np.datetime64("2025-01-01")],
    [b"a", b"b"],
    ["", "a\nb", "é" * 60],
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(labels[0]) or "empty")
def test_labels_of_any_type(labels, make_clouds):
    X, codes = make_clouds(len(labels), p=2)
    y = [labels[k] for k in codes]
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, resolution=10, novelty=None)
    display.figure_.canvas.draw()
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert len(set(texts)) == len(labels)
    assert not any("$" in text.replace(r"\$", "") or "\n" in text for text in texts)
    assert max(map(len, texts)) <= 30


def test_names_with_dollars_are_no_formulas(make_clouds):
    X, y = make_clouds(2, p=2)
    frame = pd.DataFrame(X, columns=["gain ($)", "$loss$"])
    display = DecisionRegionsDisplay.from_estimator(GaussianNB().fit(frame, y), frame, y, resolution=10)
    assert display.ax_.get_ylabel() == r"\$loss\$"
    display.figure_.canvas.draw()


def test_holes_do_not_hide_the_rest(make_clouds):
    X, y = make_clouds(3, p=3)
    X[::7, 2] = np.nan
    X[::5, 0] = np.nan
    display = DecisionRegionsDisplay.from_estimator(GaussianNB().fit(X, y), X, y, resolution=10)
    np.testing.assert_allclose(display.plane.base[2], np.nanmean(X[:, 2]))
    np.testing.assert_array_equal(display.places, X[:, :2])


def test_a_class_without_rows_owns_nothing(make_clouds):
    X, y = make_clouds(2, p=2)
    model = LinearDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1, 2])
    display = DecisionRegionsDisplay.from_estimator(model, X, y, resolution=10)
    assert set(np.unique(display.surface.codes)) == {0, 1}
    assert len(display.legend_.get_texts()) == 4


def test_axes_given_are_used(lda, iris):
    figure, (left, right) = plt.subplots(1, 2)
    display = DecisionRegionsDisplay.from_estimator(lda, *iris, features=PETALS, ax=right, legend=False, resolution=10)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert display.legend_ is None
    assert not left.has_data()
    assert display.plot(left).ax_ is left


def test_the_same_input_gives_the_same_picture(lda, iris):
    pictures = []
    for _ in range(2):
        display = DecisionRegionsDisplay.from_estimator(lda, *iris, features="discriminants", resolution=50)
        display.figure_.canvas.draw()
        pictures.append(np.asarray(display.figure_.canvas.buffer_rgba()).copy())
    np.testing.assert_array_equal(*pictures)
