"""Which columns tell the classes apart? Forward selection by Wilks' lambda, from the scatters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import RANK_TOLERANCE
from distinguo.exceptions import InputError
from distinguo.group_tests.groups import check_classes, moments_of
from distinguo.group_tests.manova import bartlett_factor, rao
from distinguo.group_tests.table import ResultTable
from distinguo.group_tests.tails import f_tail
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class StepwiseTable(ResultTable):
    """Columns in the order in which they were taken, a row each.

    Attributes
    ----------
    feature : (m,) names, or numbers where the columns have none.
    column : (m,) where they stand in X, from 0.
    wilks : (m,) lambda of this column and those above it.
    f, p_value : (m,) Rao's F for it.
    partial_f, partial_p_value : (m,) for what this column adds to those above it.
    n, n_features, n_classes : rows by frequency, p, K.
    """

    headings: ClassVar[dict[str, str]] = {
        "feature": "feature",
        "wilks": "Wilks",
        "f": "F",
        "p_value": "p",
        "partial_f": "F(added)",
        "partial_p_value": "p(added)",
    }
    feature: NDArray[Any]
    column: NDArray[np.intp]
    wilks: Array
    f: Array
    p_value: Array
    partial_f: Array
    partial_p_value: Array
    n: float
    n_features: int
    n_classes: int

    @property
    def title(self) -> str:
        """What was done."""
        return (
            f"forward selection by Wilks' lambda: {len(self.column)} of {self.n_features} column(s), "
            f"{self.n_classes} classes, {self.n:g} rows"
        )


def greedy_wilks(X: Any, y: Any = None, sample_weight: Any = None, *, level: float = 0.2) -> StepwiseTable:
    r"""Take columns one by one, each time the one that lowers Wilks' lambda most, while it adds enough.

    Of the within-class scatter W and the total scatter T, both with the columns taken swept out, a column j has

    .. math:: \Lambda_{j \cdot} = w_{jj} / t_{jj}, \qquad
        F = \frac{n - K - m}{K - 1} \frac{t_{jj} - w_{jj}}{w_{jj}}

    after m columns; the selection ends when the least p is above `level`. A column is passed over when those taken
    leave less than 1e-10 of its within-class variance. The p-values are those of one test each: after a choice among
    many columns they are too small, and serve as a rule, not as evidence. There may be more columns than rows.

    Parameters
    ----------
    X : (n, p) rows, a `Source`, or `ClassMoments`.
    y : (n,) labels; None with a `Source` or `ClassMoments`.
    sample_weight : (n,) frequencies.
    level : the greatest p-value at which a column is still taken, in (0, 1].

    Returns
    -------
    StepwiseTable
        Without rows, where no column is taken.

    Raises
    ------
    InputError
        If there is one class, a column is constant or constant within every class, no class has two rows, or the
        level is out of range.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> print(greedy_wilks(*load_iris(return_X_y=True)))
    forward selection by Wilks' lambda: 4 of 4 column(s), 3 classes, 150 rows
    feature      Wilks        F           p  F(added)   p(added)
          2  0.0586283  1180.16   2.857e-91   1180.16  2.857e-91
          1  0.0368841  307.105  2.849e-103   43.0355   2.03e-15
          3  0.0249755  257.503  5.037e-113   34.5687  5.296e-13
          0  0.0234386  199.145  1.365e-112   4.72115    0.01033

    References
    ----------
    Mardia, Kent and Bibby (1979), Multivariate Analysis, 12.6; the procedure of klaR's ``greedy.wilks``.
    """
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level <= 1:
        raise InputError(f"level={level!r} must be a number above 0 and at most 1: the p-value at which to stop.")
    moments = moments_of(X, y, sample_weight, "pooled")
    n, degrees = check_classes(moments)
    K, p = moments.mean.shape
    columns, log_partial, partial_f, partial_p = _select(moments, n, degrees, float(level))
    names = moments.feature_names
    log_wilks = np.cumsum(log_partial)
    overall = np.array(
        [rao(value, m, K - 1, bartlett_factor(n, m, K - 1)) for m, value in enumerate(log_wilks.tolist(), 1)]
    ).reshape(-1, 3)
    return StepwiseTable(
        columns if names is None else names[columns],
        columns,
        np.exp(log_wilks),
        overall[:, 0],
        f_tail(*overall.T),
        partial_f,
        partial_p,
        n,
        p,
        K,
    )


def _scatters(moments: ClassMoments) -> tuple[Array, Array]:
    """Within-class and total scatter (p, p), both in within-class standard deviations."""
    deviation = np.sqrt(np.diagonal(moments.within))
    within = moments.within / deviation[:, None] / deviation
    weight = moments.weight
    points = np.sqrt(weight)[:, None] * (moments.mean - weight @ moments.mean / weight.sum()) / deviation
    return within, within + points.T @ points


def _select(
    moments: ClassMoments, n: float, degrees: float, level: float
) -> tuple[NDArray[np.intp], Array, Array, Array]:
    """The columns taken, and of each the logarithm of its partial lambda, F and p."""
    within, total = _scatters(moments)
    K, p = moments.mean.shape
    open_ = np.ones(p, dtype=bool)
    columns: list[int] = []
    steps: list[tuple[float, float, float]] = []
    while degrees - len(columns) > 1e-9 * n:
        w, t = np.diagonal(within), np.diagonal(total)
        # In these units a column's own within-class variance was one, so what is left of it is its tolerance.
        candidates = np.flatnonzero(open_ & (w > RANK_TOLERANCE))
        if not len(candidates):
            break
        j = int(candidates[np.argmin(w[candidates] / t[candidates])])
        f = (degrees - len(columns)) / (K - 1) * max(t[j] - w[j], 0.0) / w[j]
        p_value = float(f_tail(f, K - 1, degrees - len(columns)))
        if p_value > level:
            break
        steps.append((float(np.log(w[j] / t[j])), float(f), p_value))
        columns.append(j)
        open_[j] = False
        within, total = _swept(within, j), _swept(total, j)
    log_partial, partial_f, partial_p = np.array(steps).reshape(-1, 3).T
    return np.array(columns, dtype=np.intp), log_partial, partial_f, partial_p


def _swept(scatter: Array, j: int) -> Array:
    """The scatter of what column j does not explain of the others."""
    return scatter - np.outer(scatter[:, j], scatter[j] / scatter[j, j])
