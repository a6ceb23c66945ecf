"""Penalties on rough coefficients: ridge, differences, the Laplacian of an image, or a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from distinguo.exceptions import InputError
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]
# An eigenvalue of a penalty below minus this share of the largest is no rounding.
INDEFINITE = 1e-10


def ridge(p: int, order: int | None, shape: Any) -> Array:
    """The identity (p, p): all coefficients are drawn towards zero alike."""
    _cannot_act("ridge", order=order, shape=shape)
    return np.eye(p)


def difference(p: int, order: int | None, shape: Any) -> Array:
    """D'D (p, p) for differences D of an order, second unless told, between neighbouring columns.

    Examples
    --------
    >>> difference(3, 1, None).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]
    """
    _cannot_act("difference", shape=shape)
    order = 2 if order is None else order
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or not 1 <= order < p:
        raise InputError(f"order={order!r} must be a whole number from 1 to {p - 1}, less than the {p} columns.")
    return _squared(np.diff(np.eye(p), n=int(order), axis=0))


def laplacian(p: int, order: int | None, shape: Any) -> Array:
    """L'L (p, p) for the Laplacian L of an image, whose edges count as continued by themselves.

    Examples
    --------
    >>> laplacian(2, None, (2, 1)).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    _cannot_act("laplacian", order=order)
    try:
        height, width = (int(side) if side == int(side) else 0 for side in shape)
    except (TypeError, ValueError):
        height, width = 0, 0
    if height < 1 or width < 1 or height * width != p:
        raise InputError(f"shape={shape!r} must be (rows, columns) of an image with {p} cells.")
    second = np.kron(_path(height), np.eye(width)) + np.kron(np.eye(height), _path(width))
    return _squared(second)


def _squared(operator: Array) -> Array:
    """D'D (p, p) of an operator that is nearly all zeros."""
    sparse = csr_array(operator)
    return np.asarray((sparse.T @ sparse).toarray())


def _path(n: int) -> Array:
    """The Laplacian (n, n) of n points in a row."""
    return difference(n, 1, None) if n > 1 else np.zeros((1, 1))


PENALTIES: dict[str, Callable[[int, int | None, Any], Array]] = {
    "ridge": ridge,
    "difference": difference,
    "laplacian": laplacian,
}


def _cannot_act(penalty: str, **options: Any) -> None:
    """Raise where an option of another penalty was given."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}={value!r} cannot act with penalty={penalty!r}; leave it out.")


def penalty_matrix(penalty: Any, p: int, order: int | None = None, shape: Any = None) -> Array:
    """The penalty Ω (p, p), from its name or from itself.

    Raises
    ------
    InputError
        If the name is not known, an option cannot act, or a matrix is of the wrong shape, not finite, not symmetric or
        not positive semi-definite.
    """
    if isinstance(penalty, str):
        if penalty not in PENALTIES:
            raise InputError(f"penalty={penalty!r} is not known; use {', '.join(map(repr, PENALTIES))} or a matrix.")
        return PENALTIES[penalty](p, order, shape)
    matrix = real_numbers(penalty, f"penalty must be a name or a matrix (p, p) of numbers; it is {penalty!r}.")
    _cannot_act("a matrix", order=order, shape=shape)
    if matrix.shape != (p, p):
        raise InputError(f"penalty has shape {matrix.shape}; for {p} columns it must be ({p}, {p}).")
    size = np.abs(matrix).max()
    if not np.isfinite(size) or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12 * size):
        raise InputError("a penalty matrix must be finite and symmetric.")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -INDEFINITE * size:
        raise InputError(f"a penalty matrix must be positive semi-definite; its least eigenvalue is {least:.3g}.")
    return np.asarray((matrix + matrix.T) / 2)
