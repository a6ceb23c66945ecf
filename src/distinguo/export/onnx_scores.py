"""Class scores (n, K) as nodes of ONNX, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from distinguo.export.onnx_graph import ML, Graph
from distinguo.export.scores import (
    ColumnSums,
    Cuts,
    DistanceScores,
    Multiples,
    Remainders,
    Scores,
    Squares,
    Table,
    all_words,
)
from distinguo.hyperplane import Affine

LAST = np.array([2])


def score_tensor(graph: Graph, scores: Scores) -> str:
    """The name of the scores (n, K)."""
    return _SCORES[type(scores)](graph, scores)


def _affine(graph: Graph, scores: Affine) -> str:
    moved = _moved(graph, scores.centre)
    product = graph.add("MatMul", moved, graph.constant(scores.normals.T))
    return graph.add("Add", product, graph.constant(scores.offsets))


def _moved(graph: Graph, centre: Any) -> str:
    return graph.add("Sub", graph.columns(range(graph.p)), graph.constant(centre))


def _distances(graph: Graph, scores: DistanceScores) -> str:
    K, r = scores.points.shape
    # One product for all classes: (p, K r), then (n, K, r).
    product = graph.add("MatMul", _moved(graph, scores.centre), graph.constant(np.hstack(scores.whiten)))
    apart = graph.add("Reshape", product, graph.constant(np.array([-1, K, r])))
    moves = graph.add("Sub", apart, graph.constant(scores.points))
    distances = graph.add("ReduceSum", graph.add("Mul", moves, moves), graph.constant(LAST), keepdims=0)
    if scores.shrinks is not None:
        shrunk = graph.add("Mul", distances, graph.constant(scores.shrinks))
        distances = graph.add("Log", graph.add("Add", shrunk, graph.constant(np.ones(1))))
    lost = graph.add("Mul", distances, graph.constant(scores.rates))
    return graph.add("Sub", graph.constant(scores.levels), lost)


def _sums(graph: Graph, scores: ColumnSums) -> str:
    parts = [_TERMS[type(term)](graph, term) for term in scores.terms]
    # Of rows without any cell a score is the level; the sum has a row for each all the same.
    return graph.add("Add", graph.add("Sum", *parts), graph.constant(scores.levels))


def _squares(graph: Graph, term: Squares) -> str:
    cells = graph.add("Unsqueeze", graph.columns(term.places), graph.constant(np.array([1])))  # (n, 1, q)
    z = graph.add("Mul", graph.add("Sub", cells, graph.constant(term.means)), graph.constant(term.roots))
    terms = graph.add("Add", graph.add("Mul", z, z), graph.constant(term.constants))
    known = graph.add("Where", graph.add("IsNaN", cells), graph.constant(np.zeros(1)), terms)
    total = graph.add("ReduceSum", known, graph.constant(LAST), keepdims=0)
    return graph.add("Mul", total, graph.constant(np.array([-0.5])))


def _known(graph: Graph, places: Any) -> tuple[str, str]:
    """Cells (n, q) with zeros where they are missing, and ones there."""
    cells = graph.columns(places)
    holes = graph.add("IsNaN", cells)
    return graph.add("Where", holes, graph.constant(np.zeros(1)), cells), graph.as_numbers(holes)


def _multiples(graph: Graph, term: Multiples) -> str:
    values, holes = _known(graph, term.places)
    result = graph.add("MatMul", values, graph.constant(term.weights.T))
    if term.rates.any():
        there = graph.add("Sub", graph.constant(np.ones(1)), holes)
        result = graph.add("Sub", result, graph.add("MatMul", there, graph.constant(term.rates.T)))
    if term.impossible.any():
        counted = graph.as_numbers(graph.add("Greater", values, graph.constant(np.zeros(1))))
        result = _forbidden(graph, result, counted, term.impossible)
    return result


def _forbidden(graph: Graph, scores: str, there: str, never: Any) -> str:
    """Minus infinity where cells (n, q) are there that never (K, q) are."""
    clashes = graph.add("MatMul", there, graph.constant(never.T.astype(np.float64)))
    wrong = graph.add("Greater", clashes, graph.constant(np.array([0.5])))
    return graph.add("Where", wrong, graph.constant(np.array([-np.inf])), scores)


def _remainders(graph: Graph, term: Remainders) -> str:
    values, holes = _known(graph, term.places)
    counted = graph.add("ReduceSum", values, graph.constant(np.array([1])), keepdims=1)
    gone = graph.add("MatMul", holes, graph.constant(term.theta.T))
    left = graph.add("Sub", graph.constant(term.theta.sum(axis=1)), gone)
    some = graph.add("Greater", left, graph.constant(np.zeros(1)))
    logs = graph.add("Log", graph.add("Where", some, left, graph.constant(np.ones(1))))
    return graph.add("Neg", graph.add("Mul", counted, logs))


def _cuts(graph: Graph, term: Cuts) -> str:
    cells = graph.columns(term.places)
    above = graph.as_numbers(graph.add("Greater", cells, graph.constant(np.array([term.threshold]))))
    below = graph.as_numbers(graph.add("LessOrEqual", cells, graph.constant(np.array([term.threshold]))))
    sums = []
    for there, logs in ((above, term.above), (below, term.below)):
        never = np.isneginf(logs)
        part = graph.add("MatMul", there, graph.constant(np.where(never, 0.0, logs).T))
        sums.append(_forbidden(graph, part, there, never) if never.any() else part)
    return graph.add("Add", *sums)


def _table(graph: Graph, term: Table) -> str:
    """A row of the table, of which the last is for missing cells."""
    L, K = len(term.categories), term.logs.shape[1]
    table = graph.constant(np.vstack([term.logs, np.zeros(K)]))
    place = _place_of_word(graph, term, L) if all_words(term.categories) else _place_of_number(graph, term, L)
    return graph.add("Reshape", graph.add("Gather", table, place), graph.constant(np.array([-1, K])))


def _place_of_word(graph: Graph, term: Table, L: int) -> str:
    keys, values = list(term.categories), list(range(L))
    if "" not in keys:
        keys, values = [*keys, ""], [*values, L + 1]
    cell = graph.columns([term.place])
    return graph.add("LabelEncoder", cell, domain=ML, keys_strings=keys, values_int64s=values, default_int64=L)


def _place_of_number(graph: Graph, term: Table, L: int) -> str:
    """L where no category is it, and from there back to the one that is, or on where it is missing."""
    cell = graph.columns([term.place])
    place = graph.add("Add", graph.as_numbers(graph.add("IsNaN", cell)), graph.constant(np.array([float(L)])))
    same = graph.as_numbers(graph.add("Equal", cell, graph.constant(np.array(term.categories, np.float64))))
    back = graph.add("MatMul", same, graph.constant(np.arange(L, dtype=np.float64)[:, None] - L))
    return graph.as_places(graph.add("Add", place, back))


_TERMS: dict[type, Callable[[Graph, Any], str]] = {
    Squares: _squares,
    Multiples: _multiples,
    Remainders: _remainders,
    Cuts: _cuts,
    Table: _table,
}
_SCORES: dict[type, Callable[[Graph, Any], str]] = {
    Affine: _affine,
    DistanceScores: _distances,
    ColumnSums: _sums,
}
