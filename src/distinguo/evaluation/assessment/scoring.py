"""Scores of probabilities, row by row: log loss, Brier, and what Brier's score is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.bins import Binning, binned, binning_of
from distinguo.evaluation.truth import Truth, parts_of, truth_of

Array = NDArray[np.float64]
Codes = NDArray[np.signedinteger]

# A probability of zero counts as this one, the smallest that float64 tells from zero beside one: 36 nats.
LEAST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Means:
    """Means of numbers that rows have.

    Attributes
    ----------
    values : (n, m)
    counted : (n, m) what a row counts in each mean: its label's factor, or zero where it has no value.
    totals : (m,) what all count together; resampling within classes leaves it as it is.
    names : (m,)
    """

    values: Array
    counted: Array
    totals: Array
    names: tuple[str, ...]

    def __call__(self, weights: NDArray[Any]) -> dict[str, Array]:
        """Each mean (b,) at weights (b, n) of the rows."""
        means = ratio(self.sums(weights), self.totals)
        return {name: means[:, i] for i, name in enumerate(self.names)}

    def sums(self, weights: NDArray[Any]) -> Array:
        """(b, m) what the means are of, summed."""
        return np.asarray(weights.astype(np.float64) @ (self.values * self.counted))


def ratio(sums: Array, totals: Array) -> Array:
    """(b, m) means of sums, by their totals (m,); NaN where nothing counts."""
    return np.asarray(np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0))


def means_of(truth: Truth, columns: Mapping[str, Array], factor: Array) -> Means:
    """The means of columns (n,), NaN where a row has no value; each label counts by a factor (R,) more."""
    values = np.column_stack(list(columns.values())) if columns else np.empty((len(truth.codes), 0))
    counted = np.where(np.isnan(values), 0.0, factor[truth.codes][:, None])
    return Means(np.nan_to_num(values), counted, truth.weight @ counted, tuple(columns))


def given_probability(codes: Codes, probabilities: Array) -> Array:
    """(n,) what each row's own label got; NaN for a label that the model did not know."""
    known = codes < probabilities.shape[1]
    own = np.take_along_axis(probabilities, np.where(known, codes, 0)[:, None], axis=1)[:, 0]
    return np.where(known, own, np.nan)


def log_losses(codes: Codes, probabilities: Array) -> Array:
    """(n,) -log of the probability of each row's label, in nats; NaN for a label that the model did not know."""
    return -np.log(np.maximum(given_probability(codes, probabilities), LEAST))


def brier_scores(codes: Codes, probabilities: Array) -> Array:
    """(n,) sums over the classes of squared errors; half of them for two classes, as Brier's score is known there."""
    own = np.nan_to_num(given_probability(codes, probabilities))
    return np.asarray(((probabilities**2).sum(axis=1) - 2 * own + 1) * scale(probabilities.shape[1]))


def scale(K: int) -> float:
    """By what a sum over the classes is multiplied: the errors of two classes are one error, counted twice."""
    return 0.5 if K == 2 else 1.0


@dataclass(frozen=True)
class BrierSplit:
    r"""Brier's score as reliability - resolution + uncertainty, of forecasts put in bins, and what binning changes.

    .. math:: \sum_b \frac{n_b}{n} (\bar p_b - \bar y_b)^2 - \sum_b \frac{n_b}{n} (\bar y_b - \bar y)^2
              + \bar y (1 - \bar y)

    summed over the classes; with two classes, of one of them.

    Attributes
    ----------
    brier : Brier's score of the probabilities as they are.
    reliability : how far mean forecasts are from what came; 0 is best.
    resolution : how far what came differs between bins; the more, the better.
    uncertainty : Brier's score of the classes' shares, given to every row.
    within_bins : Brier's score less that of the bins' mean forecasts.
    edges : of the bins; None where each class has its own.

    References
    ----------
    Murphy (1973), A new vector partition of the probability score, Journal of Applied Meteorology 12, 595-600.
    Stephenson, Coelho and Jolliffe (2008), Two extra components in the Brier score decomposition, Weather and
    Forecasting 23, 752-757.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float
    edges: tuple[float, ...] | None

    @property
    def binned(self) -> float:
        """Brier's score were every forecast the mean of its bin: the three parts together."""
        return self.reliability - self.resolution + self.uncertainty

    def to_dict(self) -> dict[str, Any]:
        """The numbers as JSON has them."""
        return {**asdict(self), "binned": self.binned, "edges": None if self.edges is None else list(self.edges)}

    def __str__(self) -> str:
        return (
            f"Brier {self.brier:.4f} = reliability {self.reliability:.4f} - resolution {self.resolution:.4f} "
            f"+ uncertainty {self.uncertainty:.4f} {round(self.within_bins, 4) + 0.0:+.4f} within bins"
        )


def brier_split(
    y: Any,
    probabilities: Any,
    classes: Any = None,
    *,
    bins: Any = 10,
    strategy: str = "width",
    sample_weight: Any = None,
) -> BrierSplit:
    """What Brier's score is made of.

    Parameters
    ----------
    y : (n,) labels.
    probabilities : (n, K), a column a class.
    classes : (K,) in the order of the columns; by default the labels of y, sorted.
    bins, strategy : as in `reliability`.
    sample_weight : (n,) frequencies.

    Returns
    -------
    BrierSplit

    Raises
    ------
    InputError
        If labels, probabilities, weights or options cannot be used.

    Examples
    --------
    >>> split = brier_split(["a", "b", "b", "b"], [[0.9, 0.1], [0.2, 0.8], [0.2, 0.8], [0.6, 0.4]])
    >>> print(split)
    Brier 0.1125 = reliability 0.1125 - resolution 0.1875 + uncertainty 0.1875 +0.0000 within bins
    """
    truth = truth_of(y, classes, sample_weight)
    binning = binning_of(bins, strategy)
    return split_of(truth, truth.probabilities(probabilities), np.ones(len(truth.labels)), binning)


def split_of(truth: Truth, probabilities: Array, factor: Array, binning: Binning) -> BrierSplit:
    """The parts of Brier's score, each label counting by a factor (R,) more than its rows."""
    K = probabilities.shape[1]
    weight = truth.weight if (factor == 1).all() else truth.weight * factor[truth.codes]
    total = weight.sum()
    sums = np.zeros(3)
    for k in range(len(factor)):
        # A label unknown to the model was given nothing.
        p = probabilities[:, k] if k < K else np.broadcast_to(0.0, len(weight))
        found = binned(p, truth.codes == k, weight, binning)
        filled = found.count > 0
        shares, mean, seen = found.count[filled] / total, found.mean[filled], found.share[filled]
        base = float(shares @ seen)
        sums += [shares @ (mean - seen) ** 2, shares @ (seen - base) ** 2, base * (1 - base)]
    reliability, resolution, uncertainty = (sums * scale(K)).tolist()
    parts = (weight[rows] @ brier_scores(truth.codes[rows], probabilities[rows]) for rows in parts_of(len(weight)))
    brier = float(sum(parts) / total)
    within = brier - (reliability - resolution + uncertainty)
    return BrierSplit(brier, reliability, resolution, uncertainty, within, binning.edges)
