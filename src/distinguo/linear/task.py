"""What a solver of logistic regression is given: rows, scales, a penalty, and when to stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine
from distinguo.linear.coordinates import Coordinates
from distinguo.linear.firth import FirthLikelihood
from distinguo.linear.likelihood import ElasticNet, Likelihood, Sums
from distinguo.linear.scaling import Scaling, scaling_of, scaling_of_sparse
from distinguo.linear.sparse_likelihood import sparse_sums
from distinguo.rows.base import Source
from distinguo.rows.gathered import gather
from distinguo.rows.matrix import LabelledMatrix, labelled_matrix
from distinguo.rows.memory import rows_of_fit
from distinguo.rows.tables import as_table
from distinguo.rows.validation import real_numbers
from distinguo.statistics.leverage import PullStep, PullSums
from distinguo.statistics.logistic import LogisticStep, LogisticSums

Array = NDArray[np.float64]
# Sparse rows of more columns than this stay sparse; of fewer, second derivatives are worth a dense block.
WIDE = 1000
# Beside an offset beyond this, coefficients have no digits left.
MOST_OFFSET = 1e8


@dataclass(frozen=True)
class Given:
    """The arguments of fit, as a source to stream, or as a matrix to keep.

    Attributes
    ----------
    X, y, sample_weight : as they came.
    offset : (n,) or (n, K), or None.
    who : the model's name, for messages.
    """

    X: Any
    y: Any
    sample_weight: Any
    offset: Any
    who: str

    @property
    def stays_sparse(self) -> bool:
        """Whether rows are sparse and too wide to make dense."""
        shape: tuple[int, ...] = getattr(self.X, "shape", ())
        return bool(sparse.issparse(self.X) and len(shape) == 2 and shape[1] > WIDE)

    @property
    def is_streamed(self) -> bool:
        """Whether the rows are not in memory, and need not be."""
        return isinstance(self.X, Source) and self.X.size() is not None

    @cached_property
    def source(self) -> Source:
        """The rows, to be passed over in blocks."""
        return rows_of_fit(self.X, self.y, self.sample_weight, self.who)

    @cached_property
    def matrix(self) -> LabelledMatrix:
        """The rows, all in memory."""
        return labelled_matrix(self.X, self.y, self.sample_weight, self.who)

    @property
    def n_rows(self) -> int:
        """How many rows came, those of weight zero included."""
        return sum(len(batch.X) for batch in self.X.batches()) if isinstance(self.X, Source) else as_table(self.X).n

    def in_memory(self) -> Given:
        """The same, the rows of files and clusters brought together, once it is said how large they are."""
        return self if self.source.size() is None else replace(self, X=gather(self.source))

    def scaling(self, *, uncorrelated: bool, intercept: bool) -> Scaling:
        """Classes and scales of the columns, in one pass."""
        if self.stays_sparse:
            return scaling_of_sparse(self.matrix, intercept=intercept)
        return scaling_of(self.source, uncorrelated=uncorrelated, intercept=intercept)

    def row_offsets(self, K: int) -> Array | None:
        """(n, K) fixed parts of the scores, by row as they came; those of two classes go to the second."""
        if self.offset is None:
            return None
        if isinstance(self.X, Source):
            raise InputError("offset goes with rows in memory; a Source has none.")
        values = real_numbers(self.offset, "offset must be numbers, one a row.")
        n = self.n_rows
        expected = {(n,), (n, 1)} if K == 2 else {(n, K)}
        if values.shape not in expected:
            shown = f"({n},)" if K == 2 else f"({n}, {K}), a column a class"
            raise InputError(f"offset has shape {values.shape}; it must be {shown}.")
        if not np.isfinite(values).all():
            raise InputError("offset contains NaN or infinity; it must be finite in every row.")
        if np.abs(values).max(initial=0.0) > MOST_OFFSET:
            raise InputError(
                f"offset goes beyond {MOST_OFFSET:g}, and is a part of log odds; nothing is left beside it."
            )
        return np.column_stack([np.zeros(n), values.reshape(n)]) if K == 2 else np.ascontiguousarray(values)


@dataclass(frozen=True, eq=False)
class Task:
    """One fit.

    Attributes
    ----------
    given : the rows.
    scaling : their classes and scales.
    penalty : on the normals.
    firth : whether the likelihood is corrected for bias.
    class_weight : (K,) or None.
    row_offsets : (n, K) or None.
    start : scores to begin with, or None for zero.
    tol, max_iter : when to stop; None for what suits the solver.
    options : of some solvers only: eta0, gamma, random_state.
    """

    given: Given
    scaling: Scaling
    penalty: ElasticNet
    firth: bool
    class_weight: Array | None
    row_offsets: Array | None
    start: Affine | None
    tol: float | None
    max_iter: int | None
    options: Mapping[str, Any]

    @property
    def weight(self) -> float:
        """Rows, by frequency and class weight."""
        return float(self.class_weights @ self.scaling.weight)

    @property
    def class_weights(self) -> Array:
        """(K,) by which the rows of a class count."""
        return np.ones(len(self.scaling.classes)) if self.class_weight is None else self.class_weight

    @cached_property
    def matrix(self) -> LabelledMatrix:
        """All rows, their weights multiplied by those of their classes; rows that weigh nothing are left out."""
        rows = self.given.matrix
        weighted = replace(rows, weight=rows.weight * self.class_weights[rows.codes])
        return weighted if weighted.weight.all() else weighted.subset(np.flatnonzero(weighted.weight))

    @cached_property
    def matrix_offsets(self) -> Array | None:
        """(n, K) fixed parts of the scores of the matrix's rows, or None."""
        return None if self.row_offsets is None else self.row_offsets[self.matrix.row_numbers]

    def sums(self, scores: Affine, curvature: bool) -> LogisticSums:
        """The likelihood's sums over the rows."""
        if self.given.stays_sparse:
            return self._sparse_sums(scores, curvature)
        return self.given.source.aggregate(self.step(scores, curvature))

    @cached_property
    def _sparse_sums(self) -> Sums:
        return sparse_sums(self.matrix, self.matrix_offsets)

    def step(self, scores: Affine, curvature: bool) -> LogisticStep:
        """What is to be aggregated at these scores."""
        return LogisticStep(*self._at(scores), curvature, self.class_weight, self.row_offsets)

    def pull(self, scores: Affine, roots: Array) -> PullSums:
        """The derivatives of Jeffreys' prior, given roots (q, p + 1, s) of the inverse information."""
        return self.given.source.aggregate(PullStep(*self._at(scores), roots, self.class_weight, self.row_offsets))

    def gradient(self, scores: Affine) -> Array:
        """(K, p + 1) derivatives of what is to be made least, but for the penalty."""
        if self.firth:
            return FirthLikelihood(self.sums, self.pull, self.scaling.coordinates).by_class(scores)
        return self.sums(scores, False).gradient

    def _at(self, scores: Affine) -> tuple[NDArray[Any], Array, Array, Array]:
        return self.scaling.classes, scores.centre, scores.normals, scores.offsets

    def beginning(self, frame: Coordinates) -> Array:
        """Where to start: the scores to begin with, or zero where there are none."""
        return np.zeros(frame.size) if self.start is None else frame.vector(self.start)

    def likelihood(self, frame: Coordinates) -> Likelihood | FirthLikelihood:
        """What is to be made least, where it is smooth."""
        if self.firth:
            return FirthLikelihood(self.sums, self.pull, frame)
        return Likelihood(self.sums, frame, self.penalty.l2)
