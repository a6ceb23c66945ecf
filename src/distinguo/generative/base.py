"""What every generative classifier is: a spec, a density and priors, under scikit-learn's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from distinguo.covariance.regularise import Regularisation
from distinguo.exceptions import InputError, MissingCellsError
from distinguo.generative.description import D, Description, S
from distinguo.generative.evidence import cells_known
from distinguo.generative.strategies import Completing, Iterating, Tuning
from distinguo.hyperplane import as_decision, decide
from distinguo.priors import resolve_priors
from distinguo.rows.base import HOLES_REFUSED, Source
from distinguo.rows.elsewhere import located
from distinguo.rows.fitted import ReadsRows
from distinguo.rows.labels import refuse_one_class
from distinguo.rows.memory import rows_of_fit
from distinguo.rows.room import announce
from distinguo.rows.unlabeled import partly_labelled
from distinguo.statistics.base import Spec
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


def _is_scored(model: Any) -> bool:
    """Whether there are scores to ask for: scikit-learn, which asks models before they are fitted, has none of counts.

    Its check of `decision_function` gives rows below zero even to models that say they take none.
    """
    return model._cells_refused is None or model.__sklearn_is_fitted__()


F = TypeVar("F", bound=Callable[..., Any])
_where_scored = cast(Callable[[F], F], available_if(_is_scored))


class GenerativeClassifier(ReadsRows, ClassifierMixin, BaseEstimator, ABC, Generic[S, D]):
    """A spec, a density and priors; everything else follows from Bayes' rule.

    A model says what to count (`_spec`) and how counts become a density (`_density`). Fitted parameters are
    made from the statistic when they are first asked for, so that many small `partial_fit`s cost no more than
    their rows.
    """

    priors: Any
    prior: ClassMoments | None
    statistic_: S
    # How options left to cross-validation are chosen, and what was chosen; None where a model has none.
    _tuning: Tuning | None = None
    _tuned: Regularisation | None = None
    # How missing cells are completed at fit, and the steps behind the statistic; 0 where one pass was enough.
    _completion: Completing | None = None
    # How the statistic is found where options ask for more than one pass over the rows; None where a model has none.
    _iteration: Iterating | None = None
    _steps: int = 0
    # Whether the model has the option `unlabeled`: what stands for a label that is not known, or None.
    _takes_unlabeled: bool = False
    unlabeled: Any
    # How much the model sees of each row (n,) of a block.
    _seen: Any = staticmethod(cells_known)

    @abstractmethod
    def _spec(self) -> Spec[S]:
        """What to count."""

    @abstractmethod
    def _density(self, statistic: S, priors: Array) -> D:
        """From counts of classes that all have rows, and their priors, to a density."""

    @abstractmethod
    def _pseudo_rows(self, prior: ClassMoments) -> S:
        """Prior knowledge in the form of this model's statistic."""

    # Fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the classes from rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies: weight 2 equals the row twice, weight 0 its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels or weights cannot be used, or there are fewer than two classes.
        """
        source = self._rows(X, y, sample_weight)
        if self._tuning is not None and self._tuning.is_needed(self.get_params(deep=False)):
            announce(source)  # before the first pass: options are tuned on rows in memory
        statistic, steps = self._count_all(source)
        description = self._describe_statistic(statistic, None)  # where that raises, the model stays as it was
        self._learn(statistic, description)
        self._steps = steps
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> Source:
        """The rows behind the arguments of fit, and beside them those without a label where the model takes them."""
        X, y, sample_weight = located(X, y, sample_weight)
        if self._coding is not None:
            X = self._coding.as_learned(self, X)
        if not self._takes_unlabeled:
            return rows_of_fit(X, y, sample_weight, type(self).__name__)
        return partly_labelled(X, y, sample_weight, self.unlabeled, type(self).__name__)

    def _count_all(self, source: Source) -> tuple[S, int]:
        """The statistic of all rows, once options are tuned, and the steps it took.

        The first pass is that of rows without holes, and costs them nothing more; the first hole ends it.
        """
        completion, why = self._completion, self._holes_refused()
        if source.unlabeled is not None and why is not None:
            raise InputError(f"y has missing labels, and {why}")
        if source.unlabeled is None:
            try:
                statistic = source.aggregate(self._spec())
            except MissingCellsError as error:
                if completion is None or why is not None:
                    raise MissingCellsError(error.where, why or error.why) from None
            else:
                self._tune(statistic, source)
                iteration = self._iterating()
                return (statistic, 0) if iteration is None else iteration.run(self, source, statistic)
        assert completion is not None  # what takes rows without labels completes cells
        start = completion.start(source)
        self._tune(start, source)
        return completion.complete(self, source, start)

    def _tune(self, statistic: S, source: Source) -> None:
        """Choose what was left to cross-validation, if there are classes to tell apart."""
        refuse_one_class(statistic.classes, " To learn classes one after the other, use partial_fit.")
        if self._tuning is not None:
            self._tuned = self._tuning.choose(self, source)

    def _iterating(self) -> Iterating | None:
        """How the statistic is found where the options ask for more than one pass, else None."""
        return self._iteration if self._iteration is not None and self._iteration.is_needed(self) else None

    def _holes_refused(self) -> str | None:
        """Why this model takes no missing cells, or None where it does."""
        iteration = self._iterating()
        if iteration is not None:
            return iteration.holes
        if self._completion is not None:
            return self._completion.refusal(self)
        return None if self._spec().takes_holes else HOLES_REFUSED

    def _learn(self, statistic: S, description: Description[S, D] | None = None) -> None:
        """Take a statistic as one's own, with the parameters behind it where they are made already."""
        self.statistic_ = statistic
        self._remember_columns(statistic.n_features, statistic.feature_names)
        self._description = description

    def _refuse_completed(self, what: str) -> None:
        """Raise after EM: nothing can be put to the statistic, or taken from it, by parts."""
        if self._steps:
            raise InputError(
                f"{what} does not go with a model whose missing cells or labels were completed at fit, for they depend "
                "on all rows at once. Give all rows to fit, or leave out those with holes and those without a label."
            )

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' or 'partial_fit' first.")

    def _describe(self) -> Description[S, D]:
        """The fitted parameters, made at the first call."""
        self._check_fitted()
        if self._description is None:
            self._description = self._describe_statistic(self.statistic_, None)
        return self._description

    def _describe_statistic(self, statistic: S, priors: Array | None) -> Description[S, D]:
        """The parameters behind a statistic; the priors are those given, or those the model asks for."""
        known = statistic
        if self.prior is not None:
            known = statistic + self._pseudo_rows(self.prior)
        active = known.weight > 0
        if not active.any():
            raise InputError("no class has any rows yet; bring some with partial_fit.")
        if priors is None:
            priors = resolve_priors(self.priors, known.classes, known.weight)
            if not priors[active].any():
                raise InputError("priors leave nothing to the classes that have rows; give one of them some.")
        living = known.take_classes(active)
        return Description(living, active, priors, self._density(living, priors[active]))

    def __sklearn_is_fitted__(self) -> bool:
        return "statistic_" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_description" in state:
            state["_description"] = None  # made again from the statistic, so that files stay small
        return state

    # What was learned

    @property
    def classes_(self) -> NDArray[Any]:
        """(K,) the labels, in order, of the type they came in."""
        self._check_fitted()
        if self.prior is None:
            return self.statistic_.classes
        return (self.statistic_ + self._pseudo_rows(self.prior)).classes

    @property
    def priors_(self) -> Array:
        """(K,) how common each class is taken to be."""
        return self._describe().priors

    def with_priors(self, priors: Any) -> Self:
        """The same model for a population where the classes are otherwise mixed; nothing is fitted again.

        Parameters
        ----------
        priors : None, "uniform", (K,) numbers, or a dictionary from class to number.

        Examples
        --------
        >>> from distinguo import GaussianNB
        >>> model = GaussianNB().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
        >>> model.with_priors({"a": 0.9, "b": 0.1}).priors_.tolist()
        [0.9, 0.1]
        """
        self._check_fitted()
        model = copy(self)
        model.priors = priors
        model._learn(self.statistic_)
        model._describe()
        return model

    # Bayes' rule

    @_where_scored
    def decision_function(self, X: Any) -> Array:
        """Scores, log prior + log p(x | class) up to a constant of the row.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, K), or (n,) for two classes: the second's score less the first's.
        """
        return as_decision(self._evaluate(X, self._describe().scores))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) of highest posterior probability.

        Of two classes in a tie the second is taken, of more the first.
        """
        scores = self._describe().scores
        chosen = self._evaluate(X, lambda block: decide(scores(block)))
        return np.asarray(self.classes_[chosen])

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), (n, K)."""
        return self._evaluate(X, self._describe().log_posteriors)

    def predict_proba(self, X: Any) -> Array:
        """P(class | x), (n, K)."""
        return self._evaluate(X, self._describe().posteriors)

    def evidence(self, X: Any) -> Array:
        """How much the model sees of each row, (n,): the total of counts, such as a text's words, or the cells known.

        Naive Bayes takes each as news of its own, and is the surer the more there are; `Calibrated` allows for it.

        Parameters
        ----------
        X : (n, p)
        """
        return self._evaluate(X, partial(self._seen, self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._holes_refused() is None
        return tags
