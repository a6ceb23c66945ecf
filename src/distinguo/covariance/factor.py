"""Covariances taken apart on the correlation scale, where units are gone and rank can be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf, dtrtri

Array = NDArray[np.float64]
# U (p, r), W (p, r), the logarithm of the determinant, and the null directions (p, m).
Decomposition = tuple[Array, Array, float, Array]

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
    return _decomposed(covariance, lambda correlation: _triangular(correlation) or _spectral(correlation))


def principal_factor(covariance: Array) -> Factor:
    """The same along the principal axes of the correlations, the greatest variance last."""
    return _decomposed(covariance, _spectral)


def _decomposed(covariance: Array, decompose: Callable[[Array], Decomposition]) -> Factor:
    """The factor of a covariance whose correlation matrix is taken apart that way."""
    correlation, deviation = correlation_of(covariance)
    varies = deviation > 0
    correlation[np.diag_indices_from(correlation)] = varies  # a column that does not vary is a null direction
    colour, whiten, log_det, null = decompose(correlation)
    # In place: wide tables have a matrix of this size for each class.
    whiten *= np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)[:, None]
    colour *= np.where(varies, deviation, 0.0)[:, None]
    return Factor(whiten, colour, log_det + 2 * float(np.log(deviation[varies]).sum()), null)


def _triangular(correlation: Array) -> Decomposition | None:
    """By Cholesky, at a fifth of the cost; None unless the rank is full beyond doubt."""
    p = len(correlation)
    root, failed = dpotrf(correlation, lower=1, clean=1)
    if failed:
        return None
    inverse, _ = dtrtri(root, lower=1)
    # The least eigenvalue is at least 1 / |L⁻¹|², and the largest at most p.
    if not p * RANK_TOLERANCE * np.vdot(inverse, inverse) < 1:
        return None
    return root, inverse.T, 2 * float(np.log(np.diagonal(root)).sum()), np.empty((p, 0))


def _spectral(correlation: Array) -> Decomposition:
    """By eigenvalues, which tell the null directions; the matrix is overwritten."""
    values, vectors = eigh(correlation, overwrite_a=True)
    kept = values > RANK_TOLERANCE * values[-1]
    root = np.sqrt(values[kept])
    colour = vectors[:, kept]
    whiten = colour / root
    colour *= root
    return colour, whiten, float(np.log(values[kept]).sum()), vectors[:, ~kept]


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
