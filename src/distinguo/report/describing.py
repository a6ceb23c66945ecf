"""What the classes are like, column by column, and the rows that are like none."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.novelty.reasons import StrangeRow, strangest
from distinguo.exceptions import DistinguoError
from distinguo.explanation import cell_text, usual_text
from distinguo.report.held import commonest
from distinguo.report.summary import ClassTable, Described, Reason, Strange, Strangest
from distinguo.report.texts import finite, plain
from distinguo.rows.labels import label_list

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

MOST_CLASSES, MOST_COLUMNS = 10, 20
ROWS, REASONS = 10, 3


def class_table_of(values: Array, features: Sequence[str], codes: Codes, names: Sequence[str]) -> ClassTable:
    """Means and deviations within the classes.

    Parameters
    ----------
    values : (n, p) numbers, NaN where a cell is missing.
    features : (p,) names of the columns.
    codes : (n,) classes of the rows.
    names : (K,) of the classes.
    """
    K, p = len(names), len(features)
    weight, mean, variance = np.zeros((K, p)), np.full((K, p), np.nan), np.full((K, p), np.nan)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # of classes without a known cell
        for k in range(K):
            own = values[codes == k]
            weight[k] = (~np.isnan(own)).sum(axis=0)
            mean[k] = np.nanmean(own, axis=0)
            variance[k] = np.nanvar(own, axis=0)
        grand = np.nansum(weight * mean, axis=0) / weight.sum(axis=0)
        between = np.nansum(weight * (mean - grand) ** 2, axis=0)
        share = np.nan_to_num(between / (between + np.nansum(weight * variance, axis=0)))
        deviation = np.sqrt(variance * weight / (weight - 1))
    shown = sorted(commonest(codes, K, MOST_CLASSES))
    order = np.argsort(-share, kind="stable")[:MOST_COLUMNS]
    return ClassTable(
        classes=tuple(names[k] for k in shown),
        classes_cut=K - len(shown),
        columns=tuple(
            Described(
                plain(features[j]),
                float(share[j]),
                tuple(finite(mean[k, j]) for k in shown),
                tuple(finite(deviation[k, j]) for k in shown),
            )
            for j in order.tolist()
        ),
        columns_cut=max(p - MOST_COLUMNS, 0),
    )


def strangest_of(
    model: Any, title: str, X: Any, features: Sequence[str], codes: Codes, names: Sequence[str], numbers: Codes
) -> Strangest | None:
    """The strangest rows; None where the model cannot tell.

    Parameters
    ----------
    model : with densities and typicality, or any other.
    title : of the model.
    X : (n, p) rows as it takes them.
    features : (p,) what its columns are called.
    codes, numbers : (n,) true classes, and where rows stand in the table.
    names : (K,) of the classes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = strangest(model, X, ROWS, n_columns=REASONS, feature_names=features)
        except (DistinguoError, ValueError, ArithmeticError):
            return None
    called = dict(zip(label_list(np.asarray(model.classes_)), names, strict=True))
    rows = (_strange(row, called, names[codes[row.row]], int(numbers[row.row])) for row in found)
    return Strangest(title, tuple(rows))


def _strange(row: StrangeRow, called: dict[Any, str], true: str, number: int) -> Strange:
    reasons = tuple(
        Reason(
            plain(reason.name),
            plain(cell_text(reason.cell)),
            plain(usual_text(reason.usual)),
            finite(reason.deviations) or 0.0,
            finite(reason.share) or 0.0,
        )
        for reason in row.columns
    )
    return Strange(number, true, called[row.label], finite(row.typicality) or 0.0, reasons)
