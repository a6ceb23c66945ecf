"""The labels of test rows beside the classes of a model, and what was said of the rows, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.priors import SUM_TOLERANCE
from distinguo.rows.labels import encode_labels, is_missing, label_array, label_list, label_text, merge_classes
from distinguo.rows.validation import check_weight, real_numbers

Array = NDArray[np.float64]
Codes = NDArray[np.signedinteger]

MOST_NAMED = 8
# Rows that are looked at together; of fewer, no number depends on how rows are cut.
TOGETHER = 500_000
# Code of a row that a model would not name a class for.
NO_ANSWER = -1


@dataclass(frozen=True, eq=False)
class Truth:
    """Test rows by their true class; rows of weight zero are not there.

    Attributes
    ----------
    classes : (K,) of the model, in the order of its probabilities.
    unseen : (U,) labels of the test rows that are none of them.
    codes : (n,) places among classes and, after these, unseen labels; of the smallest type that holds them.
    weight : (n,) frequencies.
    given : how many rows came.
    kept : (n,) which of them count, or None where all do, once.
    """

    classes: NDArray[Any]
    unseen: NDArray[Any]
    codes: Codes
    weight: Array
    given: int
    kept: NDArray[np.intp] | None

    @property
    def labels(self) -> list[Any]:
        """(K + U) classes, then unseen labels."""
        return [*label_list(self.classes), *label_list(self.unseen)]

    @property
    def totals(self) -> Array:
        """(K + U,) weight of each label."""
        R, n = len(self.labels), len(self.codes)
        parts = (np.bincount(self.codes[rows], self.weight[rows], R) for rows in parts_of(n))
        return np.asarray(sum(parts), dtype=np.float64)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """(K + U,) rows of each label."""
        R = len(self.labels)
        parts = (np.bincount(self.codes[rows], minlength=R) for rows in parts_of(len(self.codes)))
        return np.asarray(sum(parts), dtype=np.intp)

    @classmethod
    def coded(cls, classes: NDArray[Any], found: list[Any], codes: Codes) -> Self:
        """Rows that count once each, by codes (n,) into the classes and, after these, labels found besides.

        Raises
        ------
        InputError
            If none of the labels is a class.
        """
        n, K, unseen = len(codes), len(classes), classes[:0]
        if found:
            own, unseen = encode_labels(found)
            if codes.min() >= K:
                raise InputError(_strangers(unseen, classes))
            codes = np.append(np.arange(K), K + own).astype(smallest_codes(K + len(found)))[codes]
        return cls(classes, unseen, codes, _ones(n), n, None)

    def numbers(self, values: Any, name: str) -> Array:
        """(n,) numbers, one a row that came, of the rows that count."""
        numbers = real_numbers(values, f"{name} must be numbers, one a row.")
        if numbers.shape != (self.given,):
            raise InputError(f"{name} has shape {numbers.shape}, expected {(self.given,)}: one number a row.")
        if np.isnan(numbers).any():
            raise InputError(f"{name} contains NaN (row {int(np.flatnonzero(np.isnan(numbers))[0])}).")
        return self._kept(numbers)

    def probabilities(self, values: Any) -> Array:
        """(n, K) probabilities of the rows that count.

        Raises
        ------
        InputError
            If they have another shape, lie outside [0, 1], or do not sum to one in every row.
        """
        numbers = self._columns(values, "probabilities")
        for check in (self._refuse_wrong, _refuse_sums):
            for rows in parts_of(len(numbers)):
                check(numbers[rows], rows.start)
        kept = self._kept(numbers)
        return kept if float(kept.max(initial=0.0)) <= 1 else np.minimum(kept, 1.0)

    def _refuse_wrong(self, numbers: Array, first_row: int) -> None:
        """Raise where some are no probabilities."""
        wrong = ~((numbers >= 0) & (numbers <= 1 + SUM_TOLERANCE))  # NaN is wrong too
        if wrong.any():
            row, k = np.argwhere(wrong)[0]
            raise InputError(
                f"probabilities must lie between 0 and 1; row {first_row + row} gives {label_text(self.classes[k])} "
                f"{numbers[row, k]:.6g}."
            )

    def scores(self, values: Any) -> Array:
        """(n, K) scores of the rows that count; those of two classes may come as the second's lead, (n,)."""
        given = real_numbers(values, "scores must be numbers, a row of one a class for each row.")
        if given.ndim == 1 and len(self.classes) == 2:
            given = np.column_stack([-given, given])
        numbers = self._columns(given, "scores")
        if np.isnan(numbers).any():
            raise InputError(f"scores contain NaN (row {int(np.argwhere(np.isnan(numbers))[0][0])}).")
        return self._kept(numbers)

    def predicted(self, labels: Any) -> Codes:
        """(n,) places of predicted labels among the classes, `NO_ANSWER` where a label is missing."""
        given = label_array(labels)
        if given.shape != (self.given,):
            raise InputError(f"there are {len(given)} predicted labels for {self.given} rows; give one a row.")
        return answered_places(self.classes, self._kept(given))

    def _kept(self, values: NDArray[Any]) -> NDArray[Any]:
        """Those of the rows that count; all of them are not copied."""
        return values if self.kept is None else values[self.kept]

    def _columns(self, values: Any, name: str) -> Array:
        numbers = real_numbers(values, f"{name} must be numbers, a row of one a class for each row.")
        K = len(self.classes)
        if numbers.ndim != 2 or numbers.shape != (self.given, K):
            raise InputError(
                f"{name} has shape {numbers.shape}, expected {(self.given, K)}: a row for each label, a column for "
                f"each class ({named(self.classes)})."
            )
        return numbers


