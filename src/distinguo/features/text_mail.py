"""What e-mail and news carry beside what their author wrote: headers, signatures, quoted lines."""

from __future__ import annotations

import re
from collections.abc import Callable

_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_QUOTED = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^[|>]")


def without_headers(text: str) -> str:
    r"""What follows the first blank line; nothing where there is none.

    Examples
    --------
    >>> without_headers("From: me\nSubject: this\n\nHello,\n\nyou.")
    'Hello,\n\nyou.'
    """
    blank = _BLANK_LINE.search(text)
    return text[blank.end() :] if blank else ""


def without_footer(text: str) -> str:
    r"""What comes before the last line that is blank or only hyphens; all where that line is the first, or none is.

    Examples
    --------
    >>> without_footer("Hello,\n\nyou.\n--\nMe, Myself and Sons\n")
    'Hello,\n\nyou.'
    """
    lines = text.strip().split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if not lines[number].strip().strip("-"):
            return "\n".join(lines[:number])
    return text


def without_quotes(text: str) -> str:
    r"""The lines that neither begin as quoted lines do nor say that somebody wrote something.

    Examples
    --------
    >>> without_quotes("You wrote:\n> Hello\nHello yourself.")
    'Hello yourself.'
    """
    return "\n".join(line for line in text.split("\n") if not _QUOTED.search(line))


# In the order in which they are taken away.
METADATA: dict[str, Callable[[str], str]] = {
    "headers": without_headers,
    "footers": without_footer,
    "quotes": without_quotes,
}
