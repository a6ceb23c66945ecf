"""The verb that writes a page about a table and the models of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from distinguo.cli import answers, options
from distinguo.cli.arguments import asked_for, lesson_of, overrides_of, reading_of, require_target

if TYPE_CHECKING:
    from distinguo.cli.learning import Lesson, Plan, Verdict
    from distinguo.report.building import Report

PageOut = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The page to write (.html); the same numbers go into a file beside it that ends in .json.",
        callback=answers.page_name,
        show_default=False,
    ),
]
Looked = Annotated[
    str | None,
    typer.Option("--positive", metavar="CLASS", help="Of two classes the one looked for.", show_default=False),
]


def report(
    table: options.Table,
    output: PageOut,
    target: options.Target = None,
    where: options.Where = None,
    models: options.Models = None,
    settings: options.Settings = None,
    positive: Looked = None,
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
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Compare models, and write a page about the table, the models and the best of them.

    The page is one file that needs no network. Of large tables only quick models are compared, unless --models names
    some, and of tables too large to be held rows are drawn that the page is about; the page says so.
    """
    require_target(table, target)
    asked = asked_for(models, settings)
    from distinguo.cli import terminal
    from distinguo.cli.learning import Plan
    from distinguo.cli.reporting import plan_of, report_of

    require_places(output, table)
    overrides = overrides_of(numeric, categorical, text, drop)
    reading = reading_of(delimiter, decimal, null)
    lesson = lesson_of(table, target, reading, overrides, asked, where, quiet=quiet, seed=seed)
    plan, notes = plan_of(lesson, Plan(folds, repeats, seed, asked.takers(lesson.texts)), models is not None)
    notes = [*lesson.notes_of_drawn(), *notes]
    terminal.notes([*lesson.notes(), *notes], quiet)
    write(report_of(lesson, plan, Path(table).name, positive, notes, quiet), output)
    if not quiet:
        terminal.print_to_stderr(f"wrote {output} and {beside(output)}")


def beside(page: Path) -> Path:
    """Where the numbers of a page go."""
    return page.with_suffix(".json")


def write(report: Report, page: Path) -> None:
    """The page, and the numbers beside it."""
    from distinguo.cli.output import replacing

    for path, content in ((page, report.to_html()), (beside(page), report.to_json())):
        with replacing(path) as temporary:
            temporary.write_text(content, encoding="utf-8", newline="\n")


def require_places(page: Path, table: str) -> None:
    """Raise where a page and its numbers cannot be written, or would be written over the table."""
    from distinguo.cli.output import check_apart, check_place

    for path in (page, beside(page)):
        check_place(path)
        check_apart(path, table)


def write_page(lesson: Lesson, plan: Plan, verdict: Verdict, title: str, page: Path, quiet: bool) -> None:
    """The page about a comparison that is done."""
    from distinguo.cli import terminal
    from distinguo.cli.reporting import material_of
    from distinguo.report.building import build

    write(build(material_of(lesson, plan, verdict, title, None, [])), page)
    if not quiet:
        terminal.print_to_stderr(f"wrote {page} and {beside(page)}")
