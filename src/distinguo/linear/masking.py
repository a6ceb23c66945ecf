"""Classes that least squares passes over: another's fitted value is higher on their own ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import decide
from distinguo.rows.labels import label_text

Array = NDArray[np.float64]

# Classes that do not vary within themselves along a direction are given this share of the variance there.
LEAST_WITHIN = 1e-12


@dataclass(frozen=True, eq=False)
class Masking:
    """Which class has the highest fitted value, counted among the rows of each class.

    Attributes
    ----------
    classes : (K,)
    table : (K, K) weight of the rows of class i that class j takes.
    """

    classes: NDArray[Any]
    table: Array

    @property
    def errors(self) -> Array:
        """(K,) weight of each class's rows that other classes take."""
        return np.asarray(self.table.sum(axis=1) - np.diagonal(self.table))

    @property
    def never_taken(self) -> NDArray[Any]:
        """The classes that have rows, and the highest fitted value for no row at all."""
        return np.asarray(self.classes[(self.table.sum(axis=1) > 0) & (self.table.sum(axis=0) == 0)])

    def __str__(self) -> str:
        lines = []
        for k, label in enumerate(self.classes):
            line = f"{label_text(label)}: {self.errors[k]:g} of {self.table[k].sum():g} rows taken by others"
            others = [j for j in np.argsort(-self.table[k], kind="stable") if j != k and self.table[k, j] > 0]
            shown = ", ".join(f"{label_text(self.classes[j])} {self.table[k, j]:g}" for j in others[:3])
            lines.append(line + (f" ({shown}{', ...' if len(others) > 3 else ''})" if others else ""))
        return "\n".join(lines)


def masked_classes(shares: Array, means: Array) -> NDArray[np.intp]:
    """Classes that lose their own mean to another under least squares, and keep it under linear discriminant analysis.

    Both are made of the same moments, so that nothing but the indicators is to blame.

    Parameters
    ----------
    shares : (K,) of the rows.
    means : (K, r) class means where all rows together have mean zero and covariance one.
    """
    living = np.flatnonzero(shares > 0)
    shares, means = shares[living], means[living]
    if len(living) < 3:  # of two classes the fitted values cross between the means
        return living[:0]
    own = np.arange(len(living))
    lost = decide(shares * (1 + means @ means.T)) != own
    _, singular, right = np.linalg.svd(means * np.sqrt(shares)[:, None], full_matrices=False)
    # Along these directions the variance between the classes is singular², of one in all.
    within = np.maximum(1 - singular**2, LEAST_WITHIN)
    z = means @ right.T / np.sqrt(within)
    # Scores of linear discriminant analysis at the means, up to what is the same for all classes.
    kept = decide(z @ z.T - (z**2).sum(axis=1) / 2 + np.log(shares)) == own
    return np.asarray(living[lost & kept])
