"""What a fit leaves behind of its rows, so that a coefficient table can be printed without them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from distinguo.covariance.factor import RANK_TOLERANCE
from distinguo.hyperplane import Affine
from distinguo.linear.coordinates import Coordinates
from distinguo.linear.likelihood import Likelihood
from distinguo.linear.limit import at_the_limit
from distinguo.linear.restricted import Restricted
from distinguo.linear.scaling import Scaling
from distinguo.linear.separation import Separation
from distinguo.linear.task import Task

Array = NDArray[np.float64]
# The matrix of more coefficients than this takes too long to invert, and too much room to keep.
MOST_COEFFICIENTS = 2000
# The share of a coefficient, in units of its column's spread, that may lie where the rows say nothing.
UNSEEN = 1e-5


@dataclass(frozen=True, eq=False)
class FitRecord:
    """Sums over the rows at the coefficients found.

    Attributes
    ----------
    scores : the scores (K,) of the classes that the record is of, around the centre that `covariance` is for.
    weight : rows, by frequency.
    log_likelihood : at the coefficients; its supremum where some are infinite.
    null_log_likelihood : of the intercepts alone, or of none, with the offset if there was one.
    n_parameters : coefficients that can move freely.
    intercept : whether there is one.
    class_weighted, firth : how the rows were counted, and whether coefficients are less biased.
    refusal : why there are no standard errors; empty where there are.
    covariance : (q, p + 1, q, p + 1) of the scores at the centre and the normals, of all classes but the first against
        it: the inverse of the information; None where refused.
    identified : (p + 1,) whether the columns' values leave the intercept and each coefficient one value; None where
        refused.
    estimable : (K, K, p + 1) whether the rows determine the intercept and the coefficients of one class against
        another; None where refused.
    """

    scores: Affine
    weight: float
    log_likelihood: float
    null_log_likelihood: float
    n_parameters: int
    intercept: bool
    class_weighted: bool
    firth: bool
    refusal: str
    covariance: Array | None
    identified: NDArray[np.bool_] | None
    estimable: NDArray[np.bool_] | None

    @property
    def mcfadden(self) -> float:
        """One less the share of the null deviance that is left; NaN where an offset leaves nothing to explain."""
        null = self.null_log_likelihood
        return 1 - self.log_likelihood / null if null else float("nan")

    def is_of(self, scores: Affine) -> bool:
        """Whether these are the scores that it was made at."""
        same = np.array_equal(self.scores.normals, scores.normals)
        return same and np.array_equal(self.scores.offsets, recentred(scores, self.scores.centre).offsets)


def record_of(task: Task, scores: Affine, apart: Separation | None) -> FitRecord:
    """The record of a fit, in one pass over its rows, and a few more with an offset or infinite coefficients."""
    limit = task if apart is None else at_the_limit(task, apart)
    refusal = _refusal(task)
    about = recentred(scores, task.scaling.centre)
    if refusal:
        sums, covariance, identified, estimable = limit.sums(about, False), None, None, None
    else:
        sums = limit.given.source.aggregate(limit.step(about, True))
        assert sums.curvature is not None
        identified = _identified(task.scaling)
        covariance, estimable = _inverse(sums.curvature, task.scaling)
        estimable &= identified
    return FitRecord(
        scores=about,
        weight=float(task.scaling.weight.sum()),
        log_likelihood=0.0 - sums.loss,
        null_log_likelihood=_null(task),
        n_parameters=task.scaling.coordinates.size,
        intercept=task.scaling.intercept,
        class_weighted=task.class_weight is not None,
        firth=task.firth,
        refusal=refusal,
        covariance=covariance,
        identified=identified,
        estimable=estimable,
    )


def recentred(scores: Affine, centre: Array) -> Affine:
    """The same scores, kept around another centre."""
    return Affine(centre, scores.normals, scores.offsets + scores.normals @ (centre - scores.centre))


def _refusal(task: Task) -> str:
    """Why a fit has no standard errors, or nothing."""
    if not task.penalty.is_none:
        return (
            "the coefficients were penalised, which biases them on purpose, by an amount that the rows do not tell; "
            "standard errors, p-values and intervals would not mean what they say. For inference fit without a "
            "penalty (C=np.inf; `--model logistic` on the command line), or with bias_reduction='firth'."
        )
    size = task.scaling.coordinates.size
    if size > MOST_COEFFICIENTS:
        return (
            f"there are {size} coefficients; standard errors are worked out for at most {MOST_COEFFICIENTS}. Leave "
            "columns out."
        )
    return ""


def _null(task: Task) -> float:
    """The log-likelihood without any column."""
    scaling = task.scaling
    weight = task.class_weights * scaling.weight
    weight = weight[weight > 0]
    if task.row_offsets is None:
        share = weight / weight.sum() if scaling.intercept else np.full(len(weight), 1 / len(scaling.classes))
        return float(weight @ np.log(share))
    frame = scaling.coordinates
    likelihood = Likelihood(task.sums, frame, np.zeros(len(scaling.centre)))
    span = intercepts_only(frame)
    return 0.0 - Restricted(likelihood, np.zeros(frame.size), span).least(np.zeros(len(span)), task.weight)[1]


def intercepts_only(frame: Coordinates) -> Array:
    """(q or 0, d) the directions in which only scores at the centre move."""
    q, each = frame.coding.shape[1], frame.basis.size + frame.intercept
    return np.eye(q * each)[::each] if frame.intercept else np.empty((0, q * each))


def _inverse(curvature: Array, scaling: Scaling) -> tuple[Array, NDArray[np.bool_]]:
    """The covariance, and which coefficients the likelihood determines; the information may be singular."""
    K = len(scaling.classes)
    frame = replace(scaling.coordinates, coding=np.eye(K)[:, 1:])  # every class against the first
    information = frame.curvature(curvature)
    size = np.diagonal(information)
    scale = 1 / np.sqrt(np.where(size > 0, size, 1.0))
    values, vectors = eigh(information * scale * scale[:, None])
    seen = values > RANK_TOLERANCE * max(values[-1], 0.0)
    root = scale[:, None] * vectors[:, seen] / np.sqrt(values[seen])
    q, each = K - 1, frame.basis.size + frame.intercept
    back = moves(frame)
    covariance = np.einsum("aibj,ik,jl->akbl", (root @ root.T).reshape(q, each, q, each), back, back, optimize=True)
    unseen = ((scale[:, None] * vectors[:, ~seen]).T.reshape(-1, q, each)) @ back  # (s, q, p + 1)
    return np.asarray(covariance), _estimable(unseen, scaling)


def moves(frame: Coordinates) -> Array:
    """(r + 1, p + 1) by which a score's free numbers, or r without intercept, move it at the centre and its normal."""
    normals = frame.basis.normals(np.eye(frame.basis.size))  # (r, p)
    inside = np.zeros((len(normals) + 1, normals.shape[1] + 1))
    inside[0, 0] = 1.0
    inside[1:, 1:] = normals
    return inside if frame.intercept else inside[1:]


