"""How strongly rows pull their own fitted probabilities: the score of Jeffreys' prior, in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch, Reducer
from distinguo.rows.labels import codes_among

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PullSums:
    """Derivatives (K, p + 1) of half the log-determinant of the information, by the classes' scores and normals.

    Attributes
    ----------
    gradient : (K, p + 1)
    """

    gradient: Array

    def __add__(self, other: PullSums) -> PullSums:
        """The sums of the rows of both, at the same scores."""
        return PullSums(self.gradient + other.gradient)


@dataclass(frozen=True, eq=False)
class PullStep(Reducer[PullSums]):
    r"""What Firth's correction needs of the rows, given the information's inverse.

    With :math:`A_i` the (q, q) covariance of a row's fitted scores, the derivative by the score of class c is
    :math:`\tfrac12 \sum_{ab} A_{i,ab} \kappa_{abc}`, where :math:`\kappa` are the third cumulants of the class
    indicators. For two classes that is :math:`h_i (\tfrac12 - \pi_i)`, h the diagonal of the hat matrix.

    Attributes
    ----------
    classes : (K,) labels that the scores are of; rows of weight zero may be of others.
    centre : (p,)
    normals, offsets : (K, p) and (K,) the scores.
    roots : (q, p + 1, s) with Σ_s roots_a roots_b' the blocks of the inverse information, classes but the first.
    class_weight : (K,) or None.
    row_offsets : (n, K) or None.
    """

    classes: NDArray[Any]
    centre: Array
    normals: Array
    offsets: Array
    roots: Array
    class_weight: Array | None = None
    row_offsets: Array | None = None

    def reduce(self, batches: Iterable[Batch]) -> PullSums:
        """One pass over the batches."""
        total = np.zeros((len(self.normals), len(self.centre) + 1))
        for batch in batches:
            total += self._of(batch)
        return PullSums(total)

    def _of(self, batch: Batch) -> Array:
        rows = np.column_stack([np.ones(len(batch.X)), batch.X - self.centre])
        scores = rows[:, 1:] @ self.normals.T + self.offsets
        if self.row_offsets is not None:
            scores += self.row_offsets[batch.first_row : batch.first_row + len(rows)]
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = (shares / shares.sum(axis=1, keepdims=True))[:, 1:]
        weight = np.ones(len(rows)) if batch.weight is None else batch.weight
        if self.class_weight is not None:
            weight = weight * self.class_weight[codes_among(self.classes, batch.classes, batch.codes)]
        fitted = np.einsum("mj,qjs->mqs", rows, self.roots, optimize=True)
        spread = np.einsum("mas,mbs->mab", fitted, fitted, optimize=True)
        pull = weight[:, None] * _half_cumulants(spread, shares)
        return np.vstack([-pull.sum(axis=1) @ rows, pull.T @ rows])


def _half_cumulants(spread: Array, shares: Array) -> Array:
    """(m, q) half the sum over a and b of A_ab times the third cumulant of classes a, b and c."""
    own = np.einsum("maa->ma", spread)
    along = np.einsum("mab,mb->ma", spread, shares)
    mean = (own * shares).sum(axis=1, keepdims=True)
    both = (along * shares).sum(axis=1, keepdims=True)
    return np.asarray(0.5 * shares * (own - mean - 2 * along + 2 * both))
