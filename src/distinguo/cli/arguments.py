"""From the options of a command line to what the verbs work with; nothing heavy is imported before it is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distinguo.cli import options
from distinguo.cli.running import UsageError

if TYPE_CHECKING:
    from distinguo.cli.deciding import Wanted
    from distinguo.cli.learning import Lesson
    from distinguo.cli.persistence import SavedModel
    from distinguo.cli.settings import Asked
    from distinguo.cli.table import Labelled, Reading


def require_target(table: str, target: str | None) -> None:
    """Raise where a file comes without the name of its column of classes; before anything heavy is imported."""
    from distinguo.cli.datasets import EMBEDDED

    if target is None and table not in EMBEDDED and not Path(table).is_dir():
        raise UsageError(f"--target COL must name the column of classes; 'distinguo describe {table}' lists columns.")


def asked_for(models: str | None, settings: list[str] | None) -> Asked:
    """The models that may take part, and what is set of them and of texts; before anything heavy is imported."""
    from distinguo.cli.settings import Asked, text_options, with_settings

    own, of_texts = text_options(settings or ())
    return Asked(with_settings(options.parse_models(models), own), models is not None, of_texts)


def reading_of(delimiter: str | None, decimal: str, null: list[str] | None) -> Reading:
    """How the options say that a table is written."""
    from distinguo.cli.table import Reading

    return Reading(delimiter, decimal, tuple(null or ()))


def overrides_of(*columns: list[str] | None) -> Any:
    """The roles settled by options: columns that are numeric, categorical, texts, and left out."""
    from distinguo.cli.roles import Overrides

    return Overrides(*(tuple(names or ()) for names in columns))


def lesson_of(table: str, target: str | None, reading: Reading, overrides: Any, asked: Asked) -> Lesson:
    """The labelled rows behind the options of compare and fit."""
    from distinguo.cli.learning import Lesson
    from distinguo.cli.roles import assign
    from distinguo.cli.table import read_labelled

    rows = read_labelled(table, target, reading.of_texts(asked.text_options))
    overrides = overrides.of_folder(table)
    overrides.check(list(rows.grid.columns), rows.target)
    lesson = Lesson(rows, reading, overrides, assign(rows.grid, overrides), asked.text_options)
    if asked.text_options and not lesson.texts:
        raise UsageError("--set text.… is for columns of texts, and none is read; --text COL names one.")
    return lesson


def labelled_for(saved: SavedModel, table: str, reading: Reading) -> Labelled:
    """The labelled rows of a table that has the columns of a model, and its column of classes."""
    from distinguo.cli.predicting import require_columns
    from distinguo.cli.table import read_labelled

    rows = read_labelled(table, saved.target, reading.like(saved.decimal, saved.nulls).of_texts(saved.text_options))
    require_columns(saved, list(rows.grid.columns))
    return rows


def wanted_of(
    threshold: float | None,
    positive: str | None,
    costs: Path | None,
    reject: float | None,
    *,
    positive_alone: bool = False,
) -> Wanted:
    """How decisions are to be made; raises where options do not go together."""
    from distinguo.cli.deciding import Wanted

    if threshold is not None and costs is not None:
        raise UsageError("--threshold and --costs are two ways to decide; give one.")
    if reject is not None and costs is None:
        raise UsageError("--reject is what it costs to decide nothing; give --costs too.")
    if positive is not None and threshold is None and not positive_alone:
        raise UsageError("--positive says which class --unsure or --threshold is about; give one of these too.")
    return Wanted(threshold, positive, costs, reject)


def change_model(
    change: Callable[[SavedModel, Labelled], SavedModel],
    done: str,
    model: Path,
    table: str,
    output: Path | None,
    reading: Reading,
    quiet: bool,
) -> None:
    """Load a model, change it by the labelled rows of a table, and write it in place of itself or elsewhere."""
    from distinguo.cli import render, terminal
    from distinguo.cli.output import check_apart, check_place
    from distinguo.cli.persistence import load, save

    out = model if output is None else output
    check_place(out)
    check_apart(out, Path(table), "the table itself")
    saved = load(model)
    known = [str(label) for label in saved.model.classes_]
    rows = labelled_for(saved, table, reading)
    changed = change(saved, rows)
    save(changed, out)
    terminal.notes(render.changes(rows, known, changed), quiet)
    if not quiet:
        learned = done.format(rows=terminal.plural(len(rows.labels), "row"))
        terminal.print_to_stderr(f"{learned}; {render.written(changed, out)}")
