"""Which rows can a linear rule put on the side of their class? Linear programs over a growing set of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from distinguo.exceptions import DistinguoError
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]

# Rows have length one, and the coefficients lie in a box of half-width one: a margin below this is none.
MARGIN = 1e-8
# A row this far on the wrong side is brought into the next program; the programs themselves are solved to less.
VIOLATED = 1e-9
PROGRAM = 1e-10
# A cone that has a direction reaches the box. Where the optimum stays well inside, it is the tolerance that moved it.
INSIDE = 0.5
# Rows brought in at a time, for each coefficient.
ROWS_PER_COEFFICIENT = 4


@dataclass(frozen=True)
class _Pairs:
    """Every row against every class that is not its own.

    Attributes
    ----------
    Q : (n, r) rows of length one.
    codes : (n,)
    K : classes.
    """

    Q: Array
    codes: NDArray[np.intp]
    K: int

    def margins(self, B: Array) -> Array:
        """(n, K) by how much a row's own score exceeds the others', with coefficients (K - 1, r)."""
        scores = np.column_stack([np.zeros(len(self.Q)), self.Q @ B.T])
        return np.asarray(scores[np.arange(len(scores)), self.codes][:, None] - scores)

    def total(self, pairs: NDArray[np.bool_]) -> Array:
        """(K - 1, r) gradient of the sum of the margins of some pairs (n, K)."""
        signs = -pairs.astype(np.float64)
        signs[np.arange(len(signs)), self.codes] += pairs.sum(axis=1)
        return np.asarray(signs[:, 1:].T @ self.Q)

    def constraints(self, pairs: NDArray[np.intp]) -> Array:
        """(m, (K - 1) r) gradients of the margins of the pairs i K + j."""
        i, j = np.divmod(pairs, self.K)
        rows = np.zeros((len(pairs), self.K, self.Q.shape[1]))
        rows[np.arange(len(pairs)), self.codes[i]] = self.Q[i]
        rows[np.arange(len(pairs)), j] = -self.Q[i]
        return rows[:, 1:].reshape(len(pairs), -1)


def separate(Q: Array, codes: NDArray[np.intp], K: int) -> Solution[Array]:
    r"""A linear rule with no row on the wrong side, and as many pairs of row and class as can be strictly apart.

    Of all B with :math:`(b_{y_i} - b_j)^\top q_i \ge 0` for every row i and class j, the first class having b = 0. Each
    round maximises the sum of the margins that are still zero over the box :math:`|b| \le 1`; the sum of the rounds'
    optima has every margin positive that any such B has. A program holds the rows that earlier ones broke: an
    optimum that breaks none is that of all rows, and an optimum of zero is one too, for other rows only narrow it.

    Parameters
    ----------
    Q : (n, r) rows of length one (or zero), of rank r.
    codes : (n,) classes of the rows.
    K : how many classes.

    Returns
    -------
    Solution
        Its value is B (K - 1, r), zero where no rule tells anything; the trace counts the pairs not told apart.

    References
    ----------
    Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic regression models,
    Biometrika 71. Konis (2007), Linear programming algorithms for detecting separated data in binary logistic
    regression models, thesis, University of Oxford, 4.1.

    Examples
    --------
    >>> Q = np.array([[0.6, -0.8], [0.8, -0.6], [0.8, 0.6]])
    >>> solution = separate(Q, np.array([0, 0, 1]), 2)
    >>> ((Q @ solution.value[0]) > 0).tolist(), solution.trace.tolist()[-1]
    ([False, False, True], 0.0)
    """
    pairs = _Pairs(Q, codes, K)
    fitted = _least_squares(pairs)
    margins = pairs.margins(fitted)
    joined = np.arange(K) != codes[:, None]  # (n, K) pairs not told apart
    trace = [float(joined.sum())]
    if (margins[joined] > MARGIN).all():
        return Solution(fitted, "converged", 0, np.array([0.0]))
    margins[~joined] = np.inf
    working = _least(margins, ROWS_PER_COEFFICIENT * fitted.size)
    B = np.zeros_like(fitted)
    while joined.any():
        found, working = _optimum(pairs, joined, working)
        apart = joined & (pairs.margins(found) > MARGIN)
        if np.abs(found).max(initial=0.0) < INSIDE or not apart.any():
            break
        B += found
        joined &= ~apart
        trace.append(float(joined.sum()))
    return Solution(B, "converged", len(trace) - 1, np.array(trace))


def _least_squares(pairs: _Pairs) -> Array:
    """(K - 1, r) by regression on indicators, which often separates what can be separated."""
    indicators = (pairs.codes[:, None] == np.arange(pairs.K)).astype(np.float64)
    solution = np.linalg.lstsq(pairs.Q, indicators, rcond=None)[0].T
    solution = solution[1:] - solution[0]
    return np.asarray(solution / max(np.abs(solution).max(initial=0.0), np.finfo(np.float64).tiny))


def _least(margins: Array, most: int) -> NDArray[np.intp]:
    """The pairs of the least margins, as i K + j."""
    flat = margins.ravel()
    if len(flat) <= most:
        return np.arange(len(flat))[np.isfinite(flat)]
    least = np.argpartition(flat, most)[:most]
    return np.asarray(least[np.isfinite(flat[least])])


def _optimum(pairs: _Pairs, joined: NDArray[np.bool_], working: NDArray[np.intp]) -> tuple[Array, NDArray[np.intp]]:
    """The B that maximises the sum of some margins while none is negative, and the pairs that kept it there."""
    total = pairs.total(joined)
    goal = total.ravel() / max(np.abs(total).max(initial=0.0), np.finfo(np.float64).tiny)
    most, least = ROWS_PER_COEFFICIENT * goal.size, np.inf
    while True:
        b = _solve(goal, pairs.constraints(working))
        B = b.reshape(total.shape)
        if np.abs(b).max(initial=0.0) < INSIDE:
            return B, working
        margins = pairs.margins(B)
        own = margins.ravel()[working]
        margins.ravel()[working] = np.inf
        margins[margins >= -VIOLATED] = np.inf
        broken = _least(margins, most)
        if not len(broken):
            return B, working
        value = float(goal @ b)
        if value < least - MARGIN * abs(value):
            # Pairs that do not bind may go, and come back if they are broken; as the optimum has fallen, not for ever.
            working, least = working[_least(own, most)], value
        working = np.concatenate([working, broken])


def _solve(goal: Array, rows: Array) -> Array:
    """The vertex b of the box that maximises `goal` while no row's product with it is negative."""
    found = linprog(
        -goal,
        -rows,
        np.zeros(len(rows)),
        bounds=(-1, 1),
        method="highs-ds",  # its interior points may run on for ever at this tolerance
        options={"primal_feasibility_tolerance": PROGRAM, "dual_feasibility_tolerance": PROGRAM},
    )
    if found.x is None:
        raise DistinguoError(f"a linear program of {rows.shape} could not be solved: {found.message}")
    return np.asarray(found.x)
