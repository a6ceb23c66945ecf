"""Flexible discriminant analysis by additive splines, beside the adaptive splines of R's bruto."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, Scale, check_agreement, faster, take_turns
from benchmarks.peers import distinguo, r

# What R 4.2.2's fda(method = bruto) took on such rows where it was measured, for machines without R.
QUOTED = 0.35


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 5 000 rows of 10 features in 4 classes, whose scores bend in seven of them; as many rows are predicted."""
    n = scale.rows(5_000)
    X, y = curved_classes(2 * n)
    repeats = scale.repeats(5)
    seconds = take_turns({"ours": lambda X, y: distinguo.fda().fit(X, y)}, (X[:n], y[:n]), repeats=repeats)
    measured = r.fda(X, y, n, "method = bruto", repeats)
    if measured is not None:
        check_agreement(distinguo.fda().fit(X[:n], y[:n]).predict(X[n:]), measured[1], 0.97)
    theirs, peer = (measured[0], "R fda(method = bruto)") if measured else (QUOTED, "R fda(method = bruto), quoted")
    yield faster(f"fit, splines, {n} x {X.shape[1]}, 4 classes", peer, seconds["ours"], theirs, 1)


def curved_classes(n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """X (n, 10) and y (n,), the class drawn by scores that are sums of curves in single columns."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (n, 10))
    curves = [
        np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2,
        X[:, 2] + np.cos(3 * X[:, 3]),
        np.abs(X[:, 4]) + np.sin(X[:, 5]) - 1,
        0.3 * X[:, 6],
    ]
    scores = 2 * np.stack(curves, axis=1) + rng.gumbel(size=(n, 4))
    return X, scores.argmax(axis=1)
