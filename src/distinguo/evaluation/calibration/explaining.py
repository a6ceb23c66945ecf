"""Explanations of calibrated decisions: those of the model within, at the temperature of the row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from distinguo.evaluation.calibration.maps import Calibration
from distinguo.exceptions import InputError
from distinguo.explaining import last_step, places_of_pair
from distinguo.explanation import Explanation
from distinguo.rows.labels import label_list

Array = NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., Any])


def _is_explained(model: Any) -> bool:
    """Whether a `Calibrated` can tell what each column adds; raises where it cannot, for the missing method's error."""
    if model.method != "temperature":
        raise InputError(
            f"method={model.method!r} bends the sum over the columns; 'temperature' divides it, and has explain."
        )
    within = model.model_ if "model_" in vars(model) else model.model
    last = within[-1] if isinstance(within, Pipeline) else within
    last.explain  # noqa: B018 (raises, in the classifier's own words)
    return True


_where_explained = cast(Callable[[F], F], available_if(_is_explained))


class ExplainsWithin(ABC):
    """Calibrated classifiers that hand on what the model within says of a row."""

    model_: Any
    calibration_: Calibration
    classes_: NDArray[Any]

    @abstractmethod
    def _known(self, X: Any) -> Any:
        """X as it is, once its columns are those of the fit."""

    @abstractmethod
    def _scores(self, X: Any) -> Array:
        """(n, K) of the model within."""

    @abstractmethod
    def _seen(self, X: Any) -> Array | None:
        """(n,) evidence, or None where it changes nothing."""

    @_where_explained
    def explain(self, X: Any, label: Any = None, against: Any = None, *, feature_names: Any = None) -> Explanation:
        """What each column of one row adds to the calibrated log odds of two classes.

        The parts are those of the model's own `explain`, divided by the row's temperature, so that they add up to the
        log odds of the calibrated probability. With method="temperature", around a model that explains itself, or a
        pipeline that ends in one.

        Parameters
        ----------
        X : (1, p) the row.
        label : a class; by default the one predicted.
        against : another; by default the likeliest of the others.
        feature_names : (p,) what columns are called; by default as at the fit, or as the steps before call them.

        Returns
        -------
        Explanation

        Raises
        ------
        InputError
            If X is not one row, a class is unknown, twice the same, or impossible for the model.
        """
        X = self._known(X)
        evidence = self._seen(X)
        logs = self.calibration_.log_probabilities(self._scores(X), evidence)
        a, b = places_of_pair(logs[0], classes := label_list(self.classes_), label, against)
        temperature = float(self.calibration_.temperature.of(evidence)[0, 0])
        why = _explanation(self.model_, X, classes[a], classes[b], feature_names)
        return _cooled(why, temperature, self.classes_, float(np.exp(logs)[0, a]))


def _explanation(model: Any, X: Any, label: Any, against: Any, feature_names: Any) -> Explanation:
    """The explanation of one row by a fitted model, or by the pipeline that ends in one.

    Raises
    ------
    InputError
        If the model calls either class impossible: no temperature makes something finite of that.
    """
    last, row, names = last_step(model, X, feature_names)
    why: Explanation = last.explain(row, label, against, feature_names=names)
    if not np.isfinite(why.log_odds):
        raise InputError(
            "the model calls one of the two classes impossible, and its calibrated probability is no sum over the "
            "columns; ask model_ for its own explanation, or fit it with smoothing."
        )
    return why


def _cooled(why: Explanation, temperature: float, classes: NDArray[Any], probability: float) -> Explanation:
    """The same explanation at a temperature, with the probability that comes of it."""
    return replace(
        why,
        classes=classes,
        contributions=why.contributions / temperature,
        start=why.start / temperature,
        start_is=f"{why.start_is}, calibrated",
        log_odds=float(why.start / temperature + (why.contributions / temperature).sum()),
        probability=probability,
    )
