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
    edges = np.unique(_quantiles(probability, weight, np.arange(groups + 1) / groups))
    codes = np.clip(np.searchsorted(edges, probability, side="left") - 1, 0, None)
    g = len(edges) - 1
    if g < 3:
        raise InputError(f"the fitted probabilities fall into {max(g, 1)} group(s); the test needs three or more.")
    total, observed, expected = (
        np.bincount(codes, part, g).astype(np.float64) for part in (weight, weight * is_second, weight * probability)
    )
    filled = total > 0
    spread = (expected * (1 - expected / np.where(filled, total, 1.0)))[filled]
    statistic = float(((observed - expected)[filled] ** 2 / spread).sum())
    df = int(filled.sum()) - 2
    p_value = float(upper_tail(np.array([statistic]), np.array([df]))[0])
    return HosmerLemeshow(edges[1:], total, observed, expected, statistic, df, p_value)


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
