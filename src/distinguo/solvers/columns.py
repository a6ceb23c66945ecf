"""The columns of all rows, sparse or not, and the quadratics that coordinate descent makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.solvers.coordinate_kernels import (
    dense_descent,
    dense_moments,
    gram_descent,
    sparse_descent,
    sparse_moments,
)

Array = NDArray[np.float64]
Places = NDArray[np.intp]
# Second derivatives are not taken below this share of what they are before the constant is taken out.
FLAT = 1e-10


@dataclass(frozen=True)
class Bounds:
    """What a penalty allows each of p derivatives, and the units in which they are judged.

    Attributes
    ----------
    l1, l2 : (p,) strengths.
    size : (p,) positive.
    """

    l1: Array
    l2: Array
    size: Array

    def take(self, places: Places) -> Bounds:
        """Those of some columns."""
        return Bounds(self.l1[places], self.l2[places], self.size[places])

    def unmet(self, slopes: Array, coef: Array) -> Array:
        """(C, p) by how much slopes (C, p) of the loss miss what is allowed at coefficients (C, p)."""
        slopes = slopes + self.l2 * coef
        at_zero = np.maximum(np.abs(slopes) - self.l1, 0.0)
        return np.asarray(np.where(coef == 0, at_zero, np.abs(slopes + self.l1 * np.sign(coef))) / self.size)

    def penalty(self, coef: Array) -> float:
        """Of coefficients (C, p)."""
        return float((np.abs(coef) @ self.l1).sum() + 0.5 * (coef**2 @ self.l2).sum())


class Quadratic(Protocol):
    """Σ r z + ½ h z² in z = X d + d0, the constant d0 always at its best, or zero where there is none."""

    def descend(self, u: Array, coef: Array, bounds: Bounds, tol: float, sweeps: int) -> tuple[float, float]:
        """Move coefficients (p,) in place; the greatest derivative unmet at first, and the constant's change.

        Parameters
        ----------
        u : (n,) r + h z where the coefficients are; may be overwritten.
        """


class Columns(Protocol):
    """p columns of n rows."""

    @property
    def size(self) -> int:
        """How many, p."""

    def take(self, places: Places) -> Columns:
        """Some of the columns."""

    def along(self, values: Array) -> Array:
        """(C, p) products with values (C, n)."""

    def times(self, coef: Array) -> Array:
        """(n,) the columns' sum with coefficients (p,)."""

    def quadratic(self, h: Array, constant: bool) -> Quadratic:
        """The quadratic of weights h (n,)."""


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Columns by their entries.

    Attributes
    ----------
    matrix : (p, n) CSR, a row a column.
    """

    matrix: sparse.csr_array

    @property
    def size(self) -> int:
        """How many, p."""
        return int(self.matrix.shape[0])

    def take(self, places: Places) -> SparseColumns:
        """Some of the columns."""
        return self if len(places) == self.size else SparseColumns(self.matrix[places])

    def along(self, values: Array) -> Array:
        """(C, p) products with values (C, n)."""
        return np.array([self.matrix @ row for row in values])

    def times(self, coef: Array) -> Array:
        """(n,) the columns' sum with coefficients (p,)."""
        places = np.flatnonzero(coef)
        return np.asarray(self.matrix[places].T @ coef[places])

    def quadratic(self, h: Array, constant: bool) -> Quadratic:
        """The quadratic of weights h (n,)."""
        matrix = self.matrix
        sums, squares = sparse_moments(matrix.data, matrix.indices, matrix.indptr, h)
        share = 1 / h.sum() if constant else 0.0
        return _SparseQuadratic(matrix, h, sums, _less_constant(squares, sums, share), share)


@dataclass(frozen=True, eq=False)
class _SparseQuadratic:
    matrix: sparse.csr_array
    h: Array
    sums: Array
    curvature: Array
    share: float

    def descend(self, u: Array, coef: Array, bounds: Bounds, tol: float, sweeps: int) -> tuple[float, float]:
        """See `Quadratic`."""
        matrix, state = self.matrix, np.array([u.sum(), self.share])
        fixed = (self.h, self.sums, self.curvature, coef, bounds.l1, bounds.l2, bounds.size, state)
        first = sparse_descent(matrix.data, matrix.indices, matrix.indptr, u, *fixed, tol, sweeps)
        return first, -state[0] * self.share


@dataclass(frozen=True, eq=False)
class DenseColumns:
    """Columns without gaps, about their means where there is a constant.

    Attributes
    ----------
    matrix : (p, n)
    """

    matrix: Array

    @property
    def size(self) -> int:
        """How many, p."""
        return len(self.matrix)

    def take(self, places: Places) -> DenseColumns:
        """Some of the columns."""
        return self if len(places) == self.size else DenseColumns(self.matrix[places])

    def along(self, values: Array) -> Array:
        """(C, p) products with values (C, n)."""
        return np.asarray(values @ self.matrix.T)

    def times(self, coef: Array) -> Array:
        """(n,) the columns' sum with coefficients (p,)."""
        return np.asarray(coef @ self.matrix)

    def quadratic(self, h: Array, constant: bool) -> Quadratic:
        """The quadratic of weights h (n,): by second derivatives where they are no larger than the rows."""
        share = 1 / h.sum() if constant else 0.0
        if self.matrix.shape[0] > self.matrix.shape[1]:
            sums, squares = dense_moments(self.matrix, h)
            return _DenseQuadratic(self.matrix, h, sums, _less_constant(squares, sums, share), share)
        sums = self.matrix @ h
        weighted = self.matrix * np.sqrt(h)
        gram = weighted @ weighted.T
        squares = np.diagonal(gram).copy()
        gram -= share * sums[:, None] * sums
        gram[np.diag_indices_from(gram)] = _less_constant(squares, sums, share)
        return _GramQuadratic(self.matrix, gram, sums, share)


@dataclass(frozen=True, eq=False)
class _DenseQuadratic:
    matrix: Array
    h: Array
    sums: Array
    curvature: Array
    share: float

    def descend(self, u: Array, coef: Array, bounds: Bounds, tol: float, sweeps: int) -> tuple[float, float]:
        """See `Quadratic`."""
        state = np.array([u.sum(), self.share])
        fixed = (self.h, self.sums, self.curvature, coef, bounds.l1, bounds.l2, bounds.size, state)
        first = dense_descent(self.matrix, u, *fixed, tol, sweeps)
        return first, -state[0] * self.share


@dataclass(frozen=True, eq=False)
class _GramQuadratic:
    matrix: Array
    gram: Array
    sums: Array
    share: float

    def descend(self, u: Array, coef: Array, bounds: Bounds, tol: float, sweeps: int) -> tuple[float, float]:
        """See `Quadratic`."""
        total, before = u.sum(), coef.copy()
        slopes = self.matrix @ u - total * self.share * self.sums
        first = gram_descent(self.gram, slopes, coef, bounds.l1, bounds.l2, bounds.size, tol, sweeps)
        return first, float(-(total + self.sums @ (coef - before)) * self.share)


def _less_constant(squares: Array, sums: Array, share: float) -> Array:
    """(p,) second derivatives, the constant taken out; never flat, so that a step stays finite."""
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.maximum(squares - share * sums**2, FLAT * squares + tiny))
