"""Whole runs of the command, from the shell's point of view."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness import Row, Scale, class_clouds, take_turns, within

COMMAND = Path(sys.executable).with_name("distinguo")
START = 0.5  # seconds
PREDICT = 3.0  # seconds


def measure(scale: Scale) -> Iterator[Row]:
    """Start-up, a usage error, and the prediction of 100 rows."""
    with TemporaryDirectory() as folder:
        model, rows = _prepare(Path(folder))
        runs = {
            "--help": partial(_run, 0, "--help"),
            "--version": partial(_run, 0, "--version"),
            "usage error": partial(_run, 2, "fit"),
            "predict, 100 rows": partial(_run, 0, "predict", model, rows),
        }
        seconds = take_turns(runs, repeats=scale.repeats(7))
    for name, taken in seconds.items():
        yield within(name, taken, PREDICT if name.startswith("predict") else START, "s")


def _prepare(folder: Path) -> tuple[Path, Path]:
    """A fitted model file, and 100 rows to classify."""
    X, y = class_clouds(1_000, 10, 3)
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "kind"])
    lines = [",".join([*(f"{x:.6f}" for x in row), f"k{label}"]) for row, label in zip(X, y, strict=True)]
    table, rows, model = folder / "table.csv", folder / "rows.csv", folder / "model.dgo"
    table.write_text("\n".join([header, *lines]) + "\n")
    rows.write_text("\n".join([header, *lines[:100]]) + "\n")
    _run(0, "fit", table, "--target", "kind", "-o", model)
    return model, rows


def _run(status: int, *arguments: str | Path) -> None:
    """Run the command to its end; it must leave with that status."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise RuntimeError(f"distinguo {arguments[0]} left with {done.returncode}, not {status}: {done.stderr.strip()}")
