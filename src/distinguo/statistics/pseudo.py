"""Prior knowledge as rows that were never seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import encode_labels, label_text
from distinguo.rows.validation import real_numbers
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


def pseudo_rows(
    means: Mapping[Any, ArrayLike],
    covariances: Mapping[Any, ArrayLike] | ArrayLike,
    weights: Mapping[Any, float] | float,
    feature_names: list[str] | None = None,
) -> ClassMoments:
    r"""The statistic of rows that stand for what is known beforehand; pass it as `prior=`.

    Weight :math:`w_k` with mean :math:`m_k` and covariance :math:`C_k` counts as that many rows scattered
    :math:`w_k C_k` around :math:`m_k`; they are added before estimation, and move default priors too.

    Parameters
    ----------
    means : {class: (p,)} in the units of the columns.
    covariances : {class: (p, p) or (p,) variances}, or one for all classes.
    weights : {class: rows}, or one number for all classes.
    feature_names : (p,) or None.

    Returns
    -------
    ClassMoments
        Full moments; models take from them what they need.

    Raises
    ------
    InputError
        If shapes differ, a weight is not positive, or a covariance is not symmetric and positive semi-definite.

    Examples
    --------
    >>> prior = pseudo_rows({"a": [0.0], "b": [4.0]}, [[1.0]], 2.0)
    >>> prior.weight.tolist(), prior.scatter.ravel().tolist()
    ([2.0, 2.0], [2.0, 2.0])
    """
    if not isinstance(means, Mapping) or not means:
        raise InputTypeError("means must be a dictionary from class to its mean (p,).")
    labels = list(means)
    _refuse_unknown(covariances, means, "covariances")
    _refuse_unknown(weights, means, "weights")
    codes, classes = encode_labels(labels)
    ordered = [labels[int(np.flatnonzero(codes == k)[0])] for k in range(len(classes))]
    vectors = [_vector(means[label], label) for label in ordered]
    p = len(vectors[0])
    if any(len(vector) != p for vector in vectors):
        raise InputError(f"the means differ in length: {sorted({len(vector) for vector in vectors})}.")
    mean = np.stack(vectors)
    weight = np.array([_weight(_of(weights, label, "weights"), label) for label in ordered])
    scatter = np.stack(
        [
            w * _matrix(_of(covariances, label, "covariances"), p, label)
            for w, label in zip(weight, ordered, strict=True)
        ]
    )
    names = None if feature_names is None else np.array([str(name) for name in feature_names], dtype=object)
    if names is not None and len(names) != p:
        raise InputError(f"feature_names has {len(names)} names for {p} columns.")
    return ClassMoments(classes, names, weight, mean, scatter)


def _of(values: Any, label: Any, what: str) -> Any:
    """The value for a class, or the one for all."""
    if not isinstance(values, Mapping):
        return values
    if label not in values:
        raise InputError(f"{what} has nothing for class {label_text(label)}.")
    return values[label]


def _refuse_unknown(values: Any, means: Mapping[Any, ArrayLike], what: str) -> None:
    """Raise where a class is named that has no mean."""
    unknown = [label for label in values if label not in means] if isinstance(values, Mapping) else []
    if unknown:
        raise InputError(f"{what} names the class {label_text(unknown[0])}, which has no mean.")


def _vector(values: ArrayLike, label: Any) -> Array:
    vector = real_numbers(values, f"the mean of class {label_text(label)} must be numbers (p,); it is {values!r}.")
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise InputError(
            f"the mean of class {label_text(label)} must be (p,) finite numbers; it has shape {vector.shape}."
        )
    return vector


def _weight(value: Any, label: Any) -> float:
    weight = real_numbers(value, f"the weight of class {label_text(label)} must be a number of rows; it is {value!r}.")
    if weight.ndim or not 0 < weight < np.inf:
        raise InputError(f"the weight of class {label_text(label)} must be a positive number of rows; it is {value!r}.")
    return float(weight)


def _matrix(values: ArrayLike, p: int, label: Any) -> Array:
    """A covariance (p, p), from itself or from variances (p,)."""
    matrix = real_numbers(values, f"the covariance of class {label_text(label)} must be numbers; it is {values!r}.")
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    if matrix.shape != (p, p):
        raise InputError(
            f"the covariance of class {label_text(label)} must be ({p}, {p}); it has shape {matrix.shape}."
        )
    scale = np.abs(matrix).max(initial=0.0)
    if not np.isfinite(scale) or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12 * scale):
        raise InputError(f"the covariance of class {label_text(label)} must be finite and symmetric.")
    if p and np.linalg.eigvalsh(matrix)[0] < -1e-10 * scale:
        raise InputError(f"the covariance of class {label_text(label)} must be positive semi-definite.")
    return matrix
