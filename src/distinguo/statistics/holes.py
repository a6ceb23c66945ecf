"""Moments of rows with missing cells, as they are expected under the Gaussian classes at hand: the E step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from distinguo.exceptions import InputError
from distinguo.rows.base import Batch, Source
from distinguo.rows.labels import codes_among
from distinguo.statistics.base import Spec, Statistic
from distinguo.statistics.hole_kernels import complete_rows
from distinguo.statistics.moments import NO_WEIGHT, ClassMoments, add_outer, product
from distinguo.statistics.patterns import pattern_codes

Array = NDArray[np.float64]
LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class CompletedMoments(Statistic):
    r"""Expected moments of rows with holes, :math:`E[\cdot \mid x_{\text{seen}}, \theta]`, and how likely the rows are.

    They add up as moments do, as long as they were expected under the same parameters.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    mean : (K, p) expected means.
    scatter : (K, p, p), or (p, p) where the classes are pooled: expected scatter around those means, with what the
        missing cells vary given the others.
    log_likelihood : log p of the cells that are there, given the classes, under the parameters.
    """

    mean: Array
    scatter: Array
    log_likelihood: float

    @property
    def n_features(self) -> int:
        """Number of columns, p."""
        return int(self.mean.shape[1])

    @property
    def moments(self) -> ClassMoments:
        """The moments alone, as of rows without holes."""
        return ClassMoments(self.classes, self.feature_names, self.weight, self.mean, self.scatter)

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        return self.moments.by_class()

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """Some of the columns, in the order given; the log-likelihood stays that of all."""
        taken = self.moments.take_features(order, names)
        return replace(self, feature_names=names, mean=taken.mean, scatter=taken.scatter)

    def merged(self, other: Self, sign: int) -> Self:
        """The moments merged, the log-likelihoods added."""
        both = self.moments.merged(other.moments, sign)
        return replace(
            self,
            feature_names=both.feature_names,
            weight=both.weight,
            mean=both.mean,
            scatter=both.scatter,
            log_likelihood=self.log_likelihood + sign * other.log_likelihood,
        )


@dataclass(frozen=True, eq=False)
class GaussianParameters:
    """Gaussian classes, as EM knows them at one of its steps.

    Attributes
    ----------
    classes : (K,) sorted labels.
    means : (K, p)
    covariances : (K, p, p), or (1, p, p) for one shape.
    share : (K,) how common each class is; acts on rows without a label only.
    """

    classes: NDArray[Any]
    means: Array
    covariances: Array
    share: Array


@dataclass(frozen=True, eq=False)
class ExpectedMoments(Spec[CompletedMoments]):
    r"""The E step of EM for Gaussian classes with missing cells, aggregated once an iteration.

    A missing cell counts with its expectation given the cells of its row that are there, and the scatter with what it
    still varies, :math:`\Sigma_{uu} - \Sigma_{uo} \Sigma_{oo}^{-1} \Sigma_{ou}`. Rows of the same pattern in a batch
    share one factorisation.

    Parameters
    ----------
    parameters : of the classes; rows of weight zero may be of others.
    kind : scatter of each class ("full") or summed over the classes ("pooled").

    References
    ----------
    Dempster, Laird and Rubin (1977), JRSS B 39, section 4.1. Little and Rubin (2019), Statistical Analysis with
    Missing Data, section 11.2.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> rows = MemorySource([[1.0, 1.0], [3.0, np.nan]], ["a", "a"])
    >>> now = GaussianParameters(np.array(["a"]), np.zeros((1, 2)), np.array([[[1.0, 0.5], [0.5, 1.0]]]), np.ones(1))
    >>> found = rows.aggregate(ExpectedMoments(now, "full"))
    >>> found.mean.round(3).tolist(), found.scatter[0].round(3).tolist(), round(found.log_likelihood, 4)
    ([[2.0, 1.25]], [[2.0, 0.5], [0.5, 0.875]], -7.7796)
    """

    parameters: GaussianParameters
    kind: Literal["full", "pooled"]
    takes_holes = True

    def reduce(self, batches: Iterable[Batch]) -> CompletedMoments:
        """One pass over the batches."""
        state = _State(self.parameters, self.kind)
        for batch in batches:
            state.add(batch)
        return state.result()

    def by_queries(self, table: Any) -> CompletedMoments:
        """There are no queries for it.

        Raises
        ------
        InputError
        """
        raise InputError(
            "cells of the table are missing (NULL or NaN), and there are no queries for EM, which completes them from "
            "the others. Leave those rows out with where=, take GaussianNB, which skips the cells, or bring the rows: "
            "fit on scan() of an exported file."
        )

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> CompletedMoments:
        """No rows."""
        K = len(classes)
        scatter = np.zeros((p, p) if self.kind == "pooled" else (K, p, p))
        return CompletedMoments(classes, feature_names, np.zeros(K), np.zeros((K, p)), scatter, 0.0)


class _State:
    """Sums around the parameters' means that grow in place."""

    def __init__(self, parameters: GaussianParameters, kind: str) -> None:
        K, p = parameters.means.shape
        self.parameters = parameters
        inverted = [inverted_covariance(covariance) for covariance in parameters.covariances]
        self.precisions = np.stack([precision for precision, _ in inverted])
        self.log_dets = np.array([log_det for _, log_det in inverted])
        self.pooled = kind == "pooled"
        self.weight = np.zeros(K)
        self.sums = np.zeros((K, p))
        self.products = np.zeros((1 if self.pooled else K, p, p))
        self.spread = np.zeros_like(self.products)
        self.tally = np.zeros(2)
        self.names: NDArray[Any] | None = None

    def complete(self, batch: Batch) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]:
        """The rows of a batch that count, their classes, deviations from the means and weights, all in that order."""
        self.names = batch.feature_names if self.names is None else self.names
        codes, order, patterns = self._arranged(batch)
        weight = NO_WEIGHT if batch.weight is None else batch.weight
        z = np.empty((len(order), batch.X.shape[1]))
        w = np.empty(len(order))
        means, sums = self.parameters.means, (self.weight, self.sums, self.spread, self.tally)
        complete_rows(batch.X, order, codes, patterns, weight, means, self.precisions, z, w, *sums)
        return order, codes[order], z, w

    def add(self, batch: Batch) -> None:
        """Complete the rows of a batch, and add their products."""
        _, codes, z, w = self.complete(batch)
        unweighted = batch.weight is None
        if self.pooled:
            self.products[0] += product(z, None if unweighted else w)
            return
        begins = np.searchsorted(codes, np.arange(len(self.weight) + 1))
        for k in np.flatnonzero(np.diff(begins)).tolist():
            part = slice(begins[k], begins[k + 1])
            self.products[k] += product(z[part], None if unweighted else w[part])

    def _arranged(self, batch: Batch) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Codes into the classes of the parameters; the rows that count, like beside like; their patterns."""
        codes = codes_among(self.parameters.classes, batch.classes, batch.codes)
        patterns = pattern_codes(np.isnan(batch.X)) if batch.holes else np.zeros(len(codes), np.intp)
        order = np.lexsort((codes, patterns) if self.pooled else (patterns, codes))
        if batch.weight is not None:
            order = order[batch.weight[order] > 0]
        return codes, order, patterns

    def result(self) -> CompletedMoments:
        """Centre the sums on the means; the log-likelihood comes of the same products."""
        K, p = self.sums.shape
        shared = len(self.precisions) == 1
        # The missing cells stand where the quadratic form is least, and there it is that of the cells seen.
        per_shape = self.products.sum(axis=0, keepdims=True) if shared else self.products
        rows = self.weight.sum() if shared else self.weight
        quadratic = float((per_shape * self.precisions).sum())
        log_dets = float((rows * self.log_dets).sum()) + self.tally[0]
        log_likelihood = float(-0.5 * (self.tally[1] * LOG_2PI + log_dets + quadratic))
        total = self.weight[:, None]
        offset = np.divide(self.sums, total, out=np.zeros((K, p)), where=total > 0)
        scatter = (self.products + self.spread)[0] if self.pooled else self.products + self.spread
        add_outer(scatter, -self.weight, offset)
        mean = np.where(total > 0, self.parameters.means + offset, 0.0)
        return CompletedMoments(self.parameters.classes, self.names, self.weight, mean, scatter, log_likelihood)


def expected_rows(source: Source, parameters: GaussianParameters) -> Array:
    """All rows (n, p) of a source, a missing cell as its class expects it given the others; weights are not zero.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> now = GaussianParameters(np.array(["a"]), np.zeros((1, 2)), np.array([[[1.0, 0.5], [0.5, 1.0]]]), np.ones(1))
    >>> expected_rows(MemorySource([[1.0, 1.0], [3.0, np.nan]], ["a", "a"]), now).round(6).tolist()
    [[1.0, 1.0], [3.0, 1.5]]
    """
    parts = []
    for batch in source.batches():
        order, codes, z, _ = _State(parameters, "pooled").complete(batch)
        whole = np.empty_like(batch.X)
        whole[order] = parameters.means[codes] + z
        parts.append(np.where(np.isnan(batch.X), whole, batch.X))
    return np.concatenate(parts)


def inverted_covariance(covariance: Array) -> tuple[Array, float]:
    """The inverse of a covariance and its log-determinant, on the correlation scale."""
    deviation = np.sqrt(np.diagonal(covariance))
    root = np.linalg.cholesky(covariance / deviation[:, None] / deviation)
    inverse = solve_triangular(root, np.diag(1 / deviation), lower=True)
    log_det = 2 * float(np.log(np.diagonal(root)).sum() + np.log(deviation).sum())
    return inverse.T @ inverse, log_det
