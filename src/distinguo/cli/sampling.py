"""Rows drawn from a table that is too large to be held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

# About so many rows are drawn from a large table.
SAMPLE_ROWS = 100_000
# Of a class of few rows so many are drawn, or all.
LEAST_OF_CLASS = 50


@dataclass
class Sampler:
    """Draws rows as they pass, whoever passes over them, in whatever order: the same ones every time.

    Each row is drawn by itself, with the same probability; with a greater one in classes of which there would be few.

    Attributes
    ----------
    labels, counts : (K,) classes, and how many rows each has.
    seed : what settles which rows are drawn.
    """

    labels: NDArray[Any]
    counts: NDArray[np.int64]
    seed: int
    _drawn: dict[int, tuple[pl.DataFrame, NDArray[np.intp]]] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether any rows have passed."""
        return bool(self._drawn)

    def pass_over(self, row: int, frame: pl.DataFrame, numbers: NDArray[np.intp], labels: pl.Series) -> None:
        """Draw from some rows, of which the first is `row` of the table and which have these numbers and labels."""
        if row in self._drawn:
            return
        chance = np.random.default_rng([self.seed, row]).random(frame.height)
        drawn = np.flatnonzero(chance < self._chances(labels))
        self._drawn[row] = frame[drawn], numbers[drawn]

    def _chances(self, labels: pl.Series) -> Any:
        """The probability by which a row is drawn: one for all, or of each row (n,)."""
        usual = min(1.0, SAMPLE_ROWS / int(self.counts.sum()))
        rare = {
            label: max(usual, min(1.0, LEAST_OF_CLASS / count))
            for label, count in zip(self.labels.tolist(), self.counts.tolist(), strict=True)
            if usual * count < LEAST_OF_CLASS
        }
        if not rare:
            return usual
        found = labels.replace_strict(list(rare), list(rare.values()), default=usual, return_dtype=pl.Float64)
        return found.to_numpy()

    def rows(self) -> tuple[pl.DataFrame, NDArray[np.intp]]:
        """The rows drawn, in their order, and their numbers."""
        parts: Sequence[tuple[pl.DataFrame, NDArray[np.intp]]] = [self._drawn[row] for row in sorted(self._drawn)]
        return pl.concat([frame for frame, _ in parts]), np.concatenate([numbers for _, numbers in parts])
