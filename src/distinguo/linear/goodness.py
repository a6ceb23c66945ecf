"""Do fitted probabilities agree with what was seen?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.group_tests.table import ResultTable, aligned, number_text, p_text
from distinguo.linear.coefficient_table import upper_tail

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class HosmerLemeshow(ResultTable):
    """Rows grouped by their fitted probability, and Hosmer and Lemeshow's test of it.

    Attributes
    ----------
    up_to : (g,) the group's highest probability.
    weight : (g,) rows by frequency.
    observed, expected : (g,) rows of the second class, seen and fitted.
    statistic, df, p_value : the test; large where the groups were not fitted well.
    """

    up_to: Array
    weight: Array
    observed: Array
    expected: Array
    statistic: float
    df: int
    p_value: float
    headings: ClassVar[dict[str, str]] = {
        "up_to": "P up to",
        "weight": "rows",
        "observed": "observed",
        "expected": "expected",
    }
    formats: ClassVar[Mapping[str, Callable[[NDArray[Any]], list[str]]]] = {"up_to": aligned, "expected": aligned}

    @property
    def title(self) -> str:
        """The test."""
        return f"Hosmer-Lemeshow: chi² {number_text(self.statistic)} on {self.df} df, p {p_text(self.p_value)}"


def hosmer_lemeshow(probability: Array, is_second: NDArray[np.bool_], weight: Array, groups: int) -> HosmerLemeshow:
    r"""The test from fitted probabilities: :math:`\sum_g (O_g - E_g)^2 / (E_g (1 - E_g / n_g))` on g - 2 df.

    Parameters
    ----------
    probability : (n,) of the second class.
    is_second : (n,) whether the row is of it.
    weight : (n,) frequencies.
    groups : how many quantiles of the probability; equal ones are taken together.

    Raises
    ------
    InputError
        If fewer than three groups are left.
    """
    edges = _quantiles(probability, weight, np.arange(groups + 1) / groups)
    edges[-1] = probability.max()  # which the last quantile stays below where that row counts less than once
    edges = np.unique(edges)
    g = max(len(edges) - 1, 1)
    codes = np.clip(np.searchsorted(edges, probability, side="left") - 1, 0, g - 1)
    total, observed, expected, unexpected = (
        np.bincount(codes, weight * share, g).astype(np.float64)
        for share in (np.ones_like(weight), is_second, probability, 1 - probability)
    )
    filled = total > 0
    if filled.sum() < 3:
        raise InputError(
            f"the fitted probabilities of {weight.sum():g} rows, by their weights, fall into {filled.sum()} group(s); "
            "the test needs three or more. Give more rows, or weights that say how often each was seen."
        )
    statistic = _distance(observed[filled], expected[filled], unexpected[filled])
    df = int(filled.sum()) - 2
    p_value = float(upper_tail(np.array([statistic]), np.array([df]))[0])
    return HosmerLemeshow(edges[1:], total, observed, expected, statistic, df, p_value)


def _distance(observed: Array, expected: Array, unexpected: Array) -> float:
    """The sum over groups; one that is certain to be of one class adds nothing, or everything if it is not."""
    squared = (observed - expected) ** 2
    spread = expected * unexpected / (expected + unexpected)
    certain = np.where(squared > 0, np.inf, 0.0)
    return float(np.divide(squared, spread, out=certain, where=spread > 0).sum())


def _quantiles(values: Array, weight: Array, levels: Array) -> Array:
    """R's quantiles (type 7) of values that occur so many times each."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weight[order])
    place = max(ends[-1] - 1, 0.0) * levels
    below = np.floor(place)
    low, high = (
        values[order[np.minimum(np.searchsorted(ends, at, side="right"), len(order) - 1)]]
        for at in (below, np.ceil(place))
    )
    # Equal neighbours stay exactly equal, so that a row at an edge falls where it belongs.
    return np.asarray(low + (place - below) * (high - low))
