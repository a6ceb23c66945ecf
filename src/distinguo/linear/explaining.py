"""Explanations of scores that are affine in the row: what each cell's distance from a reference adds."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.explaining import Explains, Judged, Parts, only_row
from distinguo.linear.base import LinearClassifier

Array = NDArray[np.float64]


class ExplainsScores(LinearClassifier, Explains):
    r"""Log-odds that are affine in the row: column j adds :math:`(w_a - w_b)_j (x_j - r_j)`, its Shapley value.

    The reference r is the mean of the rows of the fit. Where rows came sparse it is zero, so that words that are not
    there add nothing; and where there is no intercept, or rows came one after the other, so that no mean is known.

    References
    ----------
    Štrumbelj and Kononenko (2014), Explaining prediction models and individual predictions with feature contributions,
    Knowledge and Information Systems 41, 647-665.
    """

    @abstractmethod
    def _log_posteriors(self, scores: Array) -> Array:
        """log P(class | x) of scores, (n, K) both."""

    def _judge(self, X: Any) -> Judged:
        affine = self._affine()
        block = only_row(self._blocks(X))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._class_scores(X) if sparse.issparse(X) else affine(block)
        return Judged(block[0], block[0], scores[0], np.exp(self._log_posteriors(scores))[0])

    def _parts(self, judged: Judged, a: int, b: int) -> Parts:
        scores = self._affine()
        with np.errstate(over="ignore"):
            adds = (scores.normals[a] - scores.normals[b]) * (judged.cells - scores.centre)
        name = "average row" if scores.centre.any() else "row of zeros"
        return Parts(np.asarray(adds), float(scores.offsets[a] - scores.offsets[b]), name)
