"""Whether probabilities can be believed: what came in how many of the rows that were said to have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.bins import Binning, binned, binning_of
from distinguo.evaluation.assessment.calibration_line import CalibrationLine, calibration_line
from distinguo.evaluation.assessment.confusion import aligned_lines
from distinguo.evaluation.assessment.intervals import confidence_of, wilson
from distinguo.evaluation.texts import none_for_nan, number, plain_label, rows_text, short
from distinguo.evaluation.truth import Truth, named, parts_of, truth_of
from distinguo.exceptions import InputError
from distinguo.group_tests.table import ResultTable
from distinguo.hyperplane import decide
from distinguo.rows.labels import label_text

Array = NDArray[np.float64]
Formats = Mapping[str, Callable[[NDArray[Any]], list[str]]]

# Of more classes than this, those of the greatest calibration error are printed.
MOST_SHOWN = 12


def _edges(values: NDArray[Any]) -> list[str]:
    """Edges with as many digits as tell them apart, from four on."""
    for digits in range(4, 17):
        texts = [f"{value:.{digits}g}" for value in values.tolist()]
        if len(set(texts)) == len(texts):
            break
    return texts


def _rows(values: NDArray[Any]) -> list[str]:
    return [number(value) for value in values.tolist()]


def _three(values: NDArray[Any]) -> list[str]:
    return ["-" if np.isnan(value) else f"{value:.3f}" for value in values.tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityTable(ResultTable):
    r"""Bins of probabilities, and what came in each; NaN, printed "-", in bins of no rows.

    Attributes
    ----------
    label : the class whose probabilities these are; None for those of the predicted class, whichever it is.
    lower, upper : (m,) edges; a bin has its lower edge, the last one its upper too.
    count : (m,) weight of the rows.
    mean_confidence : (m,) mean probability.
    share_correct : (m,) of rows that are of the class.
    low, high : (m,) Wilson's interval of that share.
    ece : expected calibration error, :math:`\sum_b \frac{n_b}{n} |\bar p_b - \bar y_b|`.
    ece_by_chance : what calibrated probabilities such as these would have on average, for few rows differ from their
        mean by chance: :math:`\frac1n \sum_b \sqrt{\tfrac2\pi \sum_{i \in b} p_i (1 - p_i)}`.
    line : `CalibrationLine`, slope and intercept.
    heading : what stands above.
    """

    label: Any
    lower: Array
    upper: Array
    count: Array
    mean_confidence: Array
    share_correct: Array
    low: Array
    high: Array
    ece: float
    ece_by_chance: float
    line: CalibrationLine
    heading: str
    headings: ClassVar[dict[str, str]] = {
        "lower": "from",
        "upper": "to",
        "count": "rows",
        "mean_confidence": "confidence",
        "share_correct": "correct",
        "low": "low",
        "high": "high",
    }
    formats: ClassVar[Formats] = {
        "lower": _edges,
        "upper": _edges,
        "count": _rows,
        **dict.fromkeys(("mean_confidence", "share_correct", "low", "high"), _three),
    }

    @property
    def title(self) -> str:
        """Whose probabilities these are."""
        return self.heading


@dataclass(frozen=True, eq=False, repr=False)
class Reliability:
    """Reliability tables of the predicted class and of each class; `reliability` makes it.

    It prints, and gives `of(label)` and `to_dict()`.

    Attributes
    ----------
    top : `ReliabilityTable` of the predicted class.
    by_class : K of them, one a class.
    ece : expected calibration error of the predicted class; see `ReliabilityTable`.
    ece_classwise : mean of the classes' own.
    notes : what else is to be said.
    """

    top: ReliabilityTable
    by_class: tuple[ReliabilityTable, ...]
    notes: tuple[str, ...]

    @property
    def ece(self) -> float:
        """Expected calibration error of the predicted class."""
        return self.top.ece

    @property
    def ece_classwise(self) -> float:
        """Mean over the classes of their expected calibration errors."""
        return float(np.mean([table.ece for table in self.by_class]))

    def of(self, label: Any) -> ReliabilityTable:
        """The table of a class; of the predicted class, whichever it is, for None."""
        if label is None:
            return self.top
        for table in self.by_class:
            if table.label == label:
                return table
        raise InputError(f"{label_text(label)} is no class; they are {named([t.label for t in self.by_class])}.")

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it; None where there is no number."""
        return {
            "top": _plain(self.top),
            "by_class": [_plain(table) for table in self.by_class],
            "ece": self.ece,
            "ece_classwise": self.ece_classwise,
            "notes": list(self.notes),
        }

    def to_text(self, width: int | None = None) -> str:
        """The table of the predicted class, and a line a class.

        Parameters
        ----------
        width : how many characters a line of the tables may have, which are cut into parts where they have more.
        """
        worst = sorted(self.by_class, key=lambda table: -table.ece)[:MOST_SHOWN]
        shown = self.by_class if len(self.by_class) <= MOST_SHOWN else worst
        head = ["class", "ECE", "by chance", "slope", "in the large"]
        lines = [[short(table.label), *_summary(table)] for table in shown]
        text = aligned_lines([head, ["(predicted)", *_summary(self.top)], *lines], width)
        if len(shown) < len(self.by_class):
            text += f"\n({len(shown)} classes of the greatest ECE out of {len(self.by_class)})"
        remarks = [f"note: {note}" for note in (*_remarks([self.top, *shown]), *self.notes)]
        return "\n\n".join([str(self.top), text, *(["\n".join(remarks)] if remarks else [])])

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.top._repr_html_()


