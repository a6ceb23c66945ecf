"""Bins of probabilities: equally wide, equally full, or by given edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.truth import parts_of
from distinguo.exceptions import InputError
from distinguo.options import counting, one_of
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Binning:
    """How probabilities are put in bins; a bin has its lower edge, and the last one its upper edge too.

    Attributes
    ----------
    edges : (m + 1,) from 0 to 1, or None where they depend on the probabilities.
    count : of bins, where they do.
    """

    edges: tuple[float, ...] | None
    count: int

    def edges_for(self, values: Array, weight: Array) -> Array:
        """(m + 1,) edges for values (n,); quantiles that are equal leave fewer bins."""
        if self.edges is not None:
            return np.asarray(self.edges)
        shares = np.arange(1, self.count) / self.count
        inner = np.quantile(values, shares, weights=weight, method="inverted_cdf")
        apart = np.unique(inner[(inner > values.min()) & (inner < 1)])  # none with all rows above it
        return np.concatenate([[0.0], apart, [1.0]])


@dataclass(frozen=True, eq=False)
class Binned:
    """What fell into each of m bins.

    Attributes
    ----------
    edges : (m + 1,)
    count : (m,) weight of the rows.
    mean : (m,) of their probabilities; NaN in an empty bin.
    share : (m,) of them that had the outcome; NaN in an empty bin.
    doubt : sum of p (1 - p) over the rows of each bin, (m,).
    """

    edges: Array
    count: Array
    mean: Array
    share: Array
    doubt: Array


def binned(values: Array, outcome: NDArray[np.bool_], weight: Array, binning: Binning) -> Binned:
    """Probabilities (n,) of an outcome (n,) by bin."""
    edges = binning.edges_for(values, weight)
    m = len(edges) - 1
    parts = (_sums(values[rows], outcome[rows], weight[rows], edges) for rows in parts_of(len(values)))
    count, *sums = np.add.reduce(list(parts))
    means = [np.divide(total, count, out=np.full(m, np.nan), where=count > 0) for total in sums[:2]]
    return Binned(edges, count, means[0], means[1], sums[2])


def _sums(values: Array, outcome: NDArray[np.bool_], weight: Array, edges: Array) -> Array:
    """(4, m) of the rows, their probabilities, outcomes and p (1 - p), by bin."""
    place = np.searchsorted(edges[1:-1], values, side="right")
    each: list[Array] = [np.ones(len(values)), values, outcome.astype(np.float64), values * (1 - values)]
    return np.array([np.bincount(place, weight * what, len(edges) - 1) for what in each], dtype=np.float64)


def binning_of(bins: Any, strategy: Any) -> Binning:
    """From options to a way of binning.

    Raises
    ------
    InputError
        If there is no bin, edges do not rise from 0 to 1, or given edges come with another strategy.
    """
    one_of(strategy, "strategy", STRATEGIES)
    if np.ndim(bins) == 0:
        return STRATEGIES[strategy](counting(bins, "bins"))
    edges = real_numbers(bins, "bins must be a whole number, or edges that rise from 0 to 1.")
    if edges.ndim != 1 or len(edges) < 2 or edges[0] != 0 or edges[-1] != 1 or not (np.diff(edges) > 0).all():
        raise InputError(f"bins={np.asarray(bins).tolist()!r}: edges must rise from 0 to 1, such as [0, 0.5, 0.9, 1].")
    if strategy != "width":
        raise InputError(f"strategy={strategy!r} cannot act where bins are edges; give a number of bins.")
    return Binning(tuple(edges.tolist()), len(edges) - 1)


def _equally_wide(count: int) -> Binning:
    return Binning(tuple((np.arange(count + 1) / count).tolist()), count)


def _equally_full(count: int) -> Binning:
    return Binning(None, count)


STRATEGIES: dict[str, Callable[[int], Binning]] = {"width": _equally_wide, "quantile": _equally_full}
