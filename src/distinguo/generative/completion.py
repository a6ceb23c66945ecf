"""Moments of rows with missing cells, by EM for Gaussian classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from distinguo.covariance.regularise import Mixing, mixed_covariances
from distinguo.covariance.scale import ColumnScale, column_scale
from distinguo.covariance.shapes import column_names, varying_columns
from distinguo.exceptions import InputError
from distinguo.rows.base import Source
from distinguo.rows.labels import label_text
from distinguo.statistics.diagonal import ColumnMoments, DiagonalMoments, diagonal_of
from distinguo.statistics.holes import CompletedMoments, ExpectedMoments, GaussianParameters
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]

# EM has converged once a step moves no mean by more standard deviations, no covariance by more of their product, ...
MOVE_TOLERANCE = 1e-8
# ... and gains at most this share of the log-likelihood: a variance on its way to zero moves little and gains much.
GAIN_TOLERANCE = 1e-10
MAX_ITERATIONS = 1000
# Keeps the covariance of the E step from being singular: this share of each column's variance, in a row of its own a
# class's row; well below what is judged to vary.
LEAST_VARIANCE = 1e-12
FOURTH_MOMENTS = (
    "shrinkage='ledoit-wolf' needs the fourth moments of rows without missing cells; use 'oas' or a number, or leave "
    "those rows out."
)


@dataclass(frozen=True)
class Completion:
    """How the cells that are missing at fit are completed: by EM, under covariances pooled as the model's are.

    Shrinkage comes after the last step; it has no part in EM.

    Attributes
    ----------
    pooling : fixed for models that have no such option, else None.
    """

    pooling: float | None = None

    def refusal(self, model: Any) -> str | None:
        """Why a model with these options takes no missing cells."""
        shrinkage = model.get_params(deep=False).get("shrinkage")
        return FOURTH_MOMENTS if isinstance(shrinkage, str) and shrinkage == "ledoit-wolf" else None

    def start(self, source: Source) -> DiagonalMoments:
        """What is known of each cell on its own."""
        return source.aggregate(ColumnMoments())

    def complete(self, model: Any, source: Source, start: DiagonalMoments) -> tuple[ClassMoments, int]:
        """The moments that the model asks for, and the steps they took; warns where they have not settled."""
        pooling = model._regularisation().pooling if self.pooling is None else self.pooling
        options = model.get_params(deep=False)
        steps = ExpectationMaximisation(model._spec().kind, pooling, options.get("mixing", "scatter"), options["prior"])
        moments, taken, settled = steps.run(source, start)
        if not settled:
            warnings.warn(
                f"the missing cells did not settle in {taken} steps of EM: too little is there to tell how some "
                "columns go together. More rows or fewer columns help.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return moments, taken


@dataclass(frozen=True)
class ExpectationMaximisation:
    """EM for Gaussian classes with missing cells (Dempster, Laird and Rubin, 1977).

    Attributes
    ----------
    kind : scatter of each class ("full") or summed over the classes ("pooled").
    pooling, mixing : of the covariances under which cells are expected: 1 for one shape, 0 for a shape each.
    prior : pseudo-rows that take part in each M step, or None; they are not in the result.
    """

    kind: Literal["full", "pooled"]
    pooling: float
    mixing: Mixing = "scatter"
    prior: ClassMoments | None = None

    def run(self, source: Source, start: DiagonalMoments) -> tuple[ClassMoments, int, bool]:
        """Expected moments where EM ends, the steps it took, and whether it had converged.

        Parameters
        ----------
        source : the rows; passed over once a step.
        start : what is known of each cell on its own.

        Raises
        ------
        InputError
            If a class has no value at all in a column that varies.
        """
        known = start if self.prior is None else start + diagonal_of(self.prior)
        scale = _scale(known)
        parameters, before = self._maximise(_independent(known), scale), -np.inf
        converged, step = False, 0
        while not converged and step < MAX_ITERATIONS:
            step += 1
            found = source.aggregate(ExpectedMoments(parameters, self.kind))
            moments = _settled(found, scale, known)
            now = self._maximise(moments if self.prior is None else moments + self._pseudo_rows(self.prior), scale)
            converged = _converged(parameters, now, found.log_likelihood - before, found.log_likelihood)
            parameters, before = now, found.log_likelihood
        return moments.in_order(), step, converged

    def _pseudo_rows(self, prior: ClassMoments) -> ClassMoments:
        return prior.pooled() if self.kind == "pooled" else prior

    def _maximise(self, known: ClassMoments, scale: ColumnScale) -> GaussianParameters:
        """The M step: maximum-likelihood means and covariances."""
        mixed = mixed_covariances(known, self.pooling, self.mixing, "mle")
        covariances = mixed[:1].copy() if self.pooling == 1 else mixed
        within = np.diagonal(known.within) / known.weight.sum()
        least = np.where(scale.deciding, scale.floor, LEAST_VARIANCE * within)
        diagonal = np.arange(len(least))
        covariances[:, diagonal, diagonal] += np.where(scale.constant, 1.0, least)
        return GaussianParameters(known.classes, known.mean, covariances)


def _scale(start: DiagonalMoments) -> ColumnScale:
    """The spread of the columns; raises where one overflows, or a class has no value in a column that varies."""
    scale = column_scale(start.seen, start.mean, start.squares)
    if scale.overflowing.any():
        varying_columns(scale, start.feature_names)
    unseen = (start.seen == 0) & ~scale.constant
    if unseen.any():
        k = int(np.flatnonzero(unseen.any(axis=1))[0])
        raise InputError(
            f"class {label_text(start.classes[k])} has no value at all in the columns "
            f"{column_names(start.feature_names, np.flatnonzero(unseen[k]))}. Leave those columns out, or use "
            "GaussianNB, which does so by itself."
        )
    return scale


def _independent(start: DiagonalMoments) -> ClassMoments:
    """Moments of all rows as if columns were independent and what is missing were like what is there."""
    weight = start.weight[:, None]
    squares = start.squares * np.divide(weight, start.seen, out=np.zeros_like(start.seen), where=start.seen > 0)
    scatter = squares[:, :, None] * np.eye(start.n_features)
    return ClassMoments(start.classes, start.feature_names, start.weight, start.mean, scatter)


def _settled(found: CompletedMoments, scale: ColumnScale, start: DiagonalMoments) -> ClassMoments:
    """The moments with constant columns as they are, in every class: they have no part in EM."""
    moments = found.moments
    if not scale.constant.any():
        return moments
    total = start.seen.sum(axis=0)
    centre = np.divide((start.seen * start.mean).sum(axis=0), total, out=np.zeros(len(total)), where=total > 0)
    moments.mean[:, scale.constant] = centre[scale.constant]
    moments.scatter[..., scale.constant, :] = moments.scatter[..., scale.constant] = 0.0
    return moments


def _converged(before: GaussianParameters, now: GaussianParameters, gain: float, log_likelihood: float) -> bool:
    """Whether a step has changed nothing that matters."""
    deviation = np.sqrt(np.diagonal(before.covariances, axis1=1, axis2=2))  # (C, p)
    moved = (np.abs(now.means - before.means) / deviation).max()
    unit = deviation[:, :, None] * deviation[:, None, :]
    changed = (np.abs(now.covariances - before.covariances) / unit).max()
    gained = gain <= GAIN_TOLERANCE * (1 + abs(log_likelihood))
    return bool(gained and max(moved, changed) <= MOVE_TOLERANCE)
