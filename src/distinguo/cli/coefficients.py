"""The coefficients of linear models: with what is known of them where they are of maximum likelihood, else alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.catalogue import find
from distinguo.cli import terminal
from distinguo.cli.persistence import SavedModel
from distinguo.exceptions import InputError
from distinguo.linear.coefficient_table import CoefficientTable, IntervalTable
from distinguo.rows.labels import label_text

Table = CoefficientTable | IntervalTable


@dataclass(frozen=True, slots=True)
class Shown:
    """How coefficients are to be shown.

    Attributes
    ----------
    base : the class that the others are held against; None for the first.
    odds_ratios : whether as ratios of odds, with their intervals.
    """

    base: str | None = None
    odds_ratios: bool = False

    @property
    def asks(self) -> bool:
        """Whether this can only be shown of a model with inference."""
        return self.base is not None or self.odds_ratios


def coefficient_text(saved: SavedModel, shown: Shown | None = None) -> str:
    """The coefficient table of a model, or its coefficients and why there is no table.

    Raises
    ------
    InputError
        If something is to be shown that the model does not have.
    """
    shown = shown or Shown()
    if not find(saved.name).inference:
        if shown.asks:
            raise InputError(f"{saved.name} has no odds: --base and --odds-ratios are for logistic regression.")
        return _with_notes(saved, [_bare(saved)], ())
    try:
        found = _table(saved.base, shown)
    except InputError as error:
        if shown.asks:
            raise
        # Of a table, its notes would have told which coefficients are infinite.
        apart = saved.base.separation_
        told = [] if apart is None else str(apart).splitlines()
        return _with_notes(saved, [_bare(saved)], (*told, str(error)))
    return _with_notes(saved, _blocks(found, saved.base.classes_), found.notes)


def _with_notes(saved: SavedModel, blocks: Sequence[str], notes: Sequence[str]) -> str:
    """Paragraphs, and one of notes, which begins with the categories that the indicators are held against."""
    bases = saved.encoder.bases
    lines = [*([f"left out as base: {', '.join(bases)}"] if bases else []), *notes]
    wrapped = "\n".join(terminal.hanging("", terminal.visible(line)) for line in lines)
    return "\n\n".join([*blocks, *([wrapped] if wrapped else [])])


def _table(model: Any, shown: Shown) -> Table:
    """What the model's sums over its rows say; raises where they say nothing."""
    found: Table = model.odds_ratios(base=shown.base) if shown.odds_ratios else model.summary(base=shown.base)
    return found


def _blocks(found: Table, classes: NDArray[Any]) -> list[str]:
    """A table under its heading; of more than two classes, a block for each but the base."""
    heading = "\n".join(terminal.hanging("", terminal.visible(line)) for line in found.title.splitlines())
    if len(classes) == 2:
        return [f"{heading}\n{_block(found.text_columns())}"]
    _, *columns = found.text_columns()  # the first says which class
    base = label_text(next(label for label in classes if label not in found.outcome))
    blocks = [heading]
    for label in classes[np.isin(classes, found.outcome)]:
        own = np.flatnonzero(found.outcome == label) + 1  # below the heading
        title = terminal.hanging("", terminal.visible(f"{label_text(label)} against {base}"))
        blocks.append(f"{title}\n{_block([[column[0], *(column[i] for i in own)] for column in columns])}")
    return blocks


def _block(columns: Sequence[Sequence[str]]) -> str:
    """Columns that are padded already, as wide as the terminal allows."""
    header, *rows = zip(*columns, strict=True)
    return terminal.wide_table(header, rows, "l" * len(header))


def _bare(saved: SavedModel) -> str:
    """A line a feature, a column a class; of two classes the second's alone, less the first's."""
    model, classes = saved.base, [str(label) for label in saved.base.classes_]
    weights = np.column_stack([model.coef_, model.intercept_]).T  # (p + 1, K), or (p + 1, 1) for two classes
    rows = [
        [feature, *(terminal.number(float(weight)) for weight in line)]
        for feature, line in zip([*saved.encoder.features, "constant"], weights, strict=True)
    ]
    header = ["feature", *(classes if weights.shape[1] > 1 else [f"{classes[1]} over {classes[0]}"])]
    return f"coefficients: what one unit of a feature adds to the score\n{terminal.wide_table(header, rows)}"
