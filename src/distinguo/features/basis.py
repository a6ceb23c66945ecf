"""Regressions on fixed functions of the columns: least squares on polynomials, ridge in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError

Array = NDArray[np.float64]

# Directions of the rows whose variance is below this share of the largest take no part in a least-squares fit.
RANK_TOLERANCE = 1e-10
# Eigenvalues of a kernel below this share of the largest are rounding.
NULL = 1e-12
# Effective degrees of freedom beyond this share of the rows are not tried: generalised cross-validation breaks down.
MOST_DEGREES = 0.9


@dataclass(frozen=True)
class Standard:
    """Columns at mean zero and variance one; those that are constant are left out.

    Attributes
    ----------
    columns : (q,) the columns that vary.
    centre, scale : (q,)

    Examples
    --------
    >>> standard = Standard.of(np.array([[1.0, 5.0], [3.0, 5.0]]), np.ones(2))
    >>> standard(np.array([[5.0, 5.0]])).tolist()
    [[3.0]]
    """

    columns: NDArray[np.intp]
    centre: Array
    scale: Array

    @classmethod
    def of(cls, X: Array, weight: Array) -> Standard:
        """From rows (n, p) and their frequencies (n,)."""
        total = weight.sum()
        start = X[0]
        centre = start + weight @ (X - start) / total
        scale = np.sqrt(weight @ (X - centre) ** 2 / total)
        columns = np.flatnonzero(scale > 8 * np.finfo(np.float64).eps * np.abs(X).max(axis=0))
        return cls(columns, centre[columns], scale[columns])

    def __call__(self, X: Array) -> Array:
        """Rows (n, q)."""
        return np.asarray((X[:, self.columns] - self.centre) / self.scale)


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in standardised columns.

    Attributes
    ----------
    standard : how columns are standardised.
    degree : of the polynomial.
    middle : (m,) means of the powers and products.
    intercept : (q,)
    coef : (m, q)
    """

    standard: Standard
    degree: int
    middle: Array
    intercept: Array
    coef: Array

    def predict(self, X: Array) -> Array:
        """Responses (n, q) expected of rows (n, p)."""
        return np.asarray((powers(self.standard(X), self.degree) - self.middle) @ self.coef + self.intercept)


def products(q: int, degree: int, interactions: bool = True) -> list[tuple[int, ...]]:
    """The columns behind every product of up to `degree` of q columns, or of one column with itself only.

    Examples
    --------
    >>> products(2, 2)
    [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    >>> products(2, 2, interactions=False)
    [(0,), (1,), (0, 0), (1, 1)]
    """
    together = [tuple(range(q))] if interactions else [(j,) for j in range(q)]
    return [
        columns
        for size in range(1, degree + 1)
        for some in together
        for columns in combinations_with_replacement(some, size)
    ]


