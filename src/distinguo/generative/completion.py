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
from distinguo.exceptions import InputError, LeftOutWarning
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
MAX_STEPS = 150
# Keeps the covariance of the E step from being singular: this share of each column's variance, in a row of its own a
# class's row; well below what is judged to vary.
LEAST_VARIANCE = 1e-11
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
        shrinkage = vars(model).get("shrinkage")  # at every block of rows, so not by get_params
        return FOURTH_MOMENTS if isinstance(shrinkage, str) and shrinkage == "ledoit-wolf" else None

    def start(self, source: Source) -> DiagonalMoments:
        """What is known of each cell on its own."""
        return source.aggregate(ColumnMoments())

    def complete(self, model: Any, source: Source, start: DiagonalMoments) -> tuple[ClassMoments, int]:
        """The moments that the model asks for, and the steps they took; warns where they have not settled."""
        pooling = model._regularisation().pooling if self.pooling is None else self.pooling
        options = model.get_params(deep=False)
        steps = ExpectationMaximisation(model._spec().kind, pooling, options.get("mixing", "scatter"), options["prior"])
        self._refuse_flat_classes(model, steps, start)
        found = steps.run(source, start)
        if not found.converged:
            warnings.warn(
                f"the missing cells did not settle in {found.steps} steps of EM: too little is there to tell how some "
                "columns go together. More rows or fewer columns help.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return found.moments, found.steps

    def _refuse_flat_classes(self, model: Any, steps: ExpectationMaximisation, start: DiagonalMoments) -> None:
        """Have the model say so now if a class is singular in a column already: EM is of no help there."""
        _scale(start if steps.prior is None else start + diagonal_of(steps.prior))
        moments = independent(start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)  # the fit warns once it is done
            model._describe_statistic(moments.pooled() if steps.kind == "pooled" else moments, None)


@dataclass(frozen=True)
class Completed:
    """Where EM ended.

    Attributes
    ----------
    moments : expected moments.
    log_likelihoods : of the cells that are there, after each step that was kept; they never fall where the pooling is
        0 or 1.
    steps : passes over the rows, leaps that were taken back included.
    converged : whether the last step changed nothing that matters.
    """

    moments: ClassMoments
    log_likelihoods: tuple[float, ...]
    steps: int
    converged: bool


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

    def run(self, source: Source, start: DiagonalMoments) -> Completed:
        """Go uphill until nothing moves.

        Two steps in a row show how fast they shrink; a leap goes where they lead to, and is taken back if it is no
        higher there than where it began.

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
        here = self._maximise(independent(known), scale)
        path, leap = [here], None
        trace: list[float] = []
        converged, step = False, 0
        while not converged and step < MAX_STEPS:
            step += 1
            found = source.aggregate(ExpectedMoments(here, self.kind))
            if leap is not None and not found.log_likelihood >= trace[-1] - leap.rounding * float(known.seen.sum()):
                here, path, leap = leap.back, [leap.back], None
                continue
            moments = _settled(found, scale, known)
            now = self._maximise(moments if self.prior is None else moments + self._pseudo_rows(self.prior), scale)
            gain = found.log_likelihood - (trace[-1] if trace else -np.inf)
            converged = _converged(here, now, gain / (1 + abs(found.log_likelihood)))
            trace.append(found.log_likelihood)
            path.append(now)
            leap = _leap(*path) if len(path) == 3 else None
            here, path = (now, path) if len(path) < 3 else (now, [now]) if leap is None else (leap.to, [leap.to])
        return Completed(moments.in_order(), tuple(trace), step, converged)

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
    """The spread of the columns; raises where one overflows, or a class has no value in one that varies."""
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


def independent(start: DiagonalMoments) -> ClassMoments:
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


def _converged(before: GaussianParameters, now: GaussianParameters, gain: float) -> bool:
    """Whether a step has changed nothing that matters; the gain is a share of the log-likelihood."""
    means, covariances = _moved(before, now, before)
    still = max(np.abs(means).max(), np.abs(covariances).max()) <= MOVE_TOLERANCE
    return bool(still and gain <= GAIN_TOLERANCE)


def _moved(a: GaussianParameters, b: GaussianParameters, units: GaussianParameters) -> tuple[Array, Array]:
    """From a to b, in standard deviations of `units`: means (K, p) and covariances (C, p, p)."""
    deviation = np.sqrt(np.diagonal(units.covariances, axis1=1, axis2=2))  # (C, p)
    unit = deviation[:, :, None] * deviation[:, None, :]
    return (b.means - a.means) / deviation, (b.covariances - a.covariances) / unit


@dataclass(frozen=True, eq=False)
class Leap:
    """A step beyond the next one.

    Attributes
    ----------
    to, back : where it goes, and where to go on if that is no higher.
    rounding : what may be wrong in the log-likelihood there, for each cell.
    """

    to: GaussianParameters
    back: GaussianParameters
    rounding: float


def _leap(a: GaussianParameters, b: GaussianParameters, c: GaussianParameters) -> Leap | None:
    """Where the steps from a to b and from b to c lead to, or None if that is no further.

    The squared extrapolation of Varadhan and Roland (2008), Scandinavian Journal of Statistics 35, section 3.
    """
    first, second = _moved(a, b, a), _moved(b, c, a)
    step = np.sqrt(sum(float((one**2).sum()) for one in first))
    turn = np.sqrt(sum(float(((two - one) ** 2).sum()) for one, two in zip(first, second, strict=True)))
    if not step > turn > 0:
        return None
    far = step / turn
    means, covariances = (
        x + 2 * far * (y - x) + far**2 * (z - 2 * y + x)
        for x, y, z in ((a.means, b.means, c.means), (a.covariances, b.covariances, c.covariances))
    )
    diagonal = np.diagonal(covariances, axis1=1, axis2=2)
    if not (diagonal > 0).all():
        return None
    unit = np.sqrt(diagonal[:, :, None]) * np.sqrt(diagonal[:, None, :])
    values, vectors = np.linalg.eigh(covariances / unit)
    if values.min() < LEAST_VARIANCE:
        values = np.maximum(values, LEAST_VARIANCE)
        covariances = (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1) * unit
    return Leap(GaussianParameters(a.classes, means, covariances), c, float(np.finfo(np.float64).eps / values.min()))
