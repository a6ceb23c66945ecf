"""Tables and labels of every kind have a page."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from distinguo import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression, MixedNB, MultinomialNB
from tests.report.report_cases import report_of


def rows(n: int = 40, p: int = 3) -> tuple[Any, Any]:
    y = np.arange(n) % 2
    return np.random.default_rng(0).normal(size=(n, p)) + 2.0 * y[:, None], y


@pytest.mark.parametrize(
    "classes",
    [
        [0, 1],
        [True, False],
        [1.0, 2.0],
        ["a", "b"],
        [1, "1"],
        [np.datetime64("2024-01-01"), np.datetime64("2024-01-02")],
    ],
    ids=str,
)
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(C=np.inf)], ids=["lda", "logistic"])
def test_labels_of_any_type(classes: list[Any], model: Any) -> None:
    X, y = rows()
    X = X[:, :1] if isinstance(model, LogisticRegression) else X  # one column does not separate the classes
    labels = np.array(classes, dtype=object if len({type(c) for c in classes}) > 1 else None)[y]
    report = report_of(X, labels, {"it": model}, model.fit(X, labels))
    assert {row.name for row in report.overview.classes} == set(report.evaluation.classes)
    assert report.read.coefficients is not None
    assert report.read.strangest is not None
    assert "it" in report.to_html()


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, pl.DataFrame, lambda X: X.tolist()])
def test_containers(container: Any) -> None:
    X, y = rows()
    given = container(X)
    report = report_of(given, y, {"it": GaussianNB()}, GaussianNB().fit(given, y))
    assert len(report.overview.columns) == 3
    assert report.read.plane is not None
    assert report.to_html()


def test_single_column_has_no_plane() -> None:
    X, y = rows(p=1)
    report = report_of(X, y, ["lda"], LinearDiscriminantAnalysis().fit(X, y))
    assert report.read.plane is None
    assert report.read.classes is not None
    assert report.to_html()


def test_holes_and_constant_columns() -> None:
    X, y = rows(60)
    X[::3, 0] = np.nan
    X[1::3, 1] = np.nan
    X[2::3, 2] = np.nan
    X = np.column_stack([X, np.full(60, 7.0), np.full(60, np.nan)])
    report = report_of(X, y, {"it": GaussianNB()}, GaussianNB().fit(X[:, :3], y))
    assert [column.missing for column in report.overview.columns] == [20, 20, 20, 0, 60]
    assert report.to_html()


def test_words_as_columns() -> None:
    X, y = rows()
    frame = pl.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 1] > 1, "red", "blue")})
    report = report_of(frame, y, {"it": MixedNB()}, MixedNB().fit(frame, y))
    assert report.overview.columns[1].common[0].rows == max((X[:, 1] > 1).sum(), (X[:, 1] <= 1).sum())
    assert (report.read.plane, report.read.coefficients) == (None, None)
    assert report.read.strangest is not None
    assert report.to_html()


def test_rows_without_columns() -> None:
    X, y = rows()
    counts = sparse.csr_array(np.round(np.abs(X)))
    texts = [" ".join(["free"] * (1 + k) + ["cash", "lunch"][k : k + 1]) for k in y.tolist()]
    by_words = make_pipeline(CountVectorizer(), MultinomialNB())
    for rows_given, model in ((counts, MultinomialNB()), (texts, by_words)):
        report = report_of(rows_given, y, {"it": model}, model.fit(rows_given, y))
        assert len(report.overview.columns) == (0 if rows_given is counts else 1)  # the texts themselves
        assert report.read.plane is None
        assert report.to_html()


def test_few_rows() -> None:
    X, y = rows(4)
    report = report_of(X, y, {"it": GaussianNB()}, GaussianNB().fit(X, y))
    assert report.overview.rows == 4
    assert report.to_html()
