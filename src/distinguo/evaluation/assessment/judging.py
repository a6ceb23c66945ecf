"""From what a model said of test rows to its metrics with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.areas import Areas, areas_of
from distinguo.evaluation.assessment.confusion import ConfusionMatrix, prevalence_of
from distinguo.evaluation.assessment.intervals import Interval, percentiles, wilson
from distinguo.evaluation.assessment.label_metrics import label_metrics, margins, resampled_margins
from distinguo.evaluation.assessment.measures import METRICS, Denominators, Estimate, Metric, why_undefined
from distinguo.evaluation.assessment.resamples import affordable, row_counts
from distinguo.evaluation.assessment.scoring import Means, brier_scores, log_losses, means_of, ratio
from distinguo.evaluation.assessment.thinning import STANDING, is_many, thinned
from distinguo.evaluation.assessment.whole_areas import whole_areas
from distinguo.evaluation.truth import Truth, parts_of
from distinguo.options import generator_of

Array = NDArray[np.float64]
Values = dict[str, Array]
# What numbers that rows are drawn for can be, where that is not from 0 to 1.
LIMITS = {"log_loss": (0.0, np.inf), "brier": (0.0, 2.0), "log_density": (-np.inf, np.inf)}


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

    def part(self, rows: slice | NDArray[np.intp]) -> Said:
        """Some of the rows."""
        truth = replace(self.truth, codes=self.truth.codes[rows], weight=self.truth.weight[rows])
        given = (self.probabilities, self.scores, self.log_density)
        probabilities, scores, log_density = (None if values is None else values[rows] for values in given)
        return Said(truth, self.confusion, probabilities, scores, log_density, self.factor)


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
    point |= _of_all(said)
    if not resampling.resamples:
        return point, {}
    generator = generator_of(resampling.random_state)
    again = label_metrics(resampled_margins(counts, K, factor, resampling.resamples, generator))
    many = row_resamples(said, resampling.resamples)
    if many:
        is_drawn = not is_many(truth)
        again |= _of_drawn(said, many, generator) if is_drawn else _about(point, _of_thinned(said, many, generator))
    return point, again


def _of_all(said: Said) -> Values:
    """Means and areas of the rows as they are; of very many, with little beside them."""
    weight = said.truth.weight
    if not is_many(said.truth):
        return _means(said)(weight[None]) | _areas(said)(weight[None])
    areas = {} if said.scores is None else whole_areas(said.truth, said.scores, said.factor)
    if said.log_density is not None and not np.isfinite(said.log_density).all():
        said = replace(said, log_density=np.broadcast_to(np.inf, len(weight)))  # in each part, then, there is no mean
    sums, totals = np.zeros(1), np.zeros(1)
    for rows in parts_of(len(weight)):
        means = _means(said.part(rows))
        sums, totals = sums + means.sums(weight[None, rows]), totals + means.totals
    found = ratio(sums, totals)
    return {name: found[:, i] for i, name in enumerate(means.names)} | areas


def _of_drawn(said: Said, many: int, generator: np.random.Generator) -> Values:
    """Means and areas in so many resamples."""
    means, areas = _means(said), _areas(said)
    blocks = row_counts(said.truth.codes, said.truth.weight, many, generator)
    return _joined([means(block) | areas(block) for block in blocks])


def _of_thinned(said: Said, many: int, generator: np.random.Generator) -> Values:
    """The same by rows that stand for all: how far resamples are from these rows, about the numbers of all."""
    few = thinned(said.truth, generator)
    some = said.part(few.rows)
    some = replace(some, truth=replace(some.truth, weight=few.weight * few.stretch))
    means, areas = _means(some), _areas(some)
    blocks = map(few.stretched, row_counts(some.truth.codes, few.weight, many, generator))
    values = _joined([means(block) | areas(block) for block in blocks])
    middle = means(some.truth.weight[None]) | areas(some.truth.weight[None])
    return {name: values[name] - middle[name] for name in values}


def _about(point: Values, strayed: Values) -> Values:
    """Numbers that stray so far from those of all rows, within what they can be."""
    found = {name: point[name] + by for name, by in strayed.items()}
    return {name: np.clip(values, *LIMITS.get(name, (0.0, 1.0))) for name, values in found.items()}


def _joined(parts: list[Values]) -> Values:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def row_resamples(said: Said, resamples: int) -> int:
    """In how many of the resamples rows are drawn; in none where labels are all there is."""
    if said.log_density is None and said.scores is None:
        return 0
    looks = 0 if said.scores is None else len(said.truth.classes)
    weight = said.truth.weight
    return affordable(weight[:STANDING] if is_many(said.truth) else weight, looks, resamples)


def _means(said: Said) -> Means:
    columns: Values = {}
    if said.probabilities is not None:
        columns["log_loss"] = log_losses(said.truth.codes, said.probabilities)
        columns["brier"] = brier_scores(said.truth.codes, said.probabilities)
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
