"""Numbers of neighbours to choose from, and which of them is best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.neighbors.votes import FILLED
from distinguo.options import counting, is_left_to_cv

MOST = 50
# Losses within this of each other are one loss.
SAME = 1e-12


def check_k(k: Any, candidates: Any) -> None:
    """Raise unless k is a count, or is left to cross-validation among counts.

    Raises
    ------
    InputError
        If k or one of the candidates is none, or candidates are given beside a number.
    """
    if not is_left_to_cv(k):
        if isinstance(k, str):
            raise InputError(f"k={k!r} must be a whole number of at least 1, or 'cv'.")
        counting(k, "k")
        if candidates is not None:
            raise InputError(
                f"candidates={candidates!r} are numbers to choose k from, and k={k!r} is given; set k='cv'."
            )
    elif candidates is not None:
        if isinstance(candidates, str) or not np.iterable(candidates) or not list(candidates):
            raise InputError(f"candidates={candidates!r} must be a list of whole numbers, or None.")
        for number in candidates:
            counting(number, "each of candidates")


def refuse_too_few(k: int, further: int, total: float) -> None:
    """Raise where there are not as many rows as neighbours asked for."""
    if k + further > total / FILLED:
        more = " and one more, by which the kernel is measured" if further else ""
        raise InputError(f"k={k} asks for that many neighbours{more}, and there are n_samples = {total:g}; lower k.")


def numbers_to_try(candidates: Any, further: int, total: float) -> NDArray[np.intp]:
    """(c,) numbers of neighbours, ascending: those given, or all from 1 to 50 for which a row left out has neighbours.

    Raises
    ------
    InputError
        If one is too large, or no row would be left.

    Examples
    --------
    >>> numbers_to_try(None, 0, 4.0).tolist(), numbers_to_try([5, 1], 0, 9.0).tolist()
    ([1, 2, 3], [1, 5])
    """
    most = int(total / FILLED) - 1 - further
    if most < 1:
        raise InputError(f"k='cv' leaves out each row in turn, and n_samples = {total:g} leave too few; give a number.")
    numbers = sorted(set(range(1, min(MOST, most) + 1) if candidates is None else map(int, candidates)))
    if numbers[-1] > most:
        raise InputError(
            f"candidates has {numbers[-1]}, and a row left out has {most} neighbours at the most; lower it."
        )
    return np.array(numbers, np.intp)


def best(losses: NDArray[np.float64]) -> int:
    """Which line of losses (c, L) is the least: by the first column, among equals by the next; then the first.

    Examples
    --------
    >>> best(np.array([[0.5, 0.0], [0.25, 0.3], [0.25, 0.2], [0.25, 0.2]]))
    2
    """
    left = np.arange(len(losses))
    for column in losses.T:
        left = left[column[left] <= column[left].min() + SAME * max(1.0, abs(column[left].min()))]
    return int(left[0])
