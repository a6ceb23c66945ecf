"""Some of very many rows, which stand for all of them in resamples, so that these cost the same however many there are.

Of each class some rows are drawn without replacement, all of a small one. How often they come in a resample is then
drawn as ever, and stretched: the weights of a class sum to what all its rows weigh, and stray from it as those of all
its rows would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.truth import TOGETHER, Truth, parts_of

Array = NDArray[np.float64]

# Rows that stand for all, where these are too many to be resampled themselves.
STANDING = 200_000


@dataclass(frozen=True, eq=False)
class Thinned:
    r"""Rows that stand for those of their class.

    Where a class weighs :math:`r` times as much as the rows of it that are here, a row of weight :math:`w` that comes
    :math:`c` times counts :math:`r w + \sqrt r (c - w)`: on average what it stands for, with its variance.

    Attributes
    ----------
    rows : (m,) their places, rising.
    weight : (m,) their own.
    stretch : (m,) r of the class of each.
    """

    rows: NDArray[np.intp]
    weight: Array
    stretch: Array

    def stretched(self, counts: NDArray[Any]) -> Array:
        """(b, m) what rows count that come so often (b, m) in resamples."""
        root = np.sqrt(self.stretch)
        return np.asarray(counts * root + self.weight * (self.stretch - root))


def is_many(truth: Truth) -> bool:
    """Whether rows are too many to be resampled themselves."""
    return len(truth.codes) > TOGETHER


def thinned(truth: Truth, generator: np.random.Generator) -> Thinned:
    """Rows that stand for all, drawn from each class."""
    R = len(truth.labels)
    sizes = truth.sizes
    ranks = [np.sort(_drawn(int(n), int(m), generator)) for n, m in zip(sizes, shares_of(sizes, STANDING), strict=True)]
    rows = _places(truth, ranks)
    codes, weight = truth.codes[rows], np.asarray(truth.weight[rows], dtype=np.float64)
    here = np.bincount(codes, weight, R)
    stretch = np.divide(truth.totals, here, out=np.ones(R), where=here > 0)
    return Thinned(rows, weight, stretch[codes])


def shares_of(sizes: NDArray[np.intp], standing: int) -> NDArray[np.intp]:
    """(R,) how many rows of each class stand for all (R,): as many of each, but of a small class all, and at least two.

    Examples
    --------
    >>> shares_of(np.array([900, 5, 60]), 105).tolist()
    [50, 5, 50]
    """
    found, left = np.zeros_like(sizes), standing
    for done, k in enumerate(np.argsort(sizes, kind="stable")):
        found[k] = min(sizes[k], max(2, left // (len(sizes) - done)))
        left -= found[k]
    return found


def _drawn(n: int, m: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """(m,) different numbers below n."""
    return np.arange(n) if m == n else generator.choice(n, m, replace=False, shuffle=False)


def _places(truth: Truth, ranks: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The places, rising, of the rows with these ranks, each rising, among those of their class."""
    seen, found = np.zeros(len(ranks), np.intp), []
    for part in parts_of(len(truth.codes)):
        codes = truth.codes[part]
        for k, wanted in enumerate(ranks):
            members = np.flatnonzero(codes == k)
            first, last = np.searchsorted(wanted, [seen[k], seen[k] + len(members)])
            found.append(part.start + members[wanted[first:last] - seen[k]])
            seen[k] += len(members)
    return np.sort(np.concatenate(found))
