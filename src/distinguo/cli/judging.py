"""How good a saved model is on labelled rows that it has not seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.catalogue import find, suggest
from distinguo.cli import terminal
from distinguo.cli.class_names import ClassNames
from distinguo.cli.deciding import UNDECIDED, Cheapest, Rule
from distinguo.cli.heard import Heard
from distinguo.cli.left_out import held_out_of
from distinguo.cli.persistence import SavedModel
from distinguo.cli.predicting import encoded
from distinguo.cli.running import UsageError
from distinguo.cli.table import Labelled
from distinguo.cli.updating import labels_like
from distinguo.evaluation.assessment.bins import binning_of
from distinguo.evaluation.assessment.evaluation import Evaluation
from distinguo.evaluation.assessment.judging import Resampling
from distinguo.evaluation.assessment.measures import METRICS
from distinguo.evaluation.assessment.reliability import Reliability, reliability_of
from distinguo.evaluation.calibration.calibrated import Calibrated
from distinguo.evaluation.truth import Truth, answered_places, parts_of
from distinguo.exceptions import InputError
from distinguo.rows.labels import label_list

# What is judged besides the metrics of an evaluation, and better when less.
MORE_LOSSES = ("ece", "mean_cost")


@dataclass(frozen=True)
class Judgement:
    """What labelled rows say of a model.

    Attributes
    ----------
    evaluation : metrics with intervals.
    reliability : what came of probabilities; None without any.
    mean_cost : of a row, where errors have costs.
    """

    evaluation: Evaluation
    reliability: Reliability | None
    mean_cost: float | None

    def value(self, name: str, label: str | None) -> float | None:
        """The number of a metric, of a class where one is named."""
        if name == "ece":
            return None if self.reliability is None else self.reliability.ece
        if name == "mean_cost":
            return self.mean_cost
        if label is None:
            return self.evaluation[name].value
        return self.evaluation[name, ClassNames(self.evaluation.classes)[label]].value

    def to_text(self, width: int) -> str:
        """All of it, for people; tables in parts where they are wider."""
        parts = [self.evaluation.to_text(width)]
        if self.reliability is not None:
            parts.append(self.reliability.to_text(width))
        if self.mean_cost is not None:
            parts.append(f"mean cost of a row {terminal.number(self.mean_cost)}")
        return "\n\n".join(parts)

    def to_json(self) -> str:
        """All of it, for programs."""
        document = {
            "evaluation": self.evaluation.to_dict(),
            "reliability": None if self.reliability is None else self.reliability.to_dict(),
            "mean_cost": self.mean_cost,
        }
        return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def judge(
    saved: SavedModel, rows: Iterable[Labelled], rule: Rule | None, prevalence: Sequence[str], positive: str | None
) -> Judgement:
    """The metrics of a model on labelled rows, of which no more than a part is held at a time.

    Parameters
    ----------
    saved : the model.
    rows : with labels, of which some may be none of the model's classes.
    rule : how it decides, or None for as it predicts.
    prevalence : how common classes are where it is used, each "CLASS=SHARE", or none.
    positive : of two classes the one looked for, or None.
    """
    classes = np.asarray(saved.model.classes_)
    names, heard = ClassNames(label_list(classes)), Heard(classes)
    for part in rows:
        if len(part.labels):
            heard.add(*_answers(saved, part, rule))
    truth = heard.truth
    p = None if heard.probabilities is None else truth.probabilities(heard.probabilities)
    evaluation = Evaluation.of_checked(
        truth,
        heard.chosen,
        p,
        p if heard.scores is None else truth.scores(heard.scores),
        None if heard.log_density is None else truth.numbers(heard.log_density, "log_density"),
        Resampling(0.95, 1000, 0),
        prevalence=_prevalence(prevalence, names),
        positive=None if positive is None else names[positive],
    )
    cost = _mean_cost(rule, truth, heard.chosen)
    known = heard.known()
    found = None if known is None else reliability_of(*known, binning_of(10, "width"), 0.95)
    return Judgement(evaluation, found, cost)


def _answers(saved: SavedModel, rows: Labelled, rule: Rule | None) -> tuple[Any, ...]:
    """Labels (n,) of some rows, and what the model says of them.

    That is places (n,) of the classes that it chooses, probabilities (n, K), scores, and log densities (n,); None for
    what it does not say.
    """
    X, model = encoded(saved, rows.grid), saved.model
    has_probabilities = find(saved.name).probabilities or saved.is_calibrated
    p = np.asarray(model.predict_proba(X)) if has_probabilities else None
    return (
        labels_like(saved, rows, known_only=False),
        answered_places(model.classes_, model.predict(X)) if rule is None or p is None else rule.codes(p),
        p,
        None if p is not None else model.decision_function(X),
        saved.base.score_samples(X) if find(saved.name).density else None,
    )


def _mean_cost(rule: Rule | None, truth: Truth, chosen: NDArray[np.signedinteger]) -> float | None:
    """What decisions cost on average, over rows of the model's classes."""
    if not isinstance(rule, Cheapest):
        return None
    paid, n = 0.0, 0
    for rows in parts_of(len(chosen)):
        known = truth.codes[rows] < len(truth.classes)
        true, codes = truth.codes[rows][known], chosen[rows][known]
        each = np.where(codes == UNDECIDED, rule.reject or 0.0, rule.costs.matrix[true, codes])
        paid, n = paid + float(each.sum()), n + len(each)
    return paid / n


