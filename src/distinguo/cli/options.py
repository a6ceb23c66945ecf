"""The options that verbs share: what each is called, checked and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from distinguo.catalogue import CATALOGUE, COMPARED, COMPARED_ON_TEXTS, Entry, find
from distinguo.exceptions import InputError


def _delimiter(value: str | None) -> str | None:
    """One character; a tab may be written as a backslash and a t."""
    value = "\t" if value == "\\t" else value
    if value is not None and len(value) != 1:
        raise typer.BadParameter(f"{value!r} is not one character.")
    return value


def _utf8(value: str | None) -> str | None:
    """Text from a terminal, whose bytes need not be UTF-8; what is not comes as lone surrogates."""
    if value is not None and any("\ud800" <= sign <= "\udfff" for sign in value):
        raise typer.BadParameter(f"{value!r} is not UTF-8.")
    return value


def _all_utf8(values: list[str] | None) -> list[str] | None:
    for value in values or ():
        _utf8(value)
    return values


def _decimal(value: str | None) -> str | None:
    if value not in {None, ".", ","}:
        raise typer.BadParameter(f"{value!r} is neither '.' nor ','.")
    return value


def _model(value: str | None) -> str | None:
    if value is not None:
        _find(value)
    return value


def _models(value: str | None) -> str | None:
    parse_models(value)
    return value


def parse_models(value: str | None) -> tuple[Entry, ...]:
    """The models named in a list with commas; for None all that are compared unasked, of tables or of texts."""
    if value is None:
        return (*COMPARED, *(entry for entry in COMPARED_ON_TEXTS if not entry.compared))
    return tuple(_find(name) for name in dict.fromkeys(name.strip() for name in value.split(",")))


def _find(name: str) -> Entry:
    """The model of that name; an unknown one is a wrong command."""
    try:
        return find(name)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


def _output(value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in OUTPUT_FORMATS:
        raise typer.BadParameter(f"'{value}' must end in {', '.join(OUTPUT_FORMATS)}, so that its format is known.")
    return value


OUTPUT_FORMATS = (".csv", ".tsv", ".parquet")

Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV, TSV, Parquet or Arrow file, - for standard input, a folder with a folder of texts for each class, "
        "or iris, wine, breast_cancer or digits.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None, typer.Option("--target", "-t", metavar="COL", help="The column of classes.", show_default=False)
]
Models = Annotated[
    str | None,
    typer.Option(
        "--models",
        metavar="A,B",
        help=f"Only these of {', '.join(entry.name for entry in CATALOGUE)}.",
        callback=_models,
        show_default=False,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help=f"One of {', '.join(entry.name for entry in CATALOGUE)}; by default the lowest log loss in compare.",
        callback=_model,
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[MODEL.]NAME=VALUE",
        help="An option of a model, such as lda.shrinkage=0.1 or qda.divisor=mle; may be repeated. With fit --model, "
        "NAME=VALUE is enough. text.NAME=VALUE is an option of how words are found, such as text.min_df=2. "
        "docs/models.md, docs/text.md and Python's help() tell the options.",
        show_default=False,
    ),
]
Folds = Annotated[int, typer.Option("--folds", metavar="N", min=2, help="Folds of each cross-validation.")]
Repeats = Annotated[
    int, typer.Option("--repeats", metavar="N", min=1, help="Cross-validations, the rows shuffled anew in each.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Settles how rows are shuffled.")]
Memory = Annotated[
    bool, typer.Option("--memory", help="Measure the peak memory of a fit too, which takes one more fit of each model.")
]
Numeric = Annotated[
    list[str] | None,
    typer.Option("--numeric", metavar="COL", help="Take this column as numbers; may be repeated.", show_default=False),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical", metavar="COL", help="Take this column as categories; may be repeated.", show_default=False
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COL",
        help="Read this column as texts, word by word, and no others; may be repeated.",
        show_default=False,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COL", help="Leave this column out; may be repeated.", show_default=False),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHAR",
        help="What separates cells; by default whichever of , ; tab | divides the header.",
        callback=_delimiter,
        show_default=False,
    ),
]
Decimal = Annotated[str, typer.Option("--decimal", metavar="CHAR", help="The decimal mark, . or ,", callback=_decimal)]
Null = Annotated[
    list[str] | None,
    typer.Option(
        "--null",
        metavar="WORD",
        help="Cells that mean missing, besides empty, NA and NaN; may be repeated.",
        callback=_all_utf8,
        show_default=False,
    ),
]
DecimalOfModel = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="CHAR",
        help="The decimal mark, . or , and by default that of the table the model was fitted on.",
        callback=_decimal,
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON with the same numbers instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on standard error.")]
QuietFit = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No table of coefficients, and no notes and no progress on standard error."),
]
Base = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="CLASS",
        help="Of logistic regression: the class that the others are held against; by default the first.",
        show_default=False,
    ),
]
OddsRatios = Annotated[
    bool,
    typer.Option("--odds-ratios", help="Of logistic regression: odds ratios with intervals, not their logarithms."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")]
ModelOut = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="The model file to write.", show_default=False)
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by fit.", show_default=False)]
RowsOut = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write here ({', '.join(OUTPUT_FORMATS)}) instead of CSV to standard output.",
        callback=_output,
        show_default=False,
    ),
]
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
    typer.Option("--text", metavar="TEXT", help="The text to explain.", callback=_utf8, show_default=False),
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
