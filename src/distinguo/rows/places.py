"""Where rows lie: files, patterns, folders in parts, and addresses of object stores."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import polars as pl

from distinguo.exceptions import InputError, InputTypeError

PathLike = str | Path | Sequence[str | Path]
Located = Path | str

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
# The parts of folders that writers of partitioned tables make, and how they write a missing value.
_PART = re.compile(r"([^=/]+)=([^/]*)")
MISSING_PART = "__HIVE_DEFAULT_PARTITION__"
TEXT_SUFFIXES = {"", ".csv", ".tsv", ".txt"}
COLUMNAR_SUFFIXES = {".parquet", ".arrow", ".feather", ".ipc"}
_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}
# The ends of names by which the tables of a folder of an object store are found.
_LISTED = (".parquet", ".arrow", ".feather", ".ipc", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_LISTERS = {
    ".parquet": partial(pl.scan_parquet, hive_partitioning=False, missing_columns="insert", extra_columns="ignore"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), partial(pl.scan_ipc, hive_partitioning=False)),
}
_NOTHING_FOUND = "expanded paths were empty"
# What Polars raises of a file that is not as it should be; of some damage its own code panics.
# ValueError is of storage options.
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Place:
    """One file.

    Attributes
    ----------
    file : its path, or its address as text.
    parts : what the folders it lies in say of its rows, as in ``year=2024``; None for a missing value.
    """

    file: Located
    parts: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        """The end of its name that tells the format, that of a compression left aside."""
        name = PurePosixPath(urlsplit(self.file).path) if isinstance(self.file, str) else self.file
        if name.suffix.lower() in _COMPRESSED:
            name = name.with_suffix("")
        return name.suffix.lower()


def is_address(path: object) -> bool:
    """Whether a path is an address, such as s3://bucket/rows.parquet.

    Examples
    --------
    >>> is_address("s3://bucket/rows.parquet"), is_address("rows.parquet"), is_address(Path("a"))
    (True, False, False)
    """
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def places_of(path: PathLike, storage: Mapping[str, Any] | None = None) -> list[Place]:
    """The files meant by a path, a pattern such as ``rows/*.csv``, a folder, an address, or a list of these.

    A folder stands for the tables below it, those whose names begin with a dot or an underscore passed over; the files
    of a folder and of a pattern are sorted.

    Raises
    ------
    InputError
        If there is no such file.
    InputTypeError
        If one is no path.
    """
    entries = [path] if isinstance(path, str | Path) else list(path) if isinstance(path, Iterable) else [path]
    for entry in entries:
        if not isinstance(entry, str | Path) or not str(entry):
            raise InputTypeError(f"files are given as paths, patterns or addresses, or a list of these; {path!r} came.")
    places = [place for entry in entries for place in _places(entry, storage)]
    if not places:
        raise InputError("the list of files is empty; name at least one.")
    return places


def _places(entry: str | Path, storage: Mapping[str, Any] | None) -> list[Place]:
    """A file that exists is taken by its name, whatever characters are in it."""
    if isinstance(entry, str) and is_address(entry):
        return _addresses(entry, storage)
    entry = os.path.expanduser(str(entry))  # a shell leaves a ~ in quotes as it is
    file = Path(entry)
    if file.is_dir():
        return _below(file)
    if file.exists():
        return [Place(file)]
    found = sorted(Path(name) for name in glob.glob(entry, recursive=True) if not Path(name).is_dir())
    if not found:
        what = "no file matches" if glob.has_magic(entry) else "there is no file"
        hint = " Brackets in a pattern mean one of the characters in them; [[] means [." if "[" in entry else ""
        raise InputError(f"{what} '{entry}'.{hint}")
    given = _first_magic(file.parts)
    return [Place(name, _parts(name.parts[given:-1])) for name in found]


def _first_magic(parts: Sequence[str]) -> int:
    """The place of the first part of a path that is a pattern."""
    return next(i for i, part in enumerate(parts) if glob.has_magic(part))


def _below(folder: Path) -> list[Place]:
    """The tables below a folder."""
    try:
        found = sorted(_files_below(folder))
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    places = [Place(path, _parts(path.relative_to(folder).parts[:-1])) for path in found]
    tables = [place for place in places if place.suffix in (TEXT_SUFFIXES | COLUMNAR_SUFFIXES) - {""}]
    if not tables:
        raise InputError(
            f"{folder} is a folder without tables (files that end in .parquet, .arrow, .feather, .ipc, .csv, .tsv or "
            ".txt); name the files."
        )
    return tables


def _files_below(folder: Path, above: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """Files of a folder and those below, links followed but where they lead back up; of a dead link reading tells."""
    real = folder.resolve()
    if real in above:
        return
    for path in folder.iterdir():
        if _is_hidden(path.relative_to(folder)):
            continue
        if path.is_dir():
            yield from _files_below(path, above | {real})
        elif path.is_file() or not path.exists():
            yield path


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _parts(folders: Sequence[str]) -> dict[str, str | None]:
    """What the names of folders say, as in ``year=2024``."""
    found = (_PART.fullmatch(folder) for folder in folders)
    values = {unquote(match[1]): unquote(match[2]) for match in found if match}
    return {name: None if value == MISSING_PART else value for name, value in values.items()}


def _addresses(address: str, storage: Mapping[str, Any] | None) -> list[Place]:
    """One file, or those that match a pattern or lie in a folder, as Polars finds them."""
    is_folder = address.endswith("/")
    if not is_folder and not glob.has_magic(urlsplit(address).path):
        return [Place(address)]
    patterns = [f"{address}**/*{end}" for end in _LISTED] if is_folder else [address]
    found = [place for pattern in patterns for place in _matching(pattern, storage)]
    if not found:
        what = "is a folder without tables" if is_folder else "matches no file"
        raise InputError(f"{address} {what}, or they have no rows.")
    return found


