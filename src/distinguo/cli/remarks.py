"""What predict says of each row: columns to append, and a line about all rows at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import find
from distinguo.cli import terminal
from distinguo.cli.deciding import UNDECIDED, Rule
from distinguo.cli.persistence import SavedModel
from distinguo.evaluation.conformal.calibration import SetCalibration, warn_of_few
from distinguo.evaluation.novelty.calibration import NoveltyCalibration

# Between the classes of a set.
BETWEEN = "|"


@dataclass(frozen=True)
class Said:
    """What a model says of some rows, asked once.

    Attributes
    ----------
    base : the model itself.
    X : the rows, as it takes them.
    probabilities : (n, K), calibrated where the model is; None without any.
    labels : (n,) what it predicts.
    """

    base: Any
    X: Any
    probabilities: NDArray[np.float64] | None
    labels: NDArray[Any]

    @classmethod
    def of(cls, saved: SavedModel, X: Any) -> Said:
        """What a saved model says of rows."""
        if not (find(saved.name).probabilities or saved.is_calibrated):
            return cls(saved.base, X, None, saved.model.predict(X))
        p = np.asarray(saved.model.predict_proba(X))
        return cls(saved.base, X, p, saved.model.classes_[p.argmax(axis=1)])


class Remark(ABC):
    """Something to say of each row.

    Attributes
    ----------
    names : of the columns.
    """

    names: Sequence[str]

    @abstractmethod
    def columns(self, said: Said) -> list[pl.Series]:
        """The columns of some rows."""

    @abstractmethod
    def no_rows(self) -> list[pl.Series]:
        """The columns of no rows, in their types."""

    def notes(self, rows: int) -> list[str]:
        """What the user should know of all the rows."""
        return []


class Label(Remark):
    """The class decided for: the likeliest, or by a rule."""

    def __init__(self, classes: NDArray[Any], rule: Rule | None) -> None:
        self.names = ["predicted"]
        self._classes, self._rule = classes, rule
        self._undecided = 0

    def columns(self, said: Said) -> list[pl.Series]:
        """The labels; null where nothing is decided."""
        if self._rule is None or said.probabilities is None:
            return [pl.Series(said.labels)]
        codes = self._rule.codes(said.probabilities)
        undecided = codes == UNDECIDED
        self._undecided += int(undecided.sum())
        labels = pl.Series(self._classes[np.where(undecided, 0, codes)])
        return [labels.set(pl.Series(undecided), None) if undecided.any() else labels]

    def no_rows(self) -> list[pl.Series]:
        """No labels."""
        return [pl.Series(self._classes[:0])]

    def notes(self, rows: int) -> list[str]:
        """How many rows are left undecided."""
        return [f"{self._undecided} of {terminal.plural(rows, 'row')} are left undecided"] if self._undecided else []


class Probabilities(Remark):
    """A probability for each class."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.names = [f"p_{label}" for label in classes]

    def columns(self, said: Said) -> list[pl.Series]:
        """A column a class."""
        assert said.probabilities is not None
        return [pl.Series(column) for column in said.probabilities.T]

    def no_rows(self) -> list[pl.Series]:
        """No probabilities."""
        return [pl.Series(np.empty(0)) for _ in self.names]


class Unsure(Remark):
    """Whether the probability of a class lies between two cut-offs: from the lower on, and below the higher."""

    def __init__(self, cuts: tuple[float, float], column: int) -> None:
        self.names = ["unsure"]
        self._low, self._high = cuts
        self._column = column
        self._count = 0

    def columns(self, said: Said) -> list[pl.Series]:
        """True where people should look."""
        assert said.probabilities is not None
        own = said.probabilities[:, self._column]
        unsure = (own >= self._low) & (own < self._high)
        self._count += int(unsure.sum())
        return [pl.Series(unsure)]

    def no_rows(self) -> list[pl.Series]:
        """No rows to look at."""
        return [pl.Series(np.empty(0, bool))]

    def notes(self, rows: int) -> list[str]:
        """How many rows there are to look at."""
        return [f"{self._count} of {terminal.plural(rows, 'row')} are unsure"] if self._count else []


