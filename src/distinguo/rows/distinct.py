"""Equal rows brought together, in an order that depends on what is in them and not on how they came."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.compiled import compiled
from distinguo.rows.matrix import Matrix

# Odd numbers with their bits well mixed: the golden ratio's and those of SplitMix64 (Steele, Lea and Flood, 2014).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
ONE, HALF = np.uint64(1), np.uint64(32)
TURN_1, TURN_2, TURN_3 = np.uint64(30), np.uint64(27), np.uint64(31)


def distinct_rows(
    X: Matrix, codes: NDArray[np.intp], weight: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows that differ in a cell or in their class, each with the weight of all its equals.

    Dense and sparse rows, in whatever order and however often repeated, give the same rows in the same order, which is
    no order of size: that of a hash of their cells.

    Parameters
    ----------
    X : (n, p) float64, C-contiguous or CSR without duplicates.
    codes : (n,)
    weight : (n,)

    Returns
    -------
    places : (m,) where the first of each stands in X.
    weight : (m,)

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    >>> places, weight = distinct_rows(X, np.array([0, 1, 0]), np.array([1.0, 1.0, 2.0]))
    >>> sorted(zip(places.tolist(), weight.tolist()))
    [(0, 3.0), (1, 1.0)]
    """
    hashes = _hashes(X, codes)
    order = np.argsort(hashes, kind="stable")
    first = np.ones(len(order), dtype=bool)
    alike = np.flatnonzero(np.diff(hashes[order]) == 0) + 1
    here, before = order[alike], order[alike - 1]
    first[alike] = (codes[here] != codes[before]) | _differ(X, here, before)
    begins = np.flatnonzero(first)
    return order[begins], np.add.reduceat(weight[order], begins)


def _hashes(X: Matrix, codes: NDArray[np.intp]) -> NDArray[np.uint64]:
    hashes = codes.astype(np.uint64)
    if isinstance(X, np.ndarray):
        _hash_dense(X.view(np.uint64), hashes)
    else:
        _hash_sparse(X.data.view(np.uint64), X.indices, X.indptr, hashes)
    return hashes


def _differ(X: Matrix, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether rows a of X differ from rows b, (m,)."""
    if isinstance(X, np.ndarray):
        return np.asarray((X[a] != X[b]).any(axis=1))
    difference = sparse.csr_array(X[a] - X[b])
    difference.eliminate_zeros()
    return np.asarray(np.diff(difference.indptr) > 0)


@compiled
def _mixed(h: np.uint64) -> np.uint64:
    """SplitMix64's finish: every bit of the result hangs on every bit of h."""
    h = (h ^ (h >> TURN_1)) * MIX_1
    h = (h ^ (h >> TURN_2)) * MIX_2
    return h ^ (h >> TURN_3)


@compiled
def _cell(bits: np.uint64, column: int) -> np.uint64:
    """What a cell adds to the hash of its row: nothing where it is zero, of either sign."""
    if bits << ONE == np.uint64(0):
        return np.uint64(0)
    return (bits ^ (bits >> HALF)) * _mixed(np.uint64(column) * GOLDEN + ONE)


@compiled
def _hash_dense(bits: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> None:
    """Turn codes (n,) into hashes of rows, given the bits (n, p) of their cells, in place."""
    n, p = bits.shape
    for i in range(n):
        h = _mixed(hashes[i] + ONE)
        for j in range(p):
            h += _cell(bits[i, j], j)
        hashes[i] = _mixed(h)


@compiled
def _hash_sparse(
    bits: NDArray[np.uint64], indices: NDArray[np.int32], indptr: NDArray[np.int32], hashes: NDArray[np.uint64]
) -> None:
    """The same, of the rows of a CSR matrix."""
    for i in range(len(hashes)):
        h = _mixed(hashes[i] + ONE)
        for at in range(indptr[i], indptr[i + 1]):
            h += _cell(bits[at], indices[at])
        hashes[i] = _mixed(h)
