"""What is wrong with a table before any model sees it: leaks, copies, identifiers, rare classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from distinguo.advice import Advice
from distinguo.evaluation.checks.table_columns import Column
from distinguo.evaluation.texts import short
from distinguo.rows.identifiers import is_named_like_an_identifier

Codes = NDArray[np.intp]

# A column leaks where it leaves at most this part of the errors that the commonest class makes.
LEFT_OVER = 0.02
# Chance agreement of any of all columns is to be rarer than this.
CHANCE = 1e-3
# So many rows show whether a column tells the class.
LEAK_ROWS = 2000
# Classes with fewer rows, or with fewer than there are folds, are too small to be judged.
FEW_ROWS = 10
# Copies: this share of the rows, and so many, and so many times what independent columns would bring.
TWIN_SHARE, TWIN_ROWS, TWIN_RATIO = 0.02, 4, 10.0
# No column of a table has as many different values where rows are alike by nature.
TWIN_VALUES = 20
# Whole numbers, each different, of so many rows and within so many times their number, are a numbering.
NUMBERED_ROWS, NUMBERED_RANGE = 50, 2.5
# Words, more different ones than this and in more than half of the rows, are names of the rows.
MANY_WORDS = 20
# From so many words in a cell on it is text.
TEXT_WORDS = 3


def leak(columns: Sequence[Column], codes: Codes) -> Iterable[Advice]:
    """C1: columns beside others that tell the class of rows held out on their own."""
    if len(columns) == 1:  # what else is to tell the classes
        return
    rows = np.random.default_rng(0).permutation(len(codes))[:LEAK_ROWS]
    own = codes[rows]
    commonest = np.bincount(own).max() / len(own)
    found = []
    for column in columns:
        right = _right_by_one_column(column.take(rows), own)
        chance = binom.sf(right - 1, len(own), commonest) * len(columns)
        if len(own) - right <= LEFT_OVER * (1 - commonest) * len(own) and chance < CHANCE:
            found.append(column.name)
    if found:
        yield Advice(
            "C1",
            f"{listed(found)} alone {'tells' if len(found) == 1 else 'each tell'} nearly every row's class.",
            "Ask whether it was known before the class was; if not, or if it was made from the class, leave it out: "
            "what is learned from it is worth nothing where the class is not known yet.",
        )


def _right_by_one_column(column: Column, codes: Codes) -> int:
    """How many rows of each half get their class from the other half: that of the nearest number, or the same word."""
    half = np.arange(len(codes)) < len(codes) // 2
    return sum(_right(column, codes, learned, ~learned) for learned in (half, ~half))


def _right(column: Column, codes: Codes, learned: NDArray[np.bool_], asked: NDArray[np.bool_]) -> int:
    if not learned.any():
        return 0
    known, place = _distinct(column.values[learned])
    votes = np.zeros((len(known), int(codes.max()) + 1))
    np.add.at(votes, (place, codes[learned]), 1)
    said = votes.argmax(axis=1)
    nearest = _NEAREST[column.is_numeric](known, column.values[asked])
    answer = np.where(nearest >= 0, said[nearest], votes.sum(axis=0).argmax())
    return int((answer == codes[asked]).sum())


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The different values, in order, a missing cell being one of them, and which each row has."""
    comparable = values if values.dtype.kind == "f" else np.array([v or "" for v in values.tolist()], dtype=str)
    known, place = np.unique(comparable, return_inverse=True)
    return known, place.astype(np.intp)


