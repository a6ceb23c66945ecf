"""Explanations by Bayes' rule: the priors, and what each column says of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.explaining import Explains, Judged, Parts, only_row
from distinguo.generative.base import GenerativeClassifier
from distinguo.generative.description import D, Description, S
from distinguo.generative.kernels import to_posteriors
from distinguo.rows.columns import Column, columns_of

Array = NDArray[np.float64]
PRIOR = "prior"


class ExplainsByBayes(GenerativeClassifier[S, D], Explains):
    """Models whose scores are log priors and a sum over the columns."""

    def _judge(self, X: Any) -> Judged:
        description = self._describe()
        block = only_row(self._blocks(X))
        scores = description.scores(block)
        posteriors = scores.copy()
        to_posteriors(posteriors)
        cells = (block.toarray() if isinstance(block, sparse.csr_array) else block)[0]
        values = cells if self._coding is None else _as_they_came(columns_of(X).columns)
        return Judged(cells, values, scores[0], posteriors[0])


class ExplainsColumns(ExplainsByBayes[S, Any]):
    """Models whose columns each add their own log-likelihood ratio."""

    def _parts(self, judged: Judged, a: int, b: int) -> Parts:
        description = self._describe()
        places, prior = pair_of(description, a, b)
        row = judged.cells[None]
        terms = description.density.terms(row, places)[0]  # (2, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            impossible = np.isneginf(terms.sum(axis=1) + np.log(description.priors[[a, b]])).all()
            if impossible and is_possible(description, row):
                raise InputError("both classes are impossible for this row, and cannot be compared.")
            adds = np.zeros(row.shape[1]) if impossible else terms[0] - terms[1]
        return Parts(adds, prior, PRIOR)


def pair_of(description: Description[Any, Any], a: int, b: int) -> tuple[NDArray[np.intp], float]:
    """The places (2,) of two classes among those that have rows, and the log of the ratio of their priors.

    Raises
    ------
    InputError
        If either has no rows.
    """
    if not description.active[[a, b]].all():
        raise InputError("the two classes cannot be compared: one has no rows.")
    with np.errstate(divide="ignore", invalid="ignore"):
        log_priors = np.log(description.priors[[a, b]])
        prior = float(log_priors[0] - log_priors[1])
    return (np.cumsum(description.active) - 1)[[a, b]], prior


def is_possible(description: Description[Any, Any], row: Array) -> bool:
    """Whether any class can have the row (1, p); where none can, the decision is the priors' alone."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        log_priors = np.log(description.priors[description.active])
        return bool(np.isfinite(description.density.log_ratio(row)[0] + log_priors).any())


def _as_they_came(columns: list[Column]) -> NDArray[Any]:
    """(p,) the cells of the one row: words, numbers, or None where one is missing."""
    cells = [
        float(column.values[0])
        if column.words is None
        else (None if np.isnan(column.values[0]) else column.words[int(column.values[0])])
        for column in columns
    ]
    return np.array([*cells, None], dtype=object)[:-1]
