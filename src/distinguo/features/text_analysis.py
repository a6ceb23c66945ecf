r"""From a text to its terms in Python: everything but words of the default pattern, which compiled code finds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from distinguo.exceptions import InputError, InputTypeError

Analysis = Callable[[str], Iterable[str]]

_SPACES = re.compile(r"\s\s+")


def accents_of_unicode(text: str) -> str:
    """Without combining marks, letters taken apart first; other scripts keep their letters.

    Examples
    --------
    >>> accents_of_unicode("naïve Ωmega")
    'naive Ωmega'
    """
    if text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))


def accents_to_ascii(text: str) -> str:
    """Letters taken apart, and all but ASCII left out.

    Examples
    --------
    >>> accents_to_ascii("naïve Ωmega")
    'naive mega'
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


ACCENTS: dict[str, Callable[[str], str]] = {"unicode": accents_of_unicode, "ascii": accents_to_ascii}


def word_terms(tokenize: Analysis, stop_words: frozenset[str], sizes: tuple[int, int]) -> Analysis:
    """Tokens, and their n-grams joined by a space, stop words left out first."""

    def analyze(text: str) -> list[str]:
        words = [word for word in tokenize(text) if word not in stop_words]
        if sizes == (1, 1):
            return words
        return [" ".join(run) for run in _runs(words, sizes)]

    return analyze


def character_terms(sizes: tuple[int, int]) -> Analysis:
    """Runs of characters, several spaces being one."""

    def analyze(text: str) -> list[str]:
        return list(_runs(_SPACES.sub(" ", text), sizes))

    return analyze


def bounded_character_terms(sizes: tuple[int, int]) -> Analysis:
    """Runs of characters inside words, a space at either end; a word that is shorter than a run is one by itself."""

    def analyze(text: str) -> list[str]:
        terms: list[str] = []
        for word in text.split():
            padded = f" {word} "
            longest = min(sizes[1], max(len(padded), sizes[0]))
            for size in range(sizes[0], longest + 1):
                terms += [padded[i : i + size] for i in range(max(len(padded) - size, 0) + 1)]
        return terms

    return analyze


def _runs(items: Any, sizes: tuple[int, int]) -> Iterable[Any]:
    """All runs of so many neighbours, the shortest first."""
    for size in range(sizes[0], min(sizes[1], len(items)) + 1):
        for start in range(len(items) - size + 1):
            yield items[start : start + size]


CHARACTERS: dict[str, Callable[[tuple[int, int]], Analysis]] = {
    "char": character_terms,
    "char_wb": bounded_character_terms,
}


def pattern_finder(pattern: Any) -> Analysis:
    """All that a regular expression, or its only group, matches."""
    try:
        compiled = re.compile(pattern)
    except (TypeError, re.error) as error:
        raise InputError(f"token_pattern={pattern!r} is no regular expression: {error}.") from error
    if compiled.groups > 1:
        raise InputError(
            f"token_pattern={pattern!r} has more than 1 capturing group; a token is what one group captures. Write the "
            "others as (?:...)."
        )
    return compiled.findall


def in_sequence(steps: Sequence[Callable[[str], str]]) -> Callable[[str], str]:
    """One function after the other."""
    if len(steps) == 1:
        return steps[0]

    def prepare(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return prepare


def checked_terms(names: Iterable[Any]) -> None:
    """Raise unless what a caller's tokenizer or analyzer gave are texts."""
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(f"tokenizer and analyzer must give texts, not {type(name).__name__} ({name!r:.60}).")
