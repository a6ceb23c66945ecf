"""How far apart are the classes, two by two?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.group_tests.groups import groups_of
from distinguo.group_tests.table import ResultTable
from distinguo.group_tests.tails import f_tail, holm

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DistanceTable(ResultTable):
    """Squared Mahalanobis distances between class means, a row a pair.

    Attributes
    ----------
    first, second : (m,) labels of the pair, m = K(K - 1)/2.
    squared_distance : (m,)
    f, numerator, denominator : (m,) F and its degrees of freedom.
    p_value : (m,) of each pair alone.
    holm_p_value : (m,) for all pairs at once.
    n, n_features, n_classes : rows by frequency, p, K.
    """

    headings: ClassVar[dict[str, str]] = {
        "first": "class",
        "second": "and class",
        "squared_distance": "distance²",
        "f": "F",
        "numerator": "df1",
        "denominator": "df2",
        "p_value": "p",
        "holm_p_value": "p(Holm)",
    }
    first: NDArray[Any]
    second: NDArray[Any]
    squared_distance: Array
    f: Array
    numerator: Array
    denominator: Array
    p_value: Array
    holm_p_value: Array
    n: float
    n_features: int
    n_classes: int

    @property
    def title(self) -> str:
        """What was tested."""
        return f"distances between class means: {self.n_features} column(s), {self.n:g} rows"

    @property
    def matrix(self) -> Array:
        """(K, K) squared distances, in the order of the classes."""
        square = np.zeros((self.n_classes, self.n_classes))
        square[np.triu_indices(self.n_classes, 1)] = self.squared_distance
        return square + square.T


def mahalanobis_distances(X: Any, y: Any = None, sample_weight: Any = None) -> DistanceTable:
    r"""Squared Mahalanobis distances between class means, with an F test of each being zero.

    .. math:: D_{kl}^2 = (\bar x_k - \bar x_l)^\top S^{-1} (\bar x_k - \bar x_l), \qquad
        F = \frac{n - K - p + 1}{p (n - K)} \frac{n_k n_l}{n_k + n_l} D_{kl}^2

    with the pooled unbiased S, on p and n - K - p + 1 degrees of freedom. With two classes it is Hotelling's T².

    Parameters
    ----------
    X : (n, p) rows, a `Source`, or `ClassMoments`.
    y : (n,) labels; None with a `Source` or `ClassMoments`.
    sample_weight : (n,) frequencies.

    Returns
    -------
    DistanceTable

    Raises
    ------
    InputError
        As `manova`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> table = mahalanobis_distances(*load_iris(return_X_y=True))
    >>> table.squared_distance.round(4).tolist()
    [89.8642, 179.3847, 17.2011]

    References
    ----------
    Rao (1973), Linear Statistical Inference and its Applications, 8b.4. Mardia, Kent and Bibby (1979), Multivariate
    Analysis, 3.6.1.
    """
    groups = groups_of(X, y, sample_weight)
    classes, weight = groups.moments.classes, groups.moments.weight
    i, j = np.triu_indices(groups.n_classes, 1)
    points = groups.points
    squared = groups.degrees * ((points[i] - points[j]) ** 2).sum(axis=1)
    denominator = groups.degrees - groups.n_features + 1
    f = denominator / (groups.n_features * groups.degrees) * weight[i] * weight[j] / (weight[i] + weight[j]) * squared
    p_value = f_tail(f, groups.n_features, denominator)
    return DistanceTable(
        classes[i],
        classes[j],
        squared,
        f,
        np.full(len(i), float(groups.n_features)),
        np.full(len(i), denominator),
        p_value,
        holm(p_value),
        groups.n,
        groups.n_features,
        groups.n_classes,
    )
