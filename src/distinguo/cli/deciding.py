"""From probabilities to decisions: by a cut-off for one class, or by what errors cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import find, listed
from distinguo.cli.class_names import ClassNames
from distinguo.cli.persistence import SavedModel
from distinguo.evaluation.costs import Costs
from distinguo.exceptions import InputError
from distinguo.rows.labels import label_list

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
UNDECIDED = -1


class Rule(ABC):
    """How probabilities become decisions."""

    @abstractmethod
    def codes(self, probabilities: Array) -> Codes:
        """(n,) which class is decided for; -1 for none."""


@dataclass(frozen=True)
class CutOff(Rule):
    """One class from a probability on, and else the likeliest of the others."""

    threshold: float
    column: int

    def codes(self, probabilities: Array) -> Codes:
        """(n,) which class is decided for."""
        others = probabilities.copy()
        others[:, self.column] = -1.0
        found = probabilities[:, self.column] >= self.threshold
        return np.where(found, self.column, others.argmax(axis=1))


@dataclass(frozen=True)
class Cheapest(Rule):
    """The decision that costs least, or none where even that costs more than `reject`."""

    costs: Costs
    reject: float | None

    def codes(self, probabilities: Array) -> Codes:
        """(n,) which class is decided for; -1 for none."""
        return self.costs.codes(probabilities, self.reject)


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the options say that decisions are made; all None for the likeliest class."""

    threshold: float | None = None
    positive: str | None = None
    costs: Path | None = None
    reject: float | None = None

    def rule(self, saved: SavedModel) -> Rule | None:
        """What that means for the classes of a model.

        Raises
        ------
        InputError
            If the model has no probabilities, a class or the costs cannot be used.
        """
        if self.threshold is None and self.costs is None:
            return None
        require_probabilities(saved)
        if self.costs is not None:
            return Cheapest(read_costs(self.costs, saved.model.classes_), self.reject)
        assert self.threshold is not None
        return CutOff(self.threshold, positive_column(saved, self.positive, "--threshold"))


def require_probabilities(saved: SavedModel) -> None:
    """Raise where a model has none."""
    if not (find(saved.name).probabilities or saved.is_calibrated):
        raise InputError(f"{saved.name} has no probabilities; 'distinguo calibrate' gives it some, from labelled rows.")


def positive_column(saved: SavedModel, positive: str | None, what: str) -> int:
    """The place of the class that is named; of two classes, by default that of the second."""
    names = ClassNames(label_list(saved.model.classes_))
    if positive is not None:
        return names.place(positive)
    if len(names.labels) > 2:
        raise InputError(f"{what} needs --positive CLASS where there are more than two: {listed(names.texts)}")
    return len(names.labels) - 1


def read_costs(path: Path, classes: NDArray[Any]) -> Costs:
    """A CSV file of costs: a line a true class, named in the first column, and a column a decision.

    Raises
    ------
    InputError
        If it is not there, not such a table, or its classes are not these.
    """
    if not path.is_file():
        raise InputError(f"there is no file '{path}' with costs.")
    try:
        words = pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"'{path}' is no table of costs: {str(error).splitlines()[0]}") from None
    first, *decisions = words.columns
    try:
        numbers = words.select(first, *(pl.col(name).str.strip_chars().cast(pl.Float64) for name in decisions))
        names = ClassNames(label_list(classes))
        called = [str(names.get(text or "", text)) for text in numbers[first].str.strip_chars()]
        numbers = numbers.with_columns(pl.Series(first, called, dtype=pl.String))
        return Costs.of(numbers.rename({name: str(names.get(name, name)) for name in decisions}), classes)
    except (pl.exceptions.PolarsError, InputError) as error:
        raise InputError(
            f"'{path}' gives no costs: {' '.join(str(error).split())[:300]} A line is 'true class,cost of deciding for "
            "the first class,...', under a header of the classes decided for."
        ) from None
