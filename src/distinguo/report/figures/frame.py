"""Axes: from numbers to places in a picture, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from distinguo.report.figures.svg import element
from distinguo.report.texts import digits, plain

WIDTH = 400.0
LONGEST_NAME = 52


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two others.

    Examples
    --------
    >>> ticks(0, 1), ticks(-3.2, 7.9)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-2.0, 0.0, 2.0, 4.0, 6.0])
    """
    rough = (high - low) / about
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= 0.8 * rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


@dataclass(frozen=True)
class Frame:
    """The area in which a picture is drawn.

    Attributes
    ----------
    x_limits, y_limits : least and greatest number of each axis.
    height, width : of the picture with all around it.
    left, right, top, bottom : what is around the area.
    """

    x_limits: tuple[float, float]
    y_limits: tuple[float, float]
    height: float
    width: float = WIDTH
    left: float = 46.0
    right: float = 10.0
    top: float = 10.0
    bottom: float = 42.0

    def x(self, value: float) -> float:
        """Where a number of the first axis is."""
        low, high = self.x_limits
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Where a number of the second axis is."""
        low, high = self.y_limits
        return self.height - self.bottom - (value - low) / (high - low) * (self.height - self.top - self.bottom)

    def axes(self, x_name: str, y_name: str, *, grid: bool = True) -> list[Markup]:
        """Lines, ticks and names."""
        parts: list[Markup] = []
        bottom, middle = self.height - self.bottom, (self.height - self.bottom + self.top) / 2
        for value in ticks(*self.x_limits):
            x = self.x(value)
            if grid:
                parts.append(element("line", x1=x, x2=x, y1=self.top, y2=bottom, class_="grid"))
            parts.append(element("text", digits(value), x=x, y=bottom + 15, class_="tick middle"))
        for value in ticks(*self.y_limits):
            y = self.y(value)
            if grid:
                parts.append(element("line", x1=self.left, x2=self.width - self.right, y1=y, y2=y, class_="grid"))
            parts.append(element("text", digits(value), x=self.left - 6, y=y + 4, class_="tick end"))
        centre = (self.left + self.width - self.right) / 2
        parts.append(element("text", plain(x_name, LONGEST_NAME), x=centre, y=self.height - 6, class_="axis middle"))
        turned = f"rotate(-90 11 {middle:.1f})"
        name = plain(y_name, LONGEST_NAME - 12)
        parts.append(element("text", name, x=11.0, y=middle, transform=turned, class_="axis middle"))
        return parts

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
        """Where numbers are."""
        return [(self.x(x), self.y(y)) for x, y in zip(xs, ys, strict=True)]
