"""Mixture discriminant analysis: each class is several Gaussian subclasses."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from distinguo.covariance.estimate import Divisor
from distinguo.densities.mixture import Subclasses, SubclassMixture
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive
from distinguo.generative.completion import Completion
from distinguo.generative.subclass_search import Search, search
from distinguo.rows.base import Source
from distinguo.rows.gathered import gather_batches
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]


class SubclassTuning:
    """Subclasses are found in all rows at once, and kept beside the moments of the classes."""

    def is_needed(self, options: dict[str, Any]) -> bool:
        """Always."""
        return True

    def choose(self, model: Any, source: Source) -> Any:
        """The model's subclasses."""
        return take_found(model, search(gather_batches(source.batches()), model.get_params(deep=False)))


def take_found(model: Any, result: Search) -> Subclasses:
    """The subclasses found in a model's rows; tells it how, and warns where EM was stopped early."""
    solution = result.found.solution
    model.n_parameters_ = result.found.n_parameters
    model.n_iter_ = solution.iterations
    model.trace_ = solution.trace
    model.search_ = result.results
    if solution.status == "max_iter":
        warnings.warn(
            f"EM stopped after {solution.iterations} iterations, while one more still gained more than tol a row; "
            "give a larger max_iter or tol.",
            ConvergenceWarning,
            stacklevel=6,
        )
    return result.found.subclasses


