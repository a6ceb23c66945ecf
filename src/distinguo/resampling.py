"""Which rows to learn from and which to test on, and the statistics of the rows to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.options import generator_of

Rows = NDArray[np.intp]
# Losses are means over rows, of errors or in nats: nearer than this they differ by rounding.
ALIKE = 1e-12


class Addable(Protocol):
    """Anything with a sum."""

    def __add__(self, other: Any, /) -> Self: ...


S = TypeVar("S", bound=Addable)


@dataclass(frozen=True, slots=True)
class Split:
    """Rows to learn from and rows to test on.

    Attributes
    ----------
    train, test : row numbers, ascending; no row is in both.
    repeat : which shuffle of the rows this split belongs to, from 0.
    """

    train: Rows
    test: Rows
    repeat: int


def stratified_folds(codes: NDArray[np.integer[Any]], folds: int, random_state: np.random.Generator) -> Rows:
    """Which fold each row is tested in, (n,) integers from 0; classes and rows are spread evenly over the folds.

    Each class is shuffled and dealt to the folds in turn, the next class going on where the last one stopped, so that
    neither a class's share nor a fold's size differs by more than one row between folds.

    Parameters
    ----------
    codes : (n,) class of each row.
    folds : how many folds.
    random_state : where the shuffles come from.

    Raises
    ------
    InputError
        If there are fewer than two folds, or fewer rows than folds.

    Examples
    --------
    >>> fold = stratified_folds(np.array([0, 0, 0, 1, 1, 1]), 3, np.random.default_rng(0))
    >>> sorted(fold[:3].tolist()), sorted(fold[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    n = len(codes)
    if folds < 2:
        raise InputError(f"folds={folds}: there must be at least 2, one to test on and one to learn from.")
    if n < folds:
        raise InputError(f"{n} rows cannot be split into {folds} folds; use at most {n} folds.")
    shuffled = random_state.permutation(n)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(n, np.intp)
    fold[by_class] = np.arange(n) % folds
    return fold


def numbered_folds(cv: Any, codes: NDArray[np.integer[Any]], random_state: Any) -> Rows | None:
    """(n,) the stratified fold of each row where `cv` is a number of folds, else None.

    Parameters
    ----------
    cv : what was asked for.
    codes : (n,) class of each row.
    random_state : a seed, a generator, or None.
    """
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer):
        return None
    if cv < 2:
        raise InputError(f"cv={cv!r} must be at least 2 folds.")
    return stratified_folds(codes, int(cv), generator_of(random_state))


def given_splits(cv: Any, labels: NDArray[Any], row_numbers: Rows) -> list[tuple[Rows, Rows]]:
    """The splits of a list, or of a scikit-learn splitter, as places among the rows.

    Parameters
    ----------
    cv : a splitter, or (train, test) pairs of row numbers.
    labels : (n,) of the rows.
    row_numbers : (n,) ascending, where the rows stood in what came; those that a pair names and that are not among
        them are passed over.

    Examples
    --------
    >>> given_splits([([0, 2], [5])], np.array(["a", "b", "a"]), np.array([0, 2, 5]))
    [(array([0, 1]), array([2]))]
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        return _split_by(cv, labels)
    pairs = list(cv) if isinstance(cv, Iterable) and not isinstance(cv, str | Mapping) else []
    if not pairs or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise InputError(f"cv={cv!r} must be a number of folds, a splitter, or (train, test) pairs of row numbers.")
    return [(_find(row_numbers, train), _find(row_numbers, test)) for train, test in pairs]


def _split_by(cv: Any, labels: NDArray[Any]) -> list[tuple[Rows, Rows]]:
    """The splits of a scikit-learn splitter."""
    try:
        return list(cv.split(np.empty((len(labels), 1)), labels))
    except ValueError as error:  # such as for want of groups, or of rows
        raise InputError(
            f"{cv!r} cannot split these {len(labels)} rows: {error} Splits may be given themselves, as (train, test) "
            "pairs of row numbers: cv=list(splitter.split(X, y, groups))."
        ) from error


def _find(row_numbers: Rows, asked: Any) -> Rows:
    """Where rows stand, by their numbers."""
    wanted = np.asarray(asked)
    if wanted.dtype.kind not in "iu" or wanted.ndim != 1 or (wanted < 0).any():
        raise InputError("the folds of cv must be row numbers, counted from 0.")
    place = np.minimum(np.searchsorted(row_numbers, wanted), len(row_numbers) - 1)
    return np.asarray(place[row_numbers[place] == wanted])


def repeated_folds(
    codes: NDArray[np.integer[Any]], *, folds: int = 5, repeats: int = 2, random_state: int = 0
) -> list[Split]:
    """Stratified folds, shuffled anew for each repeat: `repeats` times `folds` splits.

    Parameters
    ----------
    codes : (n,) class of each row.
    folds, repeats : how many.
    random_state : the same number gives the same splits.

    Examples
    --------
    >>> splits = repeated_folds(np.array([0, 1] * 10))
    >>> len(splits), len(splits[0].train), len(splits[0].test)
    (10, 16, 4)
    """
    if repeats < 1:
        raise InputError(f"repeats={repeats}: there must be at least 1.")
    generator = np.random.default_rng(random_state)
    splits = []
    for repeat in range(repeats):
        fold = stratified_folds(codes, folds, generator)
        splits += [Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k), repeat) for k in range(folds)]
    return splits


def monte_carlo(
    codes: NDArray[np.integer[Any]], *, test_fraction: float = 0.2, repeats: int = 10, random_state: int = 0
) -> list[Split]:
    """Independent stratified draws of test rows; a row may be tested in several splits, or in none.

    Parameters
    ----------
    codes : (n,) class of each row.
    test_fraction : share of each class to test on, rounded to the nearest whole row.
    repeats : how many draws.
    random_state : the same number gives the same splits.

    Raises
    ------
    InputError
        If the fraction leaves no row to test on, or a class none to learn from.

    Examples
    --------
    >>> [split.test.tolist() for split in monte_carlo(np.array([0, 1] * 5), repeats=1)]
    [[4, 7]]
    """
    if not 0 < test_fraction < 1:
        raise InputError(f"test_fraction={test_fraction}: it must lie between 0 and 1.")
    counts = np.bincount(codes)
    wanted = np.floor(counts * test_fraction + 0.5).astype(np.intp)
    if not wanted.any() or (wanted[counts > 0] == counts[counts > 0]).any():
        raise InputError(f"test_fraction={test_fraction} leaves nothing to test on, or a class without training rows.")
    generator = np.random.default_rng(random_state)
    splits = []
    for repeat in range(repeats):
        shuffled = generator.permutation(len(codes))
        by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
        rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
        tested = np.zeros(len(codes), dtype=bool)
        tested[by_class] = rank < wanted[codes[by_class]]
        splits.append(Split(np.flatnonzero(~tested), np.flatnonzero(tested), repeat))
    return splits


def training_sums(statistics: Sequence[S]) -> list[S]:
    """For each fold the sum of all other folds' statistics, from prefix and suffix sums.

    Nothing is subtracted, so no digits are lost: a fold left out is a fold never added. K folds cost 3K - 6 additions.

    Parameters
    ----------
    statistics : one a fold.

    Raises
    ------
    InputError
        If there are fewer than two folds.

    Examples
    --------
    >>> training_sums([1, 10, 100])
    [110, 101, 11]
    """
    if len(statistics) < 2:
        raise InputError(f"{len(statistics)} fold(s): there must be at least two, or nothing is left to learn from.")
    before: list[S] = list(accumulate(statistics[:-1]))
    after: list[S] = list(accumulate(statistics[:0:-1], lambda total, one: one + total))[::-1]
    inner = [left + right for left, right in zip(before[:-1], after[1:], strict=True)]
    return [after[0], *inner, before[-1]]


def least(loss: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which candidates have the least loss that rows held out gave, to rounding: zero may come out below zero.

    Examples
    --------
    >>> least(np.array([0.3, -4e-18, 0.0, np.inf])).tolist()
    [False, True, True, False]
    """
    return np.asarray(np.isclose(loss, np.min(loss), rtol=ALIKE, atol=ALIKE))
