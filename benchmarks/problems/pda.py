"""Penalised discriminant analysis of spectra: far more columns than rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, Scale, check_agreement, take_turns
from benchmarks.peers import distinguo, r

# What R 4.2.2's fda(method = gen.ridge) took on such rows where it was measured, for machines without R.
QUOTED = 0.1
DEGREES = 20
# "In seconds" is the goal: R's ridge has no densities, and so no matrix of all pairs of columns.
SECONDS = 10


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 80 spectra of 2 000 channels in 4 classes: the strength given, and chosen by cross-validation."""
    n, p = 80, 200 if scale.quick else 2_000
    X, y = spectra(5 * n, p)
    fit, held = slice(n), slice(n, None)
    repeats = scale.repeats(3)
    models: dict[str, Any] = {
        "ridge, df given": distinguo.pda(df=DEGREES),
        "ridge, tuned": distinguo.pda(),
        "difference, df given": distinguo.pda(penalty="difference", df=DEGREES),
    }
    seconds = take_turns(
        {name: model.fit for name, model in models.items()},
        (X[fit], y[fit]),
        warm=(X[fit, ::4], y[fit]),
        repeats=repeats,
    )
    measured = r.fda(X, y, n, f"method = gen.ridge, df = {DEGREES}", repeats)
    peer = "R fda(method = gen.ridge)" + ("" if measured else ", quoted")
    theirs, labels = measured or (QUOTED, None)
    if labels is not None:
        check_agreement(models["ridge, df given"].fit(X[fit], y[fit]).predict(X[held]), labels, 0.99)
    for name, ours in seconds.items():
        own = name == "ridge, df given"  # what R does too; the others it has not
        work = f"fit, {n} x {p}, 4 classes, {name}"
        yield Row(
            work, peer if own else "a fixed limit", ours, theirs if own else SECONDS, "s", ours, "s", at_most=SECONDS
        )


def spectra(n: int, p: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """X (n, p) of four classes, each with a bump of its own on a drifting base line, and y (n,)."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 4
    channels = np.linspace(0, 1, p)
    bumps = np.exp(-((channels - np.array([0.2, 0.4, 0.6, 0.8])[:, None]) ** 2) / 0.005)
    drift = np.cumsum(rng.normal(size=(n, p)), axis=1) / np.sqrt(p)
    return bumps[y] + drift + 0.3 * rng.normal(size=(n, p)), y
