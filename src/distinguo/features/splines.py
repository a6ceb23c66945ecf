"""Additive smoothing splines, each as smooth as generalised cross-validation finds it, or straight, or left out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.optimize import brentq

Array = NDArray[np.float64]

# Knots of a curve, at quantiles of its column; its smoothness comes from the penalty, not from having few.
KNOTS = 20
# Effective degrees of freedom that a curve may have; none leaves its column out, one is a straight line.
DEGREES = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 15.0)
# A direction of a curve's space with less than this share of the variance is not seen in the rows.
UNSEEN = 1e-9
# The search ends when no curve's change lowers the criterion by this share.
SETTLED = 1e-6
MOST_STEPS = 40
# A fit is never closer than this share of the sum of squares; and where no room is left for error, none is good.
EXACT = 1e-16
NO_ROOM = 1e-140


@dataclass(frozen=True)
class Curve:
    """A cubic spline of one column for each response, straight beyond the outermost knots.

    Attributes
    ----------
    column : which.
    knots : (t,) with the ends fourfold.
    coef : (t - 4, q)
    df : effective degrees of freedom.
    """

    column: int
    knots: Array
    coef: Array
    df: float

    def __call__(self, x: Array) -> Array:
        """Values (n, q)."""
        return basis(x, self.knots) @ self.coef


@dataclass(frozen=True)
class AdditiveSplines:
    """A constant and a curve for each column that helps.

    Attributes
    ----------
    curves : of the columns taken in.
    intercept : (q,)
    gcv : generalised cross-validation, summed over the responses.
    """

    curves: tuple[Curve, ...]
    intercept: Array
    gcv: float

    def predict(self, X: Array) -> Array:
        """Responses (n, q) expected of rows (n, p)."""
        values = np.tile(self.intercept, (len(X), 1))
        for curve in self.curves:
            values += curve(X[:, curve.column])
        return values


def basis(x: Array, knots: Array) -> Array:
    """Cubic B-splines (n, t - 4), continued in straight lines.

    Examples
    --------
    >>> knots = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    >>> basis(np.array([0.0, 2.0]), knots).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -3.0, 4.0]]
    """
    low, high = knots[0], knots[-1]
    inside = np.clip(x, low, high)
    values = np.asarray(BSpline.design_matrix(inside, knots, 3).toarray())
    for end, outside in ((low, x < low), (high, x > high)):
        if outside.any():
            slope = BSpline(knots, np.eye(len(knots) - 4), 3)(end, nu=1)
            values[outside] += (x[outside] - end)[:, None] * slope
    return values


@dataclass(frozen=True)
class _Space:
    """What a curve of one column can be, in coordinates where the rows are orthonormal and roughness is diagonal.

    Attributes
    ----------
    rotate : (b, m) from coordinates to B-splines, the straight line first.
    middle : (b,) means of the B-splines.
    roughness : (m,) ascending, zero for the straight line.
    values : (n, m) coordinates of the rows, times the root of their weight.
    strengths : (c,) penalties of the candidates, infinite for the straight line.
    degrees : (c,) their degrees of freedom.
    """

    column: int
    knots: Array
    rotate: Array
    middle: Array
    roughness: Array
    values: Array
    strengths: Array
    degrees: Array

    def shares(self, candidate: int) -> Array:
        """(m,) how much of a coordinate is left at a candidate's penalty."""
        if self.degrees[candidate] == 0:
            return np.zeros(len(self.roughness))
        if np.isinf(self.strengths[candidate]):
            return np.asarray(self.roughness == 0, dtype=np.float64)
        return np.asarray(1 / (1 + self.strengths[candidate] * self.roughness))


