"""The most memory that a fit holds at once, beyond its input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import resident
from benchmarks.harness import Row, Scale, class_clouds, within
from benchmarks.resident import MIB

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
    if not resident.measurable():
        print("memory: left out, peaks are read from Linux's /proc")
        return
    for model in STATISTIC:
        for kind in INPUTS:
            yield _row(model, kind, scale.rows(500_000), 50)
    yield _row("qda", "float64, C order", scale.rows(20_000), 50 if scale.quick else 1000)


def _row(model: str, kind: str, n: int, p: int, K: int = 10) -> Row:
    extra = resident.apart("benchmarks.problems.memory", model, kind, n, p, K)
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
    return resident.growth(lambda: getattr(distinguo, model)().fit(rows, y))


if __name__ == "__main__":
    print(peak(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
