"""How likely texts drawn word by word are, at every length on the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def likelihoods_by_length(
    draws: NDArray[np.float64],
    cumulative: NDArray[np.float64],
    logs: NDArray[np.float64],
    lengths: NDArray[np.intp],
    result: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None:
    """Log probability of the first `lengths` (L,) words of a text, ascending, into result (L,).

    The words are chosen by uniform `draws` (lengths[-1],) among probabilities with these cumulative sums (p,) and
    logarithms (p,). Each word w, the c-th of its kind and the l-th of all, turns the multinomial probability of the
    text into that times l p(w) / c. `counts` (p,) come and go as zeros.
    """
    total = 0.0
    at = 0
    while at < len(lengths) and lengths[at] == 0:
        result[at] = 0.0
        at += 1
    for place in range(len(draws)):
        word = min(np.searchsorted(cumulative, draws[place] * cumulative[-1], side="right"), len(cumulative) - 1)
        counts[word] += 1.0
        total += np.log((place + 1.0) / counts[word]) + logs[word]
        while at < len(lengths) and lengths[at] == place + 1:
            result[at] = total
            at += 1
    for place in range(len(draws)):
        word = min(np.searchsorted(cumulative, draws[place] * cumulative[-1], side="right"), len(cumulative) - 1)
        counts[word] = 0.0
