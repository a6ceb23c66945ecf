"""A fitted model at work on a Spark data frame, on the executors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import DistinguoError, InputError, InputTypeError
from distinguo.export.naming import free_names
from distinguo.rows.frames import quoted
from distinguo.rows.labels import label_list, label_text
from distinguo.rows.spark_rows import NUMBERS, TEXTS, by_place, check_frame, named, number_of_partition, refuse_types

# Types of labels as Arrow has them, and the pair that they become, Arrow's and Spark's.
LABELS = {
    "string": ("string", "string"),
    **{f"{sign}int{bits}": ("int64", "long") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "bool": ("bool", "boolean"),
    "float": ("double", "double"),
    "double": ("double", "double"),
    "date32[day]": ("date32", "date"),
}
# A row that any model takes, whatever its columns stand for: each tells its columns and labels before there is a job.
SAMPLES: dict[str, Any] = {**dict.fromkeys(NUMBERS, 1.0), **dict.fromkeys(TEXTS, ""), "boolean": True}


def predict_spark(model: Any, frame: Any, *, columns: Sequence[str] | None = None) -> Any:
    """The rows of a Spark data frame with what a fitted model says of each, worked out where they are.

    All columns stay, and after them come `predicted`, the class, and `p_<class>`, the posterior of each class in the
    order of `classes_`; of models without posteriors only `predicted`. Where the data frame has a column called so, a
    number is added. As of any Spark data frame nothing is worked out before rows are asked for; then they pass through
    the model as Arrow batches. Missing cells, null or NaN, are taken as `predict` takes them; a model that takes none
    has the job fail there.

    Parameters
    ----------
    model : a fitted classifier, or a pipeline that ends with one.
    frame : a data frame of `pyspark.sql`, Classic or Connect, streams included.
    columns : (p,) what the model's columns are called there; None for the names of the fit.

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    InputTypeError
        If frame is no data frame of `pyspark.sql`.
    InputError
        If columns are missing, not named, or of types that the model does not take, or labels are of several types.
    NotFittedError

    Examples
    --------
    >>> from distinguo import GaussianNB
    >>> model = GaussianNB().fit(frame, "species")  # doctest: +SKIP
    >>> predict_spark(model, frame).select("predicted", "p_setosa").show(2)  # doctest: +SKIP
    """
    check_frame(frame)
    check_is_fitted(model)
    given = _columns(model, frame.columns, columns)
    refuse_types(frame, given, NUMBERS | TEXTS, "Turn these into numbers or words, as they were at fit.")
    teller = _Teller(model, tuple(map(frame.columns.index, given)), tuple(_known(model) or given))
    types = {field.name: field.dataType.typeName() for field in frame.schema}
    _, p = teller.said(pl.DataFrame([pl.Series(name, [SAMPLES[types[name]]]) for name in given]))
    said = ["predicted", *([] if p is None else [f"p_{label}" for label in label_list(model.classes_)])]
    schema = by_place(frame).schema
    schema.add("predicted", _types_of_labels(model.classes_)[1])
    for column in said[1:]:
        schema.add(column, "double")
    extended = by_place(frame).mapInArrow(teller, schema)
    return extended.toDF(*frame.columns, *free_names(said, frame.columns, str.casefold))


@dataclass(frozen=True)
class _Teller:
    """From Arrow batches to the same with what a model says of their rows.

    Attributes
    ----------
    model : fitted.
    places : (p,) where its columns are in a batch.
    names : (p,) what it calls them.
    """

    model: Any
    places: tuple[int, ...]
    names: tuple[str, ...]

    def __call__(self, arrived: Iterator[Any]) -> Iterator[Any]:
        """One batch after the other; what Spark shows of an error begins with where the rows are."""
        row = 0
        for batch in arrived:
            try:
                if batch.num_rows:
                    yield self._extended(batch)
            except DistinguoError as error:
                raise InputError(f"from row {row} of partition {number_of_partition()} on: {error}") from None
            row += batch.num_rows

    def _extended(self, batch: Any) -> Any:
        import pyarrow as pa

        labels, p = self.said(named(batch.select(list(self.places)), self.names))
        said = {"predicted": labels} | (
            {} if p is None else {f"p{k}": pa.array(column) for k, column in enumerate(p.T)}
        )
        fields = [pa.field(name, column.type) for name, column in said.items()]
        return pa.RecordBatch.from_arrays([*batch.columns, *said.values()], schema=pa.schema([*batch.schema, *fields]))

    def said(self, rows: pl.DataFrame) -> tuple[Any, NDArray[np.float64] | None]:
        """Labels (n,) as an Arrow array, and posteriors (n, K) where the model has some."""
        import pyarrow as pa

        rows = rows.with_columns(selectors.decimal().cast(pl.Float64))
        posterior = getattr(self.model, "predict_proba", None)
        with warnings.catch_warnings():  # which nobody reads there
            warnings.simplefilter("ignore")
            labels = pa.array(self.model.predict(rows), _types_of_labels(self.model.classes_)[0])
            return labels, None if posterior is None else np.asarray(posterior(rows))


def _types_of_labels(classes: NDArray[Any]) -> tuple[Any, str]:
    """The types of a column of labels, in Arrow and in Spark."""
    import pyarrow as pa

    try:
        arrow, spark = LABELS[str(pa.array(classes).type)]
    except (pa.ArrowException, KeyError):
        shown = ", ".join(label_text(label) for label in label_list(classes)[:4])
        raise InputError(
            f"the classes ({shown}) are not all texts, numbers, truth values or days, as the values of one column of "
            "Spark must be; fit the model on labels turned into text."
        ) from None
    return pa.type_for_alias(arrow), spark


def _known(model: Any) -> list[str] | None:
    """The names of the fit, or None."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _columns(model: Any, there: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    """(p,) what the model's columns are called in the data frame."""
    given = _known(model) if columns is None else columns
    if given is None:
        raise InputError("the model was fitted without names of columns; give columns=, those of the data frame.")
    if isinstance(given, str):
        raise InputTypeError(f"columns must be a list of names; {given!r} came.")
    missing = [name for name in given if name not in there]
    if missing:
        raise InputError(
            f"the data frame lacks the columns {quoted(missing)}; it has {quoted(there, 20)}. Where they are called "
            "otherwise, give columns=."
        )
    return list(given)
