"""Texts in a column of files, streamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames, check_known
from distinguo.rows.opening import DEFAULT_NULLS, open_frames
from distinguo.rows.places import PathLike


class Texts:
    r"""A column of texts, read anew each time it is passed over and never held whole; `scan_texts` makes one.

    Parameters
    ----------
    frames : the files.
    column : the column with the texts.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "messages.csv"
    ...     _ = file.write_text("label,text\nspam,win money\nham,\n")
    ...     texts = Texts(open_frames(file), "text")
    ...     list(texts), texts.labels("label").tolist()
    (['win money', None], ['spam', 'ham'])
    """

    def __init__(self, frames: Frames, column: str) -> None:
        check_known(column, frames.names, "the text")
        kind = frames.schema()[column]
        if kind != pl.String:
            raise InputError(f"column {column!r} holds {kind}, not text; choose a column of text.")
        self._frames = frames
        self._column = column

    def __iter__(self) -> Iterator[str | None]:
        """The texts in their order; None where a cell is missing."""
        for frame in self._frames.frames([self._column]):
            yield from frame[self._column]

    def labels(self, target: str) -> NDArray[Any]:
        """(n,) another column as an array, such as the labels of the texts.

        Raises
        ------
        InputError
            If there is no such column.
        """
        check_known(target, self._frames.names, "the target")
        return np.concatenate([frame[target].to_numpy() for frame in self._frames.frames([target])])


def scan_texts(
    path: PathLike, column: str, *, delimiter: str | None = None, nulls: Sequence[str] = DEFAULT_NULLS
) -> Texts:
    r"""A column of texts in CSV, TSV, Parquet or Arrow files, for `TextCounts`, read a batch at a time.

    Parameters
    ----------
    path : a file, a pattern such as ``mails/*.parquet``, a list of either, or "-" for standard input.
    column : the column with the texts.
    delimiter : one character; None takes the one that divides the header.
    nulls : cells of text files that mean missing.

    Raises
    ------
    InputError
        If files or the column are not there, or the column does not hold text. While texts are read: if a file is not
        of its format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from distinguo import TextCounts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "messages.csv"
    ...     _ = file.write_text('label,text\nspam,"win money, money"\nham,lunch at noon?\n')
    ...     texts = scan_texts(file, "text")
    ...     TextCounts(max_df=1).fit_transform(texts).sum(axis=0).tolist()
    [1.0, 1.0, 2.0, 1.0, 1.0]
    """
    return Texts(open_frames(path, delimiter=delimiter, nulls=nulls), column)
