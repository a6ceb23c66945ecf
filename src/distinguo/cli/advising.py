"""What speaks against the rows, or the models they are for: coded warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.catalogue import Entry, find
from distinguo.cli.cells import Grid
from distinguo.cli.class_checks import class_warnings
from distinguo.cli.roles import NUMERIC, Role
from distinguo.cli.telling_words import telling_of
from distinguo.cli.text_encoding import TextEncoder, texts_of
from distinguo.evaluation.checks.advice import advice
from distinguo.evaluation.checks.repeated_columns import repeated_columns
from distinguo.evaluation.checks.text_checks import TOLD, address_words, long_texts
from distinguo.evaluation.comparison.contest import Result


def advice_for(
    grid: Grid,
    roles: Sequence[Role],
    labels: NDArray[Any],
    entries: Sequence[Entry],
    text_options: Mapping[str, Any],
) -> tuple[Advice, ...]:
    """Warnings of labelled rows and the models that are to learn from them.

    Parameters
    ----------
    grid : n rows.
    roles : of the columns.
    labels : (n,)
    entries : the models.
    text_options : of TextCounts.
    """
    texts = [role.column for role in roles if role.read]
    if texts:
        return _of_texts(grid, texts, labels, entries, text_options)
    found = class_warnings(grid, roles, labels)
    naive = any(entry.naive for entry in entries)
    return (*found, *(_repeated(grid, roles, labels) if naive else ()))


def advice_of_comparison(
    grid: Grid,
    roles: Sequence[Role],
    labels: NDArray[Any],
    entries: Sequence[Entry],
    results: Sequence[Result],
    folds: int,
) -> tuple[Advice, ...]:
    """What to mend before the figures of a comparison are believed; arguments as before, and what came out."""
    texts = [role.column for role in roles if role.read]
    X: Any = texts_of(grid, texts) if texts else _frame(grid, roles)
    models = {entry.name: entry.make() for entry in entries}
    return advice(X, labels, results, models=models, folds=folds)


def _frame(grid: Grid, roles: Sequence[Role]) -> pl.DataFrame:
    """The columns that models see: numbers as such, categories as words."""
    used = [(role, grid.columns[role.column]) for role in roles if role.used]
    return pl.DataFrame({r.column: cells.numbers if r.role == NUMERIC else cells.words() for r, cells in used})


def _repeated(grid: Grid, roles: Sequence[Role], labels: NDArray[Any]) -> tuple[Advice, ...]:
    """Columns of numbers that repeat each other within the classes."""
    names = [role.column for role in roles if role.role == NUMERIC]
    if len(names) < 2:
        return ()
    X = np.column_stack([grid.columns[name].numbers.fill_null(np.nan).to_numpy() for name in names])
    X[~np.isfinite(X)] = np.nan
    found = repeated_columns(X, np.unique(labels, return_inverse=True)[1], names)
    return () if found is None else (found,)


def _of_texts(
    grid: Grid, names: list[str], labels: NDArray[Any], entries: Sequence[Entry], options: Mapping[str, Any]
) -> tuple[Advice, ...]:
    """What a quick model of all the texts shows."""
    encoder = TextEncoder.learn(grid, names, [], "counts", options)
    counts = encoder.encode(grid)
    quick = find("multinomial-nb").make().fit(counts, labels)
    found = [address_words(encoder.stripped(grid), telling_of(quick, encoder.features, TOLD))]
    if any(entry.name == "bernoulli-nb" for entry in entries):
        found.append(long_texts(counts))
    return tuple(warning for warning in found if warning is not None)
