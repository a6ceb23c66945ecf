"""Where stochastic gradient descent has come to, so that more rows can take it further."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine
from distinguo.rows.labels import merge_classes
from distinguo.rows.matrix import Matrix, squared_lengths
from distinguo.solvers.stochastic import one_pass

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Walk:
    """Scores on their way, about the origin, and the length of the next step.

    Attributes
    ----------
    classes : (K,) sorted labels.
    normals, offsets : (K, p) and (K,); of two classes the first's are zero.
    turn : rows walked over so far.
    step, decay : the first step, and how fast steps shorten.
    intercept : whether the offsets take part.
    """

    classes: NDArray[Any]
    normals: Array
    offsets: Array
    turn: int
    step: float
    decay: float
    intercept: bool

    @property
    def scores(self) -> Affine:
        """The scores (K,) of the classes, those of more than two summing to zero."""
        normals, offsets = self.normals, self.offsets
        if len(offsets) > 2:
            normals, offsets = normals - normals.mean(axis=0), offsets - offsets.mean()
        return Affine(np.zeros(normals.shape[1]), normals, offsets)

    def with_classes(self, more: NDArray[Any]) -> Self:
        """The same walk over more classes, whose scores begin at zero."""
        classes, of_own, _ = merge_classes(self.classes, more)
        if len(classes) == len(self.classes):
            return self
        normals, offsets = np.zeros((len(classes), self.normals.shape[1])), np.zeros(len(classes))
        normals[of_own], offsets[of_own] = self.normals, self.offsets
        return replace(self, classes=classes, normals=normals, offsets=offsets)

    def over(self, X: Matrix, codes: NDArray[np.intp], weight: Array, order: NDArray[np.intp], ridge: Array) -> Self:
        """The walk after one step for each row, in the order given; `ridge` (p,) is the penalty's strength a row."""
        normals, offsets = self.normals.copy(), self.offsets.copy()
        step = (self.step, self.decay, self.turn)
        turn = one_pass(X, codes, weight, order, normals, offsets, ridge, step, self.intercept)
        return replace(self, normals=normals, offsets=offsets, turn=turn)


def safe_step(X: Matrix, K: int, ridge: Array, intercept: bool) -> float:
    """One over the greatest curvature that one row's loss has: a step that never overshoots."""
    return step_for(float(squared_lengths(X).max()), K, ridge, intercept)


def step_for(longest: float, K: int, ridge: Array, intercept: bool) -> float:
    """The same, where the squared length of the longest row is known."""
    return 1 / (steepness(K) * (longest + intercept) + float(ridge.max(initial=0.0)))


def steepness(K: int) -> float:
    """The greatest second derivative of the loss by the scores."""
    return 0.25 if K == 2 else 0.5
