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


def utf8(value: str | None) -> str | None:
    """Text from a terminal, whose bytes need not be UTF-8; what is not comes as lone surrogates."""
    if value is not None and any("\ud800" <= sign <= "\udfff" for sign in value):
        raise typer.BadParameter(f"{value!r} is not UTF-8.")
    return value


def _all_utf8(values: list[str] | None) -> list[str] | None:
    for value in values or ():
        utf8(value)
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
        help="A CSV, TSV, Parquet or Arrow file, a pattern, folder or address of some, - for standard input, a folder "
        "with a folder of texts for each class, or iris, wine, breast_cancer or digits.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None, typer.Option("--target", "-t", metavar="COL", help="The column of classes.", show_default=False)
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Only rows that meet this, in the words of SQL, such as \"age >= 18 and country = 'it'\".",
        callback=utf8,
        show_default=False,
    ),
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
LearnSets = Annotated[
    bool,
    typer.Option(
        "--sets",
        help="Make predict --sets and --false-alarm possible where rows cannot be left out, by fits to ten folds.",
    ),
]
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
