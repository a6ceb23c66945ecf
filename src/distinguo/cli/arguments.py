"""From the options of a command line to what the verbs work with; nothing heavy is imported before it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distinguo.cli import options
from distinguo.cli.kinds import is_folder_of_texts
from distinguo.cli.running import UsageError

if TYPE_CHECKING:
    from distinguo.cli.deciding import Wanted
    from distinguo.cli.learning import Lesson
    from distinguo.cli.parts import Parts
    from distinguo.cli.persistence import SavedModel
    from distinguo.cli.settings import Asked
    from distinguo.cli.table import Reading


def require_target(table: str, target: str | None) -> None:
    """Raise where a file comes without the name of its column of classes; before anything heavy is imported."""
    from distinguo.cli.datasets import EMBEDDED

    if target is None and table not in EMBEDDED and not is_folder_of_texts(table):
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


def lesson_of(
    table: str,
    target: str | None,
    reading: Reading,
    overrides: Any,
    asked: Asked,
    where: str | None = None,
    *,
    quiet: bool = True,
    seed: int = 0,
) -> Lesson:
    """The labelled rows behind the options of compare and fit."""
    from distinguo.cli import terminal
    from distinguo.cli.large import Large, is_large
    from distinguo.cli.learning import Lesson
    from distinguo.cli.roles import assign
    from distinguo.cli.table import Labelling

    rows = Labelling.of(table, target, reading.of_texts(asked.text_options), where)
    overrides = overrides.of_folder(table)
    overrides.check(rows.columns, rows.target)
    lesson = None
    if is_large(rows.frames) and not overrides.text:
        large = Large.of(rows, overrides, seed, terminal.pass_progress(quiet))
        lesson = Lesson(None, reading, overrides, large.roles(overrides), asked.text_options, large)
    if lesson is None or lesson.texts:  # words are learned of all texts at once
        held = rows.whole()
        lesson = Lesson(held, reading, overrides, assign(held.grid, overrides), asked.text_options)
    if asked.text_options and not lesson.texts:
        raise UsageError("--set text.… is for columns of texts, and none is read; --text COL names one.")
    return lesson


def parts_for(saved: SavedModel, table: str, reading: Reading, where: str | None, *, quiet: bool) -> Parts:
    """The labelled rows of a table that has the columns of a model, and its column of classes."""
    from distinguo.cli import terminal
    from distinguo.cli.parts import Parts
    from distinguo.cli.predicting import require_columns
    from distinguo.cli.table import Labelling

    reading = reading.like(saved.decimal, saved.nulls).of_texts(saved.text_options)
    rows = Labelling.of(table, saved.target, reading, where)
    require_columns(saved, rows.columns)
    return Parts(rows, saved.encoder.names, terminal.pass_progress(quiet))


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


@dataclass(frozen=True)
class Change:
    """What is to be done to a model file, by the labelled rows of a table.

    Attributes
    ----------
    model, output : the file, and where to write; None for in its place.
    table : the rows.
    reading : how they are written.
    where : a condition on them, or None.
    quiet : whether nothing is said.
    """

    model: Path
    output: Path | None
    table: str
    reading: Reading
    where: str | None
    quiet: bool

    def make(self, change: Callable[[SavedModel, Parts], SavedModel], done: str) -> None:
        """Load the model, change it, and write it."""
        from distinguo.cli import render, terminal
        from distinguo.cli.output import check_apart, check_place, stamp
        from distinguo.cli.persistence import load, save
        from distinguo.exceptions import InputError

        out = self.model if self.output is None else self.output
        check_place(out)
        check_apart(out, self.table)
        before = stamp(self.model)
        saved = load(self.model)
        known = [str(label) for label in saved.model.classes_]
        rows = parts_for(saved, self.table, self.reading, self.where, quiet=self.quiet)
        changed = change(saved, rows)
        if self.output is None and stamp(self.model) != before:  # whose rows would be lost
            raise InputError(f"'{out}' was written by another command meanwhile, and stays so. Run this one again.")
        save(changed, out)
        terminal.notes(render.changes(rows.unlabelled, known, changed), self.quiet)
        if not self.quiet:
            learned = done.format(rows=terminal.plural(rows.n, "row"))
            terminal.print_to_stderr(f"{learned}; {render.written(changed, out)}")
