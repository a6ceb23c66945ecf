"""Why a model takes one row, or one text, for what it does."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from distinguo.catalogue import CATALOGUE, listed
from distinguo.cli import terminal
from distinguo.cli.cells import Grid, Spelling
from distinguo.cli.class_names import ClassNames
from distinguo.cli.output import replacing
from distinguo.cli.persistence import SavedModel
from distinguo.cli.predicting import encoded, require_columns
from distinguo.cli.text_encoding import TextEncoder
from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames
from distinguo.rows.labels import label_list, label_text

if TYPE_CHECKING:
    from distinguo.explanation import Explanation, Line


@dataclass(frozen=True, slots=True)
class Question:
    """Between which classes a decision is explained, as text, or None for the two likeliest."""

    label: str | None
    against: str | None


def text_row(saved: SavedModel, text: str) -> Grid:
    """A text as the row of a table.

    Raises
    ------
    InputError
        If the model reads no texts.
    """
    if not isinstance(saved.encoder, TextEncoder):
        columns = listed(saved.encoder.names)
        raise InputError(f"the model reads no texts; give a table and --row. Its columns are {columns}")
    first, *others = saved.encoder.names
    frame = pl.DataFrame({first: [text], **{name: [""] for name in others}})
    return Spelling(nulls=()).read(frame, saved.encoder.names)


def table_row(saved: SavedModel, frames: Frames, spelling: Spelling, number: int) -> Grid:
    """Row `number`, counted from 1, of a table.

    Raises
    ------
    InputError
        If there is no such row, or a column of the model is not there.
    """
    require_columns(saved, frames.names)
    before = 0
    for frame in frames.frames(saved.encoder.names):
        if number <= before + frame.height:
            return spelling.read(frame.slice(number - before - 1, 1), saved.encoder.names, first_row=number)
        before += frame.height
    raise InputError(f"there is no row {number}: the table has {terminal.plural(before, 'row')}, counted from 1.")


def explain(saved: SavedModel, row: Grid, question: Question) -> Explanation:
    """What each column, or word, adds to the decision.

    Raises
    ------
    InputError
        If the model cannot say, or a class is unknown.
    """
    ask = getattr(saved.model, "explain", None)  # options, and calibration, may take it away
    if ask is None:
        raise InputError(_why_not(saved))
    encoder, model = saved.encoder, saved.model
    X = encoded(saved, row)
    label, against = (_label(model.classes_, text) for text in (question.label, question.against))
    names = np.array(encoder.features, dtype=object)
    why: Explanation = ask(X, label=label, against=against, feature_names=names)
    return why


def _why_not(saved: SavedModel) -> str:
    """Why a model has no explanations, and what has."""
    if saved.is_calibrated and getattr(saved.base, "explain", None) is not None:
        return (
            f"calibration by {saved.model.method} bends the score of {saved.name}, so that it is no sum over columns. "
            "Calibrated by temperature, or as it was before, the model can say what each column adds."
        )
    able = [entry.name for entry in CATALOGUE if entry.explains]
    return (
        f"the score of {saved.name} as it was fitted is no sum over columns, and what each adds cannot be said. Models "
        f"that can say it are {listed(able, 20)}"
    )


def unknown_words(saved: SavedModel, row: Grid) -> list[str]:
    """What the user should know of a text none of whose words the model knows."""
    if isinstance(saved.encoder, TextEncoder) and not saved.encoder.encode(row).nnz:
        return ["the text has no word that the model knows; how common the classes were decides alone"]
    return []


def lines_of(why: Explanation, shown: int) -> list[Line]:
    """A line a column, those that add most first, the others, the start and the sum; none for what adds nothing."""
    return [line for line in why.lines(shown) if line.adds or line.kind in {"start", "sum"}]


def as_text(why: Explanation, shown: int) -> str:
    """The lines as a table, with bars."""
    lines = lines_of(why, shown)
    rows = [[terminal.visible(line.name), line.cell, f"{line.adds:+.3f}", _bar(line.adds, lines)] for line in lines]
    head = f"{terminal.visible(why.headline)}; above zero speaks for {label_text(why.label)}"
    return f"{terminal.hanging('', head)}\n\n{terminal.table(('what', 'cell', 'log-odds', ''), rows, 'lrrl')}"


def as_json(why: Explanation, shown: int) -> str:
    """The same numbers for programs."""
    document = {
        "class": _plain(why.label),
        "against": _plain(why.against),
        "probability": why.probability,
        "log_odds": _finite(why.log_odds),
        "lines": [
            {"kind": line.kind, "name": line.name, "cell": line.cell, "log_odds": _finite(line.adds)}
            for line in lines_of(why, shown)
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def draw(why: Explanation, shown: int, path: Path) -> None:
    """The same as a picture."""
    from matplotlib.figure import Figure

    from distinguo.plots.explanation import ExplanationDisplay

    figure = Figure(layout="constrained")
    ExplanationDisplay.from_explanation(why, n=shown, ax=figure.subplots())
    with replacing(path) as temporary:
        figure.savefig(temporary, metadata={"Date": None} if path.suffix == ".svg" else None)


BAR = 20


def _bar(adds: float, lines: Sequence[Line]) -> str:
    """As long as what is added, beside the longest of the columns; + for the class, - against it."""
    most = max((abs(line.adds) for line in lines if line.kind != "sum"), default=0.0)
    share = 1.0 if math.isinf(adds) else 0.0 if not most or math.isinf(most) else min(abs(adds) / most, 1.0)
    return ("+" if adds > 0 else "-") * round(BAR * share)


def _label(classes: Any, text: str | None) -> Any:
    """The class that is written so."""
    return None if text is None else ClassNames(label_list(classes))[text]


def _plain(label: Any) -> Any:
    return label if isinstance(label, bool | int | float | str) else str(label)


def _finite(number: float) -> float | str:
    """What JSON has no number for, as text."""
    return number if math.isfinite(number) else str(number)
