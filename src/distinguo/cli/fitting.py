"""From a labelled table to a fitted model, whether its rows are held or pass."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from distinguo.catalogue import CATALOGUE, Entry, listed, takers_of_holes
from distinguo.cli import terminal
from distinguo.cli.encoders import AnyEncoder, encoder_of, first_hole
from distinguo.cli.encoding import Encoder
from distinguo.cli.large import Large
from distinguo.cli.learning import Lesson
from distinguo.cli.left_out import left_out_of
from distinguo.cli.persistence import SavedModel
from distinguo.cli.table import check_classes, check_counts
from distinguo.exceptions import DistinguoWarning, InputError, TooLargeError
from distinguo.rows.base import Size
from distinguo.rows.memory import MemorySource
from distinguo.rows.room import lacks_room


@dataclass(frozen=True, slots=True)
class Learned:
    """A model fitted on all rows, what shows rows to it, and the rows as it takes them."""

    model: Any
    encoder: AnyEncoder
    X: Any


def learn(lesson: Lesson, entry: Entry) -> Learned:
    """One model of the catalogue, fitted on all rows.

    Raises
    ------
    InputError
        If the table cannot be used, or the model cannot take it.
    """
    check_classes(lesson.rows.labels, lesson.rows.target)
    encoder = encoder_of(lesson.rows.grid, lesson.roles, lesson.encoding(entry), lesson.text_options)
    X = encoder.encode(lesson.rows.grid)
    hole = first_hole(encoder, lesson.rows.grid, X)
    if hole is not None and not entry.holes:
        raise InputError(f"{entry.name} takes no missing cells, and {hole}; these models do: {takers_of_holes()}.")
    labels = lesson.rows.labels
    if lesson.texts and entry.merges:  # what learns on knows words by their names
        model = entry.make().fit(MemorySource(X, labels, feature_names=encoder.features))
    else:
        model = entry.make().fit(X, labels)
    return Learned(model, encoder, X)


def fit_model(lesson: Lesson, entry: Entry, by_folds: bool = False) -> SavedModel:
    """One model of the catalogue, fitted on all rows, with what its file says beside it.

    Parameters
    ----------
    lesson : the rows.
    entry : the model.
    by_folds : whether it is fitted to the parts of folds too where rows cannot be left out otherwise.
    """
    if lesson.large is not None:
        return fit_large(lesson, lesson.large, entry, by_folds)
    learned, labels = learn(lesson, entry), lesson.rows.labels
    left_out = left_out_of(entry, learned.model, learned.X, labels, by_folds)
    return lesson.saved(entry.name, learned.model, learned.encoder, labels, lesson.advice([entry]), left_out)


def fit_large(lesson: Lesson, large: Large, entry: Entry, by_folds: bool) -> SavedModel:
    """The same of a table that is too large to be held: fitted on all rows as they pass.

    What needs rows beside the model, as advice and rows left out, has those that were drawn.
    """
    check_counts(large.labels, large.counts, large.rows.target)
    encoder = large.encoder(lesson.roles, lesson.encoding(entry))
    try:
        model = _passed_over(lesson, large, entry, encoder)
    except TooLargeError as error:
        raise InputError(
            f"{entry.name} needs all rows in memory at once: {error.room}. Take a part of them with --where, or a "
            f"model that passes over them: {listed(PASSING)}"
        ) from None
    drawn = large.sample
    left_out = left_out_of(entry, model, encoder.encode(drawn.grid), drawn.labels, by_folds)
    advice = lesson.advice([entry])
    return lesson.saved(entry.name, model, encoder, drawn.labels, advice, left_out, large.counts)


def _passed_over(lesson: Lesson, large: Large, entry: Entry, encoder: Encoder) -> Any:
    """A model fitted on all rows; where these cannot be held to choose options on, some are drawn for that."""
    try:
        return entry.make().fit(large.source(encoder, entry))
    except TooLargeError:
        if not entry.chosen:
            raise
    drawn = large.sample
    tuned = entry.make().fit(encoder.encode(drawn.grid), drawn.labels)
    found = {name.rstrip("_"): getattr(tuned, name) for name in entry.chosen}
    model = entry.load()(**{**entry.options, **found}).fit(large.source(encoder, entry))
    text = ", ".join(f"{name} {terminal.number(float(value))}" for name, value in found.items())
    warnings.warn(
        f"{text} chosen on {len(drawn.labels):,} rows drawn from {large.n:,}: to choose on all, they would have to be "
        "held",
        DistinguoWarning,
        stacklevel=2,
    )
    return model


def able_to_fit(lesson: Lesson, entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], list[str]]:
    """The models that can be fitted on all rows, and what to say of the others: there is no memory for these rows."""
    if lesson.large is None:
        return tuple(entries), []
    size = Size(lesson.large.n, sum(role.used for role in lesson.roles), exact=True)
    if not lacks_room(size):
        return tuple(entries), []
    left_out = [entry.name for entry in entries if not (entry.name in PASSING or entry.chosen)]
    note = f"not compared, for they hold all rows, and these do not fit into memory: {', '.join(left_out)}"
    return tuple(entry for entry in entries if entry.name not in left_out), [note] if left_out else []


# What passes over rows, and never holds them all.
PASSING = [*(entry.name for entry in CATALOGUE if entry.merges and not entry.texts), "logistic"]
