"""The one table of metrics: their names, what is printed for them, and why one has no value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """A number that test rows give a model.

    Attributes
    ----------
    name : the key.
    title : as it is printed.
    per_class : whether there is one a class.
    is_loss : whether less is better.
    share_of : of a share of rows, those it is a share of: "all", "class", "predicted" or "others"; else None.
    """

    name: str
    title: str
    per_class: bool = False
    is_loss: bool = False
    share_of: str | None = None


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", share_of="all"),
        Metric("balanced_accuracy", "balanced accuracy"),
        Metric("macro_precision", "precision, mean"),
        Metric("macro_specificity", "specificity, mean"),
        Metric("macro_f1", "F1, mean"),
        Metric("mcc", "Matthews correlation"),
        Metric("kappa", "Cohen's kappa"),
        Metric("macro_roc_area", "ROC area, mean"),
        Metric("macro_pr_area", "PR area, mean"),
        Metric("hand_till", "Hand-Till area"),
        Metric("log_loss", "log loss", is_loss=True),
        Metric("brier", "Brier score", is_loss=True),
        Metric("log_density", "mean log p(x)"),
        Metric("precision", "precision", per_class=True, share_of="predicted"),
        Metric("recall", "recall", per_class=True, share_of="class"),
        Metric("specificity", "specificity", per_class=True, share_of="others"),
        Metric("f1", "F1", per_class=True),
        Metric("roc_area", "ROC area", per_class=True),
        Metric("pr_area", "PR area", per_class=True),
    )
}


@dataclass(frozen=True)
class Estimate:
    """A metric's value, how far it may be off, and what is to be said about that.

    Attributes
    ----------
    metric : its name.
    label : the class it is of, or None.
    value : None where it is undefined.
    low, high : of its interval; None where there is none.
    note : why a number is missing, or what it leaves out; None where there is nothing to say.
    """

    metric: str
    label: Any
    value: float | None
    low: float | None
    high: float | None
    note: str | None

    def __str__(self) -> str:
        if self.value is None:
            return f"- ({self.note})"
        return f"{self.value:.4f}" + ("" if self.low is None else f" [{self.low:.4f}, {self.high:.4f}]")


@dataclass(frozen=True, eq=False)
class Denominators:
    """Weights of the rows that shares are shares of.

    Attributes
    ----------
    classes : (R,) test rows of each label.
    predicted : (R,) rows taken for it.
    """

    classes: Array
    predicted: Array

    def of(self, metric: Metric, place: int) -> float:
        """Of how many rows a metric is a share, for the label at a place."""
        total = float(self.classes.sum())
        parts = {
            "all": total,
            "class": self.classes[place],
            "predicted": self.predicted[place],
            "others": total - self.classes[place],
        }
        return float(parts[str(metric.share_of)])


def why_undefined(metric: Metric, place: int, rows: Denominators) -> str:
    """Why a metric has no value, for the label at a place."""
    if not metric.per_class:
        return _REASONS.get(metric.name, "no class that it could be of")
    if metric.name == "precision":
        return "never predicted"
    if rows.classes[place]:
        return "no row of another class"
    return "neither there nor predicted" if metric.name == "f1" else "no row of this class"


_REASONS = {
    "log_density": "a row has density zero, and the mean is no number",
    "mcc": "one class alone is there, or is predicted",
    "kappa": "one class alone is there, and is predicted",
    "macro_roc_area": "fewer than two classes are there",
    "macro_pr_area": "fewer than two classes are there",
    "hand_till": "fewer than two classes that the model knows are there",
}
