"""Class covariances drawn towards the pooled one, as in regularised discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.estimate import Divisor, divide
from distinguo.exceptions import InputError
from distinguo.rows.labels import label_text
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]
Mixing = Literal["scatter", "covariance"]


@dataclass(frozen=True)
class Regularisation:
    """How far class covariances are drawn towards the pooled one, and then towards a sphere.

    Attributes
    ----------
    pooling, shrinkage : in [0, 1].
    """

    pooling: float
    shrinkage: float


def mixed_covariances(moments: ClassMoments, pooling: float, mixing: Mixing, divisor: Divisor) -> Array:
    r"""Covariances (K, p, p), each class's own at pooling 0 and the pooled one at 1.

    Friedman (1989) mixes scatters and divisors, so that small classes lean more on the others:
    :math:`((1-\lambda) S_k + \lambda S) / ((1-\lambda) \nu_k + \lambda \nu)`; mixing="covariance", as in R's
    klaR, takes :math:`(1-\lambda) \Sigma_k + \lambda \Sigma`.

    Raises
    ------
    InputError
        If the mixing is not known, or a class has too few rows for its divisor.

    Examples
    --------
    >>> scatter = np.array([[[2.0]], [[8.0]]])
    >>> moments = ClassMoments(np.array(["a", "b"]), None, np.array([2.0, 3.0]), np.zeros((2, 1)), scatter)
    >>> mixed_covariances(moments, 1.0, "scatter", "mle").ravel().tolist()
    [2.0, 2.0]
    """
    if not isinstance(mixing, str) or mixing not in {"scatter", "covariance"}:
        raise InputError(f"mixing={mixing!r} is not known; use 'scatter' or 'covariance'.")
    K, total = len(moments.classes), float(moments.weight.sum())
    pooled = moments.within
    if pooling == 1:
        return np.repeat(divide(pooled, total, K, divisor, "the table")[None], K, axis=0)
    if mixing == "covariance":
        common = divide(pooled, total, K, divisor, "the table") if pooling > 0 else np.zeros_like(pooled)
        own = [_own(moments, k, divisor) for k in range(K)]
        return np.stack([(1 - pooling) * covariance + pooling * common for covariance in own])
    unbiased = divisor == "unbiased"
    degrees = (1 - pooling) * (moments.weight - unbiased) + pooling * (total - K * unbiased)
    mixed = (1 - pooling) * moments.scatter + pooling * pooled
    return np.stack(
        [divide(mixed[k], degrees[k], 0, "mle", "") if degrees[k] > 0 else _own(moments, k, divisor) for k in range(K)]
    )


def _own(moments: ClassMoments, k: int, divisor: Divisor) -> Array:
    """A class's own covariance."""
    return divide(moments.scatter[k], float(moments.weight[k]), 1, divisor, f"class {label_text(moments.classes[k])}")
