"""What a report says, as values: each part computed once, and written as JSON as it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    """How often something is there."""

    name: str
    rows: int


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Attributes
    ----------
    name, role, note : as in `TableColumn`.
    missing, distinct : cells without a value, and different values.
    low, median, high : of numbers; None of words.
    edges : (b + 1,) of the bins of a histogram; () of words.
    counts : (b,) rows in each.
    common : the commonest words.
    """

    name: str
    role: str
    note: str
    missing: int
    distinct: int
    low: float | None = None
    median: float | None = None
    high: float | None = None
    edges: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()
    common: tuple[Count, ...] = ()


@dataclass(frozen=True)
class Overview:
    """The table.

    Attributes
    ----------
    target : the column of labels.
    rows, unlabelled : with a label, and left out for having none.
    classes : the commonest first; `classes_cut` more are not listed.
    columns : in the order of the table; `columns_cut` more are not listed.
    roles : how many columns there are of each role.
    missing : cells without a value, of all columns.
    """

    target: str
    rows: int
    unlabelled: int
    n_classes: int
    classes: tuple[Count, ...]
    classes_cut: int
    n_columns: int
    columns: tuple[Column, ...]
    columns_cut: int
    roles: tuple[Count, ...]
    missing: int


@dataclass(frozen=True)
class ModelFigures:
    """One model of the comparison; the difference is to the best, with a 95 % interval, and McNemar's p-value.

    Attributes
    ----------
    is_baseline, is_chosen : whether it always says the commonest class, and whether the page is about it.
    """

    name: str
    title: str
    is_baseline: bool
    is_chosen: bool
    accuracy: float
    accuracy_se: float | None
    balanced_accuracy: float
    log_loss: float | None
    train_accuracy: float | None
    loss_difference: float | None = None
    loss_low: float | None = None
    loss_high: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class Excluded:
    """A model that could not take part, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Board:
    """The comparison.

    Attributes
    ----------
    scheme : how rows were held out.
    models : the best first.
    excluded : those that could not take part.
    warnings : what models warned of, each with the models that did.
    """

    scheme: str
    models: tuple[ModelFigures, ...]
    excluded: tuple[Excluded, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Chosen:
    """The model that the page is about, and its settings in words."""

    name: str
    title: str
    settings: tuple[str, ...]


@dataclass(frozen=True)
class Mistake:
    """A row that was held out and taken for another class.

    Attributes
    ----------
    row : its number in the table.
    true, predicted : its class, and the one that was said.
    probability, of_true : what both were given.
    text : how it begins, where texts were read.
    """

    row: int
    true: str
    predicted: str
    probability: float
    of_true: float
    text: str = ""


@dataclass(frozen=True)
class Reason:
    """What one cell has to do with a row's strangeness; as `ColumnReason` of the evaluation, cells as text."""

    column: str
    cell: str
    usual: str
    deviations: float
    share: float


@dataclass(frozen=True)
class Strange:
    """A row that is like few others, by the model named in `Strangest`.

    Attributes
    ----------
    row : its number in the table.
    true, like : its class, and the one it would most probably have.
    typicality : how often a row of that class is as strange.
    reasons : the columns that make it so.
    """

    row: int
    true: str
    like: str
    typicality: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Strangest:
    """The strangest rows, and the model that finds them so."""

    model: str
    rows: tuple[Strange, ...]


@dataclass(frozen=True)
class Described:
    """A column beside the classes.

    Attributes
    ----------
    column : its name.
    between : the share of its variance that lies between the classes.
    means, deviations : one a class, in the order of `ClassTable.classes`; None where no cell is known.
    """

    column: str
    between: float
    means: tuple[float | None, ...]
    deviations: tuple[float | None, ...]


@dataclass(frozen=True)
class ClassTable:
    """Means and standard deviations within the classes, of the columns that differ most between them.

    Attributes
    ----------
    classes : the commonest; `classes_cut` more are not listed.
    columns : those that differ most first; `columns_cut` more are not listed.
    """

    classes: tuple[str, ...]
    classes_cut: int
    columns: tuple[Described, ...]
    columns_cut: int


@dataclass(frozen=True)
class Coefficient:
    """What a column adds to a score; None where that is not known.

    Attributes
    ----------
    term, outcome : the column, and the class whose score it is.
    estimate : for one unit of the column.
    per_deviation : for one standard deviation of the column.
    standard_error, low, high, p_value : what is known of the estimate, of maximum likelihood.
    """

    term: str
    outcome: str
    estimate: float | None
    per_deviation: float | None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class Coefficients:
    """The weights of a model, the largest first; `cut` more are not listed.

    Attributes
    ----------
    model : whose they are.
    meaning : what the numbers are.
    has_inference : whether there are standard errors.
    """

    model: str
    meaning: str
    has_inference: bool
    rows: tuple[Coefficient, ...]
    cut: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Word:
    """A word, and how much more it adds to the score of a class than, on average, to the others'."""

    word: str
    lead: float


@dataclass(frozen=True)
class Telling:
    """The words that tell most of a class."""

    name: str
    words: tuple[Word, ...]
