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
from distinguo.cli.parts import Parts
from distinguo.cli.persistence import SavedModel
from distinguo.cli.predicting import encoded
from distinguo.cli.table import Labelled
from distinguo.cli.text_encoding import TextEncoder
from distinguo.exceptions import InputError, MissingCellsError
from distinguo.rows.labels import label_list
from distinguo.rows.memory import MemorySource


def update(saved: SavedModel, rows: Parts) -> SavedModel:
    """The model with these rows learned besides; classes and words that are new are added.

    The model given is changed too.

    Raises
    ------
    InputError
        If it cannot learn on, or the rows cannot be used.
    """
    _require(saved, lambda entry: entry.merges or entry.learns_on, "learns all its rows at once")
    return _changed(saved, rows, _learn, +1)


def forget(saved: SavedModel, rows: Parts) -> SavedModel:
    """The model without these rows, which it must have learned; the model given is changed too.

    Words of texts stay known, with counts of zero.

    Raises
    ------
    InputError
        If it cannot forget, or the rows are not among those it has learned.
    """
    _require(saved, lambda entry: entry.merges, "cannot take rows away")
    return _changed(saved, rows, _unlearn, -1)


def _changed(
    saved: SavedModel, rows: Parts, change: Callable[[SavedModel, Labelled, NDArray[Any]], Any], sign: int
) -> SavedModel:
    """The model changed by all rows, some at a time, and its rows counted anew."""
    before = label_list(saved.model.classes_)
    counts = dict(zip(before, saved.counts.tolist(), strict=True))
    X = None
    for part in rows:
        labels = labels_like(saved, part)
        if not len(labels):
            continue
        X = change(saved, part, labels)
        found, changes = np.unique(labels, return_counts=True)
        for label, rows_of_it in zip(label_list(found), changes.tolist(), strict=True):
            counts[label] = counts.get(label, 0) + sign * rows_of_it
    _require_use(saved, X)
    now = [counts[label] for label in label_list(saved.model.classes_)]
    return replace(saved, counts=np.array(now, dtype=np.int64), left_out=NOTHING_LEFT_OUT)


def _learn(saved: SavedModel, rows: Labelled, labels: NDArray[Any]) -> Any:
    """Learn some rows; these as the model takes them."""
    encoder = saved.encoder
    if isinstance(encoder, TextEncoder):
        X = encoder.encode_more(rows.grid)
        named = {"feature_names": encoder.features} if find(saved.name).merges else {}
        saved.model.partial_fit(X, labels, **named)
        return X
    X = encoded(saved, rows.grid)
    with _told_of_holes(saved, rows):
        saved.model.partial_fit(X, labels)
    return X


def _unlearn(saved: SavedModel, rows: Labelled, labels: NDArray[Any]) -> Any:
    """Take some rows away; these as the model takes them."""
    known = {str(label) for label in label_list(saved.model.classes_)}
    unknown = sorted({str(label) for label in label_list(labels)} - known)
    if unknown:
        raise InputError(f"the model never learned rows of class {listed(unknown)}")
    encoder = saved.encoder
    if isinstance(encoder, TextEncoder):
        encoder.refuse_unknown(rows.grid)
        X = encoder.encode(rows.grid)
        saved.model.forget(MemorySource(X, labels, feature_names=encoder.features))
        return X
    X = encoded(saved, rows.grid)
    with _told_of_holes(saved, rows):
        saved.model.forget(X, labels)
    return X


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
