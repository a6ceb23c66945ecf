"""A fitted model as a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from distinguo.exceptions import InputError, InputTypeError
from distinguo.export.naming import free_names
from distinguo.export.reading import Plan, plan_of
from distinguo.export.scores import ColumnSums
from distinguo.export.sql_scores import score_expressions
from distinguo.options import one_of
from distinguo.rows.sql_text import DIALECTS, MINUS_INFINITY, Dialect, literal, quoted, total

# The exponential of less is nothing beside one, and PostgreSQL calls it an error.
LEAST_EXPONENT = "(-700e0)"
# SQLite has no infinity that can be written.
SPOKEN = ("duckdb", "postgres")


def to_sql(
    model: Any,
    table: str | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] = (),
    dialect: str = "duckdb",
) -> str:
    r"""A query that classifies the rows of a table as a fitted model does.

    It gives the columns of `keep`, then `predicted`, the class, and `p_<class>`, the posterior
    :math:`e^{s_k - \max_j s_j} / \sum_i e^{s_i - \max_j s_j}` of each class, in the order of `classes_`. Of least
    squares and the perceptron, which have no posteriors, it gives the scores: `score`, the second class's less the
    first's, or `score_<class>` for three classes and more. Where a kept column is called so, a number is added.

    Cells that are NULL or NaN are skipped by naive Bayes. For the other models they would have to be integrated out,
    for which the query has no means: such rows get NULL throughout.

    Parameters
    ----------
    model : a fitted discriminant analysis (linear, quadratic, regularised, penalised), naive Bayes of any kind,
        logistic regression, least squares or perceptron.
    table : a name, or the parts of one: ("schema", "table").
    columns : (p,) what the model's columns are called there; None for the names of the fit.
    keep : columns that are handed on.
    dialect : "duckdb" or "postgres". They differ in which names are the same, and in truth values as numbers.

    Returns
    -------
    str
        One SELECT, without a semicolon. Numbers have all 17 digits.

    Raises
    ------
    InputTypeError
        If the model is of another kind.
    InputError
        If names are missing, come twice or cannot be names, or labels or categories are of more than one type.
    NotFittedError

    Examples
    --------
    >>> import duckdb
    >>> from distinguo import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> query = to_sql(model, "measured", columns=["width"], keep=["id"])
    >>> with duckdb.connect() as database:
    ...     _ = database.execute("CREATE TABLE measured AS SELECT 7 AS id, 3.5 AS width UNION SELECT 8, NULL")
    ...     database.execute(f"SELECT id, predicted, round(p_b, 3) FROM ({query}) ORDER BY id").fetchall()
    [(7, 'b', 1.0), (8, 'b', 0.5)]
    """
    use = DIALECTS[one_of(dialect, "dialect", SPOKEN)]
    plan = plan_of(model)
    names = _names(plan, columns, use)
    kept = _texts(keep, "keep")
    _refuse_twice(kept, "keep", use)
    inner = [f"k{i}" for i in range(len(kept))]
    cells = [_cell(plan, j, name, use) for j, name in enumerate(names)]
    scores = [f"CAST({text} AS DOUBLE PRECISION)" for text in score_expressions(plan.scores)]
    parts = {
        "cells": _select({**dict(zip(inner, map(quoted, kept), strict=True)), **_numbered("x", cells)}, _table(table)),
        "scores": _select({**dict(zip(inner, inner, strict=True)), **_numbered("s", scores)}, "cells"),
        "best": _select({"highest": _highest(plan)}, "scores", all_others=True),
    }
    said = _posteriors(plan) if plan.probabilities else _bare_scores(plan)
    if plan.probabilities:
        parts["odds"] = _select(_numbered("e", _odds(plan)), "best", all_others=True)
    called = free_names(["predicted", *_names_said(plan)], kept, use.folded)
    values = dict(zip([*kept, *called], [*inner, _predicted(plan), *said], strict=True))
    last = _select({quoted(name): text for name, text in values.items()}, list(parts)[-1])
    return "WITH " + ",\n".join(f"{name} AS (\n{text}\n)" for name, text in parts.items()) + f"\n{last}"


def _select(columns: Mapping[str, str], source: str, *, all_others: bool = False) -> str:
    """A SELECT of expressions by name."""
    shown = [text if name == text else f"{text} AS {name}" for name, text in columns.items()]
    lines = ",\n".join(f"  {line}" for line in ["*", *shown][not all_others :])
    return f"SELECT\n{lines}\nFROM {source}"


def _numbered(letter: str, expressions: Sequence[str]) -> dict[str, str]:
    return {f"{letter}{i}": text for i, text in enumerate(expressions)}


def _cell(plan: Plan, j: int, name: str, use: Dialect) -> str:
    """A cell as a number or a text, NULL where it is missing."""
    if plan.words[j]:
        return f"CAST({quoted(name)} AS VARCHAR)"
    return use.number(quoted(name), plan.truths[j])


def _highest(plan: Plan) -> str:
    """The highest score; NULL where any is, for GREATEST passes over these."""
    scores = [f"s{i}" for i in range(len(plan.living))]
    greatest = f"GREATEST({', '.join(scores)})"
    if type(plan.scores) is ColumnSums:  # which misses no cell
        return greatest
    return f"CASE WHEN {' OR '.join(f'{score} IS NULL' for score in scores)} THEN NULL ELSE {greatest} END"


def _odds(plan: Plan) -> list[str]:
    return [
        f"CASE WHEN s{i} - highest < {LEAST_EXPONENT} THEN 0e0 ELSE EXP(s{i} - highest) END"
        for i in range(len(plan.living))
    ]


def _posteriors(plan: Plan) -> list[str]:
    """(K,) of all classes, those that cannot be chosen included."""
    whole = total([f"e{i}" for i in range(len(plan.living))])
    shares = {k: f"e{i} / ({whole})" for i, k in enumerate(plan.living)}
    never = "CASE WHEN highest IS NULL THEN NULL ELSE 0e0 END"
    return [_unless_impossible(plan, k, shares.get(k, never)) for k in range(len(plan.classes))]


def _unless_impossible(plan: Plan, k: int, share: str) -> str:
    if plan.priors is None:
        return share
    return f"CASE WHEN highest = {MINUS_INFINITY} THEN {literal(plan.priors[k])} ELSE {share} END"


def _predicted(plan: Plan) -> str:
    places = list(enumerate(plan.living))
    cases = [
        f"WHEN s{i} = highest THEN {literal(plan.classes[k])}" for i, k in places[:: -1 if plan.ties_go_last else 1]
    ]
    if plan.priors is not None:
        likeliest = literal(plan.classes[plan.chosen_by_priors])
        cases = [f"WHEN highest = {MINUS_INFINITY} THEN {likeliest}", *cases]
    return f"CASE {' '.join(cases)} END"


def _bare_scores(plan: Plan) -> list[str]:
    return ["s1 - s0"] if len(plan.classes) == 2 else [f"s{i}" for i in range(len(plan.classes))]


def _names_said(plan: Plan) -> list[str]:
    if plan.probabilities:
        return [f"p_{label}" for label in plan.classes]
    return ["score"] if len(plan.classes) == 2 else [f"score_{label}" for label in plan.classes]


def _names(plan: Plan, columns: Sequence[str] | None, use: Dialect) -> list[str]:
    """(p,) what the model's columns are called in the table."""
    p = len(plan.categories)
    if columns is None and plan.columns is None:
        raise InputError(f"the model was fitted without names of columns; give columns=, the table's {p} names.")
    names = _texts(plan.columns if columns is None else columns, "columns")
    if len(names) != p:
        raise InputError(f"columns has {len(names)} names, and the model has {p} columns.")
    _refuse_twice(names, "columns", use)
    return names


def _texts(names: Any, what: str) -> list[str]:
    """Names, checked."""
    if (
        isinstance(names, str)
        or not isinstance(names, Sequence | np.ndarray)
        or not all(isinstance(name, str) for name in names)
    ):
        raise InputTypeError(f"{what} must be a list of names; {names!r} came.")
    return [str(name) for name in names]


def _refuse_twice(names: Sequence[str], what: str, use: Dialect) -> None:
    """Raise where the engine would take two names for one."""
    seen: dict[str, str] = {}
    for name in names:
        folded = use.folded(name)
        if folded in seen:
            raise InputError(f"{what} has {seen[folded]!r} and {name!r}, which are one name there; give others.")
        seen[folded] = name


def _table(table: Any) -> str:
    """A table's name, of one part or more."""
    parts = [table] if isinstance(table, str) else _texts(table, "table")
    if not parts:
        raise InputError("table has no name; give one, or the parts of one.")
    return ".".join(map(quoted, parts))
