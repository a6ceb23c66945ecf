"""Rows, models and comparisons that the tests of naive Bayes share."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from distinguo import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MixedNB, MultinomialNB, PoissonNB

Array = NDArray[np.float64]

COUNTING = {
    "multinomial": MultinomialNB(),
    "multinomial-little": MultinomialNB(alpha=0.05),
    "bernoulli": BernoulliNB(),
    "bernoulli-threshold": BernoulliNB(alpha=0.3, binarize=1.0),
    "complement": ComplementNB(),
    "complement-norm": ComplementNB(norm=True),
    "poisson": PoissonNB(),
    "poisson-little": PoissonNB(alpha=0.05),
}
DESCRIBING = {name: model for name, model in COUNTING.items() if not name.startswith("complement")}
ROLES = {"number": "count"}
COLUMNS = {"categorical": CategoricalNB(alpha=0.5), "mixed": MixedNB(roles=ROLES), "mixed-wide": MixedNB(alpha=2.0)}


def parametrized(models: dict[str, Any]) -> Any:
    return pytest.mark.parametrize("model", [clone(model) for model in models.values()], ids=list(models))


every_counting = parametrized(COUNTING)
every_describing = parametrized(DESCRIBING)
every_columns = parametrized(COLUMNS)


def counts(seed: int = 0, n: int = 60, p: int = 8, names: tuple[Any, ...] = ("a", "b", "c")) -> tuple[Array, Any]:
    """Counts (n, p) of words, some of them rare and one row empty, and labels (n,)."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % len(names))
    rates = rng.gamma(0.5, 2.0, (len(names), p)) + 0.05
    X = rng.poisson(rates[codes]).astype(np.float64)
    X[n // 2] = 0.0
    return X, np.array(names)[codes]


def table(seed: int = 0, n: int = 60, holes: float = 0.0) -> tuple[pd.DataFrame, Any]:
    """Measurements, counts, words and truth values, perhaps with holes, and labels of three classes."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % 3)
    frame = pd.DataFrame(
        {
            "length": rng.normal(size=n) + codes,
            "width": rng.normal(size=n) * (1 + codes) * 1e3,
            "colour": np.array(["red", "green", "blue", "grey"])[(rng.integers(0, 3, n) + codes) % 4],
            "size": np.array(["S", "M", "L"])[rng.integers(0, 3, n)],
            "number": rng.poisson(1.0 + codes),
            "new": rng.random(n) < 0.3 + 0.2 * codes,
        }
    ).astype({"number": "Int64", "new": "boolean", "colour": object, "size": object})
    if holes:
        frame = frame.mask(pd.DataFrame(rng.random(frame.shape) < holes, columns=frame.columns))
        frame[["colour", "size"]] = frame[["colour", "size"]].astype(object)
    return frame, np.array(["a", "b", "c"])[codes]


def rows_for(model: Any, seed: int = 0, n: int = 60, holes: float = 0.0) -> tuple[Any, Any]:
    """Rows that the model is made for."""
    if isinstance(model, CategoricalNB):
        frame, y = table(seed, n, holes)
        return frame[["colour", "size", "number"]], y
    if isinstance(model, MixedNB):
        return table(seed, n, holes)
    X, y = counts(seed, n)
    X[np.random.default_rng(seed).random(X.shape) < holes] = np.nan
    return X, y


ALL = {**COUNTING, **COLUMNS}
EXPLAINED = {**ALL, "gaussian": GaussianNB(), "gaussian-shared": GaussianNB(shared_variance=True)}
every_model = parametrized(ALL)
every_explained = parametrized(EXPLAINED)


def take(X: Any, rows: Any) -> Any:
    """Rows of an array or a frame."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def assert_same_answers(a: Any, b: Any, X: Any, atol: float = 1e-9) -> None:
    """Raise unless two models say the same of every row."""
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(a.priors_, b.priors_, atol=atol)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=atol)
    if hasattr(a, "class_log_density"):
        np.testing.assert_allclose(a.class_log_density(X), b.class_log_density(X), rtol=1e-8, atol=1e-8)
