"""Where a function on a grid is not negative, as the outline of an area."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from distinguo.report.figures.svg import path

Corner = tuple[float, float, float]


def filled(xs: Sequence[float], ys: Sequence[float], values: NDArray[np.float64]) -> str:
    """The area, as one SVG path; between grid points the function is taken for linear along the edges of a cell.

    Parameters
    ----------
    xs, ys : (r,) and (s,) places of the grid in the picture.
    values : (s, r)

    Examples
    --------
    >>> filled([0, 10], [0, 10], np.array([[1.0, -1.0], [1.0, -1.0]]))
    'M0 0L5 0L5 10L0 10Z'
    """
    inside = values >= 0
    corners = inside[:-1, :-1].astype(int) + inside[1:, :-1] + inside[:-1, 1:] + inside[1:, 1:]
    parts = []
    for j, row in enumerate(corners.tolist()):
        for start, end in _runs(row):
            box = [(xs[start], ys[j]), (xs[end], ys[j]), (xs[end], ys[j + 1]), (xs[start], ys[j + 1])]
            parts.append(path(box, closed=True))
        for i, many in enumerate(row):
            if 0 < many < 4:
                cell = [
                    (xs[i + b], ys[j + a], float(values[j + a, i + b])) for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))
                ]
                parts.append(path(_cut(cell), closed=True))
    return "".join(parts)


def _runs(row: list[int]) -> Iterator[tuple[int, int]]:
    """Where cells that are wholly inside begin, and end."""
    start = None
    for i, many in enumerate([*row, 0]):
        if many == 4 and start is None:
            start = i
        elif many != 4 and start is not None:
            yield start, i
            start = None


def _cut(cell: Sequence[Corner]) -> list[tuple[float, float]]:
    """The part of a cell that is inside, by its corners in turn."""
    outline = []
    for (x0, y0, v0), (x1, y1, v1) in zip(cell, [*cell[1:], cell[0]], strict=True):
        if v0 >= 0:
            outline.append((x0, y0))
        if (v0 >= 0) != (v1 >= 0):
            t = v0 / (v0 - v1)
            outline.append((x0 + t * (x1 - x0), y0 + t * (y1 - y0)))
    return outline
