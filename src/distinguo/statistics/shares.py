"""Expected moments of rows that several Gaussians share: of rows without a label, and of subclasses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.base import Batch
from distinguo.statistics.base import Spec
from distinguo.statistics.holes import CompletedMoments, GaussianParameters, inverted_covariance
from distinguo.statistics.moments import add_outer, product
from distinguo.statistics.patterns import pattern_codes
from distinguo.statistics.share_kernels import share_rows

Array = NDArray[np.float64]
Integers = NDArray[np.intp]
# Rows are shared in pieces, so that what each Gaussian expects of them stays small.
PIECE_BYTES = 1 << 24


class SharedSums:
    """Sums of rows as R Gaussians share them, which grow in place.

    Parameters
    ----------
    log_share : (R,) logarithms of how common each is; -inf for one that gets no row.
    means : (R, p)
    covariances : (G, p, p), positive definite.
    group : (R,) which covariance each has.
    into : (R,) which of the scatters each adds to.
    """

    def __init__(self, log_share: Array, means: Array, covariances: Array, group: Integers, into: Integers) -> None:
        R, p = means.shape
        inverted = [inverted_covariance(covariance) for covariance in covariances]
        self.precisions = np.stack([precision for precision, _ in inverted])
        self.log_dets = np.array([log_det for _, log_det in inverted])
        self.log_share, self.means, self.group, self.into = log_share, means, group, into
        self.weight = np.zeros(R)
        self.sums = np.zeros((R, p))
        self.products = np.zeros((int(into.max()) + 1, p, p))
        self.spread = np.zeros_like(self.products)
        self.log_likelihood = 0.0

    def add(self, X: Array, weight: Array, part: slice) -> None:
        """Share rows (m, p) of weights (m,) among some of the Gaussians."""
        missing = np.isnan(X)
        patterns = pattern_codes(missing)
        order = np.argsort(patterns, kind="stable")
        order = order[weight[order] > 0]
        means = self.means[part]
        shapes, group = np.unique(self.group[part], return_inverse=True)
        gaussians = (self.log_share[part], means, group, self.precisions[shapes], self.log_dets[shapes])
        piece = max(1, PIECE_BYTES // (8 * means.size))
        for first in range(0, len(order), piece):
            rows = order[first : first + piece]
            out, owned = np.empty((len(means), len(rows), X.shape[1])), np.empty((len(means), len(rows)))
            sums = (self.into[part], out, owned, self.spread)
            self.log_likelihood += share_rows(X, rows, patterns, weight, *gaussians, *sums)
            self.weight[part] += owned.sum(axis=1)
            self.sums[part] += (owned[:, None, :] @ out)[:, 0]
            for k, s in enumerate(self.into[part].tolist()):
                self.products[s] += product(out[k], owned[k])

    @property
    def expected_means(self) -> Array:
        """(R, p); of a Gaussian that got no row, where it was."""
        return np.asarray(self.means + self._offset)

    @property
    def scatter(self) -> Array:
        """(S, p, p) around the expected means, with what missing cells vary."""
        scatter = self.products + self.spread
        for k, s in enumerate(self.into.tolist()):
            add_outer(scatter[s : s + 1], -self.weight[k : k + 1], self._offset[k : k + 1])
        return scatter

    @property
    def _offset(self) -> Array:
        total = self.weight[:, None]
        return np.divide(self.sums, total, out=np.zeros_like(self.sums), where=total > 0)


@dataclass(frozen=True, eq=False)
class SharedMoments(Spec[CompletedMoments]):
    r"""The E step of EM for rows whose class is not known, cells missing or not.

    A row counts in each class with its posterior, :math:`w_{ik} \propto \pi_k N(x_{i,\text{seen}}; \mu_k, \Sigma_k)`,
    and there as a row of that class does; the log-likelihood is that of the mixture.

    Parameters
    ----------
    parameters : of the classes.
    kind : scatter of each class ("full") or summed over the classes ("pooled").

    References
    ----------
    McLachlan (1977), JASA 72, 403-406. O'Neill (1978), Normal discrimination with unclassified observations, JASA 73,
    821-826.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> now = GaussianParameters(np.array(["a", "b"]), np.array([[-1.0], [1.0]]), np.ones((1, 1, 1)), np.full(2, 0.5))
    >>> found = MemorySource([[0.0], [np.nan]], ["?", "?"]).aggregate(SharedMoments(now, "pooled"))
    >>> found.weight.tolist(), found.mean.ravel().tolist(), round(found.log_likelihood, 4)
    ([1.0, 1.0], [-0.5, 0.5], -1.4189)
    """

    parameters: GaussianParameters
    kind: Literal["full", "pooled"]
    takes_holes = True

    def reduce(self, batches: Iterable[Batch]) -> CompletedMoments:
        """One pass over the batches."""
        now = self.parameters
        K = len(now.classes)
        own, same = np.arange(K), np.zeros(K, dtype=np.intp)
        with np.errstate(divide="ignore"):
            log_share = np.log(now.share)
        shape = same if len(now.covariances) == 1 else own
        sums = SharedSums(log_share, now.means, now.covariances, shape, same if self.kind == "pooled" else own)
        names = None
        for batch in batches:
            names = batch.feature_names
            sums.add(batch.X, np.ones(len(batch.X)) if batch.weight is None else batch.weight, slice(None))
        scatter = sums.scatter[0] if self.kind == "pooled" else sums.scatter
        return CompletedMoments(now.classes, names, sums.weight, sums.expected_means, scatter, sums.log_likelihood)

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> CompletedMoments:
        """No rows."""
        K = len(classes)
        scatter = np.zeros((p, p) if self.kind == "pooled" else (K, p, p))
        return CompletedMoments(classes, feature_names, np.zeros(K), np.zeros((K, p)), scatter, 0.0)
