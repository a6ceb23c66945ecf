"""Rows in Parquet files, made in parts so that they are never held whole, and removed afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from benchmarks.harness import class_clouds

TARGET = "y"


@contextmanager
def parquet_files(n: int, p: int, K: int, files: int) -> Iterator[list[Path]]:
    """Files that share n rows of p columns evenly, in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="rows-on-disk-") as folder:
        paths = [Path(folder) / f"{i:02}.parquet" for i in range(files)]
        for seed, path in enumerate(paths):
            X, y = class_clouds(n // files, p, K, seed=7)  # the classes are where they are in every file
            rows = pl.DataFrame({f"x{j}": X[:, j] + 1e-6 * seed for j in range(p)} | {TARGET: y})
            rows.with_columns(pl.col(TARGET).cast(pl.String)).write_parquet(path)
            del X, y, rows
        yield paths
