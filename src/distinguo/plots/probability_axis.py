"""Probabilities on an axis of log-odds."""

from __future__ import annotations

from math import log, log1p

# Probabilities below one half, those to be shown first before others; with each comes its complement.
_FINE = (0.25, 0.4, 0.3, 0.2, 0.05, 0.02, 0.005)
_DECADES = 1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 250, 300
# What mathematical text has and does not show.
_UNSEEN = str.maketrans("", "", "${}^")
# Letters left free between neighbours.
FREE = 2


def probability_ticks(low: float, high: float, across: int) -> tuple[list[float], list[str]]:
    r"""Where, between two log-odds, probabilities are written, and how, on an axis of so many letters.

    Examples
    --------
    >>> places, texts = probability_ticks(-3.0, 7.0, 40)
    >>> [round(place, 2) for place in places], texts
    ([-2.2, 0.0, 2.2, 4.6, 6.91], ['0.1', '0.5', '0.9', '0.99', '0.999'])
    >>> probability_ticks(-2.0, 60.0, 40)[1]
    ['0.5', '$1-10^{-6}$', '$1-10^{-15}$']
    """
    chosen: dict[float, str] = {}
    for place, text in [(0.0, "0.5"), *_candidates()]:
        clear = all(
            abs(place - other) >= _apart(text, there) * (high - low) / across for other, there in chosen.items()
        )
        if low <= place <= high and clear:
            chosen[place] = text
    places = sorted(chosen)
    return places, [chosen[place] for place in places]


def _apart(first: str, second: str) -> float:
    """How far two labels must be apart, in letters."""
    letters = sum(len(text.translate(_UNSEEN)) for text in (first, second))
    return FREE + letters / 2


def _candidates() -> list[tuple[float, str]]:
    """Log-odds and their probabilities, the most welcome first."""
    pairs = [_pair(log(10) * d + log1p(-(10.0**-d)), *_decade(d)) for d in _DECADES]
    pairs += [_pair(log1p(-p) - log(p), f"{p:g}", f"{1 - p:g}") for p in _FINE]
    return [one for pair in pairs for one in pair]


def _pair(place: float, below: str, above: str) -> tuple[tuple[float, str], tuple[float, str]]:
    return (-place, below), (place, above)


def _decade(d: int) -> tuple[str, str]:
    """A tenth to that power and its complement, as text."""
    if d <= 3:
        return f"{10.0**-d:g}", f"{1 - 10.0**-d:g}"
    return f"$10^{{-{d}}}$", f"$1-10^{{-{d}}}$"
