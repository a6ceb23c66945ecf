"""What every test returns: a small table that prints, and gives its columns and rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

# p-values below the least normal float64 come out as 0 or lose digits.
LEAST_P = 1e-300


class ResultTable(ABC):
    """A frozen table of arrays, one a column; `print` shows it, `rows` and `to_dict` give plain Python values.

    A subclass is a dataclass whose `headings` say which of its arrays are columns, and under which words.
    """

    headings: ClassVar[dict[str, str]]

    @property
    @abstractmethod
    def title(self) -> str:
        """What was tested, and on how many rows."""

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as lists of Python values."""
        return {name: np.asarray(getattr(self, name)).tolist() for name in self.headings}

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a row."""
        columns = self.to_dict()
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def __str__(self) -> str:
        columns = [
            _column(heading, np.asarray(getattr(self, name)), is_p="p_value" in name)
            for name, heading in self.headings.items()
        ]
        lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
        return "\n".join([self.title, *lines])

    __repr__ = __str__


def _column(heading: str, values: NDArray[Any], *, is_p: bool) -> list[str]:
    """A heading and its cells, padded to one width; text to the left, numbers to the right."""
    is_text = values.dtype.kind not in "fiu"
    show = str if is_text else (p_text if is_p else number_text)
    cells = [heading, *(show(value) for value in values.tolist())]
    width = max(map(len, cells))
    return [cell.ljust(width) if is_text else cell.rjust(width) for cell in cells]


def number_text(value: float) -> str:
    """A number with six digits, whole ones as such; "-" where there is none.

    Examples
    --------
    >>> number_text(146.663248), number_text(20.0), number_text(float("nan"))
    ('146.663', '20', '-')
    """
    return "-" if np.isnan(value) else f"{value:.6g}"


def p_text(value: float) -> str:
    """A p-value with four digits; "<1e-300" where floating point ends.

    Examples
    --------
    >>> p_text(0.0123456), p_text(0.0)
    ('0.01235', '<1e-300')
    """
    return f"<{LEAST_P:g}" if value < LEAST_P else ("-" if np.isnan(value) else f"{value:.4g}")


def labels_text(labels: Sequence[Any], most: int = 8) -> str:
    """Some labels in a row, the first few by name.

    Examples
    --------
    >>> labels_text(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")
