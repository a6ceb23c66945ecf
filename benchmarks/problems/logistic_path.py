"""The lasso path of logistic regression: 100 strengths, to the same objective at every one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, Scale, faster, take_turns
from benchmarks.peers import distinguo, r

# The share by which the objective may lie above the least that is known, at any strength.
EXCESS = 1e-5
TOLERANCES = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
THRESHOLDS = [1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13]
# What R 4.2.2's glmnet 4.1-6 took to come as near where it was measured, for machines without R.
QUOTED = 0.35


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 2 000 rows of 200 columns, of which a sixth tells two classes apart."""
    n, p = scale.rows(2_000), 200
    X, y = _rows(n, p)
    best = distinguo.lasso_path(X, y, tol=1e-10)
    least = _objectives(np.column_stack([best.intercepts, best.coefs[:, 0]]), X, y, best.lambdas)
    tol = next(tol for tol in TOLERANCES if _is_near(_ours(X, y, best.Cs, tol), X, y, best.lambdas, least))
    seconds = take_turns(
        {"ours": lambda X, y: _ours(X, y, best.Cs, tol)}, (X, y), warm=(X[:500], y[:500]), repeats=scale.repeats(5)
    )
    work = f"lasso path, {n} x {p}, {len(best.Cs)} strengths, 2 classes"
    measured = None
    for thresh in THRESHOLDS:
        measured = r.glmnet(X, y, best.lambdas, thresh, scale.repeats(3))
        if measured is None or _is_near(measured[1], X, y, best.lambdas, least):
            break
    peer = "R glmnet" if measured else "R glmnet, quoted"
    yield faster(work, peer, seconds["ours"], measured[0] if measured else QUOTED, 1)


def _ours(X: NDArray[np.float64], y: NDArray[Any], Cs: NDArray[np.float64], tol: float) -> NDArray[np.float64]:
    path = distinguo.lasso_path(X, y, Cs=Cs, tol=tol)
    return np.column_stack([path.intercepts, path.coefs[:, 0]])


def _is_near(
    coefs: NDArray[np.float64],
    X: NDArray[np.float64],
    y: NDArray[Any],
    lambdas: NDArray[np.float64],
    least: NDArray[np.float64],
) -> bool:
    return bool((_objectives(coefs, X, y, lambdas) <= least * (1 + EXCESS)).all())


def _objectives(
    coefs: NDArray[np.float64], X: NDArray[np.float64], y: NDArray[Any], lambdas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(m,) mean losses and penalties, the columns in standard deviations."""
    margins = (2 * y - 1) * (coefs[:, :1] + coefs[:, 1:] @ X.T)
    return np.asarray(np.logaddexp(0, -margins).mean(axis=1) + lambdas * (np.abs(coefs[:, 1:]) @ X.std(axis=0)))


def _rows(n: int, p: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Correlated columns; two classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + rng.normal(size=(p, p)) / (2 * np.sqrt(p)))
    scores = X @ (rng.normal(size=p) * (rng.random(p) < 1 / 6))
    return X, (scores + rng.logistic(size=n) > 0).astype(int)
