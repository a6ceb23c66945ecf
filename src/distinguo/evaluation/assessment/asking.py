"""What is asked of a fitted classifier, of this library or like scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError, InputTypeError


def classes_of(model: Any) -> NDArray[Any]:
    """(K,) the classes of a fitted classifier.

    Raises
    ------
    InputError
        If it has no classes.
    InputTypeError
        If it predicts nothing.
    NotFittedError
        If it is not fitted.
    """
    if not callable(getattr(model, "predict", None)) or isinstance(model, type):
        raise InputTypeError(f"model must be a fitted classifier; it is {model!r:.60}.")
    check_is_fitted(model)
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError(f"{type(model).__name__} has no classes_; what is judged are fitted classifiers.")
    return np.asarray(classes)


def answers(model: Any, method: str, X: Any) -> NDArray[Any] | None:
    """What a method says of rows; None where the model has no such method."""
    ask = getattr(model, method, None)
    return None if ask is None else np.asarray(ask(X))
