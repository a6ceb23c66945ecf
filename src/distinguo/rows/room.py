"""What all rows of a source take in memory, said before they are read."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

from distinguo.exceptions import InMemoryWarning, TooLargeError
from distinguo.rows.base import Size, Source

# Beside its numbers a row has a label, a weight and a place.
MORE_COLUMNS = 3
# While rows are brought together, they are there as they came and as they go.
TIMES = 2


def announce(source: Source) -> None:
    """Say how large the rows of a source are that a model needs in memory, all at once.

    Raises
    ------
    TooLargeError
        If they are more than the memory that is free.
    """
    size = source.size()
    if size is None:
        return
    needed = bytes_of(size)
    what = f"{'' if size.exact else 'about '}{size.rows:,} rows of {size.columns:,} columns, {in_words(needed)}"
    free = free_memory()
    if free is not None and lacks_room(size):
        raise TooLargeError(f"{what}, and twice that while they are read; {in_words(free)} are free")
    warnings.warn(f"this model holds all rows in memory: {what}.", InMemoryWarning, stacklevel=2)


def lacks_room(size: Size) -> bool:
    """Whether rows of that size are more than the memory that is free, where that is known."""
    free = free_memory()
    return free is not None and TIMES * bytes_of(size) > free


def bytes_of(size: Size) -> int:
    """What rows of that size take."""
    return 8 * size.rows * (size.columns + MORE_COLUMNS)


def in_words(size: float) -> str:
    """Bytes as people read them.

    Examples
    --------
    >>> in_words(1800), in_words(3.68e9)
    ('1.8 kB', '3.7 GB')
    """
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = next((power for power in range(len(units)) if size < 1000 ** (power + 1)), len(units) - 1)
    return f"{size / 1000**power:.{min(power, 1)}f} {units[power]}"


def free_memory() -> int | None:
    """Bytes that are free, where the system tells."""
    try:
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
    except OSError:
        return None
    return 1024 * int(found[1]) if found else None
