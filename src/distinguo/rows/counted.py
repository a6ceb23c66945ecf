"""Cells that are counts: parted from the holes among them, and refused where they are below zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.rows.matrix import Matrix
from distinguo.rows.validation import cell_at


def cells_of(X: Any) -> NDArray[np.float64]:
    """All cells of dense rows, or those stored of CSR, (m,); a view."""
    return np.asarray(X.reshape(-1) if isinstance(X, np.ndarray) else X.data)


def with_cells(X: Any, cells: NDArray[np.float64]) -> Any:
    """Rows of the same shape and kind, with other cells (m,) in the places of the old."""
    if isinstance(X, np.ndarray):
        return cells.reshape(X.shape)
    return sparse.csr_array((cells, X.indices, X.indptr), shape=X.shape)


def part_holes(X: Matrix) -> tuple[Any, Any]:
    """Rows whose missing cells are zero, and ones (n, p) where they were; None where there were none.

    Examples
    --------
    >>> values, holes = part_holes(np.array([[1.0, np.nan]]))
    >>> values.tolist(), holes.tolist()
    ([[1.0, 0.0]], [[0.0, 1.0]])
    """
    cells = cells_of(X)
    missing = np.isnan(cells)
    if not missing.any():
        return X, None
    return with_cells(X, np.where(missing, 0.0, cells)), with_cells(X, missing.astype(np.float64))


def refuse_negative(X: Any, first_row: int, names: NDArray[Any] | None) -> None:
    """Raise at the first cell below zero, naming its row and column.

    Raises
    ------
    InputError
        If there is one.
    """
    below = cells_of(X) < 0
    if below.any():
        place = int(np.flatnonzero(below)[0])
        row, column = cell_at(X, place)
        where = f"column {column}" if names is None else f"column {str(names[column])!r}"
        raise InputError(negative(cells_of(X)[place], f"row {first_row + row}, {where}"))


def negative(cell: float, where: str) -> str:
    """What is said of a cell below zero."""
    return (
        f"Negative values in data: X holds {cell:g} ({where}), and a count is not below zero. Leave that column out, "
        "or describe it by a model of measurements, such as GaussianNB."
    )
