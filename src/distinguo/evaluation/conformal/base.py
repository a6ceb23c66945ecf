"""What estimators over a classifier share here: rows handed on as they came, weights, routing and columns."""

from __future__ import annotations

from abc import ABC
from typing import Any

from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from distinguo.evaluation.conformal.folds import Counting
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import refuse_one_class
from distinguo.rows.tables import not_two_dimensional
from distinguo.rows.uncut import uncut_rows


class HandsRowsOn(MetaEstimatorMixin, BaseEstimator, ABC):
    """An estimator that hands rows as they came to a model within."""

    model: Any

    def _known(self, X: Any) -> Any:
        """X as it is, once its columns are those of the fit."""
        check_is_fitted(self)
        if getattr(self, "n_features_in_", None) is not None and len(getattr(X, "shape", (0, 0))) != 2:
            raise InputError(not_two_dimensional(X))
        return validate_data(self, X, reset=False, skip_check_array=True)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which parameters of `fit` go where, for scikit-learn's metadata routing."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__)
        return router.add_self_request(self).add(model=self.model, method_mapping=mapping)


class OverClassifier(HandsRowsOn):
    """An estimator that judges rows by what a classifier says of others."""

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> Counting:
        """The rows behind the arguments of fit, and whether weights are handed on."""
        check_classifier(self.model)
        rows = uncut_rows(X, y, sample_weight, type(self).__name__)
        refuse_one_class(rows.classes)
        counting = Counting.of(rows, rows.weight is not None and self._hands_on(rows.weight))
        validate_data(self, rows.X, skip_check_array=True)  # takes number and names of the columns, and no more
        return counting

    def _hands_on(self, weight: Any) -> bool:
        """Whether the classifier is to be given weights; raises where it takes none."""
        if get_config()["enable_metadata_routing"]:
            return "sample_weight" in process_routing(self, "fit", sample_weight=weight)["model"]["fit"]
        refuse_weights(self.model)
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.model).input_tags
        tags.target_tags.required = True
        return tags


def check_classifier(model: Any) -> None:
    """Raise unless this can be cloned, fitted and asked for classes."""
    is_class = isinstance(model, type)
    usable = not is_class and callable(getattr(model, "fit", None)) and callable(getattr(model, "predict", None))
    if usable and not is_regressor(model):
        return
    name = model.__name__ if is_class else type(model).__name__
    kind = "a class" if is_class else "a regressor" if usable else "nothing that fits and predicts"
    raise InputTypeError(f"model must be a classifier, such as LinearDiscriminantAnalysis(); {name} is {kind}.")


def refuse_weights(model: Any) -> None:
    """Raise unless the classifier takes weights."""
    if not has_fit_parameter(model, "sample_weight"):
        raise InputError(f"{type(model).__name__} takes no sample_weight; give none, or use a classifier that does.")
