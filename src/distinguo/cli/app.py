"""The command `distinguo`: its verbs."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from distinguo.cli import options
from distinguo.cli.running import (
    EXIT_CODES,
    USAGE,
    UsageError,
    leave_infinities_to_the_table,
    repeat_nothing_of_fit,
    run,
)

if TYPE_CHECKING:
    from distinguo.cli.learning import Lesson
    from distinguo.cli.settings import Asked
    from distinguo.cli.table import Reading

app = typer.Typer(
    name="distinguo",
    help="Compare, fit and use models that people can read: label, probability, and a warning at the unfamiliar.",
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from distinguo import __version__

        sys.stdout.write(f"distinguo {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Print the help where no verb is given."""
    if context.invoked_subcommand is None:
        sys.stdout.write(f"{context.get_help()}\n")
        raise typer.Exit(USAGE)


@app.command(epilog=EXIT_CODES)
def compare(
    table: options.Table,
    target: options.Target = None,
    models: options.Models = None,
    settings: options.Settings = None,
    folds: options.Folds = 5,
    repeats: options.Repeats = 2,
    seed: options.Seed = 0,
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
    """Compare models by repeated, stratified cross-validation.

    All models meet the same rows, and are judged on rows they have not seen: what columns are taken for, categories and
    all else is learned from the training rows of each fold. The baseline "majority" always names the commonest class.
    """
    _require_target(table, target)
    asked = _asked(models, settings)
    from distinguo.cli import render, terminal
    from distinguo.cli.learning import Plan, best, compare_models

    overrides = _overrides(numeric, categorical, text, drop)
    lesson = _lesson(table, target, _reading(delimiter, decimal, null), overrides, asked)
    plan = Plan(folds, repeats, seed, asked.takers(lesson.texts))
    terminal.notes(lesson.notes(), quiet)
    results, notes = compare_models(lesson, plan, quiet)
    terminal.notes([*notes, *render.model_warnings(results)], quiet)
    if as_json:
        terminal.show(render.comparison_json(lesson, results, plan))
    else:
        parts = [render.summary(lesson, plan), render.comparison(results, plan)]
        terminal.show("\n\n".join([*parts, *render.class_warnings(lesson.class_warnings())]))
    best(results)


@app.command(epilog=EXIT_CODES)
def fit(
    table: options.Table,
    output: options.ModelOut,
    target: options.Target = None,
    model: options.Model = None,
    settings: options.Settings = None,
    folds: options.Folds = 5,
    repeats: options.Repeats = 2,
    seed: options.Seed = 0,
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
    _require_target(table, target)
    asked = _asked(model, settings)
    from distinguo.cli import render, terminal
    from distinguo.cli.coefficients import coefficient_text
    from distinguo.cli.learning import Plan, best, compare_models, fit_model
    from distinguo.cli.output import check_apart, check_place
    from distinguo.cli.persistence import save

    check_place(output)
    check_apart(output, Path(table), "the table itself")
    overrides = _overrides(numeric, categorical, text, drop)
    lesson = _lesson(table, target, _reading(delimiter, decimal, null), overrides, asked)
    terminal.notes(lesson.notes(), quiet)
    entries = {entry.name: entry for entry in asked.takers(lesson.texts)}
    if model is None:
        results, notes = compare_models(lesson, Plan(folds, repeats, seed, tuple(entries.values())), quiet)
        terminal.notes([*notes, render.choice(results)], quiet)
        model = best(results)[0].name
    prints_table = entries[model].inference and not quiet
    if prints_table:
        leave_infinities_to_the_table()
    saved = fit_model(lesson, entries[model])
    save(saved, output)
    if prints_table:
        terminal.show(coefficient_text(saved))
    if not quiet:
        terminal.print_to_stderr(render.written(saved, output))


@app.command(epilog=EXIT_CODES)
def predict(
    model: options.ModelFile,
    table: options.Table,
    output: options.RowsOut = None,
    novel_below: options.NovelBelow = 0.001,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write the rows of a table with what a model says of each.

    Rows and cells stay as they are, in their order. Appended are the label ("predicted"), a probability for each class
    ("p_..."), how typical the row is of the class it is most typical of, and whether that is so little that the row is
    "novel". Columns are found by name. Words that meant missing when the model was fitted mean so here too.
    """
    from distinguo.cli import terminal
    from distinguo.cli.cells import Spelling
    from distinguo.cli.persistence import load
    from distinguo.cli.predicting import Prediction, predict, writer
    from distinguo.cli.table import open_table

    saved = load(model)
    repeat_nothing_of_fit()
    frames = open_table(table, _reading(delimiter, decimal or ".", null))
    spelling = Spelling(decimal or saved.decimal, (*saved.nulls, *(null or ())))
    prediction = Prediction(saved, spelling, novel_below)
    terminal.notes(prediction.start(frames.names), quiet)
    with writer(output) as write:
        predict(prediction, frames, write)
    if prediction.novel:
        rows = terminal.plural(prediction.rows, "row")
        terminal.notes([f"{prediction.novel} of {rows} look like none of the classes (novel)"], quiet)


@app.command(epilog=EXIT_CODES)
def describe(
    what: Annotated[
        str, typer.Argument(metavar="MODEL|TABLE", help="A model file, or a table as in compare.", show_default=False)
    ],
    target: options.Target = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    drop: options.Drop = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    null: options.Null = None,
    base: options.Base = None,
    odds_ratios: options.OddsRatios = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Show what each class of a model, or a table, looks like.

    Of a model: means and spreads of each class, priors, and the directions that tell classes apart; of a linear one its
    coefficients, of logistic regression with standard errors, tests and intervals. Of a table: columns, what each is
    taken for and why, missing cells, and classes. Of an embedded set: where it comes from.
    """
    from distinguo.cli import terminal
    from distinguo.cli.coefficients import Shown
    from distinguo.cli.describing import describe_model, describe_table
    from distinguo.cli.persistence import is_archive, load

    path, shown = Path(what), Shown(base, odds_ratios)
    if path.suffix == ".dgo" or is_archive(path):
        repeat_nothing_of_fit()
        terminal.show(describe_model(load(path), shown))
    else:
        if shown.asks:
            raise UsageError("--base and --odds-ratios are for model files of logistic regression.")
        overrides = _overrides(numeric, categorical, text, drop)
        terminal.show(describe_table(what, target, _reading(delimiter, decimal, null), overrides))


def _require_target(table: str, target: str | None) -> None:
    """Raise where a file comes without the name of its column of classes; before anything heavy is imported."""
    from distinguo.cli.datasets import EMBEDDED

    if target is None and table not in EMBEDDED and not Path(table).is_dir():
        raise UsageError(f"--target COL must name the column of classes; 'distinguo describe {table}' lists columns.")


def _asked(models: str | None, settings: list[str] | None) -> Asked:
    """The models that may take part, and what is set of them and of texts; before anything heavy is imported."""
    from distinguo.cli.settings import Asked, text_options, with_settings

    own, of_texts = text_options(settings or ())
    return Asked(with_settings(options.parse_models(models), own), models is not None, of_texts)


def _reading(delimiter: str | None, decimal: str, null: list[str] | None) -> Reading:
    """How the options say that a table is written."""
    from distinguo.cli.table import Reading

    return Reading(delimiter, decimal, tuple(null or ()))


def _overrides(*columns: list[str] | None) -> Any:
    """The roles settled by options: columns that are numeric, categorical, texts, and left out."""
    from distinguo.cli.roles import Overrides

    return Overrides(*(tuple(names or ()) for names in columns))


def _lesson(table: str, target: str | None, reading: Reading, overrides: Any, asked: Asked) -> Lesson:
    """The labelled rows behind the options of compare and fit."""
    from distinguo.cli.learning import Lesson
    from distinguo.cli.roles import assign
    from distinguo.cli.table import read_labelled

    rows = read_labelled(table, target, reading.of_texts(asked.text_options))
    overrides.check(list(rows.grid.columns))
    lesson = Lesson(rows, reading, overrides, assign(rows.grid, overrides), asked.text_options)
    if asked.text_options and not lesson.texts:
        raise UsageError("--set text.… is for columns of texts, and none is read; --text COL names one.")
    return lesson


# Models here multiply small matrices many times over, and threads of BLAS wait for each other longer than that takes.
BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def main() -> None:
    """Run the command line of this process."""
    for variable in BLAS_THREADS:
        os.environ.setdefault(variable, "1")  # read when NumPy is first imported, which is not yet
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no "±" must not end the program
    sys.exit(run(app, sys.argv[1:]))
