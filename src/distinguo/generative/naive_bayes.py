"""Naive Bayes: columns that go their own way within a class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.diagonal import DiagonalGaussian
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive, LeavesOneOut, Mergeable
from distinguo.generative.description import Description
from distinguo.generative.explanation import ExplainsColumns
from distinguo.generative.gaussian_columns import Smoothing
from distinguo.rows.base import Batch
from distinguo.statistics.diagonal import ColumnMoments, DiagonalMoments, diagonal_of
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


class GaussianNB(
    Mergeable[DiagonalMoments, DiagonalGaussian],
    Descriptive[DiagonalMoments, DiagonalGaussian],
    LeavesOneOut[DiagonalMoments, DiagonalGaussian],
    ExplainsColumns[DiagonalMoments],
):
    r"""Naive Bayes with Gaussian columns: :math:`p(x | k) = \prod_j N(x_j; \mu_{kj}, \sigma^2_{kj})`.

    Missing cells are skipped, at fit and at predict: a row is judged by the columns it has. Variances have the
    maximum-likelihood divisor. Probabilities are too sure of themselves where columns are correlated.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    shared_variance : whether a column has one variance for all classes; the posterior is then logistic in an
        affine function of the row.
    var_smoothing : added to each variance, as a share of that column's total variance.
    prior : pseudo-rows from `distinguo.pseudo_rows`, added before estimation.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_ : (K, p)
    variances_ : (K, p), smoothed.
    n_parameters_ : 2Kp, or Kp + p with a shared variance.

    Examples
    --------
    >>> model = GaussianNB().fit([[0.0, 1.0], [1.0, float("nan")], [5.0, 6.0], [6.0, 5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[float("nan"), 5.5]]).tolist()
    ['b']

    References
    ----------
    Ng and Jordan (2001), On discriminative vs. generative classifiers, for the shared variance.
    """

    def __init__(
        self,
        priors: Any = None,
        *,
        shared_variance: bool = False,
        var_smoothing: float = 1e-9,
        prior: ClassMoments | None = None,
    ) -> None:
        self.priors = priors
        self.shared_variance = shared_variance
        self.var_smoothing = var_smoothing
        self.prior = prior

    def _spec(self) -> ColumnMoments:
        return ColumnMoments()

    def _pseudo_rows(self, prior: ClassMoments) -> DiagonalMoments:
        if not isinstance(prior, ClassMoments) or prior.is_pooled:
            raise InputError(f"prior must be made by distinguo.pseudo_rows; it is {type(prior).__name__}.")
        return diagonal_of(prior)

    def _density(self, statistic: DiagonalMoments, priors: Array) -> DiagonalGaussian:
        density = self._smoothing().density(statistic)
        if not density.used.any():
            raise InputError("no column is left: each is constant, or has no value in some class.")
        return density

    def _smoothing(self) -> Smoothing:
        return Smoothing.of(self.var_smoothing, self.shared_variance)

    @property
    def means_(self) -> Array:
        """(K, p) means of the cells that were there, in the units of the columns."""
        return self._describe().spread_classes(self._describe().density.means)

    @property
    def variances_(self) -> Array:
        """(K, p) smoothed variances, in squared units of the columns."""
        return self._describe().spread_classes(self._describe().density.variances)

    @property
    def n_parameters_(self) -> int:
        """Numbers estimated: K means and K variances a column, or one variance."""
        K, p = self._describe().statistic.mean.shape
        return int(K * p + (p if self.shared_variance else K * p))

    def _scores_without(
        self, description: Description[DiagonalMoments, DiagonalGaussian], batch: Batch, taken: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Scores, and the rows to recompute."""
        own = (np.cumsum(description.active) - 1)[batch.codes]
        used = description.density.used
        scores, unsure = self._smoothing().scores_without(description.statistic, used, batch.X, own, taken)
        with np.errstate(divide="ignore"):
            return description.spread(scores, -np.inf) + np.log(description.priors), unsure
