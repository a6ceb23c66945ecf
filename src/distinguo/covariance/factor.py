"""Covariances taken apart on the correlation scale, where units are gone and rank can be judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Array = NDArray[np.float64]

# Directions of a correlation matrix below this share of the largest eigenvalue are null.
RANK_TOLERANCE = 1e-10


def correlation_of(covariance: Array) -> tuple[Array, Array]:
    """Correlations (p, p) and standard deviations (p,); columns without variance are uncorrelated."""
    deviation = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    safe = np.where(deviation > 0, deviation, 1.0)
    correlation = covariance / safe[:, None] / safe
    correlation[np.diag_indices_from(correlation)] = 1.0
    return correlation, deviation


@dataclass(frozen=True)
class Factor:
    r"""A covariance as :math:`\Sigma = U U^\top` with :math:`W^\top U = I`, on the directions that vary.

    Attributes
    ----------
    whiten : (p, r) W; (x - μ) W has identity covariance.
    colour : (p, r) U; μ + z U' has the covariance.
    log_det : logarithm of the determinant on those directions.
    null : (p, m) directions that do not vary, in standard deviations of each column.
    """

    whiten: Array
    colour: Array
    log_det: float
    null: Array


def factorise(covariance: Array) -> Factor:
    """The factor of a covariance, decomposed and judged on the correlation scale."""
    correlation, deviation = correlation_of(covariance)
    varies = deviation > 0
    correlation[np.diag_indices_from(correlation)] = varies  # a column that does not vary is a null direction
    values, vectors = eigh(correlation, overwrite_a=True)
    kept = values > RANK_TOLERANCE * values[-1]
    root = np.sqrt(values[kept])
    # In place: wide tables have a matrix of this size for each class.
    colour = vectors[:, kept]
    whiten = colour / root
    whiten *= np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)[:, None]
    colour *= root
    colour *= np.where(varies, deviation, 0.0)[:, None]
    log_det = float(np.log(values[kept]).sum() + 2 * np.log(deviation[varies]).sum())
    return Factor(whiten, colour, log_det, vectors[:, ~kept])


def compose(outer: Factor, inner: Factor) -> Factor:
    """The factor of a covariance that `inner` factorises in the coordinates `outer` whitens to."""
    return Factor(
        whiten=outer.whiten @ inner.whiten,
        colour=outer.colour @ inner.colour,
        log_det=outer.log_det + inner.log_det,
        null=outer.colour @ inner.null,
    )


def embed(factor: Factor, columns: NDArray[np.intp], p: int) -> Factor:
    """A factor over some columns as one over all p; the others take no part."""
    if len(columns) == p:
        return factor
    parts = [np.zeros((p, part.shape[1])) for part in (factor.whiten, factor.colour, factor.null)]
    for whole, part in zip(parts, (factor.whiten, factor.colour, factor.null), strict=True):
        whole[columns] = part
    return Factor(parts[0], parts[1], factor.log_det, parts[2])
