"""Several models on the same rows and folds, with what each costs, and why one cannot take part."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.metrics import Array, Quality, corrected_standard_error, quality
from distinguo.exceptions import DistinguoError, InputError
from distinguo.resampling import Rows, Split

# What differs between the warnings of two folds that mean the same.
_NAMES_AND_NUMBERS = re.compile(r"'[^']*'|[\d.,\s]+")


@dataclass(frozen=True, slots=True)
class Contender:
    """A model that takes part: its name, its title, how to make one, and whether it takes missing cells.

    Attributes
    ----------
    probabilities : whether it has any; else its labels are judged.
    encoding : what it takes categories as; handed to `prepare`.
    """

    name: str
    title: str
    make: Callable[[], Any]
    holes: bool
    probabilities: bool = True
    encoding: str = "indicators"


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
    accuracy_se : standard error of the accuracy, corrected for splits that share rows.
    accuracies : (J,) one a split.
    fit_seconds, predict_seconds_per_row : medians over the splits.
    size : bytes of the model's file, learned from the first split's training rows.
    """

    quality: Quality
    accuracy_se: float
    accuracies: tuple[float, ...]
    fit_seconds: float
    predict_seconds_per_row: float
    size: int


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


@dataclass
class _Run:
    """What has been gathered about one model so far."""

    contender: Contender
    probabilities: list[Array] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    row_seconds: list[float] = field(default_factory=list)
    size: int = 0
    warnings: dict[str, str] = field(default_factory=dict)
    reason: str | None = None


def majority() -> Contender:
    """The baseline: the commonest class for every row, with the classes' shares as probabilities."""

    def make() -> Any:
        from sklearn.dummy import DummyClassifier

        return DummyClassifier(strategy="prior")

    return Contender("majority", "the commonest class, always", make, holes=True)


def compare(
    contenders: Sequence[Contender],
    labels: NDArray[Any],
    splits: Sequence[Split],
    prepare: Callable[[Rows, Rows, str], Prepared],
    advance: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Each model's quality and cost on the same splits, in the order given.

    Parameters
    ----------
    contenders : the models.
    labels : (n,) of a type that sorts; each class has training rows in every split.
    splits : from `repeated_folds`: in each repeat every row is tested once.
    prepare : from training and test row numbers, and an encoding, to what models take.
    advance : called after each model and split, for a progress bar.

    Raises
    ------
    InputError
        From `prepare`; what a model raises is its `reason`, and the others go on.
    """
    classes = np.unique(labels)
    runs = [_Run(contender) for contender in contenders]
    encodings = list(dict.fromkeys(contender.encoding for contender in contenders))
    for split in splits:
        prepared = {way: prepare(split.train, split.test, way) for way in encodings}
        for run in runs:
            if run.reason is None:
                _run_split(run, prepared[run.contender.encoding], labels[split.train], classes)
            advance()
    return [_result(run, labels, splits, classes) for run in runs]


def _run_split(run: _Run, prepared: Prepared, labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Fit and predict once; what goes wrong becomes the reason."""
    try:
        with _collect_warnings(run.warnings):
            if prepared.hole is not None and not run.contender.holes:
                raise InputError(f"takes no missing cells, and {prepared.hole}")
            start = time.perf_counter()
            model = run.contender.make().fit(prepared.train, labels)
            fitted = time.perf_counter()
            probabilities = _answers(run.contender, model, prepared.test)
            done = time.perf_counter()
            if not run.size:
                run.size = prepared.size(model)
    except (DistinguoError, ValueError, ArithmeticError) as error:
        run.reason = " ".join(str(error).split())
        return
    aligned = np.zeros((len(probabilities), len(classes)))
    aligned[:, np.searchsorted(classes, model.classes_)] = probabilities
    run.probabilities.append(aligned)
    run.fit_seconds.append(fitted - start)
    run.row_seconds.append((done - fitted) / len(probabilities))


def _answers(contender: Contender, model: Any, X: Any) -> Array:
    """Probabilities (n, K) of rows; of a model that has none, all to the class it predicts."""
    if contender.probabilities:
        return np.asarray(model.predict_proba(X))
    return np.asarray(np.asarray(model.predict(X))[:, None] == model.classes_, dtype=np.float64)


@contextmanager
def _collect_warnings(into: dict[str, str]) -> Iterator[None]:
    """The first warning of each kind, as text; those for programmers are left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        try:
            yield
        finally:
            for warning in caught:
                text = " ".join(str(warning.message).split())
                into.setdefault(_NAMES_AND_NUMBERS.sub("", text), text)


def rank(measured: Measured) -> tuple[bool, float]:
    """What sorts models, the best first: by log loss, and after these, by accuracy, those without probabilities."""
    quality = measured.quality
    return quality.log_loss is None, -quality.accuracy if quality.log_loss is None else quality.log_loss


def _result(run: _Run, labels: NDArray[Any], splits: Sequence[Split], classes: NDArray[Any]) -> Result:
    """From what was gathered to what is reported."""
    measured = _measured(run, labels, splits, classes) if run.reason is None else None
    return Result(run.contender.name, run.contender.title, measured, run.reason, tuple(run.warnings.values()))


def _measured(run: _Run, labels: NDArray[Any], splits: Sequence[Split], classes: NDArray[Any]) -> Measured:
    """The numbers of a model that took part in every split."""
    accuracies = np.array(
        [
            np.mean(classes[probabilities.argmax(axis=1)] == labels[split.test])
            for probabilities, split in zip(run.probabilities, splits, strict=True)
        ]
    )
    repeats = [_repeat_quality(run, repeat, labels, splits, classes) for repeat in {s.repeat for s in splits}]
    test_per_train = float(np.mean([len(split.test) / len(split.train) for split in splits]))
    return Measured(
        quality=Quality(
            float(np.mean([q.accuracy for q in repeats])),
            float(np.mean([q.balanced_accuracy for q in repeats])),
            float(np.mean([q.log_loss for q in repeats])) if run.contender.probabilities else None,
        ),
        accuracy_se=corrected_standard_error(accuracies, test_per_train),
        accuracies=tuple(accuracies.tolist()),
        fit_seconds=float(np.median(run.fit_seconds)),
        predict_seconds_per_row=float(np.median(run.row_seconds)),
        size=run.size,
    )


def _repeat_quality(
    run: _Run, repeat: int, labels: NDArray[Any], splits: Sequence[Split], classes: NDArray[Any]
) -> Quality:
    """The quality of one repeat, its folds taken together: small folds may lack a class, all rows do not."""
    parts = [(p, s.test) for p, s in zip(run.probabilities, splits, strict=True) if s.repeat == repeat]
    rows = np.concatenate([test for _, test in parts])
    return quality(labels[rows], np.concatenate([p for p, _ in parts]), classes)
