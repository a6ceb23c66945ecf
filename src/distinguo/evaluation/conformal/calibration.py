"""Calibration of sets: how strange rows were in their own class to a model that had not seen them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.conformal.looks import LOOKS
from distinguo.evaluation.conformal.ranks import Ranks
from distinguo.evaluation.conformal.ways import Held
from distinguo.exceptions import FewRowsWarning, InputError
from distinguo.rows.labels import label_text

Array = NDArray[np.float64]
Sets = NDArray[np.bool_]


def level_of(value: Any, name: str) -> float:
    """A number strictly between 0 and 1.

    Examples
    --------
    >>> level_of(0.1, "alpha")
    0.1
    """
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:
        raise InputError(f"{name}={value!r} must be a number between 0 and 1, such as 0.1.")
    return float(value)


@dataclass(frozen=True, eq=False)
class SetCalibration:
    r"""What makes sets of a model's answers: how strange rows were, each in its own class, that it had not seen.

    .. math:: p_k(x) = \frac{1 + \#\{i: s_i \ge s(x, k)\}}{1 + m}, \qquad C(x) = \{k: p_k(x) > \alpha\}

    with the strangeness s of :math:`m` rows; where it is class-conditional, of those of class k alone.

    Attributes
    ----------
    conformity : "posterior" or "density".
    classes : (K,)
    ranks : of the rows of all classes, or K of each class's rows.

    References
    ----------
    Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World, chapters 2 and 4.
    """

    conformity: str
    classes: NDArray[Any]
    ranks: tuple[Ranks, ...]

    @classmethod
    def of(
        cls, conformity: str, classes: NDArray[Any], held: Sequence[Held], class_conditional: bool
    ) -> SetCalibration:
        """From rows held out."""
        own = np.concatenate([part.own for part in held])
        codes = np.concatenate([part.codes for part in held])
        weight = np.concatenate([part.weight for part in held])
        if not class_conditional:
            return cls(conformity, classes, (Ranks.of(own, weight),))
        members = [codes == k for k in range(len(classes))]
        return cls(conformity, classes, tuple(Ranks.of(own[rows], weight[rows]) for rows in members))

    @property
    def totals(self) -> Array:
        """(K,) the weight of the rows that each class is held against."""
        return np.broadcast_to([ranks.total for ranks in self.ranks], len(self.classes)).astype(np.float64)

    def stranger(self, model: Any, X: Any) -> Array:
        """(n, K) the weight of the rows at least as strange in their class as rows X would be in each."""
        strangeness = LOOKS[self.conformity].strangeness(model, X, self.classes)
        if len(self.ranks) == 1:
            return self.ranks[0].at_least(strangeness)
        columns = [ranks.at_least(column) for ranks, column in zip(self.ranks, strangeness.T, strict=True)]
        return np.column_stack(columns)

    def p_values(self, model: Any, X: Any) -> Array:
        """How often a row of a class is as strange there as each row would be, (n, K).

        Parameters
        ----------
        model : the model that was calibrated.
        X : (n, p)
        """
        return np.asarray((1 + self.stranger(model, X)) / (1 + self.totals))

    def predict_set(self, model: Any, X: Any, alpha: Any) -> Sets:
        """The classes (n, K) that each row may have, all but a share `alpha` of rows having their own among them.

        Parameters
        ----------
        model : the model that was calibrated.
        X : (n, p)
        alpha : between 0 and 1.
        """
        level = level_of(alpha, "alpha")
        warn_of_few(self.totals, self.classes, level)
        return np.asarray(self.p_values(model, X) > level)


def warn_of_few(totals: Array, classes: NDArray[Any], alpha: float) -> None:
    """Warn of classes that are in every set, so few rows (K,) are they held against."""
    few = np.flatnonzero(1 / (1 + totals) > alpha)
    if not len(few):
        return
    shown = ", ".join(label_text(classes[k]) for k in few[:8]) + (", ..." if len(few) > 8 else "")
    needed = np.ceil(1 / alpha) - 1
    warnings.warn(
        f"at alpha={alpha:g} every set holds {shown}: to leave a class out takes {needed:g} rows to hold it against, "
        f"and there are {totals[few].min():g}. Bring more rows, or take a greater alpha.",
        FewRowsWarning,
        stacklevel=3,
    )
