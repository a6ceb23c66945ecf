"""The verbs that learn: compare, fit, update and forget."""

from __future__ import annotations

from pathlib import Path

from distinguo.cli import answers, options
from distinguo.cli.arguments import Change, asked_for, lesson_of, overrides_of, reading_of, require_target
from distinguo.cli.report_verb import require_places, write_page
from distinguo.cli.running import leave_infinities_to_the_table


def compare(
    table: options.Table,
    target: options.Target = None,
    where: options.Where = None,
    models: options.Models = None,
    settings: options.Settings = None,
    folds: options.Folds = 5,
    repeats: options.Repeats = 2,
    test_share: answers.TestShare = None,
    seed: options.Seed = 0,
    memory: options.Memory = False,
    page: answers.PageOfComparison = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    drop: options.Drop = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    null: options.Null = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Compare models by repeated, stratified cross-validation, or on rows drawn to test on.

    All models meet the same rows, and are judged on rows they have not seen: what columns are taken for, categories and
    all else is learned from the training rows of each fold. The baseline "majority" always names the commonest class.
    Differences to the best model come with intervals for splits that share rows, and McNemar's test.
    """
    require_target(table, target)
    asked = asked_for(models, settings)
    from distinguo.cli import render, terminal
    from distinguo.cli.learning import Plan, Verdict, best, compare_models

    if page is not None:
        require_places(page, table)
    overrides = overrides_of(numeric, categorical, text, drop)
    reading = reading_of(delimiter, decimal, null)
    lesson = lesson_of(table, target, reading, overrides, asked, where, quiet=quiet, seed=seed)
    plan = Plan(folds, repeats, seed, asked.takers(lesson.texts), test_share, memory)
    terminal.notes([*lesson.notes(), *lesson.notes_of_drawn()], quiet)
    results, notes = compare_models(lesson, plan, quiet)
    terminal.notes([*notes, *render.model_warnings(results)], quiet)
    verdict = Verdict.of(lesson, plan, results)
    if as_json:
        terminal.show(render.comparison_json(lesson, results, plan, verdict.differences, verdict.advice))
    else:
        parts = [
            render.summary(lesson, plan),
            render.comparison(results, plan),
            *render.differences(verdict.differences),
        ]
        terminal.show("\n\n".join([*parts, *render.advice(verdict.advice)]))
    best(results)
    if page is not None:
        write_page(lesson, plan, verdict, Path(table).name, page, quiet)


def fit(
    table: options.Table,
    output: options.ModelOut,
    target: options.Target = None,
    where: options.Where = None,
    model: options.Model = None,
    settings: options.Settings = None,
    folds: options.Folds = 5,
    repeats: options.Repeats = 2,
    seed: options.Seed = 0,
    sets: options.LearnSets = False,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    drop: options.Drop = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    null: options.Null = None,
    quiet: options.QuietFit = False,
    debug: options.Debug = False,
) -> None:
    """Fit a model on all rows and write it to a file.

    Without --model, the models are compared first (--folds, --repeats and --seed as in compare), and the one of lowest
    log loss is fitted. Of logistic regression the table of coefficients is printed, which describe prints again.
    """
    require_target(table, target)
    asked = asked_for(model, settings)
    from distinguo.cli import render, terminal
    from distinguo.cli.coefficients import coefficient_text
    from distinguo.cli.fitting import able_to_fit, fit_model
    from distinguo.cli.learning import Plan, best, compare_models
    from distinguo.cli.output import check_apart, check_place
    from distinguo.cli.persistence import save

    check_place(output)
    check_apart(output, table)
    overrides = overrides_of(numeric, categorical, text, drop)
    reading = reading_of(delimiter, decimal, null)
    lesson = lesson_of(table, target, reading, overrides, asked, where, quiet=quiet, seed=seed)
    terminal.notes(lesson.notes(), quiet)
    entries = {entry.name: entry for entry in asked.takers(lesson.texts)}
    if model is None:
        able, notes = able_to_fit(lesson, tuple(entries.values()))
        terminal.notes([*lesson.notes_of_drawn(), *notes], quiet)
        results, notes = compare_models(lesson, Plan(folds, repeats, seed, able), quiet)
        terminal.notes([*notes, render.choice(results)], quiet)
        model = best(results)[0].name
    prints_table = entries[model].inference and not (quiet or lesson.texts)
    if prints_table:
        leave_infinities_to_the_table()
    saved = fit_model(lesson, entries[model], sets)
    save(saved, output)
    if lesson.texts:  # what speaks against a table is shown by describe
        terminal.notes(map(str, saved.advice), quiet)
    if prints_table:
        terminal.show(coefficient_text(saved))
    if not quiet:
        terminal.print_to_stderr(render.written(saved, output))


def update(
    model: options.ModelFile,
    table: options.Table,
    output: answers.Updated = None,
    where: options.Where = None,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Learn the rows of a table besides those that a model has learned, which are not needed again.

    The table has the model's columns, and its column of classes. Classes, and words of texts, that are new are added.
    The model file is replaced when all is done, or stays as it was.
    """
    from distinguo.cli.updating import update

    reading = reading_of(delimiter, decimal or "", null)
    Change(model, output, table, reading, where, quiet).make(update, "learned {rows} more")


def forget(
    model: options.ModelFile,
    table: options.Table,
    output: answers.Updated = None,
    where: options.Where = None,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Take the rows of a table out of a model that has learned them, as if it never had.

    The table has the model's columns, and its column of classes. Words of texts stay known, as words of no text.
    The model file is replaced when all is done, or stays as it was.
    """
    from distinguo.cli.updating import forget

    reading = reading_of(delimiter, decimal or "", null)
    Change(model, output, table, reading, where, quiet).make(forget, "forgot {rows}")
