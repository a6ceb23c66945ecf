"""What a class's check holds, and the one word that it comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from distinguo.group_tests.clumps import Split
from distinguo.group_tests.margins import LEAST_EXCESS, LEAST_SKEWNESS, Margin

LEADING = "leading direction"
# Tests that share a class's rate of false alarms: skewness, kurtosis, clumps.
N_TESTS = 3
# Rows between clumps, over those at the lesser one, from which the valley is a trifle.
MOST_VALLEY = 2 / 3


@dataclass(frozen=True)
class Clumps:
    """The best split of a class in two; what it is worth is said by the p-value beside it.

    Attributes
    ----------
    along : column, or "leading direction".
    share : of the rows in the lower clump.
    low, high : means of the clumps, in the units of the column (of the leading direction, in standard deviations).
    separation : of the clumps' centres, in standard deviations within a clump.
    valley : rows between the clumps, over those at the lesser one's centre, in windows of one width.
    """

    along: str
    share: float
    low: float
    high: float
    separation: float
    valley: float


@dataclass(frozen=True)
class GaussianCheck:
    """Whether one Gaussian describes a class.

    Attributes
    ----------
    label : the class.
    weight : rows by frequency.
    skewness_p, kurtosis_p : Mardia's tests; NaN with fewer than 20 or p + 2 rows, or more than 100 columns.
    clumps_p : of two clumps being no more than chance; NaN with fewer than 20 rows.
    verdict : "two clumps", "skewed", "heavy tails", "light tails", "gaussian" where the tests that could be made
        found nothing that matters, or "too few rows" where none could be made.
    clumps : the best split, or None with fewer than 20 rows.
    skewest, tails : the column of the largest skewness, and of the heaviest tails (the lightest, where Mardia's
        kurtosis is low); None with fewer than 20 rows.
    """

    label: Any
    weight: float
    skewness_p: float
    kurtosis_p: float
    clumps_p: float
    verdict: str
    clumps: Clumps | None
    skewest: Margin | None
    tails: Margin | None


def verdict_of(
    p_values: tuple[float, float, float],
    level: float,
    split: Split | None,
    skewest: Margin | None,
    tails: Margin | None,
) -> str:
    """What alarmed and is no trifle: clumps first, then the surer of skewness and tails, as far rows raise both."""
    if np.isnan(p_values).all() or split is None or skewest is None or tails is None:
        return "too few rows"
    skewness, kurtosis, clumps = p_values
    level /= N_TESTS
    if clumps <= level and split.valley <= MOST_VALLEY:
        return "two clumps"
    found = []
    if skewness <= level and abs(skewest.value) >= LEAST_SKEWNESS:
        found.append((skewness, "skewed"))
    if kurtosis <= level and abs(tails.value) >= LEAST_EXCESS:
        found.append((kurtosis, "light tails" if tails.value < 0 else "heavy tails"))
    return min(found, default=(1.0, "gaussian"))[1]
