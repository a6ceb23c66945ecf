"""Pairwise coupling: one distribution over the classes from the probabilities of all duels between two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# As many numbers of small matrices at a time as the processor's second-level cache holds.
BLOCK_NUMBERS = 1 << 17


def couple(first: Array, second: Array, pairs: NDArray[np.intp]) -> Array:
    r"""The distribution that agrees best with the duels (Wu, Lin and Weng's second method).

    With :math:`r_{ij}` the probability of class i where it is i or j, and :math:`r_{ij} + r_{ji} = 1`,

    .. math:: p = \arg\min_p \sum_i \sum_{j \ne i} (r_{ji} p_i - r_{ij} p_j)^2, \qquad \sum_i p_i = 1.

    The sum is :math:`2 p^\top Q p`, and its minimum :math:`(Q + e e^\top)^{-1} e`, scaled to sum to one. There is one
    minimum whatever the duels say, no entry of it is negative, and where some p has :math:`r_{ij} = p_i/(p_i + p_j)`
    for every pair it is that p. Entries keep their digits down to about 1e-16, and are right to 1e-31 below.

    Parameters
    ----------
    first, second : (n, m) probability of the first and of the second class of each pair; together they are one.
    pairs : (m, 2) every two classes of K once, as codes.

    Returns
    -------
    (n, K)

    Examples
    --------
    >>> p = np.array([0.6, 0.3, 0.1])
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> i, j = pairs.T
    >>> couple((p[i] / (p[i] + p[j]))[None], (p[j] / (p[i] + p[j]))[None], pairs).round(6).tolist()
    [[0.6, 0.3, 0.1]]

    References
    ----------
    Wu, Lin and Weng (2004), Probability estimates for multi-class classification by pairwise coupling, Journal of
    Machine Learning Research 5, 975-1005, section 4.2.
    """
    K = int(pairs.max()) + 1
    step = max(1, BLOCK_NUMBERS // K**2)
    parts = [_couple(first[at : at + step], second[at : at + step], pairs, K) for at in range(0, len(first), step)]
    return np.concatenate(parts)


def _couple(first: Array, second: Array, pairs: NDArray[np.intp], K: int) -> Array:
    """A block of rows at once."""
    i, j = pairs.T
    against = np.zeros((len(first), K, K))  # r_ji squared, at i, j
    against[:, i, j], against[:, j, i] = second**2, first**2
    Q = np.zeros((len(first), K, K))
    Q[:, i, j] = Q[:, j, i] = -first * second
    Q[:, range(K), range(K)] = against.sum(axis=2)
    # r_ij and r_ji are never both zero, so that Q has no null vector that sums to zero, and Q + ee' none at all.
    p = _unit_sum(np.linalg.solve(Q + 1.0, np.ones((len(first), K, 1)))[..., 0])
    slack = ((second * p[:, i] - first * p[:, j]) ** 2).sum(axis=1)  # p'Qp: the minimum has Qp = (p'Qp) e
    return _sharpened(Q, p, slack)


def _sharpened(Q: Array, p: Array, slack: Array) -> Array:
    """The same minimum, its small entries from the greatest: elimination then only adds what has one sign."""
    rows, top = np.arange(len(p)), p.argmax(axis=1)
    Q[rows, top] = 0.0
    Q[rows, top, top] = 1.0
    right = np.repeat((slack / p[rows, top])[:, None], p.shape[1], axis=1)
    right[rows, top] = 1.0
    relative = np.linalg.solve(Q, right[..., None])[..., 0]
    return _unit_sum(relative)


def _unit_sum(p: NDArray[Any]) -> Array:
    return np.asarray(p / p.sum(axis=1, keepdims=True))
