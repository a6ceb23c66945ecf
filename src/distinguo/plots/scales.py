"""How coefficients are shown: as log odds, or as ratios of odds on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.plots.estimates import Estimates
from distinguo.plots.subject import Subject

Array = NDArray[np.float64]

# Greater log odds have ratios that are no numbers, with room to spare for the margins.
LARGEST = 500.0


@dataclass(frozen=True)
class Scale:
    """How log odds are shown.

    Attributes
    ----------
    shown : from log odds to what the axis has.
    axis : its kind, as matplotlib calls it.
    name : of the axis.
    """

    shown: Callable[[Array], Array]
    axis: str
    name: str


def scale_of(subject: Subject, name: Any, found: Estimates) -> Scale:
    """How coefficients are shown; scores of models without probabilities are no log odds."""
    if not isinstance(name, str) or name not in _SCALES:
        raise InputError(f"scale={name!r} is one of {sorted(_SCALES)}.")
    if getattr(subject.model, "predict_proba", None) is None:
        if name != "log odds":
            raise InputError(f"{subject.name} has no probabilities, and its scores are no log odds; leave scale be.")
        return Scale(np.asarray, "linear", "score")
    numbers = np.concatenate([part[np.isfinite(part)] for part in (found.estimate, found.low, found.high)])
    if name == "odds ratio" and np.abs(numbers).max(initial=0.0) > LARGEST:
        raise InputError("odds ratios per unit are too large to be drawn; give X for standard deviations, or log odds.")
    return _SCALES[name]


_SCALES = {
    "log odds": Scale(np.asarray, "linear", "log odds ratio"),
    "odds ratio": Scale(np.exp, "log", "odds ratio"),
}
