"""The plane of a picture: two columns, or the first two discriminants, and how rows come into it and out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.plots.canvas import finite_limits, shown
from distinguo.plots.subject import Subject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

LONGEST_NAME = 48
# Discriminants are drawn to one scale; a picture flatter or taller than this is hard to read.
FLATTEST = 0.5
TALLEST = 1.15


@dataclass(frozen=True)
class Plane:
    """Rows x go to (x - base) D + origin; points z of the plane come back as base + (z - origin) U, where U D = 1.

    Attributes
    ----------
    base : (p,) a row in the plane.
    origin : (2,) its place there.
    directions : (p, 2), D.
    lifts : (2, p), U.
    names : of the two axes.
    caption : what the picture does not show, and where it is held.
    equal : whether both axes have one unit.
    """

    base: Array
    origin: Array
    directions: Array
    lifts: Array
    names: tuple[str, str]
    caption: str
    equal: bool

    def project(self, X: Array) -> Array:
        """(n, 2) places of rows (n, p)."""
        if self.equal:
            return np.asarray((X - self.base) @ self.directions + self.origin)
        return X[:, self.directions.argmax(axis=0)]  # a hole elsewhere in a row takes nothing from these two cells

    def lift(self, points: Array) -> Array:
        """(m, p) rows at points (m, 2)."""
        return np.asarray(self.base + (points - self.origin) @ self.lifts)

    def limits(self, places: Array, margin: float = 0.06) -> Array:
        """(2, 2) least and greatest value of each axis, around places (n, 2)."""
        limits = np.array([finite_limits(places[:, i], margin) for i in range(2)])
        if self.equal:
            width, height = limits[:, 1] - limits[:, 0]
            missing = np.array([max(height / TALLEST - width, 0.0), max(FLATTEST * width - height, 0.0)])
            limits += 0.5 * missing[:, None] * np.array([-1.0, 1.0])
        return limits

    def shape(self, limits: Array) -> float | None:
        """Height over width of a picture with those limits (2, 2) where both axes have one unit, else None."""
        width, height = limits[:, 1] - limits[:, 0]
        return float(height / width) if self.equal else None

    def frame(self, ax: Axes, limits: Array) -> None:
        """Limits, units, names of axes, and what is held."""
        ax.set_xlim(*map(float, limits[0]))
        ax.set_ylim(*map(float, limits[1]))
        ax.set_aspect("equal" if self.equal else "auto")
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])
        if self.caption:
            ax.set_title(self.caption, loc="left", fontsize="small", color="0.35")


def feature_plane(
    subject: Subject, features: Any, means: Array | None = None, others: Mapping[Any, float] | None = None
) -> Plane:
    """The plane of two columns, the others held at means (p,) or at the values given."""
    i, j = _two_columns(subject, features)
    base = np.zeros(subject.p) if means is None else means.copy()
    held = {} if others is None else _held(subject, others, (i, j))
    for column, value in held.items():
        base[column] = value
    unit = np.eye(subject.p)[:, [i, j]]
    caption = "" if means is None else _held_caption(subject, base, held, (i, j))
    names = shown(subject.names[i], LONGEST_NAME), shown(subject.names[j], LONGEST_NAME)
    return Plane(base, base[[i, j]], unit, unit.T, names, caption, equal=False)


def _two_columns(subject: Subject, features: Any) -> tuple[int, int]:
    if subject.p < 2:
        raise InputError(f"the picture needs two columns, and {subject.name} was fitted on one.")
    if isinstance(features, str) or not isinstance(features, Sequence | np.ndarray):
        raise InputTypeError(f"features={features!r} must be two columns, or 'discriminants'.")
    if len(features) != 2:
        raise InputError(f"features={features!r} must be two columns; {len(features)} came.")
    i, j = (subject.column(feature) for feature in features)
    if i == j:
        raise InputError(f"features={features!r} are one and the same column; give two.")
    return i, j


def _held(subject: Subject, others: Any, used: tuple[int, int]) -> dict[int, float]:
    """The columns that are held at a value given, in order."""
    if not isinstance(others, Mapping):
        raise InputTypeError(f"others={others!r} must be a dictionary from column to value.")
    held = {}
    for feature, value in others.items():
        column = subject.column(feature)
        if column in used:
            raise InputError(f"others holds the column {feature!r}, which is drawn; give the columns that are not.")
        is_number = isinstance(value, int | float | np.integer | np.floating) and np.isfinite(value)
        if not is_number:
            raise InputError(f"others holds {feature!r} at {value!r}; give a finite number.")
        held[column] = float(value)
    return dict(sorted(held.items()))


def _held_caption(subject: Subject, base: Array, held: dict[int, float], used: tuple[int, int]) -> str:
    """At which values the other columns are held."""
    others = [column for column in range(subject.p) if column not in used]
    if len(others) <= 2:
        return ", ".join(f"{shown(subject.names[c])} = {base[c]:.3g}" for c in others)
    given = [f"{shown(subject.names[c])} = {value:.3g}" for c, value in list(held.items())[:2]]
    if len(held) > 2:
        given.append(f"{len(held) - 2} more as given")
    left = len(others) - len(held)
    if left:
        given.append(f"{left} other columns at their means")
    return ", ".join(given)


def discriminant_plane(subject: Subject) -> Plane:
    """The plane of the first two discriminants, through the class means, others being held at theirs.

    Points come back along differences of class means: these are where discriminants point, and of all rows at a
    point the one with nothing that discriminants do not see.
    """
    message = "only linear discriminants, as of models of one shape for all classes, make a plane; give two columns."
    subject.attribute("transform", message)
    scalings = np.asarray(subject.attribute("scalings_", message))
    centres, _ = subject.centres()
    centres = centres[np.isfinite(centres).all(axis=1)]  # a class without rows has none
    base = centres.mean(axis=0)
    origin = subject.transformed(base[None])[0]
    L = len(origin)
    if L < 2:
        raise InputError(f"{subject.name} has one discriminant, for two classes or by n_components; give two columns.")
    directions = scalings[:, :L]
    deviations = centres - base
    lifts = np.linalg.pinv(deviations @ directions) @ deviations
    if not np.allclose(lifts @ directions, np.eye(L), atol=1e-6):
        raise InputError(f"the class means of {subject.name} do not span {L} discriminants; lower n_components.")
    first, second = subject.discriminant_names(2)
    caption = f"{L - 2} further discriminants at their means" if L > 3 else "LD3 at its mean" if L == 3 else ""
    return Plane(base, origin[:2], directions[:, :2], lifts[:2], (first, second), caption, equal=True)
