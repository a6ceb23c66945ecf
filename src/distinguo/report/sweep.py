"""What follows from each threshold, in the few numbers that a page needs to say it for any of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.decisions.outcomes import Outcomes
from distinguo.evaluation.probabilities import probabilities_of_one

Array = NDArray[np.float64]

# Of so many different probabilities every one is kept, over all classes shown; of more, so many and a grid.
MOST_LEVELS = 4000
STEPS = 1000
BINS = 40


@dataclass(frozen=True)
class Sweep:
    """One class against the rest.

    Rows of a probability at least as high as a threshold are called positive. At a threshold t, `tp` and `fp` at the
    first of `thresholds` that is not below t say how many; above the last, nobody is.

    Attributes
    ----------
    name : of the class.
    positive, negative : rows of it, and others.
    thresholds : ascending.
    tp, fp : rows called positive, rightly and wrongly.
    is_complete : whether that holds for every t; else for those of `thresholds`, every thousandth among them.
    of_positive, of_negative : rows by probability, in bins of one width from 0 to 1.
    """

    name: str
    positive: int
    negative: int
    thresholds: tuple[float, ...]
    tp: tuple[int, ...]
    fp: tuple[int, ...]
    is_complete: bool
    of_positive: tuple[int, ...]
    of_negative: tuple[int, ...]


def sweep_of(name: str, is_positive: NDArray[np.bool_], p: Array, most: int = MOST_LEVELS) -> Sweep:
    """The sweep of a class.

    Parameters
    ----------
    name : of the class.
    is_positive : (n,) the rows that are of it.
    p : (n,) how probable it was.
    most : how many different probabilities are kept.
    """
    p = probabilities_of_one(p, len(is_positive), 1)
    levels = np.unique(np.minimum(p, np.nextafter(1.0, 0.0)))  # as in Outcomes, nobody is positive from 1 on
    is_complete = len(levels) <= most
    if not is_complete:
        kept = levels[np.linspace(0, len(levels) - 1, max(most - STEPS, 2)).astype(np.intp)]
        levels = np.unique(np.concatenate([kept, np.arange(STEPS + 1) / STEPS]))
    found = Outcomes.of(is_positive, p, np.ones(len(p)), levels)
    edges = np.linspace(0, 1, BINS + 1)
    return Sweep(
        name,
        int(is_positive.sum()),
        int((~is_positive).sum()),
        tuple(levels.tolist()),
        tuple(map(int, found.tp)),
        tuple(map(int, found.fp)),
        is_complete,
        tuple(np.histogram(p[is_positive], edges)[0].tolist()),
        tuple(np.histogram(p[~is_positive], edges)[0].tolist()),
    )
