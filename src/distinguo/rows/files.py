"""Rows in files: CSV and its kin, Parquet and Arrow, streamed in batches."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, Source
from distinguo.rows.columnar import ColumnarFrames
from distinguo.rows.delimited import DelimitedFrames, spool_standard_input
from distinguo.rows.frames import STANDARD_INPUT, Frames, PathLike, check_known, expand, quoted
from distinguo.rows.numbers import is_numeric, number_block, numbers
from distinguo.rows.tables import block_rows
from distinguo.rows.validation import check_weight_values, has_holes
from distinguo.rows.vocabulary import TEXT, Vocabulary

DEFAULT_NULLS = ("", "NA")

_TEXT_SUFFIXES = {"", ".csv", ".tsv", ".txt"}
_COLUMNAR: dict[str, Callable[..., pl.LazyFrame]] = {
    ".parquet": pl.scan_parquet,
    ".arrow": pl.scan_ipc,
    ".feather": pl.scan_ipc,
    ".ipc": pl.scan_ipc,
}
_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}


def open_frames(
    path: PathLike,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    nulls: Sequence[str] = DEFAULT_NULLS,
    batch_rows: int | None = None,
) -> Frames:
    r"""The rows of files as data frames, a batch at a time, however large the files.

    Text files give text, cell for cell as written (007 stays 007), with missing cells null; `numbers` turns a column
    into numbers. Parquet and Arrow files give columns of their own types.

    Parameters
    ----------
    path : a file, a pattern such as ``rows/*.parquet``, a list of either, or "-" for standard input. The name's end
        tells the format: .csv, .tsv, .txt (also with .gz, .bz2 or .xz) and no ending are text; .parquet; .arrow,
        .feather and .ipc are Arrow's file format. Standard input is text, kept in a temporary file.
    delimiter : one character; None takes the comma, semicolon, tab or bar that divides the header (a tab in .tsv).
    decimal : the decimal mark in text files, "." or ",".
    nulls : cells of text files that mean missing, quoted or not.
    batch_rows : most rows in a frame; by default as many as make some megabytes.

    Raises
    ------
    InputError
        If a file is not there, is empty, is not of its format or not UTF-8, has a column without a name or two of one
        name, or other columns than the first file. While rows are read: if a line has too few or too many fields. A
        first column without a name is taken to hold row names, and called "row".

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.csv"
    ...     _ = file.write_text("id;x\n007;1,5\n008;NA\n")
    ...     frames = open_frames(file, decimal=",")
    ...     frames.names, [frame.rows() for frame in frames.frames()]
    (['id', 'x'], [[('007', '1,5'), ('008', None)]])
    """
    _check_options(delimiter, decimal, batch_rows)
    if path == STANDARD_INPUT:
        spool = spool_standard_input()
        try:
            frames = DelimitedFrames([spool], delimiter, decimal, nulls, batch_rows, label="standard input")
        except InputError:
            spool.unlink()
            raise
        weakref.finalize(frames, spool.unlink)
        return frames
    files = expand(path)
    suffixes = {_suffix(file) for file in files}
    if suffixes <= _TEXT_SUFFIXES:
        return DelimitedFrames(files, delimiter or ("\t" if suffixes == {".tsv"} else None), decimal, nulls, batch_rows)
    readers = {_COLUMNAR.get(suffix) for suffix in suffixes}
    reader = readers.pop()
    if readers or reader is None:
        known = ", ".join([*sorted(_TEXT_SUFFIXES - {""}), *_COLUMNAR])
        raise InputError(
            f"files must all be of one format, told by their endings {known}; these end in {sorted(suffixes)}."
        )
    if (delimiter, decimal, tuple(nulls)) != (None, ".", DEFAULT_NULLS):
        raise InputError(
            f"delimiter, decimal and nulls are for text files; {files[0]} has typed cells. Leave them out."
        )
    return ColumnarFrames(files, reader, batch_rows)


def _check_options(delimiter: str | None, decimal: str, batch_rows: int | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        raise InputError(f"delimiter must be one ASCII character other than a quote or a line end, not {delimiter!r}.")
    if decimal not in {".", ","}:
        raise InputError(f"decimal must be '.' or ',', not {decimal!r}.")
    if batch_rows is not None and batch_rows < 1:
        raise InputError(f"batch_rows must be at least 1, not {batch_rows}.")


def _suffix(file: Path) -> str:
    """The end of a name that tells the format, that of a compression left aside."""
    name = file.with_suffix("") if file.suffix.lower() in _COMPRESSED else file
    return name.suffix.lower()


class FileSource(Source):
    r"""Labelled rows in files, passed over in batches; `scan` makes one.

    Parameters
    ----------
    frames : the files.
    target : the column of labels.
    weight : the column of frequencies, or None.
    columns : the columns of features; by default all but `target`, `weight` and row names.
    labels : "auto" or "text", as in `scan`.
    batch_rows : most rows in a batch; by default as many as fit the processor's cache.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.csv"
    ...     _ = file.write_text("x,y\n1.5,a\n2.5,b\n")
    ...     source = FileSource(open_frames(file), "y")
    ...     [(batch.X.tolist(), batch.codes.tolist(), batch.classes.tolist()) for batch in source.batches()]
    [([[1.5], [2.5]], [0, 1], ['a', 'b'])]
    """

    def __init__(
        self,
        frames: Frames,
        target: str,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        labels: Literal["auto", "text"] = "auto",
        batch_rows: int | None = None,
    ) -> None:
        if labels not in {"auto", "text"}:
            raise InputError(f"labels must be 'auto' or 'text', not {labels!r}.")
        self._frames = frames
        self._target, self._weight, self._labels = target, weight, labels
        self._columns = _feature_columns(frames, target, weight, columns)
        self._batch_rows = batch_rows or block_rows(len(self._columns))
        self._names = np.array(self._columns, dtype=object)

    @property
    def feature_names(self) -> NDArray[Any]:
        """(p,) names of the columns."""
        return self._names

    def batches(self) -> Iterator[Batch]:
        """One pass over the rows, in their order.

        `classes` grows as labels are met, in that order, and is the same array until there is a new one.
        """
        vocabulary = Vocabulary(self._target, TEXT if self._labels == "text" else None)
        roles = [self._target] if self._weight is None else [self._target, self._weight]
        row, weighted = 0, self._weight is None
        for frame in self._frames.frames([*self._columns, *roles]):
            for part in frame.iter_slices(self._batch_rows):
                batch = self._batch(part, row, vocabulary)
                weighted = weighted or (batch.weight is not None and bool(batch.weight.any()))
                row += part.height
                yield batch
        if row == 0:
            raise InputError("the table is empty: it has a header and no rows. Give at least one row.")
        if not weighted:
            raise InputError(f"every weight in {self._weight!r} is zero; at least one row must count.")

    def _batch(self, part: pl.DataFrame, row: int, vocabulary: Vocabulary) -> Batch:
        """Some rows, checked and converted."""
        decimal = self._frames.decimal
        X = number_block(part[self._columns], decimal, row)
        codes = vocabulary.codes(part[self._target], row)
        weight = None
        if self._weight is not None:
            weight = check_weight_values(numbers(part[self._weight], decimal, row), row)
        return Batch(X, codes, vocabulary.classes, weight, row, self._names, has_holes(X, row, self._names))


def _feature_columns(frames: Frames, target: str, weight: str | None, columns: Sequence[str] | None) -> list[str]:
    """The columns of features, known to exist and to be numbers where the file says their type."""
    names = frames.names
    roles = {"the target": target} | ({} if weight is None else {"the weight": weight})
    for role, name in roles.items():
        check_known(name, names, role)
    if target == weight:
        raise InputError(f"{target!r} cannot be both target and weight.")
    if isinstance(columns, str):
        raise InputError(f"columns must be a list of names, not the text {columns!r}.")
    if columns is None:
        left_out = {target, weight, frames.row_names}
        columns = [name for name in names if name not in left_out]
    for name in columns:
        check_known(name, names, "a feature")
    clash = sorted(set(columns) & set(roles.values()))
    if clash or len(set(columns)) < len(columns):
        raise InputError(
            f"columns must be names, each once, other than target and weight; these came: {quoted(columns)}."
        )
    if not columns:
        raise InputError("there are no columns of features besides target and weight; give at least one.")
    text = [] if frames.is_text else [name for name in columns if not is_numeric(frames.schema()[name])]
    if text:
        raise InputError(
            f"these columns are not numbers: {quoted(text)}. Name the columns to use with columns=, or encode these."
        )
    return list(columns)


def scan(
    path: PathLike,
    target: str,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    nulls: Sequence[str] = DEFAULT_NULLS,
    labels: Literal["auto", "text"] = "auto",
    batch_rows: int | None = None,
) -> FileSource:
    r"""Rows in CSV, TSV, Parquet or Arrow files as a source to fit on, read in batches and never held whole.

    Only the header, or the schema, is read here; each pass of a fit reads the rows.

    Parameters
    ----------
    path : a file, a pattern such as ``rows/*.parquet``, a list of either, or "-" for standard input; see
        `open_frames` for the formats.
    target : the column of labels. Typed labels stay of their type. In text files, the labels of the first batch decide
        for all: if each is a whole number without leading zeros they are int64, if each ends in .0 they are float64,
        if each is True or False (also in capitals or small letters) they are booleans, else they are text.
    weight : the column of frequencies, or None where every row counts once.
    columns : the columns of features, in this order; by default all but `target` and `weight`, and but the row names
        that stand in a first column without a name.
    delimiter : one character; None takes the comma, semicolon, tab or bar that divides the header.
    decimal : the decimal mark in text files, "." or ",".
    nulls : cells of text files that mean missing; a missing feature is NaN.
    labels : "auto" as said above, or "text" to take the labels of text files as they are written.
    batch_rows : most rows in a batch; by default as many as fit the processor's cache.

    Raises
    ------
    InputError
        If files or columns are not there, or a feature is not numeric. While rows are read: if the table is empty, a
        label is missing, a line has too few or too many fields, or a feature or weight is no number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.csv"
    ...     _ = file.write_text("x,z,species\n1.5,NA,1\n2.5,0,2\n")
    ...     source = scan(file, target="species")
    ...     source.feature_names.tolist(), [batch.X.tolist() for batch in source.batches()]
    (['x', 'z'], [[[1.5, nan], [2.5, 0.0]]])
    """
    frames = open_frames(path, delimiter=delimiter, decimal=decimal, nulls=nulls, batch_rows=batch_rows)
    return FileSource(frames, target, weight, columns, labels, batch_rows)
