"""Whether one Gaussian describes each class of a table: which of its cells are fit to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.cli.cells import Grid
from distinguo.cli.roles import NUMERIC, Role
from distinguo.group_tests.advice import summarise
from distinguo.group_tests.clumps import LEAST_ROWS
from distinguo.group_tests.gaussian import check_gaussian
from distinguo.group_tests.verdict import GaussianCheck

# At most one in a hundred tables of Gaussian classes is warned of, however many classes it has.
LEVEL = 0.01
# So many rows, spread evenly over those of a class, show every effect that is worth a warning.
MOST_ROWS = 1000
# Fewer different values in a class are grades or counts, which a Gaussian is not asked to describe.
LEAST_VALUES = 12
# A column with a larger share of missing cells in a class would cost the others too many rows.
MOST_MISSING = 0.1
# Of wider tables so many columns, spread evenly, stand for the others, as neighbours in a spectrum are alike.
MOST_COLUMNS = 100
# Infinite cells, and those that cannot be squared, are for models to refuse; here they only take no part.
MOST_SIZE = 1e100


def class_warnings(grid: Grid, roles: Sequence[Role], labels: NDArray[Any]) -> tuple[Advice, ...]:
    """What speaks against one Gaussian a class, at most one warning a code.

    Asked are the numeric columns that have enough different values in the class and few missing cells there, on rows
    of the class without any.

    Parameters
    ----------
    grid : columns of n cells.
    roles : of the columns.
    labels : (n,) of a type that sorts.
    """
    names = [role.column for role in roles if role.role == NUMERIC]
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if not names:
        return ()
    order = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    checks: list[GaussianCheck] = []
    for label, rows in zip(classes.tolist(), order, strict=True):
        if len(rows) >= LEAST_ROWS:
            X = _rows_of_class([grid.columns[name].numbers for name in names], rows)
            if X.width and X.height >= LEAST_ROWS:
                checks += check_gaussian(X, [label] * X.height, level=LEVEL / len(classes)).checks
    return summarise(checks, len(classes))


def _rows_of_class(columns: Sequence[pl.Series], rows: NDArray[np.intp]) -> pl.DataFrame:
    """The cells of some rows of a class that can be asked."""
    spread = rows[_spread(len(rows), MOST_ROWS)]
    asked = []
    for column in columns:
        cells = column.gather(spread)
        far = cells.abs() > MOST_SIZE
        known = cells.filter(~far)
        if len(known) >= (1 - MOST_MISSING) * len(cells) and known.n_unique() >= LEAST_VALUES:
            asked.append(cells.set(far, None))
    return pl.DataFrame([asked[j] for j in _spread(len(asked), MOST_COLUMNS)]).drop_nulls()


def _spread(n: int, most: int) -> NDArray[np.intp]:
    """At most so many of n places, evenly."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)