def powers(Z: Array, degree: int, interactions: bool = True) -> Array:
    """All products (n, m) of up to `degree` of the columns, or of each with itself only; the constant is left out.

    Examples
    --------
    >>> powers(np.array([[2.0, 3.0]]), 2).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    columns = products(Z.shape[1], degree, interactions)
    found = [np.prod(Z[:, list(product)], axis=1) for product in columns]
    return np.stack(found, axis=1) if found else np.empty((len(Z), 0))


def fit_polynomial(X: Array, Y: Array, weight: Array, degree: int) -> Polynomial:
    """Least squares on all powers and products up to a degree.

    Parameters
    ----------
    X : (n, p)
    Y : (n, q)
    weight : (n,) frequencies.
    degree : at least 1.
    """
    standard = Standard.of(X, weight)
    design = powers(standard(X), degree)
    total = weight.sum()
    middle, intercept = weight @ design / total, weight @ Y / total
    root = np.sqrt(weight)[:, None]
    centred = root * (design - middle)
    spread = np.sqrt((centred**2).sum(axis=0))
    spread[spread == 0] = 1.0
    left, singular, right = np.linalg.svd(centred / spread, full_matrices=False)
    kept = singular > np.sqrt(RANK_TOLERANCE) * singular.max(initial=0.0)
    solution = (right[kept].T / singular[kept]) @ (left[:, kept].T @ (root * (Y - intercept)))
    return Polynomial(standard, degree, middle, intercept, solution / spread[:, None])


def gaussian_kernel(A: Array, B: Array, width: float, degree: int) -> Array:
    """exp(-|a - b|² / (2 p width²)), (n, m)."""
    squares = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2 * A @ B.T
    return np.asarray(np.exp(-np.maximum(squares, 0.0) / (2 * max(A.shape[1], 1) * width**2)))


def polynomial_kernel(A: Array, B: Array, width: float, degree: int) -> Array:
    """(1 + a·b / (p width²)) to the power of the degree, (n, m)."""
    return np.asarray((1 + A @ B.T / (max(A.shape[1], 1) * width**2)) ** degree)


KERNELS: dict[str, Callable[[Array, Array, float, int], Array]] = {
    "gaussian": gaussian_kernel,
    "polynomial": polynomial_kernel,
}


@dataclass(frozen=True)
class KernelRidge:
    """A sum of kernels around the rows of the fit.

    Attributes
    ----------
    standard : how columns are standardised.
    rows : (n, p) rows of the fit, standardised.
    kernel, width, degree : which kernel; see `KERNELS`.
    coef : (n, q)
    intercept : (q,)
    penalty : the strength of the ridge.
    df : effective degrees of freedom, the constant not counted.
    """

    standard: Standard
    rows: Array
    kernel: str
    width: float
    degree: int
    coef: Array
    intercept: Array
    penalty: float
    df: float

    def predict(self, X: Array) -> Array:
        """Responses (n, q) expected of rows (n, p)."""
        similar = KERNELS[self.kernel](self.standard(X), self.rows, self.width, self.degree)
        return np.asarray(similar @ self.coef + self.intercept)


def fit_kernel_ridge(
    X: Array, Y: Array, weight: Array, kernel: str, width: float, degree: int, penalty: float | None
) -> KernelRidge:
    r"""Least squares with a constant and a penalty :math:`\lambda \lVert f \rVert^2` in the space of a kernel.

    Parameters
    ----------
    X, Y, weight : (n, p), (n, q) and (n,) frequencies.
    kernel, width, degree : see `KERNELS`; distances are per column, in standard deviations.
    penalty : λ, or None for that of least generalised cross-validation.
    """
    standard = Standard.of(X, weight)
    rows = standard(X)
    total = float(weight.sum())
    root = np.sqrt(weight)
    gram = KERNELS[kernel](rows, rows, width, degree)
    row_mean = gram @ weight / total
    grand = weight @ row_mean / total
    centred = gram - row_mean[:, None] - row_mean + grand
    values, vectors = np.linalg.eigh(root[:, None] * centred * root)
    seen = values > NULL * values.max(initial=0.0)
    values, vectors = values[seen], vectors[:, seen]
    mean = weight @ Y / total
    turned = vectors.T @ (root[:, None] * (Y - mean))
    if penalty is None:
        penalty = _least_gcv(values, (turned**2).sum(axis=1), total)
    share = values / (values + penalty)
    dual = root[:, None] * (vectors @ (turned / (values + penalty)[:, None]))
    # Kernels at predict are not centred: what centring takes away is a constant for each response.
    sums = dual.sum(axis=0)
    coef = dual - weight[:, None] * sums / total
    intercept = mean - row_mean @ dual + grand * sums
    return KernelRidge(standard, rows, kernel, width, degree, coef, intercept, penalty, float(share.sum()))


def _least_gcv(values: Array, squares: Array, total: float) -> float:
    """The strength of least generalised cross-validation, on a logarithmic grid."""
    if not values.max(initial=0.0) > 0:
        return 1.0
    best, least = 0.0, np.inf
    # Weaker penalties hardly differ from interpolation, which the criterion cannot judge.
    for strength in values.max() * np.geomspace(1e4, 1e-5, 55):
        left = strength / (values + strength)
        degrees = 1 + float((1 - left).sum())
        if degrees > MOST_DEGREES * total:
            break
        gcv = float((left**2) @ squares) / (1 - degrees / total) ** 2
        if gcv < least:
            best, least = float(strength), gcv
    return best if best > 0 else float(values.max() * 1e4)


def check_whole(value: object, name: str, least: int) -> int:
    """A whole number of at least `least`; the message names the option."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name}={value!r} must be a whole number of at least {least}.")
    return int(value)


def check_positive(value: object, name: str) -> float:
    """A positive number; the message names the option."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 < value < np.inf:  # type: ignore[operator]
        raise InputError(f"{name}={value!r} must be a positive number.")
    return float(value)  # type: ignore[arg-type]
