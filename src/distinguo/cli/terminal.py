"""What a person sees: tables, notes and progress, plain where nobody is looking."""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO
from unicodedata import category

if TYPE_CHECKING:
    from distinguo.rows.progress import Show

# A pipe has no width; lines are as long as their content.
UNLIMITED = 100_000
# What reads well where a line may be longer.
PROSE = 100
# Controls, and separators of lines and paragraphs.
_UNSEEN = {"Cc", "Zl", "Zp"}
# What turns the direction of all that follows, and so could show a line as another.
_TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Before what is left of a line that did not fit.
HANGING = "    "
# Spaces between columns.
GAP = 2
CLOSE = 1


def notes(texts: Iterable[str], quiet: bool) -> None:
    """Lines on standard error that are not errors, each once."""
    if not quiet:
        for text in dict.fromkeys(texts):
            print_to_stderr(f"note: {text}")


def show(text: str) -> None:
    """Text on standard output."""
    sys.stdout.write(f"{text}\n")


def print_to_stderr(text: str) -> None:
    """One line, whatever is in the names that it holds; on a terminal as many as its width asks for."""
    sys.stderr.write(f"{wrapped(visible(text), sys.stderr)}\n")
    sys.stderr.flush()


def width(stream: TextIO | None = None) -> int:
    """How many characters a line of standard output, or of another stream, may have."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return UNLIMITED
    from rich.console import Console

    return Console(file=stream).width


def wrapped(text: str, stream: TextIO | None = None) -> str:
    """Text whose lines are broken between words where a terminal would break them anywhere."""
    most = width(stream)
    return "\n".join(line if len(line) <= most else _filled(line, most, HANGING) for line in text.split("\n"))


def hanging(title: str, text: str, most: int = UNLIMITED) -> str:
    """Text after a title, wrapped under itself at a terminal's width, or at `most` characters if that is less."""
    return _filled(title + text, min(width(), most), " " * len(title))


def _filled(text: str, most: int, indent: str) -> str:
    """Text in lines of so many characters, those after the first indented."""
    return textwrap.fill(text, most, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "", gap: int = GAP) -> str:
    """Rows under a header.

    Parameters
    ----------
    header, rows : text.
    align : a letter a column, "l" for flush left or "r" for flush right; by default only the first is flush left.
    gap : spaces between columns.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
    for title, side in zip(header, align or _first_left(header), strict=True):
        grid.add_column(Text(visible(title)), justify="left" if side == "l" else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(visible(cell)) for cell in row))
    out = io.StringIO()
    # Gathered first, with the colours and width of standard output, so that no line ends in spaces.
    Console(file=out, width=width(), force_terminal=sys.stdout.isatty(), emoji=False).print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


def _first_left(header: Sequence[str]) -> str:
    """The alignment of a table that names none."""
    return f"l{'r' * (len(header) - 1)}"


def visible(text: str) -> str:
    r"""Text whose line breaks, controls and turns of direction are spelt out, so that they do nothing to a terminal.

    Examples
    --------
    >>> print(visible("two\nlines"))
    two\nlines
    """
    return "".join(
        sign.encode("unicode_escape").decode() if category(sign) in _UNSEEN or sign in _TURNING else sign
        for sign in text
    )


def visible_lines(text: str) -> str:
    """The same of text whose lines are meant."""
    return "\n".join(map(visible, text.splitlines()))


def wide_table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> str:
    """A table of many columns, closer to each other where that lets it fit, else cut into several.

    Each of these has the first column.

    Parameters
    ----------
    header, rows, align : as in `table`.
    """
    from rich.cells import cell_len

    lines = [[visible(cell) for cell in line] for line in (header, *rows)]
    widths = [max(cell_len(line[place]) for line in lines) + GAP for place in range(len(header))]
    align = align or _first_left(header)
    if sum(widths) - GAP > width() >= sum(widths) - GAP - (len(header) - 1) * (GAP - CLOSE):
        return table(header, rows, align, CLOSE)
    parts: list[list[int]] = [[0]]
    for place in range(1, len(header)):
        if len(parts[-1]) > 1 and sum(widths[k] for k in [*parts[-1], place]) > width():
            parts.append([0])
        parts[-1].append(place)
    return "\n\n".join(
        table([header[k] for k in part], [[row[k] for k in part] for row in rows], "".join(align[k] for k in part))
        for part in parts
    )


@contextmanager
def progress(title: str, steps: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on standard error while something takes long; only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=steps)
        yield lambda: bar.advance(task)


def pass_progress(quiet: bool) -> Show | None:
    """What tells how far a pass over a large table has come, on a terminal; None where nobody is looking."""
    if quiet or not sys.stderr.isatty():
        return None
    from distinguo.rows.progress import on_stderr

    return on_stderr


def seconds(value: float) -> str:
    """A duration with three digits and a fitting unit.

    Examples
    --------
    >>> seconds(0.00123), seconds(4.2e-7), seconds(12.34)
    ('1.23 ms', '0.42 µs', '12.3 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{_three(value / size)} {unit}"
    return f"{_three(value / 1e-6)} µs"


def size(count: int) -> str:
    """Bytes with three digits and a fitting unit.

    Examples
    --------
    >>> size(512), size(3456), size(7_800_000)
    ('512 B', '3.46 kB', '7.8 MB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{_three(count / scale)} {unit}"
    return f"{count} B"


def number(value: float) -> str:
    """A measurement with four digits that tell it from others.

    Examples
    --------
    >>> number(1234.5678), number(0.00012348), number(5.0)
    ('1235', '0.0001235', '5')
    """
    if value == 0 or 1e-4 <= abs(value) < 1e5:
        digits = 4 if value == 0 else max(4, len(str(int(abs(value)))))
        text = f"{value:.{digits}g}"
        return text if "e" not in text else f"{value:.0f}"
    return f"{value:.3e}"


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun.

    Examples
    --------
    >>> plural(1, "row"), plural(2, "class", "classes")
    ('1 row', '2 classes')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def _three(value: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
