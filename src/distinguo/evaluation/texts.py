"""How numbers and labels of an evaluation are printed, and how JSON has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LONGEST = 24


def short(label: Any) -> str:
    r"""A label in one line; a long middle gives way.

    Examples
    --------
    >>> short("two\nlines"), short("a" * 40)
    ('two lines', 'aaaaaaaaaaaa…aaaaaaaaaaa')
    """
    line = " ".join(str(label).split()) or repr(label)
    half = LONGEST // 2
    return line if len(line) <= LONGEST else f"{line[:half]}…{line[1 - half :]}"


def number(value: float) -> str:
    """A count, or a share of a population.

    Examples
    --------
    >>> number(3.0), number(0.01960784), number(0.0)
    ('3', '0.01961', '0')
    """
    return f"{value:.10g}" if float(value).is_integer() else f"{value:.4g}"


def rows_text(weight: float) -> str:
    """So many rows.

    Examples
    --------
    >>> rows_text(1), rows_text(2.5)
    ('1 row', '2.5 rows')
    """
    return f"{number(weight)} row{'' if weight == 1 else 's'}"


def none_for_nan(value: float) -> float | None:
    """A float, or None where there is no finite one.

    Examples
    --------
    >>> none_for_nan(float("nan")), none_for_nan(0.5)
    (None, 0.5)
    """
    return float(value) if math.isfinite(value) else None


def plain_label(label: Any) -> Any:
    """A label as JSON has it: text, number, truth value or None; anything else as text.

    Examples
    --------
    >>> plain_label(np.int64(3)), plain_label(np.datetime64("2024-01-01"))
    (3, '2024-01-01')
    """
    plain = label.item() if isinstance(label, np.generic) and label.dtype.kind not in "mM" else label
    return plain if isinstance(plain, str | int | float | bool | None) else str(plain)


def plain_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose numbers are finite or None, as JSON takes them."""
    return [
        {name: none_for_nan(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in rows
    ]
