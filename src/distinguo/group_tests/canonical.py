"""Canonical correlations of the columns with class membership, and how many of them are not zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.group_tests.groups import groups_of
from distinguo.group_tests.manova import bartlett_factor, rao
from distinguo.group_tests.table import ResultTable
from distinguo.group_tests.tails import chi_squared_tail, f_tail

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class CanonicalTable(ResultTable):
    """Canonical correlations, a row each; the tests of a row are of it and all that follow being zero.

    Attributes
    ----------
    correlation : (s,) the greatest first, s = min(p, K - 1).
    share : (s,) of the between-class variance, as `explained_variance_ratio_` of LDA.
    wilks : (s,) product of 1 - r² from this row on.
    f, numerator, denominator, p_value : (s,) Rao's F for it.
    chi_squared, degrees, chi_squared_p_value : (s,) Bartlett's chi-squared for it.
    n, n_features, n_classes : rows by frequency, p, K.
    """

    headings: ClassVar[dict[str, str]] = {
        "correlation": "correlation",
        "share": "share",
        "wilks": "Wilks",
        "f": "F",
        "numerator": "df1",
        "denominator": "df2",
        "p_value": "p",
        "chi_squared": "chi2",
        "degrees": "df",
        "chi_squared_p_value": "p(chi2)",
    }
    correlation: Array
    share: Array
    wilks: Array
    f: Array
    numerator: Array
    denominator: Array
    p_value: Array
    chi_squared: Array
    degrees: Array
    chi_squared_p_value: Array
    n: float
    n_features: int
    n_classes: int

    @property
    def title(self) -> str:
        """What was tested."""
        return (
            f"canonical correlations: {self.n_classes} classes, {self.n_features} column(s), {self.n:g} rows; "
            "each test is of its row and those below being zero"
        )


def canonical_correlations(X: Any, y: Any = None, sample_weight: Any = None) -> CanonicalTable:
    r"""Correlations of the best linear combinations of the columns with class membership.

    .. math:: r_j = \sqrt{\lambda_j / (1 + \lambda_j)}, \qquad \Lambda_j = \prod_{i \ge j} (1 - r_i^2)

    with :math:`\lambda_j` the eigenvalues of :math:`W^{-1} B`. :math:`\Lambda_j` tests that the classes differ along
    no more than j - 1 directions: by Rao's F, and by Bartlett's
    :math:`\chi^2 = -(n - 1 - (p + K)/2) \log \Lambda_j` on (p - j + 1)(K - j) degrees of freedom.

    Parameters
    ----------
    X : (n, p) rows, a `Source`, or `ClassMoments`.
    y : (n,) labels; None with a `Source` or `ClassMoments`.
    sample_weight : (n,) frequencies.

    Returns
    -------
    CanonicalTable

    Raises
    ------
    InputError
        As `manova`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> table = canonical_correlations(*load_iris(return_X_y=True))
    >>> table.correlation.round(6).tolist(), table.denominator.tolist()
    ([0.984821, 0.471197], [288.0, 145.0])

    References
    ----------
    Bartlett (1947), Journal of the Royal Statistical Society, Supplement 9, 176-197. Rao (1951), Bulletin of the
    International Statistical Institute 33, 177-180.
    """
    groups = groups_of(X, y, sample_weight)
    roots, p, q = groups.roots, groups.n_features, groups.n_classes - 1
    middle = bartlett_factor(groups.n, p, q)
    log_wilks = -np.cumsum(np.log1p(roots)[::-1])[::-1]
    tests = np.array([rao(value, p - j, q - j, middle) for j, value in enumerate(log_wilks.tolist())])
    f, numerator, denominator = tests.T
    chi_squared = -middle * log_wilks
    total = roots.sum()
    return CanonicalTable(
        np.sqrt(roots / (1 + roots)),
        roots / total if total > 0 else np.zeros_like(roots),
        np.exp(log_wilks),
        f,
        numerator,
        denominator,
        f_tail(f, numerator, denominator),
        chi_squared,
        numerator.copy(),
        chi_squared_tail(chi_squared, numerator),
        groups.n,
        p,
        groups.n_classes,
    )
