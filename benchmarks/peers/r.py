"""R, where it is installed with the packages that a problem needs; it keeps the time itself, reading apart."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

EARTH = """
suppressMessages({{library(earth); library(mda)}})
table <- as.matrix(read.csv("rows.csv", header = FALSE))
rows <- data.frame(y = factor(table[, 1]), table[, -1])
indicators <- model.matrix(~ y - 1, rows)
x <- table[, -1]
seconds <- sapply(seq_len({repeats}), function(i) c(
  system.time(model <<- earth(x, indicators, degree = {degree}, pmethod = "backward"))[["elapsed"]],
  system.time(fda(y ~ ., rows, method = earth, degree = {degree}))[["elapsed"]]))
cat(apply(seconds, 1, median), model$gcv)
"""


def earth(X: NDArray[np.float64], y: NDArray[Any], degree: int, repeats: int) -> tuple[float, float, float] | None:
    """Median seconds of earth on the indicators and of fda(method = earth), and earth's GCV; None without them."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    with TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "rows.csv"), np.column_stack([y, X]), delimiter=",", fmt="%.17g")
        Path(folder, "earth.R").write_text(EARTH.format(repeats=repeats, degree=degree), encoding="utf-8")
        run = subprocess.run([program, "earth.R"], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:  # the packages are not there
        return None
    fit, discriminant, gcv = map(float, run.stdout.split())
    return fit, discriminant, gcv
