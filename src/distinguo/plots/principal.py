"""The plane of the first two principal components of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.plots.plane import Plane
from distinguo.plots.subject import Subject

Array = NDArray[np.float64]

# A second component with less of the variance than this is rounding.
LEAST_SHARE = 1e-12


def standardized_plane(subject: Subject, values: Array) -> Plane:
    """Of columns in standard deviations, so that their units do not matter."""
    return _principal_plane(subject, values, _deviations)


def unscaled_plane(subject: Subject, values: Array) -> Plane:
    """Of columns as they are: those that vary most have the most say."""
    return _principal_plane(subject, values, lambda rows: np.ones(rows.shape[1]))


def _principal_plane(subject: Subject, values: Array, spread: Callable[[Array], Array]) -> Plane:
    """Through the mean of the rows without holes, along the two directions in which they vary most."""
    from sklearn.decomposition import PCA

    if subject.p < 2:
        raise InputError(f"the picture needs two columns, and {subject.name} was fitted on one.")
    whole = values[np.isfinite(values).all(axis=1)]
    if len(whole) < 3:
        raise InputError(f"principal components need three rows without missing cells; X has {len(whole)}.")
    base, unit = whole.mean(axis=0), spread(whole)
    with np.errstate(invalid="ignore"):  # rows that are all the same have shares of nothing
        found = PCA(2, random_state=0).fit((whole - base) / unit)
    shares = found.explained_variance_ratio_
    if not shares[1] > LEAST_SHARE:
        raise InputError("the rows of X vary along one direction at the most, and span no plane; give two columns.")
    names = f"PC1 ({100 * shares[0]:.1f}% of variance)", f"PC2 ({100 * shares[1]:.1f}%)"
    directions = found.components_.T / unit[:, None]
    return Plane(base, np.zeros(2), directions, found.components_ * unit, names, _caption(subject.p), equal=True)


def _deviations(rows: Array) -> Array:
    """(p,) standard deviations; one for columns that do not vary."""
    deviation = rows.std(axis=0)
    magnitude = np.abs(rows).max(axis=0)
    return np.where(deviation > 1e-12 * magnitude, deviation, 1.0)


def _caption(p: int) -> str:
    """What is not shown."""
    return {2: "", 3: "PC3 at its mean"}.get(p, f"{p - 2} further components at their means")
