"""Coordinates in which the likelihood is well shaped, whatever the units and dependencies of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine

Array = NDArray[np.float64]


class Basis(Protocol):
    """Directions of the columns: a normal (p,) is a combination of r of them."""

    @property
    def size(self) -> int:
        """How many, r."""

    def normals(self, weights: Array) -> Array:
        """(K, p) normals from weights (K, r)."""

    def weights(self, normals: Array) -> Array:
        """(K, r) weights of normals (K, p) that lie in the basis."""

    def along(self, gradient: Array) -> Array:
        """(K, r) derivatives by the weights from those by the normals (K, p)."""

    def square(self, matrix: Array) -> Array:
        """(..., r, r) second derivatives by the weights from those by the normals (..., p, p)."""

    def beside(self, ridge: Array) -> Basis:
        """The basis in which variances and a ridge (p,), as a share of one row's curvature, are one together."""


@dataclass(frozen=True)
class Columns:
    """Every column on its own, on a scale of its own.

    Attributes
    ----------
    scale : (p,) one over each column's deviation; zero for a column that takes no part.
    """

    scale: Array

    @property
    def size(self) -> int:
        """How many, p."""
        return len(self.scale)

    def normals(self, weights: Array) -> Array:
        """(K, p) normals from weights (K, p)."""
        return np.asarray(weights * self.scale)

    def weights(self, normals: Array) -> Array:
        """(K, p) weights of normals (K, p)."""
        return np.divide(normals, self.scale, out=np.zeros_like(normals), where=self.scale > 0)

    def along(self, gradient: Array) -> Array:
        """(K, p) derivatives by the weights."""
        return np.asarray(gradient * self.scale)

    def square(self, matrix: Array) -> Array:
        """(..., p, p) second derivatives by the weights."""
        return np.asarray(matrix * self.scale * self.scale[:, None])

    def beside(self, ridge: Array) -> Columns:
        """Columns on shorter scales, the more so the less they vary: there the ridge is all that holds them."""
        return Columns(self.scale / np.sqrt(1 + ridge * self.scale**2))


@dataclass(frozen=True)
class Directions:
    """Uncorrelated directions of variance one, as many as the rank of the columns.

    Attributes
    ----------
    whiten : (p, r)
    colour : (p, r) with whiten' colour = I.
    """

    whiten: Array
    colour: Array

    @property
    def size(self) -> int:
        """How many, r."""
        return int(self.whiten.shape[1])

    def normals(self, weights: Array) -> Array:
        """(K, p) normals from weights (K, r)."""
        return np.asarray(weights @ self.whiten.T)

    def weights(self, normals: Array) -> Array:
        """(K, r) weights of normals (K, p)."""
        return np.asarray(normals @ self.colour)

    def along(self, gradient: Array) -> Array:
        """(K, r) derivatives by the weights."""
        return np.asarray(gradient @ self.whiten)

    def square(self, matrix: Array) -> Array:
        """(..., r, r) second derivatives by the weights."""
        return np.asarray(self.whiten.T @ matrix @ self.whiten)

    def beside(self, ridge: Array) -> Directions:
        """The same: no scale of a direction is right for the ridge of every column."""
        return self


def contrasts(K: int) -> Array:
    """(K, q) by which q = K - 1 score vectors give those of all classes.

    Two classes: the second's score, the first's being zero. More: an orthonormal basis of what sums to zero, so that
    no class is set apart, and squares are those of the classes' own vectors.

    Examples
    --------
    >>> contrasts(2).tolist(), np.round(contrasts(3).T @ contrasts(3), 12).tolist()
    ([[0.0], [1.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    if K == 2:
        return np.array([[0.0], [1.0]])
    coding = np.zeros((K, K - 1))
    for j in range(K - 1):
        coding[: j + 1, j] = -1.0
        coding[j + 1, j] = j + 1
    return np.asarray(coding / np.linalg.norm(coding, axis=0))


@dataclass(frozen=True)
class Coordinates:
    """From a vector of free numbers to the scores of all classes, and back for derivatives.

    The vector holds (q, r + 1) numbers: of each score vector the score at the centre, where there is an intercept, and
    its weights in the basis.

    Attributes
    ----------
    centre : (p,)
    basis : of the normals.
    coding : (K, q)
    intercept : whether the scores at the centre are free; else they are zero.
    """

    centre: Array
    basis: Basis
    coding: Array
    intercept: bool

    @property
    def size(self) -> int:
        """How many numbers are free."""
        return int(self.coding.shape[1]) * (self.basis.size + self.intercept)

    def split(self, vector: Array) -> tuple[Array, Array]:
        """(q,) scores at the centre and (q, r) weights."""
        free = vector.reshape(self.coding.shape[1], -1)
        return (free[:, 0], free[:, 1:]) if self.intercept else (np.zeros(len(free)), free)

    def join(self, offsets: Array, weights: Array) -> Array:
        """The vector of (q,) scores at the centre and (q, r) weights."""
        return np.column_stack([offsets, weights] if self.intercept else [weights]).ravel()

    def scores(self, vector: Array) -> Affine:
        """The scores (K,) of the classes."""
        offsets, weights = self.split(vector)
        return Affine(self.centre, self.coding @ self.basis.normals(weights), self.coding @ offsets)

    def vector(self, scores: Affine) -> Array:
        """The vector of scores that these coordinates can express."""
        offsets = scores.offsets + scores.normals @ (self.centre - scores.centre)
        back = np.linalg.pinv(self.coding - self.coding.mean(axis=0))
        centred = scores.normals - scores.normals.mean(axis=0)
        return self.join(back @ (offsets - offsets.mean()), self.basis.weights(back @ centred))

    def gradient(self, by_class: Array) -> Array:
        """From derivatives (K, p + 1) by the classes' scores at the centre and normals."""
        free = self.coding.T @ by_class
        return self.join(free[:, 0], self.basis.along(free[:, 1:]))

    def curvature(self, by_class: Array) -> Array:
        """From second derivatives (q, p + 1, q, p + 1) by the scores of all classes but the first."""
        q = len(by_class)
        blocks = by_class.transpose(0, 2, 1, 3)  # (q, q, p + 1, p + 1)
        r = self.basis.size
        inside = np.zeros((q, q, r + 1, r + 1))
        inside[:, :, 1:, 1:] = self.basis.square(blocks[:, :, 1:, 1:])
        inside[:, :, 0, 0] = blocks[:, :, 0, 0]
        for k in range(q):
            inside[k, :, 0, 1:] = self.basis.along(blocks[k, :, 0, 1:])
        inside[:, :, 1:, 0] = inside[:, :, 0, 1:].transpose(1, 0, 2)
        relative = self.coding[1:] - self.coding[:1]
        free = np.einsum("ca,cdij,db->aibj", relative, inside, relative, optimize=True)
        first = 0 if self.intercept else 1
        kept = free[:, first:, :, first:]
        return np.asarray(kept.reshape(self.size, self.size))
