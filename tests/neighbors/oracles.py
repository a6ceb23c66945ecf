"""Nearest neighbours by their definition, row by row, in plain loops."""

from collections.abc import Callable
from typing import Any

import numpy as np

KERNELS: dict[str, Callable[[float], float]] = {
    "triangular": lambda u: 1 - u,
    "epanechnikov": lambda u: 1 - u * u,
    "biweight": lambda u: (1 - u * u) ** 2,
    "tricube": lambda u: (1 - u**3) ** 3,
}


def shares(X: Any, codes: Any, weight: Any, q: Any, k: int, weights: str = "uniform", K: int = 3) -> np.ndarray:
    """(K,) shares of the votes on one row q."""
    distance = [float(np.linalg.norm(x - q)) for x in X]
    pairs = sorted((d, i) for i, d in enumerate(distance) if weight[i] > 0)
    at = reach(pairs, weight, k)
    bandwidth = reach(pairs, weight, k + 1)
    nearer = [i for d, i in pairs if d < at * (1 - 1e-10)]
    tied = [i for d, i in pairs if at * (1 - 1e-10) <= d <= at * (1 + 1e-10)]
    left = k - sum(weight[i] for i in nearer)
    place = {i: weight[i] for i in nearer}
    place |= {i: weight[i] * left / sum(weight[j] for j in tied) for i in tied}
    result = np.zeros(K)
    for i, part in place.items():
        result[codes[i]] += part * counts(weights, distance[i], pairs[0][0], bandwidth)
    return result / result.sum()


def reach(pairs: list[tuple[float, int]], weight: Any, k: int) -> float:
    """The distance of the k-th place."""
    filled = 0.0
    for d, i in pairs:
        filled += weight[i]
        if filled >= k - 1e-9:
            return d
    return pairs[-1][0]


def counts(weights: str, d: float, nearest: float, bandwidth: float) -> float:
    """What a vote at that distance counts."""
    if weights == "uniform":
        return 1.0
    if weights == "distance":
        return float(d == 0) if nearest == 0 else 1 / d
    return KERNELS[weights](min(d / bandwidth if d < bandwidth else 1.0, 1 - 1e-6))
