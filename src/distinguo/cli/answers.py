"""The options of verbs that answer, judge and explain: what each is called, checked and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from distinguo.cli import options

NovelBelow = Annotated[
    float | None,
    typer.Option(
        "--novel-below",
        metavar="P",
        min=0.0,
        max=1.0,
        help="Rows less typical than this of every class are novel; by default 0.001.",
        show_default=False,
    ),
]


def _share(value: float | None) -> float | None:
    if value is not None and not 0 < value < 1:
        raise typer.BadParameter(f"{value:g} is not between 0 and 1.")
    return value


def _unsure(value: tuple[float, float] | None) -> tuple[float, float] | None:
    if value is not None and not 0 <= value[0] < value[1] <= 1:
        raise typer.BadParameter(f"{value[0]:g} {value[1]:g}: two probabilities, the lower first, such as 0.05 0.95.")
    return value


Unsure = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--unsure",
        metavar="LOW HIGH",
        help="Mark rows whose probability of the second class, or of --positive, lies from LOW up to HIGH as unsure.",
        callback=_unsure,
        show_default=False,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive", metavar="CLASS", help="The class looked for; of two, by default the second.", show_default=False
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="P",
        min=0.0,
        max=1.0,
        help="Decide for the second class, or --positive, from this probability on.",
        show_default=False,
    ),
]
CostsFile = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        metavar="FILE",
        help="Decide for what costs least, by a CSV file with a line a true class and a column a decision.",
        show_default=False,
    ),
]
Reject = Annotated[
    float | None,
    typer.Option(
        "--reject",
        metavar="COST",
        min=0.0,
        help="With --costs: what it costs to decide nothing, where every decision costs more.",
        show_default=False,
    ),
]
Sets = Annotated[
    float | None,
    typer.Option(
        "--sets",
        metavar="ALPHA",
        help="Append the classes that each row may have, wrong for a share of at most ALPHA of all rows.",
        callback=_share,
        show_default=False,
    ),
]


def _sets_by(value: str | None) -> str | None:
    if value not in {None, "posterior", "density"}:
        raise typer.BadParameter(f"{value!r} is neither posterior nor density.")
    return value


SetsBy = Annotated[
    str | None,
    typer.Option(
        "--sets-by",
        metavar="HOW",
        help="posterior, the default: the likeliest classes; or density: those that the row is like, and none if it is "
        "like none.",
        callback=_sets_by,
        show_default=False,
    ),
]
FalseAlarm = Annotated[
    float | None,
    typer.Option(
        "--false-alarm",
        metavar="RATE",
        help="Call novel what is less dense than all but this share of familiar rows, by rows left out of the fit.",
        callback=_share,
        show_default=False,
    ),
]
Prevalence = Annotated[
    list[str] | None,
    typer.Option(
        "--prevalence",
        metavar="CLASS=SHARE",
        help="How common a class is where the model is used, if not as in the table; may be repeated.",
        show_default=False,
    ),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="METRIC=VALUE",
        help="Exit with 3 where a metric, such as accuracy=0.9, recall[spam]=0.95 or log_loss=0.3, falls short; may be "
        "repeated.",
        show_default=False,
    ),
]


def _method(value: str) -> str:
    if value not in METHODS:
        raise typer.BadParameter(f"{value!r} is none of {', '.join(METHODS)}.")
    return value


METHODS = ("temperature", "platt", "beta", "isotonic", "venn-abers")
Method = Annotated[
    str, typer.Option("--method", metavar="NAME", help=f"One of {', '.join(METHODS)}.", callback=_method)
]
TestShare = Annotated[
    float | None,
    typer.Option(
        "--test-share",
        metavar="SHARE",
        help="Instead of folds, draw this share of the rows to test on, --repeats times.",
        callback=_share,
        show_default=False,
    ),
]
Updated = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the model here, and leave MODEL as it is.", show_default=False
    ),
]
TableToExplain = Annotated[
    str | None, typer.Argument(metavar="[TABLE]", help="A table as in predict.", show_default=False)
]
GivenText = Annotated[
    str | None,
    typer.Option("--text", metavar="TEXT", help="The text to explain.", callback=options.utf8, show_default=False),
]
Row = Annotated[int, typer.Option("--row", metavar="N", min=1, help="The row of the table, counted from 1.")]
Class = Annotated[
    str | None,
    typer.Option("--class", metavar="CLASS", help="A class; by default the one predicted.", show_default=False),
]
Against = Annotated[
    str | None,
    typer.Option("--against", metavar="CLASS", help="Another; by default the runner-up.", show_default=False),
]
Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="How many columns or words are shown.")]


def _picture(value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in PICTURES:
        raise typer.BadParameter(f"'{value}' must end in {', '.join(PICTURES)}, so that its format is known.")
    return value


def page_name(value: Path | None) -> Path | None:
    """The name of a page, once it is one."""
    if value is not None and value.suffix.lower() not in PAGES:
        raise typer.BadParameter(f"'{value}' must end in {' or '.join(PAGES)}; its numbers go into .json beside it.")
    return value


PAGES = (".html", ".htm")
PageOfComparison = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a page about the table and the models too (.html), and its numbers beside it (.json).",
        callback=page_name,
        show_default=False,
    ),
]
PICTURES = (".png", ".svg", ".pdf")
Picture = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Draw it too ({', '.join(PICTURES)}).",
        callback=_picture,
        show_default=False,
    ),
]
