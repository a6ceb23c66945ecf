"""The warning that goes with a verdict on a class: a code, a sentence, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from distinguo.group_tests.gaussian import LEADING, GaussianCheck
from distinguo.group_tests.table import p_text


@dataclass(frozen=True)
class GaussianWarning:
    """A warning about the description of a class: a code that stays, a sentence, and what to do.

    Attributes
    ----------
    code, sentence, advice : text; `str` joins them.
    """

    code: str
    sentence: str
    advice: str

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence} {self.advice}"


def gaussian_warning(check: GaussianCheck) -> GaussianWarning | None:
    """The warning that one Gaussian does not describe a class, or None where nothing speaks against it.

    Codes: G1 two clumps, G2 skewed, G3 heavy tails, G4 light tails.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import check_gaussian
    >>> normal = np.random.default_rng(0).normal
    >>> grams = np.concatenate([normal(8.3, 0.1, 500), normal(10.3, 0.1, 500)])
    >>> print(gaussian_warning(check_gaussian(grams[:, None], ["2 euro"] * 1000).checks[0]))
    G1: class '2 euro' falls into two clumps along column 0: 50% of its rows around 8.297 and 50% around 10.3. One ...
    """
    found = _WARNINGS.get(check.verdict)
    if found is None:
        return None
    code, words, advice = found
    return GaussianWarning(code, f"class {check.label!r} {words(check)}.", advice)


def _clumps_words(check: GaussianCheck) -> str:
    clumps = check.clumps
    assert clumps is not None
    is_leading = clumps.along == LEADING
    return (
        f"falls into two clumps along {'its ' if is_leading else ''}{clumps.along}: {clumps.share:.0%} of its rows "
        f"around {clumps.low:.4g} and {1 - clumps.share:.0%} around {clumps.high:.4g}"
        f"{' standard deviations' if is_leading else ''}"
    )


_WARNINGS: dict[str, tuple[str, Callable[[GaussianCheck], str], str]] = {
    "two clumps": (
        "G1",
        _clumps_words,
        "One Gaussian does not describe it: give each clump a label of its own, or use a mixture of two here.",
    ),
    "skewed": (
        "G2",
        lambda check: f"is skewed (p = {p_text(check.skewness_p)})",
        "One Gaussian does not describe it: transform its long-tailed columns, for instance by logarithms.",
    ),
    "heavy tails": (
        "G3",
        lambda check: f"has heavier tails than a Gaussian (p = {p_text(check.kurtosis_p)})",
        "Look for outliers; its probabilities will be too sure far from the mean.",
    ),
    "light tails": (
        "G4",
        lambda check: f"has lighter tails than a Gaussian (p = {p_text(check.kurtosis_p)})",
        "It may be cut off, or mixed from several parts; compare with a model that does not describe classes.",
    ),
}
