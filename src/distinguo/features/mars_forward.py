"""The forward pass of MARS: terms are added in pairs, each step the pair that lowers the residuals most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.features.mars_kernels import INDEPENDENT, search
from distinguo.features.mars_options import Growth
from distinguo.features.mars_terms import ABOVE, BELOW, LINE, Hinge, Term

Array = NDArray[np.float64]

# In later steps, hinges may depend more on what is there (a straight line may not): at first the guard keeps knots
# apart, then it serves the arithmetic. Friedman (1991) names no numbers; these are earth's.
INDEPENDENT_LATER = 1e-5
EARLY_STEPS = 7
# A fall of the residuals is larger than another where it is so by more than rounding.
TIE = 1e-10
# A column whose sum of squares falls to this share when freed from the basis is rounding.
ROUNDING = 1e-12
# The pass ends where the model, judged by its size, is this much worse than the mean: it has too few rows.
HOPELESS = -10.0

# Sums of squares of larger numbers overflow.
LARGEST = 1e140


@dataclass(frozen=True)
class Rows:
    """What is fitted.

    Attributes
    ----------
    X : (n, p)
    Y : (n, q) centred, on one scale.
    weight : (n,) positive frequencies.
    """

    X: Array
    Y: Array
    weight: Array


def on_one_scale(X: Array, Y: Array, weight: Array) -> tuple[Rows, Array, float]:
    """The rows that count, with responses centred and on one scale; that centre (q,) and scale."""
    counts = weight > 0
    if not counts.all():
        X, Y, weight = X[counts], Y[counts], weight[counts]
    if max(np.abs(X).max(), np.abs(Y).max()) > LARGEST:
        raise InputError(f"X or y holds numbers too large to square (beyond {LARGEST:g}); take another unit.")
    centre = np.average(Y, axis=0, weights=weight)
    free = Y - centre
    free[:, np.ptp(Y, axis=0) == 0] = 0.0  # what is left of a constant is rounding
    scale = float(np.abs(free).max()) or 1.0
    return Rows(X, free / scale, weight), centre, scale


@dataclass(frozen=True)
class Grown:
    """The terms before pruning.

    Attributes
    ----------
    terms : the constant first.
    triangle : (M, M) upper; the weighted columns of the terms are an orthonormal basis times it.
    projections : (M, q) of the responses on that basis.
    scales : (M,) what the terms in the columns' units are divided by in `triangle`.
    rss : of all terms together.
    reason : why the pass ended.
    """

    terms: tuple[Term, ...]
    triangle: Array
    projections: Array
    scales: Array
    rss: float
    reason: str


class _Basis:
    """The terms so far, one orthonormal basis of them, and the residuals."""

    def __init__(self, rows: Rows, max_terms: int) -> None:
        n, q = rows.Y.shape
        self.rows = rows
        self.q = q
        self.low = rows.X.min(axis=0)
        self.range = rows.X.max(axis=0) - self.low
        root = np.sqrt(rows.weight)
        # Residuals first, so that one loop over a row's cells serves both.
        self.columns = np.empty((n, q + max_terms))
        self.columns[:, :q] = rows.Y * root[:, None]
        self.triangle = np.zeros((max_terms, max_terms))
        self.projections = np.zeros((max_terms, q))
        self.terms: list[Term] = []
        self.parents: list[Array] = []
        self.scales: list[float] = []
        self.add(Term(), root, 1.0)

    def add(self, term: Term, column: Array, scale: float) -> None:
        """Take in a term, unless its column depends on those there."""
        m, q = len(self.terms), self.q
        known = self.columns[:, q : q + m]
        free = column.copy()
        for _ in range(2):  # once leaves rounding along the basis, twice does not
            inside = free @ known
            free -= known @ inside
            self.triangle[:m, m] += inside
        own = float(free @ free)
        if own <= ROUNDING * float(column @ column):
            self.triangle[:m, m] = 0.0
            return
        self.triangle[m, m] = np.sqrt(own)
        free /= np.sqrt(own)
        self.columns[:, q + m] = free
        self.projections[m] = free @ self.columns[:, :q]
        self.columns[:, :q] -= np.outer(free, self.projections[m])
        self.terms.append(term)
        self.parents.append(column)
        self.scales.append(scale)

    def branch(self, parent: int, feature: int, knot: float | None, new: bool) -> None:
        """Add the parent's product with both sides of a knot, or with a line where there is none."""
        sides = (LINE,) if knot is None else (ABOVE, BELOW) if new else (ABOVE,)
        at = float(self.low[feature] if knot is None else knot)
        spread = float(self.range[feature])
        # The parent is taken first: adding changes the list.
        term, column, scale = self.terms[parent], self.parents[parent], self.scales[parent] * spread
        for side in sides:
            hinge = Hinge(feature, at, side)
            self.add(term.times(hinge), column * (hinge.values(self.rows.X[:, feature]) / spread), scale)

    @property
    def rss(self) -> float:
        """Residual sum of squares, over all responses."""
        residuals = self.columns[:, : self.q]
        return float(np.sum(residuals * residuals))

    def grown(self, reason: str) -> Grown:
        """The terms as they stand."""
        m = len(self.terms)
        return Grown(
            tuple(self.terms),
            self.triangle[:m, :m].copy(),
            self.projections[:m].copy(),
            np.array(self.scales),
            self.rss,
            reason,
        )


