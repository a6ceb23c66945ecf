"""The table for people, the same as CSV, and the line that says on what it was measured."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy  # noqa: F401 (its BLAS is what threadpoolctl finds)
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_info

from benchmarks.harness import Row

WIDTH = 132
RESULTS = Path(__file__).parent / "results.csv"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "polars")
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def machine() -> str:
    """Processor, cores and versions."""
    blas = [
        f"{pool['internal_api']} {pool['version']} ({pool['num_threads']} threads)"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]
    libraries = [f"{name} {version(name)}" for name in LIBRARIES]
    cores = f"{os.cpu_count()} cores"
    python = f"Python {platform.python_version()}"
    return ", ".join([_processor(), cores, platform.system(), python, *libraries, *dict.fromkeys(blas)])


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def show(problem: str, title: str, rows: Sequence[Row]) -> None:
    """One problem's rows, as a table on the terminal."""
    table = Table(title=f"{problem}: {title}", title_justify="left", title_style="bold")
    for name in ("work", "beside", "ours", "theirs", "figure", "goal", ""):
        table.add_column(name, justify="right" if name in {"ours", "theirs", "figure", "goal"} else "left")
    for row in rows:
        table.add_row(
            row.work,
            row.peer,
            _quantity(row.ours, row.unit),
            "" if row.theirs is None else _quantity(row.theirs, row.unit),
            f"{row.figure:.3g} {row.figure_unit}",
            row.goal,
            "[green]met[/green]" if row.met else "[red]MISSED[/red]",
        )
    Console(width=max(WIDTH, Console().width)).print(table)


def _quantity(value: float, unit: str) -> str:
    """Seconds in the unit that suits them; anything else as it is."""
    if unit != "s":
        return f"{value:.3g} {unit}"
    size, name = next((u for u in UNITS if value >= u[0]), UNITS[-1])
    return f"{value / size:.3g} {name}"


def write(results: Mapping[str, Sequence[Row]]) -> None:
    """`results.csv`: a line about the machine, then a line a row."""
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {machine()}\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["problem", "work", "beside", "ours", "theirs", "unit", "figure", "goal", "verdict"])
        for problem, rows in results.items():
            for row in rows:
                theirs = "" if row.theirs is None else f"{row.theirs:.4g}"
                figure = f"{row.figure:.3g} {row.figure_unit}"
                verdict = "met" if row.met else "missed"
                table.writerow(
                    [problem, row.work, row.peer, f"{row.ours:.4g}", theirs, row.unit, figure, row.goal, verdict]
                )
