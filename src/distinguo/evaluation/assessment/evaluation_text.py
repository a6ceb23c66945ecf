"""An evaluation as text and as a table, and what is to be said beside the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.confusion import aligned_lines
from distinguo.evaluation.assessment.judging import Said, row_resamples
from distinguo.evaluation.assessment.measures import METRICS, Estimate
from distinguo.evaluation.assessment.scoring import LEAST, given_probability
from distinguo.evaluation.assessment.thinning import STANDING, is_many
from distinguo.evaluation.texts import number, rows_text, short
from distinguo.evaluation.truth import named, parts_of
from distinguo.group_tests.table import ResultTable

if TYPE_CHECKING:
    from distinguo.evaluation.assessment.evaluation import Evaluation

Array = NDArray[np.float64]
Formats = Mapping[str, Callable[[NDArray[Any]], list[str]]]

# Of more classes than this, those of the least F1 are printed.
MOST_SHOWN = 12


def _four(values: NDArray[Any]) -> list[str]:
    return ["-" if np.isnan(value) else f"{value:.4f}" for value in values.tolist()]


def _labels(values: NDArray[Any]) -> list[str]:
    return ["" if value is None else short(value) for value in values.tolist()]


def _notes(values: NDArray[Any]) -> list[str]:
    return [value or "" for value in values.tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class EstimateTable(ResultTable):
    """Metrics, a line each; NaN, printed "-", where there is no number.

    Attributes
    ----------
    metric, label, note : (m,) as in `Estimate`.
    value, low, high : (m,)
    heading : what stands above.
    """

    metric: NDArray[Any]
    label: NDArray[Any]
    value: Array
    low: Array
    high: Array
    note: NDArray[Any]
    heading: str
    headings: ClassVar[dict[str, str]] = {
        "metric": "metric",
        "label": "class",
        "value": "value",
        "low": "low",
        "high": "high",
        "note": "note",
    }
    formats: ClassVar[Formats] = {"value": _four, "low": _four, "high": _four, "label": _labels, "note": _notes}

    @classmethod
    def of(cls, estimates: Sequence[Estimate], heading: str) -> Self:
        """The table of some estimates."""
        texts = {name: _column(estimates, name, np.dtype(object)) for name in ("metric", "label", "note")}
        numbers = {name: _column(estimates, name, np.dtype(np.float64)) for name in ("value", "low", "high")}
        return cls(**texts, **numbers, heading=heading)

    @property
    def title(self) -> str:
        """What was judged."""
        return self.heading


def _column(estimates: Sequence[Estimate], name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    array = np.empty(len(estimates), dtype=dtype)
    array[:] = [getattr(estimate, name) for estimate in estimates]
    return array


def heading_of(evaluation: Evaluation) -> str:
    """Rows, classes and how intervals were made."""
    counted = f" (weight {number(evaluation.weight)})" if evaluation.weight != evaluation.n else ""
    line = f"{rows_text(evaluation.n)}{counted}, {len(evaluation.classes)} classes"
    if evaluation.n_bootstrap:
        line += f"; {100 * evaluation.confidence:g} % intervals from {evaluation.n_bootstrap} resamples of each class"
    if evaluation.prevalence is not None:
        labels = [*evaluation.classes, *evaluation.unseen]
        shares = [f"{short(label)} {share:.4g}" for label, share in zip(labels, evaluation.prevalence, strict=True)]
        more = f" and {len(shares) - MOST_SHOWN} more" if len(shares) > MOST_SHOWN else ""
        line += f"\nat a prevalence of {', '.join(shares[:MOST_SHOWN])}{more}"
    return line


def evaluation_text(evaluation: Evaluation, width: int | None) -> str:
    """Heading, metrics, metrics of each class, confusion matrix and notes; tables in parts of a width."""
    split = evaluation.brier_split
    parts = [
        evaluation.heading,
        _overall(evaluation.estimates),
        _by_class(evaluation, width),
        evaluation.confusion.to_text(width) + ("" if split is None else f"\n\n{split}"),
        "\n".join(f"note: {note}" for note in evaluation.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _overall(estimates: Sequence[Estimate]) -> str:
    lines = []
    for e in estimates:
        metric = METRICS[e.metric]
        if not metric.per_class:
            value = "-" if e.value is None else f"{e.value:.4f}"
            interval = "" if e.low is None else f"[{e.low:.4f}, {e.high:.4f}]"
            lines.append((metric.title, value, interval, "" if e.note is None else f"({e.note})"))
    widths = [max(len(line[i]) for line in lines) for i in range(2)]
    return "\n".join(
        "  ".join(filter(None, (title.ljust(widths[0]), value.rjust(widths[1]), interval, note)))
        for title, value, interval, note in lines
    )


def _by_class(evaluation: Evaluation, width: int | None) -> str:
    """Two lines a class: values, and their intervals below."""
    labels, rows = evaluation.confusion.labels, evaluation.confusion.counts.sum(axis=1)
    metrics = [m for m in METRICS.values() if m.per_class and any(e.metric == m.name for e in evaluation.estimates)]
    found = {m.name: [e for e in evaluation.estimates if e.metric == m.name] for m in metrics}
    order = _shown(evaluation, found["f1"], rows)
    table = [["class", "rows", *(m.title for m in metrics)]]
    for place in order:
        of_class = [found[m.name][place] if place < len(found[m.name]) else None for m in metrics]
        table.append([short(labels[place]), number(rows[place]), *(_value(e) for e in of_class)])
        if evaluation.n_bootstrap:
            table.append(["", "", *(_interval(e) for e in of_class)])
    text = aligned_lines(table, width)
    if len(order) < len(labels):
        text += f"\n({len(order)} classes of the least F1 out of {len(labels)}; all are in rows() and to_frame())"
    return text


def _shown(evaluation: Evaluation, f1: Sequence[Estimate], rows: Array) -> list[int]:
    """The places of the classes to be printed, the positive one first."""
    labels = evaluation.confusion.labels
    places = list(range(len(labels)))
    if len(places) > MOST_SHOWN:
        score = [2.0 if not rows[place] else (f1[place].value or 0.0) for place in places]
        return sorted(places, key=lambda place: score[place])[:MOST_SHOWN]
    return sorted(places, key=lambda place: evaluation.positive is None or labels[place] != evaluation.positive)


def _value(e: Estimate | None) -> str:
    return "-" if e is None or e.value is None else f"{e.value:.3f}"


def _interval(e: Estimate | None) -> str:
    return "" if e is None or e.low is None else f"{e.low:.3f}-{e.high:.3f}"


def notes_of(said: Said, resamples: int) -> tuple[str, ...]:
    """What is to be said of rows and classes beside the numbers, each in a line."""
    return tuple(note for note in (find(said, resamples) for find in _NOTES) if note)


def _unseen(said: Said, _: int) -> str:
    truth, K = said.truth, len(said.truth.classes)
    if not len(truth.unseen):
        return ""
    rows, of = rows_text(float(truth.totals[K:].sum())), number(float(truth.weight.sum()))
    rest = "" if said.probabilities is None else ", and left out of the log loss"
    return f"labels new to the model ({named(truth.unseen)}): {rows} of {of}, taken as wrong{rest}"


def _absent(said: Said, _: int) -> str:
    truth = said.truth
    absent = truth.classes[truth.totals[: len(truth.classes)] == 0]
    return f"no test row of {named(absent)}: means over the classes are without" if len(absent) else ""


def _never_predicted(said: Said, _: int) -> str:
    counts, K = said.confusion.counts, len(said.truth.classes)
    never = said.truth.classes[(counts.sum(axis=0)[:K] == 0) & (said.truth.totals[:K] > 0)]
    return f"never predicted: {named(never)}; the mean precision is without" if len(never) else ""


def _no_answer(said: Said, _: int) -> str:
    counts, K = said.confusion.counts, len(said.truth.classes)
    rows = rows_text(float(counts[:, K:].sum()))
    return f"without an answer: {rows}, taken as wrong" if counts.shape[1] > K else ""


def _impossible(said: Said, _: int) -> str:
    if said.probabilities is None:
        return ""
    codes, p = said.truth.codes, said.probabilities
    low = np.concatenate([given_probability(codes[rows], p[rows]) < LEAST for rows in parts_of(len(codes))])
    rows, nats = rows_text(float(said.truth.weight[low].sum())), -np.log(LEAST)
    text = f"probability 0 for the class that is right: {rows}, for the log loss {LEAST:.1e} or {nats:.0f} nats each"
    return text if low.any() else ""


def _no_density(said: Said, _: int) -> str:
    if said.log_density is None:
        return ""
    wrong = ~np.isfinite(said.log_density)
    return f"density zero: {rows_text(float(said.truth.weight[wrong].sum()))}" if wrong.any() else ""


def _single(said: Said, resamples: int) -> str:
    truth = said.truth
    lone = [label for label, count in zip(truth.labels, truth.sizes.tolist(), strict=True) if count == 1]
    return f"classes of one row do not vary between resamples: {named(lone)}" if lone and resamples else ""


def _fewer(said: Said, resamples: int) -> str:
    many = row_resamples(said, resamples)
    stand = f" of {STANDING} rows that stand for all" if is_many(said.truth) else ""
    text = f"the intervals of areas, losses and densities are from {many} resamples{stand}, for rows are many"
    return text if many and (stand or many < resamples) else ""


_NOTES = (_unseen, _absent, _never_predicted, _no_answer, _impossible, _no_density, _single, _fewer)
