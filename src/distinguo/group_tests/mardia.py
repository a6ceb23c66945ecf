"""Is each class Gaussian? Mardia's multivariate skewness and kurtosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from distinguo.exceptions import InputError
from distinguo.group_tests.groups import invertible, source_of
from distinguo.group_tests.shape import ClassShape, ShapeSums
from distinguo.group_tests.table import ResultTable
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]
# Third moments of more columns than these would fill memory (r³/2 numbers a class).
MOST_COLUMNS = 100


@dataclass(frozen=True, eq=False, repr=False)
class MardiaTable(ResultTable):
    """Mardia's coefficients, a row a class.

    Attributes
    ----------
    label : (K,) the classes.
    weight : (K,) rows by frequency.
    skewness, skewness_p_value : (K,) b1 and its p.
    kurtosis, kurtosis_p_value : (K,) b2 and its two-sided p.
    n_features : p; a Gaussian class has skewness 0 and kurtosis p(p + 2) but for sampling.
    """

    headings: ClassVar[dict[str, str]] = {
        "label": "class",
        "weight": "rows",
        "skewness": "skewness",
        "skewness_p_value": "p",
        "kurtosis": "kurtosis",
        "kurtosis_p_value": "p",
    }
    label: NDArray[Any]
    weight: Array
    skewness: Array
    skewness_p_value: Array
    kurtosis: Array
    kurtosis_p_value: Array
    n_features: int

    @property
    def title(self) -> str:
        """What was tested."""
        p = self.n_features
        return f"Mardia's skewness and kurtosis: {p} column(s); Gaussian classes have about 0 and {p * (p + 2)}"


def mardia(X: Any, y: Any = None, sample_weight: Any = None) -> MardiaTable:
    r"""Test each class for multivariate skewness and kurtosis that a Gaussian does not have.

    With the class's rows whitened by its own maximum-likelihood covariance:

    .. math:: b_1 = \frac1{n^2} \sum_{i,j} (z_i^\top z_j)^3 = \sum_{a,b,c} \Big(\frac1n \sum_i z_{ia} z_{ib} z_{ic}
        \Big)^2, \qquad b_2 = \frac1n \sum_i (z_i^\top z_i)^2

    The second form of b1 takes two passes over the rows (moments, then third moments) and p³/2 numbers a class, not n²
    inner products, so rows may come from a file larger than memory.

    The p-values are made for small classes, where the textbook's limits alarm two to five times too often at the
    1 % level; see `skewness_tail` and `kurtosis_tail`. They are meant for 20 rows or more.

    Parameters
    ----------
    X : (n, p) rows, or a `Source`; a statistic does not hold what is needed. p is at most 100.
    y : (n,) labels; None with a `Source`.
    sample_weight : (n,) frequencies.

    Returns
    -------
    MardiaTable

    Raises
    ------
    InputError
        If a class has fewer than p + 2 or 5 rows, or a singular covariance; if p > 100, or rows were not given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> print(mardia(*load_iris(return_X_y=True)))
    Mardia's skewness and kurtosis: 4 column(s); Gaussian classes have about 0 and 24
    class  rows  skewness       p  kurtosis        p
        0    50   3.07972  0.1355   26.5377  0.05686
        1    50    3.0222  0.1475   22.8794    0.999
        2    50   3.15247  0.1215   24.2991   0.3958

    References
    ----------
    Mardia (1970), Biometrika 57, 519-530. Mardia (1974), Sankhya B 36, 115-128.
    """
    source = source_of(X, y, sample_weight)
    moments = source.aggregate(Moments("full"))
    K, p = moments.mean.shape
    if p > MOST_COLUMNS:
        raise InputError(f"Mardia's tests take at most {MOST_COLUMNS} columns; there are {p}. Choose among them.")
    for label, weight in zip(moments.classes.tolist(), moments.weight.tolist(), strict=True):
        if weight < least_rows(p) - 1e-9:
            raise InputError(
                f"class {label!r} has {weight:g} row(s), and Mardia's tests need {least_rows(p)} for {p} column(s). "
                "Bring more rows, or leave out that class or some columns."
            )
    sums = source.aggregate(_whitening(moments))
    skewness, kurtosis = coefficients(sums, moments.weight)
    degrees = np.full(K, p)
    return MardiaTable(
        moments.classes,
        moments.weight,
        skewness,
        skewness_tail(skewness, moments.weight, degrees),
        kurtosis,
        kurtosis_tail(kurtosis, moments.weight, degrees),
        p,
    )


def least_rows(p: int) -> int:
    """Rows without which the coefficients of p columns are what they are whatever the rows."""
    return max(p + 2, 5)


def _whitening(moments: ClassMoments) -> ClassShape:
    """What to sum for Mardia's coefficients alone."""
    factors = [
        invertible(moments.scatter[k] / moments.weight[k], moments, f"the covariance of class {label!r}")
        for k, label in enumerate(moments.classes.tolist())
    ]
    zeros = np.zeros_like(moments.mean)
    return ClassShape(moments.classes, moments.mean, zeros, zeros, np.array([factor.whiten for factor in factors]))


