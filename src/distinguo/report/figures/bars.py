"""Small histograms of columns, and those of probabilities that the threshold goes through."""

from __future__ import annotations

import math

from markupsafe import Markup

from distinguo.report.figures.svg import element, picture
from distinguo.report.summary import Column
from distinguo.report.sweep import Sweep
from distinguo.report.texts import digits

SMALL = (132.0, 30.0)


def column_bars(column: Column) -> Markup:
    """The histogram of a column of numbers; of words, a bar for each of the commonest."""
    counts = column.counts or tuple(word.rows for word in column.common)
    if not counts:
        return Markup("")
    width, height = SMALL
    most = max(counts)
    gap = 1.0 if column.counts else 3.0
    step = width / len(counts) if column.counts else min(width / len(counts), 22.0)
    parts = []
    for k, count in enumerate(counts):
        tall = count / most * (height - 2)
        if count:
            parts.append(
                element("rect", x=k * step, y=height - max(tall, 1.0), width=step - gap, height=max(tall, 1.0))
            )
    return picture(width, height, _told(column), parts, "small")


def _told(column: Column) -> str:
    if column.counts:
        return f"histogram of {column.name}, from {digits(column.low)} to {digits(column.high)}"
    return f"{column.name}: {', '.join(f'{word.name} {word.rows}' for word in column.common)}"


def sweep_bars(sweep: Sweep) -> Markup:
    """Rows by their probability: those of the class above the middle, the others below; stretched to any width.

    Heights go by the square root, so that the few rows in the middle, where the threshold matters, can be seen.
    """
    bins = len(sweep.of_positive)
    width, half = 10.0, 100.0
    parts = [element("line", x1=0.0, x2=bins * width, y1=half, y2=half, class_="base")]
    for counts, css in ((sweep.of_positive, "yes"), (sweep.of_negative, "no")):
        most = max(*counts, 1)
        for k, count in enumerate(counts):
            tall = math.sqrt(count / most) * half
            top = half - tall if css == "yes" else half
            bar = element("rect", x=k * width + 0.5, y=top, width=width - 1, height=tall, class_=css)
            parts += [bar] if count else []
    title = f"how probable {sweep.name} was, of rows of that class (above) and of others (below)"
    return picture(bins * width, 2 * half, title, parts, "stretched", preserveAspectRatio="none")
