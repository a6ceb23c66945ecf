"""Metrics of labels, for any number of resamples at once.

The numbers are scikit-learn's, which the tests hold them to. It takes one set of weights at a time; here a resample is
a multinomial draw over the cells of the confusion matrix, and all of them are worked out in one go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.resamples import multinomial

Array = NDArray[np.float64]

# Shares that differ from one by less differ by rounding.
ROUNDING = 1e-14
PER_CLASS = ("precision", "recall", "specificity", "f1")
OVERALL = ("accuracy", "balanced_accuracy", "macro_precision", "macro_specificity", "macro_f1", "mcc", "kappa")


@dataclass(frozen=True, eq=False)
class Margins:
    """What the metrics need of B confusion matrices.

    Attributes
    ----------
    rows : (R,) weight of each label; resampling within classes leaves it as it is.
    predicted : (B, R) weight of the rows taken for it.
    right : (B, R) weight of those that are it.
    unanswered : (B,) weight of rows without an answer.
    """

    rows: Array
    predicted: Array
    right: Array
    unanswered: Array


def margins(counts: Array, K: int) -> Margins:
    """Those of one matrix (R, C), whose first K columns are the first K labels; a further one has rows unanswered."""
    predicted, right = np.zeros((1, len(counts))), np.zeros((1, len(counts)))
    predicted[0, :K] = counts[:, :K].sum(axis=0)
    right[0, :K] = counts.diagonal()[:K]
    return Margins(counts.sum(axis=1), predicted, right, counts[:, K:].sum()[None])


def resampled_margins(counts: Array, K: int, factor: Array, resamples: int, generator: np.random.Generator) -> Margins:
    """Those of matrices whose rows are drawn again, each class's among themselves.

    Parameters
    ----------
    counts : (R, C) weights of the rows.
    K : as in `margins`.
    factor : (R,) by which each class counts more, or less, than its rows.
    resamples : how many.
    generator : where the draws come from.
    """
    R, C = counts.shape
    columns, right = np.zeros((resamples, max(R, C))), np.zeros((resamples, R))
    for r in range(R):
        (cells,) = np.nonzero(counts[r])
        if len(cells):
            drawn = multinomial(counts[r, cells], resamples, generator) * factor[r]
            columns[:, cells] += drawn
            if r < K:
                right[:, r] = drawn[:, cells == r].sum(axis=1)
    unanswered = columns[:, K:C].sum(axis=1)
    columns[:, K:] = 0.0
    return Margins(counts.sum(axis=1) * factor, columns[:, :R], right, unanswered)


def label_metrics(given: Margins) -> dict[str, Array]:
    """Each metric's values: (B, R) of the metrics per class, (B,) of the others; NaN where one is undefined."""
    rows, predicted, right, total = given.rows, given.predicted, given.right, given.rows.sum()
    per_class = {
        "precision": _ratio(right, predicted),
        "recall": _ratio(right, np.broadcast_to(rows, right.shape)),
        "specificity": _ratio((total - rows) - (predicted - right), np.broadcast_to(total - rows, right.shape)),
        "f1": _ratio(2 * right, rows + predicted),
    }
    agreed = right.sum(axis=1) / total
    answers = np.column_stack([predicted, given.unanswered])
    by_chance: Array = (predicted @ rows) / total**2
    overall = {
        "accuracy": agreed,
        "balanced_accuracy": _mean(per_class["recall"]),
        **{f"macro_{name}": _mean(per_class[name]) for name in ("precision", "specificity", "f1")},
        "mcc": _matthews(agreed, by_chance, rows / total, answers / total),
        "kappa": _ratio(agreed - by_chance, np.where(by_chance < 1 - ROUNDING, 1 - by_chance, 0.0)),
    }
    return {**per_class, **overall}


def _matthews(agreed: Array, by_chance: Array, rows: Array, columns: Array) -> Array:
    """Gorodkin's correlation of K classes, from shares; undefined where one class alone is there, or is predicted."""
    spread: Array = (1 - (rows**2).sum()) * (1 - (columns**2).sum(axis=1))
    return _ratio(agreed - by_chance, np.where(spread > ROUNDING, np.sqrt(np.maximum(spread, 0.0)), 0.0))


def _ratio(part: Array, whole: Array) -> Array:
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))


def _mean(values: Array) -> Array:
    """(B,) over the classes that have a value."""
    defined = ~np.isnan(values)
    return _ratio(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1).astype(np.float64))