def truth_of(y: Any, classes: Any, sample_weight: Any) -> Truth:
    """Labels (n,) beside the classes of a model; None takes the labels' own.

    Raises
    ------
    InputError
        If labels or weights cannot be used, no row counts, a class is there twice, or none of the labels is a class.
    """
    given = label_array(y)
    if not len(given):
        raise InputError("y is empty; there is nothing to judge by.")
    weight = check_weight(sample_weight, len(given))
    kept = None if weight is None else np.flatnonzero(weight)
    codes, own = encode_labels(given if kept is None else given[kept])
    known = own if classes is None else _class_array(classes)
    place = places_among(known, own)
    if (place < 0).all():
        raise InputError(_strangers(own, known))
    new = np.flatnonzero(place < 0)
    place[new] = len(known) + np.arange(len(new))
    full = _ones(len(given)) if weight is None else weight[kept]
    places = place.astype(smallest_codes(len(known) + len(new)))[codes]
    return Truth(known, own[new], places, full, len(given), kept)


def _strangers(own: NDArray[Any], classes: NDArray[Any]) -> str:
    return (
        f"none of the labels in y ({named(own)}) is among the classes ({named(classes)}); "
        "are they of the same type, and in the same words?"
    )


def parts_of(n: int) -> list[slice]:
    """The rows in parts of some, whose numbers are worked out together.

    Examples
    --------
    >>> parts_of(3), len(parts_of(600_000))
    ([slice(0, 3, None)], 2)
    """
    return [slice(start, min(n, start + TOGETHER)) for start in range(0, n, TOGETHER)]


def smallest_codes(labels: int) -> type[np.signedinteger]:
    """The type that holds codes of so many labels, and -1, in the fewest bytes."""
    return np.int8 if labels <= 127 else np.int16 if labels <= 32767 else np.int32


def _ones(n: int) -> Array:
    """(n,) ones; where they are many, one that is there n times."""
    return np.ones(n) if n <= TOGETHER else np.broadcast_to(np.float64(1), n)


def _refuse_sums(numbers: Array, first_row: int) -> None:
    """Raise where probabilities do not sum to one."""
    sums = numbers.sum(axis=1)
    far = np.abs(sums - 1) > SUM_TOLERANCE
    if far.any():
        row = int(np.flatnonzero(far)[0])
        raise InputError(
            f"probabilities must sum to 1 in every row; those of row {first_row + row} sum to {sums[row]:.6g}. "
            "Divide each row by its sum, if they are shares; scores go where scores are asked for."
        )


def answered_places(classes: NDArray[Any], given: NDArray[Any]) -> Codes:
    """(n,) places of predicted labels among the classes, `NO_ANSWER` where a label is missing."""
    answered = ~missing_labels(given)
    places = np.full(len(given), NO_ANSWER, smallest_codes(len(classes)))
    if answered.any():
        codes, own = encode_labels(given[answered])
        place = places_among(classes, own)
        if (place < 0).any():
            raise InputError(
                f"{label_text(own[int(np.argmin(place))])} is predicted, and is none of the classes; "
                f"they are {named(classes)}."
            )
        places[answered] = place[codes]
    return places


def _class_array(classes: Any) -> NDArray[Any]:
    """Classes (K,), each once, in the order given."""
    known = label_array(classes)
    if len(encode_labels(known)[1]) != len(known):
        raise InputError(f"classes has a label twice: {named(known)}.")
    return known


def places_among(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """(m,) where labels, each once, stand among the classes; -1 where they do not."""
    codes, ordered = encode_labels(classes)
    merged, of_classes, of_labels = merge_classes(ordered, labels)
    target = np.full(len(merged), -1, np.intp)
    target[of_classes[codes]] = np.arange(len(classes))
    return np.asarray(target[of_labels])


def missing_labels(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) whether a label is None or NaN."""
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=bool)
    return np.fromiter((is_missing(label) for label in labels), bool, len(labels))


def named(labels: Any) -> str:
    """Some labels in a row, the first few by name.

    Examples
    --------
    >>> named(np.array(["a", "b"]))
    "'a', 'b'"
    """
    shown = ", ".join(label_text(label) for label in labels[:MOST_NAMED])
    return shown + (f" and {len(labels) - MOST_NAMED} more" if len(labels) > MOST_NAMED else "")
