"""Many classes by way of two: what one-versus-rest and one-versus-one have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from distinguo.exceptions import InputError, InputTypeError
from distinguo.linear.binary import Split, check_binary, fit_split
from distinguo.linear.class_weights import class_weights
from distinguo.options import generator_of
from distinguo.rows.labels import label_list, label_text, refuse_one_class
from distinguo.rows.selection import take_rows
from distinguo.rows.tables import not_two_dimensional
from distinguo.rows.uncut import Uncut, uncut_rows

Array = NDArray[np.float64]
Votes = NDArray[np.intp]
F = TypeVar("F", bound=Callable[..., Any])


def _able_to(*methods: str) -> Callable[[F], F]:
    """Only where the binary classifiers have one of these methods."""

    def check(model: BinaryReduction) -> bool:
        binary = vars(model).get("estimators_", [model.estimator])[0]
        if not any(hasattr(binary, method) for method in methods):
            getattr(binary, methods[0])  # raises, in the classifier's own words
        return True

    return cast(Callable[[F], F], available_if(check))


class BinaryReduction(MetaEstimatorMixin, ClassifierMixin, BaseEstimator, ABC):
    """Binary classifiers that vote on the class; a strategy says what each of them tells apart, and how votes count."""

    estimator: Any
    class_weight: Any
    ties: Any
    order: Any
    random_state: Any
    classes_: NDArray[Any]
    estimators_: list[Any]

    @abstractmethod
    def _splits(self, rows: Uncut) -> Iterator[Split]:
        """The binary problems, in the order of `estimators_`."""

    @abstractmethod
    def _learn(self) -> None:
        """Take what else is to be known of the fit, once `classes_` are known."""

    @abstractmethod
    def _votes(self, X: Any) -> Votes:
        """(n, K) plain votes."""

    @abstractmethod
    def _contradict(self, votes: Votes) -> NDArray[np.bool_]:
        """(n,) whether the votes (n, K) settle on no class."""

    @abstractmethod
    def _confidence(self, X: Any) -> Array:
        """(n, K) how much speaks for each class among those that have as many votes; zeros where nothing is known."""

    @abstractmethod
    def _scores(self, X: Any) -> Array:
        """(n, K) what `decision_function` shows; of two classes the scores differ in sign only."""

    @abstractmethod
    def _probabilities(self, X: Any) -> Array:
        """(n, K) where the binary classifiers have some."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the binary classifiers, each on a clone of `estimator`.

        Parameters
        ----------
        X : (n, p) rows of any kind that `estimator` takes; they are handed on in their own container. A `Source`
            with its own labels is gathered in memory.
        y : (n,) or (n, 1) labels of any hashable scalar type; a binary classifier sees 0 and 1.
        sample_weight : (n,) frequencies, handed on; rows of weight 0 are left out.
        **fit_params : handed on by metadata routing, where scikit-learn has that enabled.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If labels, weights or options cannot be used, there are fewer than two classes, or weights are given or
            asked for and the binary classifier takes none.
        InputTypeError
            If `estimator` is no classifier.
        """
        check_binary(self.estimator)
        rows = uncut_rows(X, y, sample_weight, type(self).__name__)
        refuse_one_class(rows.classes)
        _check_ties(self.ties, self.order, rows.classes)
        params = self._handed_on(self._weights(rows), fit_params)
        fitted = [fit_split(self.estimator, rows.X, split, params) for split in self._splits(rows)]
        validate_data(self, rows.X, skip_check_array=True)  # takes number and names of the columns, and no more
        self.classes_, self.estimators_ = rows.classes, fitted
        self._learn()
        return self

    def _weights(self, rows: Uncut) -> Array | None:
        """(n,) weights of rows times those of their classes, or None."""
        by_class = class_weights(self.class_weight, rows.classes, rows.totals())
        if by_class is None:
            return rows.weight
        return np.asarray(rows.weights() * by_class[rows.codes])

    def _handed_on(self, weight: Array | None, fit_params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parameters for each binary classifier's fit."""
        wanted = dict(fit_params) if weight is None else {**fit_params, "sample_weight": weight}
        name = type(self.estimator).__name__
        if not wanted:
            return wanted
        if get_config()["enable_metadata_routing"]:
            routed: Mapping[str, Any] = process_routing(self, "fit", **wanted)["estimator"]["fit"]
            if self.class_weight is not None and "sample_weight" not in routed:
                raise InputError(
                    f"class_weight reaches {name} as sample_weight, which it does not ask for; call its "
                    "set_fit_request(sample_weight=True)."
                )
            return routed
        if fit_params:
            raise InputError(
                f"fit got {', '.join(sorted(fit_params))}, which only metadata routing hands on; call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise InputError(
                f"{name} takes no sample_weight, by which rows or classes are weighted; give neither sample_weight nor "
                "class_weight, or use a classifier that takes weights."
            )
        return wanted

    def _known(self, X: Any) -> Any:
        """X as it is, once its columns are those of the fit."""
        check_is_fitted(self)
        if hasattr(self, "n_features_in_") and len(getattr(X, "shape", (0, 0))) != 2:
            raise InputError(not_two_dimensional(X))
        return validate_data(self, X, reset=False, skip_check_array=True)

    def votes(self, X: Any) -> Votes:
        """Plain votes of the binary classifiers for each class.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, K)
        """
        return self._votes(self._known(X))

    def ambiguous(self, X: Any) -> NDArray[np.bool_]:
        """Whether the plain votes leave open which class a row has, (n,); see the class for what that means."""
        return self._contradict(self.votes(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) with the most votes; of several, the one that `ties` says, else the first.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        rank = _check_ties(self.ties, self.order, self.classes_)
        votes = self._votes(X)
        leads = votes == votes.max(axis=1, keepdims=True)
        chosen = leads.argmax(axis=1)
        tied = np.flatnonzero(leads.sum(axis=1) > 1)
        if len(tied):
            keys = _TIES[self.ties](self, take_rows(X, tied), len(tied), rank)
            # Where every key is minus infinity, the class must be one of those that lead all the same.
            chosen[tied] = np.where(leads[tied], np.nan_to_num(keys), -np.inf).argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    @_able_to("decision_function", "predict_proba")
    def decision_function(self, X: Any) -> Array:
        """Scores of the classes, the highest of which is predicted where ties="probability".

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, K), or (n,) for two classes: the binary classifier's own.
        """
        found = self._scores(self._known(X))
        return found[:, 1] if len(self.classes_) == 2 else found

    @_able_to("predict_proba")
    def predict_proba(self, X: Any) -> Array:
        """Probabilities (n, K) of the classes, which sum to one.

        Parameters
        ----------
        X : (n, p)
        """
        return self._probabilities(self._known(X))

    @_able_to("predict_proba")
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms (n, K) of the probabilities.

        Parameters
        ----------
        X : (n, p)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._probabilities(self._known(X))))

    def get_metadata_routing(self) -> MetadataRouter:
        """Which parameters of `fit` go where, for scikit-learn's metadata routing."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__)
        return router.add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def class_code(label: Any, classes: NDArray[Any], what: str) -> int:
    """Where a label that an option names stands in classes (K,)."""
    labels = label_list(classes)
    if label not in labels:
        shown = ", ".join(label_text(known) for known in labels[:12])
        raise InputError(f"{what} names {label_text(label)}, which is no class of y; the classes are {shown}.")
    return labels.index(label)


def _by_confidence(model: BinaryReduction, X: Any, n: int, rank: Array) -> Array:
    return model._confidence(X)


def _by_order(model: BinaryReduction, X: Any, n: int, rank: Array) -> Array:
    return np.tile(-rank, (n, 1))


def _by_lot(model: BinaryReduction, X: Any, n: int, rank: Array) -> Array:
    return generator_of(model.random_state).random((n, len(rank)))


# Of the classes with the most votes (n, K), the one of the greatest key takes the row.
_TIES: dict[str, Callable[[BinaryReduction, Any, int, Array], Array]] = {
    "probability": _by_confidence,
    "order": _by_order,
    "random": _by_lot,
}


def _check_ties(ties: Any, order: Any, classes: NDArray[Any]) -> Array:
    """(K,) the place of each class in `order`; zeros where ties go by something else."""
    if not isinstance(ties, str) or ties not in _TIES:
        raise InputError(f"ties={ties!r} must be one of {', '.join(repr(name) for name in _TIES)}.")
    if (order is not None) != (ties == "order"):
        raise InputError(f"ties={ties!r} and order={order!r}: an order of the classes goes with ties='order' only.")
    rank = np.zeros(len(classes))
    if order is None:
        return rank
    if isinstance(order, str) or not isinstance(order, Sequence | np.ndarray):
        raise InputTypeError(f"order must be a list of all classes, the first winning ties; it is {order!r}.")
    named = label_list(order) if isinstance(order, np.ndarray) else list(order)
    codes = [class_code(label, classes, "order") for label in named]
    if sorted(codes) != list(range(len(classes))):
        shown = ", ".join(label_text(label) for label in classes[:12])
        raise InputError(f"order={named!r} must name every class once; the classes are {shown}.")
    rank[codes] = np.arange(len(codes))
    return rank