def _matching(pattern: str, storage: Mapping[str, Any] | None) -> list[Place]:
    """The files of an object store that match a pattern; those with names that begin with _ or . are passed over."""
    suffix, name = Place(pattern).suffix, "distinguo file"
    rows = _LISTERS.get(suffix, pl.scan_lines)(pattern, storage_options=_options(storage), include_file_paths=name)
    try:
        files = rows.select(pl.col(name).unique()).collect()[name].sort().to_list()
    except UNREADABLE as error:
        if _NOTHING_FOUND in str(error):
            return []
        raise InputError(f"{pattern} cannot be read ({first_line(error)}).") from None
    given = _first_magic(PurePosixPath(pattern).parts)
    below = [(file, PurePosixPath(file).parts[given:]) for file in files]
    return [Place(file, _parts(parts[:-1])) for file, parts in below if not _is_hidden(PurePosixPath(*parts))]


def _options(storage: Mapping[str, Any] | None) -> Any:
    return None if storage is None else dict(storage)


def local_copy(address: str, storage: Mapping[str, Any] | None) -> Path:
    """Text at an address as a temporary file, which its reader deletes.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    with tempfile.NamedTemporaryFile(prefix="distinguo-", suffix=".csv", delete=False) as file:
        copy = Path(file.name)
    try:
        lines = pl.scan_lines(address, glob=False, storage_options=_options(storage))
        lines.sink_csv(copy, include_header=False, quote_style="never")
    except UNREADABLE as error:
        copy.unlink()
        hint = "" if PurePosixPath(urlsplit(address).path).suffix else " The address of a folder ends in '/'."
        raise InputError(f"{address} cannot be read ({first_line(error)}).{hint}") from None
    except BaseException:
        copy.unlink()
        raise
    return copy


def first_line(error: BaseException) -> str:
    """One line of what Polars says, without the page that a server sent."""
    return str(error).strip().partition("\n")[0].partition(": <?xml")[0]
