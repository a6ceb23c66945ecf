"""skglm and celer, where they are installed: lassos by working sets, for sparse rows without an intercept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy import sparse

Fit = Callable[[Any, Any, float, float], Any]


def contenders() -> dict[str, Fit]:
    """By name, the fits of those that are there: from rows, labels, C and a tolerance to a model with `coef_`."""
    found: dict[str, Fit] = {}
    try:
        import skglm

        found[f"skglm {skglm.__version__}"] = lambda X, y, C, tol: skglm.SparseLogisticRegression(
            alpha=1 / (C * len(y)), tol=tol, fit_intercept=False, max_iter=100
        ).fit(sparse.csc_matrix(X), y)
    except ImportError:
        pass
    try:
        import celer

        found[f"celer {celer.__version__}"] = lambda X, y, C, tol: celer.LogisticRegression(
            C=C, tol=tol, fit_intercept=False, max_iter=100
        ).fit(sparse.csc_matrix(X), y)
    except ImportError:
        pass
    return found
