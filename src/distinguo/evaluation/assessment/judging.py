"""From what a model said of test rows to its metrics with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.areas import Areas, areas_of
from distinguo.evaluation.assessment.confusion import ConfusionMatrix, prevalence_of
from distinguo.evaluation.assessment.intervals import Interval, percentiles, wilson
from distinguo.evaluation.assessment.label_metrics import label_metrics, margins, resampled_margins
from distinguo.evaluation.assessment.measures import METRICS, Denominators, Estimate, Metric, why_undefined
from distinguo.evaluation.assessment.resamples import affordable, row_counts
from distinguo.evaluation.assessment.scoring import brier_scores, log_losses, means_of
from distinguo.evaluation.truth import Truth
from distinguo.options import generator_of

Array = NDArray[np.float64]
Values = dict[str, Array]


@dataclass(frozen=True, eq=False)
class Said:
    """Test rows and what a model said of them.

    Attributes
    ----------
    truth : the rows.
    confusion : of its labels.
    probabilities : (n, K), or None.
    scores : (n, K) what rows are ranked by, or None.
    log_density : (n,), or None.
    factor : (R,) by which each label counts more than its rows.
    """

    truth: Truth
    confusion: ConfusionMatrix
    probabilities: Array | None
    scores: Array | None
    log_density: Array | None
    factor: Array


@dataclass(frozen=True)
class Resampling:
    """How intervals are made.

    Attributes
    ----------
    confidence : of the intervals.
    resamples : how many; none make no intervals.
    random_state : a seed, a generator, or None.
    """

    confidence: float
    resamples: int
    random_state: Any


def factor_of(truth: Truth, prevalence: Any, positive: int) -> Array:
    """(R,) by which the rows of each label count more, so that labels are as common as stated; one where none is."""
    if prevalence is None:
        return np.ones(len(truth.labels))
    totals = truth.totals
    shares = prevalence_of(prevalence, tuple(truth.labels), totals, positive)
    return np.asarray(np.divide(shares * totals.sum(), totals, out=np.zeros_like(totals), where=totals > 0))


def estimates_of(said: Said, resampling: Resampling) -> tuple[Estimate, ...]:
    """All metrics that can be had of what was said, in the order of the table."""
    point, resampled = _values(said, resampling)
    rows = _denominators(said)
    found = []
    for name, metric in METRICS.items():
        if name not in point:
            continue
        again = resampled.get(name)
        for place, value in enumerate(point[name].ravel().tolist()):
            label = said.truth.labels[place] if metric.per_class else None
            repeated = None if again is None else again.reshape(len(again), -1)[:, place]
            found.append(_estimate(metric, label, place, value, repeated, rows, resampling.confidence))
    return tuple(found)


def _values(said: Said, resampling: Resampling) -> tuple[Values, Values]:
    """Each metric at the rows as they are, (1,) or (1, R), and in the resamples, (B,) or (B, R)."""
    counts, factor, truth = said.confusion.counts, said.factor, said.truth
    K = len(truth.classes)
    point = label_metrics(margins(counts * factor[:, None], K))
    means, areas = _means(said), _areas(said)
    weight = truth.weight[None]
    point |= means(weight) | areas(weight)
    if not resampling.resamples:
        return point, {}
    generator = generator_of(resampling.random_state)
    again = label_metrics(resampled_margins(counts, K, factor, resampling.resamples, generator))
    many = row_resamples(said, resampling.resamples)
    blocks = row_counts(truth.codes, truth.weight, many, generator) if many else []
    parts = [means(block) | areas(block) for block in blocks]
    return point, again | {name: np.concatenate([p[name] for p in parts]) for name in (parts[0] if parts else ())}


def row_resamples(said: Said, resamples: int) -> int:
    """In how many of the resamples rows are drawn; in none where labels are all there is."""
    if said.log_density is None and said.scores is None:
        return 0
    looks = 0 if said.scores is None else len(said.truth.classes)
    return affordable(said.truth.weight, looks, resamples)


def _means(said: Said) -> Callable[[NDArray[Any]], Values]:
    columns: Values = {}
    if said.probabilities is not None:
        columns["log_loss"] = log_losses(said.truth, said.probabilities)
        columns["brier"] = brier_scores(said.truth, said.probabilities)
    if said.log_density is not None:
        finite = np.isfinite(said.log_density).all()
        columns["log_density"] = said.log_density if finite else np.full(len(said.log_density), np.nan)
    return means_of(said.truth, columns, said.factor)


def _areas(said: Said) -> Areas | Callable[[NDArray[Any]], Values]:
    return (lambda _: {}) if said.scores is None else areas_of(said.truth, said.scores, said.factor)


def _denominators(said: Said) -> Denominators:
    """Rows as they came, which intervals are about, but none of a label without a share."""
    counts = said.confusion.counts * (said.factor > 0)[:, None]
    R, K = len(said.truth.labels), len(said.truth.classes)
    predicted = np.zeros(R)
    predicted[:K] = counts.sum(axis=0)[:K]
    return Denominators(counts.sum(axis=1), predicted)


def _estimate(
    metric: Metric,
    label: Any,
    place: int,
    value: float,
    resampled: Array | None,
    rows: Denominators,
    confidence: float,
) -> Estimate:
    """One metric with its interval; of shares that do not vary, Wilson's."""
    if np.isnan(value):
        return Estimate(metric.name, label, None, None, None, why_undefined(metric, place, rows))
    if resampled is None:
        return Estimate(metric.name, label, value, None, None, None)
    found = percentiles(resampled, confidence)
    if found.note is not None and metric.share_of is not None:
        low, high = wilson(value, rows.of(metric, place), confidence)
        found = Interval(float(low), float(high), f"Wilson's interval; {found.note}")
    return Estimate(metric.name, label, value, found.low, found.high, found.note)
