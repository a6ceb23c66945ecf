"""Bayes' rule, once: what a fitted model knows, and the posteriors that follow."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.base import Density, Evidence
from distinguo.exceptions import ImpossibleRowWarning
from distinguo.generative.kernels import settle, to_log_posteriors, to_posteriors
from distinguo.statistics.base import Statistic

Array = NDArray[np.float64]
S = TypeVar("S", bound=Statistic)
D = TypeVar("D", bound=Evidence)
P = TypeVar("P", bound=Density)


@dataclass(frozen=True)
class Description(Generic[S, D]):
    """What a model knows once it is fitted.

    Attributes
    ----------
    statistic : the classes that have rows, prior knowledge included.
    active : (K,) which of the model's classes those are.
    priors : (K,)
    density : of the active classes.
    """

    statistic: S
    active: NDArray[np.bool_]
    priors: Array
    density: D

    def spread(self, values: Array, fill: float) -> Array:
        """Columns of the active classes among those of all, the others filled."""
        if self.active.all():
            return values
        result = np.full((len(values), len(self.active)), fill)
        result[:, self.active] = values
        return result

    def spread_classes(self, values: Array) -> Array:
        """Entries of the active classes among those of all, NaN for the others."""
        if self.active.all():
            return values
        result = np.full((len(self.active), *values.shape[1:]), np.nan)
        result[self.active] = values
        return result

    def scores(self, X: Array) -> Array:
        """log prior + log p(x | class), up to a constant of the row, (n, K); impossible rows get the log priors."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            log_priors = np.log(self.priors)
            scores = self.spread(self.density.log_ratio(X), -np.inf)
            scores += log_priors
        impossible = settle(scores, log_priors)
        if impossible:
            warnings.warn(
                f"{impossible} row(s) have probability zero under every class; they get the priors.",
                ImpossibleRowWarning,
                stacklevel=2,
            )
        return scores

    def posteriors(self, X: Array) -> Array:
        """P(class | x), (n, K)."""
        scores = self.scores(X)
        to_posteriors(scores)
        return scores

    def log_posteriors(self, X: Array) -> Array:
        """log P(class | x), (n, K)."""
        scores = self.scores(X)
        to_log_posteriors(scores)
        return scores
