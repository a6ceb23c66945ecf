"""What each column, or each word, adds to the scores of a model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.checks.telling import telling
from distinguo.exceptions import DistinguoError
from distinguo.report.summary import Coefficient, Coefficients, Telling, Word
from distinguo.report.texts import finite, plain
from distinguo.rows.labels import label_list

Array = NDArray[np.float64]

MOST_ROWS = 60
MOST_CLASSES, WORDS = 24, 12
OF_ODDS = "what one unit of the column adds to the log-odds of the class against {base}, with 95 % intervals"
OF_TWO = "what one unit of the column adds to the score of the class"
OF_MANY = "what one unit of the column adds to the score of the class more than, on average, to those of all"


def words_of(model: Any, words: Sequence[str], names: Sequence[str]) -> tuple[Telling, ...]:
    """The words that tell most of each class; () of a model without weights."""
    if getattr(model, "coef_", None) is None:
        return ()
    found = telling(model, words, WORDS)[:MOST_CLASSES]
    return tuple(
        Telling(name, tuple(Word(plain(word, 40), lead) for word, lead in pairs))
        for name, pairs in zip(names, found, strict=False)
    )


def coefficients_of(
    model: Any, title: str, features: Sequence[str], spread: Array, names: Sequence[str]
) -> Coefficients | None:
    """The coefficients, the largest per standard deviation first; None of a model without.

    Parameters
    ----------
    model : fitted.
    title : what it is called.
    features, spread : (p,) names and standard deviations of its columns.
    names : (K,) of the classes.
    """
    if getattr(model, "coef_", None) is None:
        return None
    table = _inference(model, title, features, spread, names)
    return _bare(model, title, features, spread, names) if table is None else table


def _inference(
    model: Any, title: str, features: Sequence[str], spread: Array, names: Sequence[str]
) -> Coefficients | None:
    """With standard errors; None where there are none."""
    summary = getattr(model, "summary", None)
    if summary is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = summary()
        except (DistinguoError, ValueError, ArithmeticError):
            return None
    called = dict(zip(label_list(np.asarray(model.classes_)), names, strict=True))
    deviation = dict(zip(features, spread.tolist(), strict=True))
    rows = [
        Coefficient(
            plain(row["term"]),
            called.get(row["outcome"], plain(row["outcome"])),
            finite(row["estimate"]),
            finite(row["estimate"] * deviation[row["term"]]) if row["term"] in deviation else None,
            *(finite(row[name]) for name in ("standard_error", "low", "high", "p_value")),
        )
        for row in table.rows()
    ]
    base = next(name for label, name in called.items() if label not in set(table.outcome.tolist()))
    notes = tuple(plain(note, 400) for note in table.notes)
    return _sorted(title, OF_ODDS.format(base=base), True, rows, notes)


def _bare(model: Any, title: str, features: Sequence[str], spread: Array, names: Sequence[str]) -> Coefficients:
    """The weights alone; of more than two classes less their mean, for only differences count."""
    weights = np.asarray(model.coef_, dtype=np.float64)  # (K, p), or (1, p) for two classes
    two = len(names) == 2
    if two:
        weights, names = (weights if len(weights) == 1 else weights[1:] - weights[:1]), names[1:]
    else:
        weights = weights - weights.mean(axis=0)
    rows = [
        Coefficient(plain(feature), name, finite(weights[k, j]), finite(weights[k, j] * spread[j]))
        for k, name in enumerate(names)
        for j, feature in enumerate(features)
    ]
    return _sorted(title, OF_TWO if two else OF_MANY, False, rows, ())


def _sorted(
    title: str, meaning: str, has_inference: bool, rows: list[Coefficient], notes: tuple[str, ...]
) -> Coefficients:
    largest = sorted(rows, key=lambda row: -abs(row.per_deviation or 0.0))
    return Coefficients(title, meaning, has_inference, tuple(largest[:MOST_ROWS]), max(len(rows) - MOST_ROWS, 0), notes)
