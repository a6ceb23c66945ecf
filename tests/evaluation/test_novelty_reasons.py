"""The strangest rows come first, and what columns add to their strangeness is what the model says of them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import sqrtm
from scipy.stats import poisson
from sklearn.linear_model import LogisticRegression as SklearnLogistic

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MixedNB,
    MixtureDiscriminantAnalysis,
    MultinomialNB,
    Novelty,
    PenalizedDiscriminantAnalysis,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    strangest,
)
from distinguo.evaluation.novelty.columns import by_columns
from distinguo.exceptions import InputError
from tests.generative.cases import three_classes
from tests.generative.naive_cases import counts, table

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)
GAUSSIAN = {
    "lda": LinearDiscriminantAnalysis(),
    "lda-shrunk": LinearDiscriminantAnalysis(shrinkage=0.3),
    "qda": QuadraticDiscriminantAnalysis(),
    "rda": RegularizedDiscriminantAnalysis(pooling=0.5, shrinkage=0.1),
    "pda": PenalizedDiscriminantAnalysis(gamma=0.5),
    "nb": GaussianNB(),
    "nb-shared": GaussianNB(shared_variance=True),
}
every_gaussian = pytest.mark.parametrize("model", GAUSSIAN.values(), ids=list(GAUSSIAN))


def distances(model: Any, X: Any) -> Any:
    """(n, K) squared distances, from densities: twice what they lack to those of the class means."""
    return 2 * (np.diagonal(model.class_log_density(model.means_)) - model.class_log_density(X))


@every_gaussian
@given(seed=seeds)
@few
def test_the_parts_of_gaussian_classes_sum_to_the_distance(model: Any, seed: int) -> None:
    X, y = three_classes(seed)
    model.fit(X, y)
    found = strangest(model, X, 60, n_columns=3)
    expected = distances(model, X)
    predicted = model.predict(X)
    for strange in found:
        k = "abc".index(strange.label)
        assert strange.label == predicted[strange.row]
        assert strange.deviance == pytest.approx(expected[strange.row, k], rel=1e-7)
        assert sum(reason.adds for reason in strange.columns) == pytest.approx(strange.deviance)
        assert sum(reason.share for reason in strange.columns) == pytest.approx(1)


def test_the_parts_are_those_of_the_symmetric_root() -> None:
    """scipy's matrix square root, where ours goes by eigenvalues."""
    X, y = three_classes()
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    deviation = np.sqrt(np.diagonal(model.covariance_[1]))
    correlation = model.covariance_[1] / np.outer(deviation, deviation)
    z = (X[5] - model.means_[1]) / deviation
    found = by_columns(model, X[[5]], 1)
    np.testing.assert_allclose(found.adds, np.linalg.solve(sqrtm(correlation), z) ** 2)
    np.testing.assert_allclose(found.deviations, z)


@every_gaussian
def test_units_do_not_matter(model: Any) -> None:
    if model is GAUSSIAN["lda-shrunk"] or model is GAUSSIAN["rda"] or model is GAUSSIAN["pda"]:
        pytest.skip("shrunk towards the mean variance, which has units")
    X, y = three_classes()
    scale = np.array([1e-6, 1.0, 1e6])
    plain, scaled = (strangest(model.fit(X * by, y), X * by, 5, n_columns=3) for by in (1.0, scale))
    for one, other in zip(plain, scaled, strict=True):
        assert one.row == other.row
        assert [r.name for r in one.columns] == [r.name for r in other.columns]
        np.testing.assert_allclose([r.adds for r in one.columns], [r.adds for r in other.columns], rtol=1e-6)