def _nearest_number(known: NDArray[Any], asked: NDArray[Any]) -> Codes:
    """The nearest of ascending numbers; a missing cell, the last of them, is nearest to a missing one."""
    finite = known[~np.isnan(known)]
    if not len(finite):
        return np.where(np.isnan(asked), 0, -1).astype(np.intp)
    after = np.clip(np.searchsorted(finite, asked), 1, max(len(finite) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(finite) - 1)
    nearest = np.where(asked - finite[before] <= finite[after] - asked, before, after)
    missing = len(finite) if len(finite) < len(known) else -1
    return np.where(np.isnan(asked), missing, nearest).astype(np.intp)


def _same_word(known: NDArray[Any], asked: NDArray[Any]) -> Codes:
    """The same word, or -1."""
    place = {word: i for i, word in enumerate(known.tolist())}
    return np.array([place.get(word or "", -1) for word in asked.tolist()], dtype=np.intp)


_NEAREST = {True: _nearest_number, False: _same_word}


def rare_classes(codes: Codes, classes: NDArray[Any], folds: int) -> Iterable[Advice]:
    """C2: classes of few rows."""
    counts = np.bincount(codes, minlength=len(classes))
    few = np.flatnonzero(counts < max(FEW_ROWS, folds))
    if len(few):
        shown = [f"{short(classes[k])!r} ({counts[k]})" for k in few]
        yield Advice(
            "C2",
            f"{'class' if len(few) == 1 else f'{len(few)} classes'} with few rows: {listed(shown)}.",
            "How well they are told says little, and folds may hold none of them: gather more rows, join the class "
            "with another, or leave it out.",
        )


def copies(columns: Sequence[Column], codes: Codes) -> Iterable[Advice]:
    """C5: rows that are there twice, so that a model is tested on what it has learned."""
    if not any(len(np.unique(_bits(column))) >= TWIN_VALUES for column in columns):
        return
    counts = np.unique(_row_hashes(columns), return_counts=True)[1]
    n, copied = len(codes), int(counts[counts > 1].sum())
    if copied < max(TWIN_ROWS, TWIN_SHARE * n) or _alike_by_nature(columns, codes, _pairs(counts)):
        return
    yield Advice(
        "C5",
        f"{copied} of {n} rows are the same as another in every column.",
        "Where one is held out and the other learned from, figures are better than they will be: keep one of each, "
        "with sample_weight for how often it came, unless different things can really be the same in every column.",
    )


def _alike_by_nature(columns: Sequence[Column], codes: Codes, pairs: float) -> bool:
    """Whether columns are so coarse that as many pairs of rows are the same in all of them without being copies.

    They may be where columns that go their own way within the classes would bring some such pairs, or where most of the
    pairs that are the same in all columns but the finest differ in that one. No two texts are the same by nature.
    """
    if any(is_text(column) for column in columns):
        return False
    if pairs < TWIN_RATIO * _pairs_by_chance(columns, codes):
        return True
    finest = max(columns, key=lambda column: len(np.unique(_bits(column))))
    others = [column for column in columns if column is not finest]
    return bool(others) and 2 * pairs < _pairs(np.unique(_row_hashes(others), return_counts=True)[1])


def _pairs(counts: NDArray[Any]) -> float:
    """How many pairs there are in groups of these sizes."""
    return float((counts * (counts - 1.0)).sum() / 2)


def _row_hashes(columns: Sequence[Column]) -> NDArray[np.uint64]:
    """(n,) a number for each row, the same for the same cells."""
    with np.errstate(over="ignore"):
        mixed = np.full(len(columns[0].values), 14695981039346656037, np.uint64)
        for column in columns:
            mixed = (mixed ^ _bits(column)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    return mixed


def _bits(column: Column) -> NDArray[np.uint64]:
    """(n,) a number for each cell, the same for the same value."""
    if column.is_numeric:
        return np.where(np.isnan(column.values), np.nan, column.values + 0.0).view(np.uint64)
    return np.fromiter((hash(cell) & 0xFFFFFFFFFFFFFFFF for cell in column.values.tolist()), np.uint64)


def _pairs_by_chance(columns: Sequence[Column], codes: Codes) -> float:
    """How many pairs of rows of one class would be the same if columns went their own way there."""
    expected = 0.0
    for k in np.unique(codes):
        rows = np.flatnonzero(codes == k)
        some = rows[:: max(1, len(rows) // LEAK_ROWS)]
        same = 1.0
        for column in columns:
            counts = np.unique(_bits(column.take(some)), return_counts=True)[1]
            same *= float((counts / len(some)) @ (counts / len(some)))
        expected += same * len(rows) * (len(rows) - 1) / 2
    return expected


def identifiers(columns: Sequence[Column]) -> Iterable[Advice]:
    """C6: columns that number or name the rows."""
    found = [column.name for column in columns if _is_identifier(column)]
    if found:
        yield Advice(
            "C6",
            f"{listed(found)} {'looks' if len(found) == 1 else 'look'} like an identifier: different in every row or "
            "nearly so, and telling nothing of new ones.",
            "Leave it out; where rows lie in the order of their classes it even gives the class away.",
        )


def _is_identifier(column: Column) -> bool:
    known = column.known()
    n = len(known)
    if not n:
        return False
    if not column.is_numeric:
        return not is_text(column) and len(set(known.tolist())) > max(MANY_WORDS, n / 2)
    if (known != np.round(known)).any() or len(np.unique(known)) < n:
        return False
    named = is_named_like_an_identifier(column.words) and n >= FEW_ROWS
    return named or (n >= NUMBERED_ROWS and float(known.max() - known.min()) < NUMBERED_RANGE * n)


def is_text(column: Column) -> bool:
    """Whether cells hold sentences rather than single words."""
    known = [] if column.is_numeric else column.known().tolist()
    return bool(known) and sum(len(cell.split()) for cell in known) >= TEXT_WORDS * len(known)


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first few of some names.

    Examples
    --------
    >>> listed(["lda", "qda", "rda"], most=2)
    'lda, qda and 1 more'
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
