"""The loops behind resamples and the areas of each; compiled once, cached, and free of the interpreter's lock."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def draw(
    members: NDArray[np.int32],  # (N,) rows, class after class, as often as they weigh
    begins: NDArray[np.intp],  # (classes + 1,) where the members of each begin
    generator: Any,  # NumPy's
    counts: NDArray[Any],  # (b, n) zero
) -> None:
    """Count how often rows come when each class draws as many members as it has, with replacement."""
    for b in range(len(counts)):
        row = counts[b]
        for k in range(len(begins) - 1):
            first, size = begins[k], begins[k + 1] - begins[k]
            for _ in range(size):
                row[members[first + int(generator.random() * size)]] += 1


@compiled
def rank_areas(
    codes: NDArray[np.int32],  # (n,) classes of the rows, by score, the highest first
    ends: NDArray[np.int32],  # (m,) where the rows of each different score end
    order: NDArray[np.int32],  # (n,) the sorted rows' places in `weights`
    weights: NDArray[Any],  # (b, n); fetching them takes most of the time, so bytes are best
    factor: NDArray[np.float64],  # (R,) by which the rows of each class count more
    k: int,
    ahead: NDArray[np.float64],  # (b, R) weight of the pairs of a row of class k and one of another that k leads
    precision: NDArray[np.float64],  # (b,) precision at each row of class k, summed by weight
) -> None:
    """Rows of class k against those of every other class in one pass; pairs of equal score count half.

    A row of its own score, as most are, is counted without asking for its class, which no processor can foresee.
    """
    for b in range(len(weights)):
        w, lead = weights[b], ahead[b]
        above, seen, summed = 0.0, 1e-300, 0.0  # weights at higher scores, of class k and of all
        begin = 0
        for end in ends:
            if end == begin + 1:
                v = w[order[begin]] * factor[codes[begin]]
                own = v * (codes[begin] == k)
                lead[codes[begin]] += v * above
                above += own
                seen += v
                summed += own * above / seen
            else:
                own = 0.0
                for i in range(begin, end):
                    v = w[order[i]] * factor[codes[i]]
                    seen += v
                    own += v * (codes[i] == k)
                for i in range(begin, end):
                    lead[codes[i]] += w[order[i]] * factor[codes[i]] * (above + 0.5 * own)
                above += own
                summed += own * above / seen
            begin = end
        lead[k] = 0.0
        precision[b] = summed


@compiled
def passed_by(
    own: NDArray[np.float64],  # (m,) rising
    others: NDArray[np.float64],  # (n,) rising
    at: int,  # how many of the others are known to be below all of `own`
    below: NDArray[np.intp],  # (m,) becomes how many of the others are less than each
    atmost: NDArray[np.intp],  # (m,) becomes how many of the others are no more than each
) -> int:
    """Merge two rising rows of numbers; returns how many of the others are below the last."""
    end = at
    for i in range(len(own)):
        while at < len(others) and others[at] < own[i]:
            at += 1
        end = max(end, at)
        while end < len(others) and others[end] <= own[i]:
            end += 1
        below[i], atmost[i] = at, end
    return at
