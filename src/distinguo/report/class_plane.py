"""Classes in a plane: their ellipses, some of their rows, and which class a model gives to each point."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import DistinguoError
from distinguo.plots.ellipses import covariances_of
from distinguo.plots.plane import Plane, discriminant_plane
from distinguo.plots.subject import Subject
from distinguo.plots.surface import survey
from distinguo.report.held import Said, commonest
from distinguo.report.texts import finite, plain
from distinguo.report.two_class_plane import two_class_plane
from distinguo.rows.selection import take_rows

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

MOST_CLASSES = 10
MOST_POINTS = 500
RESOLUTION = 72


@dataclass(frozen=True)
class Ellipse:
    """A class, or one of its subclasses, in the plane: place in `ClassPlane.classes`, mean and covariance."""

    of: int
    mean: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Point:
    """A row in the plane; `is_mistaken` when it was held out."""

    row: int
    of: int
    x: float
    y: float
    is_mistaken: bool


@dataclass(frozen=True, eq=False)
class Regions:
    """Which class a model gives to each point of a grid.

    Attributes
    ----------
    model : whose answers these are.
    x, y : (r,) the points of the grid.
    codes : (r, r) places in `ClassPlane.classes`, the first axis along y.
    margins : (K, r, r) a class's score less the best of the others.
    has_odds : whether scores are log-probabilities.
    """

    model: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    codes: tuple[tuple[int, ...], ...]
    margins: Array = field(repr=False)
    has_odds: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The grid as JSON has it."""
        return {"model": self.model, "x": list(self.x), "y": list(self.y), "codes": [list(row) for row in self.codes]}


@dataclass(frozen=True, eq=False)
class ClassPlane:
    """A plane with the classes in it.

    Attributes
    ----------
    axes : names of its axes.
    caption : what it does not show.
    model : whose classes the ellipses are.
    equal : whether both axes have one unit.
    limits : least and greatest number of each axis.
    classes : the commonest; `classes_cut` more are not drawn.
    ellipses, points : of these classes.
    regions : of the chosen model, or None.
    """

    axes: tuple[str, str]
    caption: str
    model: str
    equal: bool
    limits: tuple[tuple[float, float], tuple[float, float]]
    classes: tuple[str, ...]
    classes_cut: int
    ellipses: tuple[Ellipse, ...]
    points: tuple[Point, ...]
    regions: Regions | None

    def to_dict(self) -> dict[str, Any]:
        """All that is drawn, as JSON has it."""
        plain_parts = ("axes", "caption", "model", "equal", "limits", "classes", "classes_cut")
        return {
            **{name: getattr(self, name) for name in plain_parts},
            "ellipses": [asdict(ellipse) for ellipse in self.ellipses],
            "points": [asdict(point) for point in self.points],
            "regions": None if self.regions is None else self.regions.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Pictured:
    """Who is in the picture: a model of Gaussian classes with its title, and one whose decisions are shown with its."""

    gaussian: Any
    gaussian_title: str
    decider: Any
    decider_title: str


def class_plane_of(pictured: Pictured, X: Any, said: Said, numbers: Codes) -> ClassPlane | None:
    """The plane; None where there is none, as of a single column.

    Parameters
    ----------
    pictured : the models.
    X : (n, p) rows of numbers, as both models take them.
    said : what the chosen model said of the rows.
    numbers : (n,) where rows stand in the table.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _drawn(pictured, X, said, numbers)
        except (DistinguoError, ValueError, ArithmeticError):  # a picture less, and the page goes on
            return None


def _drawn(pictured: Pictured, X: Any, said: Said, numbers: Codes) -> ClassPlane | None:
    subject = Subject(pictured.gaussian)
    if subject.p < 2:
        return None
    shown = sorted(commonest(said.codes, len(said.names), MOST_CLASSES))
    rows = _some(said, shown)
    values = subject.rows(take_rows(X, said.rows[rows]))
    plane = _plane(subject, values, said.codes[rows], len(said.names))
    places = plane.project(values)
    ellipses = _ellipses(subject, plane, shown)
    limits = _limits(plane, places, ellipses)
    points = tuple(
        Point(int(numbers[said.rows[i]]), shown.index(k), float(x), float(y), bool(said.predicted[i] != k))
        for i, k, (x, y) in zip(rows.tolist(), said.codes[rows].tolist(), places.tolist(), strict=True)
        if np.isfinite([x, y]).all()
    )
    return ClassPlane(
        axes=(plain(plane.names[0].replace(r"\$", "$")), plain(plane.names[1].replace(r"\$", "$"))),
        caption=plain(plane.caption.replace(r"\$", "$"), 200) if plane.caption else "",
        model=pictured.gaussian_title,
        equal=plane.equal,
        limits=(tuple(limits[0].tolist()), tuple(limits[1].tolist())),
        classes=tuple(said.names[k] for k in shown),
        classes_cut=len(said.names) - len(shown),
        ellipses=ellipses,
        points=points,
        regions=_regions(pictured, plane, limits) if len(shown) == len(said.names) else None,
    )


def _some(said: Said, shown: list[int]) -> Codes:
    """Some rows of the classes shown, spread evenly over the table."""
    among = np.flatnonzero(np.isin(said.codes, shown))
    return among[np.linspace(0, len(among) - 1, min(len(among), MOST_POINTS)).astype(np.intp)]


def _plane(subject: Subject, values: Array, codes: Codes, K: int) -> Plane:
    """The first two discriminants; with one, that and the main direction within the classes."""
    if K > 2:
        try:
            return discriminant_plane(subject)
        except DistinguoError:
            pass
    return two_class_plane(values, codes, np.asarray(subject.model.scalings_)[:, 0])


def _ellipses(subject: Subject, plane: Plane, shown: list[int]) -> tuple[Ellipse, ...]:
    centres, owners = subject.centres()
    covariances = plane.directions.T @ covariances_of(subject, len(centres)) @ plane.directions
    means = plane.project(centres)
    return tuple(
        Ellipse(shown.index(k), tuple(means[r].tolist()), _pairs(covariances[r]))
        for r, k in enumerate(owners.tolist())
        if k in shown and np.isfinite(means[r]).all()
    )


def _pairs(matrix: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    (a, b), (c, d) = matrix.tolist()
    return (a, b), (c, d)


def _limits(plane: Plane, places: Array, ellipses: tuple[Ellipse, ...]) -> Array:
    """(2, 2) around the rows and the ellipses of 95 %."""
    means = np.array([ellipse.mean for ellipse in ellipses])
    reach = 2.45 * np.sqrt(np.array([np.diagonal(ellipse.covariance) for ellipse in ellipses]))
    return plane.limits(np.concatenate([places, means - reach, means + reach]), margin=0.03)


def _regions(pictured: Pictured, plane: Plane, limits: Array) -> Regions | None:
    subject = Subject(pictured.decider)
    surface = survey(subject, plane, limits, RESOLUTION)
    return Regions(
        pictured.decider_title,
        tuple(surface.x.tolist()),
        tuple(surface.y.tolist()),
        tuple(map(tuple, surface.codes.tolist())),
        surface.margins,
        finite(float(surface.margins.max())) is not None and surface.certainty is not None,
    )
