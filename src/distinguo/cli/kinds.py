"""What the name of a table leads to; asked before anything heavy is imported."""

from __future__ import annotations

from pathlib import Path

TABLES = {".parquet", ".arrow", ".feather", ".ipc", ".csv", ".tsv"}
COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}


def is_folder_of_texts(name: str) -> bool:
    """Whether a name is that of a folder whose files are texts: not all of them are tables.

    Files whose names, or whose folders' names, begin with a dot or an underscore say nothing, as those that programs
    put beside the parts of a table.
    """
    folder = Path(name)
    if not folder.is_dir():
        return False
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    kinds = (_is_table(path) for path in files if not any(part.startswith((".", "_")) for part in path.parts))
    return not (next(kinds, False) and all(kinds))


def _is_table(path: Path) -> bool:
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSED else path).suffix.lower() in TABLES
