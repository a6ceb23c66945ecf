"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distinguo.exceptions import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place at the end; on an error it goes, and `path` stays.

    Raises
    ------
    InputError
        If nothing can be written there.
    """
    check_place(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Raise where a file of that name cannot be; before long work whose result would go there."""
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; name a file to write.")
    if not path.parent.is_dir():
        raise InputError(f"'{path}' cannot be written: there is no folder '{path.parent}'.")


def check_apart(path: Path, source: Path, what: str) -> None:
    """Raise where a file would be written over the one that it is made from."""
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(f"'{path}' is {what}, which would be lost; name another file to write.")


def _mode(path: Path) -> int:
    """The rights of the file replaced, or those that a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
