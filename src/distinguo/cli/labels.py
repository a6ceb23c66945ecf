"""The column of classes of a table: what its labels are, and whether they are classes at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.cli.cells import Spelling
from distinguo.exceptions import InputError

# Numbers with fractions are classes only where there are no more different ones than this.
MOST_FRACTIONS = 10
# More different labels than this are no classes, whatever the number of rows.
MOST_LABELS = 1 << 20

_ROWS = "rows"


class LabelColumn:
    """Labels as they are read, in parts or at once, and what is to be known of all.

    Parameters
    ----------
    target : the column's name.
    spelling : how its cells are read.

    Attributes
    ----------
    unlabelled : how many rows that take part had no label.
    rows : how many had one.
    dtype : of the labels as a column; null before some are read.
    """

    def __init__(self, target: str, spelling: Spelling) -> None:
        self._target, self._spelling = target, spelling
        self._counts: pl.DataFrame | None = None
        self._seen = self._taken = 0
        self.unlabelled = self.rows = 0
        self.dtype: Any = pl.Null()

    def read(self, series: pl.Series, met: pl.Series | None) -> tuple[NDArray[np.intp], NDArray[Any], int]:
        """Of some rows, of which those take part that are `met`: which (m,) have a label, these (m,), and how many not.

        Raises
        ------
        InputError
            If they are neither words nor numbers.
        """
        known, labels, missing = self.series(series, met)
        return known, as_array(labels), missing

    def series(self, series: pl.Series, met: pl.Series | None) -> tuple[NDArray[np.intp], pl.Series, int]:
        """The same with the labels as a column."""
        written = self._labels(series)
        there = written.is_not_null()
        taken = len(series) if met is None else int(met.sum())
        known = np.flatnonzero((there if met is None else there & met.fill_null(value=False)).to_numpy())
        self._seen, self._taken = self._seen + len(series), self._taken + taken
        self.unlabelled += taken - len(known)
        self.rows += len(known)
        raw = series if len(known) == len(series) else series.gather(known)
        self._count(raw)
        labels = written if len(known) == len(series) else written.gather(known)
        self.dtype = labels.dtype
        return known, labels, taken - len(known)

    def _labels(self, series: pl.Series) -> pl.Series:
        """The labels as they are written, null where one is missing; typed whole numbers and truth values as typed."""
        if series.dtype.is_integer() or series.dtype == pl.Boolean:
            return series  # as they are: past 2^53 different whole numbers may be one Float64
        if series.dtype == pl.String:
            return self._spelling.text(series)
        cells = self._spelling.read_column(series)
        if cells.unreadable:
            raise InputError(f"the target {self._target!r} holds {cells.unreadable}, neither words nor numbers.")
        if series.dtype == pl.Float32:  # written with as few digits as tell it from others of its type
            return series.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
        return cells.words()

    def _count(self, raw: pl.Series) -> None:
        """Count the labels, as they are written, besides those before."""
        name = self._target
        rows = pl.len().cast(pl.UInt64).alias(_ROWS)
        found = raw.alias(name).to_frame().group_by(name, maintain_order=True).agg(rows)
        if self._counts is not None:
            both = pl.concat([self._counts, found])
            found = both.group_by(name, maintain_order=True).agg(pl.col(_ROWS).sum())
        self._counts = found
        if found.height > MOST_LABELS:
            self._check_kind()
            raise InputError(
                f"the target {name!r} has more than {MOST_LABELS} different values, such as {found[name][0]!r}: names, "
                "not classes. Choose another --target."
            )

    def check(self, table: str) -> None:
        """Raise unless what was read are classes."""
        if self._seen and not self._taken:
            raise InputError(f"no row of {table!r} meets the condition of --where.")
        if not self.rows:
            raise InputError(f"the target {self._target!r} is missing in every row of {table!r}.")
        self._check_kind()

    def counts(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The labels (K,), sorted, and how many rows (K,) have each."""
        assert self._counts is not None
        written = self._counts[self._target]
        labels, places = np.unique(as_array(self._labels(written)), return_inverse=True)
        rows = np.bincount(places, self._counts[_ROWS].to_numpy().astype(np.float64), len(labels))
        return labels, rows.astype(np.int64)

    def _check_kind(self) -> None:
        """Raise where the labels are measurements, or names."""
        assert self._counts is not None
        written = self._counts[self._target]
        cells = self._spelling.read_column(written)
        numbers = cells.numbers.drop_nulls()
        if len(numbers) == len(written):
            fractions = bool((numbers != numbers.floor()).any())
            distinct = numbers.n_unique()
            if fractions and distinct > MOST_FRACTIONS:
                raise InputError(
                    f"the target {self._target!r} holds {distinct} different numbers such as {numbers[0]:.6g}: "
                    "measurements, not classes. Choose another --target, or cut the numbers into classes."
                )
        words = self._labels(written).cast(pl.String)
        distinct = words.n_unique()
        if 2 * distinct > self.rows > 20:
            raise InputError(
                f"the target {self._target!r} has {distinct} different values in {self.rows} rows, such as "
                f"{words[0]!r}: names, not classes. Choose another --target."
            )


def as_array(labels: pl.Series) -> NDArray[Any]:
    """(n,) the labels of a column."""
    values = labels.to_numpy()
    return values.astype(np.str_) if labels.dtype == pl.String else values
