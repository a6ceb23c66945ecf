"""From which probability on a row is called positive: what follows from each threshold, and which is best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.columns import Format, decimals
from distinguo.evaluation.decisions.outcomes import METRICS, Outcomes
from distinguo.evaluation.probabilities import probabilities_of_one
from distinguo.evaluation.truth import named
from distinguo.exceptions import InputError
from distinguo.group_tests.table import ResultTable
from distinguo.options import one_of, share_of
from distinguo.rows.labels import encode_labels, label_list, label_text
from distinguo.rows.validation import check_lengths, check_weight, real_numbers

Array = NDArray[np.float64]

DEFAULT = "f1"
# Of a budget as much is taken as finds the most.
WITHIN_BUDGET = "recall"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows of one positive class and the others, with the probability of the positive one.

    Attributes
    ----------
    label : the positive class.
    positive : (n,) the rows that are of it.
    p : (n,) how probable it is.
    weight : (n,)
    """

    label: Any
    positive: NDArray[np.bool_]
    p: Array
    weight: Array

    def outcomes(self, thresholds: Array) -> Outcomes:
        """What becomes of the rows at each threshold."""
        return Outcomes.of(self.positive, self.p, self.weight, thresholds)


def labelled(y: Any, p: Any, positive: Any, sample_weight: Any) -> Labelled:
    """The rows behind labels (n,) and probabilities (n,) or (n, 2), checked.

    Raises
    ------
    InputError
        If they cannot be used, or it is not clear which class is positive.
    """
    codes, classes = encode_labels(y)
    check_lengths(len(codes) if np.ndim(p) == 0 else len(p), len(codes))
    code = positive_code(positive, classes)
    weight = check_weight(sample_weight, len(codes))
    label = label_list(classes)[code] if code >= 0 else positive
    p = probabilities_of_one(p, len(codes), 0 if code == 0 and len(classes) == 2 else 1)
    return Labelled(label, np.asarray(codes == code), p, np.ones(len(codes)) if weight is None else weight)


def positive_code(positive: Any, classes: NDArray[Any]) -> int:
    """Which of the classes is positive: the one named, or the second of two; -1 for one that no row has.

    Raises
    ------
    InputError
        If none is named and there are not two, or one is named that is none of two or more.
    """
    labels = label_list(classes)
    if positive is None:
        if len(labels) != 2:
            many = "one class only" if len(labels) == 1 else f"{len(labels)} classes"
            raise InputError(f"y has {many} ({named(classes)}); say with positive= which one is looked for.")
        return 1
    if positive in labels:
        return labels.index(positive)
    if len(labels) > 1:
        raise InputError(f"positive={positive!r} is no class of y; the classes are {named(classes)}.")
    return -1


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdTable(ResultTable):
    """What follows from each threshold, a row each; rows whose probability is at least as high are called positive.

    Attributes
    ----------
    positive : the class looked for.
    n : rows, by frequency.
    n_positive : those of that class.
    threshold : (T,)
    called : (T,) share of the rows called positive.
    recall, specificity : (T,) shares of the positive and of the negative rows called what they are.
    precision : (T,) share of the rows called positive that are; NaN where none is.
    accuracy, f1, youden : (T,)
    tp, fp, fn, tn : (T,) rows by frequency: called positive rightly and wrongly, called negative wrongly and rightly.
    """

    positive: Any
    n: float
    n_positive: float
    threshold: Array
    called: Array
    recall: Array
    specificity: Array
    precision: Array
    accuracy: Array
    f1: Array
    youden: Array
    tp: Array
    fp: Array
    fn: Array
    tn: Array

    headings: ClassVar[dict[str, str]] = {
        "threshold": "threshold",
        "called": "called positive",
        **{name: name for name in ("recall", "specificity", "precision", "accuracy", "f1", "youden")},
        **{name: name for name in ("tp", "fp", "fn", "tn")},
    }
    formats: ClassVar[Mapping[str, Format]] = {
        "threshold": decimals(2),
        **dict.fromkeys(("called", "recall", "specificity", "precision", "accuracy", "f1", "youden"), decimals(3)),
    }

    @property
    def title(self) -> str:
        """What is looked for, and among how many rows."""
        return f"{label_text(self.positive)} from each threshold: {self.n_positive:g} of {self.n:g} rows are"


def threshold_table(
    y: Any, p: Any, thresholds: Any = None, *, positive: Any = None, sample_weight: Any = None
) -> ThresholdTable:
    """What becomes of rows at each threshold: a row is called positive where p is at least as high.

    Raising the threshold calls fewer rows positive, so that recall never rises and specificity never falls, while
    precision and accuracy may go either way. From a threshold of 1 nobody is positive: a probability that rounding has
    made 1 counts as below it.

    Parameters
    ----------
    y : (n,) labels.
    p : (n,) probability of the positive class, or (n, 2) of both.
    thresholds : (T,) numbers in [0, 1], in any order; 0, .05, ..., 1 unless given.
    positive : the class looked for; the second of two unless given. All others are negative.
    sample_weight : (n,) frequencies, or None.

    Returns
    -------
    ThresholdTable

    Raises
    ------
    InputError
        If rows or thresholds cannot be used, or it is not clear which class is positive.

    Examples
    --------
    >>> from distinguo import threshold_table
    >>> print(threshold_table(["well", "well", "ill", "ill"], [0.1, 0.6, 0.5, 0.9], [0.5, 0.8], positive="ill"))
    'ill' from each threshold: 2 of 4 rows are
    threshold  called positive  recall  specificity  precision  accuracy     f1  youden  tp  fp  fn  tn
         0.50            0.750   1.000        0.500      0.667     0.750  0.800   0.500   2   1   0   1
         0.80            0.250   0.500        1.000      1.000     0.750  0.667   0.500   1   0   1   2
    """
    rows = labelled(y, p, positive, sample_weight)
    cut = np.linspace(0, 1, 21) if thresholds is None else real_numbers(thresholds, "thresholds must be numbers.")
    if cut.ndim != 1 or not len(cut) or not ((cut >= 0) & (cut <= 1)).all():
        raise InputError(f"thresholds={thresholds!r} must be a list of numbers from 0 to 1.")
    out = rows.outcomes(cut)
    figures = {name: getattr(out, name) for name in ThresholdTable.headings if name != "threshold"}
    return ThresholdTable(rows.label, float(rows.weight.sum()), float(rows.weight[rows.positive].sum()), cut, **figures)


