"""Where a number ranks among those of rows that a model had not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Numbers this close are equal but for rounding, and of models of categories many are.
TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Ranks:
    """Numbers of some rows, in order.

    Attributes
    ----------
    values : (m,) ascending; they may be infinite.
    below : (m + 1,) the weight of the first none, one, two, ... of them.

    Examples
    --------
    >>> ranks = Ranks.of(np.array([3.0, 1.0, 2.0]), np.ones(3))
    >>> ranks.at_least(np.array([2.0, 9.0])).tolist(), ranks.at_most(np.array([2.0, 9.0])).tolist()
    ([2.0, 0.0], [2.0, 3.0])
    """

    values: Array
    below: Array

    @classmethod
    def of(cls, values: Array, weight: Array) -> Ranks:
        """Numbers (m,) and the weights (m,) of their rows."""
        order = np.argsort(values, kind="stable")
        return cls(values[order], np.concatenate([[0.0], np.cumsum(weight[order])]))

    @property
    def total(self) -> float:
        """The weight of all."""
        return float(self.below[-1])

    def at_least(self, numbers: Array) -> Array:
        """The weight of the values that are no less than each number, of any shape."""
        return np.asarray(self.total - self.below[np.searchsorted(self.values, numbers - _slack(numbers))])

    def at_most(self, numbers: Array) -> Array:
        """The weight of the values that are no more than each number, of any shape."""
        return self.below[np.searchsorted(self.values, numbers + _slack(numbers), side="right")]

    def p_low(self, numbers: Array, new: float = 1.0) -> Array:
        """How often a row has a number as low, a new one of that weight counted with them; 0 for one that is there."""
        return np.asarray((new + self.at_most(numbers)) / (new + self.total))

    def p_high(self, numbers: Array, new: float = 1.0) -> Array:
        """How often one has a number as high."""
        return np.asarray((new + self.at_least(numbers)) / (new + self.total))


def _slack(numbers: Array) -> Array:
    return np.where(np.isfinite(numbers), TIE * (1 + np.abs(numbers)), 0.0)