def _identified(scaling: Scaling) -> NDArray[np.bool_]:
    """(p + 1,) whether the columns' values alone leave the intercept and each coefficient one value."""
    weights = scaling.basis.weights(np.eye(len(scaling.centre)))  # (p, r)
    size = np.linalg.norm(weights, axis=1)
    varies = size > 0
    result = np.concatenate([[True], varies])
    if varies.sum() == weights.shape[1]:
        return result
    left, values, _ = np.linalg.svd(weights[varies] / size[varies, None], full_matrices=False)
    span = left[:, values > np.sqrt(RANK_TOLERANCE) * values.max(initial=0.0)]  # of coefficients in units of spread
    result[1:][varies] = 1 - (span**2).sum(axis=1) < UNSEEN
    there = scaling.centre[varies] / size[varies]
    result[0] = float(((there - span @ (span.T @ there)) ** 2).sum()) <= UNSEEN * float(there @ there)
    return result


def _estimable(unseen: Array, scaling: Scaling) -> NDArray[np.bool_]:
    """(K, K, p + 1) whether no move (s, q, p + 1) that the likelihood does not feel changes a coefficient."""
    size = np.linalg.norm(scaling.basis.weights(np.eye(len(scaling.centre))), axis=1)
    K = unseen.shape[1] + 1
    s, _, width = unseen.shape
    move = np.zeros((s, K, width))
    move[:, 1:, 1:] = unseen[:, :, 1:] * size
    move[:, 1:, 0] = unseen[:, :, 0]
    move /= np.maximum(np.abs(move).max(axis=(1, 2), keepdims=True), np.finfo(np.float64).tiny)
    there = np.divide(scaling.centre, size, out=np.zeros_like(size), where=size > 0)
    move[:, :, 0] -= move[:, :, 1:] @ there  # from the centre to the origin
    limit = UNSEEN * np.concatenate([[1 + np.abs(there).max(initial=0.0)], np.ones(width - 1)])
    pairs = [np.abs(move - move[:, [k]]).max(axis=0, initial=0.0) <= limit for k in range(K)]
    return np.array(pairs)
