"""The report of a comparison that was made in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from distinguo.evaluation.checks.table_columns import Column, columns_of
from distinguo.evaluation.comparison.comparing import Comparison
from distinguo.exceptions import InputError
from distinguo.report.building import Report, build
from distinguo.report.material import Fitted, Material, TableColumn
from distinguo.rows.labels import label_array
from distinguo.rows.selection import count_rows
from distinguo.rows.validation import check_lengths


def make_report(
    comparison: Comparison,
    X: Any,
    y: Any,
    model: Any = None,
    *,
    title: str = "Report",
    target: str = "class",
    positive: Any = None,
) -> Report:
    """A page about a table and a comparison of models on it, of which the best is shown in full.

    All figures of quality are of rows held out in the comparison. The page needs no network and is below 1.5 MB: long
    tables are cut, and say by how much.

    Parameters
    ----------
    comparison : from `compare`, on these rows, without weights.
    X : (n, p) rows.
    y : (n,) labels.
    model : the best model, fitted to all rows, for its coefficients, classes and strangest rows; left out unless given.
    title : of the page.
    target : what the labels are called.
    positive : which of two classes is looked for; the second unless given.

    Returns
    -------
    Report
        `to_html()` and `to_json()` are its two forms; `to_dict()` has all numbers.

    Raises
    ------
    InputError
        If rows and comparison do not belong together, no model took part, or `positive` is no class of two.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import LinearDiscriminantAnalysis, compare, make_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = make_report(compare(["lda", "gaussian-nb"], X, y), X, y, LinearDiscriminantAnalysis().fit(X, y))
    >>> report.chosen.name, report.evaluation["accuracy"].value, len(report.to_html()) < 1_500_000
    ('lda', 0.98, True)
    """
    labels = label_array(y)
    check_lengths(count_rows(X), len(labels))
    if comparison.n != len(labels):
        raise InputError(
            f"the comparison is of {comparison.n:g} rows, and {len(labels)} came; give the rows that were compared, "
            "which must have no weights."
        )
    columns = columns_of(X)
    features = [column.words or f"x{j}" for j, column in enumerate(columns)]
    is_numeric = bool(columns) and all(column.is_numeric for column in columns)
    return build(
        Material(
            title=title,
            target=target,
            columns=[_column(column, name) for column, name in zip(columns, features, strict=True)],
            labels=labels,
            results=comparison.results,
            scheme=comparison.scheme,
            fitted=None if model is None else Fitted(model, X, features),
            numbers=X if is_numeric else None,
            advice=comparison.advice,
            positive=positive,
            differences=comparison.differences,
        )
    )


def _column(column: Column, name: str) -> TableColumn:
    values = column.values.astype(np.float64) if column.is_numeric else column.values
    return TableColumn(name, "numeric" if column.is_numeric else "categorical", "", values)
