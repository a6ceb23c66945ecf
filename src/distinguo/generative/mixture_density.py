"""The density of rows without classes: a mixture of Gaussians."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.covariance.estimate import Divisor
from distinguo.densities.mixture import Subclasses, SubclassMixture
from distinguo.exceptions import InputError
from distinguo.generative.mixture import take_found
from distinguo.generative.subclass_search import search, whole_number
from distinguo.options import generator_of
from distinguo.rows.fitted import ReadsRows
from distinguo.rows.gathered import gather
from distinguo.rows.memory import MemorySource
from distinguo.rows.tables import as_table

Array = NDArray[np.float64]

COVARIANCES = {"shared": "shared", "component": "subclass"}


class Mixture(ReadsRows, DensityMixin, BaseEstimator):
    r"""A mixture of Gaussians, as mixture discriminant analysis has for each class, of rows that have no classes.

    .. math:: p(x) = \sum_r \pi_r N(x; \mu_r, \Sigma_r)

    Missing cells (NaN) are completed in every component at fit, and integrated out afterwards.

    Parameters
    ----------
    components : a number, or "bic", the least -2 log L + d log n of 1 to `max_components`.
    covariance : "shared" (one for all components) or "component" (one each).
    covariance_floor : least variance of a component in any direction, as a share of the variance of all rows there.
    divisor : "unbiased" (n - R, and for one component n - 1) or "mle".
    start : "k-means", or (R, p) first means.
    n_init, tol, max_iter, random_state : as in `MixtureDiscriminantAnalysis`.
    max_components : the most that "bic" tries.

    Attributes
    ----------
    weights_ : (R,) share of each component.
    means_ : (R, p)
    covariances_ : (R, p, p)
    n_parameters_, n_iter_, trace_, search_ : as in `MixtureDiscriminantAnalysis`.

    Raises
    ------
    InputError
        At `fit`, if there are fewer distinct rows than components.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> grams = np.concatenate([rng.normal(mean, 0.1, 100) for mean in (8.3, 10.3)])[:, None]
    >>> model = Mixture().fit(grams)
    >>> np.sort(model.means_.ravel()).round(1).tolist()
    [8.3, 10.3]
    >>> (model.typicality([[8.3], [9.3]]) > 0.01).tolist()
    [True, False]

    References
    ----------
    McLachlan and Peel (2000), Finite Mixture Models, chapter 3.
    """

    _subclasses: Subclasses

    def __init__(
        self,
        components: Any = "bic",
        *,
        covariance: str = "shared",
        covariance_floor: float = 1e-3,
        divisor: Divisor = "unbiased",
        start: Any = "k-means",
        n_init: int = 10,
        tol: float = 1e-5,
        max_iter: int = 500,
        max_components: int = 5,
        random_state: int = 0,
    ) -> None:
        self.components = components
        self.covariance = covariance
        self.covariance_floor = covariance_floor
        self.divisor = divisor
        self.start = start
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.max_components = max_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the density of rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow).
        y : ignored, as in all of scikit-learn's densities.
        sample_weight : (n,) frequencies.

        Returns
        -------
        self
        """
        table = as_table(X)
        if table.n == 1:
            raise InputError("a density of 1 sample does not exist; bring more rows.")
        source = MemorySource(X, np.zeros(table.n, dtype=np.intp), sample_weight)
        self._subclasses = take_found(self, search(gather(source), self._options()))
        self._remember_columns(table.p, table.names)
        return self

    def _options(self) -> dict[str, Any]:
        """The same in the words of mixture discriminant analysis, for one class."""
        options: dict[str, Any] = self.get_params(deep=False)
        if self.covariance not in COVARIANCES:
            raise InputError(f"covariance={self.covariance!r} is not known; use 'shared' or 'component'.")
        if isinstance(self.components, str) and self.components != "bic":
            raise InputError(f"components={self.components!r} must be a number or 'bic'.")
        options["covariance"] = COVARIANCES[self.covariance]
        options["subclasses"] = self.components
        options["max_subclasses"] = self.max_components
        if not isinstance(self.start, str):
            options["start"] = {0: self.start}
        return options

    def _density(self) -> SubclassMixture:
        check_is_fitted(self)
        return self._subclasses.density(np.ones(1), None)

    def __sklearn_is_fitted__(self) -> bool:
        return "_subclasses" in vars(self)

    def _holes_refused(self) -> None:
        """Missing cells are taken."""

    @property
    def weights_(self) -> Array:
        """(R,) share of each component."""
        check_is_fitted(self)
        return self._subclasses.share

    @property
    def means_(self) -> Array:
        """(R, p) means, in the units of the columns."""
        check_is_fitted(self)
        return self._subclasses.means

    @property
    def covariances_(self) -> Array:
        """(R, p, p) covariances, in the units of the columns."""
        check_is_fitted(self)
        factors = [self._subclasses.factors[group] for group in self._subclasses.group]
        return np.stack([factor.colour @ factor.colour.T for factor in factors])

    def score_samples(self, X: Any) -> Array:
        """log p(x), (n,), in nats; densities are per unit of each column."""
        density = self._density()
        return self._evaluate(X, lambda block: density.log_density(block)[:, 0])

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of log p(x) over the rows."""
        return float(self.score_samples(X).mean())

    def typicality(self, X: Any) -> Array:
        """P(p(X') <= p(x)) for X' drawn of the mixture, (n,); see `MixtureDiscriminantAnalysis`."""
        density = self._density()
        return self._evaluate(X, lambda block: density.tail(block)[:, 0])

    def responsibilities(self, X: Any) -> Array:
        """P(component | x), (n, R)."""
        density = self._density()
        return self._evaluate(X, density.responsibilities)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The component (n,) most likely to have made each row."""
        return np.asarray(self.responsibilities(X).argmax(axis=1))

    def sample(self, n: int = 1, random_state: Any = None) -> Array:
        """Synthetic rows (n, p).

        Parameters
        ----------
        n : how many.
        random_state : seed, `numpy.random.Generator`, or None.
        """
        density = self._density()
        return density.sample(0, whole_number(n, "n", 1), generator_of(random_state))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
