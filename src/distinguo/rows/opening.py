"""From a path to frames, by the format that its name tells."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.columnar import READERS, ColumnarFrames
from distinguo.rows.delimited import DelimitedFrames, spool_standard_input
from distinguo.rows.frames import STANDARD_INPUT, Frames
from distinguo.rows.places import TEXT_SUFFIXES, PathLike, Place, local_copy, places_of

DEFAULT_NULLS = ("", "NA", "NaN", "nan")


def open_frames(
    path: PathLike,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    nulls: Sequence[str] = DEFAULT_NULLS,
    batch_rows: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Frames:
    r"""The rows of files as data frames, a batch at a time, however large the files.

    Text files give text, cell for cell as written (007 stays 007), with missing cells null; `numbers` turns a column
    into numbers. Parquet and Arrow files give columns of their own types. Folders named as in ``year=2024`` give a
    column each.

    Parameters
    ----------
    path : a file, a pattern such as ``rows/*.parquet``, a folder of tables, an address such as
        ``s3://bucket/rows/*.parquet``, a list of these, or "-" for standard input. The name's end tells the format:
        .csv, .tsv, .txt (also with .gz, .bz2 or .xz) and no ending are text; .parquet; .arrow, .feather and .ipc are
        Arrow's file format. Standard input, and text at an address, is kept in a temporary file.
    delimiter : one character; None takes the comma, semicolon, tab or bar that divides the header (a tab in .tsv).
    decimal : the decimal mark in text files, "." or ",".
    nulls : cells of text files that mean missing, quoted or not.
    batch_rows : most rows in a frame; by default as many as make some megabytes.
    storage_options : what an object store asks for, as in Polars' scan_parquet.

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
    if storage_options is not None and not isinstance(storage_options, Mapping):
        raise InputTypeError(
            f"storage_options is a mapping, as Polars' scan_parquet takes it; {storage_options!r} came."
        )
    if path == STANDARD_INPUT:
        return _copied([Place(spool_standard_input())], ["standard input"], delimiter, decimal, nulls, batch_rows)
    places = places_of(path, storage_options)
    suffixes = {place.suffix for place in places}
    if suffixes <= TEXT_SUFFIXES:
        delimiter = delimiter or ("\t" if suffixes == {".tsv"} else None)
        if any(isinstance(place.file, str) for place in places):
            copies = [_copy(place, storage_options) for place in places]
            return _copied(copies, [str(place.file) for place in places], delimiter, decimal, nulls, batch_rows)
        return DelimitedFrames(places, delimiter, decimal, nulls, batch_rows)
    readers = {READERS.get(suffix) for suffix in suffixes}
    if len(readers) > 1 or None in readers:
        known = ", ".join([*sorted(TEXT_SUFFIXES - {""}), *READERS])
        raise InputError(
            f"files must all be of one format, told by their endings {known}; these end in {sorted(suffixes)}."
        )
    if (delimiter, decimal, tuple(nulls)) != (None, ".", DEFAULT_NULLS):
        raise InputError(
            f"delimiter, decimal and nulls are for text files; {places[0].file} has typed cells. Leave them out."
        )
    return ColumnarFrames(places, batch_rows, storage_options)


def _copy(place: Place, storage: Mapping[str, Any] | None) -> Place:
    """A place on this machine with the same rows."""
    return Place(local_copy(place.file, storage), place.parts) if isinstance(place.file, str) else place


def _copied(
    places: Sequence[Place],
    labels: Sequence[str],
    delimiter: str | None,
    decimal: str,
    nulls: Sequence[str],
    batch_rows: int | None,
) -> Frames:
    """Frames of files of which those in temporary folders go with the frames; called in messages as they were."""
    files = [Path(place.file) for place in places]
    names = dict(zip(files, labels, strict=True))
    temporary = [file for file, label in names.items() if str(file) != label]
    try:
        frames = DelimitedFrames(places, delimiter, decimal, nulls, batch_rows, labels=names)
    except InputError:
        _remove(temporary)
        raise
    weakref.finalize(frames, _remove, temporary)
    return frames


def _remove(files: Sequence[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _check_options(delimiter: str | None, decimal: str, batch_rows: int | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        raise InputError(f"delimiter must be one ASCII character other than a quote or a line end, not {delimiter!r}.")
    if decimal not in {".", ","}:
        raise InputError(f"decimal must be '.' or ',', not {decimal!r}.")
    if batch_rows is not None:
        check_whole(batch_rows, "batch_rows")


def check_whole(value: Any, name: str) -> None:
    """Raise unless an option is a whole number of at least 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1, not {value!r}.")
