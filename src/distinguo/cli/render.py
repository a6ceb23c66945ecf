"""How results look: the table of a comparison, its JSON, and the roles of columns."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from distinguo.advice import Advice
from distinguo.catalogue import find
from distinguo.cli import terminal
from distinguo.cli.learning import Lesson, Plan, best
from distinguo.cli.persistence import SavedModel
from distinguo.cli.roles import CATEGORICAL, NUMERIC, RULES, TEXT, Role
from distinguo.cli.settings import settings_of
from distinguo.evaluation.comparison.contest import Measured, Result, rank
from distinguo.evaluation.comparison.differences import Differences
from distinguo.evaluation.texts import plain_rows

HEADER = ("model", "accuracy", "balanced", "log loss", "fit", "predict/row", "size")


def summary(lesson: Lesson, plan: Plan) -> str:
    """A table in a few lines: its rows, what its columns are taken for, and which options of models were set."""
    rows, roles = lesson.rows, lesson.roles
    classes = len(set(rows.labels.tolist()))
    counted = f"{terminal.plural(len(rows.grid), 'row')}, {terminal.plural(classes, 'class', 'classes')}"
    lines = [("rows", f"{counted} of {rows.target!r}")]
    lines += [(role, _names(roles, role)) for role in (NUMERIC, CATEGORICAL)]
    lines += [(TEXT, ", ".join(lesson.texts))]
    left_out = [f"{role.column} ({role.role}: {role.why})" for role in roles if not role.used]
    lines += [("left out", "; ".join(left_out)), ("settings", ", ".join(settings_of(plan.entries)))]
    return "\n".join(_labelled(title, text) for title, text in lines if text)


def comparison(results: Sequence[Result], plan: Plan) -> str:
    """The table of a comparison, the best first, with the reasons of those that are not in it."""
    measured = [(result.name, result.measured) for result in results if result.measured is not None]
    ranked = sorted(measured, key=lambda pair: rank(pair[1]))
    rows = [[*_row(name, numbers), *_memory(numbers, plan)] for name, numbers in ranked]
    header = (*HEADER, "memory") if plan.memory else HEADER
    excluded = [(result.name, f"not compared: {result.reason}") for result in results if result.reason]
    reasons = [_labelled(name, text, max(len(name) for name, _ in excluded)) for name, text in excluded]
    how = f"{plan.words}; ± one standard error; a lower log loss is better"
    return "\n".join([terminal.wide_table(header, rows), "", *reasons, *([""] if reasons else []), how])


def advice(warnings: Sequence[Advice]) -> list[str]:
    """A paragraph of coded warnings, or none."""
    texts = [(warning.code, terminal.visible(f"{warning.sentence} {warning.remedy}")) for warning in warnings]
    lines = [terminal.hanging(f"{code}: ", text, terminal.PROSE) for code, text in texts]
    return ["\n".join(lines)] if lines else []


def differences(found: Differences | None) -> list[str]:
    """A paragraph of differences to the best model, or none."""
    if found is None:
        return []
    header, *rows = zip(*found.text_columns(), strict=True)
    return [f"{terminal.visible(found.title)}\n{terminal.wide_table(header, rows)}"]


def comparison_json(
    lesson: Lesson, results: Sequence[Result], plan: Plan, between: Differences | None, advice: Sequence[Advice]
) -> str:
    """The same numbers for programs."""
    document: dict[str, Any] = {
        "target": lesson.rows.target,
        "rows": len(lesson.rows.grid),
        "rows_without_target": lesson.rows.unlabelled,
        "classes": {str(label): int((lesson.rows.labels == label).sum()) for label in sorted(set(lesson.rows.labels))},
        "columns": [{"name": role.column, "role": role.role, "why": role.why} for role in lesson.roles],
        "scheme": plan.words,
        "folds": None if plan.test_share else plan.folds,
        "repeats": plan.repeats,
        "test_share": plan.test_share,
        "seed": plan.seed,
        "settings": settings_of(plan.entries),
        "advice": [dataclasses.asdict(warning) for warning in advice],
        "models": [_document(result) for result in results],
        "differences": [] if between is None else plain_rows(between.rows()),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def rules() -> str:
    """The rules by which columns get their roles."""
    lines = [terminal.hanging(f"  {role:<17}", text, terminal.PROSE) for role, text in RULES]
    return "\n".join(["roles, the first that fits:", *lines])


def _row(name: str, measured: Measured) -> list[str]:
    """The cells of one model."""
    return [
        name,
        f"{measured.quality.accuracy:.4f} ± {measured.accuracy_se:.4f}",
        f"{measured.quality.balanced_accuracy:.4f}",
        "-" if measured.quality.log_loss is None else f"{measured.quality.log_loss:.4f}",
        terminal.seconds(measured.fit_seconds),
        terminal.seconds(measured.predict_seconds_per_row),
        terminal.size(measured.size),
    ]


def _memory(measured: Measured, plan: Plan) -> list[str]:
    """The cell of peak memory, where it was measured."""
    return [terminal.size(measured.peak_memory)] if plan.memory else []


def _document(result: Result) -> dict[str, Any]:
    """One model for JSON."""
    head = {"name": result.name, "title": result.title, "reason": result.reason, "warnings": list(result.warnings)}
    measured = result.measured
    if measured is None:
        return head
    return {
        **head,
        "accuracy": measured.quality.accuracy,
        "accuracy_se": measured.accuracy_se,
        "accuracy_by_split": list(measured.accuracies),
        "balanced_accuracy": measured.quality.balanced_accuracy,
        "log_loss": measured.quality.log_loss,
        "fit_seconds": measured.fit_seconds,
        "predict_seconds_per_row": measured.predict_seconds_per_row,
        "model_bytes": measured.size,
        "peak_bytes": measured.peak_memory or None,
    }


def _names(roles: Sequence[Role], wanted: str, shown: int = 12) -> str:
    """How many columns have a role, and the first of their names."""
    names = [role.column for role in roles if role.role == wanted]
    if not names:
        return ""
    return f"{len(names)}: {', '.join(names[:shown])}" + (", ..." if len(names) > shown else "")


def _labelled(title: str, text: str, longest: int = 11) -> str:
    """A line that begins with a title, the longest of which has so many letters, wrapped under itself."""
    return terminal.hanging(f"{title:<{max(longest, 11) + terminal.GAP}}", text)


def choice(results: Sequence[Result]) -> str:
    """Which model compare found best, and by how much."""
    chosen, numbers = best(results)
    judged = [(other.name, other.measured) for other in results if other.measured is not None and other is not chosen]
    others = [f"{name} {_figure(measured)}" for name, measured in sorted(judged, key=lambda pair: rank(pair[1]))]
    others += [f"{other.name} not compared" for other in results if other.measured is None]
    baseline = results[0].measured
    if baseline and numbers.quality.log_loss is not None and rank(baseline) <= rank(numbers):
        others.append("no better than the baseline")
    return f"chose {chosen.name}, log loss {_figure(numbers)} ({', '.join(others)})"


def _figure(measured: Measured) -> str:
    """The log loss in words."""
    loss = measured.quality.log_loss
    return "unknown" if loss is None else f"{loss:.4f}"


def written(saved: SavedModel, path: Path) -> str:
    """What a model file holds, in a line."""
    rows = terminal.plural(int(saved.counts.sum()), "row")
    columns = terminal.plural(len(saved.encoder.names), "column")
    classes = terminal.plural(len(saved.counts), "class", "classes")
    return f"wrote {path}: {find(saved.name).title}, {rows}, {columns}, {classes} of {saved.target!r}"


def changes(unlabelled: int, known: Sequence[str], changed: SavedModel) -> list[str]:
    """What the user should know of rows that were learned or forgotten."""
    classes = [str(label) for label in changed.model.classes_]
    new = [repr(label) for label in classes if label not in known]
    gone = [repr(label) for label in known if label not in classes]
    return [
        *([f"{terminal.plural(unlabelled, 'row')} without {changed.target!r} left out"] if unlabelled else []),
        *([f"new: class {', '.join(new)}"] if new else []),
        *([f"gone: class {', '.join(gone)}, which has no rows left"] if gone else []),
    ]


def model_warnings(results: Sequence[Result]) -> list[str]:
    """Each warning once, with the models that gave it."""
    texts = dict.fromkeys(text for result in results for text in result.warnings)
    return [f"{', '.join(result.name for result in results if text in result.warnings)}: {text}" for text in texts]
