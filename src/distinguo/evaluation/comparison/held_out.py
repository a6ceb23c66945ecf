"""What a model said of rows it had not seen, and the numbers that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.comparison.metrics import Quality, quality
from distinguo.resampling import Split

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

# Probabilities nearer to 0 or 1 count as this near, as in scikit-learn's log loss.
LEAST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """What a model said of the rows of all test parts, one split after the other; a row may come several times.

    Attributes
    ----------
    rows : (m,) row numbers.
    split : (m,) which split each was held out in.
    predicted : (m,) codes of the classes named; -1 where none was.
    probabilities : (m, K), or None of a model that has none.
    """

    rows: Codes
    split: Codes
    predicted: Codes
    probabilities: Array | None

    def first(self) -> Codes:
        """Where each row that was tested comes first, by row number: one answer a row."""
        return np.unique(self.rows, return_index=True)[1].astype(np.intp)

    def right(self, codes: Codes) -> NDArray[np.bool_]:
        """(m,) whether the class named is that of the row."""
        return np.asarray(self.predicted == codes[self.rows])

    def accuracies(self, codes: Codes, weight: Array) -> Array:
        """(J,) accuracy in each split."""
        return self._means(self.right(codes).astype(np.float64), weight)

    def log_losses(self, codes: Codes, weight: Array) -> Array | None:
        """(J,) log loss in each split, or None without probabilities."""
        if self.probabilities is None:
            return None
        own = self.probabilities[np.arange(len(self.rows)), codes[self.rows]]
        return self._means(-np.log(np.clip(own, LEAST, 1 - LEAST)), weight)

    def _means(self, values: Array, weight: Array) -> Array:
        """(J,) weighted means over the rows of each split."""
        of_rows = weight[self.rows]
        return np.asarray(np.bincount(self.split, values * of_rows) / np.bincount(self.split, of_rows))

    def quality(self, codes: Codes, weight: Array, classes: int, splits: Sequence[Split]) -> Quality:
        """The mean over the repeats of the quality of their rows: small folds may lack a class, all rows do not."""
        repeat = np.array([split.repeat for split in splits])[self.split]
        parts = [self._of(repeat == which, codes, weight, classes) for which in dict.fromkeys(repeat.tolist())]
        losses = [part.log_loss for part in parts if part.log_loss is not None]
        return Quality(
            float(np.mean([part.accuracy for part in parts])),
            float(np.mean([part.balanced_accuracy for part in parts])),
            float(np.mean(losses)) if losses else None,
        )

    def _of(self, chosen: NDArray[np.bool_], codes: Codes, weight: Array, classes: int) -> Quality:
        rows, probabilities = self.rows[chosen], self.probabilities
        return quality(
            codes[rows],
            None if probabilities is None else probabilities[chosen],
            np.arange(classes),
            predicted=self.predicted[chosen],
            weight=weight[rows],
        )
