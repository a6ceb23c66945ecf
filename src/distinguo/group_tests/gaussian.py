"""Does one Gaussian describe each class? A verdict a class, and the warning that goes with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import Factor, embed, principal_factor
from distinguo.covariance.scale import CONSTANT
from distinguo.exceptions import InputError
from distinguo.group_tests.clumps import LEAST_ROWS, Split, find_split
from distinguo.group_tests.groups import source_of
from distinguo.group_tests.mardia import (
    MOST_COLUMNS,
    coefficients,
    kurtosis_score,
    kurtosis_tail,
    least_rows,
    skewness_tail,
)
from distinguo.group_tests.margins import Margin, excess_of, skewness_of
from distinguo.group_tests.shape import ClassShape
from distinguo.group_tests.table import ResultTable
from distinguo.group_tests.verdict import LEADING, Clumps, GaussianCheck, verdict_of
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class GaussianTable(ResultTable):
    """The checks of all classes, a row each.

    Attributes
    ----------
    label : (K,) the classes.
    weight : (K,) rows by frequency.
    skewness_p_value, kurtosis_p_value, clumps_p_value : (K,) as in `GaussianCheck`.
    verdict : (K,) text.
    checks : the same, a `GaussianCheck` a class, with the best split of each.
    level : the chance that a class is flagged although it is Gaussian, at most.
    n_features : p.
    """

    headings: ClassVar[dict[str, str]] = {
        "label": "class",
        "weight": "rows",
        "skewness_p_value": "p(skewness)",
        "kurtosis_p_value": "p(kurtosis)",
        "clumps_p_value": "p(clumps)",
        "verdict": "verdict",
    }
    label: NDArray[Any]
    weight: Array
    skewness_p_value: Array
    kurtosis_p_value: Array
    clumps_p_value: Array
    verdict: NDArray[Any]
    checks: tuple[GaussianCheck, ...]
    level: float
    n_features: int

    @property
    def title(self) -> str:
        """What was tested."""
        return f"one Gaussian a class? {self.n_features} column(s), false alarms in at most {self.level:g} of classes"


def check_gaussian(X: Any, y: Any = None, sample_weight: Any = None, *, level: float = 0.01) -> GaussianTable:
    r"""Check whether one Gaussian describes each class, or it is skewed, has other tails, or falls into two clumps.

    Three tests, each at a third of the level: Mardia's skewness and kurtosis (see `mardia`), and a split in two along
    each column and the leading principal direction of the class's correlations (see `find_split`). So a Gaussian class
    is flagged with a probability of at most about `level`. Clumps are named first, then the surer of skewness and
    tails. Rows so far out that they make the class's spread can hide clumps; they show as heavy tails.

    As many rows make trifles sure, an effect must also be large enough to matter: between clumps there are at most
    two thirds of the rows at the lesser one, a column's skewness is at least 1, or its kurtosis differs from 3 by 1.

    Two passes over the rows, whatever the source. Columns that do not vary in a class take no part in its check, nor do
    linear dependences. A class too small for a test goes without it and does not raise, so that small classes do not
    hide what the others show.

    Parameters
    ----------
    X : (n, p) rows, or a `Source`; a statistic does not hold what is needed.
    y : (n,) labels; None with a `Source`. One class is enough.
    sample_weight : (n,) frequencies.
    level : the rate of false alarms a class, in (0, 1).

    Returns
    -------
    GaussianTable

    Raises
    ------
    InputError
        If rows were not given, or the level is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> normal = np.random.default_rng(0).normal
    >>> grams = np.concatenate([normal(7.5, 0.1, 500), normal(8.3, 0.1, 500), normal(10.3, 0.1, 500)])
    >>> table = check_gaussian(grams[:, None], ["1 euro"] * 500 + ["2 euro"] * 1000)
    >>> table.verdict.tolist()
    ['gaussian', 'two clumps']
    >>> clumps = table.checks[1].clumps
    >>> round(clumps.share, 2), round(clumps.low, 1), round(clumps.high, 1)
    (0.5, 8.3, 10.3)

    References
    ----------
    As `mardia` and `distinguo.group_tests.clumps.find_split`.
    """
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InputError(f"level={level!r} must be a number between 0 and 1: the rate of false alarms a class.")
    source = source_of(X, y, sample_weight)
    moments = source.aggregate(Moments("full"))
    factors = [_factor(moments, k) for k in range(len(moments.classes))]
    shape, ranks = _class_shape(moments, factors)
    sums = source.aggregate(shape)
    skewness_p, kurtosis_p, light = _mardia(*coefficients(sums, moments.weight), moments.weight, ranks)
    checks = []
    for k, label in enumerate(moments.classes.tolist()):
        n = float(moments.weight[k])
        split = _clumps(sums.counts[k], n, factors[k])
        p_values = (float(skewness_p[k]), float(kurtosis_p[k]), np.nan if split is None else split.p_value)
        margins = _margins(sums.counts[k], n, factors[k], moments, is_light=bool(light[k]))
        verdict = verdict_of(p_values, level, split, *margins)
        checks.append(GaussianCheck(label, n, *p_values, verdict, _in_units(split, moments, k), *margins))
    return GaussianTable(
        moments.classes,
        moments.weight,
        skewness_p,
        kurtosis_p,
        np.array([check.clumps_p for check in checks]),
        np.array([check.verdict for check in checks]),
        tuple(checks),
        float(level),
        moments.n_features,
    )


def _factor(moments: ClassMoments, k: int) -> Factor:
    """The factor of a class's covariance over the columns that vary in it."""
    covariance = moments.scatter[k] / moments.weight[k]
    columns = np.flatnonzero(np.diagonal(covariance) > (CONSTANT * moments.mean[k]) ** 2)
    if not len(columns):
        empty = np.empty((len(covariance), 0))
        return Factor(empty, empty, 0.0, empty)
    return embed(principal_factor(covariance[np.ix_(columns, columns)]), columns, len(covariance))


