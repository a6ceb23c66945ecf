"""What every test returns: a small table that prints, and gives its columns and rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

# p-values below the least normal float64 come out as 0 or lose digits.
LEAST_P = 1e-300
FIGURE_SPACE = "\u2007"  # as wide as a digit


class ResultTable(ABC):
    """A frozen table of arrays, one a column; `print` shows it, `rows` and `to_dict` give plain Python values.

    A subclass is a dataclass whose `headings` say which of its arrays are columns, and under which words. It may say in
    `formats` how a column is printed, in `hidden` which columns are not, and in `notes` what stands below.
    """

    headings: ClassVar[dict[str, str]]
    formats: ClassVar[Mapping[str, Callable[[NDArray[Any]], list[str]]]] = {}
    hidden: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

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

    def to_frame(self) -> Any:
        """The columns as a pandas data frame.

        Raises
        ------
        ImportError
            Where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas; install it, or take rows() or to_dict().") from None
        return pd.DataFrame(self.to_dict())

    def text_columns(self) -> list[list[str]]:
        """The columns that are printed: heading and cells, padded to one width, points of numbers below each other."""
        return [_padded(cells, is_text=is_text) for cells, is_text in self._cells()]

    def __str__(self) -> str:
        lines = ["  ".join(cells).rstrip() for cells in zip(*self.text_columns(), strict=True)]
        return "\n".join([self.title, *lines, *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same as HTML, for notebooks."""
        columns = self._cells()
        head, *body = zip(*(cells for cells, _ in columns), strict=True)
        is_text = [text for _, text in columns]
        below = "".join(f'<tr><td colspan="{len(columns)}" {_LEFT}>{escape(note)}</td></tr>' for note in self.notes)
        return (
            f"<table><caption {_LEFT}>{escape(self.title).replace(chr(10), '<br>')}</caption>"
            f"<thead>{_html_row('th', head, is_text)}</thead>"
            f"<tbody>{''.join(_html_row('td', row, is_text) for row in body)}</tbody><tfoot>{below}</tfoot></table>"
        )

    def _cells(self) -> list[tuple[list[str], bool]]:
        """The columns that are printed: heading and cells, and whether they are text."""
        result = []
        for name, heading in self.headings.items():
            values = np.asarray(getattr(self, name))
            if name not in self.hidden:
                is_text = values.dtype.kind not in "fiu"
                plain = str if is_text else (p_text if "p_value" in name else number_text)
                cells = self.formats[name](values) if name in self.formats else [plain(v) for v in values.tolist()]
                result.append(([heading, *cells], is_text))
        return result


_LEFT = 'style="text-align: left"'
_RIGHT = 'style="text-align: right; font-variant-numeric: tabular-nums; white-space: pre"'


def _html_row(tag: str, cells: Sequence[str], is_text: list[bool]) -> str:
    """A row; numbers are padded by spaces as wide as a digit."""
    shown = []
    for cell, left in zip(cells, is_text, strict=True):
        text = cell.rstrip()
        padding = FIGURE_SPACE * (len(cell) - len(text))
        shown.append(f"<{tag} {_LEFT if left else _RIGHT}>{escape(text)}{padding}</{tag}>")
    return f"<tr>{''.join(shown)}</tr>"


def _padded(cells: list[str], *, is_text: bool) -> list[str]:
    """Cells of one width; text to the left, numbers to the right."""
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


def aligned(values: NDArray[np.float64]) -> list[str]:
    """Numbers with five digits, padded so that their points stand below each other.

    Examples
    --------
    >>> aligned(np.array([-4.12959968, 0.00576074, np.inf]))
    ['-4.1296   ', '0.0057607', 'inf       ']
    """
    texts = ["-" if np.isnan(v) else f"{v:#.5g}".removesuffix(".") for v in values.tolist()]
    after = [len(text) - text.find(".") if "." in text else 0 for text in texts]
    return [text + " " * (max(after, default=0) - n) for text, n in zip(texts, after, strict=True)]


def two_decimals(values: NDArray[np.float64]) -> list[str]:
    """Numbers to two decimals.

    Examples
    --------
    >>> two_decimals(np.array([-4.2831, np.nan]))
    ['-4.28', '-']
    """
    return ["-" if np.isnan(v) else f"{v:.2f}" for v in values.tolist()]


def p_column(values: NDArray[np.float64]) -> list[str]:
    """p-values to four decimals, small ones to two digits.

    Examples
    --------
    >>> p_column(np.array([0.31602, 0.0000213]))
    ['0.3160', '2.1e-05']
    """
    return [f"{v:.4f}" if v >= 1e-4 else (f"{v:.1e}" if v >= LEAST_P else p_text(v)) for v in values.tolist()]


def labels_text(labels: Sequence[Any], most: int = 8) -> str:
    """Some labels in a row, the first few by name.

    Examples
    --------
    >>> labels_text(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")
