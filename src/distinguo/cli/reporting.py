"""From a labelled table to the page about it: which models are compared, and what the report is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.catalogue import Entry
from distinguo.cli.cells import Cells, Grid
from distinguo.cli.encoding import Encoder
from distinguo.cli.learning import Lesson, Plan, best, compare_models, fit_model
from distinguo.cli.persistence import SavedModel
from distinguo.cli.roles import NUMERIC, Role
from distinguo.cli.settings import options_of
from distinguo.cli.text_encoding import TextEncoder
from distinguo.evaluation.advice import advice as compared_advice
from distinguo.evaluation.compare import Result, majority, rank
from distinguo.evaluation.differences import Differences, differences
from distinguo.report.building import Report, build
from distinguo.report.material import Fitted, Material, TableColumn
from distinguo.report.quick import quick_models
from distinguo.resampling import repeated_folds


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
    results, more = compare_models(lesson, plan, quiet)
    return build(material_of(lesson, plan, results, title, positive, [*notes, *more]))


def material_of(
    lesson: Lesson, plan: Plan, results: Sequence[Result], title: str, positive: str | None, notes: Sequence[str]
) -> Material:
    """What a report is made of, from a comparison that is done: for `compare --report` too."""
    chosen, _ = best(results)
    entry = next(entry for entry in plan.entries if entry.name == chosen.name)
    saved = fit_model(lesson, entry)
    rows = lesson.rows
    return Material(
        title=title,
        target=rows.target,
        columns=[_column(role, rows.grid.columns[role.column]) for role in lesson.roles],
        labels=rows.labels,
        results=results,
        scheme=f"{plan.folds} folds, {plan.repeats} times, shuffled by seed {plan.seed}",
        fitted=_fitted(lesson, saved, entry),
        numbers=_numbers(lesson),
        row_numbers=rows.grid.row_numbers,
        unlabelled=rows.unlabelled,
        notes=[*lesson.notes(), *notes],
        advice=_advice(lesson, plan, results),
        positive=positive,
        differences=_differences(rows.labels, plan, results),
    )


def _differences(labels: NDArray[Any], plan: Plan, results: Sequence[Result]) -> Differences | None:
    """Of each model to the best, on the splits of the comparison, which are made again."""
    codes = np.unique(labels, return_inverse=True)[1]
    splits = repeated_folds(codes, folds=plan.folds, repeats=plan.repeats, random_state=plan.seed)
    found = [(r.name, r.measured) for r in results if r.measured is not None]
    by_rank = sorted(found, key=lambda pair: (pair[0] == majority().name, *rank(pair[1]), pair[0]))
    return differences(by_rank, splits, codes, np.ones(len(codes))) if len(by_rank) > 1 else None


def _fitted(lesson: Lesson, saved: SavedModel, entry: Entry) -> Fitted:
    """The chosen model with the rows as it takes them."""
    model, encoder = saved.model, saved.encoder
    found = (f"{name.rstrip('_')} chosen as {getattr(model, name):.4g}" for name in entry.chosen if name in vars(model))
    is_text = isinstance(encoder, TextEncoder)
    return Fitted(model, encoder.encode(lesson.rows.grid), encoder.features, (*options_of(model), *found), is_text)


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


def _advice(lesson: Lesson, plan: Plan, results: Sequence[Result]) -> tuple[Advice, ...]:
    """Coded warnings of the comparison, and of the table as the models see it."""
    models = {entry.name: entry.make() for entry in plan.entries}
    rows = lesson.rows.labels.tolist() if lesson.texts else _frame(lesson.rows.grid, lesson.roles)
    found = compared_advice(rows, lesson.rows.labels, results, models=models, folds=plan.folds)
    return (*found, *lesson.advice(plan.entries))


def _frame(grid: Grid, roles: Sequence[Role]) -> pl.DataFrame:
    """The columns that models see: numbers as such, categories as words."""
    used = [(role, grid.columns[role.column]) for role in roles if role.used]
    return pl.DataFrame({r.column: cells.numbers if r.role == NUMERIC else cells.words() for r, cells in used})
