"""From a labelled table to the page about it: which models are compared, and what the report is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import Entry
from distinguo.cli.cells import Cells
from distinguo.cli.encoding import Encoder
from distinguo.cli.fitting import Learned, learn
from distinguo.cli.learning import Lesson, Plan, Verdict, best, compare_models
from distinguo.cli.roles import NUMERIC, Role
from distinguo.cli.settings import settings_of
from distinguo.cli.text_encoding import TextEncoder
from distinguo.report.building import Report, build, positive_of
from distinguo.report.material import Fitted, Material, TableColumn
from distinguo.report.quick import quick_models
from distinguo.rows.labels import encode_labels


def plan_of(lesson: Lesson, plan: Plan, by_name: bool) -> tuple[Plan, list[str]]:
    """The plan, with fewer models and repeats where the table is large and none were named; and what to say of it."""
    labels = lesson.rows.labels
    if by_name or lesson.texts:
        return plan, []
    width = len(Encoder.learn(lesson.rows.grid, lesson.roles).features)
    chosen = quick_models(len(labels), width, len(np.unique(labels)), [entry.name for entry in plan.entries])
    entries = tuple(entry for entry in plan.entries if entry.name in chosen.names)
    repeats = min(plan.repeats, chosen.repeats)
    return replace(plan, entries=entries, repeats=repeats), [chosen.note] if chosen.note else []


def report_of(
    lesson: Lesson, plan: Plan, title: str, positive: str | None, notes: Sequence[str], quiet: bool
) -> Report:
    """The report of a comparison of models on a table.

    Raises
    ------
    InputError
        If the table cannot be used, no model can take it, or `positive` is none of two classes.
    """
    positive_of(positive, encode_labels(lesson.rows.labels)[1])  # before the long work
    results, more = compare_models(lesson, plan, quiet)
    verdict = Verdict.of(lesson, plan, results)
    return build(material_of(lesson, plan, verdict, title, positive, [*notes, *more]))


def material_of(
    lesson: Lesson, plan: Plan, verdict: Verdict, title: str, positive: str | None, notes: Sequence[str]
) -> Material:
    """What a report is made of, from a comparison that is done: for `compare --report` too."""
    chosen, _ = best(verdict.results)
    entry = next(entry for entry in plan.entries if entry.name == chosen.name)
    rows = lesson.rows
    return Material(
        title=title,
        target=rows.target,
        columns=[_column(role, rows.grid.columns[role.column]) for role in lesson.roles],
        labels=rows.labels,
        results=verdict.results,
        scheme=plan.words,
        fitted=_fitted(learn(lesson, entry), entry),
        numbers=_numbers(lesson),
        row_numbers=rows.grid.row_numbers,
        unlabelled=rows.unlabelled,
        notes=[*lesson.notes(), *notes],
        advice=verdict.advice,
        positive=positive,
        differences=verdict.differences,
    )


def _fitted(learned: Learned, entry: Entry) -> Fitted:
    """The chosen model with the rows as it takes them."""
    model, encoder = learned.model, learned.encoder
    found = (f"{name.rstrip('_')} chosen as {getattr(model, name):.4g}" for name in entry.chosen if name in vars(model))
    given = (setting.removeprefix(f"{entry.name}.") for setting in settings_of([entry]))
    is_text = isinstance(encoder, TextEncoder)
    return Fitted(model, learned.X, encoder.features, (*found, *given), is_text)


def _column(role: Role, cells: Cells) -> TableColumn:
    """A column with its cells as the report takes them."""
    note = role.why  # of columns that are used, only texts have one
    return TableColumn(role.column, role.role, note, _values(role, cells), role.read)


def _values(role: Role, cells: Cells) -> NDArray[Any]:
    """(n,) numbers of a numeric column, words of any other."""
    if role.role == NUMERIC:
        return cells.numbers.fill_null(np.nan).to_numpy().astype(np.float64)
    words = np.empty(len(cells.raw), dtype=object)
    words[:] = cells.words().to_list()
    return words


def _numbers(lesson: Lesson) -> pl.DataFrame | None:
    """(n, p) what models see, categories as indicators; None of texts."""
    if lesson.texts:
        return None
    return Encoder.learn(lesson.rows.grid, lesson.roles).encode(lesson.rows.grid)