def _space(x: Array, weight: Array, column: int) -> _Space:
    values, place = np.unique(x, return_inverse=True)
    count = np.bincount(place, weights=weight)
    shares = np.cumsum(count) / count.sum()
    inner = values[np.searchsorted(shares, np.linspace(0, 1, KNOTS + 2)[1:-1] - 1e-12)]
    inner = np.unique(inner[(inner > values[0]) & (inner < values[-1])])
    knots = np.concatenate([np.full(4, values[0]), inner, np.full(4, values[-1])])
    N = basis(values, knots)
    middle = count @ N / count.sum()
    root = np.sqrt(count)[:, None]
    _, singular, right = np.linalg.svd(root * (N - middle), full_matrices=False)
    seen = singular > np.sqrt(UNSEEN) * singular[0]
    whiten = right[seen].T / singular[seen]
    roughness, turn = np.linalg.eigh(whiten.T @ _roughness(knots) @ whiten)
    roughness[0] = 0.0  # the straight line
    rotate = whiten @ turn
    rows = (N - middle) @ rotate
    strengths, degrees = _candidates(np.maximum(roughness, 0.0))
    return _Space(
        column, knots, rotate, middle, np.maximum(roughness, 0.0), rows[place] * np.sqrt(weight)[:, None],
        strengths, degrees,
    )  # fmt: skip


def _roughness(knots: Array) -> Array:
    """Integrals (b, b) of products of second derivatives, which are straight between knots."""
    ends = np.unique(knots)
    width, middle = np.diff(ends), (ends[1:] + ends[:-1]) / 2
    second = BSpline(knots, np.eye(len(knots) - 4), 3).derivative(2)
    total = np.zeros((len(knots) - 4, len(knots) - 4))
    for side in (-1, 1):  # two points of Gauss and Legendre are exact for squares
        at = second(middle + side * width / np.sqrt(12))
        total += (at * width[:, None]).T @ at / 2
    return total


def _candidates(roughness: Array) -> tuple[Array, Array]:
    """Penalties and degrees of freedom that a curve may have."""
    bent = roughness[1:]
    strengths, degrees = [np.inf, np.inf], [0.0, 1.0]
    for df in DEGREES[2:]:
        if df >= 1 + 0.95 * len(bent):
            break
        low, high = -np.log(bent.max()) - 30, -np.log(bent.min()) + 30
        log = brentq(lambda log, df=df: 1 + (1 / (1 + np.exp(log) * bent)).sum() - df, low, high)
        strengths.append(float(np.exp(log)))
        degrees.append(df)
    return np.array(strengths), np.array(degrees)


