"""The regressions that flexible discriminant analysis knows by name, and how others take part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from distinguo.exceptions import InputError, InputTypeError
from distinguo.features.basis import KERNELS, check_positive, check_whole, fit_kernel_ridge, fit_polynomial
from distinguo.features.mars import Mars
from distinguo.features.splines import fit_splines
from distinguo.generative.optimal_scoring import Regression

Array = NDArray[np.float64]


def _linear(options: Mapping[str, Any]) -> Regression:
    _cannot_act("linear", options)
    return lambda X, Y, weight: fit_polynomial(X, Y, weight, 1)


def _polynomial(options: Mapping[str, Any]) -> Regression:
    _cannot_act("polynomial", options, "degree")
    degree = _degree(options, 2)
    return lambda X, Y, weight: fit_polynomial(X, Y, weight, degree)


def _splines(options: Mapping[str, Any]) -> Regression:
    _cannot_act("splines", options)
    return fit_splines


def _mars(options: Mapping[str, Any]) -> Regression:
    _cannot_act("mars", options, "degree")
    degree = _degree(options, 1)
    return lambda X, Y, weight: Mars(degree=degree).fit(X, Y, sample_weight=weight)


def _kernel(options: Mapping[str, Any]) -> Regression:
    name = "gaussian" if options["kernel"] is None else options["kernel"]
    if name not in KERNELS:
        raise InputError(f"kernel={name!r} is not known; use {' or '.join(map(repr, KERNELS))}.")
    allowed = {"kernel", "width", "penalty", *(["degree"] if name == "polynomial" else [])}
    _cannot_act(f"kernel', kernel='{name}", options, *allowed)
    degree = _degree(options, 2)
    width = 1.0 if options["width"] is None else check_positive(options["width"], "width")
    penalty = None if options["penalty"] is None else check_positive(options["penalty"], "penalty")
    return lambda X, Y, weight: fit_kernel_ridge(X, Y, weight, name, width, degree, penalty)


REGRESSIONS: dict[str, Callable[[Mapping[str, Any]], Regression]] = {
    "linear": _linear,
    "polynomial": _polynomial,
    "splines": _splines,
    "mars": _mars,
    "kernel": _kernel,
}


def _degree(options: Mapping[str, Any], otherwise: int) -> int:
    return otherwise if options["degree"] is None else check_whole(options["degree"], "degree", 1)


def _cannot_act(name: str, options: Mapping[str, Any], *allowed: str) -> None:
    """Raise where an option of another regression was given."""
    for option in ("degree", "kernel", "width", "penalty"):
        if option not in allowed and options[option] is not None:
            raise InputError(f"{option}={options[option]!r} cannot act with regression='{name}'; leave it out.")


def regression_of(regression: Any, options: Mapping[str, Any]) -> Regression:
    """A way of regressing, from its name or from an estimator.

    Parameters
    ----------
    regression : a name, or an estimator with `fit` and `predict` that takes several responses; it is cloned.
    options : degree, kernel, width and penalty, or None each.

    Raises
    ------
    InputError
        If the name is not known, or an option cannot be used or cannot act.
    InputTypeError
        If it is neither a name nor an estimator.
    """
    if isinstance(regression, str):
        if regression not in REGRESSIONS:
            known = ", ".join(map(repr, REGRESSIONS))
            raise InputError(f"regression={regression!r} is not known; use {known} or an estimator.")
        return REGRESSIONS[regression](options)
    if isinstance(regression, type) or not all(callable(getattr(regression, name, None)) for name in METHODS):
        raise InputTypeError(f"regression must be a name or an estimator with fit and predict; it is {regression!r}.")
    _cannot_act(type(regression).__name__, options)

    def fit(X: Array, Y: Array, weight: Array) -> Any:
        model = clone(regression)
        if (weight == 1).all():
            return model.fit(X, Y)
        if not has_fit_parameter(model, "sample_weight"):
            raise InputError(f"sample_weight was given, and {type(model).__name__} takes none.")
        return model.fit(X, Y, sample_weight=weight)

    return fit


METHODS = ("fit", "predict", "get_params")