class _Queue:
    """Which parents are searched in a step (Friedman 1993, Fast MARS): the most promising, ageing ones promoted."""

    def __init__(self, fast_k: int, fast_beta: float) -> None:
        self.fast_k = fast_k
        self.fast_beta = fast_beta
        self.promise: list[float] = []
        self.seen: list[int] = []

    def choose(self, terms: list[Term], degree: int, step: int) -> list[int]:
        """Terms that can be parents, new ones first."""
        while len(self.promise) < len(terms):
            self.promise.append(np.inf)
            self.seen.append(step)
        able = [m for m, term in enumerate(terms) if len(term.hinges) < degree]
        if self.fast_k == 0 or len(able) <= self.fast_k:
            return able
        able.sort(key=lambda m: -self.promise[m])
        rank = {m: place - self.fast_beta * (step - self.seen[m]) for place, m in enumerate(able)}
        return sorted(sorted(able, key=lambda m: rank[m])[: self.fast_k])

    def note(self, parent: int, fall: float, step: int) -> None:
        """What the search under a parent has found."""
        self.promise[parent] = fall
        self.seen[parent] = step


@dataclass(frozen=True)
class _Found:
    """The best pair of a step."""

    fall: float
    parent: int
    feature: int
    place: int
    new: bool


class _Search:
    """Columns in falling order, searched under one parent after the other."""

    def __init__(self, basis: _Basis, growth: Growth) -> None:
        rows = basis.rows
        self.basis = basis
        self.growth = growth
        self.varying = basis.range > 0
        spread = np.where(self.varying, basis.range, 1.0)
        self.order = np.argsort(-rows.X.T, axis=1, kind="stable")  # (p, n)
        self.x = np.take_along_axis(((rows.X - basis.low) / spread).T, self.order, axis=1)  # (p, n)
        self.below = np.cumsum(rows.weight[self.order[:, ::-1]], axis=1)[:, ::-1]  # (p, n)
        self.total = float(rows.weight.sum())
        self.queue = _Queue(growth.fast_k, growth.fast_beta)

    def step(self, step: int, tie: float) -> _Found:
        """The pair that lowers the residuals most."""
        best = _Found(0.0, -1, -1, -1, False)
        tolerance = INDEPENDENT if step < EARLY_STEPS else INDEPENDENT_LATER
        for parent in self.queue.choose(self.basis.terms, self.growth.degree, step):
            found = self._under(parent, tolerance, tie)
            self.queue.note(parent, found.fall, step)
            if found.fall > best.fall + tie:
                best = found
        return best

    def _under(self, parent: int, tolerance: float, tie: float) -> _Found:
        """The best pair that has this parent."""
        basis, weight = self.basis, self.basis.rows.weight
        term, column = basis.terms[parent], basis.parents[parent]
        allowed = self.varying.copy()
        allowed[list(term.features)] = False
        live = float(weight[column != 0.0].sum())
        first, span, end = self.growth.first_and_span(self.total, len(allowed), live, term)
        width = basis.q + len(basis.terms)
        arrays = column, self.x, self.order, basis.columns, width, basis.q, self.below, weight
        fall, feature, place, new = search(*arrays, allowed, first, span, end, tolerance, tie)
        return _Found(fall, parent, feature, place, new)

    def knot(self, found: _Found) -> float | None:
        """Where the pair bends, in the column's units."""
        if found.place < 0:
            return None
        return float(self.basis.rows.X[self.order[found.feature, found.place], found.feature])


def gcv(rss: float, size: int, n: float, penalty: float) -> float:
    """Friedman's generalised cross-validation; infinite where the model has as many parameters as rows."""
    parameters = size + penalty * (size - 1) / 2
    if parameters >= n:
        return np.inf
    return rss / (n * (1 - parameters / n) ** 2)


def grow(rows: Rows, growth: Growth) -> Grown:
    """Add pairs of terms until one of the rules says stop."""
    basis = _Basis(rows, growth.max_terms)
    null = basis.rss
    if null == 0.0:
        return basis.grown("the responses are constant")
    search_rows = _Search(basis, growth)
    worst = gcv(null, 1, search_rows.total, growth.penalty) * (1 - HOPELESS)
    # A step takes the room of two terms even where it adds one, as in earth.
    for step in range((growth.max_terms - 1) // 2):
        found = search_rows.step(step, TIE * null)
        if found.fall <= TIE * null:
            return basis.grown("no new term lowers the residuals")
        if found.fall < growth.threshold * null:
            return basis.grown(f"a new pair would raise R2 by less than {growth.threshold:g}")
        added = 2 if found.new and found.place >= 0 else 1
        if gcv(basis.rss - found.fall, len(basis.terms) + added, search_rows.total, growth.penalty) > worst:
            return basis.grown("there are too few rows for more terms")
        basis.branch(found.parent, found.feature, search_rows.knot(found), found.new)
        if basis.rss <= growth.threshold * null:
            return basis.grown(f"R2 reached {1 - growth.threshold:g}")
    return basis.grown(f"max_terms={growth.max_terms} was reached")
