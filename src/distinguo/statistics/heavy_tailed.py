"""Moments of rows that count the less the further out they lie, as multivariate t classes have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from distinguo.rows.base import Batch
from distinguo.rows.labels import codes_among
from distinguo.statistics.base import Spec, Statistic
from distinguo.statistics.moments import ClassMoments, product

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StudentClasses:
    """Multivariate t classes, as they are known at one step of their fit.

    Attributes
    ----------
    classes : (K,) sorted labels.
    means : (K, p)
    whiten : (K, p, r), or (1, p, r) for one shape: (x - μ_k) W_k has the unit matrix for its scale.
    log_dets : (K,) or (1,) logarithms of the determinants of the scale matrices.
    df : degrees of freedom, ν.
    """

    classes: NDArray[Any]
    means: Array
    whiten: Array
    log_dets: Array
    df: float

    @property
    def rank(self) -> int:
        """Dimensions that vary, r."""
        return int(self.whiten.shape[2])


@dataclass(frozen=True, eq=False)
class WeightedMoments(Statistic):
    """Moments of rows weighted by how near they lie, in coordinates where the shapes behind the weights are spheres.

    They add up as moments do, as long as they were weighted under the same parameters.

    Attributes
    ----------
    classes : (K,) sorted labels.
    feature_names : (p,) or None.
    weight : (K,) rows of each class, by frequency.
    pull : (K,) sums of the rows' weights.
    mean : (K, r) weighted means, from the means at hand.
    scatter : (K, r, r), or (r, r) where the classes are pooled: weighted scatter around those means.
    log_likelihood : log p of the rows, given the classes, under the parameters.
    """

    pull: Array
    mean: Array
    scatter: Array
    log_likelihood: float

    @property
    def n_features(self) -> int:
        """Number of coordinates, r."""
        return int(self.mean.shape[1])

    @property
    def moments(self) -> ClassMoments:
        """The moments alone, as of rows with these weights."""
        return ClassMoments(self.classes, None, self.pull, self.mean, self.scatter)

    def by_class(self) -> dict[str, Array]:
        """The arrays with one entry a class."""
        return {"weight": self.weight, "pull": self.pull} | {
            name: array for name, array in self.moments.by_class().items() if name != "weight"
        }

    def take_features(self, order: NDArray[np.intp], names: NDArray[Any] | None) -> Self:
        """The same under other names: the coordinates are those of the parameters, whatever the columns' order."""
        return replace(self, feature_names=names)

    def merged(self, other: Self, sign: int) -> Self:
        """The moments merged, the log-likelihoods added."""
        both = self.moments.merged(other.moments, sign)
        return replace(
            self,
            feature_names=self.feature_names if self.feature_names is not None else other.feature_names,
            weight=self.weight + sign * other.weight,
            pull=both.weight,
            mean=both.mean,
            scatter=both.scatter,
            log_likelihood=self.log_likelihood + sign * other.log_likelihood,
        )


@dataclass(frozen=True, eq=False)
class StudentStep(Spec[WeightedMoments]):
    r"""The E step of EM for multivariate t classes, aggregated once an iteration.

    A row counts with :math:`w_i = (\nu + r) / (\nu + d_i^2)`, d the distance to its class in the shape at hand.

    Parameters
    ----------
    parameters : of the classes; rows of weight zero may be of others.
    kind : scatter of each class ("full") or summed over the classes ("pooled").

    References
    ----------
    Lange, Little and Taylor (1989), Robust statistical modeling using the t distribution, JASA 84, section 3.

    Examples
    --------
    >>> from distinguo.rows.memory import MemorySource
    >>> now = StudentClasses(np.array(["a"]), np.zeros((1, 1)), np.ones((1, 1, 1)), np.zeros(1), 5.0)
    >>> found = MemorySource([[-1.0], [1.0], [5.0]], ["a"] * 3).aggregate(StudentStep(now, "full"))
    >>> found.pull.round(4).tolist(), found.mean.round(4).tolist(), round(found.log_likelihood, 4)
    ([2.2], [[0.4545]], -9.3751)
    """

    parameters: StudentClasses
    kind: Literal["full", "pooled"]
    takes_holes = False

    def reduce(self, batches: Iterable[Batch]) -> WeightedMoments:
        """One pass over the batches."""
        state = _State(self.parameters, self.kind)
        for batch in batches:
            state.add(batch)
        return state.result()

    def empty(self, classes: NDArray[Any], p: int, feature_names: NDArray[Any] | None) -> WeightedMoments:
        """No rows."""
        K, r = len(classes), self.parameters.rank
        scatter = np.zeros((r, r) if self.kind == "pooled" else (K, r, r))
        return WeightedMoments(classes, feature_names, np.zeros(K), np.zeros(K), np.zeros((K, r)), scatter, 0.0)


class _State:
    """Sums around the parameters' means that grow in place."""

    def __init__(self, parameters: StudentClasses, kind: str) -> None:
        K, r = len(parameters.classes), parameters.rank
        self.parameters = parameters
        self.pooled = kind == "pooled"
        self.names: NDArray[Any] | None = None
        self.weight, self.pull = np.zeros(K), np.zeros(K)
        self.sums = np.zeros((K, r))
        self.products = np.zeros((1 if self.pooled else K, r, r))
        self.log_likelihood = 0.0

    def add(self, batch: Batch) -> None:
        """Weigh the rows of a batch, class by class, and add their products."""
        self.names = batch.feature_names if self.names is None else self.names
        codes = codes_among(self.parameters.classes, batch.classes, batch.codes)
        order = np.argsort(codes, kind="stable")
        if batch.weight is not None:
            order = order[batch.weight[order] > 0]
        begins = np.searchsorted(codes[order], np.arange(len(self.weight) + 1))
        for k in np.flatnonzero(np.diff(begins)).tolist():
            rows = order[begins[k] : begins[k + 1]]
            self._add_class(k, batch.X[rows], np.ones(len(rows)) if batch.weight is None else batch.weight[rows])

    def _add_class(self, k: int, X: Array, frequency: Array) -> None:
        """Rows (m, p) of one class and how often each counts."""
        df, r = self.parameters.df, self.parameters.rank
        shape = k % len(self.parameters.whiten)  # 0 where one serves all
        z = (X - self.parameters.means[k]) @ self.parameters.whiten[shape]  # (m, r)
        distances = (z**2).sum(axis=1)
        w = frequency * (1 + r / df) / (1 + distances / df)
        total = frequency.sum()
        self.weight[k] += total
        self.pull[k] += w.sum()
        self.sums[k] += w @ z
        self.products[0 if self.pooled else k] += product(z, w)
        level = (
            gammaln((df + r) / 2) - gammaln(df / 2) - 0.5 * (r * np.log(df * np.pi) + self.parameters.log_dets[shape])
        )
        self.log_likelihood += float(total * level - 0.5 * (df + r) * (frequency @ np.log1p(distances / df)))

    def result(self) -> WeightedMoments:
        """Centre the sums on the weighted means."""
        total = self.pull[:, None]
        mean = np.divide(self.sums, total, out=np.zeros_like(self.sums), where=total > 0)
        excess = total[:, :, None] * mean[:, :, None] * mean[:, None, :]  # (K, r, r)
        scatter = self.products[0] - excess.sum(axis=0) if self.pooled else self.products - excess
        return WeightedMoments(
            self.parameters.classes, self.names, self.weight, self.pull, mean, scatter, self.log_likelihood
        )
