"""Subclasses of labelled rows: coordinates, starts, restarts, and from what EM found to the units of the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.estimate import Divisor, divide
from distinguo.covariance.factor import Factor, compose, factorise
from distinguo.covariance.penalties import penalty_matrix
from distinguo.covariance.roughness import EffectiveDegrees, Penalised
from distinguo.covariance.shapes import shared_factor
from distinguo.densities.mixture import Subclasses
from distinguo.exceptions import InputError
from distinguo.generative.subclass_rows import subclass_rows
from distinguo.rows.gathered import Gathered
from distinguo.rows.labels import label_text
from distinguo.solvers.kmeans import kmeans, squared_distances
from distinguo.solvers.mixture_em import Components, Problem
from distinguo.solvers.solution import Solution
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]
Groups = NDArray[np.intp]

# Which covariance each subclass has, from the class (R,) of each.
COVARIANCES: dict[str, Callable[[Groups], Groups]] = {
    "shared": np.zeros_like,
    "class": lambda owner: owner,
    "subclass": lambda owner: np.arange(len(owner), dtype=np.intp),
}
# What whitening leaves of the identity below this is rounding.
ROUNDING = 1e-8


@dataclass(frozen=True)
class Roughness:
    """A penalty on the shared covariance: its matrix (p, p), and its gamma or its effective degrees of freedom."""

    omega: Array
    gamma: float | None
    df: float | None

    def strength_for(self, moments: ClassMoments, divisor: float) -> float:
        """What the penalty is multiplied by before it is added to the covariance."""
        if self.df is not None:
            return EffectiveDegrees(moments, self.omega, divisor).strength(self.df)
        assert self.gamma is not None
        return self.gamma


@dataclass(frozen=True)
class Recipe:
    """How subclasses are fitted; see `MixtureDiscriminantAnalysis`."""

    covariance: str
    roughness: Roughness | None
    start: Mapping[int, Array] | None
    n_init: int
    covariance_floor: float
    divisor: Divisor
    tol: float
    max_iter: int
    random_state: int


@dataclass(frozen=True)
class Found:
    """Subclasses, and how they were come by.

    Attributes
    ----------
    subclasses : of the best start.
    solution : its EM.
    n_parameters : shares, means and covariances.
    """

    subclasses: Subclasses
    solution: Solution[Components]
    n_parameters: int


def distinct_rows(rows: Gathered) -> Gathered:
    """Each class's distinct rows in ascending order, with the weight of all like them; a missing cell is like another.

    So a weight of two is the row twice, and neither the order of the rows nor units matter, whatever is drawn of them.
    """
    X = np.where(np.isnan(rows.X), np.nan, rows.X + 0.0)  # no negative zeros, and one kind of NaN
    # Bit patterns, big end first, that are in order byte by byte as the numbers are: one sort serves all columns.
    bits = np.ascontiguousarray(X).view(np.int64)
    keys = (bits ^ ((bits >> 63) | np.iinfo(np.int64).min)).astype(">i8")
    order = np.argsort(keys.view(np.dtype((np.void, 8 * X.shape[1]))).ravel(), kind="stable")
    order = order[np.argsort(rows.codes[order], kind="stable")]
    X, keys, codes = X[order], keys[order], rows.codes[order]
    new = np.append(True, (codes[1:] != codes[:-1]) | (keys[1:] != keys[:-1]).any(axis=1))
    weight = np.add.reduceat(rows.weight[order], np.flatnonzero(new))
    return replace(rows, X=X[new], codes=codes[new], weight=weight, row_numbers=rows.row_numbers[order][new])


class SubclassFitter:
    """Rows in the coordinates where EM works: made once, for any number of subclasses.

    Parameters
    ----------
    rows : distinct, every class with some.
    recipe : how to fit.
    """

    def __init__(self, rows: Gathered, recipe: Recipe) -> None:
        self.recipe = recipe
        self.weight = rows.weight
        self.known = subclass_rows(rows)
        self.moments = self.known.moments
        self.begins = np.append(np.flatnonzero(np.diff(rows.codes, prepend=-1)), len(rows.codes))
        self.outer = self._outer()
        deviations = self.known.X - self.moments.mean[rows.codes]
        self.Z = deviations @ self.outer.whiten
        spread = np.sqrt(np.diagonal(self.moments.within) / self.total)
        self.standard = deviations / np.where(spread > 0, spread, 1.0)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weight.sum())

    @property
    def distinct(self) -> NDArray[np.intp]:
        """(K,) distinct rows of each class."""
        return np.diff(self.begins)

    def _outer(self) -> Factor:
        """The covariance that is a sphere in EM's coordinates: what it would be with one subclass a class."""
        roughness = self.recipe.roughness
        if roughness is None:
            return shared_factor(self.moments, lambda moments: moments.within / self.total)
        degrees = self.total - (len(self.moments.classes) if self.recipe.divisor == "unbiased" else 0)
        gamma = roughness.strength_for(self.moments, degrees) * degrees / self.total
        return Penalised(self.moments, self.total, roughness.omega).factor(gamma)

    def _lift(self) -> Array:
        """(r, r) what penalty, and floors of columns that vary between classes only, add to the scatter."""
        scatter = self.known.scatter(self.Z, self.weight, self.outer)
        lift = self.total * np.eye(len(scatter)) - scatter
        return lift if np.abs(lift).max() > ROUNDING * self.total else np.zeros_like(lift)

    def fit(self, counts: NDArray[np.intp]) -> Found:
        """The best of several starts with so many subclasses (K,)."""
        recipe = self.recipe
        owner = np.repeat(np.arange(len(counts)), counts)
        group = COVARIANCES[recipe.covariance](owner)
        classes = np.add.reduceat(self.weight, self.begins[:-1])
        # Groups bear what is added by their share of the rows, as far as that is known beforehand.
        shares = np.bincount(group, (classes / counts)[owner]) / self.total
        penalty = shares[:, None, None] * self._lift()
        problem = Problem(self.Z, self.weight, owner, group, self.begins, penalty, recipe.covariance_floor)
        starts = {self._start(counts, i).tobytes(): None for i in range(self._n_starts(counts))}
        solutions = [
            self.known.climb(problem, np.frombuffer(start, dtype=np.intp), self.outer, recipe.tol, recipe.max_iter)
            for start in starts
        ]
        best = max(solutions, key=lambda solution: float(solution.trace[-1]))
        r = self.Z.shape[1]
        covariances = (group[-1] + 1) * r * (r + 1) // 2
        return Found(self._in_units(best.value, owner, group), best, len(owner) * (r + 1) - len(counts) + covariances)

    def _n_starts(self, counts: NDArray[np.intp]) -> int:
        """One where starts do not differ."""
        return 1 if self.recipe.start is not None or (counts == 1).all() else self.recipe.n_init

    def _start(self, counts: NDArray[np.intp], number: int) -> NDArray[np.intp]:
        """(n,) the subclass that each row begins in.

        k-means on columns of unit variance within classes: on EM's own coordinates, noise would weigh as much as what
        columns have in common. Every class draws the same numbers, so the order of the classes does not matter.
        """
        nearest = np.zeros(len(self.Z), dtype=np.intp)
        for k, count in enumerate(counts.tolist()):
            rows = slice(self.begins[k], self.begins[k + 1])
            if self.recipe.start is not None:
                centres = (self.recipe.start[k] - self.moments.mean[k]) @ self.outer.whiten
                nearest[rows] = squared_distances(self.Z[rows], centres).argmin(axis=1)
            elif count > 1:
                rng = np.random.default_rng([self.recipe.random_state, number])
                centres = kmeans(self.standard[rows], self.weight[rows], count, rng)
                nearest[rows] = squared_distances(self.standard[rows], centres).argmin(axis=1)
        return nearest

    def _in_units(self, value: Components, owner: NDArray[np.intp], group: Groups) -> Subclasses:
        """The components with means in the columns' units and covariances of the divisor asked for."""
        scale = self._divisor_scale(owner, group)
        covariances = value.covariance * scale[:, None, None]
        factors = tuple(compose(self.outer, factorise(covariance)) for covariance in covariances)
        weight = np.bincount(group, value.total, len(factors))
        pooled = factors[0]
        if len(factors) > 1:
            pooled = compose(self.outer, factorise(np.tensordot(weight / weight.sum(), covariances, axes=1)))
        means = self.moments.mean[owner] + value.mean @ self.outer.colour.T
        return Subclasses(owner, value.share, means, group, factors, pooled)

    def _divisor_scale(self, owner: NDArray[np.intp], group: Groups) -> Array:
        """(G,) from maximum likelihood to the divisor: for rows n and subclasses R that share a covariance, n - R.

        A subclass with a covariance of its own takes its class's: how many rows it has is not known but estimated.
        """
        by_class = self.recipe.covariance != "shared"
        labels = self.moments.classes
        scales = np.empty(group[-1] + 1)
        for g in range(len(scales)):
            members = owner == owner[group == g][0] if by_class else np.ones(len(owner), dtype=bool)
            k = owner[members]
            weight = float(self.moments.weight[k[0]]) if by_class else self.total
            what = f"class {label_text(labels[k[0]])}" if by_class else "the table"
            scales[g] = weight * float(divide(np.ones((1, 1)), weight, len(k), self.recipe.divisor, what)[0, 0])
        return scales


def roughness_of(penalty: Any, p: int, order: Any, shape: Any, gamma: Any, df: Any) -> Roughness | None:
    """The penalty that the options describe, or None.

    Raises
    ------
    InputError
        If options are given without a penalty, or not exactly one of gamma and df with one.
    """
    options = {"order": order, "shape": shape, "gamma": gamma, "df": df}
    if penalty is None:
        given = [name for name, value in options.items() if value is not None]
        if given:
            raise InputError(f"{given[0]}={options[given[0]]!r} cannot act without a penalty; give penalty too.")
        return None
    if (gamma is None) == (df is None):
        raise InputError("a penalty needs its gamma or its effective degrees of freedom df; give one of the two.")
    number = isinstance(gamma, int | float | np.integer | np.floating) and not isinstance(gamma, bool)
    if gamma is not None and not (number and 0 <= gamma < np.inf):
        raise InputError(f"gamma={gamma!r} must be a number of at least 0.")
    return Roughness(penalty_matrix(penalty, p, order, shape), gamma, df)
