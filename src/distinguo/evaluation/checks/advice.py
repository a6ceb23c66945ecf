"""Coded warnings about a table and the models compared on it: C1 to C8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from distinguo.advice import Advice
from distinguo.evaluation.checks import column_checks, model_checks
from distinguo.evaluation.checks.table_columns import columns_of
from distinguo.evaluation.comparison.contest import Result
from distinguo.rows.labels import encode_labels
from distinguo.rows.selection import count_rows
from distinguo.rows.validation import check_lengths, check_weight


def advice(
    X: Any,
    y: Any,
    results: Sequence[Result] = (),
    *,
    models: Mapping[str, Any] | None = None,
    sample_weight: Any = None,
    folds: int = 5,
) -> tuple[Advice, ...]:
    """What to mend before figures are believed, at most one warning a code, in their order.

    C1 a column tells the class alone, C2 classes of few rows, C3 models no better than the baseline, C4 models that
    know their own rows by heart, C5 rows that are there twice, C6 identifiers, C7 neighbours by unscaled columns, C8
    probabilities that are too high. Each is told where the rows leave no doubt of it, and not below.

    Parameters
    ----------
    X : (n, p) rows of numbers, words or both: an array, a pandas or Polars frame, a PyArrow table; or n texts. The
        columns of sparse rows are not looked at.
    y : (n,) labels of any type.
    results : of a comparison on these rows, for C3, C4 and C8; row numbers are those of X.
    models : {name: estimator} of the same names, for C4 and C7.
    sample_weight : (n,) frequencies, or None.
    folds : of the comparison, for C2.

    Returns
    -------
    tuple of Advice

    Raises
    ------
    InputError
        If labels or weights cannot be used, or there is not one label a row.

    Examples
    --------
    >>> X = np.column_stack([np.tile([0.5, 1.5, 2.5], 40), np.repeat([7.5, 8.5], 60)])
    >>> for warning in advice(X, np.repeat(["1 euro", "2 euro"], 60)):
    ...     print(warning.code, warning.sentence)
    C1 column 1 alone tells nearly every row's class.
    """
    codes, classes = encode_labels(y)
    check_lengths(count_rows(X), len(codes))
    columns = columns_of(X)
    given = check_weight(sample_weight, len(codes))
    weight = np.ones(len(codes)) if given is None else given
    measured = model_checks.measured_of(results)
    known = {} if models is None else models
    found = (
        *column_checks.leak(columns, codes),
        *column_checks.rare_classes(codes, classes, folds),
        *model_checks.worse_than_baseline(measured),
        *model_checks.learned_by_heart(measured, known),
        *column_checks.copies(columns, codes),
        *column_checks.identifiers(columns),
        *model_checks.unscaled_neighbors(columns, known),
        *model_checks.overconfident(measured, codes, weight),
    )
    return tuple(found)
