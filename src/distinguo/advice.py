"""A warning that can be looked up: a code that stays, a sentence, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """A warning about rows or models.

    Attributes
    ----------
    code : a letter for what it is about (G the Gaussian description of classes, T texts, N naive Bayes, C comparisons)
        and a number.
    sentence : what was found.
    remedy : what to do about it.
    """

    code: str
    sentence: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence} {self.remedy}"
