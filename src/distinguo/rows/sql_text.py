"""The spelling of SQL: names, values, cells and long sums, and where engines differ in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from distinguo.exceptions import InputError

# So many terms stand in one bracket: engines limit how deep expressions nest, and a plain sum of thousands is deep.
TERMS_A_BRACKET = 16
MINUS_INFINITY = "CAST('-Infinity' AS DOUBLE PRECISION)"
DOUBLE = "CAST({} AS DOUBLE PRECISION)"


@dataclass(frozen=True)
class Dialect:
    """Where engines differ.

    Attributes
    ----------
    folded : two names are one where these are the same.
    truth : a column of truth values as numbers, to be filled in.
    missing : a number that is NULL where it is no number, to be filled in.
    greatest : the function that gives the greatest of its arguments.
    fence : what ends an inner query whose columns are to be worked out once, not again wherever they are used.
    """

    folded: Callable[[str], str]
    truth: str = DOUBLE
    missing: str = "NULLIF({}, CAST('NaN' AS DOUBLE PRECISION))"
    greatest: str = "GREATEST"
    fence: str = ""

    def number(self, expression: str, truth: bool) -> str:
        """A cell as a number, NULL where it is missing; `truth` says that it is a truth value.

        Examples
        --------
        >>> DIALECTS["sqlite"].number("x", False)
        'CAST(x AS DOUBLE PRECISION)'
        """
        return self.missing.format((self.truth if truth else DOUBLE).format(expression))


def _first_bytes(name: str) -> str:
    """The 63 bytes of a name that PostgreSQL keeps."""
    return name.encode()[:63].decode(errors="ignore")


DIALECTS = {
    "duckdb": Dialect(str.casefold, fence=" OFFSET 0"),
    "postgres": Dialect(_first_bytes, truth=DOUBLE.format("CAST({} AS INTEGER)"), fence=" OFFSET 0"),
    "sqlite": Dialect(str.casefold, missing="{}", greatest="MAX", fence=" LIMIT -1"),  # which holds no NaN
}


def quoted(name: str) -> str:
    """A name as an identifier.

    Examples
    --------
    >>> print(quoted('the "best" one'))
    "the ""best"" one"
    """
    if not name or "\0" in name:
        raise InputError(f"{name!r} cannot be a name in SQL: names have a character at least, and none is NUL.")
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A value.

    Examples
    --------
    >>> literal("it's"), literal(0.1), literal(-2.0), literal(3), literal(True)
    ("'it''s'", '0.1e0', '(-2.0e0)', '3', 'TRUE')
    """
    return _LITERALS[type(value)](value)


def _text(value: str) -> str:
    if "\0" in value:
        raise InputError(f"{value!r} has a NUL, which text in SQL cannot hold.")
    return "'" + value.replace("'", "''") + "'"


def _float(value: float) -> str:
    if value == -np.inf:
        return MINUS_INFINITY
    # With an exponent it is a floating-point number in any engine, and repr has all its digits.
    digits = repr(float(value))
    digits = digits if "e" in digits else f"{digits}e0"
    return f"({digits})" if value < 0 else digits


_LITERALS: dict[type, Callable[[Any], str]] = {
    str: _text,
    bool: lambda value: str(value).upper(),
    int: lambda value: str(value) if value >= 0 else f"({value})",
    float: _float,
    np.float64: _float,
}


def total(parts: Sequence[str]) -> str:
    """A sum that nests no deeper than it must.

    Examples
    --------
    >>> total(["a", "b"]), total([])
    ('a + b', '0e0')
    """
    parts = list(parts)
    while len(parts) > TERMS_A_BRACKET:
        starts = range(0, len(parts), TERMS_A_BRACKET)
        parts = [f"({' + '.join(parts[start : start + TERMS_A_BRACKET])})" for start in starts]
    return " + ".join(parts) or "0e0"
