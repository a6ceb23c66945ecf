"""What every basis is: fixed functions of the columns, found at fit, as a scikit-learn transformer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.covariance.shapes import column_names, warn_left_out
from distinguo.exceptions import InputError, MissingCellsError
from distinguo.features.basis import Standard
from distinguo.rows.base import first_hole
from distinguo.rows.fitted import ReadsRows
from distinguo.rows.tables import Table, as_table
from distinguo.rows.validation import check_weight, has_holes

Array = NDArray[np.float64]

# The squares of larger numbers, summed over rows, are no numbers.
LARGEST = 1e150
NO_HOLES = "a function of a missing cell has no value. Fill the holes, or leave those rows out."


class Functions(ABC):
    """Functions of rows; what a fitted basis holds. A subclass is a frozen dataclass."""

    @abstractmethod
    def __call__(self, X: Array) -> Array:
        """Values (n, m) at rows (n, p)."""

    @abstractmethod
    def names(self, columns: Sequence[str]) -> list[str]:
        """What the m functions are called, given the names of the p columns."""


class BasisTransformer(TransformerMixin, ReadsRows, BaseEstimator, ABC):
    """Rows into the values of functions, so that a model linear in those draws curves.

    A basis says in `_find` which functions; the rest follows.
    """

    _functions: Functions

    @abstractmethod
    def _find(self, X: Array, weight: Array, standard: Standard) -> Functions:
        """The functions for rows (n, p) with frequencies (n,), of which the columns of `standard` vary."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the functions.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow).
        y : not used.
        sample_weight : (n,) frequencies: weight 2 equals the row twice, weight 0 its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, weights or options cannot be used, cells are missing, or no column varies.
        """
        table = as_table(X)
        values, weight = _rows(table, sample_weight)
        standard = Standard.of(values, weight)
        if not len(standard.columns):
            raise InputError(
                f"no column varies in {len(values)} sample(s); there is nothing to draw a curve over. Bring rows that "
                "differ."
            )
        functions = self._find(values, weight, standard)
        constant = np.setdiff1d(np.arange(table.p), standard.columns)
        if len(constant):
            warn_left_out(f"{len(constant)} constant column(s)", table.names, constant)
        self._functions = functions
        self._remember_columns(table.p, table.names)
        return self

    def transform(self, X: Any) -> Array:
        """The values of the functions.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, m)

        Raises
        ------
        InputError
            If the columns are not those of the fit, or cells are missing.
        """
        check_is_fitted(self)
        return self._evaluate(X, self._functions)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """(m,) what the functions are called; `input_features` (p,) name the columns if the fit did not."""
        check_is_fitted(self)
        return np.array(self._functions.names(input_names(self, input_features)), dtype=object)

    def _holes_refused(self) -> str | None:
        return NO_HOLES

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def input_names(model: Any, input_features: Any) -> list[str]:
    """The names (p,) of the columns of a fit: as given, as at the fit, or x0, x1, ...

    Raises
    ------
    InputError
        If the names given are not as many, or not those of the fit.
    """
    known = getattr(model, "feature_names_in_", None)
    p = model.n_features_in_
    if input_features is None:
        return [f"x{j}" for j in range(p)] if known is None else [str(name) for name in known]
    names = [str(name) for name in input_features]
    if len(names) != p or (known is not None and names != [str(name) for name in known]):
        raise InputError(
            f"input_features should have the names of the {p} columns of the fit; input_features is not equal to "
            f"feature_names_in_, or not of that length ({len(names)} came)."
        )
    return names


def _rows(table: Table, sample_weight: Any) -> tuple[Array, Array]:
    """The rows (n, p) that count, checked, and their frequencies (n,)."""
    if table.n == 0:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required: the table is empty.")
    weight = check_weight(sample_weight, table.n)
    values = table.read(0, table.n)
    if has_holes(values, 0, table.names):
        raise MissingCellsError(first_hole(values, 0, table.names), NO_HOLES)
    large = np.flatnonzero(np.abs(values).max(axis=0) > LARGEST)
    if len(large):
        raise InputError(
            f"numbers too large to square (beyond {LARGEST:g}) in the columns {column_names(table.names, large)}; give "
            "these columns larger units."
        )
    if weight is None:
        return values, np.ones(table.n)
    return values[weight > 0], weight[weight > 0]
