"""One pass of the perceptron over rows, dense or sparse; compiled once, cached, free of the interpreter's lock.

Weights are (R, p + 1), those of the constant last. One vector of weights, R = 1, is of two classes: the second where
its score is positive.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled, reordered

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Indices = NDArray[np.int32]


@reordered
def _score_dense(x: Array, W: Array, scores: Array) -> None:
    """Scores (R,) of a row (p,), in place."""
    p = len(x)
    for r in range(len(W)):
        s = W[r, p]
        for j in range(p):
            s += W[r, j] * x[j]
        scores[r] = s


@reordered
def _score_sparse(data: Array, indices: Indices, W: Array, scores: Array) -> None:
    """The same, of the entries of a sparse row."""
    for r in range(len(W)):
        w = W[r]
        s = w[-1]
        for at in range(len(data)):
            s += w[np.uint64(indices[at])] * data[at]  # unsigned, for an index from the end would cost a look
        scores[r] = s


@compiled
def _add_dense(w: Array, x: Array, step: float) -> None:
    for j in range(len(x)):
        w[j] += step * x[j]
    w[-1] += step


@compiled
def _add_sparse(w: Array, data: Array, indices: Indices, step: float) -> None:
    for at in range(len(data)):
        w[np.uint64(indices[at])] += step * data[at]
    w[-1] += step


@compiled
def _rival(scores: Array, code: int) -> int:
    """The highest class but that of the row."""
    if len(scores) == 1:
        return 1 - code
    best = 1 if code == 0 else 0
    for k in range(len(scores)):
        if k != code and scores[k] > scores[best]:
            best = k
    return best


@compiled
def _lead(scores: Array, code: int, rival: int) -> float:
    """How far the class of the row is above its rival."""
    if len(scores) == 1:
        return float(scores[0] if code == 1 else -scores[0])
    return float(scores[code] - scores[rival])


@compiled
def _changed(R: int, k: int) -> int:
    """Which weights are those of class k; -1 for none: of two classes, the weights of the second are enough."""
    if R > 1:
        return k
    return 0 if k == 1 else -1


@compiled
def pass_over_dense(
    X: Array,  # (n, p)
    codes: Codes,  # (n,)
    weight: Array,  # (n,) how often a row is presented
    order: Codes,  # the rows, in turn
    W: Array,  # (R, p + 1)
    sums: Array,  # (R, p + 1) steps times what was presented before them
    presented: float,
) -> float:
    """Learn in place; returns what has been presented."""
    scores = np.empty(len(W))
    for i in order:
        left = weight[i]
        while left > 0.0:
            _score_dense(X[i], W, scores)
            rival = _rival(scores, codes[i])
            if _lead(scores, codes[i], rival) > 0.0:  # right, and so it stays if it is presented again
                presented += left
                break
            step = min(left, 1.0)
            for k, signed in ((codes[i], step), (rival, -step)):
                r = _changed(len(W), k)
                if r >= 0:
                    _add_dense(W[r], X[i], signed)
                    _add_dense(sums[r], X[i], signed * presented)
            presented += step
            left -= step
    return presented


@compiled
def pass_over_sparse(
    data: Array,  # (nnz,) of a CSR matrix, with its indices and (n + 1,) indptr
    indices: Indices,
    indptr: Indices,
    codes: Codes,
    weight: Array,
    order: Codes,
    W: Array,
    sums: Array,
    presented: float,
) -> float:
    """The same, over the rows of a CSR matrix; a step costs what the row has entries."""
    scores = np.empty(len(W))
    for i in order:
        x, places = data[indptr[i] : indptr[i + 1]], indices[indptr[i] : indptr[i + 1]]
        left = weight[i]
        while left > 0.0:
            _score_sparse(x, places, W, scores)
            rival = _rival(scores, codes[i])
            if _lead(scores, codes[i], rival) > 0.0:
                presented += left
                break
            step = min(left, 1.0)
            for k, signed in ((codes[i], step), (rival, -step)):
                r = _changed(len(W), k)
                if r >= 0:
                    _add_sparse(W[r], x, places, signed)
                    _add_sparse(sums[r], x, places, signed * presented)
            presented += step
            left -= step
    return presented


@compiled
def _lost(scores: Array, code: int, apart: bool) -> tuple[float, bool]:
    """What a row adds to the criterion, and whether it is misclassified; a tie is."""
    rival = _rival(scores, code)
    lead = _lead(scores, code, rival)
    lost = max(0.0, -lead)
    if apart:  # each class against the rest
        lost = max(0.0, -scores[code])
        for k in range(len(scores)):
            if k != code:
                lost += max(0.0, scores[k])
    return lost, not lead > 0.0


@compiled
def judge_dense(X: Array, codes: Codes, weight: Array, W: Array, apart: bool) -> tuple[float, float]:
    """The criterion, and the weight of the rows misclassified."""
    scores = np.empty(len(W))
    criterion, wrong = 0.0, 0.0
    for i in range(len(X)):
        if weight[i] > 0.0:
            _score_dense(X[i], W, scores)
            lost, is_wrong = _lost(scores, codes[i], apart)
            criterion += weight[i] * lost
            wrong += weight[i] * is_wrong
    return criterion, wrong


@compiled
def judge_sparse(
    data: Array, indices: Indices, indptr: Indices, codes: Codes, weight: Array, W: Array, apart: bool
) -> tuple[float, float]:
    """The same, of the rows of a CSR matrix."""
    scores = np.empty(len(W))
    criterion, wrong = 0.0, 0.0
    for i in range(len(codes)):
        if weight[i] > 0.0:
            _score_sparse(data[indptr[i] : indptr[i + 1]], indices[indptr[i] : indptr[i + 1]], W, scores)
            lost, is_wrong = _lost(scores, codes[i], apart)
            criterion += weight[i] * lost
            wrong += weight[i] * is_wrong
    return criterion, wrong
