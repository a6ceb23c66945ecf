"""Scores, rows and measures that tests of calibration share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

Array = NDArray[np.float64]
METHODS = ("temperature", "platt", "beta", "isotonic", "venn-abers")


def calibration_error(probabilities: Array, codes: NDArray[np.intp], bins: int = 15) -> float:
    """The mean distance of the share of right answers from the highest probability, over bins of equal width."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == codes
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    parts = [place == b for b in range(bins) if (place == b).any()]
    return float(sum(part.mean() * abs(right[part].mean() - confidence[part].mean()) for part in parts))


def log_loss(logs: Array, codes: NDArray[np.intp]) -> float:
    """Minus the mean log probability of the classes."""
    return float(-logs[np.arange(len(codes)), codes].mean())


def drawn(probabilities: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Classes drawn from the probabilities of each row."""
    reached = probabilities.cumsum(axis=1) > rng.random((len(probabilities), 1))
    return np.asarray(np.minimum(reached.argmax(axis=1), probabilities.shape[1] - 1))


def by_fits(model: Any) -> Any:
    """The same model, in a shell that hides its statistic, so that each fold is a fit."""
    return make_pipeline(model)


def clouds(n: int = 300, K: int = 3, p: int = 4, seed: int = 0) -> tuple[Array, NDArray[np.intp]]:
    """Rows (n, p) of classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % K)
    return rng.normal(size=(K, p))[y] + rng.normal(size=(n, p)), y
