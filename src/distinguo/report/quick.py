"""Which models are quick enough for a large table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from distinguo.report.texts import counted


@dataclass(frozen=True)
class Choice:
    """Models by name, how often all rows are dealt to folds, and what is told; "" where nothing is left out."""

    names: tuple[str, ...]
    repeats: int
    note: str


@dataclass(frozen=True)
class Tier:
    """Tables up to so many cells, columns and classes, and the models that are too slow for them."""

    cells: float
    columns: float
    classes: float
    slow: tuple[str, ...]
    repeats: int


# Each tier takes half a minute at the most on two cores; models that tune themselves, that search, or that keep
# rows drop out first, then those with a shape for each class, for which wide tables have too few rows.
_SLOW = ("mda", "knn")
_SLOWER = (*_SLOW, "ridge-logistic", "perceptron")
_SLOWEST = (*_SLOWER, "rda", "pda", "fda")
TIERS = (
    Tier(60_000, 100, 25, (), 2),
    Tier(150_000, 100, 25, _SLOW, 1),
    Tier(600_000, 100, 25, _SLOWER, 1),
    Tier(math.inf, 100, 25, _SLOWEST, 1),
    Tier(math.inf, math.inf, math.inf, (*_SLOWEST, "qda", "least-squares"), 1),
)


def quick_models(n: int, p: int, K: int, known: Sequence[str]) -> Choice:
    """The models that a report compares where none are named.

    Parameters
    ----------
    n, p, K : rows, columns as models see them, and classes.
    known : all that could take part.

    Examples
    --------
    >>> quick_models(150, 4, 3, ["lda", "knn"]).names
    ('lda', 'knn')
    >>> quick_models(200_000, 10, 2, ["lda", "knn"]).names
    ('lda',)
    """
    tier = next(t for t in TIERS if n * p <= t.cells and p <= t.columns and t.classes >= K)
    kept = tuple(name for name in known if name not in tier.slow) or tuple(known)
    left = [name for name in known if name not in kept]
    size = f"{counted(n, 'row')}, {counted(p, 'column')} and {counted(K, 'class', 'classes')}"
    told = f"of {size} only quick models are compared, and not {', '.join(left)}; --models names any"
    return Choice(kept, tier.repeats, told if left else "")
