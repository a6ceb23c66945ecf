"""Affine scores of classes, and the rule that turns scores into a class."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.fitted import ReadsRows
from distinguo.rows.labels import label_list, label_text

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


def _lead(second: Array, first: Array) -> Array:
    """How much higher one score is than another; two impossible classes are tied."""
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.asarray(second - first)
    return np.where(np.isnan(difference), 0.0, difference)  # infinity less infinity is no number


def _distance(score: Array, normal: Array) -> Array:
    """Scores over the lengths of normals (..., p); where scores are equal everywhere, rows are on the boundary."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(score == 0, 0.0, score / np.linalg.norm(normal, axis=-1)))


def binary(scores: Array) -> Array:
    """The second class's score less the first's, (n,), where there are two classes."""
    return _lead(scores[:, 1], scores[:, 0])


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


@dataclass(frozen=True, eq=False)
class Hyperplane:
    r"""The boundary :math:`w^\top x + w_0 = 0` between two classes; the second is where the score is positive.

    Classes of equal normals have no boundary: it is infinitely far, or, where their scores are equal, everywhere.

    Attributes
    ----------
    normal : (p,) w, orthogonal to the boundary.
    offset : w0, the score at the origin.

    Examples
    --------
    >>> plane = Hyperplane(np.array([3.0, 4.0]), -10.0)
    >>> plane.distance_from_origin, plane.signed_distance([[0.0, 0.0], [3.0, 4.0]]).tolist()
    (2.0, [-2.0, 3.0])
    """

    normal: Array
    offset: float

    @property
    def distance_from_origin(self) -> float:
        r"""How far the boundary lies from the origin along the normal, :math:`-w_0 / |w|`, in feature units."""
        return float(_distance(np.asarray(0.0 - self.offset), self.normal))

    def signed_distance(self, X: Any) -> Array:
        """How far rows (n, p) lie from the boundary, (n,) in feature units; positive on the second class's side."""
        return _distance(np.asarray(X, np.float64) @ self.normal + self.offset, self.normal)


class LinearBoundaries(ReadsRows):
    """What models with scores affine in the row share: coefficients, and the geometry of their boundaries."""

    @property
    @abstractmethod
    def classes_(self) -> NDArray[Any]:
        """(K,) the labels, in order."""

    @abstractmethod
    def _affine(self) -> Affine:
        """Scores (K,) of the classes, priors included; for two classes only their difference matters."""

    @property
    def coef_(self) -> Array:
        """(K, p) normals of the class scores; (1, p) for two classes."""
        return np.asarray(as_coefficients(self._affine().normals))

    @property
    def intercept_(self) -> Array:
        """(K,) scores at the origin; (1,) for two classes."""
        return np.asarray(as_coefficients(self._affine().intercepts))

    def boundary(self, first: Any, second: Any) -> Hyperplane:
        """Where two classes have equal scores; its positive side is the second's.

        Parameters
        ----------
        first, second : two of `classes_`.

        Raises
        ------
        InputError
            If either is no class of the model, or both are the same.
        """
        affine, a, b = self._affine(), self._place(first), self._place(second)
        if a == b:
            raise InputError(f"a boundary lies between two classes; {label_text(first)} came twice.")
        offset = _lead(affine.intercepts[b], affine.intercepts[a])
        return Hyperplane(affine.normals[b] - affine.normals[a], float(offset))

    def _place(self, label: Any) -> int:
        found = [k for k, known in enumerate(label_list(self.classes_)) if known == label]
        if not found:
            shown = ", ".join(label_text(known) for known in self.classes_[:12])
            raise InputError(f"there is no class {label_text(label)}; the classes are {shown}.")
        return found[0]

    def signed_distance(self, X: Any) -> Array:
        r"""How far rows lie from the boundaries, in feature units.

        For two classes the distance (n,) from the hyperplane between them, positive on the second's side. For more, of
        each class (n, K), :math:`\min_j (s_k(x) - s_j(x)) / |w_k - w_j|`: the distance from the edge of the class's
        region where the row lies in it; else negative, and at least that far from it.

        Parameters
        ----------
        X : (n, p)
        """
        affine = self._affine()
        return self._evaluate(X, lambda block: _distances(affine, block))


def _distances(affine: Affine, block: Array) -> Array:
    """(n,) for two classes, (n, K) for more."""
    scores, normals = affine(block), affine.normals
    if scores.shape[1] == 2:
        return _distance(binary(scores), normals[1] - normals[0])
    nearest = np.empty_like(scores)
    for k in range(scores.shape[1]):
        margins = _distance(_lead(scores[:, [k]], scores), normals[k] - normals)
        margins[:, k] = np.inf
        nearest[:, k] = margins.min(axis=1)
    return nearest
