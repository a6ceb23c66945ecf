"""Rows that are kept, answered by the others: one search, whatever the number of neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.neighbors.answers import Answers
from distinguo.neighbors.kept import Kept
from distinguo.neighbors.search import Found, Search
from distinguo.neighbors.votes import FILLED, Reach, Weighting, filled_by, nearest_of, votes
from distinguo.rows.matrix import Matrix

Array = NDArray[np.float64]

CELLS_AT_ONCE = 1 << 20


def left_out(
    kept: Kept, search: Search, weighting: Weighting, k: int, rows: Matrix, said: NDArray[Any], taken: Array
) -> Array:
    """(b, q) answers to rows (b, p) that are kept and say (b,) or (b, q), each without `taken` (b,) of itself.

    Raises
    ------
    InputError
        If a row is not among those that are kept.
    """
    result = np.empty((rows.shape[0], kept.answers.width))
    for found, weight in _without_themselves(kept, search, rows, said, taken, k + weighting.further):
        result[found.asked] = kept.answers.average(votes(found.distance, weight, k, weighting), found.rows)
    return result


def losses_by_k(kept: Kept, search: Search, weighting: Weighting, candidates: NDArray[np.intp]) -> Array:
    """(c, L) mean losses of the kept rows, a copy of each left out, for each number of neighbours (c,), ascending."""
    answers, taken = kept.answers, np.minimum(kept.weight, 1.0)
    total = np.zeros((len(candidates), len(answers.criteria)))
    most = int(candidates[-1]) + weighting.further
    averages_of = _afresh if weighting.depends_on_k else _from_sums
    for found, weight in _without_themselves(kept, search, kept.X, answers.said, taken, most):
        for part in _parts(found, answers.width):
            here, left = Found(found.asked[part], found.rows[part], found.distance[part]), weight[part]
            said, counts = answers.said[here.asked], kept.weight[here.asked]
            for i, averages in enumerate(averages_of(answers, here, left, weighting, candidates)):
                total[i] += counts @ answers.losses(averages, said)
    return total / kept.total


def _parts(found: Found, width: int) -> Iterator[slice]:
    """Rows by so many that their neighbours' answers, each (m, q), are held at once."""
    b, m = found.rows.shape
    step = max(1, CELLS_AT_ONCE // ((m + 1) * width))
    return (slice(start, start + step) for start in range(0, b, step))


def _afresh(
    answers: Answers, found: Found, weight: Array, weighting: Weighting, candidates: NDArray[np.intp]
) -> Iterator[Array]:
    """(b, q) averages for each number of neighbours."""
    for k in candidates:
        yield answers.average(votes(found.distance, weight, int(k), weighting), found.rows)


def _from_sums(
    answers: Answers, found: Found, weight: Array, weighting: Weighting, candidates: NDArray[np.intp]
) -> Iterator[Array]:
    """The same where the weighting is one for all: differences of sums over the first neighbours."""
    distance, filled = found.distance, filled_by(weight)
    parts = weight * weighting.of(distance, nearest_of(distance, weight), distance[:, -1:])
    sums, totals, rows = answers.sums(parts, found.rows), filled_by(parts), np.arange(len(weight))
    for k in candidates:
        reach = Reach.of(distance, filled, float(k))
        nearer, tied = (rows, reach.nearer), (rows, reach.tied)
        total = totals[nearer] + reach.share * (totals[tied] - totals[nearer])
        yield (sums[nearer] + reach.share[:, None] * (sums[tied] - sums[nearer])) / total[:, None]


def _without_themselves(
    kept: Kept, search: Search, rows: Matrix, said: NDArray[Any], taken: Array, places: int
) -> Iterator[tuple[Found, Array]]:
    """Neighbours of rows, and the weights (b, m) that are left where `taken` of each row is away.

    A copy is as good as another: it is taken from all rows at no distance that say the same.
    """
    for found in search.nearest(rows, places + 1):
        weight, away = kept.weight[found.rows], taken[found.asked]
        own = (found.distance == 0) & kept.answers.same(found.rows, said[found.asked])
        there = np.where(own, weight, 0.0).sum(axis=1)
        strangers = found.asked[there < away * FILLED]
        if len(strangers):
            raise InputError(
                f"row {int(strangers.min())} is not among the rows that were fitted, or not with that y and weight; "
                "only a row that is there can be left out."
            )
        left = np.where(there > away / FILLED, 1 - away / np.where(there > 0, there, 1.0), 0.0)
        yield found, np.where(own, weight * left[:, None], weight)