class _Search:
    """Curves exchanged one at a time, the best change first, while the criterion falls."""

    def __init__(self, spaces: list[_Space], Y: Array, total: float, cost: float) -> None:
        self.total = total
        self.cost = cost
        design = np.hstack([space.values for space in spaces])
        self.gram = design.T @ design
        self.target = design.T @ Y
        self.squares = float((Y**2).sum())
        sizes = [space.values.shape[1] for space in spaces]
        ends = np.cumsum([0, *sizes])
        self.parts = [slice(a, b) for a, b in pairwise(ends)]
        self.starts = ends[:-1]
        # (p, m) where each coordinate stands among those of its column.
        self.real = np.arange(max(sizes)) < np.array(sizes)[:, None]
        # (p, C) degrees of freedom, the last candidate repeated where a column has fewer; (p, C, m) how much of each
        # coordinate is left, and what that takes off the residual sum of squares, for each squared coordinate.
        C = max(len(space.degrees) for space in spaces)
        self.degrees = np.array([np.pad(space.degrees, (0, C - len(space.degrees)), "edge") for space in spaces])
        self.shares = np.zeros((len(spaces), C, self.real.shape[1]))
        for j, (space, size) in enumerate(zip(spaces, sizes, strict=True)):
            self.shares[j, :, :size] = [space.shares(min(c, len(space.degrees) - 1)) for c in range(C)]
        self.falls = 2 * self.shares - self.shares**2
        # From straight lines; from nothing where the rows do not bear so many.
        self.chosen = np.full(len(spaces), int(1 + cost * self.degrees[:, 1].sum() < total))
        self.settle()

    def settle(self) -> None:
        """Coefficients (m, q) of the curves as they are chosen, all at once, and what they leave."""
        self.coef = np.zeros_like(self.target)
        shares = self.shares[np.arange(len(self.chosen)), self.chosen][self.real]
        kept = shares > 0
        # The penalties 1/share - 1 may be so large beside the rest that it would be cut off as rounding; with roots of
        # the shares on both sides they are not.
        root = np.sqrt(shares[kept])[:, None]
        matrix = root * self.gram[np.ix_(kept, kept)] * root.T + np.diag(1 - shares[kept])
        self.coef[kept] = root * np.linalg.lstsq(matrix, root * self.target[kept], rcond=1e-11)[0]
        self.left = self.target - self.gram @ self.coef

    def criterion(self, rss: Array | float, degrees: Array | float) -> Array:
        """Generalised cross-validation."""
        room = np.maximum(1 - (1 + self.cost * degrees) / self.total, NO_ROOM)
        return np.asarray(np.maximum(rss, EXACT * self.squares) / self.total / room**2)

    def degrees_chosen(self) -> Array:
        """(p,) degrees of freedom of the curves, the constant not counted."""
        return np.asarray(self.degrees[np.arange(len(self.chosen)), self.chosen])

    def rss(self) -> float:
        """Residual sum of squares."""
        return self.squares - float((self.coef * (self.target + self.left)).sum())

    def gcv(self) -> float:
        """The criterion of the curves as they are."""
        return float(self.criterion(self.rss(), float(self.degrees_chosen().sum())))

    def run(self) -> None:
        """Exchange curves until no change helps."""
        for _ in range(MOST_STEPS * len(self.parts)):
            now = self.gcv()
            best, j, candidate = self._best()
            if not best < now * (1 - SETTLED):
                break
            self._exchange(j, candidate)

    def _best(self) -> tuple[float, int, int]:
        """The least criterion with another curve for one column, that column, and that curve."""
        alone = self.left + self.coef  # the rows are orthonormal within a column
        without = self.rss() + np.add.reduceat((self.coef * (alone + self.left)).sum(axis=1), self.starts)
        squares = np.zeros(self.real.shape)
        squares[self.real] = (alone**2).sum(axis=1)
        rss = without[:, None] - (self.falls @ squares[:, :, None])[:, :, 0]  # (p, C)
        chosen = self.degrees_chosen()
        values = self.criterion(rss, (chosen.sum() - chosen)[:, None] + self.degrees)
        j, candidate = divmod(int(values.argmin()), values.shape[1])
        return float(values[j, candidate]), j, candidate

    def _exchange(self, j: int, candidate: int) -> None:
        part = self.parts[j]
        share = self.shares[j, candidate, self.real[j]][:, None]
        new = share * (self.left[part] + self.coef[part])
        self.left -= self.gram[:, part] @ (new - self.coef[part])
        self.coef[part] = new
        self.chosen[j] = candidate


def fit_splines(X: Array, Y: Array, weight: Array, cost: float = 2.0) -> AdditiveSplines:
    r"""An additive model of smoothing splines, one smoothness a column for all responses.

    Minimises, over curves and their penalties, :math:`\mathrm{GCV} = \mathrm{RSS} / (n (1 - C/n)^2)` with
    :math:`C = 1 + \text{cost} \cdot \text{df}`; a column may also enter as a straight line, or not at all. This is
    the part that BRUTO plays in R's mda (Hastie and Tibshirani, 1990, section 9.4.3).

    Parameters
    ----------
    X, Y, weight : (n, p), (n, q) and (n,) frequencies.
    cost : what a degree of freedom counts for.
    """
    total = float(weight.sum())
    mean = weight @ Y / total
    varies = np.flatnonzero(np.ptp(X, axis=0) > 8 * np.finfo(np.float64).eps * np.abs(X).max(axis=0))
    if not len(varies):
        return AdditiveSplines((), mean, float(weight @ ((Y - mean) ** 2).sum(axis=1)) / total)
    low, width = X.min(axis=0), np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1.0)
    spaces = [_space((X[:, j] - low[j]) / width[j], weight, int(j)) for j in varies]
    search = _Search(spaces, np.sqrt(weight)[:, None] * (Y - mean), total, cost)
    search.run()
    search.settle()
    curves, intercept = [], mean.copy()
    for space, part, df in zip(spaces, search.parts, search.degrees_chosen().tolist(), strict=True):
        if df == 0:
            continue
        own = space.rotate @ search.coef[part]
        intercept -= space.middle @ own
        j = space.column
        curves.append(Curve(j, low[j] + width[j] * space.knots, own, df))
    return AdditiveSplines(tuple(curves), intercept, search.gcv())
