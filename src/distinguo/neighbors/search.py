"""The kept rows nearest to others: candidates from an index, their distances from the rows themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.neighbors.metrics import METRICS, Metric, on_unit_sphere, scaled_columns
from distinguo.neighbors.votes import FILLED, TIED, Reach, filled_by
from distinguo.rows.matrix import Matrix, squared_lengths

Array = NDArray[np.float64]
Places = NDArray[np.intp]

# A k-d tree is quick in few columns; in many it visits every leaf.
MOST_COLUMNS_OF_A_TREE = 8
# Pairs of rows are compared in parts that fit the processor's cache, and candidates held for so many pairs at once.
CELLS_AT_ONCE, PAIRS_AT_ONCE = 1 << 17, 1 << 20
# Candidates beyond those asked for, to see where a tie ends; and how many times more where that was too few.
SPARE, MORE = 2, 4
# So few pairs are searched sooner than threads wake.
FEW_PAIRS = 1 << 18
ROUNDING = 16 * float(np.finfo(np.float64).eps)

Index = Callable[[Any, int], tuple[Array, Places]]


@dataclass(frozen=True)
class Found:
    """Neighbours of some rows, the nearest first.

    Attributes
    ----------
    asked : (b,) which rows asked.
    rows : (b, m) places of the kept rows; all that are at most as far as the last place asked for are among them.
    distance : (b, m) ascending.
    """

    asked: Places
    rows: Places
    distance: Array


def resolved(algorithm: str, metric: str, p: int, is_sparse: bool) -> str:
    """The search that "auto" stands for, or the one asked for.

    Raises
    ------
    InputError
        If the search does not go with the metric, or with sparse rows.
    """
    possible = ("brute",) if is_sparse else METRICS[metric].algorithms
    if algorithm == "auto":
        return "kd_tree" if "kd_tree" in possible and p <= MOST_COLUMNS_OF_A_TREE else "brute"
    if algorithm not in possible:
        what = "sparse rows are" if is_sparse else f"metric={metric!r} is"
        raise InputError(f"{what} not searched by algorithm={algorithm!r}; use 'auto' or 'brute'.")
    return algorithm


class Search:
    """Kept rows, ready to be searched.

    An index works on centred and scaled copies, by formulas that round: it only proposes. Distances are computed anew
    from differences of the rows, and a proposal is taken where no row outside it can be nearer, rounding included;
    else more are proposed, in the end all.

    Parameters
    ----------
    rows : (n, p)
    weight : (n,) frequencies.
    factors : (p,) that columns are multiplied with, or None.
    metric : a name in `METRICS`.
    algorithm : "brute", "kd_tree" or "ball_tree".
    """

    def __init__(self, rows: Matrix, weight: Array, factors: Array | None, metric: str, algorithm: str) -> None:
        self.metric: Metric = METRICS[metric]
        self.weight = weight
        self.algorithm = algorithm
        self._own_factors = factors
        self._factors = None if self.metric.unit else factors  # directions are scaled before they are compared
        self._rows = self._comparable(rows, "X: the kept row")
        dense = isinstance(self._rows, np.ndarray) and not self.metric.unit and self.metric.searched_as is not None
        self._centre = self._rows.mean(axis=0) if dense else None

    def _comparable(self, rows: Matrix, what: str) -> Matrix:
        return on_unit_sphere(scaled_columns(rows, self._own_factors), what) if self.metric.unit else rows

    def _searchable(self, rows: Matrix) -> Matrix:
        """Rows as the index has them: around the centre, for formulas that would lose digits far from zero."""
        if self._centre is not None:
            rows = np.asarray(rows) - self._centre
        rows = scaled_columns(rows, self._factors)
        return rows if isinstance(rows, np.ndarray) else with_short_indices(rows)

    @cached_property
    def _index(self) -> Index:
        return INDEXES[self.algorithm](self._searchable(self._rows), str(self.metric.searched_as))

    def build(self) -> Search:
        """The same, its index made."""
        if self.metric.searched_as is not None:
            _ = self._index
        return self

    def nearest(self, rows: Matrix, places: float) -> Iterator[Found]:
        """Neighbours of rows (b, p) that fill so many places, ties at the last of them included."""
        n = len(self.weight)
        rows = self._comparable(rows, "X: row")
        pending = np.arange(rows.shape[0])
        m = min(n, int(np.ceil(places)) + SPARE) if self.metric.searched_as is not None else n
        while len(pending):
            left = []
            step = max(1, PAIRS_AT_ONCE // m)
            for start in range(0, len(pending), step):
                asked = pending[start : start + step]
                found, certain = self._proposed(asked, rows[asked], m, places)
                left.append(asked[~certain])
                if certain.any():
                    yield Found(asked[certain], found.rows[certain], found.distance[certain])
            pending, m = np.concatenate(left), min(n, MORE * m)

    def _proposed(self, asked: Places, rows: Matrix, m: int, places: float) -> tuple[Found, NDArray[np.bool_]]:
        """The m nearest of each row as far as the index knows, and whether no other can take part."""
        n = len(self.weight)
        if m == n:
            candidates, floor = np.broadcast_to(np.arange(n), (len(asked), n)), np.full(len(asked), np.inf)
        else:
            candidates, floor = self._search(rows, m)
        distance = self._distances(rows, candidates)
        order = np.argsort(distance, axis=1, kind="stable")
        distance = np.take_along_axis(distance, order, axis=1)
        candidates = np.take_along_axis(candidates, order, axis=1)
        filled = filled_by(self.weight[candidates])
        reach = Reach.of(distance, filled, places)
        enough = (filled[:, -1] >= places * FILLED) & (floor > reach.distance * (1 + 2 * TIED))
        m = reach.tied.max()
        return Found(asked, candidates[:, :m], distance[:, :m]), enough | (floor == np.inf)

    def _search(self, rows: Matrix, m: int) -> tuple[Places, Array]:
        """Candidates (b, m), and the least distance (b,) that any other row can have.

        With distances found as |q|² - 2 q't + |t|², rounding is a part of (|q| + |t|)²: where |t| < 3 |q| that is of
        16 |q|², and elsewhere of the distance itself, which then is (|q| + |t|) / 2 at least.
        """
        searched = self._searchable(rows)
        distance, candidates = self._index(searched, m)
        p, furthest = searched.shape[1], distance[:, -1] * (1 - TIED)
        length = METRICS[str(self.metric.searched_as)].length(searched)
        expanded = self.algorithm == "brute" and self.metric.searched_as == "euclidean"
        room = ROUNDING * (p + 8) * length**2 if expanded else furthest * ROUNDING * length
        floor = np.sqrt(np.maximum(furthest**2 - 2 * room, 0.0))
        return candidates, self.metric.from_searched(floor)

    def _distances(self, rows: Matrix, candidates: Places) -> Array:
        """(b, m) distances, from differences."""
        b, m = candidates.shape
        first, second = np.repeat(np.arange(b), m), candidates.ravel()
        step = max(1, CELLS_AT_ONCE // rows.shape[1])
        parts = [
            self.metric.length(
                scaled_columns(self._rows[second[at : at + step]] - rows[first[at : at + step]], self._factors)
            )
            for at in range(0, b * m, step)
        ]
        return np.concatenate(parts).reshape(b, m)

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are CSR."""
        return sparse.issparse(self._rows)

    @property
    def bytes(self) -> int:
        """What the search adds to the rows: a copy where it changes them, and in a tree a place for each."""
        changes = self.metric.unit or self._centre is not None or self._factors is not None
        tree = 0 if self.algorithm == "brute" else self.weight.nbytes
        return tree + (bytes_of(self._rows) if changes and self.metric.searched_as is not None else 0)


