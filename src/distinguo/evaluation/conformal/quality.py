"""How good sets of classes are: how often they hold the row's own, and how small they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import encode_labels, label_text, merge_classes
from distinguo.rows.validation import check_lengths

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SetQuality:
    """What test rows say of sets of classes.

    Attributes
    ----------
    rows : how many there were.
    coverage : the share of rows whose class is in their set.
    classes : (K,)
    class_coverage : (K,) the same of each class's rows; NaN of a class without any.
    mean_size : classes in a set, on average.
    sizes : (K + 1,) the shares of sets of none, one, two, ... classes.
    unseen : rows of classes that the sets cannot hold; they are not covered.
    """

    rows: int
    coverage: float
    classes: NDArray[Any]
    class_coverage: Array
    mean_size: float
    sizes: Array
    unseen: int

    @property
    def empty_share(self) -> float:
        """The share of sets without a class."""
        return float(self.sizes[0])

    @property
    def single_share(self) -> float:
        """The share of sets of one class."""
        return float(self.sizes[1])

    def to_dict(self) -> dict[str, Any]:
        """All of it as numbers and text, None for what is not known."""
        by_class = {
            label_text(label): None if np.isnan(share) else float(share)
            for label, share in zip(self.classes, self.class_coverage, strict=True)
        }
        return {
            "rows": self.rows,
            "coverage": self.coverage,
            "class_coverage": by_class,
            "mean_size": self.mean_size,
            "sizes": self.sizes.tolist(),
            "unseen": self.unseen,
        }

    def __str__(self) -> str:
        """Two lines, and one a class."""
        shares = zip(self.classes, self.class_coverage, strict=True)
        lines = [f"  of class {label_text(label)} {_share(share)}" for label, share in shares]
        unseen = [f"{self.unseen} of the rows are of classes that were not fitted"] if self.unseen else []
        return "\n".join(
            [
                f"{_share(self.coverage)} of {self.rows} sets hold the row's own class",
                *lines,
                f"{self.mean_size:.3g} classes a set: none in {_share(self.empty_share)}, one in "
                f"{_share(self.single_share)}",
                *unseen,
            ]
        )


def _share(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.1f} %"


def set_quality(sets: Any, y: Any, classes: Any) -> SetQuality:
    """How often sets hold the row's own class, and how small they are.

    Parameters
    ----------
    sets : (n, K) truth values, as `predict_set` gives them.
    y : (n,) the rows' own classes; one that is not among `classes` is never covered, and counted as unseen.
    classes : (K,) the classes of the columns.

    Returns
    -------
    SetQuality

    Raises
    ------
    InputError
        If sets are not a column a class, or not as many as labels.

    Examples
    --------
    >>> sets = [[True, False], [True, True], [False, False], [True, False]]
    >>> quality = set_quality(sets, ["a", "b", "b", "new"], ["a", "b"])
    >>> quality.coverage, quality.class_coverage.tolist(), quality.mean_size, quality.empty_share, quality.unseen
    (0.5, [1.0, 0.5], 1.0, 0.25, 1)
    """
    held = np.asarray(sets)
    columns = np.asarray(classes)
    if held.dtype != np.bool_:
        raise InputTypeError(f"sets must be True or False, a column a class; they are {held.dtype}.")
    if held.ndim != 2 or held.shape[1] != len(columns):
        raise InputError(f"sets have shape {held.shape}; there must be a column for each of {len(columns)} classes.")
    codes, labels = encode_labels(y)
    check_lengths(len(held), len(codes))
    merged, of_columns, of_labels = merge_classes(columns, labels)
    place = np.full(len(merged), -1)
    place[of_columns] = np.arange(len(columns))
    own = place[of_labels][codes]
    known = own >= 0
    covered = np.zeros(len(own), dtype=bool)
    covered[known] = held[np.flatnonzero(known), own[known]]
    rows = np.bincount(own[known], minlength=len(columns))
    hits = np.bincount(own[covered], minlength=len(columns))
    return SetQuality(
        rows=len(own),
        coverage=float(covered.mean()),
        classes=columns,
        class_coverage=np.divide(hits, rows, out=np.full(len(columns), np.nan), where=rows > 0),
        mean_size=float(held.sum(axis=1).mean()),
        sizes=np.bincount(held.sum(axis=1), minlength=len(columns) + 1) / len(own),
        unseen=int((~known).sum()),
    )