class MixtureDiscriminantAnalysis(TransformerMixin, Descriptive[ClassMoments, SubclassMixture]):
    r"""Classes that are mixtures of Gaussian subclasses (Hastie and Tibshirani, 1996).

    .. math:: p(x \mid k) = \sum_{r \in R_k} \pi_{kr} N(x; \mu_{kr}, \Sigma)

    With one subclass a class it is LDA, or QDA where every class has a covariance of its own; with a penalty, PDA.
    Subclasses are found by EM from k-means starts, in coordinates in which the units of the columns do not matter;
    this needs all rows in memory.

    Missing cells (NaN) are completed by EM in every subclass at fit (Ghahramani and Jordan, 1994), which starts from
    one Gaussian a class, and integrated out at predict.

    Parameters
    ----------
    priors : None (the classes' shares of the rows), "uniform", (K,) numbers, or {class: number}.
    subclasses : a number for every class, {class: number}, "bic" (the least -2 log L + d log n) or "cv" (the least
        held-out log loss); the last two try 1 to `max_subclasses` in every class, but no more than half as many as
        a class has distinct rows.
    covariance : which subclasses are of one shape: "shared" (all, as in the paper), "class" (those of a class) or
        "subclass" (none).
    n_components : how many directions of the discriminant space `transform` returns; None for all. With
        covariance="shared" `predict` uses these alone; subclasses of several shapes differ in all directions.
    penalty : None, "ridge", "difference", "laplacian" or a matrix Ω (p, p): γΩ is added to the shared covariance.
    order, shape : of the differences (2 unless given) and of the image, for those two penalties.
    gamma, df : γ, or its effective degrees of freedom; one of the two goes with a penalty.
    covariance_floor : least variance of a subclass in any direction, as a share of the variance within classes there.
        It keeps a subclass from shrinking on one row, which would make the likelihood infinite.
    divisor : "unbiased" (n - R; n_k - R_k where classes have their own) or "mle", applied once EM has ended.
    start : "k-means", or {class: (R_k, p) means}, from which rows go to the nearest.
    n_init : k-means starts, of which the one of the highest likelihood is kept.
    tol : EM stops where an iteration gains less than this a row, in nats.
    max_iter : iterations at the most; a warning says where they do not suffice.
    max_subclasses : the most that "bic" and "cv" try.
    cv : number of stratified folds for subclasses="cv".
    random_state : seed of starts and folds.

    Attributes
    ----------
    classes_ : (K,)
    priors_ : (K,)
    means_ : (K, p) class means.
    subclass_classes_ : (R,) the class of each subclass.
    subclass_priors_ : (R,) share of each in its class.
    subclass_means_ : (R, p)
    covariance_ : (p, p) within subclasses; their mean, weighted by rows, where they have several.
    subclass_covariances_ : (R, p, p)
    scalings_ : (p, L) directions of the discriminant space of subclass means, of within-subclass variance one.
    explained_variance_ratio_ : (L,) shares of the variance between subclasses.
    n_parameters_ : subclass shares, means and covariances.
    trace_ : (n_iter_ + 1,) log-likelihood of the rows given their classes (less the penalty) as EM went; it never
        falls.
    search_ : {"subclasses", "bic" or "log_loss"} over the numbers tried, or None.

    Raises
    ------
    InputError
        At `fit`, if options do not go together, or a class has fewer distinct rows than subclasses.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> grams = np.concatenate([rng.normal(mean, 0.1, 100) for mean in (7.5, 8.3, 10.3)])[:, None]
    >>> coins = ["1 euro"] * 100 + ["2 euro"] * 200
    >>> model = MixtureDiscriminantAnalysis(subclasses={"1 euro": 1, "2 euro": 2}).fit(grams, coins)
    >>> np.sort(model.subclass_means_.ravel()).round(1).tolist()
    [7.5, 8.3, 10.3]
    >>> model.score(grams, coins)
    1.0

    References
    ----------
    Hastie and Tibshirani (1996), Discriminant analysis by Gaussian mixtures, JRSS B 58, 155-176. Hastie, Tibshirani
    and Friedman (2009), The Elements of Statistical Learning, section 12.7. Ghahramani and Jordan (1994), Supervised
    learning from incomplete data via an EM approach, NIPS 6, 120-127.
    """

    prior = None
    _tuning = SubclassTuning()
    _completion = Completion(pooling=1.0)  # of the class moments; subclasses have an EM of their own
    _tuned: Any = None

    def __init__(
        self,
        priors: Any = None,
        *,
        subclasses: Any = "bic",
        covariance: str = "shared",
        n_components: int | None = None,
        penalty: Any = None,
        order: int | None = None,
        shape: Any = None,
        gamma: float | None = None,
        df: float | None = None,
        covariance_floor: float = 1e-3,
        divisor: Divisor = "unbiased",
        start: Any = "k-means",
        n_init: int = 10,
        tol: float = 1e-5,
        max_iter: int = 500,
        max_subclasses: int = 5,
        cv: int = 5,
        random_state: int = 0,
    ) -> None:
        self.priors = priors
        self.subclasses = subclasses
        self.covariance = covariance
        self.n_components = n_components
        self.penalty = penalty
        self.order = order
        self.shape = shape
        self.gamma = gamma
        self.df = df
        self.covariance_floor = covariance_floor
        self.divisor = divisor
        self.start = start
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.max_subclasses = max_subclasses
        self.cv = cv
        self.random_state = random_state

    def _spec(self) -> Moments:
        return Moments("pooled")

    def _pseudo_rows(self, prior: ClassMoments) -> ClassMoments:
        raise InputError("subclasses are found in rows; pseudo-rows have none.")

    def _density(self, statistic: ClassMoments, priors: Array) -> SubclassMixture:
        directions = None if self.n_components is None else self._directions(priors)[0]
        return self._subclasses.density(priors, directions if self.covariance == "shared" else None)

    def _directions(self, priors: Array) -> tuple[Array, Array]:
        """Directions (r, L) between subclasses in whitened coordinates, and all their variances, the greatest first."""
        weights = self._subclasses.weights(priors)
        points = self._subclasses.points(priors)
        _, singular, directions = np.linalg.svd(np.sqrt(weights)[:, None] * points, full_matrices=False)
        most = min(len(weights) - 1, points.shape[1])
        L = most if self.n_components is None else self.n_components
        if isinstance(L, bool) or not isinstance(L, int | np.integer) or not 1 <= L <= most:
            raise InputError(
                f"n_components={L!r} must be a whole number from 1 to {most}, the lesser of the subclasses less one "
                "and the columns that vary."
            )
        return directions[:L].T, singular[:most] ** 2

    @property
    def means_(self) -> Array:
        """(K, p) class means, in the units of the columns."""
        return self._describe().statistic.mean

    @property
    def subclass_classes_(self) -> NDArray[Any]:
        """(R,) the class of each subclass."""
        return np.asarray(self.classes_[self._found.owner])

    @property
    def subclass_priors_(self) -> Array:
        """(R,) share of each subclass in its class."""
        return self._found.share

    @property
    def subclass_means_(self) -> Array:
        """(R, p) means, in the units of the columns."""
        return self._found.means

    @property
    def _found(self) -> Subclasses:
        """The subclasses of a model that is fitted."""
        self._describe()
        return self._subclasses

    @property
    def _subclasses(self) -> Subclasses:
        """What fit found."""
        found: Subclasses = self._tuned
        return found

    @property
    def covariance_(self) -> Array:
        """(p, p) covariance within subclasses, in the units of the columns."""
        return np.asarray(self._found.pooled.colour @ self._found.pooled.colour.T)

    @property
    def subclass_covariances_(self) -> Array:
        """(R, p, p) of each subclass, in the units of the columns."""
        factors = [self._found.factors[group] for group in self._found.group]
        return np.stack([factor.colour @ factor.colour.T for factor in factors])

    @property
    def scalings_(self) -> Array:
        """(p, L) directions of the discriminant space, each with its largest loading positive."""
        directions, _ = self._directions(self.priors_)
        scalings = self._found.pooled.whiten @ directions
        loadings = scalings * np.sqrt(np.diagonal(self._describe().statistic.within))[:, None]
        largest = np.abs(loadings).argmax(axis=0)
        signs = np.sign(loadings[largest, np.arange(loadings.shape[1])])
        return np.asarray(scalings * np.where(signs == 0, 1.0, signs))

    @property
    def explained_variance_ratio_(self) -> Array:
        """(L,) shares of the variance between subclasses."""
        directions, variances = self._directions(self.priors_)
        L, total = directions.shape[1], variances.sum()
        return np.asarray(variances[:L] / total) if total > 0 else np.zeros(L)

    @property
    def _n_features_out(self) -> int:
        """Columns of transform, for scikit-learn."""
        return int(self._directions(self.priors_)[0].shape[1])

    def transform(self, X: Any) -> Array:
        """Rows (n, L) in the discriminant space: centred on the mean of the classes, within-subclass variance one.

        A row with a missing cell is NaN: it has no one place, but one for each subclass; `predict_proba` takes it.
        """
        centre, scalings = self._found.centre(self.priors_), self.scalings_
        return self._evaluate(X, lambda block: np.asarray((block - centre) @ scalings))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """("MD1", "MD2", ...), the names of transform's columns."""
        return np.array([f"MD{i + 1}" for i in range(self._n_features_out)], dtype=object)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """Fit, then transform the same rows."""
        return self.fit(X, y, **fit_params).transform(X)