@dataclass(frozen=True)
class Threshold:
    """From where on a row is called positive, and what follows on the rows that it was chosen on.

    Attributes
    ----------
    threshold : rows whose probability is at least as high are called positive.
    metric, value : what was best, and how good it was; too good for other rows, by a little.
    positive : the class looked for.
    called : share of the rows called positive.
    recall, specificity, precision : shares; NaN where there is nothing to share.
    """

    threshold: float
    metric: str
    value: float
    positive: Any
    called: float
    recall: float
    specificity: float
    precision: float

    def to_dict(self) -> dict[str, Any]:
        """The same by name."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{label_text(self.positive)} from {self.threshold:.4g} on: {self.metric} {self.value:.3f}; "
            f"{self.called:.1%} of the rows are called so, recall {self.recall:.3f}, "
            f"specificity {self.specificity:.3f}, precision {self.precision:.3f}"
        )


def tune_threshold(
    y: Any,
    p: Any,
    metric: str | None = None,
    *,
    budget: float | None = None,
    positive: Any = None,
    sample_weight: Any = None,
) -> Threshold:
    """The threshold that is best by a metric, within a budget if there is one.

    Candidates lie half-way between neighbouring probabilities, with 0 (everybody is positive) and 1 (nobody is). Of
    equally good ones the highest is taken. Probabilities must be of rows that the model has not seen: `Thresholded`
    sees to that.

    Parameters
    ----------
    y : (n,) labels.
    p : (n,) probability of the positive class, or (n, 2) of both.
    metric : "f1" (the default), "youden" (recall + specificity - 1), "balanced_accuracy", "mcc", "accuracy", or
        "recall" (the default with a budget, and for budgets only).
    budget : the largest share of rows that may be called positive, from 0 to 1.
    positive : the class looked for; the second of two unless given. All others are negative.
    sample_weight : (n,) frequencies, or None.

    Returns
    -------
    Threshold

    Raises
    ------
    InputError
        If rows or options cannot be used, or there are no rows of one of the two kinds.

    Examples
    --------
    >>> from distinguo import tune_threshold
    >>> y, p = ["well"] * 6 + ["ill"] * 2, [0.1, 0.1, 0.2, 0.2, 0.3, 0.5, 0.4, 0.6]
    >>> print(tune_threshold(y, p, "youden", positive="ill"))
    'ill' from 0.35 on: youden 0.833; 37.5% of the rows are called so, recall 1.000, specificity 0.833, precision 0.667
    >>> tune_threshold(y, p, budget=0.2, positive="ill").threshold
    0.55
    """
    rows = labelled(y, p, positive, sample_weight)
    return best_threshold(rows, *check_aim(metric, budget))


def check_aim(metric: Any, budget: Any) -> tuple[str, float]:
    """What is to be best, and the share of rows that may be called positive, checked.

    Raises
    ------
    InputError
        If the metric is unknown, or asks for a budget that is not there, or the budget is no share.
    """
    chosen = one_of((DEFAULT if budget is None else WITHIN_BUDGET) if metric is None else metric, "metric", METRICS)
    if budget is None and chosen == WITHIN_BUDGET:
        raise InputError("metric='recall' is best where everybody is called positive; give a budget with it.")
    return chosen, 1.0 if budget is None else share_of(budget, "budget", "None: a share of the rows")


def best_threshold(rows: Labelled, metric: str, budget: float) -> Threshold:
    """The best candidate within the budget."""
    counted = rows.weight > 0
    for kind, there in (("positive", rows.positive & counted), ("negative", ~rows.positive & counted)):
        if not there.any():
            raise InputError(
                f"no row is {kind} (positive is {label_text(rows.label)}); a threshold is chosen on rows of both kinds."
            )
    levels = np.unique(rows.p[counted])
    half = (levels[:-1] + levels[1:]) / 2
    candidates = np.concatenate([[0.0], np.where(half > levels[:-1], half, levels[1:]), [1.0]])
    out = rows.outcomes(candidates)
    value = np.where(out.called <= budget, METRICS[metric](out), -np.inf)
    best = np.flatnonzero(value >= value.max() - 1e-12)
    k = int(best[-1])
    shares = [float(getattr(out, name)[k]) for name in ("called", "recall", "specificity", "precision")]
    return Threshold(float(candidates[k]), metric, float(value[k]), rows.label, *shares)
