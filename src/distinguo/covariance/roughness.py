"""A covariance plus a penalty on rough coefficients, at every strength from one decomposition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.linalg.lapack import dpstrf
from scipy.optimize import brentq

from distinguo.covariance.factor import Factor, correlation_of
from distinguo.covariance.scale import moment_scale
from distinguo.covariance.shapes import shared_factor
from distinguo.exceptions import InputError
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]
# Eigenvalues of a penalty, or squares of singular values of rows, below this share of the largest are zero.
NULL = 1e-12
# Strengths within this factor of the balanced one leave the sum well enough conditioned to be factorised directly.
BALANCED = 1e6


@dataclass(frozen=True)
class Strength:
    """How strong a penalty is.

    Attributes
    ----------
    gamma : γ in S + γ Ω.
    """

    gamma: float


def without_constant(omega: Array, constant: NDArray[np.bool_]) -> Array:
    """The penalty where coefficients of constant columns, which rows say nothing of, take the values it likes best.

    Parameters
    ----------
    omega : (p, p)
    constant : (p,)

    Returns
    -------
    (q, q) over the columns that vary: the Schur complement.
    """
    if not constant.any():
        return omega
    kept = ~constant
    across = omega[np.ix_(constant, kept)]
    inverse = np.linalg.pinv(omega[np.ix_(constant, constant)], hermitian=True)
    return np.asarray(omega[np.ix_(kept, kept)] - across.T @ inverse @ across)


def smaller_space(deviations: Array, omega: Array) -> tuple[Array, Array]:
    """Rows, and a penalty on them, in hardly more dimensions than rows; fits at a positive strength stay the same.

    What the penalty leaves free is kept whole; of the rest, where the penalty can be made a sphere, the directions in
    which no row deviates have zero coefficients at any strength.

    Parameters
    ----------
    deviations : (n, p) rows less their mean.
    omega : (p, p)

    Returns
    -------
    rows : (n, R)
    omega : (R, R)
    """
    if np.count_nonzero(omega) == np.count_nonzero(np.diagonal(omega)):  # a sphere already, but for units
        values, vectors = np.diagonal(omega), np.eye(len(omega))
    else:
        values, vectors = eigh(omega)
    penalised = values > NULL * max(float(values.max()), 0.0)
    free = deviations @ vectors[:, ~penalised]
    sphere = deviations @ (vectors[:, penalised] / np.sqrt(values[penalised]))
    left, singular, _ = np.linalg.svd(sphere, full_matrices=False)
    kept = singular > np.sqrt(NULL) * singular.max(initial=0.0)
    rows = np.hstack([free, left[:, kept] * singular[kept]])
    roughness = np.concatenate([np.zeros(free.shape[1]), np.ones(int(kept.sum()))])
    return rows, np.diag(roughness)


def _rows_behind(scatter: Array) -> Array:
    """As few rows (r, p) as have this scatter around zero, by a pivoted Cholesky factor."""
    correlation, deviation = correlation_of(scatter)
    factor, pivots, rank, _ = dpstrf(correlation, lower=1, tol=NULL)
    rows = np.empty((rank, len(scatter)))
    rows[:, pivots - 1] = np.tril(factor)[:, :rank].T
    return rows * deviation


@dataclass(frozen=True)
class Penalised:
    r"""Covariances :math:`S + \gamma \Omega` of one S and Ω at every strength γ.

    Attributes
    ----------
    moments : rows whose within-class scatter, over `divisor`, is S.
    divisor : what the scatter is divided by.
    omega : (p, p)
    """

    moments: ClassMoments
    divisor: float
    omega: Array

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """(p,) columns that are the same in every row."""
        return moment_scale(self.moments).constant

    @cached_property
    def varying_omega(self) -> Array:
        """(q, q) the penalty over the columns that vary."""
        return without_constant(self.omega, self.constant)

    @cached_property
    def balance(self) -> float:
        """The strength at which the penalty weighs about as much as the rows, whatever the units."""
        weight, mean = self.moments.weight, self.moments.mean
        centre = weight @ mean / weight.sum()
        squares = np.diagonal(self.moments.within) + weight @ (mean - centre) ** 2
        variance = squares[~self.constant] / weight.sum()
        size = float((np.diagonal(self.varying_omega) / variance).sum())
        return len(variance) / size if size > 0 else 1.0

    def factor(self, gamma: float) -> Factor:
        """The factor (over all p columns) at one strength."""
        if gamma == 0 or self.balance / BALANCED <= gamma <= self.balance * BALANCED:
            return self._direct(gamma)
        return self.at(gamma)

    def _direct(self, gamma: float) -> Factor:
        return shared_factor(self.moments, lambda kept: kept.within / self.divisor + gamma * self.varying_omega)

    @cached_property
    def decomposition(self) -> tuple[Factor, Array, Array]:
        """A factor at the balanced strength c, and its rotation V with roughness j: S + γΩ is 1 + (γ - c) j there."""
        outer = self._direct(self.balance)
        whiten = outer.whiten[~self.constant]
        values, vectors = eigh(whiten.T @ self.varying_omega @ whiten)
        values[values < NULL / self.balance] = 0.0  # rounding, which a great strength would make much of
        return outer, np.minimum(values, 1 / self.balance), vectors

    def variances(self, gamma: float) -> Array:
        """(r,) S + γΩ along the common directions."""
        roughness = self.decomposition[1]
        least = np.finfo(np.float64).eps
        return np.asarray(np.maximum(1 - self.balance * roughness, least) + gamma * roughness)

    def at(self, gamma: float) -> Factor:
        """The factor at one strength, from the decomposition that serves all."""
        outer, _, vectors = self.decomposition
        variances = self.variances(gamma)
        root = np.sqrt(variances)
        return replace(
            outer,
            whiten=outer.whiten @ vectors / root,
            colour=outer.colour @ vectors * root,
            log_det=outer.log_det + float(np.log(variances).sum()),
        )


class EffectiveDegrees:
    r"""Effective degrees of freedom of a strength, :math:`\operatorname{tr} T (T + \gamma \nu \Omega)^{-1}`.

    T is the scatter of the rows around their common mean and ν the divisor of the covariance: the trace of the
    regression of the classes on the columns, the constant not counted.

    Parameters
    ----------
    moments, omega : rows and penalty.
    divisor : ν.
    """

    def __init__(self, moments: ClassMoments, omega: Array, divisor: float) -> None:
        weight, mean = moments.weight, moments.mean
        total = float(weight.sum())
        centre = weight @ mean / total
        between = (weight[:, None] * (mean - centre)).T @ (mean - centre)
        scatter = moments.within + between
        rows = _rows_behind(scatter)
        if len(rows) < len(omega) // 2:
            rows, omega = smaller_space(rows, omega)
            scatter, centre = rows.T @ rows, np.zeros(len(omega))
        one = ClassMoments(moments.classes[:1], None, np.array([total]), centre[None], scatter)
        self.pencil = Penalised(one, divisor, omega)
        self.roughness = self.pencil.decomposition[1]
        self.varies = 1 - self.pencil.balance * self.roughness

    def of(self, gamma: float) -> float:
        """The effective degrees of freedom at a strength."""
        return float((self.varies / np.maximum(self.varies + gamma * self.roughness, np.finfo(np.float64).tiny)).sum())

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The fewest and the most there can be."""
        return float((self.roughness == 0).sum()), float((self.varies > 1e-10).sum())

    def strength(self, df: Any) -> float:
        """The γ of so many effective degrees of freedom.

        Raises
        ------
        InputError
            If there cannot be so many, or so few.
        """
        low, high = self.limits
        is_number = isinstance(df, int | float | np.integer | np.floating) and not isinstance(df, bool)
        if not is_number or not low < df < high:
            raise InputError(
                f"df={df!r} must be a number between {low:g}, which the penalty leaves free, and {high:g}, the "
                "dimensions in which these rows vary."
            )
        middle = np.log(self.pencil.balance)
        ends = middle - 50, min(middle + 50, np.log(np.finfo(np.float64).max))
        if self.of(np.exp(ends[1])) > df:
            return float(np.exp(ends[1]))  # as strong as numbers go: the rest is rounding
        return float(np.exp(brentq(lambda log: self.of(np.exp(log)) - df, *ends, xtol=1e-12)))
