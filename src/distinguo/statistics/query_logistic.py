"""The sums of a step of logistic regression by a query, or a few where there are many second derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, MissingCellsError
from distinguo.rows.base import HOLES_REFUSED
from distinguo.rows.labels import codes_among, merge_classes
from distinguo.rows.query_table import QueryTable
from distinguo.rows.sql_text import DOUBLE, literal, total
from distinguo.statistics.logistic import LogisticStep, LogisticSums
from distinguo.statistics.query_moments import symmetric

Array = NDArray[np.float64]
# Sums that the queries of one step make at the most, and those that go together.
MOST_SUMS, TOGETHER = 12_000, 1000
# The exponential of less is nothing beside one; products of two such are still numbers, which PostgreSQL insists on.
LEAST_EXPONENT = "(-200e0)"
LEAST_SCORE = "(-1e308)"
HEADS = ["COUNT(own)", "SUM(u)", "SUM(loss)", "MIN(CASE WHEN u > 0e0 THEN own - other END)"]


def logistic_sums(table: QueryTable, step: LogisticStep) -> LogisticSums:
    """Loss, gradient and curvature at a step's scores.

    Raises
    ------
    InputError
        If there are too many classes and columns for queries, or parts of scores that go by the numbers of rows.
    MissingCellsError
        If a cell is missing.
    """
    table.refuse_words()
    _check_size(step)
    K, p = step.normals.shape
    query = _Step(table, step)
    counts = query.sums([], [*HEADS, *(f"SUM({term})" for k in range(1, K) for term in query.moved(f"r{k}"))])
    if (counts[:, 0] < query.rows).any():
        raise MissingCellsError("some row(s) of the table", HOLES_REFUSED)
    _, weight, loss, *_ = sums = counts.sum(axis=0)
    pull = sums[len(HEADS) :].reshape(K - 1, p + 1)
    return LogisticSums(
        weight=float(weight),
        loss=float(loss),
        gradient=np.vstack([-pull.sum(axis=0), pull]),
        curvature=query.curvature() if step.curvature else None,
        margin=float(np.fmin.reduce(counts[:, 3], initial=np.inf)),
    )


def _check_size(step: LogisticStep) -> None:
    """Raise where the sums are too many, or not of this table."""
    if step.row_offsets is not None:
        raise InputError(
            "parts of scores go by the numbers of rows, and rows of a database have none. Bring the rows: fit on "
            "scan() of an exported file."
        )
    K, p = step.normals.shape
    count = (K - 1) * (p + 1)
    if step.curvature:
        count = K * (K - 1) // 2 * (p + 1) * (p + 2) // 2
    if count > MOST_SUMS:
        raise InputError(
            f"this step needs {count:,} sums for {K} classes and {p} columns, and queries make at most {MOST_SUMS:,}. "
            "Name fewer columns with columns=; give a penalty (C=1.0) and solver='lbfgs', which needs no second "
            "derivatives; or export the rows to Parquet and fit on scan() of the file."
        )


class _Step:
    """A step in the words of queries.

    In a row `d0`, `d1`, ... are its distances from the centre, `f0`, `f1`, ... the classes' scores, and `e0`, `e1`, ...
    exponentials of these less the highest.
    """

    def __init__(self, table: QueryTable, step: LogisticStep) -> None:
        self.table, self.step = table, step
        self.K, self.p = step.normals.shape
        self.groups = table.groups({}, [])
        known = merge_classes(step.classes, self.groups.classes)
        # A class that scores are not of has no rows that count.
        self.counts = np.isin(known[2], known[1])
        self.rows = self.groups.rows[self.counts]
        self.code = codes_among(step.classes, self.groups.classes, np.arange(len(self.groups.classes)))
        weights = np.ones(self.K) if step.class_weight is None else step.class_weight
        self.constants = {"v": np.where(self.counts, weights[self.code], 0.0)}

    def moved(self, factor: str) -> Iterator[str]:
        """A factor, and its products with the distances."""
        yield factor
        yield from (f"{factor} * d{j}" for j in range(self.p))

    def sums(self, pairs: Sequence[tuple[int, int]], aggregates: Sequence[str]) -> Array:
        """(K, m) aggregates of the classes that scores are of, over rows with the curvatures of some pairs."""
        steps = [self._distances(), self._scores(), self._own(), self._top(), self._odds(), self._totals()]
        steps.append(self._residuals() | {f"h{k}_{m}": self._curved(k, m) for k, m in pairs})
        table = self.table
        found = table.by_class(self.groups, table.cells(range(self.p)), self.constants, steps, aggregates)
        return found[self.counts]

    def curvature(self) -> Array:
        """(q, p + 1, q, p + 1) second derivatives by the scores of all classes but the first."""
        q, d = self.K - 1, self.p + 1
        pairs = [(k, m) for k in range(1, self.K) for m in range(k, self.K)]
        corners = d * (d + 1) // 2
        at_once = max(1, TOGETHER // corners)
        result = np.empty((q, d, q, d))
        for start in range(0, len(pairs), at_once):
            some = pairs[start : start + at_once]
            sums = self.sums(some, [f"SUM({term})" for k, m in some for term in self._corners(f"h{k}_{m}")])
            blocks = symmetric(sums.sum(axis=0).reshape(len(some), corners), d)
            for (k, m), block in zip(some, blocks, strict=True):
                result[k - 1, :, m - 1] = result[m - 1, :, k - 1] = block
        return result

    def _corners(self, factor: str) -> Iterator[str]:
        """A factor's products with the pairs (a, b >= a) of one and the distances."""
        yield from self.moved(factor)
        for a in range(self.p):
            yield from (f"{factor} * d{a} * d{b}" for b in range(a, self.p))

    def _distances(self) -> dict[str, str]:
        distances = {f"d{j}": f"x{j} - {_number(c)}" for j, c in enumerate(self.step.centre)}
        return {"u": self.table.weighted("v"), **distances}

    def _scores(self) -> dict[str, str]:
        # A weight of zero stays: a row with a missing cell is to have no scores.
        return {
            f"f{k}": total([_number(offset), *(f"d{j} * {_number(n)}" for j, n in enumerate(normal))])
            for k, (offset, normal) in enumerate(zip(self.step.offsets, self.step.normals, strict=True))
        }

    def _own(self) -> dict[str, str]:
        """The score of a row's class, and the highest of the others."""
        others = [f"CASE WHEN {self._is(k)} THEN {LEAST_SCORE} ELSE f{k} END" for k in range(self.K)]
        return {"own": self._by_class(lambda k: f"f{k}"), "other": self._greatest(others)}

    def _by_class(self, text: Callable[[int], str]) -> str:
        """What `text` says of a row's class."""
        cases = [f"WHEN {i} THEN {text(int(self.code[i]))}" for i in np.flatnonzero(self.counts)]
        return f"CASE k {' '.join(cases)} END"

    def _is(self, k: int) -> str:
        """Whether a row is of the class at k among those that scores are of."""
        found = [i for i in np.flatnonzero(self.counts) if self.code[i] == k]
        return f"k = {found[0]}" if found else "1 = 0"

    def _greatest(self, values: list[str]) -> str:
        greatest = self.table.engine.dialect.greatest
        while len(values) > 1:
            values = [f"{greatest}({', '.join(values[i : i + 16])})" for i in range(0, len(values), 16)]
        return values[0]

    def _top(self) -> dict[str, str]:
        return {"highest": "CASE WHEN own > other THEN own ELSE other END"}

    def _odds(self) -> dict[str, str]:
        return {
            f"e{k}": f"CASE WHEN f{k} - highest < {LEAST_EXPONENT} THEN 0e0 ELSE EXP(f{k} - highest) END"
            for k in range(self.K)
        }

    def _totals(self) -> dict[str, str]:
        others = [f"CASE WHEN {self._is(k)} THEN 0e0 ELSE e{k} END" for k in range(self.K)]
        return {"others": total(others), "whole": total([f"e{k}" for k in range(self.K)])}

    def _residuals(self) -> dict[str, str]:
        """The loss, and probabilities less those of the labels; nothing is lost where a probability is near one."""
        one_more = "(1e0 + others)"
        log1p = f"CASE WHEN {one_more} = 1e0 THEN others ELSE LN({one_more}) * others / ({one_more} - 1e0) END"
        residuals = {
            f"r{k}": f"u * CASE WHEN {self._is(k)} THEN -others ELSE e{k} END / whole" for k in range(1, self.K)
        }
        return {"loss": f"u * CASE WHEN own < other THEN LN(whole) - (own - other) ELSE {log1p} END", **residuals}

    def _curved(self, k: int, m: int) -> str:
        """The second derivative of a row's loss by two scores."""
        if k != m:
            return f"-u * (e{k} / whole) * (e{m} / whole)"
        return f"u * (e{k} / whole) * (({total([f'e{j}' for j in range(self.K) if j != k])}) / whole)"


def _number(value: float) -> str:
    return DOUBLE.format(literal(float(value)))