def test_a_cell_far_out_and_one_against_the_others() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    height = rng.normal(0, 1, 200)
    X = np.column_stack([height, height + rng.normal(0, 0.1, 200), rng.normal(0, 1, 200)]) + 3 * y[:, None]
    model = LinearDiscriminantAnalysis().fit(X, y)
    far = strangest(model, np.vstack([X, [[0.0, 0.0, -9.0]]]), 1)[0]
    assert (far.row, far.columns[0].name) == (200, "x2")
    assert far.columns[0].share > 0.95
    against = strangest(model, np.vstack([X, [[1.2, -1.2, 0.0]]]), 1, feature_names=["height", "reach", "age"])[0]
    assert against.row == 200
    assert [reason.name for reason in against.columns[:2]] == ["height", "reach"]
    assert all(abs(reason.deviations) < 2 for reason in against.columns)  # neither is strange on its own
    assert against.typicality < 1e-10


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
def test_missing_cells_add_nothing(model: Any) -> None:
    X, y = three_classes()
    model.fit(X, y)
    holed = X.copy()
    holed[4, 1] = holed[9, 0] = np.nan
    found = {strange.row: strange for strange in strangest(model, holed, 60, n_columns=3)}
    missing = {reason.name: reason for reason in found[4].columns}["x1"]
    assert (missing.cell, missing.adds, missing.deviations) == (None, 0.0, 0.0)
    k = "abc".index(found[4].label)
    there = model.means_.copy()
    there[:, 1] = np.nan
    expected = 2 * (model.class_log_density(there)[k, k] - model.class_log_density(holed[[4]])[0, k])
    assert found[4].deviance == pytest.approx(expected)


def test_the_subclass_that_a_row_is_nearest_to() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[-9.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    group = np.arange(300) % 3
    X, y = centres[group] + rng.normal(size=(300, 2)), np.where(group == 2, "b", "a")
    model = MixtureDiscriminantAnalysis(subclasses={"a": 2, "b": 1}, covariance="subclass").fit(X, y)
    found = by_columns(model, [[12.0, 0.0]], 0)
    assert found.usual[0] == pytest.approx(9, abs=0.5)
    assert found.deviations[0] == pytest.approx(3, abs=0.5)
    strange = strangest(model, [[0.0, -4.0], [9.0, 0.5]], 1)[0]
    assert (strange.row, strange.label) == (0, "a")


def test_of_variates_the_columns_are_shown_beside_their_class() -> None:
    X, y = three_classes()
    model = FlexibleDiscriminantAnalysis(regression="polynomial").fit(X, y)
    found = strangest(model, X, 3)
    k = "abc".index(found[0].label)
    np.testing.assert_allclose([r.usual for r in sorted(found[0].columns, key=lambda r: r.name)], model.means_[k])


# Counts, categories, and columns of several kinds


def test_poisson_counts() -> None:
    X, y = counts()
    model = PoissonNB().fit(X, y)
    found = by_columns(model, X[[3]], 1)
    perfect = poisson.logpmf(X[3], np.maximum(X[3], 1e-300))
    np.testing.assert_allclose(found.adds, 2 * (perfect - poisson.logpmf(X[3], model.rates_[1])), atol=1e-9)
    np.testing.assert_allclose(np.sign(found.deviations), np.sign(X[3] - model.rates_[1]))


def test_words_given_the_length_of_a_text() -> None:
    X, y = counts()
    model = MultinomialNB().fit(X, y)
    found = by_columns(model, X[[3]], 1)
    perfect = MultinomialNB(alpha=1e-12).fit(X[[3, 4]], ["x", "z"])
    lacks = perfect.class_log_density(X[[3]])[0, 0] - model.class_log_density(X[[3]])[0, 1]
    np.testing.assert_allclose(found.adds.sum(), 2 * lacks, rtol=1e-6)
    empty = by_columns(model, np.zeros((1, X.shape[1])), 1)
    assert not empty.adds.any()


def test_presences() -> None:
    X, y = counts()
    model = BernoulliNB().fit(X, y)
    found = by_columns(model, X[[3]], 1)
    np.testing.assert_allclose(found.adds.sum(), -2 * model.class_log_density(X[[3]])[0, 1])


@pytest.mark.parametrize("container", ["pandas", "polars", "rows"])
def test_columns_of_several_kinds(container: str) -> None:
    frame, y = table(holes=0.1)
    frame["width"] = frame["width"].astype(float)
    frame.loc[7, "width"] = 1e6
    frame.loc[8, "colour"] = "violet"
    X: Any = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame), "rows": lambda: as_rows(frame)}[
        container
    ]()
    roles = {"number": "count"} if container != "rows" else {4: "count", 5: "binary"}
    model = MixedNB(roles=roles, alpha=0.5).fit(X, y)
    found = {strange.row: strange for strange in strangest(model, X, 60, n_columns=6)}
    wide = found[7].columns[0]
    assert (wide.name, wide.cell) == ("x1" if container == "rows" else "width", 1e6)
    by_name = {reason.name[-1] if container == "rows" else reason.name: reason for reason in found[8].columns}
    colour = by_name["2" if container == "rows" else "colour"]
    assert colour.cell == "violet"
    assert colour.usual in {"red", "green", "blue", "grey"}
    assert colour.adds > 4
    assert all(reason.adds == 0 for strange in found.values() for reason in strange.columns if reason.cell is None)
    assert "usually" in str(found[8])


