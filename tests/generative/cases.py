"""Models, rows and comparisons that several tests share."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

Array = NDArray[np.float64]

VARIANTS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda-oas": LinearDiscriminantAnalysis(shrinkage="oas"),
    "lda-ledoit-wolf": LinearDiscriminantAnalysis(shrinkage="ledoit-wolf"),
    "lda-number": LinearDiscriminantAnalysis(shrinkage=0.3),
    "lda-diagonal": LinearDiscriminantAnalysis(shrinkage=0.3, target="diagonal"),
    "lda-one-direction": LinearDiscriminantAnalysis(n_components=1),
    "lda-mle": LinearDiscriminantAnalysis(divisor="mle"),
    "qda": QuadraticDiscriminantAnalysis(),
    "qda-oas": QuadraticDiscriminantAnalysis(shrinkage="oas"),
    "qda-ledoit-wolf": QuadraticDiscriminantAnalysis(shrinkage="ledoit-wolf"),
    "qda-number": QuadraticDiscriminantAnalysis(shrinkage=0.3),
    "qda-mle": QuadraticDiscriminantAnalysis(divisor="mle"),
    "nb": GaussianNB(),
    "nb-shared": GaussianNB(shared_variance=True),
    "nb-unsmoothed": GaussianNB(var_smoothing=0.0),
}

every_variant = pytest.mark.parametrize("model", [clone(model) for model in VARIANTS.values()], ids=list(VARIANTS))


def three_classes(seed: int = 0, n: int = 60, p: int = 3, names: tuple[Any, ...] = ("a", "b", "c")) -> tuple[Any, Any]:
    """Rows (n, p) of correlated columns in classes of unlike size, place and shape, and their labels (n,)."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(len(names)).repeat(p + 3), rng.integers(0, len(names), n)])[:n]
    codes = rng.permutation(codes)
    shapes = rng.normal(size=(len(names), p, p)) + 2 * np.eye(p)
    X = np.einsum("nij,nj->ni", shapes[codes], rng.normal(size=(len(codes), p)))
    X += rng.normal(size=(len(names), p))[codes] * 1.5
    return X, np.array(names)[codes]


def assert_same_model(a: Any, b: Any, X: Any, rtol: float = 1e-9) -> None:
    """Raise unless two models say the same of every row."""
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(a.priors_, b.priors_, rtol=rtol)
    np.testing.assert_allclose(a.means_, b.means_, rtol=rtol, atol=rtol * np.abs(np.asarray(b.means_)).max())
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=0, atol=rtol)
    np.testing.assert_allclose(a.class_log_density(X), b.class_log_density(X), rtol=rtol, atol=10 * rtol)


def refitted_without(model: Any, X: Any, y: Any, weight: Any = None) -> Array:
    """Posteriors (n, K) of rows, each by a model fitted on the others, at the priors of the full fit."""
    full = clone(model).fit(X, y, sample_weight=weight)
    weights = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    result = np.zeros((len(y), len(full.classes_)))
    for i in range(len(y)):
        less = weights.copy()
        less[i] -= min(less[i], 1.0)
        kept = less > 0
        there = np.isin(full.classes_, np.asarray(y)[kept])
        priors = full.priors_[there] / full.priors_[there].sum()
        rest = clone(model).set_params(priors=priors).fit(X[kept], y[kept], sample_weight=less[kept])
        result[i, there] = rest.predict_proba(X[i : i + 1])[0]
    return result
