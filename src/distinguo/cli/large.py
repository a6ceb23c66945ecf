"""A table too large to be held: what is known of all its rows, and the ways to pass over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import Entry
from distinguo.cli.cells import Grid
from distinguo.cli.encoded import EncodedFrames
from distinguo.cli.encoding import Encoder
from distinguo.cli.facts import Facts
from distinguo.cli.labels import LabelColumn, as_array
from distinguo.cli.passes import passed
from distinguo.cli.roles import CATEGORICAL, Overrides, Role, assign_by, words_asked
from distinguo.cli.sampling import Sampler
from distinguo.cli.table import Labelled, Labelling
from distinguo.exceptions import InputError
from distinguo.rows.files import FileSource
from distinguo.rows.frames import Frames
from distinguo.rows.progress import Show

# A table of more bytes, eight a cell, is not held: its rows are passed over as often as need be.
LARGE = 512_000_000


def is_large(frames: Frames) -> bool:
    """Whether a table is too large to be held, as far as can be told before it is read."""
    is_counted_by_reading = bool(frames.own_names)  # as texts are, whose words are learned all at once
    return not is_counted_by_reading and 8 * len(frames.names) * frames.count()[0] > LARGE


@dataclass(frozen=True, eq=False)
class Large:
    """A large table.

    Attributes
    ----------
    rows : how it is read.
    facts : what is known of its columns.
    labels, counts : (K,) its classes, sorted, and how many rows each has.
    label_type : of the labels, as Polars has it.
    unlabelled : how many rows have none.
    sampler : what draws rows from it.
    show : what is told how far a pass has come, or None.
    """

    rows: Labelling
    facts: Mapping[str, Facts]
    labels: NDArray[Any]
    counts: NDArray[np.int64]
    label_type: Any
    unlabelled: int
    sampler: Sampler
    show: Show | None

    @classmethod
    def of(cls, rows: Labelling, overrides: Overrides, seed: int, show: Show | None) -> Large:
        """What a pass over the rows finds; a second is made where words turn up late in columns of numbers.

        Raises
        ------
        InputError
            If no row takes part, or the target's values are not classes.
        """
        asked = words_asked(overrides)
        facts, labels = _facts_of(rows, rows.columns, asked, overrides.drop, show)
        late = [name for name, found in facts.items() if found.is_late and name not in overrides.drop]
        if late:
            facts = {**facts, **_facts_of(rows, late, {*late}, (), show)[0]}
        classes, counts = labels.counts()
        return cls(rows, facts, classes, counts, labels.dtype, labels.unlabelled, Sampler(classes, counts, seed), show)

    @property
    def n(self) -> int:
        """How many rows have a label."""
        return int(self.counts.sum())

    def roles(self, overrides: Overrides) -> list[Role]:
        """The role of each column."""
        return assign_by(self.facts, overrides)

    def encoder(self, roles: Sequence[Role], encoding: str) -> Encoder:
        """What shows the rows to models."""
        found = ((role.column, self.facts[role.column].words) for role in roles if role.role == CATEGORICAL)
        words = {name: of_column for name, of_column in found if of_column is not None}
        return Encoder.of(words, self.n, roles, encoding)

    def source(self, encoder: Encoder, entry: Entry) -> FileSource:
        """The rows as a model takes them, to fit on; rows are drawn as they pass."""
        frames = EncodedFrames(self.rows, encoder, entry, self.label_type, self.sampler, self.n)
        return FileSource(frames, frames.target, progress=self.show)

    @cached_property
    def sample(self) -> Labelled:
        """Rows drawn from all; a pass is made for them where there was none.

        Where they were drawn as a model was fitted, they have the columns that it sees.
        """
        rows = self.rows
        if not self.sampler.is_done:
            for row, frame in passed(rows.frames, rows.wanted(rows.columns), self.show, "drawing rows"):
                met = None if rows.condition is None else rows.condition.met(frame, row)
                known, labels, _ = LabelColumn(rows.target, rows.spelling).series(frame[rows.target], met)
                self.sampler.pass_over(row, frame[known], known + row + 1, labels)
        frame, numbers = self.sampler.rows()
        grid = rows.spelling.read(frame, [name for name in rows.columns if name in frame.columns])
        _, labels, _ = LabelColumn(rows.target, rows.spelling).series(frame[rows.target], None)
        return Labelled(Grid(grid.columns, numbers), as_array(labels), rows.target, self.unlabelled)


def _facts_of(
    rows: Labelling, columns: Sequence[str], counted: set[str], dropped: Sequence[str], show: Show | None
) -> tuple[dict[str, Facts], LabelColumn]:
    """What is known of columns, and of the labels; words are counted of those named.

    Columns whose role the first rows settle are not read further, nor are those that are dropped.
    """
    first = next(iter(rows.frames.frames(rows.wanted(columns))), None)
    if first is None:
        raise InputError(f"the table {rows.name!r} has a header and no rows; there is nothing to learn from.")
    begun = _facts_of_part(rows, first, 0, columns, counted, LabelColumn(rows.target, rows.spelling))
    settled = {name for name in columns if _is_settled(rows, name, begun[name]) and name not in counted} | {*dropped}
    left = [name for name in columns if name not in settled]
    labels = LabelColumn(rows.target, rows.spelling)
    found: dict[str, Facts] = {}
    for row, frame in passed(rows.frames, rows.wanted(left), show, "looking at columns"):
        part = _facts_of_part(rows, frame, row, left, counted, labels)
        found = {name: found[name] + part[name] if found else part[name] for name in left}
    labels.check(rows.name)
    return {name: begun[name] if name in settled else found[name] for name in columns}, labels


def _is_settled(rows: Labelling, name: str, facts: Facts) -> bool:
    """Whether no other rows would change what a column is taken for."""
    return rows.frames.schema()[name].is_numeric() and facts.is_settled


def _facts_of_part(
    rows: Labelling, frame: pl.DataFrame, row: int, columns: Sequence[str], counted: set[str], labels: LabelColumn
) -> dict[str, Facts]:
    """What is known of columns by some rows; `labels` learns of theirs."""
    met = None if rows.condition is None else rows.condition.met(frame, row)
    known, _, _ = labels.series(frame[rows.target], met)
    taken = frame if len(known) == frame.height else frame[known]
    return {name: Facts.of(name, rows.spelling.read_column(taken[name]), name in counted) for name in columns}
