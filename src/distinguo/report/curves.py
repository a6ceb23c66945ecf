"""ROC and precision-recall curves, thinned to what an eye can tell apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

Array = NDArray[np.float64]

MOST_POINTS = 160


@dataclass(frozen=True)
class Curves:
    """One class against the rest.

    Attributes
    ----------
    name : of the class.
    roc_area, pr_area : as the evaluation has them; None where there is none.
    false_alarms, recall : the ROC curve.
    pr_recall, precision : the precision-recall curve, recall rising.
    share : of the rows that are of the class, which is the precision of guessing.
    """

    name: str
    roc_area: float | None
    pr_area: float | None
    false_alarms: tuple[float, ...]
    recall: tuple[float, ...]
    pr_recall: tuple[float, ...]
    precision: tuple[float, ...]
    share: float


def curves_of(
    name: str, is_positive: NDArray[np.bool_], p: Array, roc_area: float | None, pr_area: float | None
) -> Curves | None:
    """The curves of a class by the probability (n,) of it; None where rows are all of one kind."""
    if is_positive.all() or not is_positive.any():
        return None
    false_alarms, recall, _ = roc_curve(is_positive, p)
    precision, pr_recall, _ = precision_recall_curve(is_positive, p, drop_intermediate=True)
    roc = _thinned(false_alarms, recall)
    pr = _thinned(pr_recall[::-1], precision[::-1])
    return Curves(name, roc_area, pr_area, *roc, *pr, float(is_positive.mean()))


def _thinned(x: Array, y: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A curve by at most so many of its points, evenly spread along it."""
    if len(x) > MOST_POINTS:
        along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
        wanted = np.linspace(0, along[-1], MOST_POINTS)
        kept = np.unique(np.searchsorted(along, wanted).clip(0, len(x) - 1))
        x, y = x[kept], y[kept]
    return tuple(x.tolist()), tuple(y.tolist())
