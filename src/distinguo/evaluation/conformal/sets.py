"""Prediction sets: the classes that a row may have, with a stated share of rows having their own among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from distinguo.evaluation.calibration.scores import codes_of
from distinguo.evaluation.conformal.base import OverClassifier
from distinguo.evaluation.conformal.calibration import SetCalibration, level_of, warn_of_few
from distinguo.evaluation.conformal.looks import LOOKS
from distinguo.evaluation.conformal.quality import SetQuality, set_quality
from distinguo.evaluation.conformal.ways import WAYS, Plan
from distinguo.options import one_of, truth

Array = NDArray[np.float64]
Sets = NDArray[np.bool_]


F = TypeVar("F", bound=Callable[..., Any])


def _has_posteriors(sets: PredictionSets) -> bool:
    """Whether the classifier has probabilities; raises in its own words where it has none."""
    return getattr(vars(sets).get("model_", sets.model), "predict_proba") is not None  # noqa: B009


_where_posteriors = cast(Callable[[F], F], available_if(_has_posteriors))


class PredictionSets(ClassifierMixin, OverClassifier):
    r"""Sets of classes that hold a row's own with a stated probability, by conformal prediction.

    .. math:: p_k(x) = \frac{1 + \#\{i: s_i \ge s(x, k)\}}{1 + n}, \qquad C(x) = \{k: p_k(x) > \alpha\}

    with the strangeness s of rows that the model had not seen, each in its own class. Whatever the model and the
    distribution, as long as new rows come as those of the fit did, at least 1 - α of their sets hold their class; how
    small the sets are is the model's merit.

    Parameters
    ----------
    model : any classifier.
    method : who has not seen what. "split" fits on a part of the rows and holds the others out: the coverage is exact,
        1 - α to 1 - α + 1/(m + 1), on average over the m rows held out. "cross" (cross-conformal, CV+) holds out every
        fold once, and a new row is judged by the models of all folds: every row teaches and judges, the guarantee is
        1 - 2α, and the coverage in practice 1 - α or more. "leave-one-out" takes `leave_one_out` of one model of all
        rows, which need not be fitted again; there is no guarantee but for models that one row hardly changes.
    conformity : what is strange. "posterior": a low posterior of the class; sets are smallest, and an empty one says
        that no class is sure enough. "density": a low log p(x | class); an empty set says that the row is like no
        class.
    class_conditional : whether a row is held against those of the same class, so that the coverage holds in every class
        and not only for all together (Mondrian). A class of m rows is in every set where α < 1 / (m + 1).
    cv : parts of "split" of which one is held out (2), folds of "cross" (10), or a scikit-learn splitter, or
        (train, test) pairs of row numbers.
    random_state : seed of the parts.

    Attributes
    ----------
    classes_ : (K,)
    model_ : the fitted classifier that `predict` asks: of all rows, or with "split" of its part.

    Raises
    ------
    InputError
        At fit, where the method or `conformity` asks for what the classifier does not have.

    Notes
    -----
    One less the posterior is preferred to the cumulated posterior of the likelier classes (adaptive sets, APS), whose
    sets are larger at the same coverage, and of a stated coverage only if drawn by lot. `class_conditional` is for who
    minds that coverage differs between classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import LinearDiscriminantAnalysis, PredictionSets
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PredictionSets(LinearDiscriminantAnalysis(), method="leave-one-out").fit(X, y)
    >>> model.predict_set(X[[0, 70, 77]], alpha=0.01).tolist()
    [[True, False, False], [False, True, True], [False, True, True]]
    >>> model.p_values(X[[70]]).round(2).tolist()
    [[0.01, 0.03, 0.04]]

    References
    ----------
    Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World, chapters 2 and 4. Vovk (2015),
    Cross-conformal predictors, Annals of Mathematics and Artificial Intelligence 74, 9-28. Romano, Sesia and Candès
    (2020), Classification with valid and adaptive coverage, NeurIPS 33, for CV+. Sadinle, Lei and Wasserman (2019),
    Least ambiguous set-valued classifiers with bounded error levels, JASA 114, 223-234, for one less the posterior.
    """

    def __init__(
        self,
        model: Any,
        *,
        method: str = "cross",
        conformity: str = "posterior",
        class_conditional: bool = False,
        cv: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.method = method
        self.conformity = conformity
        self.class_conditional = class_conditional
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the classifier, and judge rows that it, or others like it, had not seen.

        Parameters
        ----------
        X : (n, p) rows of any kind that `model` takes; a `Source` with its own labels is gathered in memory.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies, handed on; a row held out counts as often among the ranks.

        Returns
        -------
        self
        """
        way, look = WAYS[one_of(self.method, "method", WAYS)], LOOKS[one_of(self.conformity, "conformity", LOOKS)]
        conditional = truth(self.class_conditional, "class_conditional")
        rows = self._rows(X, y, sample_weight)
        stratified = conditional or self.method == "cross"
        model, held = way(self.model, rows, look, Plan(self.cv, self.random_state, stratified))
        self.classes_, self.model_ = rows.classes, model
        self._models = tuple(part.model for part in held)
        self._calibrations = tuple(
            SetCalibration.of(self.conformity, rows.classes, [part], conditional) for part in held
        )
        return self

    def p_values(self, X: Any) -> Array:
        """How often a row of each class is as strange there as each row would be, (n, K).

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        parts = zip(self._models, self._calibrations, strict=True)
        stranger = np.sum([calibration.stranger(model, X) for model, calibration in parts], axis=0)
        return np.asarray((1 + stranger) / (1 + self._totals()))

    def _totals(self) -> Array:
        """(K,) the weight of the rows that each class is held against."""
        return np.asarray(np.sum([calibration.totals for calibration in self._calibrations], axis=0))

    def predict_set(self, X: Any, alpha: Any) -> Sets:
        """The classes that each row may have, (n, K) truth values in the order of `classes_`.

        Parameters
        ----------
        X : (n, p)
        alpha : the share of rows, between 0 and 1, whose set may lack their class.
        """
        check_is_fitted(self)
        level = level_of(alpha, "alpha")
        warn_of_few(self._totals(), self.classes_, level)
        return np.asarray(self.p_values(X) > level)

    def set_quality(self, X: Any, y: Any, alpha: Any) -> SetQuality:
        """How often the sets of test rows hold their class, and how small they are.

        Parameters
        ----------
        X : (n, p)
        y : (n,) labels; those of classes that were not fitted are never covered.
        alpha : as in `predict_set`.
        """
        return set_quality(self.predict_set(X, alpha), y, self.classes_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The classifier's own answer, (n,) labels; with a great alpha it may not be in its row's set.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return np.asarray(self.model_.predict(X))

    @_where_posteriors
    def predict_proba(self, X: Any) -> Array:
        """The classifier's own probabilities, (n, K).

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        found = np.asarray(self.model_.predict_proba(X))
        result = np.zeros((len(found), len(self.classes_)))
        result[:, codes_of(self.model_, self.classes_)] = found
        return result
