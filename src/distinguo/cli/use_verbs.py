"""The verbs that use what was learned: predict, explain and describe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from distinguo.cli import answers, options
from distinguo.cli.arguments import overrides_of, reading_of, wanted_of
from distinguo.cli.running import UsageError, repeat_nothing_of_fit


def predict(
    model: options.ModelFile,
    table: options.Table,
    output: options.RowsOut = None,
    threshold: answers.Threshold = None,
    positive: answers.Positive = None,
    costs: answers.CostsFile = None,
    reject: answers.Reject = None,
    unsure: answers.Unsure = None,
    sets: answers.Sets = None,
    sets_by: answers.SetsBy = None,
    novel_below: answers.NovelBelow = None,
    false_alarm: answers.FalseAlarm = None,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write the rows of a table with what a model says of each.

    Rows and cells stay as they are, in their order. Appended are the label ("predicted"), a probability for each class
    ("p_..."), how typical the row is of the class it is most typical of, and whether that is so little that the row is
    "novel". Labels are those of the likeliest class, or follow from --threshold or --costs. With --unsure, rows between
    two cut-offs are marked, to be looked at; with --sets the classes are listed that a row may have. Columns are found
    by name. Words that meant missing when the model was fitted mean so here too.
    """
    wanted = wanted_of(threshold, positive, costs, reject, positive_alone=unsure is not None)
    from distinguo.cli import terminal
    from distinguo.cli.asking import Asked, remarks_of
    from distinguo.cli.cells import Spelling
    from distinguo.cli.large import is_large
    from distinguo.cli.output import check_apart, files_of
    from distinguo.cli.persistence import load
    from distinguo.cli.predicting import Prediction, predict, writer
    from distinguo.cli.table import open_table

    asked = Asked(wanted, positive, unsure, sets, sets_by, novel_below, false_alarm)
    saved = load(model)
    repeat_nothing_of_fit()
    remarks = remarks_of(saved, asked)
    frames = open_table(table, reading_of(delimiter, decimal or ".", null).of_texts(saved.text_options))
    spelling = Spelling(decimal or saved.decimal, (*saved.nulls, *(null or ())))
    prediction = Prediction(saved, spelling, remarks)
    terminal.notes(prediction.start(frames.names, frames.own_names), quiet)
    # Rows on the screen are progress enough, and small tables are done before any could be shown.
    show = None if output is None or not is_large(frames) else terminal.pass_progress(quiet)
    if output is not None and len(files_of(table)) > 1:  # one file may be replaced by itself with what is appended
        check_apart(output, table)
    with writer(output) as write:
        predict(prediction, frames, write, frames.unwritten, show)
    terminal.notes(prediction.notes(), quiet)


def explain(
    model: options.ModelFile,
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="A table as in predict.", show_default=False)
    ] = None,
    text: answers.GivenText = None,
    row: answers.Row = 1,
    label: answers.Class = None,
    against: answers.Against = None,
    top: answers.Top = 10,
    output: answers.Picture = None,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Show what each column of a row, or each word of a text, adds to a decision.

    The log-odds of two classes are a sum: what there was before the row was looked at, and what each column adds. The
    probability is the one that predict gives.
    """
    if (table is None) == (text is None):
        raise UsageError("give a text with --text, or a table and --row.")
    from distinguo.cli import explaining, terminal
    from distinguo.cli.cells import Spelling
    from distinguo.cli.persistence import load
    from distinguo.cli.table import open_table

    saved = load(model)
    repeat_nothing_of_fit()
    if text is not None:
        cells = explaining.text_row(saved, text)
    else:
        spelling = Spelling(decimal or saved.decimal, (*saved.nulls, *(null or ())))
        frames = open_table(str(table), reading_of(delimiter, decimal or ".", null))
        cells = explaining.table_row(saved, frames, spelling, row)
    why = explaining.explain(saved, cells, explaining.Question(label, against))
    terminal.notes(explaining.unknown_words(saved, cells), quiet)
    if output is not None:
        explaining.draw(why, top, output)
    terminal.show(explaining.as_json(why, top) if as_json else explaining.as_text(why, top))


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
        overrides = overrides_of(numeric, categorical, text, drop)
        terminal.show(describe_table(what, target, reading_of(delimiter, decimal, null), overrides))
