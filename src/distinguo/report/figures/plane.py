"""Classes in a plane: ellipses and rows, and the regions of a model's decisions."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup

from distinguo.report.class_plane import ClassPlane, Ellipse, Regions
from distinguo.report.figures.contours import filled
from distinguo.report.figures.frame import WIDTH, Frame
from distinguo.report.figures.svg import color, element, mark, path, picture, short

# Squared radii of ellipses that hold 50 % and 95 % of a Gaussian in two dimensions: -2 log(1 - share).
INNER, OUTER = -2 * math.log(0.5), -2 * math.log(0.05)
# Where one class is nine times as likely as any other, it has 90 % of the two.
SURE = math.log(9)
TALL = 330.0
# More rings than these would hide the rows.
MANY_RINGS = 40


def ellipse_picture(plane: ClassPlane) -> Markup:
    """Rows with the ellipses of their classes."""
    frame = _frame(plane)
    parts = [*frame.axes(*plane.axes), *_points(plane, frame)]
    for ellipse in plane.ellipses:
        parts += _ellipse(ellipse, frame)
    return picture(frame.width, frame.height, f"classes in the plane of {plane.axes[0]} and {plane.axes[1]}", parts)


def region_picture(plane: ClassPlane, regions: Regions) -> Markup:
    """Which class is said where, stronger where the model is sure; and the rows."""
    frame = _frame(plane)
    xs, ys = [frame.x(x) for x in regions.x], [frame.y(y) for y in regions.y]
    parts = []
    for k in range(len(plane.classes)):
        levels = ((0.0, ""), (SURE, " sure")) if regions.has_odds else ((0.0, ""),)
        for level, css in levels:
            outline = filled(xs, ys, regions.margins[k] - level)
            if outline:
                parts.append(element("path", d=outline, class_=f"land{css} {color(k)}"))
    parts += frame.axes(*plane.axes, grid=False)
    parts.append(element("g", *_points(plane, frame), class_="region"))
    return picture(frame.width, frame.height, f"decisions of {regions.model}", parts)


def _frame(plane: ClassPlane) -> Frame:
    """A frame in which both axes have one unit where they should."""
    (left, right), (low, high) = plane.limits
    height = TALL
    if plane.equal:
        height = (WIDTH - 56.0) * (high - low) / (right - left) + 52.0
    return Frame((left, right), (low, high), height)


def _points(plane: ClassPlane, frame: Frame) -> list[Markup]:
    """The rows, a path a class, and rings around those that were mistaken."""
    parts = []
    size = 3.0 if len(plane.points) <= 200 else 2.4
    for k in range(len(plane.classes)):
        outline = "".join(mark(k, frame.x(p.x), frame.y(p.y), size) for p in plane.points if p.of == k)
        if outline:
            parts.append(element("path", d=outline, class_=f"points {color(k)}"))
    rings = "".join(mark(0, frame.x(p.x), frame.y(p.y), size + 2.4) for p in plane.points if p.is_mistaken)
    many = sum(p.is_mistaken for p in plane.points) > MANY_RINGS
    return [*parts, element("path", d=rings, class_="ring pale" if many else "ring")] if rings else parts


def _ellipse(ellipse: Ellipse, frame: Frame) -> list[Markup]:
    """The ellipses of a class, as outlines, for the units of both axes may differ; and its mean."""
    values, vectors = np.linalg.eigh(np.array(ellipse.covariance))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    angles = np.linspace(0, 2 * np.pi, 49)[:-1]
    circle = np.stack([np.cos(angles), np.sin(angles)])
    parts = []
    for squared, css in ((INNER, "inner"), (OUTER, "outer")):
        x, y = np.array(ellipse.mean)[:, None] + np.sqrt(squared) * (root @ circle)
        outline = path(frame.points(x.tolist(), y.tolist()), closed=True)
        parts.append(element("path", d=outline, class_=f"ellipse {css} {color(ellipse.of)}"))
    x0, y0 = frame.x(ellipse.mean[0]), frame.y(ellipse.mean[1])
    cross = f"M{short(x0 - 5)} {short(y0)}h10M{short(x0)} {short(y0 - 5)}v10"
    return [*parts, element("path", d=cross, class_=f"centre {color(ellipse.of)}")]
