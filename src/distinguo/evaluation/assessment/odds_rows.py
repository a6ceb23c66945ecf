"""The log odds of very many probabilities as rows to fit to, made a block at a time whenever they are passed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from distinguo.evaluation.assessment.scoring import LEAST
from distinguo.rows.base import Batch, Source

Array = NDArray[np.float64]

# Rows of a block, which stays in the processor's cache.
BLOCK_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class OddsRows(Source):
    """Rows of one column, the log odds of probabilities, and whether what they are of came.

    Attributes
    ----------
    p : (n,) probabilities; those of 0 and 1 count as 2.2e-16 from there.
    outcome : (n,)
    weight : (n,) frequencies.
    """

    p: Array
    outcome: NDArray[np.bool_]
    weight: Array

    @property
    def feature_names(self) -> None:
        """The column has no name."""

    def batches(self) -> Iterator[Batch]:
        """The rows, a block at a time."""
        for start in range(0, len(self.p), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            yield Batch(
                X=log_odds(self.p[rows])[:, None],
                codes=self.outcome[rows].astype(np.intp),
                classes=np.array([False, True]),
                weight=np.ascontiguousarray(self.weight[rows]),
                first_row=start,
                feature_names=None,
                holes=False,
            )


def clipped(p: Array) -> Array:
    """(n,) probabilities, none of them 0 or 1."""
    return np.clip(p, LEAST, 1 - LEAST)


def log_odds(p: Array) -> Array:
    """(n,) of probabilities."""
    return np.asarray(logit(clipped(p)))
