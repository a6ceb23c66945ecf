"""More rows into a saved model, or rows out of it, without those it has learned."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.catalogue import CATALOGUE, Entry, find, listed
from distinguo.cli.class_names import ClassNames
from distinguo.cli.encoders import first_hole
from distinguo.cli.left_out import NOTHING_LEFT_OUT
from distinguo.cli.persistence import SavedModel
from distinguo.cli.predicting import encoded
from distinguo.cli.table import Labelled
from distinguo.cli.text_encoding import TextEncoder
from distinguo.exceptions import InputError, MissingCellsError
from distinguo.rows.labels import label_list
from distinguo.rows.memory import MemorySource


def update(saved: SavedModel, rows: Labelled) -> SavedModel:
    """The model with these rows learned besides; classes and words that are new are added.

    The model given is changed too.

    Raises
    ------
    InputError
        If it cannot learn on, or the rows cannot be used.
    """
    _require(saved, lambda entry: entry.merges or entry.learns_on, "learns all its rows at once")
    labels, before = labels_like(saved, rows), label_list(saved.model.classes_)
    encoder = saved.encoder
    if isinstance(encoder, TextEncoder):
        X = encoder.encode_more(rows.grid)
        named = {"feature_names": encoder.features} if find(saved.name).merges else {}
        saved.model.partial_fit(X, labels, **named)
    else:
        X = encoded(saved, rows.grid)
        with _told_of_holes(saved, rows):
            saved.model.partial_fit(X, labels)
    _require_use(saved, X)
    return _counted(saved, before, labels, +1)


def forget(saved: SavedModel, rows: Labelled) -> SavedModel:
    """The model without these rows, which it must have learned; the model given is changed too.

    Words of texts stay known, with counts of zero.

    Raises
    ------
    InputError
        If it cannot forget, or the rows are not among those it has learned.
    """
    _require(saved, lambda entry: entry.merges, "cannot take rows away")
    labels, before = labels_like(saved, rows), label_list(saved.model.classes_)
    unknown = sorted({str(label) for label in label_list(labels)} - {str(label) for label in before})
    if unknown:
        raise InputError(f"the model never learned rows of class {listed(unknown)}")
    encoder = saved.encoder
    if isinstance(encoder, TextEncoder):
        encoder.refuse_unknown(rows.grid)
        X = encoder.encode(rows.grid)
        saved.model.forget(MemorySource(X, labels, feature_names=encoder.features))
    else:
        X = encoded(saved, rows.grid)
        with _told_of_holes(saved, rows):
            saved.model.forget(X, labels)
    _require_use(saved, X)
    return _counted(saved, before, labels, -1)


@contextmanager
def _told_of_holes(saved: SavedModel, rows: Labelled) -> Iterator[None]:
    """A missing cell that a model takes at fit alone is named as the table has it."""
    try:
        yield
    except MissingCellsError:
        hole = first_hole(saved.encoder, rows.grid, saved.encoder.encode(rows.grid))
        raise InputError(
            f"{saved.name} learns and forgets rows without missing cells only, and {hole}. Leave such rows out, or fit "
            "gaussian-nb or mixed-nb, which pass over what is missing."
        ) from None


def _require_use(saved: SavedModel, X: Any) -> None:
    """Raise unless the model can still be used: a file that cannot would never be mended."""
    try:
        saved.model.predict(X[:1])
    except InputError as error:
        raise InputError(
            f"with this change the model would be of no use, so that it stays as it was: {error}"
        ) from None


def _require(saved: SavedModel, able: Callable[[Entry], bool], why_not: str) -> None:
    """Raise where a model is not able; the message names some that are."""
    if saved.is_calibrated:
        raise InputError(
            "a calibrated model does not change: change the file that it was calibrated from, and calibrate again."
        )
    if able(find(saved.name)):
        return
    reads_texts = isinstance(saved.encoder, TextEncoder)
    others = [entry.name for entry in CATALOGUE if able(entry) and (not reads_texts or entry.texts)]
    raise InputError(f"{saved.name} {why_not}: fit it again on the whole, or use one of {listed(others)}")


def labels_like(saved: SavedModel, rows: Labelled, known_only: bool = True) -> NDArray[Any]:
    """The labels in the type of the model's classes, however the table has them.

    Where other labels may come too, those that cannot be of that type stay as they are.
    """
    classes, labels = saved.model.classes_, rows.labels
    if classes.dtype.kind == labels.dtype.kind and classes.dtype.kind not in "US":
        return labels
    names = ClassNames(label_list(classes))
    different, places = np.unique(labels.astype(np.str_), return_inverse=True)
    found = [_label_like(names, text, classes.dtype.kind) for text in different.tolist()]
    foreign = [text for text, label in zip(different.tolist(), found, strict=True) if label is None]
    if foreign and known_only:
        raise InputError(
            f"the target {rows.target!r} holds {foreign[0]!r}, which is not of the kind of the model's classes: "
            f"{listed(names.texts)}"
        )
    if foreign:
        found = [text if label is None else label for text, label in zip(different.tolist(), found, strict=True)]
    return np.array(found, dtype=object if foreign else None)[places]


def _label_like(names: ClassNames, text: str, kind: str) -> Any:
    """The class that is written so, or a new one of the same kind; None where it cannot be of that kind."""
    new = {"U": text, "S": text, "i": _whole(text), "u": _whole(text)}.get(kind)
    return names.get(text, new)


def _whole(text: str) -> int | None:
    """A whole number that labels may be; None for other texts."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,18}", text) else None


def _counted(saved: SavedModel, before: list[Any], labels: NDArray[Any], sign: int) -> SavedModel:
    """The model with its rows counted anew; `before` are the classes that `counts` are of."""
    rows = dict(zip(before, saved.counts.tolist(), strict=True))
    found, changes = np.unique(labels, return_counts=True)
    for label, change in zip(label_list(found), changes.tolist(), strict=True):
        rows[label] = rows.get(label, 0) + sign * change
    now = [rows[label] for label in label_list(saved.model.classes_)]
    return replace(saved, counts=np.array(now, dtype=np.int64), left_out=NOTHING_LEFT_OUT)
