"""Moments of rows with missing cells or labels, by EM for Gaussian classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from distinguo.covariance.regularise import Mixing, mixed_covariances
from distinguo.covariance.scale import ColumnScale, column_scale
from distinguo.covariance.shapes import column_names, varying_columns
from distinguo.exceptions import InputError, LeftOutWarning
from distinguo.generative.extrapolation import LEAST_VARIANCE, has_converged, leap_beyond
from distinguo.priors import resolve_priors
from distinguo.rows.base import Source
from distinguo.rows.labels import label_text
from distinguo.statistics.base import total_squares
from distinguo.statistics.diagonal import ColumnMoments, DiagonalMoments, diagonal_of
from distinguo.statistics.holes import CompletedMoments, ExpectedMoments, GaussianParameters
from distinguo.statistics.moments import ClassMoments
from distinguo.statistics.shares import SharedMoments

Array = NDArray[np.float64]
Cells = tuple[Array, Array, Array]
CELLS = ("seen", "mean", "squares")

MAX_STEPS = 150
# Classes that overlap settle slowly where few rows say which is which.
MAX_STEPS_FOR_LABELS = 1000
FOURTH_MOMENTS = (
    "shrinkage='ledoit-wolf' needs the fourth moments of rows without missing cells or labels; use 'oas' or a number, "
    "or leave those rows out."
)


@dataclass(frozen=True)
class Completion:
    """How cells and labels that are missing at fit are completed: by EM, under covariances pooled as the model's are.

    Shrinkage comes after the last step; it has no part in EM.

    Attributes
    ----------
    pooling : fixed for models that have no such option, else None.
    """

    pooling: float | None = None

    def refusal(self, model: Any) -> str | None:
        """Why a model with these options takes no missing cells or labels."""
        shrinkage = vars(model).get("shrinkage")  # at every block of rows, so not by get_params
        return FOURTH_MOMENTS if isinstance(shrinkage, str) and shrinkage == "ledoit-wolf" else None

    def start(self, source: Source) -> DiagonalMoments:
        """What is known of each cell of the rows that have a label."""
        return source.aggregate(ColumnMoments())

    def complete(self, model: Any, source: Source, start: DiagonalMoments) -> tuple[ClassMoments, int]:
        """The moments that the model asks for, and the steps they took; warns where they have not settled."""
        pooling = model._regularisation().pooling if self.pooling is None else self.pooling
        options = model.get_params(deep=False)
        mixing, prior = options.get("mixing", "scatter"), model.prior
        steps = ExpectationMaximisation(model._spec().kind, pooling, mixing, prior, options["priors"])
        self._refuse_flat_classes(model, steps, source, start)
        found = steps.run(source, start)
        if not found.converged:
            what = "cells" if source.unlabeled is None else "labels"
            warnings.warn(
                f"the missing {what} did not settle in {found.steps} steps of EM: too little is there to tell how some "
                "columns go together. More rows or fewer columns help.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return found.moments, found.steps

    def _refuse_flat_classes(
        self, model: Any, steps: ExpectationMaximisation, source: Source, start: DiagonalMoments
    ) -> None:
        """Have the model say so now if a class is singular in a column already: EM is of no help there.

        Rows without a label may yet widen a class.
        """
        rest = _unlabelled(source)
        _scale(start if steps.prior is None else start + diagonal_of(steps.prior), rest)
        if rest is not None:
            return
        moments = independent(start, None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)  # the fit warns once it is done
            model._describe_statistic(moments.pooled() if steps.kind == "pooled" else moments, None)


@dataclass(frozen=True)
class Completed:
    """Where EM ended.

    Attributes
    ----------
    moments : expected moments.
    parameters : the Gaussians that they make, prior knowledge and what keeps covariances from being singular included.
    log_likelihoods : of the cells that are there, after each step that was kept; they never fall where the pooling is
        0 or 1.
    steps : passes over the rows, leaps that were taken back included.
    converged : whether the last step changed nothing that matters.
    """

    moments: ClassMoments
    parameters: GaussianParameters
    log_likelihoods: tuple[float, ...]
    steps: int
    converged: bool


@dataclass(frozen=True, eq=False)
class Ground:
    """What stays the same while EM climbs.

    Attributes
    ----------
    source : the rows, those without a label too.
    cells : weights, means and squares (K, p) of what is there.
    scale : the spread of the columns.
    seen : how many cells of rows with a label are there.
    """

    source: Source
    cells: Cells
    scale: ColumnScale
    seen: float


@dataclass(frozen=True)
class ExpectationMaximisation:
    """EM for Gaussian classes with missing cells or labels (Dempster, Laird and Rubin, 1977).

    Attributes
    ----------
    kind : scatter of each class ("full") or summed over the classes ("pooled").
    pooling, mixing : of the covariances under which cells are expected: 1 for one shape, 0 for a shape each.
    prior : pseudo-rows that take part in each M step, or None; they are not in the result.
    priors : of the classes, for rows without a label; None for the shares of the rows, which EM finds.
    """

    kind: Literal["full", "pooled"]
    pooling: float
    mixing: Mixing = "scatter"
    prior: ClassMoments | None = None
    priors: Any = None

    def run(self, source: Source, start: DiagonalMoments) -> Completed:
        """Go uphill until nothing moves.

        Beside rows without a label the likelihood has several tops. Where classes have shapes of their own, the way
        begins twice, without knowing anything and from where it leads with one shape, and the higher top is taken.

        Parameters
        ----------
        source : the rows, those without a label too; passed over once a step.
        start : what is known of each cell of the rows that have one.

        Raises
        ------
        InputError
            If a class has no value at all in a column that varies.
        """
        known = start if self.prior is None else start + diagonal_of(self.prior)
        rest = _unlabelled(source)
        ground = Ground(source, _stacked(known, rest), _scale(known, rest), float(known.seen.sum()))
        begin = independent(known, rest)
        found = self._climb(ground, self._maximise(begin, ground.scale))
        if rest is None or self.pooling == 1:
            return found
        one_shape = replace(self, pooling=1.0)
        there = one_shape._climb(ground, one_shape._maximise(begin, ground.scale)).parameters
        shapes = np.repeat(there.covariances, len(there.classes), axis=0)
        other = self._climb(ground, replace(there, covariances=shapes))
        return max(found, other, key=lambda one: one.log_likelihoods[-1])

    def _climb(self, ground: Ground, here: GaussianParameters) -> Completed:
        """Go uphill from here.

        Two steps in a row show how fast they shrink; a leap goes where they lead to, and is taken back if it is no
        higher there than where it began.
        """
        path, leap = [here], None
        trace: list[float] = []
        converged, step = False, 0
        most = MAX_STEPS if ground.source.unlabeled is None else MAX_STEPS_FOR_LABELS
        while not converged and step < most:
            step += 1
            found = self._expect(ground.source, here)
            if leap is not None and not found.log_likelihood >= trace[-1] - leap.rounding * ground.seen:
                here, path, leap = leap.back, [leap.back], None
                continue
            moments = _settled(found, ground)
            known = moments if self.prior is None else moments + self._pseudo_rows(self.prior)
            now = self._maximise(known, ground.scale)
            gain = found.log_likelihood - (trace[-1] if trace else -np.inf)
            converged = has_converged(here, now, gain / (1 + abs(found.log_likelihood)))
            trace.append(found.log_likelihood)
            path.append(now)
            leap = leap_beyond(*path) if len(path) == 3 else None
            here, path = (now, path) if len(path) < 3 else (now, [now]) if leap is None else (leap.to, [leap.to])
        return Completed(moments.in_order(), now, tuple(trace), step, converged)

    def _expect(self, source: Source, here: GaussianParameters) -> CompletedMoments:
        """The E step: rows with a label count in their class, the others in each by their posterior."""
        found = source.aggregate(ExpectedMoments(here, self.kind))
        if source.unlabeled is None:
            return found
        there = here.share > 0
        labels = float(found.weight[there] @ np.log(here.share[there]))
        both = found + source.unlabeled.aggregate(SharedMoments(here, self.kind))
        return replace(both, log_likelihood=both.log_likelihood + labels)

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
        share = resolve_priors(self.priors, known.classes, known.weight)
        return GaussianParameters(known.classes, known.mean, covariances, share)


def _unlabelled(source: Source) -> DiagonalMoments | None:
    """What is known of each cell of the rows without a label."""
    return None if source.unlabeled is None else source.unlabeled.aggregate(ColumnMoments())


def _stacked(start: DiagonalMoments, rest: DiagonalMoments | None) -> Cells:
    """Weights, means and squares (K, p) of all cells; those of rows without a label are as of one more class."""
    parts = [start] if rest is None else [start, rest]
    seen, mean, squares = (np.concatenate([getattr(part, name) for part in parts]) for name in CELLS)
    return seen, mean, squares


def _scale(start: DiagonalMoments, rest: DiagonalMoments | None) -> ColumnScale:
    """The spread of the columns; raises where one overflows, or a class has no value in one that varies."""
    scale = column_scale(*_stacked(start, rest))
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


def independent(start: DiagonalMoments, rest: DiagonalMoments | None) -> ClassMoments:
    """Moments of the rows with labels as if columns were independent and what is missing were like what is there.

    Beside rows without a label, classes begin as wide as all rows together: a few rows with labels say less of how
    wide a class is, or nothing where there is but one, and what begins too narrow shuts others' rows out.
    """
    weight = start.weight[:, None]
    seen, squares = start.seen, start.squares
    if rest is not None:
        cells = _stacked(start, rest)
        seen, squares = cells[0].sum(axis=0), total_squares(*cells)[1]
    squares = squares * np.divide(weight, seen, out=np.zeros_like(start.seen), where=seen > 0)
    scatter = squares[:, :, None] * np.eye(start.n_features)
    return ClassMoments(start.classes, start.feature_names, start.weight, start.mean, scatter)


def _settled(found: CompletedMoments, ground: Ground) -> ClassMoments:
    """The moments with constant columns as they are, in every class: they have no part in EM."""
    moments, constant = found.moments, ground.scale.constant
    if not constant.any():
        return moments
    centre, _ = total_squares(*ground.cells)
    moments.mean[:, constant] = centre[constant]
    moments.scatter[..., constant, :] = moments.scatter[..., constant] = 0.0
    return moments
