"""How likely texts drawn word by word are, at every length on the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def alias_table(share: NDArray[np.float64], keep: NDArray[np.float64], other: NDArray[np.intp]) -> None:
    """Walker's table of probabilities (p,), by Vose's method (1991), into `keep` and `other`.

    A column chosen evenly is kept with the probability `keep`, else exchanged for `other`: a draw costs no search.
    """
    p = len(share)
    small, large = np.empty(p, np.intp), np.empty(p, np.intp)
    smalls, larges = 0, 0
    for j in range(p):
        keep[j] = share[j] * p
        other[j] = j
        if keep[j] < 1.0:
            small[smalls] = j
            smalls += 1
        else:
            large[larges] = j
            larges += 1
    while smalls and larges:
        smalls -= 1
        low, high = small[smalls], large[larges - 1]
        other[low] = high
        keep[high] -= 1.0 - keep[low]
        if keep[high] < 1.0:
            larges -= 1
            small[smalls] = high
            smalls += 1
    for i in range(smalls):  # only rounding is left to these
        keep[small[i]] = 1.0


@compiled
def likelihoods_by_length(
    draws: NDArray[np.float64],
    keep: NDArray[np.float64],
    other: NDArray[np.intp],
    logs: NDArray[np.float64],
    logs_of_numbers: NDArray[np.float64],
    lengths: NDArray[np.intp],
    result: NDArray[np.float64],
    counts: NDArray[np.intp],
    words: NDArray[np.intp],
) -> None:
    """Log probability of the first `lengths` (L,) words of a text, ascending, into result (L,).

    The words are chosen by uniform `draws` (l,) from an alias table of probabilities whose logarithms are `logs` (p,).
    Each word w, the c-th of its kind and the l-th of all, turns the multinomial probability of the text into that times
    l p(w) / c. `logs_of_numbers` are those of 1, 2, ...; `counts` (p,) come and go as zeros, `words` (l,) are
    overwritten.
    """
    total, at, p = 0.0, 0, len(keep)
    while at < len(lengths) and lengths[at] == 0:
        result[at] = 0.0
        at += 1
    for place in range(len(draws)):
        spot = draws[place] * p
        word = min(int(spot), p - 1)  # a draw next to one may be rounded up
        if spot - word >= keep[word]:
            word = other[word]
        words[place] = word
        total += logs_of_numbers[place] - logs_of_numbers[counts[word]] + logs[word]
        counts[word] += 1
        while at < len(lengths) and lengths[at] == place + 1:
            result[at] = total
            at += 1
    for place in range(len(draws)):
        counts[words[place]] = 0
