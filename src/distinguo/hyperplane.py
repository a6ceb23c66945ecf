"""Affine scores of classes, and the rule that turns scores into a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Affine:
    """Scores that are affine in the row, kept around a centre so that far-off origins cost no digits.

    Attributes
    ----------
    centre : (p,)
    normals : (K, p) one a class.
    offsets : (K,) scores at the centre.

    Examples
    --------
    >>> scores = Affine(np.zeros(2), np.eye(2), np.zeros(2))
    >>> scores(np.array([[3.0, 1.0]])).tolist()
    [[3.0, 1.0]]
    """

    centre: Array
    normals: Array
    offsets: Array

    def __call__(self, X: Array) -> Array:
        """Scores (n, K) of rows (n, p)."""
        return np.asarray((X - self.centre) @ self.normals.T + self.offsets)

    @property
    def intercepts(self) -> Array:
        """(K,) scores at the origin."""
        return np.asarray(self.offsets - self.normals @ self.centre)


def binary(scores: Array) -> Array:
    """The second class's score less the first's, (n,), where there are two classes."""
    # Two impossible classes are tied; infinity less infinity is no number.
    with np.errstate(over="ignore", invalid="ignore"):
        difference = scores[:, 1] - scores[:, 0]
    return np.where(np.isnan(difference), 0.0, difference)


def decide(scores: Array) -> NDArray[np.intp]:
    """The class (n,) that scores (n, K) choose.

    Of two classes the second is taken where its score is at least the first's; of more, the first of the
    highest. This is the only tie rule of the library.

    Examples
    --------
    >>> decide(np.array([[1.0, 1.0], [2.0, 1.0]])).tolist(), decide(np.array([[0.0, 1.0, 1.0]])).tolist()
    ([1, 0], [1])
    """
    if scores.shape[1] == 2:
        return (binary(scores) >= 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def as_decision(scores: Array) -> Array:
    """Scores in scikit-learn's shape: (n,) for two classes, else (n, K)."""
    return binary(scores) if scores.shape[1] == 2 else scores


def as_coefficients(per_class: NDArray[Any]) -> NDArray[Any]:
    """Normals (K, p) or intercepts (K,) in scikit-learn's shape: one row for two classes."""
    return per_class[1:] - per_class[:1] if len(per_class) == 2 else per_class
