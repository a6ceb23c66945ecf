"""What report.json says is what Python computes, and the same every time."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from distinguo import (
    Evaluation,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    compare,
    make_report,
    reliability,
    strangest,
)
from distinguo.exceptions import InputError
from tests.report.report_cases import report_of


@pytest.fixture(scope="module")
def compared() -> Any:
    """Iris, a comparison on it, and its best model."""
    X, y = load_iris(return_X_y=True)
    found = compare(["lda", "gaussian-nb"], X, y, folds=3, repeats=2, memory=False)
    return X, y, found, LinearDiscriminantAnalysis().fit(X, y)


@pytest.fixture(scope="module")
def document(compared: Any) -> Any:
    X, y, found, model = compared
    return json.loads(make_report(found, X, y, model).to_json())


def held_out(found: Any, name: str) -> tuple[Any, Any]:
    """Row numbers, and the first probabilities of each."""
    held = next(result for result in found.results if result.name == name).measured.held_out
    at = held.first()
    return held.rows[at], held.probabilities[at]


def test_evaluation_is_that_of_the_rows_as_first_held_out(compared: Any, document: Any) -> None:
    _, y, found, _ = compared
    rows, p = held_out(found, "lda")
    assert rows.tolist() == list(range(150))
    names = np.array(["0", "1", "2"])
    expected = Evaluation.of(names[y], p, names)
    assert document["evaluation"] == json.loads(json.dumps(expected.to_dict()))


def test_reliability(compared: Any, document: Any) -> None:
    _, y, found, _ = compared
    _, p = held_out(found, "lda")
    names = np.array(["0", "1", "2"])
    assert document["reliability"] == json.loads(json.dumps(reliability(names[y], p, names).to_dict()))


def test_leaderboard_is_the_comparison(compared: Any, document: Any) -> None:
    found = compared[2]
    models = document["comparison"]["models"]
    assert [model["name"] for model in models] == [row["model"] for row in found.table.rows()]
    for shown, row in zip(models, found.table.rows(), strict=True):
        for name in ("accuracy", "accuracy_se", "balanced_accuracy", "log_loss", "train_accuracy"):
            assert shown[name] == row[name]
    apart = {row["model"]: row for row in found.differences.rows()}
    assert models[1]["loss_difference"] == apart[models[1]["name"]]["log_loss"]
    assert models[1]["p_value"] == apart[models[1]["name"]]["p_value"]
    assert [model["name"] for model in models if model["is_chosen"]] == [found.best]


def test_strangest_rows_are_counted_from_one(compared: Any, document: Any) -> None:
    X, _, _, model = compared
    found = strangest(model, X, 10)
    assert [row["row"] for row in document["strangest"]["rows"]] == [row.row + 1 for row in found]
    assert [row["typicality"] for row in document["strangest"]["rows"]] == [row.typicality for row in found]


def test_class_means_and_shares(compared: Any, document: Any) -> None:
    X, y, _, _ = compared
    column = next(c for c in document["classes"]["columns"] if c["column"] == "x2")
    assert column["means"] == pytest.approx([X[y == k, 2].mean() for k in range(3)])
    assert column["deviations"] == pytest.approx([X[y == k, 2].std(ddof=1) for k in range(3)])
    fitted = np.array([X[y == k, 2].mean() for k in range(3)])[y]
    assert column["between"] == pytest.approx(fitted.var() / X[:, 2].var())  # the R² of an analysis of variance


def test_ellipses_are_the_pooled_shape_in_the_discriminants(compared: Any, document: Any) -> None:
    X, y, _, model = compared
    Z = model.transform(X)
    for ellipse in document["plane"]["ellipses"]:
        np.testing.assert_allclose(ellipse["mean"], Z[y == ellipse["of"]].mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(ellipse["covariance"], np.eye(2), atol=1e-9)  # discriminants are spherical
    points = document["plane"]["points"]
    np.testing.assert_allclose([[p["x"], p["y"]] for p in points], Z, atol=1e-9)
    assert sum(point["is_mistaken"] for point in points) == 150 - np.trace(
        document["evaluation"]["confusion"]["counts"]
    )


def test_regions_are_what_the_model_says(compared: Any, document: Any) -> None:
    X, _, _, model = compared
    regions = document["plane"]["regions"]
    codes = np.array(regions["codes"])
    predicted, Z = model.predict(X), model.transform(X)
    columns = np.abs(np.array(regions["x"])[:, None] - Z[:, 0]).argmin(axis=0)
    rows = np.abs(np.array(regions["y"])[:, None] - Z[:, 1]).argmin(axis=0)
    assert (codes[rows, columns] == predicted).mean() > 0.97  # rows within a grid step of a boundary may differ


def test_coefficients_of_maximum_likelihood_have_standard_errors() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["mean radius", "mean texture"]]
    model = LogisticRegression(C=np.inf).fit(X, y)
    report = report_of(X, y, {"logistic": LogisticRegression(C=np.inf)}, model)
    table = {row["term"]: row for row in model.summary().rows()}
    shown = {row.term: row for row in report.read.coefficients.rows}
    assert set(shown) == set(table)
    for term, row in table.items():
        assert (shown[term].estimate, shown[term].standard_error) == (row["estimate"], row["standard_error"])
        assert (shown[term].low, shown[term].high, shown[term].p_value) == (row["low"], row["high"], row["p_value"])
    radius = shown["mean radius"]
    assert radius.per_deviation == pytest.approx(radius.estimate * X["mean radius"].std(ddof=0))


def test_weights_of_three_classes_are_less_their_mean(compared: Any, document: Any) -> None:
    model = compared[3]
    centred = model.coef_ - model.coef_.mean(axis=0)
    for row in document["coefficients"]["rows"]:
        assert row["estimate"] == pytest.approx(centred[int(row["outcome"]), int(row["term"][1:])])


def test_mistakes_are_the_surest_first(cancer: Any) -> None:
    document = cancer.to_dict()
    sure = [mistake["probability"] for mistake in document["mistakes"]]
    assert sure == sorted(sure, reverse=True)
    assert all(mistake["true"] != mistake["predicted"] for mistake in document["mistakes"])


def test_same_input_same_bytes() -> None:
    X, y = load_iris(return_X_y=True)
    first, second = (report_of(X, y, model=LinearDiscriminantAnalysis().fit(X, y)) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert first.to_html() == second.to_html()


def test_json_is_strict_and_has_no_times(iris: Any) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = iris.to_json()
    json.loads(text, parse_constant=refuse)
    assert "seconds" not in text
    assert "fit_ms" not in text


def test_positive_class_is_the_one_looked_for(cancer: Any) -> None:
    assert cancer.evaluation.positive == "malignant"
    assert [sweep.name for sweep in cancer.sweeps] == ["malignant"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "nobody"}, "positive='nobody' is no class"),
        ({"rows": 149}, "the comparison is of 150 rows, and 149 came"),
        ({"y_rows": 149}, "149"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    X, y = load_iris(return_X_y=True)
    y = (y > 0).astype(int)
    found = compare(["lda"], X, y, folds=2, repeats=1, memory=False)
    rows = options.pop("rows", 150)
    y_rows = options.pop("y_rows", rows)
    with pytest.raises(InputError, match=message):
        make_report(found, X[:rows], y[:y_rows], **options)


def test_three_classes_have_no_positive_one() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="positive=1 is for two classes; there are 3"):
        report_of(X, y, positive=1)


def test_nothing_to_report_where_no_model_took_part() -> None:
    X = np.array([[np.nan], [1.0], [2.0], [3.0]])
    with pytest.raises(InputError, match="no model could take part"):
        report_of(X, ["a", "a", "b", "b"], ["knn"])


def test_model_without_probabilities_has_no_threshold() -> None:
    X, y = load_iris(return_X_y=True)
    report = report_of(X, y, ["perceptron"])
    assert (report.sweeps, report.curves, report.reliability, report.mistakes) == ((), (), None, ())
    html = report.to_html()
    assert 'id="confusion"' in html
    assert 'id="threshold"' not in html
