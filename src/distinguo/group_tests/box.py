"""Have the classes one covariance? Box's M."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.group_tests.groups import check_classes, invertible, moments_of
from distinguo.group_tests.table import ResultTable, labels_text
from distinguo.group_tests.tails import chi_squared_tail, f_tail
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class BoxTable(ResultTable):
    """Box's M with its two approximations, a row each.

    Attributes
    ----------
    approximation : (2,) "chi-squared" and "F".
    statistic : (2,)
    numerator : (2,) degrees of freedom; denominator : (2,) those of F, infinite for chi-squared.
    p_value : (2,)
    m : Box's M.
    log_determinants : (K,) of the classes' covariances.
    n, n_features, n_classes : rows by frequency, p, K.
    """

    headings: ClassVar[dict[str, str]] = {
        "approximation": "approximation",
        "statistic": "statistic",
        "numerator": "df1",
        "denominator": "df2",
        "p_value": "p",
    }
    approximation: NDArray[Any]
    statistic: Array
    numerator: Array
    denominator: Array
    p_value: Array
    m: float
    log_determinants: Array
    n: float
    n_features: int
    n_classes: int

    @property
    def title(self) -> str:
        """What was tested."""
        return (
            f"equal covariances: Box's M = {self.m:.6g}; {self.n_classes} classes, {self.n_features} column(s), "
            f"{self.n:g} rows"
        )


def box_m(X: Any, y: Any = None, sample_weight: Any = None) -> BoxTable:
    r"""Test whether all classes have the same covariance, the assumption of LDA.

    .. math:: M = (n - K) \log |S| - \sum_k (n_k - 1) \log |S_k|

    with unbiased :math:`S_k` and their pooled S, and Box's chi-squared and F approximations. The test takes classes to
    be Gaussian: long tails make it reject equal covariances too (see `check_gaussian`).

    Parameters
    ----------
    X : (n, p) rows, a `Source`, or full `ClassMoments`, such as the `statistic_` of a fitted QDA.
    y : (n,) labels; None with a `Source` or `ClassMoments`.
    sample_weight : (n,) frequencies.

    Returns
    -------
    BoxTable

    Raises
    ------
    InputError
        If there is one class, a class has no more rows than there are columns, a class's covariance is singular, or
        the moments are pooled.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> print(box_m(*load_iris(return_X_y=True)))
    equal covariances: Box's M = 146.663; 3 classes, 4 column(s), 150 rows
    approximation  statistic  df1      df2          p
    chi-squared      140.943   20      inf  3.352e-20
    F                7.04526   20  77566.8  3.578e-20

    References
    ----------
    Box (1949), Biometrika 36, 317-346. Rencher and Christensen (2012), Methods of Multivariate Analysis, 7.3.2.
    """
    moments = moments_of(X, y, sample_weight, "full")
    _check_full(moments)
    n, degrees = check_classes(moments)
    _check_rows(moments)
    K, p = moments.mean.shape
    each = moments.weight - 1
    log_determinants = np.array(
        [
            invertible(moments.scatter[k] / each[k], moments, f"the covariance of class {label!r}").log_det
            for k, label in enumerate(moments.classes.tolist())
        ]
    )
    pooled = invertible(moments.within / degrees, moments, "the pooled covariance").log_det
    m = float(each @ (pooled - log_determinants))
    # Approximation of M by a multiple of chi-squared or F, from its first two cumulants.
    first = (float((1 / each).sum()) - 1 / degrees) * (2 * p**2 + 3 * p - 1) / (6 * (p + 1) * (K - 1))
    second = (float((1 / each**2).sum()) - 1 / degrees**2) * (p - 1) * (p + 2) / (6 * (K - 1))
    numerator = p * (p + 1) * (K - 1) / 2
    chi_squared = (1 - first) * m
    f, denominator = _box_f(m, numerator, first, second)
    return BoxTable(
        np.array(["chi-squared", "F"]),
        np.array([chi_squared, f]),
        np.array([numerator, numerator]),
        np.array([np.inf, denominator]),
        np.array([float(chi_squared_tail(chi_squared, numerator)), float(f_tail(f, numerator, denominator))]),
        m,
        log_determinants,
        n,
        p,
        K,
    )


def _box_f(m: float, degrees: float, first: float, second: float) -> tuple[float, float]:
    """F and its denominator's degrees of freedom; infinite where M is beyond the range of the approximation."""
    excess = second - first**2
    denominator = (degrees + 2) / abs(excess)
    if excess > 0:
        return m * (1 - first - degrees / denominator) / degrees, denominator
    limit = denominator / (1 - first + 2 / denominator)
    return (denominator * m / (degrees * (limit - m)) if m < limit else np.inf), denominator


def _check_full(moments: ClassMoments) -> None:
    if moments.is_pooled:
        raise InputError(
            "these moments have one scatter for all classes, and Box's M compares the classes' own. Give the rows, the "
            'statistic_ of a fitted QuadraticDiscriminantAnalysis, or source.aggregate(Moments("full")).'
        )


def _check_rows(moments: ClassMoments) -> None:
    """Every class needs more rows than there are columns."""
    few = moments.weight - moments.n_features < 1 - 1e-9
    if few.any():
        labels = moments.classes[few].tolist()
        rows = ", ".join(f"{weight:g}" for weight in moments.weight[few][:8])
        raise InputError(
            f"Box's M needs more rows in every class than there are columns ({moments.n_features}); class(es) "
            f"{labels_text(labels)} have {rows}. Bring more rows, or leave out classes or columns."
        )