class ClassSets(Remark):
    """The classes that a row may have, so that a stated share of rows has its own among them."""

    def __init__(self, classes: NDArray[Any], alpha: float) -> None:
        self.names = ["set"]
        self._alpha = alpha
        self._classes = [str(label) for label in classes]
        self._sizes = np.zeros(3, np.int64)  # of no class, one, and more

    @abstractmethod
    def _sets(self, said: Said) -> NDArray[np.bool_]:
        """(n, K) which classes rows may have."""

    def columns(self, said: Said) -> list[pl.Series]:
        """The classes with bars between them; an empty text where there is none."""
        sets = self._sets(said)
        self._sizes += np.bincount(np.minimum(sets.sum(axis=1), 2), minlength=3)
        return [
            pl.Series([BETWEEN.join(self._classes[k] for k in np.flatnonzero(row)) for row in sets], dtype=pl.String)
        ]

    def no_rows(self) -> list[pl.Series]:
        """No sets."""
        return [pl.Series([], dtype=pl.String)]

    def notes(self, rows: int) -> list[str]:
        """How many rows may have one class, more, or none."""
        none, one, more = self._sizes.tolist()
        return [
            f"at {self._alpha:g}, {one} of {terminal.plural(rows, 'row')} may have one class, {more} more, {none} none"
        ]


class LikelySets(ClassSets):
    """By how likely classes are; the one predicted is always among them."""

    def __init__(self, calibration: SetCalibration, alpha: float) -> None:
        super().__init__(calibration.classes, alpha)
        self._calibration = calibration
        warn_of_few(calibration.totals, calibration.classes, alpha)

    def _sets(self, said: Said) -> NDArray[np.bool_]:
        p = self._calibration.p_values(said.base, said.X)
        return np.asarray((p > self._alpha) | (p == p.max(axis=1, keepdims=True)))


class FamiliarSets(ClassSets):
    """By how dense the row is in each class; a row like none of them has the empty set."""

    def __init__(self, calibration: NoveltyCalibration, alpha: float) -> None:
        super().__init__(calibration.classes, alpha)
        self._calibration = calibration
        warn_of_few(np.array([ranks.total for ranks in calibration.by_class]), calibration.classes, alpha)

    def _sets(self, said: Said) -> NDArray[np.bool_]:
        return self._calibration.typicality(said.base, said.X) > self._alpha


class Typicality(Remark):
    """How typical a row is of the class it is most typical of, and whether that is so little that the row is novel."""

    def __init__(self, novel_below: float) -> None:
        self.names = ["typicality", "novel"]
        self._below = novel_below
        self._novel = 0

    def columns(self, said: Said) -> list[pl.Series]:
        """Typicality, and novelty."""
        typicality = self._typicality(said)
        novel = self._is_novel(typicality)
        self._novel += int(novel.sum())
        return [pl.Series(typicality), pl.Series(novel)]

    def _typicality(self, said: Said) -> NDArray[np.float64]:
        return np.asarray(np.max(said.base.typicality(said.X), axis=1))

    def _is_novel(self, typicality: NDArray[np.float64]) -> NDArray[np.bool_]:
        return typicality < self._below

    def no_rows(self) -> list[pl.Series]:
        """No rows to judge."""
        return [pl.Series(np.empty(0)), pl.Series(np.empty(0, bool))]

    def notes(self, rows: int) -> list[str]:
        """How many rows are novel."""
        novel = f"{self._novel} of {terminal.plural(rows, 'row')} look like none of the classes (novel)"
        return [novel] if self._novel else []


class LeftOutTypicality(Typicality):
    """The same, by how dense rows were that the model had not seen, at a stated rate of false alarms."""

    def __init__(self, calibration: NoveltyCalibration, rate: float) -> None:
        super().__init__(rate)
        self._calibration = calibration
        calibration.warn_of_few(rate)

    def _typicality(self, said: Said) -> NDArray[np.float64]:
        return self._calibration.p_values(said.base, said.X)

    def _is_novel(self, typicality: NDArray[np.float64]) -> NDArray[np.bool_]:
        return typicality <= self._below
