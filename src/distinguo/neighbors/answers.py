"""What kept rows say: a class each, or numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.neighbors.votes import winners

Array = NDArray[np.float64]
Places = NDArray[np.intp]


class Answers(ABC):
    """The answers of rows, to be averaged over neighbours.

    Attributes
    ----------
    said : (n,) or (n, q), a row's own answer.
    criteria : names of the losses, the first to be judged by first.
    """

    said: NDArray[Any]
    criteria: tuple[str, ...]

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers (q) an average has."""

    @abstractmethod
    def average(self, parts: Array, rows: Places) -> Array:
        """(b, q) answers of rows (b, m), each with its part (b, m)."""

    @abstractmethod
    def sums(self, parts: Array, rows: Places) -> Array:
        """(b, m + 1, q) sums of the first 0, 1, ..., m answers of rows (b, m), each times its part (b, m)."""

    @abstractmethod
    def same(self, rows: Places, others: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether rows (b, m) say what others (b,) or (b, q) say, (b, m)."""

    @abstractmethod
    def losses(self, averages: Array, said: NDArray[Any]) -> Array:
        """(b, L) how wrong averages (b, q) are, where (b,) or (b, q) is true."""


@dataclass(frozen=True)
class Labels(Answers):
    """Codes (n,) of K classes; their averages are shares of votes."""

    said: Places
    K: int
    criteria = ("error", "brier")

    @property
    def width(self) -> int:
        """K."""
        return self.K

    def average(self, parts: Array, rows: Places) -> Array:
        """(b, K) shares; no more than one, whatever the rounding."""
        cells = self.said[rows] + self.K * np.arange(len(parts))[:, None]
        sums = np.bincount(cells.ravel(), parts.ravel(), len(parts) * self.K)
        return np.minimum(sums, 1.0).reshape(len(parts), self.K)

    def sums(self, parts: Array, rows: Places) -> Array:
        """(b, m + 1, K)"""
        each = np.zeros((parts.shape[0], parts.shape[1] + 1, self.K))
        np.put_along_axis(each[:, 1:], self.said[rows][:, :, None], parts[:, :, None], axis=2)
        return np.cumsum(each, axis=1, out=each)

    def same(self, rows: Places, others: NDArray[Any]) -> NDArray[np.bool_]:
        """(b, m)"""
        return np.asarray(self.said[rows] == others[:, None])

    def losses(self, averages: Array, said: NDArray[Any]) -> Array:
        """(b, 2) whether the winner is another class, and the squared distance from the truth."""
        brier = (averages**2).sum(axis=1) - 2 * averages[np.arange(len(said)), said] + 1
        return np.column_stack([winners(averages) != said, brier])


@dataclass(frozen=True)
class Numbers(Answers):
    """Responses (n, q); their averages are means."""

    said: Array
    criteria = ("squared_error",)

    @property
    def width(self) -> int:
        """q."""
        return int(self.said.shape[1])

    def average(self, parts: Array, rows: Places) -> Array:
        """(b, q) means."""
        return np.asarray(np.einsum("bm,bmq->bq", parts, self.said[rows]))

    def sums(self, parts: Array, rows: Places) -> Array:
        """(b, m + 1, q)"""
        each = np.zeros((parts.shape[0], parts.shape[1] + 1, self.width))
        each[:, 1:] = parts[:, :, None] * self.said[rows]
        return np.cumsum(each, axis=1, out=each)

    def same(self, rows: Places, others: NDArray[Any]) -> NDArray[np.bool_]:
        """(b, m)"""
        return np.asarray((self.said[rows] == others[:, None]).all(axis=2))

    def losses(self, averages: Array, said: NDArray[Any]) -> Array:
        """(b, 1) squared errors, the mean over responses."""
        return np.asarray(((averages - said) ** 2).mean(axis=1, keepdims=True))