def as_rows(frame: pd.DataFrame) -> list[list[Any]]:
    return [[None if pd.isna(cell) else cell for cell in row] for row in frame.astype(object).to_numpy().tolist()]


def test_measurements_among_columns_of_several_kinds_are_those_of_gaussian_classes() -> None:
    X, y = three_classes()
    mixed, plain = MixedNB().fit(X, y), GaussianNB().fit(X, y)
    np.testing.assert_allclose(by_columns(mixed, X[[3]], 1).adds, by_columns(plain, X[[3]], 1).adds, rtol=1e-6)


def test_categories() -> None:
    frame, y = table()
    model = CategoricalNB().fit(frame[["colour", "size"]], y)
    found = by_columns(model, frame[["colour", "size"]].iloc[[3]], 0)
    np.testing.assert_allclose(
        found.adds.sum(), -2 * model.class_log_density(frame[["colour", "size"]].iloc[[3]])[0, 0]
    )


# The order


def test_rows_come_by_typicality_or_by_the_p_values_given() -> None:
    X, y = three_classes(n=120)
    model = LinearDiscriminantAnalysis().fit(X, y)
    by_model = strangest(model, X, 120)
    assert [strange.row for strange in by_model] == np.argsort(model.typicality(X).max(axis=1)).tolist()
    novelty = Novelty(LinearDiscriminantAnalysis()).fit(X, y)
    by_rank = strangest(novelty.model_, X, 120, p_values=novelty.p_values_)
    assert [strange.typicality for strange in by_rank] == sorted(novelty.p_values_)
    assert strangest(model, X, 1000)[:5] == by_model[:5]
    weight = np.ones(120)
    weight[by_rank[0].row] = 0
    without = Novelty(LinearDiscriminantAnalysis()).fit(X, y, sample_weight=weight)
    assert strangest(without.model_, X, 120, p_values=without.p_values_)[-1].row == by_rank[0].row


def test_beyond_the_last_typicality_rows_go_by_density() -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis().fit(X, y)
    far = np.vstack([X, [[1e5, 0, 0], [1e7, 0, 0], [1e6, 0, 0]]])
    assert [strange.row for strange in strangest(model, far, 3)] == [61, 62, 60]


# Bad input


def test_what_is_refused() -> None:
    X, y = three_classes()
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(InputError, match="strangest needs a model with class_log_density; LogisticRegression has none"):
        strangest(SklearnLogistic().fit(X, y), X)
    with pytest.raises(InputError, match=r"p_values has shape \(3,\), and X has 60 rows"):
        strangest(model, X, p_values=[0.1, 0.2, 0.3])
    with pytest.raises(InputError, match="feature_names has 2 names for 3 columns"):
        strangest(model, X, feature_names=["a", "b"])
    for options in ({"n": 0}, {"n": 1.5}, {"n_columns": -1}):
        with pytest.raises(InputError, match="must be a whole number of at least 1"):
            strangest(model, X, **options)
    with pytest.raises(InputError, match="X has 2 features"):
        strangest(model, X[:, :2])