def bytes_of(rows: Matrix) -> int:
    """Bytes of rows in memory."""
    return int(rows.nbytes if isinstance(rows, np.ndarray) else sum(part.nbytes for part in _parts(rows)))


def _parts(rows: sparse.csr_array) -> tuple[NDArray[Any], ...]:
    return rows.data, rows.indices, rows.indptr


def _brute(rows: Matrix, metric: str) -> Index:
    """Every row, by products of blocks; for few pairs by one product, which wakes no threads."""
    from sklearn.neighbors import NearestNeighbors

    many: Index = NearestNeighbors(algorithm="brute", metric=metric).fit(rows).kneighbors
    few = _by_product(rows) if metric == "euclidean" and isinstance(rows, np.ndarray) else many
    return lambda asked, m: (few if asked.shape[0] * rows.shape[0] <= FEW_PAIRS else many)(asked, m)


def _by_product(rows: Array) -> Index:
    """Euclidean distances as |q|² - 2 q't + |t|²."""
    lengths = squared_lengths(rows)

    def search(asked: Array, m: int) -> tuple[Array, Places]:
        squared = squared_lengths(asked)[:, None] - 2 * (asked @ rows.T) + lengths
        candidates = np.argpartition(squared, m - 1, axis=1)[:, :m]
        found = np.sqrt(np.maximum(np.take_along_axis(squared, candidates, axis=1), 0.0))
        order = np.argsort(found, axis=1)
        return np.take_along_axis(found, order, axis=1), np.take_along_axis(candidates, order, axis=1)

    return search


def _kd_tree(rows: Matrix, metric: str) -> Index:
    from sklearn.neighbors import KDTree

    return KDTree(rows, metric=metric).query  # type: ignore[no-any-return]


def _ball_tree(rows: Matrix, metric: str) -> Index:
    from sklearn.neighbors import BallTree

    return BallTree(rows, metric=metric).query  # type: ignore[no-any-return]


INDEXES: dict[str, Callable[[Matrix, str], Index]] = {"brute": _brute, "kd_tree": _kd_tree, "ball_tree": _ball_tree}
ALGORITHMS = ("auto", *INDEXES)


def with_short_indices(rows: sparse.csr_array) -> sparse.csr_array:
    """The same, its indices as scikit-learn has them."""
    short = sparse.csr_array(rows, copy=False)
    short.indices, short.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return short


def same_kind(rows: Matrix, as_sparse: bool) -> Matrix:
    """Rows sparse or dense, as the kept ones are."""
    if sparse.issparse(rows) == as_sparse:
        return rows
    return sparse.csr_array(rows) if as_sparse else np.asarray(rows.toarray())  # type: ignore[union-attr]
