"""Files that must stay as they were when they were opened: a model passes over them more than once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from distinguo.exceptions import InputError
from distinguo.rows.places import Located

# Bytes, and when they were last written.
Stamp = tuple[int, int]


@dataclass(frozen=True)
class Unchanged:
    """What the files of this machine were like when they were opened; objects of a store are not asked again.

    Attributes
    ----------
    stamps : of each file.
    """

    stamps: dict[Path, Stamp]

    @classmethod
    def of(cls, files: Iterable[Located]) -> Unchanged:
        """As the files are now."""
        return cls({file: _stamp(file) for file in files if isinstance(file, Path)})

    def check(self, file: Located) -> None:
        """Raise where a file is gone, or was written since."""
        if not isinstance(file, Path):
            return
        before, now = self.stamps[file], _stamp(file)
        if now != before:
            raise InputError(
                f"{file} was written after it was opened ({before[0]} bytes then, {now[0]} now), so passes over it "
                "would not see the same rows. Open it again, as by scan(), once it stays as it is."
            )


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    return found.st_size, found.st_mtime_ns
