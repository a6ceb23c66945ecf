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


LEAVE_ONE_OUT = """
suppressMessages(library(MASS))
table <- as.matrix(read.csv("rows.csv", header = FALSE))
x <- table[, -1]; y <- factor(table[, 1])
cat(median(replicate({repeats}, system.time(lda(x, y, CV = TRUE))[["elapsed"]])),
    median(replicate({repeats}, system.time(qda(x, y, CV = TRUE))[["elapsed"]])))
"""

FDA = """
suppressMessages(library(mda))
table <- as.matrix(read.csv("rows.csv", header = FALSE))
known <- seq_len({n})
rows <- data.frame(y = factor(table[, 1])); rows$x <- table[, -1]
seconds <- median(replicate({repeats}, system.time(model <<- fda(y ~ x, rows[known, ], {options}))[["elapsed"]]))
cat(seconds, as.character(predict(model, rows[-known, ])))
"""


GLMNET = """
suppressMessages(library(glmnet))
table <- as.matrix(read.csv("rows.csv", header = FALSE))
x <- table[, -1]; y <- table[, 1]; lambda <- c({lambdas})
seconds <- median(replicate({repeats}, system.time(model <<- glmnet(x, y, family = "binomial", lambda = lambda,
  thresh = {thresh}, maxit = 1e7))[["elapsed"]]))
write(format(c(seconds, as.vector(rbind(model$a0, as.matrix(model$beta)))), digits = 15), stdout(), ncolumns = 1)
"""


def _run(script: str, X: NDArray[np.float64], y: NDArray[Any]) -> list[float] | None:
    """The numbers that a script prints, which finds y and X in rows.csv; None without R or its packages."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    with TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "rows.csv"), np.column_stack([y, X]), delimiter=",", fmt="%.17g")
        Path(folder, "script.R").write_text(script, encoding="utf-8")
        run = subprocess.run([program, "script.R"], cwd=folder, capture_output=True, text=True, check=False)
    return None if run.returncode else [float(number) for number in run.stdout.split()]


def leave_one_out(X: NDArray[np.float64], y: NDArray[Any], repeats: int) -> list[float] | None:
    """Median seconds of MASS's lda and qda with CV = TRUE; None without them."""
    return _run(LEAVE_ONE_OUT.format(repeats=repeats), X, y)


def earth(X: NDArray[np.float64], y: NDArray[Any], degree: int, repeats: int) -> tuple[float, float, float] | None:
    """Median seconds of earth on the indicators and of fda(method = earth), and earth's GCV; None without them."""
    numbers = _run(EARTH.format(repeats=repeats, degree=degree), X, y)
    return None if numbers is None else (numbers[0], numbers[1], numbers[2])


def fda(
    X: NDArray[np.float64], y: NDArray[Any], n: int, options: str, repeats: int
) -> tuple[float, NDArray[np.float64]] | None:
    """Median seconds of mda's fda on the first n rows, and its labels for the others; None without it."""
    numbers = _run(FDA.format(n=n, repeats=repeats, options=options), X, y)
    return None if numbers is None else (numbers[0], np.array(numbers[1:]))


def glmnet(
    X: NDArray[np.float64], y: NDArray[Any], lambdas: NDArray[np.float64], thresh: float, repeats: int
) -> tuple[float, NDArray[np.float64]] | None:
    """Median seconds of glmnet's lasso path of two classes, and its intercepts and coefficients (m, p + 1); or None."""
    shown = ", ".join(f"{value:.17g}" for value in lambdas)
    numbers = _run(GLMNET.format(lambdas=shown, thresh=thresh, repeats=repeats), X, y)
    return None if numbers is None else (numbers[0], np.array(numbers[1:]).reshape(len(lambdas), -1))
