"""The most memory that some work holds at once, as Linux counts it."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

MIB = 2**20
_PEAK = Path("/proc/self/clear_refs")


def measurable() -> bool:
    """Whether this machine tells a process's peak."""
    return _PEAK.exists()


def growth(work: Callable[[], object]) -> int:
    """Bytes that some work held at its peak beyond what this process held before it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what was freed counts again when the work takes it
    _PEAK.write_text("5")  # sets the peak back to what is held now
    before = _status("VmRSS")
    work()
    return _status("VmHWM") - before


def apart(module: str, *arguments: object) -> int:
    """The bytes that a module prints when it is run in a process of its own."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed: {run.stderr.strip()}")
    return int(run.stdout)


def _status(field: str) -> int:
    """A line of this process's status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in the process status")