def coefficients(sums: ShapeSums, weight: Array) -> tuple[Array, Array]:
    """Mardia's b1 and b2 of each class, (K,) and (K,)."""
    a, b = np.triu_indices(sums.thirds.shape[2])
    twice = np.where(a == b, 1.0, 2.0)
    return (sums.thirds**2).sum(axis=2) @ twice / weight**2, sums.quarts / weight


def skewness_tail(skewness: Array, n: Array, p: NDArray[np.intp]) -> Array:
    r"""P of as much skewness b1 or more in a Gaussian class of n rows and p columns, (K,).

    .. math:: t = \frac{n b_1}{6} \frac{(p + 1)(n + 1)(n + 3)}{n ((n + 1)(p + 1) - 6)}

    has mean f = p(p + 1)(p + 2)/6 exactly (Mardia, 1974) and is chi-squared on f in the limit, but wider and more
    skewed in classes of up to a thousand rows. It is referred to a shifted gamma distribution of mean f, variance 2f r
    and skewness s √(8/f), with

    .. math:: r = 1 + \frac{30 + 1.5 p}{n + 70}, \qquad s = 1 + \frac{50 + 12 p}{n + 100},

    the upper edge of what 40 000 simulated Gaussian classes each show, for 1 to 20 columns and 20 to 200 rows.

    Examples
    --------
    >>> skewness_tail(np.array([0.0, 4.0]), np.array([100.0, 100.0]), np.array([2, 2])).round(6).tolist()
    [1.0, 0.0]
    """
    f = p * (p + 1) * (p + 2) / 6
    t = skewness / 6 * (p + 1) * (n + 1) * (n + 3) / ((n + 1) * (p + 1) - 6)
    spread = np.sqrt(2 * f * (1 + (30 + 1.5 * p) / (n + 70)))
    bend = (1 + (50 + 12 * p) / (n + 100)) * np.sqrt(8 / f)
    shape = 4 / bend**2
    return np.asarray(special.gammaincc(shape, np.maximum(shape + 2 * (t - f) / (spread * bend), 0.0)))


def kurtosis_score(kurtosis: Array, n: Array, p: NDArray[np.intp]) -> Array:
    r"""Standard normal score of kurtosis b2 in a Gaussian class of n rows and p columns, (K,); below 0, light tails.

    b2 is standardised by its exact mean and variance (Mardia, 1974),

    .. math:: \mathrm E\, b_2 = p(p + 2) \frac{n - 1}{n + 1}, \qquad \mathrm{Var}\, b_2 =
        \frac{8 p (p + 2)(n - 3)(n - p - 1)(n - p + 1)}{(n + 1)^2 (n + 3)(n + 5)},

    and made normal by a cube root that takes out its skewness (p + 8)√(8/(p(p + 2) n)) (Mardia and Foster, 1983), here
    with the exact factor for n rows of one column; for p = 1 it is Anscombe and Glynn's (1983) test.

    Examples
    --------
    >>> kurtosis_score(np.array([3.0]), np.array([50.0]), np.array([1])).round(3).tolist()
    [0.422]
    """
    mean = p * (p + 2) * (n - 1) / (n + 1)
    variance = 8 * p * (p + 2) * (n - 3) * (n - p - 1) * (n - p + 1) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    standard = (kurtosis - mean) / np.sqrt(variance)
    small = (n * (n - 5) + 2) / ((n + 7) * (n + 9)) * np.sqrt((n + 3) * (n + 5) / ((n - 2) * (n - 3)))
    skewness = (p + 8) * np.sqrt(8 / (p * (p + 2) * n)) * small
    a = 6 + 8 / skewness * (2 / skewness + np.sqrt(1 + 4 / skewness**2))
    # Two clumps and little else can lie beyond what the cube root reaches; there the score is as low as can be.
    root = np.cbrt((1 - 2 / a) / np.maximum(1 + standard * np.sqrt(2 / (a - 4)), np.finfo(np.float64).tiny))
    return np.asarray((1 - 2 / (9 * a) - root) * np.sqrt(9 * a / 2))


def kurtosis_tail(kurtosis: Array, n: Array, p: NDArray[np.intp]) -> Array:
    """Two-sided p of kurtosis b2, (K,), from `kurtosis_score`.

    Examples
    --------
    >>> kurtosis_tail(np.array([3.0]), np.array([50.0]), np.array([1])).round(3).tolist()
    [0.673]
    """
    return np.asarray(2 * special.ndtr(-np.abs(kurtosis_score(kurtosis, n, p))))
