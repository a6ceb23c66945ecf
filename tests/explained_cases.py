"""Every kind of model that explains its decisions, and rows for it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from distinguo import LinearDiscriminantAnalysis, LogisticRegression, PenalizedDiscriminantAnalysis
from tests.generative.cases import three_classes
from tests.generative.naive_cases import EXPLAINED, rows_for

SHARED = {
    "lda": LinearDiscriminantAnalysis(),
    "lda-shrunk": LinearDiscriminantAnalysis(shrinkage=0.3),
    "lda-one-direction": LinearDiscriminantAnalysis(n_components=1),
    "lda-t": LinearDiscriminantAnalysis(covariance="t"),
    "pda": PenalizedDiscriminantAnalysis(gamma=0.5),
}
LOGISTIC = {
    "logistic": LogisticRegression(),
    "ridge": LogisticRegression(C=0.5),
    "lasso": LogisticRegression(C=0.5, l1_ratio=1.0, standardize=True),
    "elastic-net": LogisticRegression(C=0.5, l1_ratio=0.5),
    "no-intercept": LogisticRegression(C=1.0, fit_intercept=False),
    "firth": LogisticRegression(bias_reduction="firth"),
}
ALL = {**EXPLAINED, **SHARED, **LOGISTIC}


def parametrized(models: dict[str, Any]) -> Any:
    return pytest.mark.parametrize("model", [clone(model) for model in models.values()], ids=list(models))


every_model = parametrized(ALL)
# The one direction that is left depends on the priors, and what columns say with it.
every_with_priors = parametrized({**EXPLAINED, **{name: SHARED[name] for name in SHARED if "direction" not in name}})
every_with_holes = parametrized({name: SHARED[name] for name in SHARED if name != "lda-t"})
every_logistic = parametrized(LOGISTIC)


def rows_of(model: Any, seed: int = 0, classes: int = 3) -> tuple[Any, Any]:
    """Rows that the model is made for, and labels among the first of "a", "b" and "c"."""
    if type(model).__name__.endswith("NB"):
        X, y = rows_for(model, seed)
    else:
        X, y = three_classes(seed, 90)
    kept = np.flatnonzero(y < "abcd"[classes])
    return take(X, kept), y[kept]


def sparse_rows(n: int, p: int, entries: int, seed: int = 0) -> sparse.csr_array:
    """Rows with so many numbers between zero and one, here and there."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, n, entries), rng.integers(0, p, entries)
    return sparse.csr_array((rng.random(entries), places), shape=(n, p))


def take(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
