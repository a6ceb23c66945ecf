"""All rows as one matrix, dense or sparse as they came, for models that pass over them many times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.rows.base import Source, refuse_holes
from distinguo.rows.gathered import gather_batches
from distinguo.rows.labels import encode_labels
from distinguo.rows.memory import rows_of_fit
from distinguo.rows.room import announce
from distinguo.rows.tables import as_table
from distinguo.rows.validation import check_lengths, check_weight

Matrix = NDArray[np.float64] | sparse.csr_array


@dataclass(frozen=True)
class LabelledMatrix:
    """Rows without holes; those of weight zero are left out, and classes that have no others.

    Attributes
    ----------
    X : (n, p) float64, an array or CSR as it came.
    codes : (n,) integers into `classes`.
    classes : (K,) sorted labels.
    weight : (n,) float64, all positive.
    names : (p,) or None.
    row_numbers : (n,) where the rows stood in what came.
    """

    X: Matrix
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    weight: NDArray[np.float64]
    names: NDArray[Any] | None
    row_numbers: NDArray[np.intp]

    @property
    def is_sparse(self) -> bool:
        """Whether X is CSR."""
        return sparse.issparse(self.X)

    @cached_property
    def columns(self) -> sparse.csr_array:
        """(p, n) sparse rows turned over once, for products that run along columns."""
        turned = sparse.csr_array(self.X.T)
        if turned.nnz < np.iinfo(np.int32).max:
            turned.indices, turned.indptr = turned.indices.astype(np.int32), turned.indptr.astype(np.int32)
        return turned

    def subset(self, rows: NDArray[np.intp]) -> LabelledMatrix:
        """Some of the rows, over the same classes."""
        return replace(
            self, X=self.X[rows], codes=self.codes[rows], weight=self.weight[rows], row_numbers=self.row_numbers[rows]
        )

    def of_classes_present(self) -> LabelledMatrix:
        """The same rows, over the classes that have some."""
        present, codes = np.unique(self.codes, return_inverse=True)
        return self if len(present) == len(self.classes) else replace(self, codes=codes, classes=self.classes[present])


def labelled_matrix(X: Any, y: Any, sample_weight: Any, who: str) -> LabelledMatrix:
    """The rows behind the arguments of fit, brought together in memory.

    Parameters
    ----------
    X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
    y : (n,) or (n, 1) labels.
    sample_weight : (n,) frequencies, or None.
    who : the model's name, for messages.

    Raises
    ------
    InputError
        If rows, labels or weights cannot be used, or cells are missing.

    Examples
    --------
    >>> rows = labelled_matrix(sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]), ["b", "a"], None, "Model")
    >>> rows.is_sparse, rows.codes.tolist(), rows.classes.tolist()
    (True, [1, 0], ['a', 'b'])
    """
    if y is None or not sparse.issparse(X):
        return _gathered(rows_of_fit(X, y, sample_weight, who))
    matrix = as_sparse(X)
    codes, classes = encode_labels(y)
    check_lengths(matrix.shape[0], len(codes))
    weight = check_weight(sample_weight, matrix.shape[0])
    numbers = np.arange(matrix.shape[0])
    rows = LabelledMatrix(matrix, codes, classes, np.ones(len(codes)) if weight is None else weight, None, numbers)
    return (rows if rows.weight.all() else rows.subset(np.flatnonzero(rows.weight))).of_classes_present()


def _gathered(source: Source) -> LabelledMatrix:
    announce(source)
    rows = gather_batches(refuse_holes(source.batches()))
    return LabelledMatrix(
        rows.X, rows.codes, rows.classes, rows.weight, rows.names, rows.row_numbers
    ).of_classes_present()


def as_sparse(X: Any) -> sparse.csr_array:
    """A SciPy sparse matrix as CSR of float64, its entries in order and finite.

    Raises
    ------
    InputError
        If an entry is missing, infinite or no real number.
    """
    table = as_table(X)  # its shape and type are checked there
    matrix = sparse.csr_array(X, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        at = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row, column = int(np.searchsorted(matrix.indptr, at, side="right")) - 1, int(matrix.indices[at])
        what = "NaN" if np.isnan(matrix.data[at]) else "infinity"
        raise InputError(f"X contains {what} (row {row}, column {column}); this model takes no such cells.")
    assert matrix.shape == (table.n, table.p)
    return matrix


def squared_lengths(X: Matrix) -> NDArray[np.float64]:
    """(n,) sums of squares of the rows."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray(X.power(2).sum(axis=1), np.float64).ravel()


def weighted_products(X: Matrix, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """(p, p) sums of w x x'."""
    if isinstance(X, np.ndarray):
        return np.asarray((X * weight[:, None]).T @ X)
    return np.asarray((X.T @ (sparse.diags_array(weight) @ X)).todense())
