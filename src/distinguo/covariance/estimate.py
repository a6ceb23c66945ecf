"""Divisors and shrinkage: which matrix stands for a scatter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.factor import correlation_of
from distinguo.exceptions import InputError, SingularCovarianceError
from distinguo.options import share_of

Array = NDArray[np.float64]
Divisor = Literal["unbiased", "mle"]


def divide(scatter: Array, weight: float, groups: int, divisor: Divisor, what: str) -> Array:
    """Scatter over its divisor: rows less groups, or rows.

    Raises
    ------
    SingularCovarianceError
        If there are too few rows for the unbiased divisor.
    """
    if divisor == "mle":
        return scatter / weight
    if divisor != "unbiased":
        raise InputError(f"divisor={divisor!r} is not known; use 'unbiased' or 'mle'.")
    degrees = weight - groups
    if degrees <= 1e-9 * max(weight, groups):
        raise SingularCovarianceError(
            f"{what} has a total weight of {weight:g}, too small for the unbiased divisor ({weight:g} - {groups}). "
            "Bring more rows, give weights that count rows, or use divisor='mle'."
        )
    return scatter / degrees


@dataclass(frozen=True)
class Sample:
    """A covariance with what shrinkage may ask about the rows behind it.

    Attributes
    ----------
    covariance : (p, p)
    weight : rows.
    maximum : (p, p) covariance with the maximum-likelihood divisor.
    quarts : (p, p) sums of z_i² z_j², or None.
    """

    covariance: Array
    weight: float
    maximum: Array
    quarts: Array | None


def shrink(sample: Sample, shrinkage: Any, target: str | None) -> Array:
    """A covariance (p, p) drawn towards its target.

    A number draws towards (tr Σ / p) I, or the diagonal with target="diagonal"; "oas" and "ledoit-wolf" choose
    the number themselves, on the correlation scale, so that units do not matter.

    Raises
    ------
    InputError
        If the shrinkage or the target is not known, out of range, or cannot act.
    """
    if shrinkage is None:
        if target is not None:
            raise InputError(f"target={target!r} cannot act without shrinkage; give shrinkage too.")
        return sample.covariance
    if isinstance(shrinkage, str):
        return _shrink_automatically(sample, shrinkage, target)
    amount = share_of(shrinkage, "shrinkage", "None, 'cv', 'oas' or 'ledoit-wolf'")
    if target not in (None, "identity", "diagonal"):
        raise InputError(f"target={target!r} is not known; use 'identity' or 'diagonal'.")
    diagonal = np.diagonal(sample.covariance)
    aim = diagonal if target == "diagonal" else np.full(len(diagonal), diagonal.mean())
    return _towards(sample.covariance, amount, aim)


def _towards(covariance: Array, amount: float, aim: Array) -> Array:
    """A share of the diagonal `aim`, the rest of the covariance."""
    shrunk = (1 - amount) * covariance
    shrunk[np.diag_indices_from(shrunk)] += amount * aim
    return shrunk


def _shrink_automatically(sample: Sample, rule: str, target: str | None) -> Array:
    """Towards the diagonal, by an amount read off the correlation matrix."""
    intensity = SHRINKAGE_RULES.get(rule)
    if intensity is None:
        known = ", ".join(map(repr, SHRINKAGE_RULES))
        raise InputError(f"shrinkage={rule!r} is not known; use None, a number from 0 to 1, or one of {known}.")
    if target not in (None, "diagonal"):
        raise InputError(f"target={target!r} cannot act with shrinkage={rule!r}, which draws towards the diagonal.")
    return _towards(sample.covariance, intensity(sample), np.diagonal(sample.covariance).copy())


def oas_intensity(sample: Sample) -> float:
    """Oracle-approximating shrinkage of the correlation matrix (Chen, Wiesel, Eldar and Hero, 2010, eq. 23).

    Examples
    --------
    >>> oas_intensity(Sample(np.eye(2), 10.0, np.eye(2), None))
    1.0
    """
    correlation, _ = correlation_of(sample.maximum)
    p = len(correlation)
    alpha = float((correlation**2).mean())
    denominator = (sample.weight + 1) * (alpha - 1 / p)
    return 1.0 if denominator <= 0 else min((alpha + 1) / denominator, 1.0)


def ledoit_wolf_intensity(sample: Sample) -> float:
    """Ledoit and Wolf's (2004, section 3.3) shrinkage of the correlation matrix, from fourth-moment sums.

    Examples
    --------
    >>> quarts = np.full((2, 2), 10.0)
    >>> ledoit_wolf_intensity(Sample(np.eye(2), 10.0, np.eye(2), quarts))
    1.0
    """
    if sample.quarts is None:
        raise InputError("shrinkage='ledoit-wolf' needs fourth moments, which were not counted; set it before fit.")
    correlation, deviation = correlation_of(sample.maximum)
    variance = np.where(deviation > 0, deviation, 1.0) ** 2
    n, p = sample.weight, len(correlation)
    fourth = float((sample.quarts / variance[:, None] / variance).sum())
    squares = float((correlation**2).sum())
    delta = (squares - p) / p
    beta = (fourth / n - squares) / (p * n)
    return 1.0 if delta <= 0 else min(max(beta, 0.0), delta) / delta


SHRINKAGE_RULES: dict[str, Callable[[Sample], float]] = {"oas": oas_intensity, "ledoit-wolf": ledoit_wolf_intensity}
