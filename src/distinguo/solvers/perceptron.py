"""Rosenblatt's rule: pass over the rows until all are right, and learn from those that are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.matrix import Matrix
from distinguo.solvers.perceptron_kernels import judge_dense, judge_sparse, pass_over_dense, pass_over_sparse
from distinguo.solvers.solution import Solution, Status

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Lessons = list[tuple[Codes, slice]]


@dataclass(frozen=True)
class Scheme:
    """How classes share the weights.

    Attributes
    ----------
    lessons : from codes (n,) and K classes to what is learned side by side: codes, and the rows of the weights.
    apart : whether every class is told from the rest by itself.
    """

    lessons: Callable[[Codes, int], Lessons]
    apart: bool


def _one_a_class(codes: Codes, K: int) -> Lessons:
    return [((codes == k).astype(np.intp), slice(k, k + 1)) for k in range(K)]


# Of two classes each is the other's rest, and one vector of weights is enough.
TWO = Scheme(lambda codes, K: [(codes, slice(0, 1))], apart=False)
SCHEMES = {
    "discriminants": Scheme(lambda codes, K: [(codes, slice(0, K))], apart=False),
    "one-vs-rest": Scheme(_one_a_class, apart=True),
}


@dataclass(frozen=True)
class Weights:
    """Weights (R, p + 1), those of the constant last, and what their average over all presentations needs.

    Attributes
    ----------
    last : after the last row.
    best : after the pass that left the least weight of rows misclassified, the first of such passes.
    sums : (R, p + 1) steps times what was presented before them.
    presented : weight of the rows presented so far.
    errors : (passes + 1,) weight of the rows misclassified, at the start and after each pass.
    """

    last: Array
    best: Array
    sums: Array
    presented: float
    errors: Array

    @property
    def average(self) -> Array:
        """(R, p + 1) the mean of the weights after each row presented."""
        return self.last - self.sums / self.presented if self.presented > 0 else self.last


@dataclass(frozen=True)
class Rows:
    """What is learned from: rows X (n, p), codes (n,) of K classes, and how often each is presented."""

    X: Matrix
    codes: Codes
    weight: Array
    K: int


def perceptron(
    rows: Rows, scheme: Scheme, start: Array, sums: Array, presented: float, orders: Iterable[Codes]
) -> Solution[Weights]:
    r"""Present the rows in turn, and add to the weights of a row's class, and take from those of the class it is lost
    to, the row itself.

    A row is misclassified where its own class is not strictly above all others. The criterion of the trace is
    :math:`\sum_i w_i \max(0, -m_i)`, with m how far its own class is above the others; of classes apart, it is the sum
    over all of how far a row is on the wrong side.

    Parameters
    ----------
    rows, scheme : what is learned, and how.
    start : (R, p + 1) weights.
    sums, presented : (R, p + 1), and a number: of an average that goes on, or zeros.
    orders : the rows in turn, once a pass; there are as many passes at the most.

    Returns
    -------
    Solution
        "converged" where a pass left no row misclassified.

    Examples
    --------
    >>> rows = Rows(np.array([[0.0], [1.0]]), np.array([0, 1]), np.ones(2), 2)
    >>> found = perceptron(rows, TWO, np.zeros((1, 2)), np.zeros((1, 2)), 0.0, [np.arange(2)] * 10)
    >>> found.status, found.value.last.tolist(), found.value.errors.tolist()
    ('converged', [[2.0, -1.0]], [2.0, 1.0, 1.0, 0.0])
    """
    W, sums = start.copy(), sums.copy()
    lessons = scheme.lessons(rows.codes, rows.K)
    trace = [_judge(rows, scheme, W)]
    best, least = W.copy(), trace[0][1]
    status: Status = "max_iter"
    for order in orders:
        before = presented
        for codes, part in lessons:
            presented = _pass(rows, codes, order, W[part], sums[part], before)
        trace.append(_judge(rows, scheme, W))
        errors = trace[-1][1]
        if errors < least:
            best, least = W.copy(), errors
        if errors == 0:
            best, status = W.copy(), "converged"
            break
    criterion, wrong = np.array(trace).T
    return Solution(Weights(W, best, sums, presented, wrong), status, len(trace) - 1, criterion)


def _pass(rows: Rows, codes: Codes, order: Codes, W: Array, sums: Array, presented: float) -> float:
    """One pass over the rows, in place."""
    X = rows.X
    if isinstance(X, np.ndarray):
        return float(pass_over_dense(X, codes, rows.weight, order, W, sums, presented))
    return float(pass_over_sparse(X.data, X.indices, X.indptr, codes, rows.weight, order, W, sums, presented))


def _judge(rows: Rows, scheme: Scheme, W: Array) -> tuple[float, float]:
    """The criterion, and the weight of the rows misclassified."""
    X = rows.X
    if isinstance(X, np.ndarray):
        return judge_dense(X, rows.codes, rows.weight, W, scheme.apart)
    return judge_sparse(X.data, X.indices, X.indptr, rows.codes, rows.weight, W, scheme.apart)
