"""Stochastic gradient descent on the logistic or softmax loss: a small step for every row, in compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.compiled import compiled

Array = NDArray[np.float64]


def one_pass(
    X: Array | sparse.csr_array,
    codes: NDArray[np.intp],
    weight: Array,
    order: NDArray[np.intp],
    normals: Array,
    offsets: Array,
    ridge: Array,
    step: tuple[float, float, int],
    intercept: bool,
) -> int:
    r"""A step :math:`\eta_t = \eta_0 / (1 + \gamma t)` down the gradient of each row in turn; returns the next t.

    Parameters
    ----------
    X, codes, weight : (n, p) rows, their classes, and how often a row counts; its step is as many times longer.
    order : (n,) the rows in the order of their turns.
    normals, offsets : (K, p) and (K,), changed in place; of two classes the first's stay as they are.
    ridge : (p,) strength by column, a row.
    step : η₀, γ, and t of the first row.
    intercept : whether the offsets take part.
    """
    eta0, gamma, t = step
    first = 1 if len(offsets) == 2 else 0
    if sparse.issparse(X):
        rows: Any = X
        return int(
            _sparse_pass(
                rows.data, rows.indices, rows.indptr, codes, weight, order, normals, offsets, ridge, eta0, gamma, t,
                intercept, first,
            )
        )  # fmt: skip
    return int(_dense_pass(X, codes, weight, order, normals, offsets, ridge, eta0, gamma, t, intercept, first))


@compiled
def _residuals(scores: Array, own: int) -> None:
    """Scores (K,) replaced by probabilities less those of the label."""
    top = scores.max()
    total = 0.0
    for k in range(len(scores)):
        scores[k] = np.exp(scores[k] - top)
        total += scores[k]
    for k in range(len(scores)):
        scores[k] /= total
    scores[own] -= 1.0


@compiled
def _dense_pass(
    X: Array,  # (n, p)
    codes: NDArray[np.intp],
    weight: Array,
    order: NDArray[np.intp],
    normals: Array,
    offsets: Array,
    ridge: Array,
    eta0: float,
    gamma: float,
    t: int,
    intercept: bool,
    first: int,
) -> int:
    """One pass over dense rows."""
    K, p = normals.shape
    scores = np.empty(K)
    for i in order:
        for k in range(K):
            score = offsets[k]
            for j in range(p):
                score += normals[k, j] * X[i, j]
            scores[k] = score
        _residuals(scores, codes[i])
        eta = weight[i] * eta0 / (1.0 + gamma * t)
        for k in range(first, K):
            pull = eta * scores[k]
            for j in range(p):
                normals[k, j] = (normals[k, j] - pull * X[i, j]) / (1.0 + eta * ridge[j])
            if intercept:
                offsets[k] -= pull
        t += 1
    return t


@compiled
def _shrink(normals: Array, columns: NDArray[np.int32], ridge: Array, walked: float, last: Array, first: int) -> None:
    """Shrink columns by all the steps since their last turn."""
    for j in columns:
        if ridge[j] > 0.0:
            shrunk = np.exp(-ridge[j] * (walked - last[j]))
            for k in range(first, len(normals)):
                normals[k, j] *= shrunk
        last[j] = walked


@compiled
def _sparse_pass(
    data: Array,
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    codes: NDArray[np.intp],
    weight: Array,
    order: NDArray[np.intp],
    normals: Array,
    offsets: Array,
    ridge: Array,
    eta0: float,
    gamma: float,
    t: int,
    intercept: bool,
    first: int,
) -> int:
    """One pass over sparse rows; a column is shrunk when its turn comes."""
    K, p = normals.shape
    scores = np.empty(K)
    walked = 0.0  # the sum of all steps so far
    last = np.zeros(p)  # and what it was when a column was last shrunk
    for i in order:
        columns = indices[indptr[i] : indptr[i + 1]]
        _shrink(normals, columns, ridge, walked, last, first)
        for k in range(K):
            scores[k] = offsets[k]
            for e in range(indptr[i], indptr[i + 1]):
                scores[k] += normals[k, indices[e]] * data[e]
        _residuals(scores, codes[i])
        eta = weight[i] * eta0 / (1.0 + gamma * t)
        walked += eta
        for k in range(first, K):
            pull = eta * scores[k]
            for e in range(indptr[i], indptr[i + 1]):
                normals[k, indices[e]] -= pull * data[e]
            if intercept:
                offsets[k] -= pull
        t += 1
    _shrink(normals, np.arange(p).astype(indices.dtype), ridge, walked, last, first)
    return t
