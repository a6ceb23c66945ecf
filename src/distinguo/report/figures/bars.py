"""Small histograms of columns, and those of probabilities that the threshold goes through."""

from __future__ import annotations

from markupsafe import Markup

from distinguo.report.figures.frame import Frame
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
    """Rows by their probability: those of the class above the line, the others below; and the threshold."""
    most_up, most_down = max(*sweep.of_positive, 1), max(*sweep.of_negative, 1)
    frame = Frame((0.0, 1.0), (-1.0, 1.0), 210.0, width=640.0, left=14.0, right=14.0, bottom=40.0)
    bins = len(sweep.of_positive)
    parts = []
    for k in range(bins):
        left, right = frame.x(k / bins), frame.x((k + 1) / bins)
        for count, most, sign, css in (
            (sweep.of_positive[k], most_up, 1, "yes"),
            (sweep.of_negative[k], most_down, -1, "no"),
        ):
            if count:
                tall = max((frame.y(0.0) - frame.y(1.0)) * count / most, 1.0)
                top = frame.y(0.0) - tall if sign > 0 else frame.y(0.0)
                parts.append(element("rect", x=left + 0.6, y=top, width=right - left - 1.2, height=tall, class_=css))
    zero = frame.y(0.0)
    parts.append(element("line", x1=frame.left, x2=frame.width - frame.right, y1=zero, y2=zero, class_="base"))
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(element("text", digits(value), x=frame.x(value), y=frame.height - 24, class_="tick middle"))
    middle = frame.x(0.5)
    parts.append(element("text", f"probability of {sweep.name}", x=middle, y=frame.height - 6, class_="axis middle"))
    parts.append(
        element(
            "line",
            x1=frame.left,
            x2=frame.left,
            y1=frame.top - 6,
            y2=frame.height - 36,
            class_="cut",
            data_span=frame.width - frame.left - frame.right,
        )
    )
    title = f"how probable {sweep.name} was, of rows of that class (above) and of others (below)"
    return picture(frame.width, frame.height, title, parts, "figure wide")
