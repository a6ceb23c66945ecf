"""How good a model is on rows that it has not seen: metrics with intervals, in one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.bins import binning_of
from distinguo.evaluation.assessment.confusion import ConfusionMatrix, confusion_of
from distinguo.evaluation.assessment.evaluation_text import EstimateTable, evaluation_text, heading_of, notes_of
from distinguo.evaluation.assessment.intervals import confidence_of
from distinguo.evaluation.assessment.judging import Resampling, Said, estimates_of, factor_of
from distinguo.evaluation.assessment.measures import METRICS, Estimate
from distinguo.evaluation.assessment.scoring import BrierSplit, split_of
from distinguo.evaluation.texts import plain_label
from distinguo.evaluation.truth import (
    Truth,
    missing_labels,
    named,
    parts_of,
    places_among,
    smallest_codes,
    truth_of,
)
from distinguo.exceptions import InputError
from distinguo.hyperplane import decide
from distinguo.options import counting
from distinguo.rows.labels import encode_labels, label_array, label_text, merge_classes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """What test rows say about a model; `evaluate` makes it, or `Evaluation.of` from predictions.

    It prints, shows in notebooks, and gives `rows()`, `to_frame()` and `to_dict()`. `evaluation["accuracy"]` is an
    `Estimate` with `value`, `low`, `high` and `note`, and `evaluation["recall", "setosa"]` one of a class; of two
    classes, `evaluation["recall"]` is the positive one's. A number that is not defined is None, and its note says why.

    Attributes
    ----------
    estimates : all metrics. Overall: accuracy; balanced_accuracy, macro_precision, macro_specificity and macro_f1,
        means over the classes that have one (balanced accuracy is the mean recall); mcc, the correlation of Matthews
        and Gorodkin; kappa, Cohen's; macro_roc_area and macro_pr_area, means of one class against the rest;
        hand_till, the mean area over pairs of classes; log_loss in nats; brier, over all classes (half of that for
        two, as is usual); log_density, the mean log p(x). Of each class: precision, recall, specificity, f1, roc_area
        and pr_area (average precision), the class against the rest.
    confusion : `ConfusionMatrix`.
    brier_split : `BrierSplit` over ten equally wide bins, or None without probabilities.
    n : rows; `weight` is what they count.
    classes : (K,) of the model.
    unseen : labels of test rows that the model does not know; see `evaluate`.
    positive : the class whose precision, recall and so on are asked for by name, where there are two; else None.
    prevalence : (R,) stated for classes and unseen labels, or None.
    confidence, n_bootstrap : of the intervals.
    notes : what else is to be said.
    """

    estimates: tuple[Estimate, ...]
    confusion: ConfusionMatrix
    brier_split: BrierSplit | None
    n: int
    weight: float
    classes: tuple[Any, ...]
    unseen: tuple[Any, ...]
    positive: Any
    prevalence: tuple[float, ...] | None
    confidence: float
    n_bootstrap: int
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        y: Any,
        probabilities: Any = None,
        classes: Any = None,
        *,
        predicted: Any = None,
        scores: Any = None,
        log_density: Any = None,
        sample_weight: Any = None,
        confidence: float = 0.95,
        n_bootstrap: int = 1000,
        random_state: Any = 0,
        prevalence: Any = None,
        positive: Any = None,
    ) -> Self:
        """The evaluation of predictions, wherever they come from.

        Parameters
        ----------
        y : (n,) labels.
        probabilities : (n, K), a column a class.
        classes : (K,) in the order of the columns; by default the labels of y (and of `predicted`), sorted.
        predicted : (n,) labels, None where there is no answer; by default the class of the highest probability or
            score.
        scores : (n, K), or (n,) the second class's lead, to rank rows by where there are no probabilities.
        log_density : (n,) log p(x).
        sample_weight, confidence, n_bootstrap, random_state, prevalence, positive : as in `evaluate`.

        Raises
        ------
        InputError
            If there is nothing to judge, or labels, numbers, weights or options cannot be used.

        Examples
        --------
        >>> found = Evaluation.of(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
        >>> round(found["accuracy"].value, 4), round(found["log_loss"].value, 4)
        (0.6667, 0.4149)
        """
        if probabilities is None and scores is None and predicted is None:
            raise InputError("there is nothing to judge; give probabilities, scores or predicted labels.")
        if classes is None and probabilities is None and scores is None:
            classes = _classes_of(y, predicted)
        truth = truth_of(y, classes, sample_weight)
        chances = None if probabilities is None else truth.probabilities(probabilities)
        ranks = chances if scores is None else truth.scores(scores)
        chosen = _decided(ranks) if predicted is None and ranks is not None else truth.predicted(predicted)
        density = None if log_density is None else truth.numbers(log_density, "log_density")
        many = 0 if n_bootstrap == 0 else counting(n_bootstrap, "n_bootstrap")
        resampling = Resampling(confidence_of(confidence), many, random_state)
        return cls.of_checked(truth, chosen, chances, ranks, density, resampling, prevalence, positive)

    @classmethod
    def of_checked(
        cls,
        truth: Truth,
        chosen: NDArray[np.signedinteger],
        probabilities: Array | None,
        ranks: Array | None,
        density: Array | None,
        resampling: Resampling,
        prevalence: Any,
        positive: Any,
    ) -> Self:
        """The evaluation of rows and answers that are checked, with places (n,) of the classes that were chosen."""
        place = _positive(truth, positive)
        factor = factor_of(truth, prevalence, place or 0)
        said = Said(truth, confusion_of(truth, chosen), probabilities, ranks, density, factor)
        return cls._made(said, resampling, place, prevalence is not None)

    @classmethod
    def _made(cls, said: Said, resampling: Resampling, positive: int | None, is_shifted: bool) -> Self:
        truth, factor = said.truth, said.factor
        split = None
        if said.probabilities is not None:
            split = split_of(truth, said.probabilities, factor, binning_of(10, "width"))
        K, totals = len(truth.classes), truth.totals
        return cls(
            estimates=estimates_of(said, resampling),
            confusion=said.confusion,
            brier_split=split,
            n=len(truth.codes),
            weight=float(totals.sum()),
            classes=tuple(truth.labels[:K]),
            unseen=tuple(truth.labels[K:]),
            positive=None if positive is None else truth.labels[positive],
            prevalence=tuple((factor * totals / totals.sum()).tolist()) if is_shifted else None,
            confidence=resampling.confidence,
            n_bootstrap=resampling.resamples,
            notes=notes_of(said, resampling.resamples),
        )

    def __getitem__(self, key: str | tuple[str, Any]) -> Estimate:
        """A metric by name, or by name and class."""
        name, label = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        if not isinstance(name, str) or name not in METRICS:
            raise InputError(f"{name!r} is no metric; they are {', '.join(METRICS)}.")
        if METRICS[name].per_class and label is None:
            if self.positive is None:
                raise InputError(f"each class has its own {name}: ask for evaluation[{name!r}, label].")
            label = self.positive
        for estimate in self.estimates:
            if estimate.metric == name and estimate.label == label:
                return estimate
        raise InputError(self._missing(name, label))

    def _missing(self, name: str, label: Any) -> str:
        """Why there is no such estimate."""
        if any(estimate.metric == name for estimate in self.estimates):
            if not METRICS[name].per_class:
                return f"{name} is of all classes together: ask for evaluation[{name!r}]."
            return f"there is no {name} of {label_text(label)}; the classes are {named(self.classes)}."
        return f"there is no {name}: it takes what the model does not give (probabilities, scores or a density)."

    @property
    def heading(self) -> str:
        """Rows, classes and intervals, in a line."""
        return heading_of(self)

    def to_text(self, width: int | None = None) -> str:
        """Heading, metrics, metrics of each class, confusion matrix and notes; what `print` shows.

        Parameters
        ----------
        width : how many characters a line of the tables may have, which are cut into parts where they have more.
        """
        return evaluation_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a metric and class: metric, label, value, low, high, note."""
        return [vars(estimate).copy() for estimate in self.estimates]

    @property
    def table(self) -> EstimateTable:
        """The metrics as a table that shows in notebooks; NaN where a number is missing."""
        return EstimateTable.of(self.estimates, self.heading)

    def to_frame(self) -> Any:
        """The metrics as a pandas data frame; NaN where a number is missing, its note beside it.

        Raises
        ------
        ImportError
            Where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas; install it, or take rows() or to_dict().") from None
        frame = pd.DataFrame(self.rows(), dtype=object)  # labels stay as they are
        return frame.astype(dict.fromkeys(("value", "low", "high"), np.float64))

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it; None where a number is missing."""
        return {
            "n": self.n,
            "weight": self.weight,
            "classes": [plain_label(label) for label in self.classes],
            "unseen": [plain_label(label) for label in self.unseen],
            "positive": plain_label(self.positive),
            "prevalence": None if self.prevalence is None else list(self.prevalence),
            "confidence": self.confidence,
            "n_bootstrap": self.n_bootstrap,
            "metrics": [{**row, "label": plain_label(row["label"])} for row in self.rows()],
            "confusion": self.confusion.to_dict(),
            "brier_split": None if self.brier_split is None else self.brier_split.to_dict(),
            "notes": list(self.notes),
        }


def _classes_of(y: Any, predicted: Any) -> NDArray[Any]:
    """The labels that are there or predicted, sorted."""
    given = label_array(predicted)
    answered = encode_labels(given[~missing_labels(given)])[1]
    return merge_classes(encode_labels(y)[1], answered)[0]


def _decided(scores: Array) -> NDArray[np.signedinteger]:
    """(n,) places of the classes that scores (n, K) choose."""
    codes = smallest_codes(scores.shape[1])
    return np.concatenate([decide(scores[rows]).astype(codes) for rows in parts_of(len(scores))])


def _positive(truth: Truth, positive: Any) -> int | None:
    """The place of the positive class, by default the second of two; None where there are more."""
    K = len(truth.classes)
    if positive is None:
        return 1 if K == 2 else None
    if K != 2:
        raise InputError(f"positive={positive!r} is for two classes, and there are {K}: {named(truth.classes)}.")
    place = int(places_among(truth.classes, encode_labels([positive])[1])[0])
    if place < 0:
        raise InputError(f"positive={positive!r} is no class; they are {named(truth.classes)}.")
    return place
