"""What becomes of the rows where coefficients are infinite: those told apart have nothing more to say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.hyperplane import Affine
from distinguo.linear.separation import Separation
from distinguo.linear.task import Task

Array = NDArray[np.float64]
# Margins along the direction, beside the sizes of the terms that make them up and beside the widest, that are rounding.
ROUNDING, TRIFLE = 1e-11, 1e-8
# Added to the score of a class that a row cannot belong to; its probability is zero.
IMPOSSIBLE = -1e300


def at_the_limit(task: Task, apart: Separation) -> Task:
    """The same rows with coefficients gone to infinity along the separating direction.

    Classes that a row's own then beats are impossible for it, so that a row told apart from all of them counts for
    nothing. What is left of the likelihood has a maximum, which the finite coefficients attain (Geyer 2009).

    References
    ----------
    Geyer (2009), Likelihood inference in exponential families and directions of recession, Electronic Journal of
    Statistics 3, 259-289.
    """
    rows = task.given.matrix
    centre = task.scaling.centre
    normals = np.vstack([np.zeros(len(centre)), apart.direction])  # (K, p)
    along = Affine(centre, normals, np.concatenate([[0.0], apart.intercept]) + normals @ centre)
    X = rows.X.toarray() if sparse.issparse(rows.X) else rows.X  # as `separation` has it
    scores = along(X)  # (n, K)
    size = np.abs(X) @ np.abs(normals.T) + np.abs(along.intercepts)
    lead = np.take_along_axis(scores, rows.codes[:, None], axis=1) - scores
    beaten = lead > np.maximum(ROUNDING * size, TRIFLE * lead.max(initial=0.0))
    # Where rows may have no numbers to go by, or numbers with gaps for rows that take no part; here they have none.
    if task.given.source.is_remote or task.given.is_streamed:
        given = replace(task.given, X=rows.X, y=rows.classes[rows.codes], sample_weight=rows.weight)
        return replace(task, given=given, row_offsets=np.where(beaten, IMPOSSIBLE, 0.0))
    offsets = np.zeros((task.given.n_rows, len(normals))) if task.row_offsets is None else task.row_offsets.copy()
    offsets[rows.row_numbers] = np.where(beaten, IMPOSSIBLE, offsets[rows.row_numbers])
    return replace(task, row_offsets=offsets)
