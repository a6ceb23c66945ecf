"""The likelihood of labels given rows under affine scores: its sums, gradient and curvature, in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch, Reducer
from distinguo.rows.labels import codes_among
from distinguo.statistics.logistic_kernels import losses_and_residuals, relative_scores

Array = NDArray[np.float64]
NO_WEIGHT: Array = np.empty(0)
# The rows times their weights of all class pairs; they stay in the processor's cache.
WEIGHTED_BYTES = 1 << 20


@dataclass(frozen=True, eq=False)
class LogisticSums:
    r"""Loss :math:`L = -\sum_i w_i \log P(y_i | x_i)`, its gradient and its curvature; those of disjoint rows add up.

    Attributes
    ----------
    weight : rows, by frequency.
    loss : L.
    gradient : (K, p + 1) by each class's score at the centre, and by its normal.
    curvature : (q, p + 1, q, p + 1) second derivatives by the scores of all classes but the first, q = K - 1; or None.
    margin : the least by which a row scores higher in its own class than in any other.
    """

    weight: float
    loss: float
    gradient: Array
    curvature: Array | None
    margin: float

    def __add__(self, other: LogisticSums) -> LogisticSums:
        """The sums of the rows of both, at the same scores."""
        both = self.curvature is not None and other.curvature is not None
        return LogisticSums(
            self.weight + other.weight,
            self.loss + other.loss,
            self.gradient + other.gradient,
            np.add(self.curvature, other.curvature) if both else None,  # type: ignore[arg-type]
            min(self.margin, other.margin),
        )


@dataclass(frozen=True, eq=False)
class LogisticStep(Reducer[LogisticSums]):
    """What a step of logistic or softmax regression needs of the rows, aggregated once an iteration.

    Attributes
    ----------
    classes : (K,) labels that the scores are of; rows of weight zero may be of others.
    centre : (p,) where the scores at the centre are taken.
    normals, offsets : (K, p) and (K,) the scores, (x - centre) normals' + offsets.
    curvature : whether to gather second derivatives.
    class_weight : (K,) by which the weights of a class's rows are multiplied, or None.
    row_offsets : (n, K) fixed parts of the scores, by row of the source, or None.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> rows = MemorySource([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 0, 1, 1])
    >>> start = LogisticStep(np.array([0, 1]), np.zeros(1), np.zeros((2, 1)), np.zeros(2), False)
    >>> sums = rows.aggregate(start)
    >>> (sums.gradient[1] / 6).round(3).tolist(), round(sums.loss / 6, 3)
    ([0.0, -0.583], 0.693)
    """

    classes: NDArray[Any]
    centre: Array
    normals: Array
    offsets: Array
    curvature: bool
    class_weight: Array | None = None
    row_offsets: Array | None = None

    def reduce(self, batches: Iterable[Batch]) -> LogisticSums:
        """One pass over the batches."""
        state = _State(self)
        for batch in batches:
            state.add(batch)
        return state.result()

    def by_queries(self, table: Any) -> LogisticSums:
        """The same from a table in a database."""
        from distinguo.statistics.query_logistic import logistic_sums

        return logistic_sums(table, self)


class _State:
    """Sums that grow in place."""

    def __init__(self, step: LogisticStep) -> None:
        K, p = step.normals.shape
        self.step = step
        self.coefficients = np.column_stack([step.offsets, step.normals]).T.copy()  # (p + 1, K)
        self.weight, self.loss, self.margin = 0.0, 0.0, np.inf
        self.gradient = np.zeros((p + 1, K))
        self._make_room(0)
        q, d = (K - 1 if step.curvature else 0), p + 1
        self.diagonal = np.zeros((q, d, d))  # Σ w P_k x x'
        self.products = np.zeros((q * d, q * d))  # Σ w P_k P_l x x'

    def add(self, batch: Batch) -> None:
        """The likelihood of a batch's rows."""
        step, m = self.step, len(batch.X)
        if len(self.rows) < m:
            self._make_room(m)
        rows, relative, shares, residuals = (part[:m] for part in (self.rows, self.relative, self.shares, self.pull))
        np.subtract(batch.X, step.centre, out=rows[:, 1:])
        codes = codes_among(step.classes, batch.classes, batch.codes)
        weight = self._weight(batch, codes)
        np.matmul(rows, self.coefficients, out=relative)
        if step.row_offsets is not None:
            relative += step.row_offsets[batch.first_row : batch.first_row + m]
        self.margin = min(self.margin, relative_scores(relative, codes, weight))
        np.exp(relative, out=shares)
        self.loss += losses_and_residuals(shares, relative, codes, weight, residuals)
        self.gradient += rows.T @ residuals
        self.weight += float(weight.sum()) if len(weight) else m
        if step.curvature:
            self._add_curvature(rows, shares, weight)

    def _make_room(self, m: int) -> None:
        """Buffers for blocks of m rows: room that is used again costs no time to find."""
        d, K = self.coefficients.shape
        self.rows = np.ones((m, d))  # the first column stays one
        self.relative, self.shares, self.pull = (np.empty((m, K)) for _ in range(3))

    def _weight(self, batch: Batch, codes: NDArray[np.intp]) -> Array:
        """(m,) weights, or (0,) where every row counts once."""
        weight = NO_WEIGHT if batch.weight is None else batch.weight
        if self.step.class_weight is None:
            return weight
        by_class = self.step.class_weight[codes]
        return by_class * weight if len(weight) else by_class

    def _add_curvature(self, rows: Array, shares: Array, weight: Array) -> None:
        """Σ w (diag P - P P') by class pairs, times x x'."""
        m, d = rows.shape
        q = shares.shape[1] - 1
        if q == 1:
            share = shares[:, 0] * shares[:, 1]
            z = rows * np.sqrt(share * weight if len(weight) else share)[:, None]
            self.diagonal[0] += z.T @ z
            return
        size = max(64, WEIGHTED_BYTES // (8 * q * d))
        for start in range(0, m, size):
            part = slice(start, start + size)
            some, P = rows[part], shares[part, 1:]
            w = weight[part, None] if len(weight) else 1.0
            for k in range(q):
                z = some * np.sqrt(w * P[:, [k]])
                self.diagonal[k] += z.T @ z
            z = ((np.sqrt(w) * P)[:, :, None] * some[:, None, :]).reshape(len(some), q * d)
            self.products += z.T @ z

    def result(self) -> LogisticSums:
        """What was summed up."""
        curvature = None
        if self.step.curvature:
            q, d = self.diagonal.shape[:2]
            curvature = -self.products.reshape(q, d, q, d)
            for k in range(q):
                curvature[k, :, k, :] += self.diagonal[k]
        return LogisticSums(self.weight, self.loss, self.gradient.T.copy(), curvature, self.margin)
