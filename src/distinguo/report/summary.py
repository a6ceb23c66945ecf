"""What a report says, as values: each part computed once, and written as JSON as it is shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from distinguo.advice import Advice


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
    """A row that was held out and taken for another class: its number in the table, and how sure the model was."""

    row: int
    true: str
    predicted: str
    probability: float
    of_true: float


def plain_advice(advice: Advice) -> dict[str, Any]:
    """A coded warning as JSON has it."""
    return asdict(advice)
