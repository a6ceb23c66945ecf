"""Areas under ROC and precision-recall curves, one class against the rest and pair by pair, for many resamples.

The numbers are scikit-learn's, which the tests hold them to; it would sort the rows again for every resample, and for
every pair of classes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.truth import Truth

Array = NDArray[np.float64]

PER_CLASS = ("roc_area", "pr_area")
OVERALL = ("macro_roc_area", "macro_pr_area", "hand_till")
THREADS = 2


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows in order of the score of a class, the highest first.

    Attributes
    ----------
    codes : (n,) their classes.
    ends : (m,) where the rows of each different score end.
    order : (n,) their places.
    """

    codes: NDArray[np.int32]
    ends: NDArray[np.int32]
    order: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Areas:
    """The areas of rows, ranked once.

    Attributes
    ----------
    rankings : one a class of the model.
    totals : (R,) weight of each label, its factor included.
    factor : (R,) by which each label counts more than its rows.
    """

    rankings: tuple[Ranking, ...]
    totals: Array
    factor: Array

    def __call__(self, weights: NDArray[Any]) -> dict[str, Array]:
        """Areas at weights (b, n) of the rows, that leave the total of each label as it is.

        Returns
        -------
        (b, K) of each class, and (b,) overall; NaN where an area is undefined.
        """
        from distinguo.evaluation.assessment.resample_kernels import (
            rank_areas,  # compiled code is loaded when it is needed
        )

        b, K, R = len(weights), len(self.rankings), len(self.totals)
        there = np.flatnonzero(self.totals[:K] > 0)
        ahead, precision = np.zeros((b, K, R)), np.zeros((b, K))

        def rank(k: int) -> None:
            ranking = self.rankings[k]
            lead, at = np.zeros((b, R)), np.zeros(b)
            rank_areas(ranking.codes, ranking.ends, ranking.order, weights, self.factor, k, lead, at)
            ahead[:, k], precision[:, k] = lead, at

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(rank, there))
        return assembled(ahead, precision, self.totals)


def assembled(ahead: Array, precision: Array, totals: Array) -> dict[str, Array]:
    """Areas (b, K) of each class and (b,) overall.

    Parameters
    ----------
    ahead : (b, K, R) weight of the pairs of a row of each class and one of each other label that the first leads.
    precision : (b, K) precision at each row of a class, summed by weight.
    totals : (R,) weight of each label.
    """
    b, K, _ = ahead.shape
    there, others = np.flatnonzero(totals[:K] > 0), totals.sum() - totals[:K]
    each, pairs = np.full((b, K, 2), np.nan), np.zeros((b, K))
    for k in there.tolist():
        lead = np.ascontiguousarray(ahead[:, k])
        if others[k] > 0:
            each[:, k, 0] = lead.sum(axis=1) / (totals[k] * others[k])
            each[:, k, 1] = precision[:, k] / totals[k]
        pairs[:, k] = lead[:, there] @ (1 / totals[there]) / totals[k]
    several = len(there) * (len(there) - 1)
    roc, pr = each[:, :, 0], each[:, :, 1]
    return {
        "roc_area": roc,
        "pr_area": pr,
        "macro_roc_area": _mean(roc),
        "macro_pr_area": _mean(pr),
        "hand_till": pairs.sum(axis=1) / several if several else np.full(b, np.nan),
    }


def areas_of(truth: Truth, scores: Array, factor: Array) -> Areas:
    """The areas of scores (n, K), each label counting by a factor (R,) more than its rows."""
    return Areas(tuple(_ranking(truth, column) for column in scores.T), truth.totals * factor, factor)


def _ranking(truth: Truth, scores: Array) -> Ranking:
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, len(ordered))
    return Ranking(truth.codes[order].astype(np.int32), ends.astype(np.int32), order.astype(np.int32))


def _mean(values: Array) -> Array:
    """(b,) over the classes that have an area, which are the same in every resample."""
    defined = ~np.isnan(values[0])
    return values[:, defined].mean(axis=1) if defined.any() else np.full(len(values), np.nan)
