"""What each column adds to the strangeness of a row as a member of a class, whatever the model says of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from distinguo.covariance.factor import RANK_TOLERANCE, correlation_of
from distinguo.exceptions import InputError
from distinguo.rows.coding import CATEGORY, COUNT, NUMERIC
from distinguo.rows.columns import Column, columns_of
from distinguo.rows.tables import as_table

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ByColumns:
    """A row beside what is usual in a class.

    Attributes
    ----------
    cells, usual : (p,) of the row and of the class; None where a cell is missing.
    deviations : (p,) signed, in standard deviations of the class.
    adds : (p,) to the deviance of the row; zero where a cell is missing.
    """

    cells: NDArray[Any]
    usual: NDArray[Any]
    deviations: Array
    adds: Array


def by_columns(model: Any, row: Any, k: int) -> ByColumns:
    """One row (1, p) as a member of class k of a fitted model.

    Raises
    ------
    InputError
        If the model does not say what its columns are like in a class.
    """
    for attribute, way in _WAYS.items():
        if getattr(model, attribute, None) is not None:
            return way(model, row, k)
    raise InputError(f"{type(model).__name__} does not say what its columns are like in a class.")


def _numbers(row: Any) -> Array:
    table = as_table(row)
    return np.asarray(table.read(0, 1)[0])


def _as_objects(cells: Array) -> NDArray[Any]:
    return np.array([None if np.isnan(cell) else float(cell) for cell in cells], dtype=object)


def _of_gaussian(cells: Array, mean: Array, covariance: Array) -> ByColumns:
    r"""The squared Mahalanobis distance as a sum of squares, one a column.

    .. math:: w = R^{-1/2} D^{-1} (x - \mu), \qquad \Sigma = D R D

    Each w is of variance one in the class, uncorrelated with the others, and as much like its column as can be
    (Garthwaite and Koch, 2016).
    """
    there = ~np.isnan(cells) & (np.diagonal(covariance) > 0)
    correlation, deviation = correlation_of(covariance[np.ix_(there, there)])
    z = (cells - mean)[there] / deviation
    values, vectors = np.linalg.eigh(correlation)
    kept = values > RANK_TOLERANCE * values.max(initial=0.0)
    w = (vectors[:, kept] / np.sqrt(values[kept])) @ (vectors[:, kept].T @ z)
    deviations, adds = np.zeros(len(cells)), np.zeros(len(cells))
    deviations[there], adds[there] = z, w**2
    return ByColumns(_as_objects(cells), _as_objects(mean), deviations, adds)


def _gaussian(model: Any, row: Any, k: int) -> ByColumns:
    covariance = np.asarray(model.covariance_)
    return _of_gaussian(_numbers(row), model.means_[k], covariance if covariance.ndim == 2 else covariance[k])


def _independent_gaussian(model: Any, row: Any, k: int) -> ByColumns:
    cells, variances = _numbers(row), model.variances_[k]
    used = ~np.isnan(cells) & (variances > 0)
    z = np.divide(cells - model.means_[k], np.sqrt(variances), out=np.zeros(len(cells)), where=used)
    return ByColumns(_as_objects(cells), _as_objects(model.means_[k]), z, z**2)


def _nearest_subclass(model: Any, row: Any, k: int) -> ByColumns:
    """Of the subclass of k that the row most probably belongs to."""
    cells = _numbers(row)
    there = ~np.isnan(cells)
    found = []
    for r in np.flatnonzero(model.subclass_classes_ == model.classes_[k]):
        covariance = model.subclass_covariances_[r]
        part = _of_gaussian(cells, model.subclass_means_[r], covariance)
        log_det = np.linalg.slogdet(covariance[np.ix_(there, there)])[1]
        found.append((part.adds.sum() + log_det - 2 * np.log(model.subclass_priors_[r]), part))
    return min(found, key=lambda pair: float(pair[0]))[1]


def _rates(model: Any, row: Any, k: int) -> ByColumns:
    return _of_counts(_numbers(row), model.rates_[k])


def _shares_of_total(model: Any, row: Any, k: int) -> ByColumns:
    cells = _numbers(row)
    there, shares = ~np.isnan(cells), np.exp(model.feature_log_prob_[k])
    return _of_counts(cells, shares * cells[there].sum() / shares[there].sum())


def _of_counts(cells: Array, expected: Array) -> ByColumns:
    r"""The deviance of counts, :math:`2 (x \log(x / \lambda) - x + \lambda)`."""
    there = ~np.isnan(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        adds = np.where(there, 2 * (xlogy(cells, cells / expected) - cells + expected), 0.0)
    adds = np.maximum(np.where(np.isnan(adds), 0.0, adds), 0.0)
    deviations = np.where(there, np.sign(cells - expected) * np.sqrt(adds), 0.0)
    return ByColumns(_as_objects(cells), _as_objects(expected), deviations, adds)


def _presences(model: Any, row: Any, k: int) -> ByColumns:
    cells = _numbers(row)
    there, on = ~np.isnan(cells), cells > model.binarize
    shares = np.exp(model.feature_log_prob_[k])
    with np.errstate(divide="ignore"):
        adds = np.where(there, -2 * np.log(np.where(on, shares, 1 - shares)), 0.0)
    deviations = np.where(there, np.where(on, 1, -1) * np.sqrt(adds), 0.0)
    return ByColumns(_as_objects(cells), _as_objects(shares), deviations, adds)


def _of_roles(model: Any, row: Any, k: int) -> ByColumns:
    """Each cell on its own in the eyes of the model, beside the likeliest that it could have been."""
    columns = columns_of(row).columns
    cells = np.array([*map(_cell, columns), None], dtype=object)[:-1]
    logs = model.class_log_density(_one_by_one(cells, getattr(model, "feature_names_in_", None)))[:, k]
    p, roles = len(cells), model.roles_
    usual, best, sign = np.full(p, None, dtype=object), np.zeros(p), np.ones(p)
    for j, table in enumerate(model.category_log_prob_):
        if roles[j] == CATEGORY:
            assert table is not None
            usual[j] = model.categories_[j][int(table[k].argmax())]
        else:
            x, usual[j] = float(columns[j].values[0]), float(model.means_[k, j])
            best[j] = _PERFECT[str(roles[j])](x, model, k, j)
            sign[j] = np.sign(x - usual[j])
    there = np.array([cell is not None for cell in cells])
    adds = np.where(there, np.maximum(2 * (best - logs), 0.0), 0.0)
    return ByColumns(cells, usual, np.where(there, sign * np.sqrt(adds), 0.0), adds)


def _cell(column: Column) -> Any:
    value = column.values[0]
    if np.isnan(value):
        return None
    return float(value) if column.words is None else column.words[int(value)]


def _one_by_one(cells: NDArray[Any], names: NDArray[Any] | None) -> Any:
    """Rows (p, p), each with one of the cells and no other."""
    apart = np.full((len(cells), len(cells)), None, dtype=object)
    np.fill_diagonal(apart, cells)
    if names is None:
        return apart
    import polars as pl

    return pl.DataFrame({name: pl.Series(column.tolist()) for name, column in zip(names, apart.T, strict=True)})


def _gaussian_peak(x: float, model: Any, k: int, j: int) -> float:
    return float(-0.5 * np.log(2 * np.pi * model.variances_[k, j]))


def _poisson_peak(x: float, model: Any, k: int, j: int) -> float:
    return float(xlogy(x, x) - x - gammaln(x + 1))


def _certainty(x: float, model: Any, k: int, j: int) -> float:
    return 0.0


# The log-likelihood of a cell under parameters that fit it perfectly, but for the spread.
_PERFECT: dict[str, Callable[[float, Any, int, int], float]] = {
    NUMERIC: _gaussian_peak,
    COUNT: _poisson_peak,
    "binary": _certainty,
}

# By an attribute that models of a kind have, those that tell more coming first.
_WAYS: dict[str, Callable[[Any, Any, int], ByColumns]] = {
    "subclass_covariances_": _nearest_subclass,
    "covariance_": _gaussian,
    "roles_": _of_roles,
    "variances_": _independent_gaussian,
    "rates_": _rates,
    "binarize": _presences,
    "feature_log_prob_": _shares_of_total,
}
