"""The second stage: what the log odds of one class against the others are worth, and classes put together again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from distinguo.evaluation.calibration.scores import log_odds
from distinguo.evaluation.calibration.temperature import HeldOut, Temperature, fit_temperature

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BinaryMap(ABC):
    """From log odds of a class to its probability."""

    @abstractmethod
    def logs(self, odds: Array) -> tuple[Array, Array]:
        """log p and log(1 - p), each of the shape of the log odds."""


# From log odds (m,), whether a row had the class (m,), and weights (m,) to a map.
Fit = Callable[[Array, NDArray[np.bool_], Array], BinaryMap]


@dataclass(frozen=True)
class Calibration:
    """From scores of the classes to probabilities.

    Attributes
    ----------
    temperature : by which scores are divided first.
    maps : one for the second of two classes, one each for more; none where the temperature is all.
    """

    temperature: Temperature
    maps: tuple[BinaryMap, ...]

    def log_probabilities(self, scores: Array, evidence: Array | None) -> Array:
        """log P(class | row), (n, K)."""
        scaled = self.temperature.scaled(scores, evidence)
        if not self.maps:
            return _normalised(scaled)
        odds = log_odds(scaled)
        if len(self.maps) == 1:
            yes, no = self.maps[0].logs(odds[:, 1])
            return np.column_stack([no, yes])
        return _normalised(np.column_stack([own.logs(odds[:, k])[0] for k, own in enumerate(self.maps)]))


def _normalised(logs: Array) -> Array:
    """Logarithms of numbers (n, K) scaled to sum to one; the highest first, so that it keeps its digits."""
    highest = logs.max(axis=1, keepdims=True)
    below = logs - highest
    return np.asarray(below - logsumexp(below, axis=1, keepdims=True))


def fit_calibration(held: HeldOut, fit: Fit | None) -> Calibration:
    """The temperature, and by `fit` the map of each class, from rows held out.

    A class of which no row was held out, or every one, has nothing to be told from: it gets the map of all classes'
    odds together.
    """
    temperature = fit_temperature(held)
    if fit is None:
        return Calibration(temperature, ())
    odds = log_odds(temperature.scaled(held.scores, held.evidence))
    K = odds.shape[1]
    is_own = held.codes[:, None] == np.arange(K)  # (m, K)
    pooled = None
    maps = []
    for k in range(1 if K == 2 else 0, K):
        if is_own[:, k].any() and not is_own[:, k].all():
            maps.append(fit(odds[:, k], is_own[:, k], held.weight))
            continue
        pooled = pooled or fit(odds.reshape(-1), is_own.reshape(-1), held.weight.repeat(K))
        maps.append(pooled)
    return Calibration(temperature, tuple(maps))
