"""The table of a comparison: the figures of each model, the best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.columns import Format, decimals, three_digits
from distinguo.evaluation.comparison.contest import Measured
from distinguo.group_tests.table import ResultTable

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(ResultTable):
    """The figures of each model that took part, the best first.

    Attributes
    ----------
    of : what rows were compared on.
    model : (M,) names.
    accuracy, accuracy_se : (M,) share of held-out rows that are told right, and its standard error.
    balanced_accuracy : (M,) mean of that share over the classes.
    log_loss : (M,) nats; NaN without probabilities.
    train_accuracy : (M,) accuracy on rows learned from.
    fit_ms : (M,) milliseconds a fit.
    predict_us : (M,) microseconds a row.
    memory_mb : (M,) peak of a fit; NaN if not measured.
    size_kb : (M,) of the model, pickled; NaN where it cannot be.
    hidden : columns that are not printed.
    """

    of: str
    model: NDArray[Any]
    accuracy: Array
    accuracy_se: Array
    balanced_accuracy: Array
    log_loss: Array
    train_accuracy: Array
    fit_ms: Array
    predict_us: Array
    memory_mb: Array
    size_kb: Array
    hidden: tuple[str, ...] = ()

    headings: ClassVar[dict[str, str]] = {
        "model": "model",
        "accuracy": "accuracy",
        "accuracy_se": "±",
        "balanced_accuracy": "balanced",
        "log_loss": "log loss",
        "train_accuracy": "train",
        "fit_ms": "fit (ms)",
        "predict_us": "predict (µs/row)",
        "memory_mb": "memory (MB)",
        "size_kb": "size (kB)",
    }
    formats: ClassVar[Mapping[str, Format]] = {
        **dict.fromkeys(("accuracy", "accuracy_se", "balanced_accuracy", "log_loss", "train_accuracy"), decimals(4)),
        **dict.fromkeys(("fit_ms", "predict_us", "memory_mb", "size_kb"), three_digits),
    }

    @property
    def title(self) -> str:
        """On what rows."""
        return self.of

    @classmethod
    def of_results(cls, of: str, measured: Sequence[tuple[str, Measured]]) -> Leaderboard:
        """The figures of models, in the order given."""
        cells = np.array([_cells(numbers) for _, numbers in measured], np.float64).reshape(-1, 9)
        table = cls(of, np.array([name for name, _ in measured], dtype=object), *cells.T)
        return replace(table, hidden=("memory_mb",)) if np.isnan(table.memory_mb).all() else table


def _cells(numbers: Measured) -> tuple[float, ...]:
    """A row of the leaderboard, without the name."""
    quality = numbers.quality
    return (
        quality.accuracy,
        numbers.accuracy_se,
        quality.balanced_accuracy,
        float("nan") if quality.log_loss is None else quality.log_loss,
        numbers.train_accuracy,
        1e3 * numbers.fit_seconds,
        1e6 * numbers.predict_seconds_per_row,
        numbers.peak_memory / 1e6 if numbers.peak_memory else float("nan"),
        numbers.size / 1e3 if numbers.size else float("nan"),
    )
