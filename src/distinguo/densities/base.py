"""What a description of the classes can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Classes = slice | NDArray[np.intp]
EVERY = slice(None)


class Evidence(ABC):
    """What K classes say of rows over p columns; rows come as checked float64 blocks (n, p)."""

    @abstractmethod
    def log_ratio(self, X: Array) -> Array:
        """log p(x | class) up to a constant of the row, (n, K): all that a posterior needs."""


class Density(Evidence):
    """log p(x | class) for K classes over p columns."""

    @abstractmethod
    def log_density(self, X: Array) -> Array:
        """log p(x | class), (n, K)."""

    @abstractmethod
    def tail(self, X: Array) -> Array:
        """P(p(X' | k) <= p(x | k)) for X' a member of class k, (n, K)."""

    @abstractmethod
    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k."""


class ByColumn(Evidence):
    """Evidence that is a sum over the columns, so that each column's part in a decision can be told."""

    @abstractmethod
    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """What each column adds to `log_ratio` of these classes, (n, K, p); the sum over the columns is it."""
