"""The verbs that judge a saved model, and make its probabilities trustworthy: evaluate and calibrate."""

from __future__ import annotations

import typer

from distinguo.cli import answers, options
from distinguo.cli.arguments import Change, parts_for, reading_of, wanted_of
from distinguo.cli.running import MISSED, repeat_nothing_of_fit


def evaluate(
    model: options.ModelFile,
    table: options.Table,
    where: options.Where = None,
    threshold: answers.Threshold = None,
    positive: answers.Positive = None,
    costs: answers.CostsFile = None,
    reject: answers.Reject = None,
    prevalence: answers.Prevalence = None,
    fail_under: answers.FailUnder = None,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Say how good a model is on labelled rows that it has not seen.

    Metrics come with intervals, and probabilities with what came of them. The table has the model's columns and its
    column of classes. With --fail-under, a metric that falls short ends the command with exit code 3.
    """
    from distinguo.cli import terminal
    from distinguo.cli.judging import Demand, judge
    from distinguo.cli.persistence import load

    demands = [Demand.parse(text) for text in fail_under or ()]
    wanted = wanted_of(threshold, positive, costs, reject, positive_alone=True)
    saved = load(model)
    repeat_nothing_of_fit()
    rows = parts_for(saved, table, reading_of(delimiter, decimal or "", null), where, quiet=quiet)
    judgement = judge(saved, rows, wanted.rule(saved), prevalence or (), positive)
    missed = [text for text in (demand.missed(judgement) for demand in demands) if text]
    if as_json:
        terminal.show(judgement.to_json())
    else:
        terminal.show(terminal.wrapped(terminal.visible_lines(judgement.to_text(terminal.width()))))
    if missed:
        terminal.print_to_stderr(f"error: {'; '.join(missed)}")
        raise typer.Exit(MISSED)


def calibrate(
    model: options.ModelFile,
    table: options.Table,
    where: options.Where = None,
    method: answers.Method = "temperature",
    output: answers.Updated = None,
    delimiter: options.Delimiter = None,
    decimal: options.DecimalOfModel = None,
    null: options.Null = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Make the probabilities of a model right as often as they say, by labelled rows that it has not seen.

    Models without probabilities get some. Prediction sets (predict --sets) and what is novel (predict --false-alarm)
    are held against these rows from then on. The model file is replaced when all is done, or stays as it was.
    """
    from distinguo.cli.judging import calibrate
    from distinguo.cli.parts import Parts
    from distinguo.cli.persistence import SavedModel

    def change(saved: SavedModel, rows: Parts) -> SavedModel:
        return calibrate(saved, rows.whole(), method)

    reading = reading_of(delimiter, decimal or "", null)
    Change(model, output, table, reading, where, quiet).make(change, "calibrated on {rows}")
