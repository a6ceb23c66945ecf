"""Areas of very many rows as they are, a class at a time, with no more beside them than one column of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.areas import assembled
from distinguo.evaluation.truth import TOGETHER, Truth, parts_of

Array = NDArray[np.float64]


def whole_areas(truth: Truth, scores: Array, factor: Array) -> dict[str, Array]:
    """The areas of scores (n, K) at the weights of the rows, each label counting by a factor (R,) more.

    The numbers are those of `Areas`, to rounding.
    """
    K, totals = scores.shape[1], truth.totals * factor
    ahead, precision = np.zeros((1, K, len(totals))), np.zeros((1, K))
    for k in np.flatnonzero(totals[:K] > 0).tolist():
        ahead[0, k], precision[0, k] = _lead(_sorted(truth, scores[:, k]), factor, k)
    return assembled(ahead, precision, totals)


def _sorted(truth: Truth, scores: Array) -> list[tuple[Array, Array | None]]:
    """Of each label the scores of its rows, rising, and the weight (m + 1,) below each; None where each weighs one."""
    found: list[tuple[Array, Array | None]] = []
    for k, n in enumerate(truth.sizes.tolist()):
        own = _those(scores, truth, k, n)
        if truth.kept is None:
            own.sort()
            found.append((own, None))
        else:
            order = np.argsort(own, kind="stable")
            weight = _those(truth.weight, truth, k, n)[order]
            found.append((own[order], np.append(0.0, np.cumsum(weight))))
    return found


def _those(values: Array, truth: Truth, k: int, n: int) -> Array:
    """(n,) the values of the rows of a label."""
    own, end = np.empty(n), 0
    for rows in parts_of(len(values)):
        part = values[rows][truth.codes[rows] == k]
        own[end : end + len(part)] = part
        end += len(part)
    return own


def _lead(found: list[tuple[Array, Array | None]], factor: Array, k: int) -> tuple[Array, float]:
    """(R,) weight of the pairs of a row of class k and one of another that k leads, and precision at each row of k."""
    from distinguo.evaluation.assessment.resample_kernels import passed_by  # compiled code is loaded when it is needed

    own, weights = found[k]
    ahead, summed = np.zeros(len(found)), 0.0
    at = [0] * len(found)
    for start in range(0, len(own), TOGETHER):
        mine = own[start : start + TOGETHER]
        ends = np.arange(start, start + len(mine) + 1)
        weight = np.diff(_below(weights, ends)) * factor[k]
        seen, above = np.zeros(len(mine)), np.zeros(len(mine))
        for r, (others, of_others) in enumerate(found):
            low, high = np.empty((2, len(mine)), np.intp)
            at[r] = passed_by(mine, others, at[r], low, high)
            below, atmost = (_below(of_others, ends) * factor[r] for ends in (low, high))
            reached = _below(of_others, np.array([len(others)]))[0] * factor[r] - below
            seen += reached
            if r == k:
                above = reached
            else:
                ahead[r] += weight @ (below + 0.5 * (atmost - below))
        summed += float(weight @ (above / seen))
    return ahead, summed


def _below(weights: Array | None, places: NDArray[np.intp]) -> Array:
    """What the rows before these places weigh."""
    return places.astype(np.float64) if weights is None else weights[places]
