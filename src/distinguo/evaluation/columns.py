"""How columns of figures are printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Format = Callable[[NDArray[Any]], list[str]]


def decimals(places: int, sign: str = "") -> Format:
    """So many decimals for every number of a column, "-" where there is none; with `sign="+"` signs are shown.

    Examples
    --------
    >>> decimals(2)(np.array([0.125, np.nan])), decimals(1, "+")(np.array([0.25]))
    (['0.12', '-'], ['+0.2'])
    """

    def cells(values: NDArray[Any]) -> list[str]:
        return ["-" if np.isnan(value) else f"{value:{sign}.{places}f}" for value in values.tolist()]

    return cells


def three_digits(values: NDArray[Any]) -> list[str]:
    """Three significant digits without an exponent, points of numbers below each other.

    Examples
    --------
    >>> three_digits(np.array([0.01234, 12.0, 1235.0, np.nan]))
    ['0.0123', '12.0   ', '1235     ', '-     ']
    """
    texts = ["-" if np.isnan(value) else _three(value) for value in values.tolist()]
    after = [len(text) - text.index(".") if "." in text else 0 for text in texts]
    return [text + " " * (max(after, default=0) - behind) for text, behind in zip(texts, after, strict=True)]


def _three(value: float) -> str:
    places = 2 if value == 0 else max(0, 2 - int(np.floor(np.log10(abs(value)))))
    return f"{value:.{min(places, 6)}f}"
