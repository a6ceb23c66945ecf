"""Loops over the bytes of delimited text, and over the cells of a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled, reordered

NEWLINE, RETURN, QUOTE = ord("\n"), ord("\r"), ord('"')


@compiled
def whole_records(text: NDArray[np.uint8], delimiter: int, width: int) -> tuple[int, int]:
    """Bytes and lines of the whole records that the text begins with; (-1, -1) where one is not regular.

    A record is regular if it has `width` cells, is no blank line, and has quotes only around a whole cell or doubled
    within such a cell, as RFC 4180 has it.
    """
    quoted = False
    cells, lines, cut, cut_lines = 1, 0, 0, 0
    for i in range(len(text)):
        byte = text[i]
        if byte == QUOTE:
            if not (_may_close(text, i, delimiter) if quoted else i == cut or _may_open(text[i - 1], delimiter)):
                return -1, -1
            quoted = not quoted
        elif byte == NEWLINE:
            lines += 1
            if not quoted:
                if cells != width or _is_blank(text, cut, i):
                    return -1, -1
                cells, cut, cut_lines = 1, i + 1, lines
        elif byte == delimiter and not quoted:
            cells += 1
    return cut, cut_lines


@compiled
def _may_open(before: int, delimiter: int) -> bool:
    """Whether a quote may stand behind this byte: at a cell's beginning, or as the second of a doubled quote."""
    return bool(before in (delimiter, QUOTE))


@compiled
def _may_close(text: NDArray[np.uint8], i: int, delimiter: int) -> bool:
    """Whether the cell ends behind the quote at i, or another quote follows; unknown is yes."""
    after = text[i + 1] if i + 1 < len(text) else NEWLINE
    if after == RETURN:
        after = text[i + 2] if i + 2 < len(text) else NEWLINE
        return bool(after == NEWLINE)
    return bool(after in (delimiter, NEWLINE, QUOTE))


@compiled
def _is_blank(text: NDArray[np.uint8], begin: int, end: int) -> bool:
    """Whether a line is empty but for its end."""
    return begin == end or (begin + 1 == end and bool(text[begin] == RETURN))


@reordered
def all_finite(cells: NDArray[np.float64]) -> bool:
    """Whether no cell (m,) is NaN or infinite: zero times each is zero; read by the core that counts them next."""
    total = 0.0
    for i in range(len(cells)):
        total += cells[i] * 0.0
    return total == 0.0
