"""The likelihood's sums over sparse rows in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine
from distinguo.linear.likelihood import Sums
from distinguo.rows.matrix import LabelledMatrix
from distinguo.statistics.logistic import LogisticSums
from distinguo.statistics.logistic_kernels import losses_and_residuals, relative_scores

Array = NDArray[np.float64]


def sparse_sums(rows: LabelledMatrix, row_offsets: Array | None) -> Sums:
    """From scores to the sums over all rows; second derivatives are not to be had.

    Parameters
    ----------
    rows : weights already multiplied by those of the classes.
    row_offsets : (n, K) fixed parts of the scores, or None.
    """
    columns = rows.columns  # so that both products run along rows

    def sums(scores: Affine, curvature: bool) -> LogisticSums:
        relative = np.ascontiguousarray(rows.X @ scores.normals.T + scores.intercepts)
        if row_offsets is not None:
            relative += row_offsets
        margin = relative_scores(relative, rows.codes, rows.weight)
        shares = np.exp(relative)
        residuals = np.empty_like(shares)
        loss = losses_and_residuals(shares, relative, rows.codes, rows.weight, residuals)
        gradient = np.column_stack([residuals.sum(axis=0), np.asarray(columns @ residuals).T])
        return LogisticSums(float(rows.weight.sum()), loss, gradient, None, margin)

    return sums
