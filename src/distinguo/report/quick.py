"""Which models are quick enough for a large table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distinguo.report.texts import counted

# Cells up to which all models are compared: a quarter of a minute on two cores.
FEW_CELLS = 100_000
# More columns or classes than these make models slow that tune themselves or keep rows.
FEW_COLUMNS, FEW_CLASSES = 60, 25
QUICK = ("lda", "qda", "gaussian-nb", "mixed-nb", "least-squares")
# With many columns or classes a covariance for each class has too few rows.
QUICKEST = ("lda", "gaussian-nb", "mixed-nb")


@dataclass(frozen=True)
class Choice:
    """Models by name, how often all rows are dealt to folds, and what is told; "" where nothing is left out."""

    names: tuple[str, ...]
    repeats: int
    note: str


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
    wide = p > FEW_COLUMNS or K > FEW_CLASSES
    if n * p <= FEW_CELLS and not wide:
        return Choice(tuple(known), 2, "")
    kept = tuple(name for name in known if name in (QUICKEST if wide else QUICK))
    if not kept:
        return Choice(tuple(known), 1, "")
    left = len(known) - len(kept)
    size = f"{counted(n, 'row')}, {counted(p, 'column')} and {counted(K, 'class', 'classes')}"
    return Choice(
        kept, 1, f"of {size} only quick models are compared, once, and {left} others are not; --models names them"
    )
