"""Classes by the texts that people and files write for them: a CSV says "true" where Parquet has True."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from distinguo.catalogue import suggest
from distinguo.exceptions import InputError

_TRUTH = {"true": True, "false": False}
# Not 007, which is a code.
_NUMBER = re.compile(r"[+-]?(?!0\d)(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")
_TIME = re.compile(r"\d\d:\d\d(:\d\d.*)?")


class ClassNames:
    """The classes of a model, found by text: as they are written, or as something that means the same.

    Parameters
    ----------
    labels : (K,) plain values.

    Examples
    --------
    >>> names = ClassNames([False, True])
    >>> names["true"], names["False"], names.get("yes", "no such class")
    (True, False, 'no such class')
    >>> ClassNames(["0", "0.5"])["0.50"]
    '0.5'
    """

    def __init__(self, labels: Iterable[Any]) -> None:
        self.labels = list(labels)
        self.texts = [str(label) for label in self.labels]
        self._by_text = dict(zip(self.texts, self.labels, strict=True))
        self._by_meaning: dict[Any, list[Any]] = {}
        for text, label in self._by_text.items():
            self._by_meaning.setdefault(meaning(text), []).append(label)

    def get(self, text: str, default: Any = None) -> Any:
        """The class of a text, or else the default."""
        if text in self._by_text:
            return self._by_text[text]
        alike = self._by_meaning.get(meaning(text), ())
        return alike[0] if len(alike) == 1 else default

    def __getitem__(self, text: str) -> Any:
        """The class of a text; raises where there is none."""
        found = self.get(text)
        if found is None:
            raise InputError(f"there is no class {text!r}; {suggest(text, self.texts)}")
        return found

    def place(self, text: str) -> int:
        """Where the class of a text stands among all; raises where there is none."""
        return self.labels.index(self[text])


def meaning(text: str) -> Any:
    """What is equal for texts that mean the same truth value, number or time; other texts stand for themselves.

    Examples
    --------
    >>> meaning("TRUE"), meaning("1.0") == meaning("1"), meaning("007")
    (True, True, '007')
    """
    word = text.strip()
    if word.lower() in _TRUTH:
        return _TRUTH[word.lower()]
    try:
        if _NUMBER.fullmatch(word):
            return ("number", Decimal(word))
        if _DATE.fullmatch(word):
            return datetime.fromisoformat(word)
        if _TIME.fullmatch(word):
            return time.fromisoformat(word)
    except ValueError:  # the 30th of February
        pass
    return text