def _class_shape(moments: ClassMoments, factors: list[Factor]) -> tuple[ClassShape, NDArray[np.intp]]:
    """What to sum in the second pass, and how many whitened columns each class has; 0 where Mardia's tests are off."""
    K, p = moments.mean.shape
    ranks = np.array([factor.whiten.shape[1] for factor in factors], dtype=np.intp)
    least = [max(least_rows(r), LEAST_ROWS) for r in ranks.tolist()]
    ranks[(ranks > MOST_COLUMNS) | (moments.weight < least)] = 0
    whiten = np.zeros((K, p, int(ranks.max())))
    leading = np.zeros((K, p))
    for k, factor in enumerate(factors):
        whiten[k, :, : ranks[k]] = factor.whiten[:, : ranks[k]]
        if factor.whiten.shape[1]:
            # The last of the principal axes is the leading direction.
            leading[k] = factor.whiten[:, -1]
    return ClassShape(moments.classes, moments.mean, _inverse_deviations(moments), leading, whiten), ranks


def _inverse_deviations(moments: ClassMoments) -> Array:
    """(K, p) one over the standard deviations, zero where a column does not vary."""
    deviation = np.sqrt(np.maximum(moments.class_squares, 0.0) / moments.weight[:, None])
    return np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)


def _mardia(
    skewness: Array, kurtosis: Array, weight: Array, ranks: NDArray[np.intp]
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """p of skewness and kurtosis, NaN where the tests are off, and whether tails are light."""
    on = ranks > 0
    skewness_p, kurtosis_p = np.full(len(weight), np.nan), np.full(len(weight), np.nan)
    light = np.zeros(len(weight), dtype=bool)
    skewness_p[on] = skewness_tail(skewness[on], weight[on], ranks[on])
    kurtosis_p[on] = kurtosis_tail(kurtosis[on], weight[on], ranks[on])
    light[on] = kurtosis_score(kurtosis[on], weight[on], ranks[on]) < 0
    return skewness_p, kurtosis_p, light


def _clumps(counts: Array, n: float, factor: Factor) -> Split | None:
    """The best split of a class, or None where it has too few rows or does not vary."""
    columns = _varying(factor)
    if n < LEAST_ROWS or not len(columns):
        return None
    # With one column that varies, the leading direction is that column.
    directions = columns if len(columns) == 1 else np.append(columns, len(counts) - 1)
    split = find_split(counts[directions])
    return replace(split, direction=int(directions[split.direction]))


def _varying(factor: Factor) -> NDArray[np.intp]:
    """The columns that vary in a class."""
    return np.flatnonzero(np.abs(factor.whiten).sum(axis=1) > 0)


def _margins(
    counts: Array, n: float, factor: Factor, moments: ClassMoments, *, is_light: bool
) -> tuple[Margin | None, Margin | None]:
    """The columns of a class furthest from a Gaussian in skewness and in tails."""
    columns = _varying(factor)
    if n < LEAST_ROWS or not len(columns):
        return None, None
    skewness, excess = skewness_of(counts[columns]), excess_of(counts[columns])
    found = (skewness, int(np.abs(skewness).argmax())), (excess, int(excess.argmin() if is_light else excess.argmax()))
    skewest, tails = (Margin(_name(moments, int(columns[at])), float(values[at])) for values, at in found)
    return skewest, tails


def _name(moments: ClassMoments, j: int) -> str:
    """What a column is called."""
    return f"column {j}" if moments.feature_names is None else str(moments.feature_names[j])


def _in_units(split: Split | None, moments: ClassMoments, k: int) -> Clumps | None:
    """Where the clumps are, in the units of the column."""
    if split is None:
        return None
    j = split.direction
    if j == moments.n_features:
        return Clumps(LEADING, split.share, split.low, split.high, split.separation, split.valley)
    deviation = float(np.sqrt(moments.scatter[k, j, j] / moments.weight[k]))
    low, high = (float(moments.mean[k, j]) + deviation * centre for centre in (split.low, split.high))
    return Clumps(_name(moments, j), split.share, low, high, split.separation, split.valley)
