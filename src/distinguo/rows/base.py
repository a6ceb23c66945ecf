"""What rows look like once they are inside: batches, and the sources that yield them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError, MissingCellsError

T = TypeVar("T")

HOLES_REFUSED = (
    "this model takes no missing cells. Fill the holes, leave those rows out, or use a model that takes them, such as "
    "LinearDiscriminantAnalysis or GaussianNB."
)


@dataclass(frozen=True, slots=True)
class ColumnCoding:
    """What the numbers in columns stand for where not all are measurements.

    Attributes
    ----------
    roles : (p,) text, one of `distinguo.rows.coding.ROLES`.
    categories : of each column the (L,) categories that 0, 1, ... stand for, None where its numbers are numbers.
    """

    roles: NDArray[Any]
    categories: tuple[NDArray[Any] | None, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some labelled rows, checked and converted; nothing that receives a batch checks it again.

    Attributes
    ----------
    X : (n, p) float64, C-contiguous, finite but for NaN where `holes` is true. Of sources that hold sparse rows, CSR
        where the spec `takes_sparse`, and of files and clusters, `Columns` where it `takes_words`, whatever mypy is
        told.
    codes : (n,) integers into `classes`.
    classes : (K,) labels as they came in, in no particular order.
    weight : (n,) float64, or None where every row counts once.
    first_row : position of the first row in the source, counted from 0.
    feature_names : (p,) strings, or None.
    holes : whether X contains NaN.
    coding : what the numbers of columns of categories stand for, or None where all are numbers.
    """

    X: NDArray[np.float64]
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    weight: NDArray[np.float64] | None
    first_row: int
    feature_names: NDArray[Any] | None
    holes: bool
    coding: ColumnCoding | None = None


class Reducer(ABC, Generic[T]):
    """What a source needs of a spec: a way from batches to a result (`statistics.base.Spec` is one).

    Results of disjoint rows add up by ``+``, so that rows may be reduced where they are and only sums travel.

    Attributes
    ----------
    takes_holes : whether missing cells may take part.
    takes_sparse : whether batches may be sparse.
    takes_words : whether batches are to be `Columns`, of numbers and words, where the source has some.
    adds_up : whether results add up; where they do not, all rows are reduced together, in memory.
    """

    takes_holes: Any = False
    takes_sparse: ClassVar[bool] = False
    takes_words: ClassVar[bool] = False
    adds_up: ClassVar[bool] = True

    @abstractmethod
    def reduce(self, batches: Iterable[Batch]) -> T:
        """The result of all the batches together, of which there is at least one."""

    def by_queries(self, table: Any) -> T:
        """The result from a `distinguo.rows.query_table.QueryTable`, without its rows.

        Raises
        ------
        InputError
            If there are no queries for it.
        """
        raise InputError(
            f"there are no queries by which a database could make {type(self).__name__}, which this fit needs. Bring "
            "the rows: fit on scan() of an exported file, or on a data frame."
        )


@dataclass(frozen=True, slots=True)
class Size:
    """How large a source is.

    Attributes
    ----------
    rows, columns : how many.
    exact : whether the rows were counted, or only estimated.
    """

    rows: int
    columns: int
    exact: bool


class Source(ABC):
    """Labelled rows that can be passed over, wherever they are.

    A cluster, a database or an accelerator is one more `Source`: it overrides nothing but `batches`, or
    brings an `aggregate` of its own that makes statistics where the rows are and returns their sum.

    Attributes
    ----------
    unlabeled : rows of the same columns whose class is not known, or None; they are in no pass over the others.
    is_remote : whether rows are on other machines, which they are not to leave but for models that hold them all.
    """

    unlabeled: Source | None = None
    is_remote: bool = False

    @property
    @abstractmethod
    def feature_names(self) -> NDArray[Any] | None:
        """(p,) names of the columns, or None where they have none."""

    @abstractmethod
    def batches(self) -> Iterator[Batch]:
        """One pass over the rows, in their order."""

    def aggregate(self, spec: Reducer[T]) -> T:
        """What `spec` describes, over all rows, in one pass."""
        return spec.reduce(checked(self.batches(), spec))

    def size(self) -> Size | None:
        """How large it is, before it is read; None where the rows are in memory already."""
        return None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Not at all; what asks, as scikit-learn's tools do, would else take a source for one strange cell."""
        raise InputTypeError(
            f"a source ({type(self).__name__}) goes into the fit of a model, and is no array, which this needs: "
            "predict, score, cross-validation, searches and pipelines take rows in memory. Read the "
            "rows that they are to have, such as a sample of the table."
        )


def checked(batches: Iterable[Batch], spec: Reducer[Any]) -> Iterable[Batch]:
    """The same batches; raises at the first with a missing cell where the spec takes none."""
    return batches if spec.takes_holes else refuse_holes(batches)


def total(parts: Iterable[T]) -> T:
    """The sum of the results of disjoint rows, of which there is at least one."""
    first, *rest = parts
    return sum(rest, start=first)  # type: ignore[call-overload, no-any-return]


def refuse_holes(batches: Iterable[Batch], why: str = HOLES_REFUSED) -> Iterator[Batch]:
    """The same batches; raises at the first one with a missing cell, saying why."""
    for batch in batches:
        if batch.holes:
            raise MissingCellsError(first_hole(batch.X, batch.first_row, batch.feature_names), why)
        yield batch


def describe_holes(X: NDArray[np.float64], first_row: int, names: NDArray[Any] | None) -> str:
    """Where the first missing cell is, and what to do about it."""
    return str(MissingCellsError(first_hole(X, first_row, names), HOLES_REFUSED))


def first_hole(X: NDArray[np.float64], first_row: int, names: NDArray[Any] | None) -> str:
    """Where the first missing cell is."""
    row, column = np.argwhere(np.isnan(X))[0]
    return f"row {first_row + row}, " + (f"column {column}" if names is None else f"column {str(names[column])!r}")
