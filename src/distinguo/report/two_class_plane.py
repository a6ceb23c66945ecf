"""A plane for two classes, which have one discriminant only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.plots.plane import Plane

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

NAMES = ("LD1", "main spread within the classes")


def two_class_plane(values: Array, codes: Codes, discriminant: Array) -> Plane:
    r"""The discriminant, and of all directions uncorrelated with it within the classes one of much variance.

    With the covariance W within the classes and directions of :math:`D^\top W D = 1`, points come back along
    :math:`D^\top W`: of all rows at a point the one that is most usual.

    Parameters
    ----------
    values : (n, p) rows; those with missing cells are left out.
    codes : (n,) their classes.
    discriminant : (p,) its direction.

    Raises
    ------
    InputError
        If rows do not vary in two directions within the classes.
    """
    whole = np.isfinite(values).all(axis=1)
    rows, kinds = values[whole], codes[whole]
    if len(rows) < 4:
        raise InputError("a plane needs some rows without missing cells.")
    means = np.array([rows[kinds == k].mean(axis=0) for k in np.unique(kinds)])
    within = rows - means[np.searchsorted(np.unique(kinds), kinds)]
    W = within.T @ within / (len(rows) - len(means))
    first = _unit(discriminant, W)
    deviation = np.sqrt(np.diagonal(W))
    known = deviation > 0
    unit = np.where(known, deviation, 1.0)
    leading = np.linalg.eigh(W / np.outer(unit, unit))[1][:, -1] / unit * known
    second = _unit(leading - first * (first @ W @ leading), W)
    second = second * np.sign(second[np.abs(second * unit).argmax()])
    directions = np.column_stack([first, second])
    base = means.mean(axis=0)
    return Plane(base, np.zeros(2), directions, directions.T @ W, NAMES, _caption(values.shape[1]), equal=True)


def _unit(direction: Array, W: Array) -> Array:
    """The direction with a variance of one."""
    variance = float(direction @ W @ direction)
    if not variance > 0:
        raise InputError("rows do not vary in two directions within the classes.")
    return np.asarray(direction / np.sqrt(variance))


def _caption(p: int) -> str:
    return "" if p == 2 else f"{p - 2} further directions, as is usual at each point"
