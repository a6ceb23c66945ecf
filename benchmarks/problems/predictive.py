"""Predictive QDA on small samples: its held-out log loss beside that of the plug-in."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from benchmarks.harness import Row, Scale
from benchmarks.peers import distinguo

REPEATS = 200
DENSITIES = ("predictive", "plug-in")
# Rows a class that are drawn to learn from; all others are predicted.
CASES = (
    ("iris", 8),
    ("iris", 25),
    ("wine", 18),
    ("breast_cancer", 40),
    ("normal classes", 10),
    ("normal classes", (8, 12, 30)),
)


def measure(scale: Scale) -> Iterator[Row]:
    """Draws of few rows a class from each table; mean log losses in nats, over the same draws."""
    tables = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "normal classes": normal_classes(),
    }
    repeats = 5 if scale.quick else REPEATS
    for name, size in CASES:
        X, y = tables[name]
        sizes = np.broadcast_to(size, len(np.unique(y)))
        rng = np.random.default_rng(0)
        ours, theirs = np.mean([losses(X, y, draw(X, y, sizes, rng)) for _ in range(repeats)], axis=0)
        shown = "/".join(map(str, dict.fromkeys(sizes.tolist())))
        work = f"{name}, {X.shape[1]} features, {shown} rows a class, {repeats} draws"
        yield Row(work, "the plug-in", ours, theirs, "nats", theirs / ours, "x", at_least=1)


def normal_classes() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Three normal classes of five features and a shape each, X (3 000, 5) and y (3 000,)."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 1000)
    shapes, means = rng.normal(size=(3, 5, 5)), rng.normal(size=(3, 5))
    return np.einsum("nij,nj->ni", shapes[y], rng.normal(size=(len(y), 5))) + means[y], y


def draw(
    X: NDArray[np.float64], y: NDArray[np.int64], sizes: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Row numbers, so many of each class; drawn again where a rounded column is constant in a class."""
    while True:
        parts = [rng.choice(np.flatnonzero(y == k), size, replace=False) for k, size in enumerate(sizes)]
        if all(np.ptp(X[part], axis=0).all() for part in parts):
            return np.concatenate(parts)


def losses(X: NDArray[np.float64], y: NDArray[np.int64], drawn: NDArray[np.intp]) -> list[float]:
    """Mean log losses, by density, of the rows that were not drawn."""
    held = np.setdiff1d(np.arange(len(y)), drawn)
    found = []
    for density in DENSITIES:
        model = distinguo.qda("uniform", density=density).fit(X[drawn], y[drawn])
        found.append(-float(model.predict_log_proba(X[held])[np.arange(len(held)), y[held]].mean()))
    return found
