"""Several models on the same rows and folds, with what each costs, and why one cannot take part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.comparison.baseline import Majority
from distinguo.evaluation.comparison.held_out import HeldOut
from distinguo.evaluation.comparison.metrics import Array, Quality, corrected_standard_error
from distinguo.evaluation.comparison.trial import Task, Trial
from distinguo.resampling import Rows, Split
from distinguo.rows.labels import encode_labels


@dataclass(frozen=True, slots=True)
class Contender:
    """A model that takes part: its name, its title, how to make one, and whether it takes missing cells.

    Attributes
    ----------
    probabilities : whether it has any; else its labels are judged.
    encoding : what it takes categories as; handed to `prepare`.
    decides : whether its labels may be others than those of the highest probability, and are asked for beside these.
    weight_name : under which name its `fit` takes weights; None where it takes none.
    """

    name: str
    title: str
    make: Callable[[], Any]
    holes: bool
    probabilities: bool = True
    encoding: str = "indicators"
    decides: bool = False
    weight_name: str | None = "sample_weight"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The rows of one split, encoded; everything learned on the way comes from the training rows.

    Attributes
    ----------
    train, test : (n_train, p) and (n_test, p), whatever the models take as X.
    hole : where the first missing cell is, in words, or None.
    size : from a fitted model to the bytes of its file.
    """

    train: Any
    test: Any
    hole: str | None
    size: Callable[[Any], int]


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers of one model.

    Attributes
    ----------
    quality : means over the repeats of the quality of all rows, each predicted by a model that has not seen it.
    accuracy_se : standard error of the accuracy, corrected for splits that share rows; NaN for a single split.
    accuracies : (J,) one a split.
    fit_seconds, predict_seconds_per_row : medians over the splits.
    size : bytes of the model's file, learned from the first split's training rows.
    log_losses : (J,) one a split; () without probabilities.
    train_accuracy : of the first split's model on rows it was fitted on, a thousand of them at most.
    peak_memory : bytes that Python and NumPy hold at most while the first split's rows are fitted; 0 if not measured.
    held_out : all it said.
    """

    quality: Quality
    accuracy_se: float
    accuracies: tuple[float, ...]
    fit_seconds: float
    predict_seconds_per_row: float
    size: int
    log_losses: tuple[float, ...] = ()
    train_accuracy: float = float("nan")
    peak_memory: int = 0
    held_out: HeldOut | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Result:
    """What came out for one model: its numbers, or the reason why it could not take part.

    Attributes
    ----------
    warnings : what the model's code warned of, each once.
    """

    name: str
    title: str
    measured: Measured | None
    reason: str | None
    warnings: tuple[str, ...]


def majority() -> Contender:
    """The baseline: the commonest class for every row, with the classes' shares as probabilities."""
    return Contender("majority", "the commonest class, always", Majority, holes=True)


def compare(
    contenders: Sequence[Contender],
    labels: NDArray[Any],
    splits: Sequence[Split],
    prepare: Callable[[Rows, Rows, str], Prepared],
    advance: Callable[[], None] = lambda: None,
    *,
    weight: Array | None = None,
    memory: bool = False,
) -> list[Result]:
    """Each model's quality and cost on the same splits, in the order given.

    Parameters
    ----------
    contenders : the models.
    labels : (n,) of any type; each class has training rows in every split.
    splits : from `repeated_folds`, where in each repeat every row is tested once, or from `monte_carlo`.
    prepare : from training and test row numbers, and an encoding, to what models take.
    advance : called after each model and split, for a progress bar.
    weight : (n,) how often each row counts, all above zero; None for once.
    memory : whether to measure the peak memory of a fit: one more fit of each model, two to ten times as slow.

    Raises
    ------
    InputError
        From `prepare`; what a model raises is its `reason`, and the others go on.
    """
    codes, classes = encode_labels(labels)
    task = Task(labels, codes, classes, weight, splits, memory)
    trials = [Trial(contender) for contender in contenders]
    encodings = list(dict.fromkeys(contender.encoding for contender in contenders))
    for split in splits:
        prepared = {way: prepare(split.train, split.test, way) for way in encodings}
        for trial in trials:
            if trial.reason is None:
                trial.run(task, split, prepared[trial.contender.encoding])
            advance()
    return [_result(trial, task) for trial in trials]


def rank(measured: Measured) -> tuple[bool, float]:
    """What sorts models, the best first: by log loss, and after these, by accuracy, those without probabilities."""
    quality = measured.quality
    return quality.log_loss is None, -quality.accuracy if quality.log_loss is None else quality.log_loss


def held_out_per_training_row(splits: Sequence[Split]) -> float:
    """Test rows for one training row, the mean over the splits."""
    return float(np.mean([len(split.test) / len(split.train) for split in splits]))


def _result(trial: Trial, task: Task) -> Result:
    """From what was gathered to what is reported."""
    contender = trial.contender
    measured = _measured(trial, task) if trial.reason is None else None
    return Result(contender.name, contender.title, measured, trial.reason, tuple(trial.warnings.values()))


def _measured(trial: Trial, task: Task) -> Measured:
    """The numbers of a model that took part in every split."""
    held_out, weight = trial.held_out(task.splits), task.weights()
    accuracies = held_out.accuracies(task.codes, weight)
    losses = held_out.log_losses(task.codes, weight)
    several = len(accuracies) > 1
    return Measured(
        quality=held_out.quality(task.codes, weight, len(task.classes), task.splits),
        accuracy_se=corrected_standard_error(accuracies, held_out_per_training_row(task.splits))
        if several
        else float("nan"),
        accuracies=tuple(accuracies.tolist()),
        fit_seconds=float(np.median(trial.fit_seconds)),
        predict_seconds_per_row=float(np.median(trial.row_seconds)),
        size=trial.size,
        log_losses=() if losses is None else tuple(losses.tolist()),
        train_accuracy=trial.train_accuracy,
        peak_memory=trial.peak_memory,
        held_out=held_out,
    )
