"""Which classes are taken for which: counts, shares of rows and columns, and the same at another prevalence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.texts import none_for_nan, number, plain_label, short
from distinguo.evaluation.truth import Truth, parts_of
from distinguo.exceptions import InputError
from distinguo.priors import resolve_priors

Array = NDArray[np.float64]
Codes = NDArray[np.signedinteger]

# A matrix of more classes is printed as a list of the largest confusions.
MOST_SHOWN = 12
NO_ANSWER = "(no answer)"


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix:
    r"""True classes by row, predicted ones by column.

    Attributes
    ----------
    labels : (R,) the model's classes, then labels that it did not know.
    predicted : (C,) the model's classes, then None where it left rows without an answer.
    counts : (R, C) weights of rows; at a stated prevalence, shares of the population.
    prevalence : (R,) stated, or None where the counts are those of the test rows.

    Examples
    --------
    >>> from distinguo import Evaluation
    >>> matrix = Evaluation.of(["ill", "ill", "well", "well"], predicted=["ill", "well", "well", "well"]).confusion
    >>> print(matrix)
    true \ predicted  ill  well
    ill                 1     1
    well                0     2
    >>> matrix.at({"ill": 0.02, "well": 0.98}).column_shares.round(3).tolist()
    [[1.0, 0.01], [0.0, 0.99]]
    """

    labels: tuple[Any, ...]
    predicted: tuple[Any, ...]
    counts: Array
    prevalence: tuple[float, ...] | None = None

    @property
    def row_shares(self) -> Array:
        """(R, C) of the rows of each class, how they are taken; NaN for a class without rows."""
        return _shares(self.counts, self.counts.sum(axis=1, keepdims=True))

    @property
    def column_shares(self) -> Array:
        """(R, C) of what is taken for each class, what it is; NaN for a class never predicted."""
        return _shares(self.counts, self.counts.sum(axis=0, keepdims=True))

    def at(self, prevalence: Any) -> ConfusionMatrix:
        """The matrix of a population in which classes are otherwise common, each being taken for others as here.

        Parameters
        ----------
        prevalence : "uniform", (R,) shares in the order of `labels`, or {label: share}, that sum to one; of two
            classes the second's share will do.

        Returns
        -------
        ConfusionMatrix
            Its counts are shares that sum to one; `column_shares` are predictive values at that prevalence.

        Raises
        ------
        InputError
            If shares are no prevalence, or a class that has one above zero has no rows here.
        """
        shares = prevalence_of(prevalence, self.labels, self.counts.sum(axis=1), len(self.labels) - 1)
        counts = np.where(shares[:, None] > 0, shares[:, None] * np.nan_to_num(self.row_shares), 0.0)
        return replace(self, counts=counts, prevalence=tuple(shares.tolist()))

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a cell: true, predicted, count, row_share, column_share; None where a share is undefined."""
        by_row, by_column = self.row_shares, self.column_shares
        return [
            {
                "true": self.labels[r],
                "predicted": self.predicted[c],
                "count": float(self.counts[r, c]),
                "row_share": none_for_nan(by_row[r, c]),
                "column_share": none_for_nan(by_column[r, c]),
            }
            for r in range(len(self.labels))
            for c in range(len(self.predicted))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Labels and numbers as JSON has them."""
        return {
            "labels": [plain_label(label) for label in self.labels],
            "predicted": [plain_label(label) for label in self.predicted],
            "counts": self.counts.tolist(),
            "row_shares": [[none_for_nan(v) for v in row] for row in self.row_shares],
            "column_shares": [[none_for_nan(v) for v in row] for row in self.column_shares],
            "prevalence": None if self.prevalence is None else list(self.prevalence),
        }

    def to_frame(self) -> Any:
        """`rows()` as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def largest(self, n: int = 10) -> list[tuple[Any, Any, float]]:
        """The n largest confusions: true label, predicted label, count; the largest first."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong[: len(self.predicted)], 0.0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:n]
        places = [divmod(int(place), wrong.shape[1]) for place in order]
        return [(self.labels[r], self.predicted[c], float(wrong[r, c])) for r, c in places if wrong[r, c] > 0]

    def to_text(self, width: int | None = None) -> str:
        """The counts; of more than twelve classes the largest confusions.

        Parameters
        ----------
        width : how many characters a line may have; the columns are then shown in as many parts as that takes.
        """
        if max(self.counts.shape) > MOST_SHOWN:
            found = [f"{short(a)} taken for {_answer(b)}: {number(n)}" for a, b, n in self.largest()]
            return "\n".join([f"largest of {int((self.counts > 0).sum())} kinds of answers", *found])
        head = ["true \\ predicted", *map(_answer, self.predicted)]
        body = [[short(label), *map(number, row)] for label, row in zip(self.labels, self.counts, strict=True)]
        return aligned_lines([head, *body], width)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def _answer(label: Any) -> str:
    return NO_ANSWER if label is None else short(label)


def aligned_lines(table: list[list[str]], width: int | None = None) -> str:
    """Lines of cells: the first column to the left, the others to the right.

    Where lines are to be no longer than `width`, the table is cut into parts, each with the first column.
    """
    left, *others = zip(*table, strict=True)
    first = _padded(left, str.ljust)
    parts = [first]
    for column in (_padded(cells, str.rjust) for cells in others):
        if width is not None and parts[-1] is not first and len(parts[-1][0]) + len(column[0]) + 2 > width:
            parts.append(first)
        parts[-1] = [f"{line}  {cell}" for line, cell in zip(parts[-1], column, strict=True)]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts)


def _padded(cells: Sequence[str], pad: Callable[[str, int], str]) -> list[str]:
    """The cells of a column in one width."""
    widest = max(map(len, cells))
    return [pad(cell, widest) for cell in cells]


def confusion_of(truth: Truth, predicted: Codes) -> ConfusionMatrix:
    """The matrix of rows by their places (n,) among the classes."""
    K, R = len(truth.classes), len(truth.labels)
    C = K + int((predicted < 0).any())
    counts = np.zeros((R, C))
    for rows in parts_of(len(predicted)):
        said = predicted[rows]
        cells = truth.codes[rows].astype(np.intp) * C + np.where(said < 0, K, said)
        counts += np.bincount(cells, truth.weight[rows], R * C).reshape(R, C)
    return ConfusionMatrix(tuple(truth.labels), (*truth.labels[:K], *[None] * (C - K)), counts)


def prevalence_of(prevalence: Any, labels: tuple[Any, ...], weight: Array, positive: int) -> Array:
    """(R,) shares of the labels in a population, of which the test rows have some weight (R,) each.

    A single number is the share of the positive class, where there are two.
    """
    if isinstance(prevalence, int | float | np.number):
        if len(labels) != 2:
            raise InputError(f"prevalence={prevalence!r}: a single number is for two classes; use a dictionary.")
        prevalence = {labels[positive]: prevalence, labels[1 - positive]: 1 - prevalence}
    shares = resolve_priors(prevalence, _as_array(labels), weight, "prevalence")
    empty = [label for label, share, w in zip(labels, shares, weight, strict=True) if share > 0 and w == 0]
    if empty:
        raise InputError(
            f"prevalence says that class {short(empty[0])} is there, and no test row of it shows how it is taken."
        )
    return shares


def _as_array(labels: tuple[Any, ...]) -> NDArray[Any]:
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _shares(counts: Array, of: Array) -> Array:
    return np.divide(counts, of, out=np.full_like(counts, np.nan), where=of > 0)
