"""L1-penalised logistic and softmax regression of sparse, text-like rows, to the same objective."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import log_softmax

from benchmarks.harness import Row, Scale, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn, skglm

# The share by which an objective may lie above the least that is known.
EXCESS, EXCESS_SOFTMAX = 1e-8, 1e-5
# All are given the loosest of these tolerances at which they come as near.
TOLERANCES = [10.0**-k for k in range(2, 11)]
Fit = Callable[[Any, Any, float, float], Any]


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 20 000 rows of 50 000 words, two classes, at two strengths; and 5 000 rows of 10 000 words, five classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers that are stopped early say so
        n, p = scale.rows(20_000), 50_000
        X, y = texts(n, p, 2)
        for C in (1.0, 5.0):
            yield _row(X, y, C, {"scikit-learn liblinear": _liblinear, **skglm.contenders()}, EXCESS, scale)
        n, p = scale.rows(5_000), 10_000
        X, y = texts(n, p, 5)
        yield _row(X, y, 1.0, {"scikit-learn saga": _saga}, EXCESS_SOFTMAX, scale)


def _row(X: Any, y: NDArray[Any], C: float, peers: dict[str, Fit], excess: float, scale: Scale) -> Row:
    """Ours beside the quickest of the peers that come near enough."""
    least = objective(_ours(X, y, C, TOLERANCES[-1]), X, y, C)
    contenders: dict[str, Callable[..., object]] = {}
    for name, fit in {"distinguo": _ours, **peers}.items():
        tol = _enough(fit, X, y, C, least * (1 + excess))
        if tol is not None:
            contenders[name] = lambda X, y, fit=fit, tol=tol: fit(X, y, C, tol)
    few = X[: len(y) // 10], y[: len(y) // 10]
    seconds = take_turns(contenders, (X, y), warm=few, repeats=scale.repeats(3))
    ours = seconds.pop("distinguo")
    if not seconds:
        raise RuntimeError(f"no peer comes within {excess:g} of the objective {least:.6g}; nothing to compare.")
    best = min(seconds, key=seconds.__getitem__)
    work = f"lasso, C={C:g}, {X.shape[0]} x {X.shape[1]} sparse, {len(np.unique(y))} classes"
    return faster(work, f"{best}, the best of {len(seconds)}", ours, seconds[best], 1)


def _ours(X: Any, y: Any, C: float, tol: float) -> Any:
    return distinguo.logistic(C, l1_ratio=1.0, fit_intercept=False, tol=tol).fit(X, y)


def _liblinear(X: Any, y: Any, C: float, tol: float) -> Any:
    return scikit_learn.logistic(
        C=C, l1_ratio=1.0, solver="liblinear", tol=tol, fit_intercept=False, max_iter=2000
    ).fit(X, y)


def _saga(X: Any, y: Any, C: float, tol: float) -> Any:
    return scikit_learn.logistic(C=C, l1_ratio=1.0, solver="saga", tol=tol, fit_intercept=False, max_iter=5000).fit(
        X, y
    )


def _enough(fit: Fit, X: Any, y: Any, C: float, limit: float) -> float | None:
    """The loosest tolerance at which a fit's objective is below the limit."""
    return next((tol for tol in TOLERANCES if objective(fit(X, y, C, tol), X, y, C) <= limit), None)


def objective(model: Any, X: Any, y: NDArray[Any], C: float) -> float:
    """What all of them are to make least."""
    scores = np.asarray(X @ model.coef_.T)
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    loss = -log_softmax(scores, axis=1)[np.arange(len(y)), y].sum()
    return float(loss + np.abs(model.coef_).sum() / C)


def texts(n: int, p: int, K: int, length: int = 80) -> tuple[Any, NDArray[Any]]:
    """Rows of unit length of words whose shares fall off by Zipf's law; one word in thirty tells classes apart."""
    rng = np.random.default_rng(0)
    share = 1 / (np.arange(p) + 2.7) ** 1.1
    words = rng.choice(p, size=n * length, p=share / share.sum())
    counts = sparse.csr_matrix((np.ones(n * length), (np.repeat(np.arange(n), length), words)), shape=(n, p))
    counts.sum_duplicates()
    counts.data = 1 + np.log(counts.data)
    rarity = 1 + np.log((1 + n) / (1 + counts.getnnz(axis=0)))
    X = sparse.csr_matrix(counts.multiply(rarity))
    X = sparse.csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))))
    B = rng.normal(size=(p, K)) * (rng.random((p, K)) < 1 / 30) * 8
    return X, (X @ B + rng.gumbel(size=(n, K))).argmax(axis=1)
