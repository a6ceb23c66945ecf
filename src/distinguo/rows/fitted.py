"""Rows at predict: the columns of the fit, in cache-sized blocks, without holes."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, MissingCellsError
from distinguo.rows.base import describe_holes, first_hole
from distinguo.rows.tables import Table, as_table
from distinguo.rows.validation import check_columns, has_holes

N = TypeVar("N", bound=np.generic)


class Coding(Protocol):
    """How a model reads rows that are not all numbers."""

    def as_learned(self, model: Any, X: Any) -> Any:
        """The rows of a fit: a `Table`, or a `Source`, that says what its numbers stand for."""

    def as_known(self, model: Any, X: Any) -> Table:
        """Rows at predict, their categories numbered as those of the fit."""

    def renumbered(self, X: NDArray[np.float64], before: Any, after: Any) -> NDArray[np.float64]:
        """Rows (n, p) numbered as one statistic has categories, in the numbers of another."""

    def as_given(self, model: Any, X: NDArray[np.float64]) -> NDArray[Any]:
        """Rows (n, p) with categories in the places of their numbers."""


class ReadsRows(ABC):
    """Models that remember the columns of their fit, and evaluate rows of the same, block by block."""

    n_features_in_: int
    # Whether sparse rows stay so; else they are made dense, a block at a time.
    _takes_sparse: bool = False
    # How rows are told apart that are not all numbers, for models of categories; None where rows are numbers.
    _coding: Coding | None = None
    # What raises where a block has numbers that the model does not take; None where it takes all.
    _cells_refused: Callable[[Any, int, NDArray[Any] | None], None] | None = None

    @abstractmethod
    def _holes_refused(self) -> str | None:
        """Why this model takes no missing cells, or None where it does."""

    def _remember_columns(self, p: int, names: NDArray[Any] | None) -> None:
        """Take the columns of a fit as one's own."""
        self.n_features_in_ = p
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _table(self, X: Any) -> Table:
        """Rows with the columns of the fit."""
        known = getattr(self, "feature_names_in_", None)
        if self._coding is not None:
            X = self._coding.as_known(self, X)
        return table_like_fit(X, self.n_features_in_, known, type(self).__name__, stacklevel=4)

    def _blocks(self, X: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Checked blocks of rows."""
        table = self._table(X)
        refused = self._holes_refused()
        for start, block in table.blocks(self._takes_sparse):
            if self._cells_refused is not None:
                self._cells_refused(block, start, table.names)
            if has_holes(block, start, table.names) and refused is not None:
                raise MissingCellsError(first_hole(block, start, table.names), refused)
            yield start, block

    def _evaluate(self, X: Any, function: Callable[[NDArray[np.float64]], NDArray[N]]) -> NDArray[N]:
        """`function` of the rows, block by block."""
        parts = [function(block) for _, block in self._blocks(X)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def blocks_like_fit(
    X: Any, expected: int, known: NDArray[Any] | None, who: str, stacklevel: int
) -> Iterator[NDArray[np.float64]]:
    """Checked blocks of rows.

    Parameters
    ----------
    X : (n, p) rows from any library.
    expected, known : how many columns the fit had, and their names or None.
    who : the model's name, for messages.
    stacklevel : of the warning that one of the two has names and the other has not, seen from the caller.

    Raises
    ------
    InputError
        If there are no rows, other columns, or cells that are missing or infinite.
    """
    table = table_like_fit(X, expected, known, who, stacklevel + 1)
    return _checked(table.blocks(), table.names)


def table_like_fit(X: Any, expected: int, known: NDArray[Any] | None, who: str, stacklevel: int) -> Table:
    """The rows of X, once their columns are those of the fit; parameters and errors as in `blocks_like_fit`."""
    table = as_table(X)
    # Sparse rows have no place for names, so nothing is amiss where they come without.
    if (table.names is None) != (known is None) and table.entries is None:
        first, second = ("does not have valid", "with") if known is not None else ("has", "without")
        text = f"X {first} feature names, but {who} was fitted {second} feature names"
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)
    check_columns(table.p, table.names, expected, known, who)
    if table.n == 0:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required: the table is empty.")
    return table


def _checked(
    blocks: Iterator[tuple[int, NDArray[np.float64]]], names: NDArray[Any] | None
) -> Iterator[NDArray[np.float64]]:
    for start, block in blocks:
        if has_holes(block, start, names):
            raise InputError(describe_holes(block, start, names))
        yield block
