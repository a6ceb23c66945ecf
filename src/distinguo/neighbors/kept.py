"""The rows that a model keeps, and what keeping them costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.neighbors.answers import Answers
from distinguo.neighbors.metrics import METRICS
from distinguo.neighbors.search import Search, bytes_of, resolved
from distinguo.rows.matrix import Matrix

Array = NDArray[np.float64]

# Squares of differences beyond this might overflow.
LARGEST = 1e150


@dataclass(frozen=True)
class Kept:
    """Rows with their answers.

    Attributes
    ----------
    X : (n, p) as they came, an array or CSR.
    answers : what they say.
    weight : (n,) frequencies, all positive.
    factors : (p,) that columns are multiplied with before they are compared, or None.
    """

    X: Matrix
    answers: Answers
    weight: Array
    factors: Array | None = None

    @property
    def total(self) -> float:
        """How many rows these count for."""
        return float(self.weight.sum())

    def standardized(self) -> Kept:
        """The same rows, to be compared in standard deviations; constant columns count nothing."""
        spread = standard_deviations(self.X, self.weight)
        return replace(self, factors=np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0))

    def search(self, metric: str, algorithm: str) -> Search:
        """The rows, ready to be searched."""
        name = resolved(algorithm, metric, self.X.shape[1], not isinstance(self.X, np.ndarray))
        return Search(self.X, self.weight, self.factors, metric, name)


@dataclass(frozen=True)
class Cost:
    """What it takes to keep rows and to look for neighbours among them.

    Attributes
    ----------
    rows, columns : of the rows kept.
    bytes : rows, answers and weights, and what the search adds to them.
    operations : differences of cells for one row to predict, where every kept row is looked at; a tree needs fewer
        in few columns.
    """

    rows: int
    columns: int
    bytes: int
    operations: int

    @classmethod
    def of(cls, kept: Kept, search: Search) -> Cost:
        """The cost of rows kept for a search."""
        held = bytes_of(kept.X) + kept.answers.said.nbytes + kept.weight.nbytes
        cells = kept.X.size if isinstance(kept.X, np.ndarray) else kept.X.nnz
        rows, columns = kept.X.shape
        return cls(rows, columns, held + search.bytes, int(cells))

    def __str__(self) -> str:
        return (
            f"keeps {self.rows} x {self.columns} cells, {self.bytes} bytes with their index; "
            f"a row to predict takes up to {self.operations} differences of cells"
        )


def standard_deviations(X: Matrix, weight: Array) -> Array:
    """(p,) of the columns, from the cells that are known; exactly zero where a column does not vary."""
    if not isinstance(X, np.ndarray):
        return _of_sparse(X, weight)
    known = ~np.isnan(X)
    counts = np.where(known, weight[:, None], 0.0)
    total = np.maximum(counts.sum(axis=0), np.finfo(float).tiny)
    mean = (counts * np.where(known, X, 0.0)).sum(axis=0) / total
    squares = (counts * np.where(known, X - mean, 0.0) ** 2).sum(axis=0) / total
    low, high = np.where(known, X, np.inf).min(axis=0), np.where(known, X, -np.inf).max(axis=0)
    return np.where(low < high, np.sqrt(squares), 0.0)


def _of_sparse(X: Any, weight: Array) -> Array:
    """The same for CSR; its zeros are not stored, and are far from no mean that matters."""
    total = weight.sum()
    mean = (X.T @ weight) / total
    stored = weight[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))]
    counts = np.bincount(X.indices, stored, X.shape[1])
    squares = np.bincount(X.indices, stored * (X.data - mean[X.indices]) ** 2, X.shape[1])
    varies = X.max(axis=0).toarray().ravel() > X.min(axis=0).toarray().ravel()
    return np.where(varies, np.sqrt((squares + np.maximum(total - counts, 0.0) * mean**2) / total), 0.0)


def refuse_sparse(X: Any, metric: str) -> None:
    """Raise where rows are sparse and the metric is of dense ones."""
    if sparse.issparse(X) and not METRICS[metric].sparse:
        names = ", ".join(repr(name) for name, other in METRICS.items() if other.sparse)
        raise InputError(f"metric={metric!r} takes no sparse rows. Make them dense, or use one of {names}.")


def refuse_unusable(X: Matrix, metric: str) -> None:
    """Raise where rows to be kept are too large, or one has no cell at all: it would be no row's neighbour."""
    refuse_large(X)
    if METRICS[metric].holes and isinstance(X, np.ndarray):
        empty = np.isnan(X).all(axis=1)
        if empty.any():
            raise InputError(f"row {int(np.flatnonzero(empty)[0])} of X has no known cell; leave such rows out.")


def refuse_large(X: Matrix) -> None:
    """Raise where squares of differences might overflow."""
    cells = X if isinstance(X, np.ndarray) else X.data
    largest = float(np.fmax.reduce(np.abs(cells), axis=None, initial=0.0))
    if largest > LARGEST:
        raise InputError(f"X holds {largest:g}, whose square is too large for a number. Rescale its column.")