def _prevalence(texts: Sequence[str], names: ClassNames) -> Any:
    """How common classes are, from "CLASS=SHARE"; None where nothing is said."""
    if not texts:
        return None
    shares: dict[Any, float] = {}
    for text in texts:
        label, equals, share = text.rpartition("=")
        number = _number(share)
        if not equals or number is None or not 0 <= number <= 1:
            raise InputError(f"--prevalence {text}: write it as CLASS=SHARE, such as ill=0.02.")
        if names[label] in shares:
            raise InputError(f"--prevalence {text}: the share of {label!r} is given twice.")
        shares[names[label]] = number
    if len(names.labels) == 2 and len(shares) == 1:
        (label,) = shares
        shares[next(other for other in names.labels if other != label)] = 1 - shares[label]
    return shares


def _number(text: str) -> float | None:
    """A finite number, or None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Demand:
    """A value that a metric must reach: at least it, or of a loss at most.

    Attributes
    ----------
    name, label : the metric, and the class it is of, or None.
    value : what it must reach.
    """

    name: str
    label: str | None
    value: float

    @classmethod
    def parse(cls, text: str) -> Demand:
        """Read "METRIC=VALUE" or "METRIC[CLASS]=VALUE".

        Examples
        --------
        >>> Demand.parse("recall[spam]=0.95")
        Demand(name='recall', label='spam', value=0.95)
        """
        path, _, value = text.rpartition("=")
        match = re.fullmatch(r"\s*([\w-]+)\s*(?:\[(.*)\])?\s*", path, re.DOTALL)
        number = _number(value)
        if match is None or number is None:
            raise UsageError(
                f"--fail-under {text}: write it as METRIC=VALUE, such as accuracy=0.9 or recall[spam]=0.95."
            )
        name = match[1].replace("-", "_").lower()
        names = [*METRICS, *MORE_LOSSES]
        if name not in names:
            raise UsageError(f"--fail-under {text}: there is no metric {match[1]!r}; {suggest(name, names, 30)}")
        if match[2] is not None and (name in MORE_LOSSES or not METRICS[name].per_class):
            raise UsageError(f"--fail-under {text}: {name} is of all classes together; leave out [{match[2]}].")
        return cls(name, match[2], number)

    @property
    def is_loss(self) -> bool:
        """Whether less is better."""
        return self.name in MORE_LOSSES or METRICS[self.name].is_loss

    def missed(self, judgement: Judgement) -> str | None:
        """What to say where it is not met, else None."""
        value = judgement.value(self.name, self.label)
        called = self.name if self.label is None else f"{self.name}[{self.label}]"
        if value is None:
            return f"{called} has no value, so that it is not known to reach {self.value:g}"
        if value > self.value if self.is_loss else value < self.value:
            return f"{called} is {value:.6g}, {'above' if self.is_loss else 'under'} {self.value:g}"
        return None


def calibrate(saved: SavedModel, rows: Labelled, method: str) -> SavedModel:
    """The model with its probabilities calibrated on labelled rows that it has not seen.

    Its prediction sets and its measure of novelty are calibrated on them too.

    Raises
    ------
    InputError
        If the rows cannot be used.
    """
    X, labels = encoded(saved, rows.grid), labels_like(saved, rows)
    model = Calibrated(saved.base, method, cv="prefit").fit(X, labels)
    return replace(saved, model=model, left_out=held_out_of(find(saved.name), saved.base, X, labels))
