"""The rows of the lectures on generative classifiers, from their generators and seeds.

The coins have the euro's nominal weights (g) and diameters (mm).
"""

from typing import Any

import numpy as np

Rows = tuple[np.ndarray, np.ndarray]

# Two classes in the plane. NumPy draws them through a singular value decomposition, whose signs depend on the LAPACK
# it was built with; here the signs are those of the printed run, so that the rows are the same everywhere.
ROUND = np.array([[2.0, 1.2], [1.2, 1.0]]), (-1, 1)
TILTED = np.array([[0.6, -0.5], [-0.5, 2.2]]), (1, 1)


def root(shape: tuple[np.ndarray, tuple[int, int]]) -> np.ndarray:
    """The factor of a covariance: eigenvectors, the greatest first, times the roots of their eigenvalues."""
    covariance, signs = shape
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    return vectors * np.sign(vectors[1]) * signs * np.sqrt(values)


def plane(n: int, same_shape: bool, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    first = rng.standard_normal((n, 2)) @ root(ROUND).T
    second = [1.6, 1.2] + rng.standard_normal((n, 2)) @ root(ROUND if same_shape else TILTED).T
    return np.where(y[:, None] == 0, first, second), y


def three_coins() -> Rows:
    """One euro, fifty cents, two euros; 300 each."""
    centres = np.array([[7.5, 23.25], [7.8, 24.25], [8.5, 25.75]])
    y = np.repeat([0, 1, 2], 300)
    return centres[y] + np.random.default_rng(0).normal(0, 0.1, (900, 2)), y


# Forty columns that differ between the classes by .35 each, one way or the other: Ng and Jordan's comparison.
SHIFT = np.random.default_rng(0).choice([-1, 1], 40) * 0.35
CORRELATED = 0.3 ** np.abs(np.subtract.outer(np.arange(40), np.arange(40)))


def forty_columns(m: int, rng: np.random.Generator, correlation: np.ndarray | None = None) -> Rows:
    y = rng.integers(0, 2, m)
    noise = rng.normal(0, 1, (m, 40))
    if correlation is not None:
        noise = noise @ np.linalg.cholesky(correlation).T
    return noise + np.outer(y, SHIFT), y


def learning_curve(model: Any, sizes: list[int], repeats: int, correlation: np.ndarray | None = None) -> list[float]:
    """Mean accuracy on 20 000 rows after so many rows, over the repeats."""
    X, y = forty_columns(20_000, np.random.default_rng(999), correlation)

    def accuracy(m: int, seed: int) -> float:
        train = forty_columns(m, np.random.default_rng(100 + seed), correlation)
        return float((model.fit(*train).predict(X) == y).mean())

    return [float(np.mean([accuracy(m, s) for s in range(repeats)]).round(3)) for m in sizes]
