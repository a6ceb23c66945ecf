"""skglm and celer, where they are installed: lassos by working sets, for sparse rows without an intercept."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from scipy import sparse

Fit = Callable[[Any, Any, float, float], Any]


def contenders() -> dict[str, Fit]:
    """By name, the fits of those that are there: from rows, labels, C and a tolerance to a model with `coef_`."""
    found = {}
    for name, fit_with in _FITS.items():
        try:
            package = import_module(name)
        except ImportError:
            continue
        found[f"{name} {package.__version__}"] = fit_with(package)
    return found


def _skglm(package: Any) -> Fit:
    def fit(X: Any, y: Any, C: float, tol: float) -> Any:
        alpha = 1 / (C * len(y))
        model = package.SparseLogisticRegression(alpha=alpha, tol=tol, fit_intercept=False, max_iter=100)
        return model.fit(sparse.csc_matrix(X), y)

    return fit


def _celer(package: Any) -> Fit:
    def fit(X: Any, y: Any, C: float, tol: float) -> Any:
        model = package.LogisticRegression(C=C, tol=tol, fit_intercept=False, max_iter=100)
        return model.fit(sparse.csc_matrix(X), y)

    return fit


_FITS: dict[str, Callable[[Any], Fit]] = {"skglm": _skglm, "celer": _celer}
