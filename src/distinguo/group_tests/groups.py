"""From rows or statistics to scatters fit for a test, or one error that says why they are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import Factor, factorise
from distinguo.covariance.scale import moment_scale
from distinguo.covariance.shapes import column_names
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import Source
from distinguo.rows.memory import MemorySource
from distinguo.statistics.base import Statistic
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]
# Loadings below this in a null direction are rounding (a squared share of a unit vector).
LOADING = 1e-6


def source_of(X: Any, y: Any, sample_weight: Any) -> Source:
    """The rows behind the arguments of a test that needs rows."""
    if isinstance(X, Statistic):
        raise InputError(
            f"this test needs the rows, and a {type(X).__name__} no longer has them. Give X and y, or a Source such "
            "as distinguo.scan(path, target=...)."
        )
    if isinstance(X, Source):
        _refuse_labels(y, sample_weight, "a Source")
        return X
    if y is None:
        raise InputError("y is missing: give one label a row, or pass a Source or ClassMoments, which have labels.")
    return MemorySource(X, y, sample_weight)


def moments_of(X: Any, y: Any, sample_weight: Any, kind: Literal["full", "pooled"]) -> ClassMoments:
    """Moments of the classes that have rows: as they are, or from one pass."""
    if isinstance(X, ClassMoments):
        _refuse_labels(y, sample_weight, "a ClassMoments")
        moments = X
    elif isinstance(X, Statistic):
        raise InputTypeError(
            f"a {type(X).__name__} holds no covariances between columns. Give the rows, the statistic_ of a fitted "
            f"discriminant analysis, or source.aggregate(Moments({kind!r}))."
        )
    else:
        moments = source_of(X, y, sample_weight).aggregate(Moments(kind))
    return moments.take_classes(moments.weight > 0)


def _refuse_labels(y: Any, sample_weight: Any, what: str) -> None:
    if y is not None or sample_weight is not None:
        raise InputError(f"{what} brings its own labels and weights; give neither y nor sample_weight.")


@dataclass(frozen=True)
class Groups:
    """Two classes or more, whose within-class scatter can be inverted.

    Attributes
    ----------
    moments : full or pooled, every class with rows.
    n : rows.
    degrees : n - K, degrees of freedom of the within-class scatter.
    factor : of the within-class scatter W (a sum, not a covariance); full rank.
    """

    moments: ClassMoments
    n: float
    degrees: float
    factor: Factor

    @property
    def n_features(self) -> int:
        """p."""
        return self.moments.n_features

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.moments.classes)

    @property
    def points(self) -> Array:
        """(K, p) class means, from the mean of all rows, in coordinates where W is the identity."""
        weight, mean = self.moments.weight, self.moments.mean
        return np.asarray((mean - weight @ mean / self.n) @ self.factor.whiten)

    @property
    def roots(self) -> Array:
        r"""(s,) eigenvalues of :math:`W^{-1} B`, the greatest first; s = min(p, K - 1)."""
        singular = np.linalg.svd(np.sqrt(self.moments.weight)[:, None] * self.points, compute_uv=False)
        return np.asarray(singular[: min(self.n_features, self.n_classes - 1)] ** 2)


def groups_of(X: Any, y: Any, sample_weight: Any) -> Groups:
    """Groups from rows or from moments.

    Raises
    ------
    InputError
        If there is one class, a column does not vary, rows are too few, or columns depend on each other linearly.
    """
    moments = moments_of(X, y, sample_weight, "pooled")
    n, degrees = check_classes(moments)
    p = moments.n_features
    if degrees < p:
        raise InputError(
            f"{n:g} rows in {len(moments.classes)} classes leave {degrees:g} degrees of freedom within the classes, "
            f"fewer than the {p} columns. Bring more rows or choose columns, for instance with greedy_wilks."
        )
    return Groups(moments, n, degrees, invertible(moments.within, moments, "the within-class scatter"))


def check_classes(moments: ClassMoments) -> tuple[float, float]:
    """Rows and degrees of freedom within classes; raises where a comparison of classes has no meaning."""
    K = len(moments.classes)
    if K < 2:
        found = f"one class only ({moments.classes.tolist()[0]!r})" if K else "no rows"
        raise InputError(f"the data have {found}; a test between classes needs rows of two or more.")
    n = float(moments.weight.sum())
    if n - K <= 1e-9 * n:
        raise InputError(
            f"{n:g} row(s) in {K} classes leave nothing to vary within the classes; bring more rows, or weights that "
            "count rows."
        )
    scale = moment_scale(moments)
    for flat, how in ((scale.constant, "constant"), (scale.deciding, "constant within every class")):
        if flat.any():
            names = column_names(moments.feature_names, np.flatnonzero(flat))
            raise InputError(
                f"{int(flat.sum())} column(s) are {how}: {names}. Leave them out: there is no scatter to test against."
            )
    return n, n - K


def invertible(scatter: Array, moments: ClassMoments, what: str) -> Factor:
    """The factor of a scatter of full rank; raises with the columns that depend on each other."""
    factor = factorise(scatter)
    flat = np.diagonal(scatter) <= 0
    if flat.any() or factor.null.shape[1]:
        involved = flat if flat.any() else (factor.null**2).sum(axis=1) > LOADING
        names = column_names(moments.feature_names, np.flatnonzero(involved))
        how = "do not vary" if flat.any() else "depend on each other linearly"
        raise InputError(f"{what} is singular: the columns {names} {how}. Leave one of them out, or more.")
    return factor
