"""What is wrong with texts, or with a model of them: absences that outweigh words, and words that are addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from distinguo.advice import Advice
from distinguo.features.text import TextCounts

# Texts with more different words than this differ mostly by their length in what they lack.
LONG = 40
# So many telling words that stand in addresses in most of their places are a sign of what surrounds texts.
MANY_ADDRESSES, MOSTLY = 5, 0.5
# So many words of a class tell whether its words are addresses.
TOLD = 20
SHOWN = 6

_HOST = r"(?:[\w-]+\.)+(?:com|edu|org|net|gov|mil|int|arpa)\b|(?:[\w-]+\.){2,}[a-z]{2}\b"
_ADDRESS = re.compile(rf"[\w.+-]+@[\w-]+(?:\.[\w-]+)*|https?://\S+|{_HOST}", re.IGNORECASE)


def long_texts(counts: sparse.csr_array) -> Advice | None:
    """T1: texts too long for a model that weighs what they lack.

    Parameters
    ----------
    counts : (n, p) of words in texts.

    Examples
    --------
    >>> long_texts(sparse.csr_array(np.eye(3))) is None
    True
    >>> long_texts(sparse.csr_array(np.ones((3, 100)))).code
    'T1'
    """
    typical = float(np.median(np.diff(counts.indptr))) if counts.shape[0] else 0.0
    if typical <= LONG:
        return None
    return Advice(
        "T1",
        f"half of the texts have {typical:.0f} different words or more, and Bernoulli naive Bayes weighs each of the "
        f"other {counts.shape[1] - typical:.0f} that they lack: absences decide.",
        "Use multinomial or complement naive Bayes, which weigh the words that are there.",
    )


def address_words(texts: Sequence[str], telling: Mapping[str, Sequence[str]]) -> Advice | None:
    """T2: telling words that stand in addresses and host names in most of their places.

    Parameters
    ----------
    texts : (n,) as models read them, with what was taken away gone.
    telling : from classes to the words that tell most of each.

    Examples
    --------
    >>> texts = ["write to joe@cs.yale.edu", "ask ann@cs.yale.edu or yale.edu", "no address"]
    >>> print(address_words(texts, {"a": ["yale", "edu", "cs", "ann", "joe"], "b": ["no"]}).sentence)
    telling words stand mostly in addresses and host names: 'ann', 'cs', 'edu', 'joe', 'yale'.
    >>> address_words(texts, {"b": ["no", "address", "write"]}) is None
    True
    """
    words = sorted({word for most in telling.values() for word in most[:TOLD]})
    if not words:
        return None
    everywhere = _places(texts, words)
    inside = _places(map(_addresses, texts), words)
    found = [words[j] for j in np.flatnonzero(inside > MOSTLY * everywhere)]
    if len(found) < MANY_ADDRESSES:
        return None
    shown = ", ".join(map(repr, found[:SHOWN])) + (", ..." if len(found) > SHOWN else ".")
    return Advice(
        "T2",
        f"telling words stand mostly in addresses and host names: {shown}",
        "They tell who wrote or where it came from, which new texts may not share: take it away first, with "
        "remove=('headers', 'footers', 'quotes') of TextCounts, which is text.remove on the command line.",
    )


def _addresses(text: str) -> str:
    """The addresses and host names of a text; few of its words can hold one, and only these are looked at closely."""
    return " ".join(_ADDRESS.findall(" ".join(word for word in text.split() if "@" in word or "." in word[1:-1])))


def _places(texts: Iterable[str], words: list[str]) -> Any:
    """(m,) in how many places words stand."""
    return TextCounts(vocabulary=words, lowercase=True).fit_transform(texts).sum(axis=0)
