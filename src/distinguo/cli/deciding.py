"""From probabilities to decisions: by a cut-off for one class, or by what errors cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import find, listed
from distinguo.cli.cells import Spelling
from distinguo.cli.class_names import ClassNames
from distinguo.cli.persistence import SavedModel
from distinguo.cli.table import Reading, open_table
from distinguo.evaluation.decisions.costs import Costs
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
            return Cheapest(read_costs(self.costs, saved.model.classes_, saved.decimal), self.reject)
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


def read_costs(path: Path, classes: NDArray[Any], decimal: str = ".") -> Costs:
    """A table of costs: a line a true class, named in the first column, and a column a decision.

    Raises
    ------
    InputError
        If it is not there, not such a table, or its classes are not these.
    """
    if not path.is_file():
        raise InputError(f"there is no file '{path}' with costs.")
    try:
        frames = open_table(str(path), Reading(decimal=decimal))
        words = pl.concat([pl.DataFrame(schema=frames.schema()), *frames.frames()])
    except (pl.exceptions.PolarsError, InputError) as error:
        raise InputError(f"'{path}' is no table of costs: {str(error).splitlines()[0]}") from None
    try:
        return _costs(words, ClassNames(label_list(classes)), Spelling(decimal), classes)
    except InputError as error:
        raise InputError(
            f"'{path}' gives no costs: {error} A line is 'true class,cost of deciding for the first class,...', under "
            "a header of the classes decided for."
        ) from None


def _costs(words: pl.DataFrame, names: ClassNames, spelling: Spelling, classes: NDArray[Any]) -> Costs:
    """Costs from the cells of a table."""
    first, *decisions = words.columns
    truths = _called(words[first].cast(pl.String).fill_null(""), names)
    rows: dict[str, dict[str, float]] = {truth: {} for truth in truths}
    for column, decision in zip(decisions, _called(decisions, names), strict=True):
        cells = spelling.read_column(words[column])
        for truth, cell, number in zip(truths, cells.raw, cells.numbers, strict=True):
            if number is None and cell is not None:
                raise InputError(f"{cell!r}, for deciding {decision!r} where {truth!r} is true, is no number.")
            if number is not None:
                rows[truth][decision] = number
    return Costs.of(rows, classes)


def _called(texts: Iterable[str], names: ClassNames) -> list[str]:
    """What classes that are written so are called."""
    called = [str(names.get(text, text.strip())) for text in texts]
    twice = [name for name in called if called.count(name) > 1]
    if twice:
        raise InputError(f"costs has {twice[0]!r} twice; give each class one row and one column.")
    return called
