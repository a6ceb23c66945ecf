"""What becomes of rows where a threshold says which of them are positive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Weights of rows, one entry a threshold.

    Attributes
    ----------
    tp, fp : of positive and of negative rows that are called positive.
    fn, tn : of positive and of negative rows that are not.
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @classmethod
    def of(cls, positive: NDArray[np.bool_], p: Array, weight: Array, thresholds: Array) -> Outcomes:
        """What becomes of rows, positive ones (n,) of probability p (n,), that are called positive from each threshold.

        Examples
        --------
        >>> outcomes = Outcomes.of(np.array([False, True]), np.array([0.2, 0.7]), np.ones(2), np.array([0.0, 0.5, 1.0]))
        >>> outcomes.tp.tolist(), outcomes.fp.tolist()
        ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0])
        """
        # A probability that rounding has made one is below it all the same: from a threshold of one nobody is positive.
        below_one = np.minimum(p, np.nextafter(1.0, 0.0))
        order = np.argsort(below_one, kind="stable")
        place = np.searchsorted(below_one[order], thresholds, side="left")
        tp, fn = _cut(np.where(positive, weight, 0.0)[order], place)
        fp, tn = _cut(np.where(positive, 0.0, weight)[order], place)
        return cls(tp, fp, fn, tn)

    @property
    def called(self) -> Array:
        """Share of the rows that are called positive."""
        return _share(self.tp + self.fp, self.fn + self.tn)

    @property
    def recall(self) -> Array:
        """Share of the positive rows that are called so; NaN without any."""
        return _share(self.tp, self.fn)

    @property
    def specificity(self) -> Array:
        """Share of the negative rows that are called so; NaN without any."""
        return _share(self.tn, self.fp)

    @property
    def precision(self) -> Array:
        """Share of the rows called positive that are; NaN where nobody is called so."""
        return _share(self.tp, self.fp)

    @property
    def accuracy(self) -> Array:
        """Share of the rows that are called what they are."""
        return _share(self.tp + self.tn, self.fp + self.fn)

    @property
    def balanced_accuracy(self) -> Array:
        """Mean of recall and specificity."""
        return (self.recall + self.specificity) / 2

    @property
    def youden(self) -> Array:
        """Recall and specificity, less one: 0 by chance, 1 without errors."""
        return self.recall + self.specificity - 1

    @property
    def f1(self) -> Array:
        """Harmonic mean of precision and recall; 0 where no positive row is found."""
        return np.nan_to_num(_share(2 * self.tp, self.fp + self.fn))

    @property
    def mcc(self) -> Array:
        """Matthews' correlation; 0 where all rows are called the same."""
        product = (self.tp + self.fp) * (self.tp + self.fn) * (self.tn + self.fp) * (self.tn + self.fn)
        lead = self.tp * self.tn - self.fp * self.fn
        return np.divide(lead, np.sqrt(product), out=np.zeros_like(lead), where=product > 0)


def _cut(weight: Array, place: NDArray[np.intp]) -> tuple[Array, Array]:
    """Sums of weights from each place to the end, and of those before it."""
    sums = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    return sums[place], sums[0] - sums[place]


def _share(part: Array, rest: Array) -> Array:
    total = part + rest
    return np.divide(part, total, out=np.full_like(total, np.nan), where=total > 0)


METRICS: dict[str, Callable[[Outcomes], Array]] = {
    "accuracy": lambda outcomes: outcomes.accuracy,
    "balanced_accuracy": lambda outcomes: outcomes.balanced_accuracy,
    "f1": lambda outcomes: outcomes.f1,
    "mcc": lambda outcomes: outcomes.mcc,
    "recall": lambda outcomes: outcomes.recall,
    "youden": lambda outcomes: outcomes.youden,
}
