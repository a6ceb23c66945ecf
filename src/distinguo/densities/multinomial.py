"""Classes of counts given their total: texts as bags of words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from distinguo.densities.base import EVERY, ByColumn, Classes, Density
from distinguo.densities.products import forbid, forbidden, hole_patterns, log_or_zero, ones_or_none, sums, totals
from distinguo.densities.simulated import MEMBERS, MOST_CELLS, SEED, tail_among
from distinguo.densities.tokens import alias_table, likelihoods_by_length
from distinguo.rows.counted import part_holes

Array = NDArray[np.float64]
# Texts of more words a column than this are drawn sooner a column at a time.
WORD_BY_WORD = 10


@dataclass(frozen=True)
class Multinomial(ByColumn, Density):
    r"""Counts of a row given their total L: :math:`p(x | k) = L! \prod_j \theta_{kj}^{x_j} / x_j!`.

    Of a row that lacks cells, the counts that are there, given their total: the others' probabilities are divided
    among them.

    Attributes
    ----------
    theta : (K, p) probabilities of the columns; rows sum to one, or to zero for a class without counts.
    lengths : (K,) mean total of a row.

    Examples
    --------
    >>> coins = Multinomial(np.array([[0.5, 0.5]]), np.array([2.0]))
    >>> np.exp(coins.log_density(np.array([[1.0, 1.0]]))).round(3).tolist()
    [[0.5]]
    """

    theta: Array
    lengths: Array

    @cached_property
    def logs(self) -> Array:
        """(p, K) log probabilities, zero where a probability is."""
        return log_or_zero(self.theta.T)

    @cached_property
    def impossible(self) -> Array | None:
        """(p, K) ones where a probability is zero, None where none is."""
        return ones_or_none(self.theta.T == 0)

    def log_ratio(self, X: Array) -> Array:
        """The sum of x log θ, (n, K)."""
        values, holes = part_holes(X)
        scores = np.asarray(values @ self.logs)
        if holes is not None:
            scores -= totals(values)[:, None] * self._left(holes)
        return forbid(scores, values, self.impossible)

    def _left(self, holes: Any) -> Array:
        """(n, K) log of the probability of the columns that are there."""
        there = np.maximum(self.theta.sum(axis=1) - holes @ self.theta.T, 0.0)
        return log_or_zero(there)

    def log_density(self, X: Array) -> Array:
        """log p(x | class) given the total of x, (n, K)."""
        values, _ = part_holes(X)
        arrangements = gammaln(totals(values) + 1) - sums(values, lambda cells: gammaln(cells + 1))
        return np.asarray(self.log_ratio(X) + arrangements[:, None])

    def terms(self, X: Array, classes: Classes = EVERY) -> Array:
        """x log θ of each column, (n, K, p)."""
        values, holes = part_holes(X)
        logs = self.logs.T[classes]
        if holes is not None:
            logs = logs - self._left(holes)[:, classes, None]
        terms = values[:, None, :] * logs
        return terms if self.impossible is None else forbidden(terms, values, self.impossible[:, classes])

    def tail(self, X: Array) -> Array:
        """Among simulated members of the same total, (n, K); totals that are fractions are rounded."""
        observed = self.log_density(X)
        patterns, lacking = hole_patterns(X)
        lengths_of_rows = np.rint(totals(part_holes(X)[0])).astype(np.intp)
        result = np.empty_like(observed)
        for pattern, missing in enumerate(lacking):
            rows = np.flatnonzero(patterns == pattern)
            lengths, place = np.unique(lengths_of_rows[rows], return_inverse=True)
            for k in range(len(self.theta)):
                drawn = _texts(self.theta[k, ~missing], lengths, np.random.default_rng([SEED, k]))
                for at in range(len(lengths)):
                    same = rows[place == at]
                    result[same, k] = tail_among(drawn[:, at], observed[same, k])
        return result

    def sample(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k, of its mean total."""
        return self.of_lengths(k, np.full(n, int(np.rint(self.lengths[k]))), rng)

    def of_lengths(self, k: int, lengths: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Rows (n, p) of class k, of these totals (n,)."""
        total = self.theta[k].sum()
        if not total:
            return np.zeros((len(lengths), self.theta.shape[1]))
        return rng.multinomial(lengths, self.theta[k] / total).astype(np.float64)


def _long_texts(share: Array, length: int, rng: np.random.Generator) -> Array:
    """(MEMBERS,) log probabilities of texts of one length, drawn a column at a time and not word by word."""
    logs = log_or_zero(share)
    step = max(1, MOST_CELLS // len(share))
    parts = []
    for start in range(0, MEMBERS, step):
        counts = rng.multinomial(length, share, min(step, MEMBERS - start))
        parts.append(counts @ logs - gammaln(counts + 1).sum(axis=1))
    return np.asarray(gammaln(length + 1) + np.concatenate(parts))


def _texts(theta: Array, lengths: NDArray[np.intp], rng: np.random.Generator) -> Array:
    """(MEMBERS, L) log probabilities of texts of these ascending lengths (L,), each the beginning of the next."""
    result = np.zeros((MEMBERS, len(lengths)))
    if not theta.sum() or not lengths[-1]:
        return result
    share = theta / theta.sum()
    p = len(share)
    word_by_word = lengths <= WORD_BY_WORD * p
    if not word_by_word.all():
        for at in np.flatnonzero(~word_by_word):
            result[:, at] = _long_texts(share, int(lengths[at]), rng)
        result[:, word_by_word] = _texts(theta, lengths[word_by_word], rng) if word_by_word.any() else 0.0
        return result
    longest = int(lengths[-1])
    keep, other = np.empty(p), np.empty(p, np.intp)
    alias_table(share, keep, other)
    logs, logs_of_numbers = log_or_zero(share), np.log(np.arange(1, longest + 1))
    counts, words = np.zeros(p, np.intp), np.empty(longest, np.intp)
    for row in result:
        draws = rng.random(longest)
        likelihoods_by_length(draws, keep, other, logs, logs_of_numbers, lengths, row, counts, words)
    return result
