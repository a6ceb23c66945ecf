"""The classes of one pass over files, in the order in which they are met."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import encode_labels


@dataclass(frozen=True, slots=True)
class Spelling:
    """A way in which text says that its labels are something else than text."""

    what: str
    pattern: re.Pattern[str]
    convert: Callable[[str], Any]


# As pandas reads them, except that leading zeros make a code, not a number.
SPELLINGS = (
    Spelling("whole numbers", re.compile(r"0|-?[1-9][0-9]{0,17}"), int),
    Spelling("whole numbers written with .0", re.compile(r"0\.0|-?[1-9][0-9]{0,14}\.0"), float),
    Spelling("truth values", re.compile(r"True|False|TRUE|FALSE|true|false"), lambda text: text.lower() == "true"),
)
TEXT = Spelling("text", re.compile(r".*", re.DOTALL), str)


@dataclass(slots=True)
class Vocabulary:
    """Labels into codes that stay as they are while classes are added.

    Attributes
    ----------
    target : the column's name, for messages.
    spelling : how text is to be read, or None to let the first batch decide.
    classes : (K,) the labels so far; the same object until there is a new one.

    Examples
    --------
    >>> vocabulary = Vocabulary("y")
    >>> vocabulary.codes(pl.Series(["2", "1", "2"]), 0).tolist(), vocabulary.classes.tolist()
    ([0, 1, 0], [2, 1])
    """

    target: str
    spelling: Spelling | None = None
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=object))
    _codes: dict[Any, int] = field(default_factory=dict)
    _places: dict[Any, int] = field(default_factory=dict)

    def codes(self, labels: pl.Series, first_row: int) -> NDArray[np.intp]:
        """(n,) places in `classes` of the labels of one batch."""
        if labels.dtype.is_nested() or labels.dtype in {pl.Int128, pl.UInt128}:
            raise InputTypeError(
                f"the target {self.target!r} is of type {labels.dtype}; labels are text, whole numbers of at most 64 "
                "bits, truth values or dates. Convert it to one of these."
            )
        labels = _plain(labels)
        if labels.null_count():
            row = first_row + int(labels.is_null().arg_max() or 0)
            raise InputError(
                f"the target {self.target!r} is missing in row {row}; rows count from 0. Leave such rows out, or give "
                "them a class."
            )
        placed = self._placed(labels)
        if placed is not None:
            return placed
        found = labels.unique(maintain_order=True)
        new = [place for place, label in enumerate(found.to_list()) if label not in self._codes]
        if new:
            self._add(found[new], labels, first_row)
        known = [self._codes[label] for label in found.to_list()]
        return labels.replace_strict(found, known, return_dtype=pl.Int64).to_numpy().astype(np.intp, copy=False)

    def _placed(self, labels: pl.Series) -> NDArray[np.intp] | None:
        """The same of text that was all met before, three times as fast; else None."""
        if labels.dtype != pl.String or not self._codes:
            return None
        places = labels.cast(pl.Enum(list(self._codes)), strict=False)
        if places.null_count():
            return None
        codes: NDArray[np.intp] = np.fromiter(self._codes.values(), np.intp)[places.to_physical().to_numpy()]
        return codes

    def _add(self, new: pl.Series, labels: pl.Series, first_row: int) -> None:
        """Give each new label a code; two spellings of one value share it."""
        values = self._converted(new, labels, first_row) if new.dtype == pl.String else new.to_numpy()
        encode_labels(values)  # for what it refuses, such as measurements
        fresh = []
        for label, value in zip(new.to_list(), values.tolist(), strict=True):
            if value not in self._places:
                self._places[value] = len(self._places)
                fresh.append(value)
            self._codes[label] = self._places[value]
        added = np.array(fresh, dtype=values.dtype)
        self.classes = np.concatenate([self.classes, added]) if len(self.classes) else added

    def _converted(self, new: pl.Series, labels: pl.Series, first_row: int) -> NDArray[Any]:
        """Labels of the type that their spelling says."""
        texts = new.to_list()
        if self.spelling is None:
            self.spelling = _spelling(texts)
        for text in texts:
            if not self.spelling.pattern.fullmatch(text):
                row = first_row + int((labels == text).arg_max() or 0)
                raise InputError(
                    f"the target {self.target!r} is {text!r} in row {row}, and the labels before it were "
                    f"{self.spelling.what}; rows count from 0. To take them all as text, scan with labels='text'."
                )
        return np.array([self.spelling.convert(text) for text in texts])


def spelling_of(labels: pl.Series) -> Spelling | None:
    """How labels that are text say that they are something else; None where there is none to tell."""
    texts = labels.drop_nulls().unique(maintain_order=True).to_list()
    return _spelling(texts) if texts else None


def _spelling(texts: list[str]) -> Spelling:
    spellings = (spelling for spelling in SPELLINGS if all(spelling.pattern.fullmatch(text) for text in texts))
    return next(spellings, TEXT)


def _plain(labels: pl.Series) -> pl.Series:
    """Categories as their text, and NaN as missing."""
    if labels.dtype in {pl.Categorical, pl.Enum}:
        return labels.cast(pl.String)
    return labels.fill_nan(None) if labels.dtype.is_float() else labels
