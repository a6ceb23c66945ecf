"""Bars to both sides of zero with their numbers beside them, and arrows for those without end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from distinguo.plots.canvas import INK, Style, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# The width of a letter in inches, and the least share of the axis on either side of the bars.
LETTER, MARGIN = 0.08, 0.04
# Axes are at least so wide, so that what is next to nothing looks like it.
LEAST_SPAN = 0.4
HEIGHT = 0.62
ARROW = "simple,head_width=1.1,head_length=0.9,tail_width=0.6"


def letters_across(ax: Axes) -> int:
    """How many letters have room beside each other in axes, once the names of the bars have theirs."""
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    return max(int(ax.get_window_extent().width / ax.figure.dpi / LETTER), 10)


def limits(values: Array, across: int) -> tuple[float, float]:
    """The ends of an axis that has room for bars (m,) and the numbers beside them."""
    finite = np.append(values[np.isfinite(values)], 0.0)
    low, high = float(finite.min()), float(finite.max())
    if high - low < LEAST_SPAN:
        low, high = min(low, -LEAST_SPAN / 2), max(high, LEAST_SPAN / 2)
    left, right = (_margin(values[side], across) for side in (values < 0, values > 0))
    length = (high - low) / (1 - left - right)
    return low - left * length, high + right * length


def _margin(values: Array, across: int) -> float:
    """The share of the axis for the numbers on one side, and for arrows that go further than all bars."""
    longest = max((len(number_text(value)) for value in values), default=0)
    return min(MARGIN + longest / across + 0.1 * bool(np.isinf(values).any()), 0.35)


def number_text(value: float) -> str:
    """A number with its sign.

    Examples
    --------
    >>> [number_text(value) for value in (61.726, -0.0342, 1e-9, 0.0, -np.inf)]
    ['+61.73', '−0.034', '≈ 0', '0', '−∞']
    """
    size = abs(value)
    if size < 1e-3:
        return "≈ 0" if size else "0"
    text = "∞" if np.isinf(size) else f"{size:.2f}" if size >= 0.1 else f"{size:.2g}"
    return f"{'−' if value < 0 else '+'}{text}"


def signed_bar(ax: Axes, value: float, place: float, look: Style, strength: float, across: int, *, bold: bool) -> Any:
    """A bar from zero, or an arrow where it is infinite, and its number; returns the bar or the annotation."""
    sign = -1.0 if value < 0 else 1.0
    color = tint(look.color, strength)
    end = value
    if np.isfinite(value):
        made = ax.barh(place, value, HEIGHT, color=color, edgecolor=look.dark, lw=0.6 * bool(value), zorder=2)[0]
    else:
        low, high = ax.get_xlim()
        end = (high if value > 0 else low) - sign * (high - low) * (MARGIN + 2 / across)
        arrow = {"arrowstyle": ARROW, "fc": color, "ec": look.dark, "lw": 0.6, "shrinkA": 0, "shrinkB": 0}
        made = ax.annotate("", (end, place), (0.0, place), arrowprops={**arrow, "mutation_scale": 17}, zorder=2)
    ax.annotate(
        number_text(value),
        (end, place),
        (sign * 4, 0),
        textcoords="offset points",
        ha="left" if sign > 0 else "right",
        va="center",
        fontsize="small",
        fontweight="bold" if bold else "normal",
        color=INK,
    )
    return made
