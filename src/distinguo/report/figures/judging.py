"""Reliability diagrams, and ROC and precision-recall curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from distinguo.evaluation.assessment.reliability import ReliabilityTable
from distinguo.report.curves import Curves
from distinguo.report.figures.frame import Frame
from distinguo.report.figures.svg import color, element, path, picture

HEIGHT = 330.0
# Height of the bars of counts at the foot of a reliability diagram.
COUNTS = 0.13


def reliability_picture(table: ReliabilityTable, title: str) -> Markup:
    """What came of probabilities: a dot a bin with its interval, and below how many rows there were."""
    frame = Frame((0.0, 1.0), (0.0, 1.0), HEIGHT)
    parts = frame.axes("mean probability said", "share that came true")
    parts.append(element("path", d=path(frame.points((0, 1), (0, 1))), class_="ideal"))
    most = float(table.count.max())
    for low, high, count in zip(table.lower, table.upper, table.count, strict=True):
        if count > 0:
            x, top = frame.x(float(low)), frame.y(COUNTS * float(count) / most)
            wide = frame.x(float(high)) - x
            parts.append(
                element("rect", x=x + 1, y=top, width=max(wide - 2, 1.0), height=frame.y(0.0) - top, class_="rows")
            )
    filled = np.flatnonzero(table.count > 0)
    for b in filled:
        x = frame.x(float(table.mean_confidence[b]))
        ends = frame.y(float(table.low[b])), frame.y(float(table.high[b]))
        parts.append(element("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_="whisker"))
    dots = frame.points(table.mean_confidence[filled].tolist(), table.share_correct[filled].tolist())
    parts.append(element("path", d=path(dots), class_="curve k0"))
    parts += [element("circle", cx=x, cy=y, r=4.0, class_="dot k0") for x, y in dots]
    return picture(frame.width, frame.height, title, parts)


def roc_picture(curves: Sequence[Curves], title: str) -> Markup:
    """ROC curves, one a class, with a place for the threshold's dot on each."""
    frame = Frame((0.0, 1.0), (0.0, 1.0), HEIGHT)
    parts = frame.axes("false alarms: share of other rows called so", "recall")
    parts.append(element("path", d=path(frame.points((0, 1), (0, 1))), class_="ideal"))
    for k, curve in enumerate(curves):
        outline = path(frame.points(curve.false_alarms, curve.recall))
        parts.append(element("path", d=outline, class_=f"curve {color(k)}"))
    parts.append(_moving(frame, "roc"))
    return picture(frame.width, frame.height, title, parts)


def pr_picture(curves: Sequence[Curves], title: str) -> Markup:
    """Precision-recall curves in steps, one a class."""
    frame = Frame((0.0, 1.0), (0.0, 1.0), HEIGHT)
    parts = frame.axes("recall", "precision")
    for k, curve in enumerate(curves):
        base = frame.points((0, 1), (curve.share, curve.share))
        parts.append(element("path", d=path(base), class_=f"ideal {color(k)}"))
        steps = list(_steps(curve.pr_recall, curve.precision))
        outline = path(frame.points([x for x, _ in steps], [y for _, y in steps]))
        parts.append(element("path", d=outline, class_=f"curve {color(k)}"))
    parts.append(_moving(frame, "pr"))
    return picture(frame.width, frame.height, title, parts)


def _moving(frame: Frame, which: str) -> Markup:
    """The dot that shows the threshold, and what a script needs to place it."""
    left, top = frame.x(0.0), frame.y(1.0)
    return element(
        "circle",
        cx=left,
        cy=top,
        r=5.0,
        class_="moving",
        data_curve=which,
        data_box=f"{left:.1f} {top:.1f} {frame.x(1.0) - left:.1f} {frame.y(0.0) - top:.1f}",
    )


def _steps(recall: Sequence[float], precision: Sequence[float]) -> list[tuple[float, float]]:
    """The corners of a curve that goes on at the precision of the next point, as average precision has it."""
    corners = [(recall[0], precision[0])]
    for (x0, _), (x1, y1) in zip(
        zip(recall, precision, strict=True), list(zip(recall, precision, strict=True))[1:], strict=False
    ):
        corners += [(x0, y1), (x1, y1)]
    return corners
