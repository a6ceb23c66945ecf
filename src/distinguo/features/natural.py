"""Natural cubic splines: smooth curves of each column, straight where there are no rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from distinguo.exceptions import InputError, InputTypeError
from distinguo.features.basis import Standard, check_whole
from distinguo.features.splines import basis
from distinguo.features.transformer import BasisTransformer, Functions
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]

DEFAULT_DF = 4


@dataclass(frozen=True)
class NaturalCurve:
    """The natural cubic splines of one column that are zero at its least value.

    Attributes
    ----------
    column : which.
    low, range : the column's least value, and how far its greatest is from there.
    knots : (t,) in that range as [0, 1], the ends fourfold.
    turn : (t - 5, m) from B-splines, the first left out, to functions without a second derivative at the ends.
    """

    column: int
    low: float
    range: float
    knots: Array
    turn: Array

    @classmethod
    def of(cls, column: int, low: float, high: float, inner: Array) -> NaturalCurve:
        """From the knots (m - 1,) between the ends, ascending."""
        knots = np.concatenate([np.zeros(4), (inner - low) / (high - low), np.ones(4)])
        bends = BSpline(knots, np.eye(len(knots) - 4), 3)(np.array([0.0, 1.0]), nu=2)[:, 1:]
        turned, _ = np.linalg.qr(bends.T, mode="complete")
        return cls(column, low, high - low, knots, turned[:, 2:])

    def __call__(self, x: Array) -> Array:
        """Values (n, m)."""
        return np.asarray(basis((x - self.low) / self.range, self.knots)[:, 1:] @ self.turn)


@dataclass(frozen=True)
class NaturalCurves(Functions):
    """Curves of several columns, side by side."""

    curves: tuple[NaturalCurve, ...]

    def __call__(self, X: Array) -> Array:
        """Values (n, m)."""
        return np.concatenate([curve(X[:, curve.column]) for curve in self.curves], axis=1)

    def names(self, columns: Sequence[str]) -> list[str]:
        """As "x0_ns0", "x0_ns1"."""
        return [f"{columns[curve.column]}_ns{m}" for curve in self.curves for m in range(curve.turn.shape[1])]


class NaturalSplines(BasisTransformer):
    r"""Natural cubic splines of each column: cubic between knots, smooth at them, straight beyond the outermost.

    For the knots :math:`t_0 < \dots < t_m` of a column, of which the outer two are its least and greatest value, these
    are m functions that span, with a constant, all

    .. math:: f \in C^2: \quad f \text{ cubic on } [t_{i-1}, t_i], \qquad f'' = 0 \text{ outside } (t_0, t_m) .

    A model linear in them is a sum of one smooth curve a column, without interactions. They are those of R's ``ns``:
    the same space, whatever the columns' units. Constant columns are left out with a warning.

    Parameters
    ----------
    df : int, optional
        Functions a column, 4 by default: one fewer knots lie between the ends, at evenly spaced quantiles. A column of
        few different values has fewer, where quantiles coincide; with df=1, or two values, it is a straight line.
    knots : sequence of p sequences, optional
        The knots of each column between its ends, in its units, instead of `df`.

    Attributes
    ----------
    knots_ : tuple of p arrays, the ends included; a constant column has none.
    n_features_in_, feature_names_in_

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 5.2.1. R's ``splines::ns``.

    Examples
    --------
    >>> curve = NaturalSplines(df=3).fit(np.arange(10.0)[:, None])
    >>> curve.knots_[0].tolist(), curve.get_feature_names_out().tolist()
    ([0.0, 3.0, 6.0, 9.0], ['x0_ns0', 'x0_ns1', 'x0_ns2'])
    >>> beyond = curve.transform([[20.0], [21.0], [22.0]])
    >>> bool(np.abs(np.diff(beyond, n=2, axis=0)).max() < 1e-12)
    True
    """

    def __init__(self, df: int | None = None, knots: Any = None) -> None:
        self.df = df
        self.knots = knots

    def _find(self, X: Array, weight: Array, standard: Standard) -> NaturalCurves:
        low, high = X.min(axis=0), X.max(axis=0)
        inner = self._quantiles(X, weight) if self.knots is None else self._given(low, high, standard.columns)
        curves = tuple(NaturalCurve.of(int(j), float(low[j]), float(high[j]), inner[j]) for j in standard.columns)
        ends = {j: np.concatenate([low[[j]], inner[j], high[[j]]]) for j in standard.columns}
        self.knots_ = tuple(ends.get(j, np.empty(0)) for j in range(X.shape[1]))
        return NaturalCurves(curves)

    def _quantiles(self, X: Array, weight: Array) -> list[Array]:
        """The knots of each column between its ends, at quantiles."""
        df = DEFAULT_DF if self.df is None else check_whole(self.df, "df", 1)
        shares = np.linspace(0, 1, df + 1)[1:-1]
        return [_between(_weighted_quantiles(x, weight, shares), x.min(), x.max()) for x in X.T]

    def _given(self, low: Array, high: Array, columns: NDArray[np.intp]) -> list[Array]:
        """The checked knots of each column between its ends."""
        if self.df is not None:
            raise InputError(f"df={self.df!r} has no effect where knots are given; leave one of them out.")
        if isinstance(self.knots, str | dict) or not np.iterable(self.knots):
            raise InputTypeError("knots must be one sequence of numbers for each column.")
        given = list(self.knots)
        if len(given) != len(low):
            raise InputError(f"knots has {len(given)} sequences, and there are {len(low)} columns; give one for each.")
        found = [np.unique(real_numbers(k, "knots must be one sequence of numbers for each column.")) for k in given]
        for j in columns:
            outside = found[j][~((found[j] > low[j]) & (found[j] < high[j]))]
            if len(outside):
                raise InputError(
                    f"knots[{j}] has {outside[0]:g}, which is not between the least and the greatest value of that "
                    f"column, {low[j]:g} and {high[j]:g}. Leave it out."
                )
        return found


def _between(knots: Array, low: float, high: float) -> Array:
    """Knots that differ from each other and from the ends."""
    return np.unique(knots[(knots > low) & (knots < high)])


def _weighted_quantiles(x: Array, weight: Array, shares: Array) -> Array:
    """Quantiles of rows as often as their frequencies say, straight between neighbours (R's type 7)."""
    order = np.argsort(x, kind="stable")
    values, until = x[order], np.cumsum(weight[order])
    place = np.maximum(until[-1] - 1, 0.0) * shares
    below = np.floor(place)
    first, second = (
        values[np.minimum(np.searchsorted(until, at, side="right"), len(x) - 1)] for at in (below, below + 1)
    )
    return np.asarray(first + (place - below) * (second - first))
