"""The most memory that a fit holds at once, beyond its input."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Row, Scale, class_clouds, within

MIB = 2**20
SLACK = 64 * MIB

# What is kept a class or in all, in numbers of 8 bytes: weight, mean, scatter.
STATISTIC: dict[str, Callable[[int, int], int]] = {
    "lda": lambda p, K: K + K * p + p * p,
    "qda": lambda p, K: K + K * p + K * p * p,
    "gaussian_nb": lambda p, K: K + 2 * K * p,
}


def _frame(X: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame({f"x{j}": X[:, j].copy() for j in range(X.shape[1])})


INPUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "float64, C order": lambda X: X,
    "float64, Fortran order": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "pandas": _frame,
}


def measure(scale: Scale) -> Iterator[Row]:
    """Peak resident memory in a process of its own: at most 64 MiB and three times the statistic beyond the input."""
    if not Path("/proc/self/clear_refs").exists():
        print("memory: left out, peaks are read from Linux's /proc")
        return
    for model in STATISTIC:
        for kind in INPUTS:
            yield _row(model, kind, scale.rows(500_000), 50)
    yield _row("qda", "float64, C order", scale.rows(20_000), 50 if scale.quick else 1000)


def _row(model: str, kind: str, n: int, p: int, K: int = 10) -> Row:
    command = [sys.executable, "-m", "benchmarks.problems.memory", model, kind, str(n), str(p), str(K)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed: {run.stderr.strip()}")
    extra = int(run.stdout)
    allowed = SLACK + 3 * 8 * STATISTIC[model](p, K)
    return within(f"{model}, fit, {n} x {p}, {K} classes, {kind}", extra / MIB, round(allowed / MIB, 1), "MiB")


def peak(model: str, kind: str, n: int, p: int, K: int) -> int:
    """Bytes that a fit held at its peak beyond what was there before it."""
    from benchmarks.peers import distinguo

    # Compiled kernels and late imports are no part of the fit.
    X, y = class_clouds(100 * K, 10, K)
    getattr(distinguo, model)().fit(INPUTS[kind](X), y)
    X, y = class_clouds(n, p, K)
    rows = INPUTS[kind](X)
    del X
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what was freed counts again when the fit takes it
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is held now
    before = _status("VmRSS")
    getattr(distinguo, model)().fit(rows, y)
    return _status("VmHWM") - before


def _status(field: str) -> int:
    """A line of this process's status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in the process status")


if __name__ == "__main__":
    print(peak(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
