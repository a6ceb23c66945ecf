"""What the chosen model said of each row while it was held out, once a row, and what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.evaluation import Evaluation
from distinguo.evaluation.assessment.reliability import Reliability, reliability
from distinguo.evaluation.comparison.contest import Measured
from distinguo.report.summary import Mistake
from distinguo.report.texts import plain
from distinguo.rows.labels import encode_labels

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

RESAMPLES = 1000
# Of so many rows times classes, intervals are made of fewer resamples.
MANY, FEWER = 500_000, 200
SHOWN = 10
EXCERPT = 160


@dataclass(frozen=True, eq=False)
class Said:
    """The rows that were held out, by row number, as they were first.

    Attributes
    ----------
    rows : (m,) row numbers, ascending.
    codes, predicted : (m,) true and named classes; -1 where none was named.
    probabilities : (m, K), or None of a model that has none.
    labels : (K,) the classes.
    names : (K,) the same as text.
    """

    rows: Codes
    codes: Codes
    predicted: Codes
    probabilities: Array | None
    labels: NDArray[Any]
    names: tuple[str, ...]

    @classmethod
    def of(cls, measured: Measured, labels: NDArray[Any], names: tuple[str, ...]) -> Said:
        """From what the comparison has kept."""
        held = measured.held_out
        assert held is not None
        codes, classes = encode_labels(labels)
        at = held.first()
        rows = held.rows[at]
        p = None if held.probabilities is None else held.probabilities[at]
        return cls(rows, codes[rows], held.predicted[at], p, classes, names)

    def evaluation(self, positive: Any = None) -> Evaluation:
        """All metrics of these rows, with intervals; classes are called by their names.

        Parameters
        ----------
        positive : which of two classes is looked for, as a label.
        """
        classes = np.array(self.names, dtype=object)
        answers = np.array([*self.names, None], dtype=object)  # -1 is the last: no answer
        few = len(self.rows) * len(classes) > MANY
        return Evaluation.of(
            classes[self.codes],
            self.probabilities,
            classes,
            predicted=answers[self.predicted],
            n_bootstrap=FEWER if few else RESAMPLES,
            positive=None if positive is None else self.names[self.place(positive)],
        )

    def place(self, label: Any) -> int:
        """Where a label stands among the classes."""
        return int(np.flatnonzero(self.labels == label)[0])

    def reliability(self) -> Reliability | None:
        """Whether the probabilities came true; None without any."""
        if self.probabilities is None:
            return None
        classes = np.array(self.names, dtype=object)
        return reliability(classes[self.codes], self.probabilities, classes)

    def mistakes(self, row_numbers: Codes, texts: Sequence[Any] | None = None, n: int = SHOWN) -> tuple[Mistake, ...]:
        """The rows taken for another class, those of which the model was surest first."""
        if self.probabilities is None:
            return ()
        wrong = np.flatnonzero((self.predicted != self.codes) & (self.predicted >= 0))
        sure = self.probabilities[wrong, self.predicted[wrong]]
        order = wrong[np.argsort(-sure, kind="stable")[:n]]
        return tuple(self._mistake(i, row_numbers, texts) for i in order.tolist())

    def _mistake(self, i: int, row_numbers: Codes, texts: Sequence[Any] | None) -> Mistake:
        assert self.probabilities is not None
        true, named = int(self.codes[i]), int(self.predicted[i])
        return Mistake(
            int(row_numbers[self.rows[i]]),
            self.names[true],
            self.names[named],
            float(self.probabilities[i, named]),
            float(self.probabilities[i, true]),
            "" if texts is None else plain(texts[self.rows[i]] or "", EXCERPT),
        )


def commonest(codes: Codes, K: int, most: int) -> Sequence[int]:
    """The places of the commonest classes, the commonest first."""
    counts = np.bincount(codes, minlength=K)
    found: list[int] = np.argsort(-counts, kind="stable")[:most].tolist()
    return found
