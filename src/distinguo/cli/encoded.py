"""The rows of a table as models take them, some at a time: the frames behind a fit that never holds them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import polars as pl

from distinguo.catalogue import Entry, takers_of_holes
from distinguo.cli.encoding import Encoder, Words
from distinguo.cli.labels import LabelColumn
from distinguo.cli.sampling import Sampler
from distinguo.cli.table import Labelling
from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames
from distinguo.rows.reading import numbered
from distinguo.rows.shares import Hand, Numbered, Shares


class EncodedFrames(Frames):
    """Labelled rows as an encoder makes them, with their labels.

    Parameters
    ----------
    rows : the table.
    encoder : what shows it to models.
    entry : the model; of one that takes no missing cells the first is an error.
    label_type : of the labels.
    sampler : what keeps some of the rows as they pass.
    n : how many rows have a label and take part.

    Attributes
    ----------
    target : what the column of labels is called here.
    """

    is_text = False

    def __init__(
        self, rows: Labelling, encoder: Encoder, entry: Entry, label_type: Any, sampler: Sampler, n: int
    ) -> None:
        self._rows, self._encoder, self._entry, self._sampler = rows, encoder, entry, sampler
        self._label_type, self._n = label_type, n
        features = encoder.features
        self.target = rows.target
        while self.target in features:
            self.target += "'"
        self.names = [*features, self.target]
        self._columns = rows.wanted(encoder.names)

    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        types = {
            name: pl.String() if isinstance(column, Words) else pl.Float64()
            for column in self._encoder.columns
            for name in column.features
        }
        return pl.Schema(zip(self.names, [*types.values(), self._label_type], strict=True))

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """One pass over the rows, in their order."""
        wanted = self.names if columns is None else columns
        for row, frame in numbered(self._rows.frames.frames(self._columns)):
            yield self._encoded(row, frame).select(wanted)

    def shares(self, columns: Sequence[str], workers: int) -> Shares:
        """The rows of one pass, each part encoded by the worker that counts it."""
        shares = self._rows.frames.shares(self._columns, workers)
        return shares.through(lambda hand: self._hand(hand, columns))

    def count(self) -> tuple[int, bool]:
        """How many rows pass, which have been counted."""
        return self._n, True

    def _hand(self, hand: Hand, columns: Sequence[str]) -> Iterator[Numbered]:
        with closing(hand):  # type: ignore[type-var]
            for row, frame in hand:
                yield row, self._encoded(row, frame).select(columns)

    def _encoded(self, row: int, frame: pl.DataFrame) -> pl.DataFrame:
        """Those rows that take part and have a label."""
        rows = self._rows
        met = None if rows.condition is None else rows.condition.met(frame, row)
        known, labels, _ = LabelColumn(rows.target, rows.spelling).series(frame[rows.target], met)
        grid = rows.spelling.read(frame, self._encoder.names, row + 1)
        if len(known) < frame.height:
            grid, frame = grid.take(known), frame[known]
        self._sampler.pass_over(row, frame, grid.row_numbers, labels)
        X = self._encoder.encode(grid)
        hole = None if self._entry.holes else self._encoder.first_hole(grid, X)
        if hole is not None:
            raise InputError(
                f"{self._entry.name} takes no missing cells, and {hole}; these models do: {takers_of_holes()}."
            )
        return X.with_columns(labels.cast(self._label_type).alias(self.target))
