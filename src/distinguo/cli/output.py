"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distinguo.exceptions import InputError
from distinguo.rows.places import is_address, places_of


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place at the end; on an error it goes, and `path` stays.

    Of a link what it leads to is replaced.

    Raises
    ------
    InputError
        If nothing can be written there.
    """
    check_place(path)
    place = path.resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=path.suffix, dir=place.parent)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(_mode(place))
        temporary.replace(place)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Raise where a file of that name cannot be; before long work whose result would go there."""
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; name a file to write.")
    if not path.resolve().parent.is_dir():
        raise InputError(f"'{path}' cannot be written: there is no folder '{path.parent}'.")
    if path.exists() and not path.is_file():  # a device or a pipe, which a file would replace for all who use it
        raise InputError(f"'{path}' is a device or a pipe; name a file to write.")


def check_apart(path: Path, table: str) -> None:
    """Raise where a file would be written over the table that it is made from, or over one of its files."""
    sources = files_of(table)
    if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
        what = "the table itself" if len(sources) == 1 else f"one of the {len(sources)} files of the table"
        raise InputError(f"'{path}' is {what}, which would be lost; name another file to write.")


def files_of(table: str) -> list[Path]:
    """The files that a table is read from, as far as they lie here."""
    if is_address(table):
        return []
    try:
        return [Path(place.file) for place in places_of(table)]
    except InputError:  # one that comes along, standard input, texts, or nothing, which reading will tell
        return []


def stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written anew; None of one that is not there."""
    if not path.exists():
        return None
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _mode(path: Path) -> int:
    """The rights of the file replaced, or those that a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
