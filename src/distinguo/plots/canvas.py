"""Where matplotlib is met: imported when a picture is drawn, and made to show any label as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import label_list

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend

Array = NDArray[np.float64]
Color = tuple[float, float, float]

# Okabe and Ito's colours first, then three of Tol's that stay apart from them under any of the common colour
# blindnesses; shapes of points tell classes apart as well.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#661100", "#999933", "#332288", "#777777")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
INK = "#222222"
LONGEST_LABEL = 28


@dataclass(frozen=True)
class Style:
    """How a class is shown.

    Attributes
    ----------
    color : of areas and points.
    dark : of lines and edges on an area of that colour.
    marker : of points.
    """

    color: Color
    dark: Color
    marker: str


def styles(K: int) -> list[Style]:
    """The looks of K classes; beyond ten, colours come again with other shapes."""
    from matplotlib.colors import to_rgb

    found = []
    for k in range(K):
        red, green, blue = to_rgb(COLORS[k % len(COLORS)])
        dark = (0.62 * red, 0.62 * green, 0.62 * blue)
        found.append(Style((red, green, blue), dark, MARKERS[(k + k // len(COLORS)) % len(MARKERS)]))
    return found


def tint(color: Color, strength: float) -> Color:
    """A colour on white paper, at a strength from 0 to 1."""
    red, green, blue = (1 - strength * (1 - part) for part in color)
    return red, green, blue


def shown(text: object, longest: int = LONGEST_LABEL) -> str:
    r"""A label in one line, as matplotlib shows it: dollars stay dollars, and a long middle gives way.

    Examples
    --------
    >>> print(shown("price in $ or $US"), shown("a" * 30 + "z", 9))
    price in \$ or \$US aaaa…aaaz
    """
    line = " ".join(str(text).split()) or repr(text)
    if len(line) > longest:
        half = (longest - 1) // 2
        line = f"{line[:half]}…{line[-half:]}"
    return line.replace("$", r"\$")


def class_texts(classes: NDArray[Any]) -> list[str]:
    """Classes as legends show them; where two would look the same, as Python writes them.

    Examples
    --------
    >>> class_texts(np.array([1, "1"], dtype=object))
    ['1', "'1'"]
    """
    labels = label_list(classes)
    texts = [shown(label) for label in labels]
    if len(set(texts)) == len(texts):
        return texts
    return [shown(repr(label), 80) for label in labels]


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise ImportError("plots need matplotlib: pip install 'distinguo[plots]'") from None
    return plt


def drawing_area(ax: Axes | None, shape: float | None = None, height: float = 4.2) -> Axes:
    """The axes given, or new ones in a figure 6 inches wide that makes room for what stands around them.

    With a shape, the height over the width of axes whose units are equal, the figure is as high as these need.
    """
    plt = pyplot()
    if ax is None:
        size, layout = ((6.0, height), "constrained") if shape is None else ((6.0, 4.1 * shape + 0.8), "compressed")
        axes: Axes = plt.subplots(figsize=size, layout=layout)[1]
        return axes
    _check_axes(ax)
    return ax


def panels(
    ax: Axes | None,
    rows: int,
    columns: int,
    size: tuple[float, float],
    heights: Sequence[float] | None = None,
    **shared: Any,
) -> NDArray[Any]:
    """A grid (rows, columns) of axes: in a new figure, or in the place of the axes given; heights are relative."""
    plt = pyplot()
    if ax is None:
        shape = {"figsize": size, "height_ratios": heights, "layout": "constrained"}
        return np.asarray(plt.subplots(rows, columns, squeeze=False, **shape, **shared)[1])
    _check_axes(ax)
    place = ax.get_subplotspec()
    if place is None:
        raise InputError("ax stands free in its figure, and cannot be divided; give axes of plt.subplots.")
    ax.set_axis_off()
    grid = place.subgridspec(rows, columns, height_ratios=heights)
    return np.asarray(grid.subplots(squeeze=False, **shared))


def _check_axes(ax: object) -> None:
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputTypeError(f"ax must be matplotlib axes; it is {type(ax).__name__}.")


def legend_beside(ax: Axes, handles: Sequence[Artist], texts: Sequence[str], title: str | None = None) -> Legend:
    """A legend to the right of the axes, where it hides no data."""
    legend = ax.legend(
        handles,
        [" "] * len(texts),
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize="medium",
        alignment="left",
    )
    # Written afterwards, for a legend leaves out, or warns of, labels that begin with an underscore.
    for place, text in zip(legend.get_texts(), texts, strict=True):
        place.set_text(text)
    return legend


def tidy(ax: Axes) -> None:
    """Only the two axis lines that carry numbers."""
    ax.spines[["top", "right"]].set_visible(False)


def plain_numbers(axis: Axis) -> None:
    """Numbers such as 0.5, 1 and 2 on a logarithmic axis, drawn already, where it has few powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = sorted(axis.get_view_interval())
    if axis.get_scale() == "log" and high < 1e3 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def point_size(ax: Axes, n: int) -> float:
    """The area of a point, in square typographic points, for n rows in axes of that size."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    return float(np.clip(6000 / max(n, 1), 8, 26) * np.clip(inches / 4, 0.35, 1.5))


def finite_limits(values: Array, margin: float) -> tuple[float, float]:
    """From the least to the greatest finite value, and a share of that more on both sides."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise InputError("nothing can be drawn: a column has no value in any row.")
    low, high = float(finite.min()), float(finite.max())
    room = margin * (high - low) or 0.5 * abs(low) or 1.0
    return low - room, high + room
