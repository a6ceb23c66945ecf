"""The page: the report's values put into templates, which escape all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from distinguo.report import texts
from distinguo.report.figures.bars import column_bars, sweep_bars
from distinguo.report.figures.judging import pr_picture, reliability_picture, roc_picture
from distinguo.report.figures.plane import ellipse_picture, region_picture
from distinguo.report.figures.svg import COLORS, element, mark

if TYPE_CHECKING:
    from distinguo.report.building import Report

# A larger confusion matrix gives way to its largest cells.
WIDEST_MATRIX = 16
MOST_CELLS = 20
MOST_CLASS_ROWS = 60
# Of names above and beside the cells of a matrix.
LONGEST_HEADING = 28

FILTERS: Mapping[str, Callable[..., Any]] = {
    "decimals": texts.decimals,
    "digits": texts.digits,
    "percent": texts.percent,
    "p_value": texts.p_value,
    "signed": texts.signed,
    "short": lambda name: texts.plain(name, LONGEST_HEADING),
}


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("distinguo.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    made.globals.update(counted=texts.counted, key=key)
    return made


def key(k: int) -> Markup:
    """The mark of a class, for legends."""
    shape = element("path", d=mark(k, 6.0, 6.0, 4.6))
    return element("svg", shape, viewBox="0 0 12 12", class_=f"key k{k % COLORS}", aria_hidden="true")


def render(report: Report) -> str:
    """The page of a report."""
    environment = _environment()
    source, _, _ = environment.loader.get_source(environment, "report.css")  # type: ignore[union-attr]
    script, _, _ = environment.loader.get_source(environment, "report.js")  # type: ignore[union-attr]
    return environment.get_template("page.html").render(
        report=report,
        css=Markup(source),
        js=Markup(script),
        data=Markup(texts.for_script(_data(report))),
        matrix=_matrix(report),
        class_rows=_class_rows(report),
        figures=_figures(report),
        bars=column_bars,
    )


def _data(report: Report) -> dict[str, Any]:
    """What the script needs for the slider."""
    wanted = ("name", "positive", "negative", "thresholds", "tp", "fp", "is_complete")
    return {
        "sweeps": [{name: getattr(sweep, name) for name in wanted} for sweep in report.sweeps],
        "start": _start(report),
    }


def _start(report: Report) -> int:
    """The class that the slider begins with: the one that is hardest to tell."""
    areas = [1.0 if curve.roc_area is None else curve.roc_area for curve in report.curves]
    return areas.index(min(areas)) if len(areas) == len(report.sweeps) > 0 else 0


def _matrix(report: Report) -> dict[str, Any]:
    """The confusion matrix by rows, or its largest cells."""
    confusion = report.evaluation.confusion
    small = len(confusion.labels) <= WIDEST_MATRIX
    shares = confusion.row_shares
    wrong = int((confusion.counts > 0).sum() - (confusion.counts.diagonal() > 0).sum())
    return {
        "small": small,
        "labels": confusion.labels,
        "predicted": [name if name is not None else "no answer" for name in confusion.predicted],
        "rows": [
            [(int(n), texts.finite(share) or 0.0) for n, share in zip(row, of_row, strict=True)]
            for row, of_row in zip(confusion.counts.tolist(), shares.tolist(), strict=True)
        ]
        if small
        else [],
        "largest": confusion.largest(MOST_CELLS),
        "cut": max(wrong - MOST_CELLS, 0),
    }


def _class_rows(report: Report) -> dict[str, Any]:
    """The metrics of each class, a row a class; of many classes the largest."""
    evaluation = report.evaluation
    rows = dict(zip(evaluation.confusion.labels, evaluation.confusion.counts.sum(axis=1).tolist(), strict=True))
    values: dict[Any, dict[str, float | None]] = {label: {} for label in evaluation.classes}
    for estimate in evaluation.estimates:
        if estimate.label is not None:
            values[estimate.label][estimate.metric] = estimate.value
    shown = sorted(evaluation.classes, key=lambda label: -rows[label])[:MOST_CLASS_ROWS]
    kept = [label for label in evaluation.classes if label in set(shown)]
    return {
        "rows": [(label, int(rows[label]), values[label]) for label in kept],
        "cut": len(evaluation.classes) - len(kept),
    }


def _figures(report: Report) -> dict[str, Any]:
    """The pictures."""
    plane = report.read.plane
    table = None if report.reliability is None else report.reliability.top
    return {
        "reliability": None if table is None else reliability_picture(table, table.heading),
        "roc": roc_picture(report.curves, "ROC curves, each class against the rest") if report.curves else None,
        "pr": pr_picture(report.curves, "precision and recall, each class against the rest") if report.curves else None,
        "sweeps": [sweep_bars(sweep) for sweep in report.sweeps],
        "ellipses": ellipse_picture(plane) if plane else None,
        "regions": region_picture(plane, plane.regions) if plane and plane.regions else None,
    }
