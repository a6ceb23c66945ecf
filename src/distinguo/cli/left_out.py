"""What a model file knows of rows that the model has not seen: for prediction sets, and for what is novel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from distinguo.catalogue import Entry
from distinguo.evaluation.conformal.calibration import SetCalibration
from distinguo.evaluation.conformal.fitted import calibrate_sets
from distinguo.evaluation.novelty.calibration import NoveltyCalibration, calibrate_novelty
from distinguo.exceptions import InputError


@dataclass(frozen=True)
class LeftOut:
    """How strange rows were to a model that had not seen them.

    Attributes
    ----------
    sets : by the posterior, or score, of their class; None where that is not known.
    novelty : by their density; None where that is not known, or the model has none.
    """

    sets: SetCalibration | None
    novelty: NoveltyCalibration | None


NOTHING_LEFT_OUT = LeftOut(None, None)


def left_out_of(entry: Entry, model: Any, X: Any, labels: Any, by_folds: bool) -> LeftOut:
    """Of the rows that a model was fitted on, each left out where that needs no fit more; else by folds where asked."""
    try:
        if entry.leave_one_out:
            return _calibrated(entry, model, X, labels, "leave-one-out")
    except InputError:  # by options or missing cells, all rows hang together
        pass
    return _calibrated(entry, model, X, labels, "cross") if by_folds else NOTHING_LEFT_OUT


def held_out_of(entry: Entry, model: Any, X: Any, labels: Any) -> LeftOut:
    """Of other rows than a model was fitted on."""
    return _calibrated(entry, model, X, labels, "held-out")


def _calibrated(entry: Entry, model: Any, X: Any, labels: Any, method: str) -> LeftOut:
    sets = calibrate_sets(model, X, labels, method=method)
    return LeftOut(sets, calibrate_novelty(model, X, labels, method=method) if entry.density else None)
