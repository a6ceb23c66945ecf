"""How much better the best model is than each other one, and how sure one can be of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc
from scipy.stats import t as student_t

from distinguo.evaluation.columns import Format, decimals
from distinguo.evaluation.comparison.contest import Measured, held_out_per_training_row
from distinguo.evaluation.comparison.metrics import corrected_standard_error
from distinguo.group_tests.table import ResultTable, p_column
from distinguo.resampling import Split

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Differences(ResultTable):
    """Each model less the best, on the same splits; below zero in accuracy or above it in log loss is worse.

    Attributes
    ----------
    best : the model that the others are held against.
    level : of the intervals.
    model : (M,) names.
    accuracy, accuracy_low, accuracy_high : (M,) the difference and its interval.
    log_loss, log_loss_low, log_loss_high : (M,) likewise; NaN without probabilities.
    only_best, only_it : (M,) weight of the rows that only the best model, or only this one, has right, each row as it
        was first held out.
    p_value : (M,) of McNemar's test that they have equally many right.
    """

    best: str
    level: float
    model: NDArray[Any]
    accuracy: Array
    accuracy_low: Array
    accuracy_high: Array
    log_loss: Array
    log_loss_low: Array
    log_loss_high: Array
    only_best: Array
    only_it: Array
    p_value: Array

    headings: ClassVar[dict[str, str]] = {
        "model": "model",
        "accuracy": "accuracy",
        "accuracy_low": "low",
        "accuracy_high": "high",
        "log_loss": "log loss",
        "log_loss_low": "low",
        "log_loss_high": "high",
        "only_best": "only best right",
        "only_it": "only it right",
        "p_value": "p",
    }
    formats: ClassVar[Mapping[str, Format]] = {
        **dict.fromkeys(headings, decimals(4, "+")),
        "model": list,
        "only_best": decimals(0),
        "only_it": decimals(0),
        "p_value": p_column,
    }

    @property
    def title(self) -> str:
        """What is held against what."""
        return f"differences to {self.best}, {self.level:.0%} intervals; p of McNemar's test"


def differences(
    measured: Sequence[tuple[str, Measured]], splits: Sequence[Split], codes: Codes, weight: Array, level: float = 0.95
) -> Differences:
    r"""Every model against the first.

    The interval of a difference is the corrected resampled t interval,

    .. math:: \bar d \pm t_{J - 1} \sqrt{(1 / J + n_\text{test} / n_\text{train})\, s^2}

    with the J differences of the splits, their variance s², and :math:`\bar d` the difference of the figures that the
    comparison reports. NaN for a single split. McNemar's test takes each row once, as it was first held out.

    Parameters
    ----------
    measured : names and numbers, the best model first.
    splits : on which they were measured.
    codes, weight : (n,) of all rows.
    level : of the intervals.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, section 3. McNemar (1947),
    Psychometrika 12, 153-157.
    """
    (best_name, best), *others = measured
    ratio = held_out_per_training_row(splits)
    accuracy = [
        _interval(m.quality.accuracy - best.quality.accuracy, m.accuracies, best.accuracies, ratio, level)
        for _, m in others
    ]
    loss = [_loss_interval(m, best, ratio, level) for _, m in others]
    tests = [mcnemar(*discordant(best, m, codes, weight)) for _, m in others]
    columns = np.array([[*a, *b, *test] for a, b, test in zip(accuracy, loss, tests, strict=True)]).reshape(-1, 9).T
    return Differences(best_name, level, np.array([name for name, _ in others], dtype=object), *columns)


def _interval(
    difference: float, of_model: Sequence[float], of_best: Sequence[float], ratio: float, level: float
) -> tuple[float, float, float]:
    """A difference and the ends of its interval."""
    by_split = np.subtract(of_model, of_best)
    if len(by_split) < 2:
        return difference, float("nan"), float("nan")
    half = float(student_t.ppf((1 + level) / 2, len(by_split) - 1)) * corrected_standard_error(by_split, ratio)
    return difference, difference - half, difference + half


def _loss_interval(model: Measured, best: Measured, ratio: float, level: float) -> tuple[float, float, float]:
    """The same of the log loss; NaN where one of the two has no probabilities."""
    own, other = model.quality.log_loss, best.quality.log_loss
    if own is None or other is None:
        return float("nan"), float("nan"), float("nan")
    return _interval(own - other, model.log_losses, best.log_losses, ratio, level)


def discordant(first: Measured, second: Measured, codes: Codes, weight: Array) -> tuple[float, float]:
    """Weights of the rows that only the first, and that only the second has right, each row as first held out."""
    assert first.held_out is not None
    assert second.held_out is not None
    at = first.held_out.first()
    one, other = first.held_out.right(codes)[at], second.held_out.right(codes)[at]
    of_rows = weight[first.held_out.rows[at]]
    return float(of_rows[one & ~other].sum()), float(of_rows[other & ~one].sum())


def mcnemar(only_first: float, only_second: float) -> tuple[float, float, float]:
    r"""The two weights, and the exact two-sided p-value that their rows fall either way by a fair coin.

    :math:`p = \min(1, 2\, P(B \le \min(b, c)))` with :math:`B \sim \text{Bin}(b + c, 1/2)`; between whole numbers the
    binomial distribution goes on as the incomplete beta function.

    Examples
    --------
    >>> mcnemar(1.0, 9.0)[2]
    0.021484375
    """
    less, total = min(only_first, only_second), only_first + only_second
    p = 1.0 if total == 0 else min(1.0, 2 * float(betainc(total - less, less + 1, 0.5)))
    return only_first, only_second, p
