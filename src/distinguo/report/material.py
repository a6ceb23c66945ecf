"""What a report is made of: a table, a comparison on it, and the model that was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.evaluation.comparison.contest import Result
from distinguo.evaluation.comparison.differences import Differences


@dataclass(frozen=True, eq=False)
class TableColumn:
    """One column of the table.

    Attributes
    ----------
    name : what it is called.
    role : what it is taken for.
    note : why it is left out, or what else is to be said of it.
    values : (n,) float64, NaN where a cell is missing, or objects: text, None where one is missing.
    is_read : whether it holds texts that models read.
    """

    name: str
    role: str
    note: str
    values: NDArray[Any]
    is_read: bool = False


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model fitted on all rows.

    Attributes
    ----------
    model : the estimator.
    X : (n, p) the rows as it takes them.
    features : (p,) what its columns are called.
    settings : options that were given, and what cross-validation chose, in words.
    is_text : whether columns are words of texts.
    """

    model: Any
    X: Any
    features: Sequence[str]
    settings: Sequence[str] = ()
    is_text: bool = False


@dataclass(frozen=True, eq=False)
class Material:
    """What is known before anything is computed for the page.

    Attributes
    ----------
    title : of the page.
    target : the column of labels.
    columns : the others, whether models see them or not.
    labels : (n,)
    results : of the comparison, in any order, the baseline called "majority" among them.
    scheme : how rows were held out.
    fitted : the chosen model; None where only the comparison is shown.
    numbers : (n, p) all that models see as float64, in a frame or an array, for pictures; None where there is no such.
    row_numbers : (n,) where rows stand in the table, counted from 1; by default one after the other.
    unlabelled : rows without a label, which are left out.
    notes : what a reader should know of the rows and models.
    advice : coded warnings.
    positive : which of two classes is looked for; by default the second.
    differences : of the models to the best; None where they are not known.
    """

    title: str
    target: str
    columns: Sequence[TableColumn]
    labels: NDArray[Any]
    results: Sequence[Result]
    scheme: str
    fitted: Fitted | None = None
    numbers: Any = None
    row_numbers: NDArray[Any] | None = None
    unlabelled: int = 0
    notes: Sequence[str] = ()
    advice: Sequence[Advice] = ()
    positive: Any = None
    differences: Differences | None = None

    def texts(self) -> Any:
        """(n,) the texts that models read, those of the first such column; None where they read none."""
        if self.fitted is None or not self.fitted.is_text:
            return None
        return next((column.values for column in self.columns if column.is_read), None)

    def numbered(self) -> NDArray[np.intp]:
        """(n,) where rows stand in the table, counted from 1."""
        return np.arange(1, len(self.labels) + 1) if self.row_numbers is None else np.asarray(self.row_numbers)
