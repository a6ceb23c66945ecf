"""Class scores as expressions of SQL over the cells x0, x1, ... of a row, NULL where missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.export.scores import (
    ColumnSums,
    Cuts,
    DistanceScores,
    Multiples,
    Remainders,
    Scores,
    Squares,
    Table,
)
from distinguo.hyperplane import Affine
from distinguo.rows.sql_text import literal, total

Array = NDArray[np.float64]


def score_expressions(scores: Scores) -> list[str]:
    """K expressions."""
    return _SCORES[type(scores)](scores)


def _affine(scores: Affine) -> list[str]:
    return [
        total([literal(offset), *_products(normal, scores.centre)])
        for normal, offset in zip(scores.normals, scores.offsets, strict=True)
    ]


def _products(weights: Array, centre: Array) -> list[str]:
    """Weighted cells around the centre; those of no weight play no part, missing or not."""
    return [f"(x{j} - {literal(centre[j])}) * {literal(weights[j])}" for j in np.flatnonzero(weights)]


def _distances(scores: DistanceScores) -> list[str]:
    expressions = []
    for k, (whiten, points) in enumerate(zip(scores.whiten, scores.points, strict=True)):
        moves = [
            total([*_products(column, scores.centre), literal(-point)])
            for column, point in zip(whiten.T, points, strict=True)
        ]
        distance = f"({total([f'POWER({move}, 2)' for move in moves])})"
        if scores.shrinks is not None:
            distance = f"LN(1e0 + {distance} * {literal(scores.shrinks[k])})"
        expressions.append(f"{literal(scores.levels[k])} - {literal(scores.rates[k])} * {distance}")
    return expressions


def _sums(scores: ColumnSums) -> list[str]:
    return [
        total([literal(level), *(part for term in scores.terms for part in _TERMS[type(term)](term, k))])
        for k, level in enumerate(scores.levels)
    ]


def _squares(term: Squares, k: int) -> list[str]:
    return [
        f"COALESCE((POWER((x{j} - {literal(mean)}) * {literal(root)}, 2) + {literal(constant)}) * (-0.5e0), 0e0)"
        for j, mean, root, constant in zip(term.places, term.means[k], term.roots[k], term.constants[k], strict=True)
    ]


def _multiples(term: Multiples, k: int) -> list[str]:
    parts = []
    columns = zip(term.places, term.weights[k], term.rates[k], term.impossible[k], strict=True)
    for j, weight, rate, impossible in columns:
        less = f" - {literal(rate)}" if rate else ""
        part = f"COALESCE(x{j} * {literal(weight)}{less}, 0e0)" if weight or rate else ""
        if impossible:
            part = f"CASE WHEN x{j} > 0e0 THEN {literal(-np.inf)} ELSE {part or '0e0'} END"
        parts.append(part)
    return [part for part in parts if part]


def _remainders(term: Remainders, k: int) -> list[str]:
    counted = total([f"COALESCE(x{j}, 0e0)" for j in term.places])
    gone = total([f"CASE WHEN x{j} IS NULL THEN {literal(t)} ELSE 0e0 END" for j, t in _pairs(term, k)])
    left = f"{literal(term.theta[k].sum())} - ({gone})"
    return [f"({counted}) * (-COALESCE(LN(NULLIF(GREATEST({left}, 0e0), 0e0)), 0e0))"]


def _pairs(term: Remainders, k: int) -> Any:
    return zip(term.places, term.theta[k], strict=True)


def _cuts(term: Cuts, k: int) -> list[str]:
    threshold = literal(term.threshold)
    return [
        f"CASE WHEN x{j} IS NULL THEN 0e0 WHEN x{j} > {threshold} THEN {literal(above)} ELSE {literal(below)} END"
        for j, above, below in zip(term.places, term.above[k], term.below[k], strict=True)
    ]


def _table(term: Table, k: int) -> list[str]:
    cases = [
        f"WHEN x{term.place} = {literal(category)} THEN {literal(log)}"
        for category, log in zip(term.categories, term.logs[:-1, k], strict=True)
    ]
    return [" ".join([f"CASE WHEN x{term.place} IS NULL THEN 0e0", *cases, f"ELSE {literal(term.logs[-1, k])} END"])]


_TERMS: dict[type, Callable[[Any, int], list[str]]] = {
    Squares: _squares,
    Multiples: _multiples,
    Remainders: _remainders,
    Cuts: _cuts,
    Table: _table,
}
_SCORES: dict[type, Callable[[Any], list[str]]] = {
    Affine: _affine,
    DistanceScores: _distances,
    ColumnSums: _sums,
}