def _summary(table: ReliabilityTable) -> list[str]:
    return [f"{table.ece:.4f}", f"{table.ece_by_chance:.4f}", str(table.line.slope), str(table.line.in_the_large)]


def _remarks(tables: list[ReliabilityTable]) -> list[str]:
    """Why lines are missing, each reason once with whose they are."""
    whose: dict[str, list[str]] = {}
    for table in tables:
        if table.line.note is not None:
            who = "the predicted class" if table.label is None else label_text(table.label)
            whose.setdefault(table.line.note, []).append(who)
    return [f"{', '.join(who)}: {note}" for note, who in whose.items()]


def _plain(table: ReliabilityTable) -> dict[str, Any]:
    columns = {name: [none_for_nan(value) for value in values] for name, values in table.to_dict().items()}
    return {
        "label": plain_label(table.label),
        **columns,
        "ece": table.ece,
        "ece_by_chance": table.ece_by_chance,
        "line": table.line.to_dict(),
    }


def reliability(
    y: Any,
    probabilities: Any,
    classes: Any = None,
    *,
    bins: Any = 10,
    strategy: str = "width",
    sample_weight: Any = None,
    confidence: float = 0.95,
) -> Reliability:
    """Whether probabilities come true: tables, calibration errors, slopes and intercepts.

    Labels that are none of the classes count as wrong, whatever was predicted.

    Parameters
    ----------
    y : (n,) labels.
    probabilities : (n, K), a column a class.
    classes : (K,) in the order of the columns; by default the labels of y, sorted.
    bins : how many, or their edges, rising from 0 to 1.
    strategy : "width" for bins of one width, or "quantile" for bins of as many rows each, as far as probabilities
        differ; the predicted class and each class then have their own.
    sample_weight : (n,) frequencies.
    confidence : of the intervals.

    Returns
    -------
    Reliability

    Raises
    ------
    InputError
        If labels, probabilities, weights or options cannot be used.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=1000)
    >>> y = np.where(rng.uniform(size=1000) < p, "yes", "no")
    >>> found = reliability(y, np.column_stack([1 - p, p]), ["no", "yes"], bins=[0, 0.25, 0.5, 0.75, 1])
    >>> print(found.of("yes"))
    probabilities of class 'yes' in 1000 rows, 95 % intervals
    from    to  rows  confidence  correct    low   high
       0  0.25   231       0.128    0.130  0.093  0.179
    0.25   0.5   242       0.381    0.384  0.325  0.447
     0.5  0.75   260       0.626    0.642  0.582  0.698
    0.75     1   267       0.870    0.873  0.827  0.907
    >>> found.of("yes").ece < found.of("yes").ece_by_chance
    True

    References
    ----------
    Murphy and Winkler (1977), Reliability of subjective probability forecasts of precipitation and temperature, Applied
    Statistics 26, 41-47. Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian
    binning, AAAI 29 (expected calibration error). Kull and others (2019), Beyond temperature scaling, NeurIPS 32
    (classwise).
    """
    truth = truth_of(y, classes, sample_weight)
    binning, level = binning_of(bins, strategy), confidence_of(confidence)
    return reliability_of(truth, truth.probabilities(probabilities), binning, level)


def reliability_of(truth: Truth, chances: Array, binning: Binning, level: float) -> Reliability:
    """The same of rows and probabilities (n, K) that are checked."""
    tables = [_table(truth, *_top(truth, chances), binning, level, None)]
    for k, label in enumerate(truth.labels[: len(truth.classes)]):
        tables.append(_table(truth, chances[:, k], truth.codes == k, binning, level, label))
    return Reliability(tables[0], tuple(tables[1:]), _notes(truth))


def _top(truth: Truth, chances: Array) -> tuple[Array, NDArray[np.bool_]]:
    """(n,) probability of the predicted class, and whether it is right."""
    top, right = np.empty(len(chances)), np.empty(len(chances), dtype=bool)
    for rows in parts_of(len(chances)):
        chosen = decide(chances[rows])
        top[rows] = np.take_along_axis(chances[rows], chosen[:, None], axis=1)[:, 0]
        right[rows] = truth.codes[rows] == chosen
    return top, right


def _table(
    truth: Truth, p: Array, outcome: NDArray[np.bool_], binning: Binning, confidence: float, label: Any
) -> ReliabilityTable:
    """Probabilities (n,) of an outcome (n,)."""
    found = binned(p, outcome, truth.weight, binning)
    filled, total = found.count > 0, found.count.sum()
    low, high = np.full((2, len(filled)), np.nan)
    low[filled], high[filled] = wilson(found.share[filled], found.count[filled], confidence)
    gaps = np.abs(found.mean - found.share)[filled]
    whose = "the predicted class" if label is None else f"class {label_text(label)}"
    return ReliabilityTable(
        label=label,
        lower=found.edges[:-1],
        upper=found.edges[1:],
        count=found.count,
        mean_confidence=found.mean,
        share_correct=found.share,
        low=low,
        high=high,
        ece=float(found.count[filled] @ gaps / total),
        ece_by_chance=float(np.sqrt(2 / np.pi * found.doubt).sum() / total),
        line=calibration_line(p, outcome, truth.weight, confidence),
        heading=f"probabilities of {whose} in {rows_text(float(total))}, {100 * confidence:g} % intervals",
    )


def _notes(truth: Truth) -> tuple[str, ...]:
    if not len(truth.unseen):
        return ()
    rows = rows_text(float(truth.totals[len(truth.classes) :].sum()))
    return (f"labels without a probability ({named(truth.unseen)}): {rows}, taken as wrong",)
