"""The words that tell a class of texts from the others most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distinguo.catalogue import find
from distinguo.cli import terminal
from distinguo.cli.persistence import SavedModel
from distinguo.evaluation.checks.telling import telling

SHOWN = 12


def words_text(saved: SavedModel) -> str:
    """A line a class: its telling words, those that tell most first."""
    telling = telling_words(saved)
    longest = max(len(label) for label in telling) + terminal.GAP
    lines = [
        terminal.hanging(f"{label:<{longest}}", terminal.visible(", ".join(words)), terminal.PROSE)
        for label, words in telling.items()
    ]
    kind = "log p(word | class) less the mean of the other classes"
    if find(saved.name).texts == "tfidf":
        kind = "coefficients less the mean of the other classes"
    return "\n".join([f"telling words, by {kind}", *lines])


def telling_words(saved: SavedModel, n: int = SHOWN) -> dict[str, list[str]]:
    """From classes to the words that tell most of each, in their order."""
    return telling_of(saved.base, saved.encoder.features, n)


def telling_of(model: Any, words: Sequence[str], n: int) -> dict[str, list[str]]:
    """From the classes of a model to the n of its words that tell most of each."""
    found = telling(model, words, n)
    return {str(label): [word for word, _ in pairs] for label, pairs in zip(model.classes_, found, strict=True)}
