"""The strangest rows, and the columns that make them so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.evaluation.conformal.looks import WITH_DENSITY, demand
from distinguo.evaluation.novelty.columns import ByColumns, by_columns
from distinguo.exceptions import InputError
from distinguo.explanation import cell_text, usual_text
from distinguo.options import counting
from distinguo.rows.labels import label_list, label_text
from distinguo.rows.selection import count_rows, take_rows
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ColumnReason:
    """What one cell has to do with a row's strangeness.

    Attributes
    ----------
    name : of the column.
    cell : as it came; None where it is missing.
    usual : the class's mean, expected count, or likeliest category.
    deviations : how far the cell is from that, with a sign, in standard deviations of the column in the class.
    adds : what the column adds to the row's deviance.
    share : the same as a share of all.
    """

    name: str
    cell: Any
    usual: Any
    deviations: float
    adds: float
    share: float

    def __str__(self) -> str:
        return (
            f"{self.name} = {cell_text(self.cell)} (usually {usual_text(self.usual)}), {self.deviations:+.1f} standard "
            f"deviations, {100 * self.share:.0f} % of the distance"
        )


@dataclass(frozen=True, slots=True)
class StrangeRow:
    """A row that is like few others.

    Attributes
    ----------
    row : its number among those that came, from 0.
    label : the class it would most probably have.
    typicality : how often a familiar row is as strange.
    log_density : log p(x).
    deviance : its squared distance from what is usual in that class; of cells that are no measurements, twice what the
        log-likelihood lacks.
    columns : those that add most to it, the first most of all.
    """

    row: int
    label: Any
    typicality: float
    log_density: float
    deviance: float
    columns: tuple[ColumnReason, ...]

    def __str__(self) -> str:
        """A line for the row, and one a column."""
        head = f"row {self.row}: typicality {self.typicality:.3g}, most like {label_text(self.label)}"
        return "\n".join([head, *(f"    {column}" for column in self.columns)])


def strangest(
    model: Any, X: Any, n: int = 10, *, p_values: Any = None, n_columns: int = 5, feature_names: Any = None
) -> tuple[StrangeRow, ...]:
    r"""The rows that a model finds strangest, with the columns that make them so.

    Of Gaussian classes the deviance is the squared Mahalanobis distance, and each column adds the square of

    .. math:: w = R^{-1/2} D^{-1} (x - \mu), \qquad \Sigma = D R D

    to it: of variance one, uncorrelated, and as much like their columns as can be, so that neither a column that is far
    out nor one that goes against the others is overlooked. Of independent columns each adds its own deviance,
    :math:`2 (\hat \ell_j - \log p(x_j | k))`, with the log-likelihood :math:`\hat \ell_j` of a perfect fit.

    Parameters
    ----------
    model : a fitted model with `class_log_density` and `typicality`.
    X : (n, p) rows.
    n : how many to show.
    p_values : (n,) of the rows, such as `Novelty` gives them (its `p_values_` for the rows of the fit); by default the
        largest `typicality` among the classes. Equals go by log p(x).
    n_columns : how many columns to show of each.
    feature_names : (p,) what columns are called; by default as at the fit.

    Returns
    -------
    StrangeRow : the strangest first.

    Raises
    ------
    InputError
        If the model has no density, or there are not as many p-values as rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import LinearDiscriminantAnalysis, strangest
    >>> data = load_iris()
    >>> model = LinearDiscriminantAnalysis().fit(data.data, data.target_names[data.target])
    >>> print(strangest(model, data.data, 1, n_columns=2, feature_names=data.feature_names)[0])
    row 118: typicality 0.00178, most like 'virginica'
        petal length (cm) = 6.9 (usually 5.552), +3.1 standard deviations, 47 % of the distance
        sepal width (cm) = 2.6 (usually 2.974), -1.1 standard deviations, 30 % of the distance

    References
    ----------
    Garthwaite and Koch (2016), Evaluating the contributions of individual variables to a quadratic form, Australian
    and New Zealand Journal of Statistics 58, 99-119.
    """
    check_is_fitted(model)
    demand(model, "class_log_density", "strangest", WITH_DENSITY)
    shown, width = counting(n, "n"), counting(n_columns, "n_columns")
    typicality = _typicality(model, X, p_values)
    logs = np.asarray(model.score_samples(X))
    order = np.lexsort((logs, np.where(np.isnan(typicality), np.inf, typicality)))[:shown]
    rows = take_rows(X, order)
    classes = label_list(model.classes_)
    predicted = np.asarray(model.predict_proba(rows)).argmax(axis=1)
    names = _names(model, feature_names)
    result = []
    for place, (row, k) in enumerate(zip(order.tolist(), predicted.tolist(), strict=True)):
        found = by_columns(model, take_rows(rows, np.array([place])), k)
        deviance = float(found.adds.sum())
        reasons = _reasons(found, names, width)
        result.append(StrangeRow(row, classes[k], float(typicality[row]), float(logs[row]), deviance, reasons))
    return tuple(result)


def _typicality(model: Any, X: Any, p_values: Any) -> Array:
    """(n,) that of each row."""
    if p_values is None:
        return np.asarray(np.max(model.typicality(X), axis=1), np.float64)
    given = real_numbers(p_values, "p_values must be numbers, one a row.")
    if given.shape != (count_rows(X),):
        raise InputError(f"p_values has shape {given.shape}, and X has {count_rows(X)} rows; give one a row.")
    return given


def _names(model: Any, asked: Any) -> list[str]:
    """The names of the columns."""
    p = int(model.n_features_in_)
    known = getattr(model, "feature_names_in_", None) if asked is None else asked
    names = [f"x{j}" for j in range(p)] if known is None else [str(name) for name in known]
    if len(names) != p:
        raise InputError(f"feature_names has {len(names)} names for {p} columns; give one a column.")
    return names


def _reasons(found: ByColumns, names: list[str], width: int) -> tuple[ColumnReason, ...]:
    """The columns that add most, the first most of all."""
    order = np.argsort(-found.adds, kind="stable")[:width]
    shares = _shares(found.adds)
    return tuple(
        ColumnReason(
            names[j],
            found.cells[j],
            found.usual[j],
            float(found.deviations[j]),
            float(found.adds[j]),
            float(shares[j]),
        )
        for j in order
    )


def _shares(adds: Array) -> Array:
    """(p,) parts of the whole; of the infinite ones where there are such."""
    endless = np.isinf(adds)
    counted = endless.astype(np.float64) if endless.any() else adds
    total = counted.sum()
    return counted / total if total > 0 else counted
