"""The words that tell a class of texts from the others most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from distinguo.catalogue import find
from distinguo.cli import terminal
from distinguo.cli.persistence import SavedModel

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
    return telling_of(saved.model, saved.encoder.features, n)


def telling_of(model: Any, words: Sequence[str], n: int) -> dict[str, list[str]]:
    """From the classes of a model to the n of its words that tell most of each."""
    found = {}
    for label, lead in zip(model.classes_, _leads(model), strict=True):
        order = np.argsort(-lead, kind="stable")[:n]
        found[str(label)] = [str(words[j]) for j in order if lead[j] > 0]
    return found


def _leads(model: Any) -> Any:
    """(K, p) by how much a word adds more to the score of a class than, on average, to the others'."""
    weights = model.coef_  # of naive Bayes log p(word | class) up to what all classes share
    if len(weights) == 1:
        return np.concatenate([-weights, weights])
    K = len(weights)
    with np.errstate(invalid="ignore"):
        leads = (weights - weights.mean(axis=0)) * (K / (K - 1))
    return np.nan_to_num(leads, nan=0.0)
