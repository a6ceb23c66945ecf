"""One model on one split after the other: what it says of the rows held out, and what it costs."""

from __future__ import annotations

import re
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.comparison.held_out import HeldOut
from distinguo.evaluation.truth import NO_ANSWER, missing_labels, places_among
from distinguo.exceptions import DistinguoError, InputError
from distinguo.resampling import Split
from distinguo.rows.labels import encode_labels, label_array
from distinguo.rows.selection import take_rows

if TYPE_CHECKING:
    from distinguo.evaluation.comparison.contest import Contender, Prepared

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

# What differs between the warnings of two folds that mean the same.
_NAMES_AND_NUMBERS = re.compile(r"'[^']*'|[\d.,\s]+")
# So many rows of a fit show whether a model knows them by heart.
TRAINING_ROWS = 1000


@dataclass(frozen=True)
class Task:
    """What all models are asked.

    Attributes
    ----------
    labels : (n,) of any type.
    codes : (n,) integers into classes.
    classes : (K,)
    weight : (n,) how often each row counts, or None for once.
    splits : which rows to learn from, and which to test on.
    memory : whether the memory of a fit is measured.
    """

    labels: NDArray[Any]
    codes: Codes
    classes: NDArray[Any]
    weight: Array | None
    splits: Sequence[Split]
    memory: bool

    def weights(self) -> Array:
        """(n,) whether they came or not."""
        return np.ones(len(self.codes)) if self.weight is None else self.weight


@dataclass
class Trial:
    """What has been gathered about one model so far."""

    contender: Contender
    predicted: list[Codes] = field(default_factory=list)
    probabilities: list[Array] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    row_seconds: list[float] = field(default_factory=list)
    size: int = 0
    train_accuracy: float = float("nan")
    peak_memory: int = 0
    warnings: dict[str, str] = field(default_factory=dict)
    reason: str | None = None

    def run(self, task: Task, split: Split, prepared: Prepared) -> None:
        """Fit and predict once; what goes wrong becomes the reason."""
        try:
            with _collect_warnings(self.warnings):
                if prepared.hole is not None and not self.contender.holes:
                    raise InputError(f"takes no missing cells, and {prepared.hole}")
                self._run(task, split, prepared)
        except (DistinguoError, ValueError, TypeError, ArithmeticError) as error:
            self.reason = " ".join(str(error).split())

    def _run(self, task: Task, split: Split, prepared: Prepared) -> None:
        params = self._weighting(task, split)
        labels = task.labels[split.train]
        start = time.perf_counter()
        model = self.contender.make().fit(prepared.train, labels, **params)
        fitted = time.perf_counter()
        predicted, probabilities, seconds = self._answers(model, prepared.test, task.classes)
        if not self.fit_seconds:
            self.size = prepared.size(model)
            self.train_accuracy = self._known_by_heart(model, task, split, prepared)
            if task.memory:
                self.peak_memory = peak_memory(lambda: self.contender.make().fit(prepared.train, labels, **params))
        self.predicted.append(predicted)
        self.probabilities += [] if probabilities is None else [probabilities]
        self.fit_seconds.append(fitted - start)
        self.row_seconds.append(seconds / len(predicted))

    def _weighting(self, task: Task, split: Split) -> dict[str, Array]:
        """The weights of a split's rows, under the name that the model has for them."""
        if task.weight is None:
            return {}
        if self.contender.weight_name is None:
            raise InputError("takes no sample_weight")
        return {self.contender.weight_name: task.weight[split.train]}

    def _answers(self, model: Any, X: Any, classes: NDArray[Any]) -> tuple[Codes, Array | None, float]:
        """Codes (n,) of the classes named, probabilities (n, K) or None, and the seconds that the model took."""
        start = time.perf_counter()
        if not self.contender.probabilities:
            named = model.predict(X)
            return _codes(named, classes), None, time.perf_counter() - start
        given = np.asarray(model.predict_proba(X), np.float64)
        seconds = time.perf_counter() - start
        probabilities = np.zeros((len(given), len(classes)))
        probabilities[:, places_among(classes, np.asarray(model.classes_))] = given
        named = _codes(model.predict(X), classes) if self.contender.decides else probabilities.argmax(axis=1)
        return named.astype(np.intp), probabilities, seconds

    def _known_by_heart(self, model: Any, task: Task, split: Split, prepared: Prepared) -> float:
        """Accuracy on rows of the fit, some of them spread evenly over all."""
        n = len(split.train)
        some = np.linspace(0, n - 1, min(n, TRAINING_ROWS)).astype(np.intp)
        predicted = self._answers(model, take_rows(prepared.train, some), task.classes)[0]
        rows = split.train[some]
        return float(np.average(predicted == task.codes[rows], weights=task.weights()[rows]))

    def held_out(self, splits: Sequence[Split]) -> HeldOut:
        """All that was said, one split after the other."""
        return HeldOut(
            rows=np.concatenate([split.test for split in splits]),
            split=np.repeat(np.arange(len(splits)), [len(split.test) for split in splits]),
            predicted=np.concatenate(self.predicted),
            probabilities=np.concatenate(self.probabilities) if self.contender.probabilities else None,
        )


def _codes(named: Any, classes: NDArray[Any]) -> Codes:
    """(n,) places of labels among the classes; `NO_ANSWER` where a model names none."""
    labels = label_array(named)
    answered = ~missing_labels(labels)
    codes = np.full(len(labels), NO_ANSWER, np.intp)
    own, found = encode_labels(labels[answered])
    codes[answered] = places_among(classes, found)[own]
    return codes


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


def peak_memory(work: Callable[[], object]) -> int:
    """Bytes that Python and NumPy hold at most during some work, beyond what they held before.

    Counted by tracemalloc; what compiled libraries take for themselves is not seen.

    Examples
    --------
    >>> 8_000_000 <= peak_memory(lambda: np.ones(1_000_000)) < 8_100_000
    True
    """
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not traced:
            tracemalloc.stop()
