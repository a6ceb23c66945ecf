"""From data frames to batches: what is checked and converted of rows in files and on clusters alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.base import Batch, Reducer, T, checked
from distinguo.rows.columns import columns_of
from distinguo.rows.frames import check_known, quoted
from distinguo.rows.numbers import is_numeric, number_block, numbers
from distinguo.rows.shares import Numbered
from distinguo.rows.tables import block_rows
from distinguo.rows.validation import check_weight_values, has_holes
from distinguo.rows.vocabulary import TEXT, Spelling, Vocabulary
from distinguo.rows.written import Kinds, as_written

EMPTY = "the table is empty: it has a header and no rows. Give at least one row."


# So many rows of words are taken at a time: as Python's objects they take much more room than in a frame.
WORD_ROWS = 1 << 14


@dataclass(frozen=True)
class RowReader:
    """Which columns are features, labels and weights, and how they are read.

    Attributes
    ----------
    columns : of features.
    target : of labels.
    weight : of frequencies, or None.
    decimal : the decimal mark in text.
    spelling : how labels that are text say that they are something else; None to let the first frame decide.
    written : of tables of text alone, what columns hold that are no words; None where columns are of types.
    batch_rows : most rows in a batch; None for as many as fit the processor's cache.
    """

    columns: tuple[str, ...]
    target: str
    weight: str | None = None
    decimal: str = "."
    spelling: Spelling | None = TEXT
    written: Kinds | None = None
    batch_rows: int | None = None

    @property
    def names(self) -> NDArray[Any]:
        """(p,) names of the features."""
        return np.array(self.columns, dtype=object)

    @property
    def wanted(self) -> list[str]:
        """All columns to be read."""
        return [*self.columns, self.target, *([] if self.weight is None else [self.weight])]

    def batches(self, frames: Iterable[Numbered], words: bool = False) -> Iterator[Batch]:
        """The rows of frames, in their order; with `words` as columns of numbers and words.

        `classes` grows as labels are met, in that order, and is the same array until there is a new one.

        Raises
        ------
        InputError
            If a label is missing, or a cell is no number that should be one.
        """
        vocabulary, names = Vocabulary(self.target, self.spelling), self.names
        read = self._words if words else self._numbers
        step = self.batch_rows or (WORD_ROWS if words else block_rows(len(self.columns)))
        for first, frame in frames:
            if not frame.height:
                continue
            codes = vocabulary.codes(frame[self.target], first)
            weight = self._weights(frame, first)
            cells = frame.select(self.columns)
            for start in range(0, frame.height, step):
                rows = slice(start, start + step)
                X, holes = read(cells[rows], first + start)
                yield Batch(
                    X=X,
                    codes=codes[rows],
                    classes=vocabulary.classes,
                    weight=None if weight is None else weight[rows],
                    first_row=first + start,
                    feature_names=names,
                    holes=holes,
                )

    def _numbers(self, cells: pl.DataFrame, first: int) -> tuple[Any, bool]:
        """Rows of numbers, and whether some are missing."""
        X = number_block(cells, self.decimal, first)
        return X, has_holes(X, first, self.names)

    def _words(self, cells: pl.DataFrame, first: int) -> tuple[Any, bool]:
        """Rows whose columns are numbers or words, and whether some cells are missing."""
        columns = columns_of(as_written(cells, self.written or {}, self.decimal, first))
        return columns, columns.holes

    def _weights(self, frame: pl.DataFrame, first: int) -> NDArray[np.float64] | None:
        if self.weight is None:
            return None
        return check_weight_values(numbers(frame[self.weight], self.decimal, first), first)


@dataclass
class Seen:
    """What a pass has met.

    Attributes
    ----------
    rows : how many.
    weighted : whether one of them counts.
    """

    rows: int = 0
    weighted: bool = False

    def counted(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The same batches, counted."""
        for batch in batches:
            self.rows += len(batch.codes)
            self.weighted = self.weighted or batch.weight is None or bool(batch.weight.any())
            yield batch

    def reduced(self, batches: Iterable[Batch], spec: Reducer[T]) -> tuple[T, ...]:
        """The result of batches that may be none, counted as they pass: alone, or nothing."""
        counted = self.counted(batches)
        first = next(counted, None)
        return () if first is None else (spec.reduce(checked(chain([first], counted), spec)),)

    def check(self, weight: str | None, nothing: str = EMPTY) -> None:
        """Raise where there was nothing to learn from: no row, or none that counts by the column `weight`."""
        if self.rows == 0:
            raise InputError(nothing)
        if not self.weighted:
            raise InputError(f"every weight in {weight!r} is zero; at least one row must count.")


def feature_columns(
    names: Sequence[str], target: str, weight: str | None, columns: Sequence[str] | None, left_out: str | None = None
) -> list[str]:
    """The columns of features among those that there are: the ones asked for, or all but those of other roles.

    Raises
    ------
    InputError
        If one is not there, or has two roles, or there is none.
    InputTypeError
        If a name is no text.
    """
    if isinstance(columns, str):
        raise InputError(f"columns must be a list of names, not the text {columns!r}.")
    for name in [target, *([] if weight is None else [weight]), *([] if columns is None else columns)]:
        if not isinstance(name, str):
            raise InputTypeError(f"target, weight and columns are names of columns, which are text; {name!r} came.")
    roles = {"the target": target} | ({} if weight is None else {"the weight": weight})
    for role, name in roles.items():
        check_known(name, names, role)
    if target == weight:
        raise InputError(f"{target!r} cannot be both target and weight.")
    if columns is None:
        columns = [name for name in names if name not in {target, weight, left_out}]
    for name in columns:
        check_known(name, names, "a feature")
    clash = sorted(set(columns) & set(roles.values()))
    if clash or len(set(columns)) < len(columns):
        raise InputError(
            f"columns must be names, each once, other than target and weight; these came: {quoted(columns)}."
        )
    if not columns:
        raise InputError("there are no columns of features besides target and weight; give at least one.")
    return list(columns)


def refuse_words(columns: Sequence[str], schema: pl.Schema) -> None:
    """Raise where columns that should be numbers are of another type."""
    text = [name for name in columns if not is_numeric(schema[name])]
    if text:
        raise InputError(
            f"these columns are not numbers: {quoted(text)}. Name the columns to use with columns=, encode these, or "
            "use MixedNB, which takes words."
        )


def numbered(frames: Iterable[pl.DataFrame]) -> Iterator[Numbered]:
    """Frames with the numbers of their first rows."""
    row = 0
    for frame in frames:
        yield row, frame
        row += frame.height
