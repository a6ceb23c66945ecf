"""Do the class means differ? Wilks, Pillai, Hotelling and Lawley, Roy; and along how many directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.group_tests.groups import Groups, groups_of
from distinguo.group_tests.table import ResultTable
from distinguo.group_tests.tails import f_tail

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ManovaTable(ResultTable):
    """The four statistics of the multivariate analysis of variance, a row each.

    Attributes
    ----------
    test : (4,) their names.
    statistic : (4,)
    f : (4,) approximate F; exact with two classes or one column, and Wilks' with three classes or two columns too.
    numerator, denominator : (4,) degrees of freedom of F.
    p_value : (4,)
    roots : (s,) eigenvalues of W⁻¹B, s = min(p, K - 1), from which all four are made.
    n, n_features, n_classes : rows by frequency, p, K.
    """

    headings: ClassVar[dict[str, str]] = {
        "test": "test",
        "statistic": "statistic",
        "f": "F",
        "numerator": "df1",
        "denominator": "df2",
        "p_value": "p",
    }
    test: NDArray[Any]
    statistic: Array
    f: Array
    numerator: Array
    denominator: Array
    p_value: Array
    roots: Array
    n: float
    n_features: int
    n_classes: int

    @property
    def title(self) -> str:
        """What was tested."""
        return f"equal means: {self.n_classes} classes, {self.n_features} column(s), {self.n:g} rows"


def manova(X: Any, y: Any = None, sample_weight: Any = None) -> ManovaTable:
    r"""Test whether all classes have the same mean vector.

    With the within-class scatter W, the between-class scatter B and the eigenvalues :math:`\lambda_j` of
    :math:`W^{-1} B`:

    .. math:: \Lambda = \prod_j \frac1{1+\lambda_j}, \quad V = \sum_j \frac{\lambda_j}{1+\lambda_j}, \quad
        U = \sum_j \lambda_j, \quad \theta = \max_j \lambda_j

    with the approximate F of R's ``summary.manova``. Roy's F is an upper bound, so its p is too small unless
    min(p, K - 1) is one. Hotelling and Lawley's F is missing (NaN) where its denominator is not positive.

    Parameters
    ----------
    X : (n, p) rows, a `Source`, or `ClassMoments`, such as the `statistic_` of a fitted discriminant analysis: no pass
        over the rows is needed then.
    y : (n,) labels; None with a `Source` or `ClassMoments`.
    sample_weight : (n,) frequencies.

    Returns
    -------
    ManovaTable

    Raises
    ------
    InputError
        If there is one class, a column is constant or constant within every class, n - K < p, or the within-class
        scatter is singular.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> print(manova(*load_iris(return_X_y=True)))
    equal means: 3 classes, 4 column(s), 150 rows
    test              statistic        F  df1  df2           p
    Wilks             0.0234386  199.145    8  288  1.365e-112
    Pillai               1.1919  53.4665    8  290   9.742e-53
    Hotelling-Lawley    32.4773  580.532    8  286  6.436e-172
    Roy                 32.1919  1166.96    4  145  3.787e-109

    References
    ----------
    Rao (1951), Bulletin of the International Statistical Institute 33, 177-180. Pillai (1960), Statistical Tables
    for Tests of Multivariate Hypotheses. Rencher and Christensen (2012), Methods of Multivariate Analysis, 6.1.
    """
    groups = groups_of(X, y, sample_weight)
    roots = groups.roots
    results = np.array([rule(roots, groups) for rule in STATISTICS.values()])
    statistic, f, numerator, denominator = results.T
    return ManovaTable(
        np.array(list(STATISTICS)),
        statistic,
        f,
        numerator,
        denominator,
        f_tail(f, numerator, denominator),
        roots,
        groups.n,
        groups.n_features,
        groups.n_classes,
    )


Approximation = tuple[float, float, float, float]


def rao(log_wilks: float, p: int, q: int, middle: float) -> tuple[float, float, float]:
    """Rao's F for Wilks' Λ of p columns and q = K - 1 contrasts, and its degrees of freedom.

    `middle` is Bartlett's factor, n - 1 - (p + q + 1) / 2.
    """
    squares = p**2 + q**2 - 5
    t = np.sqrt(((p * q) ** 2 - 4) / squares) if squares > 0 else 1.0
    denominator = middle * t - p * q / 2 + 1
    # Λ^(-1/t) - 1 without the loss of digits near Λ = 1.
    return float(np.expm1(-log_wilks / t) * denominator / (p * q)), p * q, float(denominator)


def bartlett_factor(n: float, p: int, q: int) -> float:
    """What -log Λ is multiplied by to be about chi-squared."""
    return n - 1 - (p + q + 1) / 2


def _wilks(roots: Array, groups: Groups) -> Approximation:
    q = groups.n_classes - 1
    log_wilks = -float(np.log1p(roots).sum())
    return float(np.exp(log_wilks)), *rao(
        log_wilks, groups.n_features, q, bartlett_factor(groups.n, groups.n_features, q)
    )


def _pillai(roots: Array, groups: Groups) -> Approximation:
    s = len(roots)
    numerator = s * max(groups.n_features, groups.n_classes - 1)
    denominator = s * (groups.degrees - groups.n_features + s)
    trace, rest = float((roots / (1 + roots)).sum()), float((1 / (1 + roots)).sum())
    return trace, trace / rest * denominator / numerator, numerator, denominator


def _hotelling_lawley(roots: Array, groups: Groups) -> Approximation:
    s = len(roots)
    numerator = s * max(groups.n_features, groups.n_classes - 1)
    denominator = s * (groups.degrees - groups.n_features - 1) + 2
    f = float(roots.sum()) * denominator / (s * numerator) if denominator > 0 else np.nan
    return float(roots.sum()), f, numerator, denominator


def _roy(roots: Array, groups: Groups) -> Approximation:
    numerator = max(groups.n_features, groups.n_classes - 1)
    denominator = groups.degrees - numerator + groups.n_classes - 1
    return float(roots[0]), float(roots[0]) * denominator / numerator, numerator, denominator


STATISTICS = {"Wilks": _wilks, "Pillai": _pillai, "Hotelling-Lawley": _hotelling_lawley, "Roy": _roy}
