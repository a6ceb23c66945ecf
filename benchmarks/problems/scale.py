"""Rows in files larger than a fit may hold: time beside reading them, memory, and how both grow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import resident
from benchmarks.harness import Row, Scale, faster, not_over, take_turns, within
from benchmarks.resident import MIB
from benchmarks.rows_on_disk import TARGET, parquet_files

P, K, FILES = 20, 3, 16
READING = "reading, and means by Polars"
# What a fit may hold, whatever the size of the files.
MOST_MEMORY = 1024
GROWTH = (1, 2, 4, 8)


def _models() -> dict[str, Callable[[], Any]]:
    from distinguo import (
        GaussianNB,
        LeastSquaresClassifier,
        LinearDiscriminantAnalysis,
        LogisticRegression,
        QuadraticDiscriminantAnalysis,
    )

    return {
        "gaussian_nb": GaussianNB,
        "lda": LinearDiscriminantAnalysis,
        "qda": QuadraticDiscriminantAnalysis,
        "least_squares": LeastSquaresClassifier,
        "logistic": LogisticRegression,
    }


# The models of one pass over the rows.
ONE_PASS = ("gaussian_nb", "lda", "qda", "least_squares")


def measure(scale: Scale) -> Iterator[Row]:
    """Fits from Parquet files with two workers, beside Polars' reading them and taking the means of their columns."""
    n = FILES * scale.rows(1_250_000)
    with parquet_files(n, P, K, FILES) as files:
        yield from _beside_reading(files, n, scale)
        if resident.measurable():
            yield from _memory(files, n)
        yield from _growth(files, n, scale)


def fit(model: str, files: Sequence[Path], workers: int = 2) -> None:
    """One fit of all rows of the files."""
    from distinguo import scan

    _models()[model]().fit(scan(list(files), TARGET, workers=workers))


def read(files: Sequence[Path]) -> pl.DataFrame:
    """The means of all columns of numbers."""
    return pl.scan_parquet(list(files)).select(pl.selectors.numeric().mean()).collect()


def _beside_reading(files: Sequence[Path], n: int, scale: Scale) -> Iterator[Row]:
    contestants: dict[str, Callable[[], object]] = {READING: lambda: read(files)}
    contestants |= {model: lambda model=model: fit(model, files) for model in ONE_PASS}  # type: ignore[misc]
    seconds = take_turns(contestants, repeats=scale.repeats(5))
    for model in ONE_PASS:
        yield not_over(f"{model}, fit from files, {n} x {P}", READING, seconds[model], seconds[READING], 2)


def _memory(files: Sequence[Path], n: int) -> Iterator[Row]:
    for model in _models():
        held = resident.apart("benchmarks.problems.scale", model, *files)
        yield within(f"{model}, peak of a fit from files, {n} x {P}", held / MIB, MOST_MEMORY, "MiB")


def _growth(files: Sequence[Path], n: int, scale: Scale) -> Iterator[Row]:
    """The same fit on one, two, four and eight times the rows, by one worker and by two."""
    step = FILES // GROWTH[-1]
    seconds = take_turns(
        {
            (workers, times): lambda workers=workers, times=times: fit("lda", files[: step * times], workers)
            for workers in (1, 2)
            for times in GROWTH
        },
        repeats=scale.repeats(3),
    )
    for workers in (1, 2):
        for times in GROWTH[1:]:
            work = f"lda, fit from files, {times} x the rows, workers={workers}"
            yield not_over(work, f"{n // GROWTH[-1]} rows", seconds[workers, times], seconds[workers, 1], 1.25 * times)
    for times in GROWTH:
        work = f"lda, fit from files, {n // GROWTH[-1] * times} rows, workers=2"
        yield faster(work, "workers=1", seconds[2, times], seconds[1, times], 1.5)


if __name__ == "__main__":
    import distinguo.rows.files  # noqa: F401  (what is imported is no part of the fit)

    chosen = [Path(path) for path in sys.argv[2:]]
    print(resident.growth(lambda: fit(sys.argv[1], chosen)))
